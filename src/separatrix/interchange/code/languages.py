"""Terms as the text of a function in Python or C, or of a query in SQL."""

from typing import Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.interchange.code.terms import Number, Presence, Terms, Word


def python_code(terms: Terms) -> str:
    """A module with `scores(row)` and `predict(row)`, for rows that are dicts, or sequences of numbers."""
    if all(isinstance(column, Number) and column.median is None for column in terms.columns) and not terms.named:
        adding = ["    return [b + sum(w * x for w, x in zip(weights, row)) for b, weights in zip(OFFSETS, WEIGHTS)]"]
        constants = [f"WEIGHTS = {listed(matrix_of(terms))}"]
    else:
        constants, adding = python_columns(terms)
    labels = [] if terms.labels is None else [f"LABELS = {terms.labels!r}"]
    return "\n".join(
        [
            '"""A linear model, in plain Python."""',
            "",
            f"OFFSETS = {numbers(terms.offsets)}",
            *constants,
            *labels,
            "",
            "",
            "def scores(row):",
            *adding,
            "",
            "",
            "def predict(row):",
            *python_decision(terms),
            "",
        ]
    )


def python_columns(terms: Terms) -> tuple[list[str], list[str]]:
    """The constants of columns by their names, and the body of `scores`."""
    numeric = {c.name: (c.weights.tolist(), c.median) for c in terms.columns if isinstance(c, Number)}
    words = {
        c.name: ({word: w.tolist() for word, w in c.weights.items()}, c.other.tolist(), c.missing.tolist())
        for c in terms.columns
        if isinstance(c, Word)
    }
    presence = {c.name: (c.present.tolist(), c.missing.tolist()) for c in terms.columns if isinstance(c, Presence)}
    constants = [f"NUMBERS = {numeric!r}  # coefficients, and what stands for a missing value"]
    constants += [f"WORDS = {words!r}  # coefficients of words, of other words, of a missing one"] if words else []
    constants += [f"PRESENCE = {presence!r}  # coefficients of a value, of none"] if presence else []
    body = [
        "    total = list(OFFSETS)",
        "    parts = []",
        "    for name, (weights, median) in NUMBERS.items():",
        "        x = row[name]",
        "        x = median if x is None or x != x else x",
        "        parts.append([w * x for w in weights])",
    ]
    if words:
        body += [
            "    for name, (known, other, missing) in WORDS.items():",
            '        parts.append(missing if row[name] in (None, "") else known.get(row[name], other))',
        ]
    if presence:
        body += [
            "    for name, (there, missing) in PRESENCE.items():",
            "        parts.append(missing if row[name] is None or row[name] != row[name] else there)",
        ]
    return constants, [*body, "    return [sum(each) for each in zip(total, *parts)]"]


def python_decision(terms: Terms) -> list[str]:
    """The body of `predict`."""
    if terms.labels is None:
        return ["    return scores(row)[0]"]
    if terms.n_planes == 1:
        return ["    return LABELS[scores(row)[0] > 0]"]
    return ["    found = scores(row)", "    return LABELS[found.index(max(found))]"]


def sql_code(terms: Terms, table: str = "points") -> str:
    """A query for the rows of a table: all of its columns, the scores and the prediction."""
    names = [f"score_{k}" for k in range(terms.n_planes)] if terms.n_planes > 1 else ["score"]
    sums = []
    for k, name in enumerate(names):
        parts = [plain(terms.offsets[k]), *(sql_term(column, k) for column in terms.columns)]
        sums.append("\n    + ".join(parts) + f" AS {name}")
    inner = ",\n  ".join(sums)
    if terms.labels is None:
        return f"SELECT *,\n  {inner.replace(' AS score', ' AS prediction')}\nFROM {identifier(table)};\n"
    scored = f"(SELECT *,\n  {inner}\n  FROM {identifier(table)}) AS scored"
    return f"SELECT *,\n  {sql_label(terms, names)} AS prediction\nFROM {scored};\n"


def sql_term(column: Number | Word | Presence, plane: int) -> str:
    """What a column adds to a score."""
    name = identifier(column.name)
    if isinstance(column, Number):
        value = name if column.median is None else f"COALESCE({name}, {plain(column.median)})"
        return f"{plain(column.weights[plane])} * {value}"
    if isinstance(column, Presence):
        return f"CASE WHEN {name} IS NULL THEN {plain(column.missing[plane])} ELSE {plain(column.present[plane])} END"
    cases = " ".join(f"WHEN {name} = {quoted(word)} THEN {plain(w[plane])}" for word, w in column.weights.items())
    gone = f"WHEN {name} IS NULL OR {name} = '' THEN {plain(column.missing[plane])}"
    return f"CASE {gone} {cases} ELSE {plain(column.other[plane])} END"


