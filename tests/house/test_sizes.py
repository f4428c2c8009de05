"""The shape of the source: sizes of files, functions, signatures, classes and packages; names; nothing left over.

Each measure takes source text and returns its offenders, so that each can be tried on a planted one.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "separatrix"
LINES_A_FILE = 400
LINES_A_FUNCTION = 70
NESTING = 3
POSITIONAL_PARAMETERS = 7
METHODS_A_CLASS = 12
MODULES_A_PACKAGE = 20

NESTED = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPILERS = {"compiled", "inner", "overload", "intrinsic"}
NAMELESS = re.compile(r"_*(utils?|common|\w+_(impl|fast))")
LEFT_OVER = re.compile(r"\b(TODO|FIXME)\b")


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a file, which every measure walks."""
    return ast.parse(source)


@pytest.fixture(scope="module", autouse=True)
def no_tree_stays():
    """Trees are millions of objects, which the garbage collector would go through in all tests that follow."""
    yield
    parsed.cache_clear()


def long_files(source: str) -> list[str]:
    lines = len(source.splitlines())
    return [f"{lines} lines, at most {LINES_A_FILE}"] if lines > LINES_A_FILE else []


def long_functions(source: str) -> list[str]:
    sizes = {node: node.end_lineno - node.lineno + 1 for node in ast.walk(parsed(source)) if isinstance(node, FUNCTION)}
    return [
        f"line {node.lineno}: {node.name} has {size} lines, at most {LINES_A_FUNCTION}"
        for node, size in sizes.items()
        if size > LINES_A_FUNCTION
    ]


def is_elif(node: ast.AST, parent: ast.AST) -> bool:
    """An `elif` is an `if` in the `else` of another that begins in the same column."""
    both = isinstance(node, ast.If) and isinstance(parent, ast.If)
    return both and node in parent.orelse and node.col_offset == parent.col_offset


def blocks(node: ast.AST, depth: int = 0) -> Iterator[tuple[ast.stmt, int]]:
    """Every block statement under a node with its depth; an `elif` belongs to its `if`."""
    for child in ast.iter_child_nodes(node):
        opens = isinstance(child, NESTED) and not is_elif(child, node)
        if opens:
            yield child, depth + 1
        yield from blocks(child, depth + opens)


def deep_blocks(source: str) -> list[str]:
    return [
        f"line {node.lineno}: nested {depth} deep, at most {NESTING}"
        for node, depth in blocks(parsed(source))
        if depth > NESTING
    ]


def long_signatures(source: str) -> list[str]:
    """Functions with too many positional parameters, compiled loops among them; self and cls are not counted."""
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, FUNCTION):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args) if each.arg not in ("self", "cls")]
            if len(names) > POSITIONAL_PARAMETERS:
                found.append(
                    f"line {node.lineno}: {node.name} has {len(names)} positional parameters, "
                    f"at most {POSITIONAL_PARAMETERS}"
                )
    return found


def large_classes(source: str) -> list[str]:
    """Classes that define too many methods, properties among them."""
    classes = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.ClassDef)]
    sizes = {node: sum(isinstance(part, FUNCTION) for part in node.body) for node in classes}
    return [
        f"line {node.lineno}: {node.name} has {size} methods, at most {METHODS_A_CLASS}"
        for node, size in sizes.items()
        if size > METHODS_A_CLASS
    ]


def large_packages(paths: list[str]) -> list[str]:
    """Packages with too many modules, given the paths of all files; those of subpackages count for these alone."""
    modules = Counter(str(Path(path).parent) for path in paths if Path(path).name != "__init__.py")
    return [
        f"{package}: {size} modules, at most {MODULES_A_PACKAGE}"
        for package, size in sorted(modules.items())
        if size > MODULES_A_PACKAGE
    ]


