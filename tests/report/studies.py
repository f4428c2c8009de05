"""Studies as `separatrix study` would make them, small and soon made, for the page to show."""

import warnings
from types import SimpleNamespace

import numpy as np

from separatrix import LinearSVM, separability
from separatrix.data import samples
from separatrix.selection.comparison import Proofs
from separatrix.selection.measures.metrics import ERROR


def study(X, y, names=None, *, C=0.1, name="measurements.csv", target="species", model=None):
    """All that a page shows, of rows and labels."""
    y = np.asarray(y)
    classes, codes = np.unique(y, return_inverse=True)
    names = [f"x{j}" for j in range(X.shape[1])] if names is None else list(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = (model or LinearSVM(C=C)).fit(X, y)
    found = separability(X, y)
    overlap = found.witness.size > 0
    confusion = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(confusion, (codes, np.searchsorted(classes, model.predict(X))), 1)
    confusion[0, -1] += 3  # as if rows had not been seen
    error = 1 - np.trace(confusion) / confusion.sum()
    table = comparison(error, confusion)
    return SimpleNamespace(
        name=name,
        target=target,
        n_rows=len(y),
        classes=classes,
        counts=np.bincount(codes),
        columns=columns(X, names),
        feature_names=names,
        X=X,
        y=y,
        notes=["Each number was standardised: mean 0, deviation 1.", "2 rows without a label were left out."],
        separability=found,
        grid=None,
        comparison=table,
        entry=table.rows[0],
        chosen="linear SVM",
        why="It has the least error, and its margin can be certified.",
        classifier=model,
        certified=model,
        path=curve(C, error),
        confusion=confusion,
        command=f"separatrix study {name} --target {target} --seed 0",
        check=f"separatrix verify model.json {name}",
        versions={"separatrix": "0.1.0", "numpy": "2.4.6", "python": "3.13.1"},
        warnings=[],
        seed=0,
        seconds=12.3,
        verdict=verdict(found, classes, error),
        witness=witness(X, y, names, found, model),
        witness_title="The rows that prove it" if overlap else "The rows that hold the plane",
        counting="Rows are counted from 0.",
        class_weight=None,
        test=None,
        scored=None,
        threshold=None,
    )


def curve(C, error):
    values = np.logspace(-3, 3, 13)
    mean = error + 0.012 * np.log10(values / C) ** 2
    return SimpleNamespace(values=values, mean=mean, low=np.maximum(mean - 0.012, 0), high=mean + 0.015, best=C)


def verdict(found, classes, error):
    words = {
        "complete": "A plane separates",
        "quasi-complete": "A plane separates only weakly",
        "overlap": "No plane separates",
    }
    kind = found.kind
    names = " from ".join(map(str, classes)) if len(classes) == 2 else f"the {len(classes)} classes"
    return [
        f"{words[kind]} {names}.",
        f"A linear SVM errs on {error:.1%} of rows that it has not seen.",
        "The verdict is proved: anyone can check it again from the rows.",
    ]


def witness(X, y, names, found, model):
    rows = found.witness if found.witness.size else getattr(model, "support_", np.arange(3))[:12]
    weights = found.weights if found.weights.size else [None] * len(rows)
    dense = X[rows].toarray() if hasattr(X, "toarray") else X[rows]
    values = [dict(zip(names[:14], row.tolist(), strict=False)) for row in dense]
    return [
        {"row": int(row), "class": y.tolist()[row], "weight": weight, "values": each}
        for row, weight, each in zip(rows, weights, values, strict=True)
    ]


def columns(X, names):
    X = X.toarray() if hasattr(X, "toarray") else X
    made = [
        SimpleNamespace(
            name=name, kind="number", missing=3 * (j == 0), low=float(X[:, j].min()), median=float(np.median(X[:, j])),
            high=float(X[:, j].max()), categories=(), done="gaps filled with the median" if j == 0 else "",
        )
        for j, name in enumerate(names)
    ]  # fmt: skip
    nothing = {"low": None, "median": None, "high": None}
    words = SimpleNamespace(
        name="region", kind="text", missing=0, categories=tuple("abcde"), done="5 columns", **nothing
    )
    other = SimpleNamespace(
        name="id", kind="left out", missing=0, categories=(), done="different in every row", **nothing
    )
    return [*made, words, other]


def comparison(error, confusion):
    def row(name, more, proofs, **other):
        values = {"mean": error + more, "low": max(0.0, error + more - 0.013), "high": error + more + 0.02}
        values |= {"differs": more > 0.02, "failure": "", "baseline": False, "fit_seconds": 0.013} | other
        values |= {"metric": ERROR, "score": values["mean"], "error_rate": values["mean"]}
        return SimpleNamespace(name=name, proofs=proofs, confusion=confusion, **values)

    nan = float("nan")
    rows = [
        row("linear SVM", 0.0, Proofs("DualityGap", 5, 5, 2e-13)),
        row("logistic discrimination", 0.004, Proofs("DualityGap", 5, 5, 1e-13), fit_seconds=0.12),
        row("least squares", 0.021, Proofs("Stationary", 5, 5, 3e-16), fit_seconds=0.0004),
        row("perceptron", 0.33, Proofs("Unproved", 0, 5, 0.3), fit_seconds=1.4),
        row("hard margin", nan, None, failure="NotSeparableError: 6 rows prove that no plane separates the classes."),
        row("most frequent class", 0.35, None, baseline=True, fit_seconds=0.0001),
    ]
    return SimpleNamespace(
        rows=rows,
        baseline=rows[-1],
        metric=ERROR,
        notes=["Preparation was fitted to the training rows of each fold."],
        left_out={"pocket": "the time was used up", "relaxation": "the time was used up"},
    )


def standardised(name):
    """One of the built-in tables, its columns with mean 0 and deviation 1."""
    table = samples.builtin(name)
    deviations = table.X.std(axis=0)
    return (table.X - table.X.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0), table


def breast_cancer(**how):
    X, table = standardised("breast_cancer")
    return study(
        X, table.labels, table.feature_names, **{"C": 0.1, "name": "breast_cancer.csv", "target": "diagnosis", **how}
    )


def iris(**how):
    X, table = standardised("iris")
    return study(X, table.labels, table.feature_names, **{"C": 1.0, "name": "iris.csv", **how})