def sql_label(terms: Terms, names: list[str]) -> str:
    """The label of the sign, or of the largest score; of equal ones the first."""
    labels = [quoted(each) if isinstance(each, str) else sql_value(each) for each in terms.labels or []]
    if len(names) == 1:
        return f"CASE WHEN score > 0 THEN {labels[1]} ELSE {labels[0]} END"
    cases = [
        f"WHEN {' AND '.join(f'{name} >= {other}' for other in names[k + 1 :])} THEN {labels[k]}"
        for k, name in enumerate(names[:-1])
    ]
    return f"CASE {' '.join(cases)} ELSE {labels[-1]} END"


def sql_value(label: Any) -> str:
    """A label that is no text."""
    return str(label).upper() if isinstance(label, bool) else plain(label)


def c_code(terms: Terms) -> str:
    """A function `int predict(const double *x)` that gives the place of the class, or `double predict` for numbers."""
    if not all(isinstance(column, Number) for column in terms.columns):
        raise OptionError("Code in C takes columns of numbers only, and this model has others. Use Python or SQL.")
    W = matrix_of(terms)
    medians = [column.median for column in terms.columns if isinstance(column, Number)]
    gaps = any(median is not None for median in medians)
    value = "(isnan(x[j]) ? MEDIANS[j] : x[j])" if gaps else "x[j]"
    names = ", ".join(column.name.replace("*/", "* /").replace("\n", " ") for column in terms.columns)
    lines = [
        f"/* A linear model of {W.shape[1]} columns: {names} */",
        *(["#include <math.h>"] if gaps else []),
        "",
        f"static const double OFFSETS[{len(W)}] = {{{', '.join(map(plain, terms.offsets))}}};",
        f"static const double WEIGHTS[{len(W)}][{W.shape[1]}] = {{",
        *(f"    {{{', '.join(map(plain, row))}}}," for row in W),
        "};",
    ]
    if gaps:
        lines.append(f"static const double MEDIANS[{W.shape[1]}] = {{{', '.join(plain(m or 0.0) for m in medians)}}};")
    if terms.labels is not None:
        texts = ", ".join(c_text(str(label)) for label in terms.labels)
        lines.append(f"const char *const LABELS[{len(terms.labels)}] = {{{texts}}};")
    return "\n".join([*lines, "", *c_functions(terms, W, value), ""])


def c_functions(terms: Terms, W: np.ndarray, value: str) -> list[str]:
    """The functions of the code in C."""
    score = [
        "double score(const double *x, int k) {",
        "    double total = OFFSETS[k];",
        f"    for (int j = 0; j < {W.shape[1]}; j++)",
        f"        total += WEIGHTS[k][j] * {value};",
        "    return total;",
        "}",
        "",
    ]
    if terms.labels is None:
        return [*score, "double predict(const double *x) { return score(x, 0); }"]
    if len(W) == 1:
        return [*score, "int predict(const double *x) { return score(x, 0) > 0; }"]
    return [
        *score,
        "int predict(const double *x) {",
        "    int best = 0;",
        f"    for (int k = 1; k < {len(W)}; k++)",
        "        if (score(x, k) > score(x, best)) best = k;",
        "    return best;",
        "}",
    ]


def matrix_of(terms: Terms) -> np.ndarray:
    """The coefficients of numbers, a row for each plane."""
    return np.array([column.weights for column in terms.columns if isinstance(column, Number)]).T


def plain(value: Any) -> str:
    """A number with all its digits."""
    return repr(value) if isinstance(value, int) else repr(float(value))


def numbers(values: np.ndarray) -> str:
    """A list of numbers."""
    return f"[{', '.join(map(plain, values))}]"


def listed(matrix: np.ndarray) -> str:
    """A list of lists of numbers, one a line."""
    rows = ",\n".join(f"    {numbers(row)}" for row in matrix)
    return f"[\n{rows},\n]"


def identifier(name: str) -> str:
    """The name of a column or table in SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def c_text(text: str) -> str:
    """A text in C, with what is no plain letter as its bytes."""
    letters = (f"\\{byte:03o}" if byte < 32 or byte > 126 or byte in b'"\\?' else chr(byte) for byte in text.encode())
    return f'"{"".join(letters)}"'
