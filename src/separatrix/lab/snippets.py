"""What a person takes along: Python code, a command line and a model file, all of the model that the page shows.

Few points stand in the code itself; of more, code and command read the CSV file that is downloaded beside them. Numbers
are written so that they are read as the same doubles, and the models have the same bits.
"""

import csv
import io
import shlex
from typing import Any

import numpy as np

from separatrix.data.table import is_finite_number
from separatrix.estimators.store.model_file import model_text
from separatrix.lab.fitting import fitted
from separatrix.lab.question import Question

MAX_POINTS_IN_CODE = 60  # a screen of lines
FILE, MODEL = "points.csv", "model.json"
FLAGS = {"C": "--cost", "nu": "--nu", "tol": "--tol", "kernel": "--kernel", "gamma": "--gamma", "degree": "--degree",
         "coef0": "--coef0"}  # fmt: skip


def column_names(question: Question) -> tuple[list[str], str, str]:
    """The names of both features, of the classes and of the weights in the CSV file, no two of them the same.

    A name that is a number would look like a cell, so that it gets a letter.
    """
    features = [f"x{name}" if is_finite_number(name) else name for name in question.names]
    free = [name for name in ("class", "class of point", "target") if name not in features]
    weights = [name for name in ("weight", "weight of point", "sample weight") if name not in features]
    return features, free[0], weights[0]


def points_csv(question: Question) -> str:
    r"""The points as a CSV file, without classes for a method that learns from the points alone.

    >>> from separatrix.lab.question import question_of
    >>> data = {"x": [0.1, 1], "y": [0, 1], "class": [0, 1]}
    >>> points_csv(question_of({"data": data, "method": "pocket"}))
    '"x1","x2","class"\n0.1,0.0,"blue"\n1.0,1.0,"orange"\n'
    """
    features, target, weight = column_names(question)
    columns: list[Any] = [question.X[:, 0].tolist(), question.X[:, 1].tolist()]
    header = list(features)
    if not question.is_novelty:
        header.append(target)
        columns.append([question.classes[code] for code in question.y.tolist()])
    if question.weighted and question.weights is not None:
        header.append(weight)
        columns.append(question.weights.tolist())
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerows([header, *zip(*columns, strict=True)])
    return stream.getvalue()


def python(question: Question) -> str:
    """Python code that fits the same model, to the bit.

    >>> from separatrix.lab.question import question_of
    >>> data = {"x": [0.1, 1], "y": [0, 1], "class": [0, 1]}
    >>> print(python(question_of({"data": data, "method": "linear SVM", "options": {"C": 10}})))
    import numpy as np
    from separatrix import LinearSVM
    <BLANKLINE>
    X = np.array([
        [0.1, 0.0],
        [1.0, 1.0],
    ])
    y = np.array(["blue", "orange"])[[0, 1]]
    model = LinearSVM(C=10.0).fit(X, y)
    print(model.certificate_)
    <BLANKLINE>
    """
    name, inline = question.row.estimator.__name__, len(question.X) <= MAX_POINTS_IN_CODE
    lines = data_in_code(question) if inline else data_from_file(question)
    home = question.row.estimator.__module__
    source = "separatrix" if home.startswith("separatrix.") else home
    reader = ", read_table" if not inline and not question.is_novelty else ""
    imports = ["import numpy as np"] if inline or question.is_novelty else []
    given = ["X", *([] if question.is_novelty else ["y"]), *(["sample_weight=weights"] if question.weighted else [])]
    fit = [f"model = {question.call}.fit({', '.join(given)})", "print(model.certificate_)"]
    return "\n".join([*imports, f"from {source} import {name}{reader}", "", *lines, *fit, ""])


def data_in_code(question: Question) -> list[str]:
    """Lines of Python that hold the points."""
    rows = [f"    [{x!r}, {y!r}]," for x, y in question.X.tolist()]
    lines = ["X = np.array([", *rows, "])"]
    if not question.is_novelty:
        labels = ", ".join(quoted(label) for label in np.unique(question.labels).tolist())
        lines.append(f"y = np.array([{labels}])[{question.y.tolist()}]")
    if question.weighted and question.weights is not None:
        lines.append(f"weights = np.array({question.weights.tolist()})")
    return lines


def data_from_file(question: Question) -> list[str]:
    """Lines of Python that read the points from the CSV file beside them."""
    _, target, _ = column_names(question)
    if question.is_novelty:
        read = [f'table = np.loadtxt("{FILE}", delimiter=",", skiprows=1)']
        return [*read, "X = table[:, :2]", *(["weights = table[:, 2]"] if question.weighted else [])]
    read = [f'table = read_table("{FILE}", target={quoted(target)})', "y = table.labels"]
    if not question.weighted:
        return [*read, "X = table.X"]
    return [*read, "X, weights = table.X[:, :2].copy(), table.X[:, 2]"]


def quoted(label: Any) -> str:
    """A label as Python has it, a text in double quotes where it has none itself."""
    plain = isinstance(label, str) and '"' not in label and "\\" not in label and label.isprintable()
    return f'"{label}"' if plain else repr(label)


def command(question: Question) -> str:
    """A command line that fits the same model to the CSV file.

    >>> from separatrix.lab.question import question_of
    >>> data = {"x": [0.1, 1], "y": [0, 1], "class": [0, 1]}
    >>> command(question_of({"data": data, "method": "linear SVM", "options": {"C": "inf"}}))
    'separatrix fit points.csv model.json --target class --algorithm linear-svm --cost inf'
    """
    _, target, weight = column_names(question)
    words = ["separatrix", "fit", FILE, MODEL]
    words += ["--task", "novelty"] if question.is_novelty else ["--target", target]
    words += ["--algorithm", question.row.slug]
    if "random_state" in question.row.estimator._get_param_names():
        words += ["--seed", str(question.seed)]
    if question.weighted:
        words += ["--weights", weight]
    for name, value in question.options.items():
        words += option_words(name, value)
    return shlex.join(words)


def option_words(name: str, value: Any) -> list[str]:
    """An option of an estimator on the command line."""
    text = str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else repr(value)
    return [FLAGS[name], text] if name in FLAGS else ["--set", f"{name}={text}"]


def model_file(question: Question) -> dict[str, Any]:
    """The text of the model file, and of the CSV file that it is verified with."""
    model = fitted(question).model
    weights = (question.weights,) if question.weighted else ()
    data = (question.X, None if question.is_novelty else question.labels, *weights)
    return {"kind": "model", "model": model_text(model, data=data), "csv": points_csv(question)}