def is_compiler(node: ast.expr) -> bool:
    """Whether this is `compiled`, `compiling.compiled`, `overload(...)` and the like."""
    target = node.func if isinstance(node, ast.Call) else node
    return (target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")) in COMPILERS


def overloaded_names(tree: ast.AST) -> set[str]:
    """Names of functions that are given to a compiler as an argument."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_compiler(node)]
    return {argument.id for call in calls for argument in call.args if isinstance(argument, ast.Name)}


def typed_functions(node: ast.AST, exempt: set[str]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions that must have annotations: all but compiled loops and what is inside of them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTION):
            if child.name in exempt or any(map(is_compiler, child.decorator_list)):
                continue
            yield child
        yield from typed_functions(child, exempt)


def missing_annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    names = [each.arg for each in arguments if each is not None and each.annotation is None]
    if function.returns is None and function.name != "__init__":
        names.append("return")
    return [name for name in names if name not in ("self", "cls")]


def untyped_functions(source: str) -> list[str]:
    tree = parsed(source)
    missing = {node: missing_annotations(node) for node in typed_functions(tree, overloaded_names(tree))}
    return [
        f"line {node.lineno}: {node.name} is not compiled and has no type for {', '.join(names)}"
        for node, names in missing.items()
        if names
    ]


def prints(source: str) -> list[str]:
    return [
        f"line {node.lineno}: print()"
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


def left_overs(source: str) -> list[str]:
    found = [(number, LEFT_OVER.search(line)) for number, line in enumerate(source.splitlines(), start=1)]
    return [f"line {number}: {match[0]}" for number, match in found if match]


def leaning_docstrings(source: str) -> list[str]:
    """Docstrings that say what is computed by pointing at another one."""
    named = [node for node in ast.walk(parsed(source)) if isinstance(node, (*FUNCTION, ast.ClassDef))]
    return [
        f"line {node.lineno}: the docstring of {node.name} begins 'The same'"
        for node in named
        if (ast.get_docstring(node) or "").startswith("The same")
    ]


def nameless(path: str) -> list[str]:
    """Parts of a path that say nothing about what is inside."""
    return [part for part in Path(path).with_suffix("").parts if NAMELESS.fullmatch(part)]


MEASURES = [
    long_files,
    long_functions,
    long_signatures,
    large_classes,
    deep_blocks,
    untyped_functions,
    prints,
    left_overs,
    leaning_docstrings,
]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
def test_source_keeps_to_the_measure(measure):
    files = sorted(PACKAGE.rglob("*.py"))
    assert files, f"no source in {PACKAGE}"
    offenders = [
        f"{path.relative_to(PACKAGE)}: {offence}"
        for path in files
        for offence in measure(path.read_text(encoding="utf-8"))
    ]
    assert not offenders, "\n" + "\n".join(offenders)


def test_files_are_named_after_what_is_in_them():
    paths = [str(path.relative_to(PACKAGE)) for path in sorted(PACKAGE.rglob("*.py"))]
    offenders = [path for path in paths if nameless(path)]
    assert not offenders, "\n" + "\n".join(offenders)


def test_packages_are_small_enough_to_survey():
    offenders = large_packages([str(path.relative_to(PACKAGE)) for path in sorted(PACKAGE.rglob("*.py"))])
    assert not offenders, "\n" + "\n".join(offenders)


def test_a_file_of_401_lines_is_found():
    assert long_files("x = 1\n" * 400) == []
    assert long_files("x = 1\n" * 401) == ["401 lines, at most 400"]


def test_a_function_of_71_lines_is_found():
    inside = "        x = 1\n"
    source = "class A:\n    @decorated\n    def f(self):\n"
    assert long_functions(source + inside * 69) == []
    assert long_functions(source + inside * 70) == ["line 3: f has 71 lines, at most 70"]


def test_an_eighth_positional_parameter_is_found():
    assert long_signatures("class A:\n    def f(self, a, b, c, d, e, f, g, *h, i=1, **j):\n        pass\n") == []
    assert long_signatures("@compiled\ndef f(a, b, c, /, d, e, f, g, h=1):\n    pass\n") == [
        "line 2: f has 8 positional parameters, at most 7"
    ]


def test_a_thirteenth_method_is_found():
    methods = "    @property\n    def f(self):\n        def inner(): pass\n"
    assert large_classes("class A:\n    x = 1\n" + methods * 12) == []
    assert large_classes("class A:\n" + methods * 13) == ["line 1: A has 13 methods, at most 12"]


def test_a_twenty_first_module_is_found():
    paths = ["a/__init__.py", "a/b/__init__.py", *(f"a/m{i}.py" for i in range(20)), "a/b/m.py"]
    assert large_packages(paths) == []
    assert large_packages([*paths, "a/m20.py"]) == ["a: 21 modules, at most 20"]


def test_a_fourth_level_is_found():
    three = "def f():\n for i in x:\n  if i:\n   with i:\n"
    assert deep_blocks(three + "    pass\n") == []
    assert deep_blocks(three + "    while i:\n     pass\n") == ["line 5: nested 4 deep, at most 3"]
    assert deep_blocks(three + "    try:\n     pass\n    finally:\n     pass\n") != []


def test_blocks_in_else_and_except_are_found():
    inside = "    if a:\n     pass\n"
    assert deep_blocks("if a:\n if a:\n  if a:\n   pass\n  else:\n" + inside) != []
    assert deep_blocks("if a:\n if a:\n  try:\n   pass\n  except E:\n" + inside) != []
    assert deep_blocks("match a:\n case 1:\n  if a:\n   if a:\n" + inside) != []


def test_an_elif_is_no_deeper_than_its_if():
    chain = "if a:\n pass\n" + "elif b:\n pass\n" * 6
    assert deep_blocks(chain) == []
    assert [depth for _, depth in blocks(ast.parse(chain + "else:\n if c:\n  pass\n"))] == [1, 2]


def test_untyped_functions_are_found_unless_compiled():
    assert untyped_functions("def f(x: int) -> int:\n    return x\n") == []
    assert untyped_functions("@compiled\ndef f(x):\n    return x\n") == []
    assert untyped_functions("@numba.overload(g)\ndef f(x):\n    def h(x):\n        return x\n") == []
    assert untyped_functions("def f(x):\n    return x\n\noverload(f)(lambda x: f)\n") == []
    found = untyped_functions("class A:\n    def f(self, x, *y: int, z: int = 1):\n        return x\n")
    assert found == ["line 2: f is not compiled and has no type for x, return"]


def test_prints_and_left_overs_are_found():
    assert prints("def f():\n    print(1)\n") == ["line 2: print()"]
    assert prints("console.print(1)\n# print(1)\n") == []
    assert left_overs("x = 1  # TODO: more\n") == ["line 1: TODO"]
    assert left_overs("FIXME = 1\n") == ["line 1: FIXME"]
    assert left_overs("mastodon\n") == []


def test_docstrings_that_lean_on_others_are_found():
    assert leaning_docstrings('def f():\n    """The same, twice."""\n') != []
    assert leaning_docstrings('def f():\n    """Twice the sum."""\n') == []


@pytest.mark.parametrize("path", ["utils.py", "a/_common.py", "a/gram_impl.py", "gram_fast.py", "utils/a.py"])
def test_names_that_say_nothing_are_found(path):
    assert nameless(path)


def test_names_that_say_something_pass():
    assert nameless("solvers/least_squares.py") == nameless("fast_fourier.py") == []
