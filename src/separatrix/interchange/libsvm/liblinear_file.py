"""Model files of LIBLINEAR: planes, a line for each feature (Fan et al., 2008).

    solver_type L2R_L1LOSS_SVC_DUAL
    nr_class 3
    label 1 2 3
    nr_feature 4
    bias 1
    w
    w_11 w_21 w_31          a line for each feature, a number for each plane; the last line is the offset

Of two classes there is one plane, positive for the class that `label` names first.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import Unproved
from separatrix.errors import FormatError, OptionError
from separatrix.estimators.base import LinearClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.regression.linear_regressor import PlaneRegressor
from separatrix.estimators.regression.linear_svr import LinearSVR
from separatrix.interchange.libsvm.fields import (
    ModelText,
    number_of,
    read_text,
    text_of,
    whole_labels,
    whole_of,
    written,
)
from separatrix.interchange.taken_over import take_planes
from separatrix.rows import Vector

PROGRAM = ("LIBLINEAR", "solver_type")
NO_CLAIM = "it was read from a file of LIBLINEAR; nothing is known of its training rows"
LOGISTIC = ("L2R_LR", "L2R_LR_DUAL", "L1R_LR")
REGRESSION = ("L2R_L2LOSS_SVR", "L2R_L2LOSS_SVR_DUAL", "L2R_L1LOSS_SVR_DUAL")
HINGE = ("L2R_L1LOSS_SVC_DUAL", "MCSVM_CS")
SQUARED = ("L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L1R_L2LOSS_SVC")


def write_liblinear(model: Any, path: Any) -> Path:
    """Write the planes of a fitted linear model as a model file of LIBLINEAR.

    Parameters
    ----------
    model : fitted linear classifier or regressor
        Whose class with the largest w.x + b wins, or for two classes the sign. Labels that are no numbers are written
        as their places in `classes_`, from 0.
    path : str or Path
        The file.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import LinearSVM, read_liblinear, write_liblinear
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [4.0, 4.0]], [1, 1, 2]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_liblinear(LinearSVM().fit(X, y), pathlib.Path(folder, "model"))
    ...     print(path.read_text().splitlines()[:5], read_liblinear(path).predict(X))
    ['solver_type L2R_L1LOSS_SVC_DUAL', 'nr_class 2', 'label 2 1', 'nr_feature 2', 'bias 1'] [1 1 2]
    """
    check_is_fitted(model)
    if isinstance(model, PlaneRegressor):
        return written(lines_of(type_of(model), None, model.coef_[:, None], np.atleast_1d(model.intercept_)), path)
    by_planes = isinstance(model, LinearClassifier) and model._scores_by_planes()
    if not by_planes:
        raise OptionError(
            f"{type(model).__name__} does not decide by the largest of w.x + b, which a file of LIBLINEAR stands for."
        )
    labels = whole_labels(model.classes_, PROGRAM[0])
    W, b = model.coef_, model.intercept_
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise OptionError("This model has infinite coefficients, which a file of LIBLINEAR cannot hold.")
    if len(W) == 1:
        labels = labels[::-1]
    return written(lines_of(type_of(model), labels, W.T, b), path)


def type_of(model: Any) -> str:
    """The solver of LIBLINEAR that minimises about the same, or one that has planes of the same meaning."""
    if isinstance(model, PlaneRegressor):
        return REGRESSION[0] if getattr(model, "loss", "squared").startswith("squared") else REGRESSION[2]
    if isinstance(model, LogisticClassifier):
        return LOGISTIC[0]
    return HINGE[0] if getattr(model, "loss", "") == "hinge" else SQUARED[0]


def lines_of(solver: str, labels: list[int] | None, columns: Vector, offsets: Vector) -> Iterator[str]:
    """The lines of a file, for planes that are columns."""
    yield f"solver_type {solver}"
    yield f"nr_class {2 if labels is None else len(labels)}"
    if labels is not None:
        yield " ".join(["label", *map(str, labels)])
    yield f"nr_feature {len(columns)}"
    yield "bias 1"
    yield "w"
    for row in [*columns, offsets]:
        yield " ".join(map(text_of, row)) + " "


def read_liblinear(path: Any) -> Any:
    r"""Read a model file of LIBLINEAR as the estimator of this package that predicts the same.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    LinearSVM, LogisticClassifier or LinearSVR
        Fitted, with a certificate that proves nothing: the file does not say which rows it was made of.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import read_liblinear
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model")
    ...     text = "solver_type L2R_LR\nnr_class 2\nlabel 5 2\nnr_feature 1\nbias -1\nw\n1 \n"
    ...     _ = path.write_text(text)
    ...     read_liblinear(path).predict([[-1.0], [1.0]]).tolist()
    [2, 5]
    """
    text = read_text(path, PROGRAM, "w")
    solver = text.one("solver_type")
    if solver in REGRESSION:
        model: Any = LinearSVR(loss="epsilon_insensitive" if solver == REGRESSION[2] else "squared_epsilon_insensitive")
        W, b = planes_in(text, 1)
        model.coef_, model.intercept_ = W[0], float(b[0])
        model.n_features_in_, model.n_iter_, model.certificate_ = W.shape[1], 1, Unproved(NO_CLAIM, W[0], float(b[0]))
        return model
    if solver not in (*LOGISTIC, *HINGE, *SQUARED):
        raise FormatError(f"{text.name}: models of {solver!r} are not read; those of classes and numbers are.")
    labels = np.array([whole_of(each, f"{text.name}: label", -(2**31)) for each in text.header.get("label", [])])
    k = text.whole("nr_class", 2)
    if labels.size != k or np.unique(labels).size != k:
        raise FormatError(f"{text.name}: expected {k} different labels, found {text.header.get('label', [])}.")
    W, b = planes_in(text, k if k > 2 or solver == "MCSVM_CS" else 1)
    if k == 2:
        if len(W) == 2:
            W, b = W[:1] - W[1:], b[:1] - b[1:]
        W, b = (W, b) if labels[0] > labels[1] else (-W, -b)
        labels = np.sort(labels)
    else:
        order = np.argsort(labels)
        W, b, labels = W[order], b[order], labels[order]
    return with_planes(solver, labels, W, b)


def with_planes(solver: str, labels: np.ndarray, W: Vector, b: Vector) -> Any:
    """The estimator that minimises what a solver does, with these planes."""
    loss: Any = "hinge" if solver in HINGE else "squared_hinge"
    model: Any = LogisticClassifier() if solver in LOGISTIC and labels.size == 2 else LinearSVM(loss=loss)
    model.classes_, model.n_features_in_, model.n_iter_ = labels, W.shape[1], 1
    return take_planes(model, W, b, NO_CLAIM)


def planes_in(text: ModelText, n_planes: int) -> tuple[Vector, Vector]:
    """W and b, a row for each plane."""
    d, bias = text.whole("nr_feature", 1), number_of(text.one("bias"), f"{text.name}: bias")
    expected = d + (bias >= 0.0)
    if len(text.body) != expected:
        raise FormatError(f"{text.name}: expected {expected} lines below 'w', found {len(text.body)}.")
    rows = []
    for number, line in text.body:
        words = line.split()
        if len(words) != n_planes:
            raise FormatError(f"{text.name}:{number}: expected {n_planes} numbers, found {len(words)}.")
        rows.append([number_of(word, f"{text.name}:{number}") for word in words])
    W = np.array(rows)
    offsets = bias * W[d] if bias >= 0.0 else np.zeros(n_planes)
    return np.ascontiguousarray(W[:d].T), offsets
