"""Model files of LIBSVM: expansions over support rows, one for each pair of classes (Chang and Lin, 2011).

svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 10
rho r_12 r_13 r_23              g_ij(x) = sum_j c_j K(x, x_j) - rho_ij, positive for the first class of the pair
label 1 2 3
nr_sv 3 3 4
SV
c c 1:0.5 3:-2                  support rows in order of their class, coefficients in the order of pairs
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from separatrix.errors import FormatError, OptionError
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.kernel.kernel_regressor import KernelRegressor
from separatrix.estimators.kernel.kernel_svm import KernelSVM
from separatrix.estimators.kernel.kernel_svr import KernelSVR
from separatrix.interchange.libsvm.fields import (
    ModelText,
    entries,
    number_of,
    read_text,
    text_of,
    whole_labels,
    whole_of,
    written,
)
from separatrix.interchange.taken_over import take_expansion
from separatrix.kernels import RBF, Kernel, Linear, Polynomial, Sigmoid
from separatrix.rows import Vector

PROGRAM = ("LIBSVM", "svm_type")
NO_CLAIM = "it was read from a file of LIBSVM; nothing is known of its training rows"
KERNELS: Mapping[str, Any] = {"linear": Linear, "polynomial": Polynomial, "rbf": RBF, "sigmoid": Sigmoid}
MAX_INDEX = 2**31 - 1


def write_libsvm(model: Any, path: Any) -> Path:
    """Write a fitted kernel machine as a model file of LIBSVM.

    Parameters
    ----------
    model : fitted KernelSVM, KernelNuSVM, KernelPerceptron, KernelSVR or KernelNuSVR
        With a linear, polynomial, RBF or sigmoid kernel. Labels that are no numbers are written as their places in
        `classes_`, from 0.
    path : str or Path
        The file.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import KernelSVM, read_libsvm, write_libsvm
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_libsvm(KernelSVM(C=10.0, gamma=1.0).fit(X, y), pathlib.Path(folder, "model"))
    ...     print(path.read_text().splitlines()[:3], read_libsvm(path).predict(X))
    ['svm_type c_svc', 'kernel_type rbf', 'gamma 1'] [0 1 1 0]
    """
    check_is_fitted(model)
    if not isinstance(model, (KernelClassifier, KernelRegressor)):
        raise OptionError(f"{type(model).__name__} is no kernel machine that a file of LIBSVM stands for.")
    return written(lines_of(model, kernel_lines(model.kernel_)), path)


def kernel_lines(kernel: Kernel) -> list[str]:
    """The kernel and its parameters."""
    name = next((name for name, kind in KERNELS.items() if type(kernel) is kind), None)
    if name is None:
        raise OptionError(f"LIBSVM does not know the kernel {kernel!r}. Use a linear, polynomial, RBF or sigmoid one.")
    values: Any = kernel
    found = [f"kernel_type {name}"]
    if name == "polynomial":
        found.append(f"degree {values.degree}")
    if name != "linear":
        found.append(f"gamma {text_of(values.gamma)}")
    if name in ("polynomial", "sigmoid"):
        found.append(f"coef0 {text_of(values.coef0)}")
    return found


def lines_of(model: Any, kernel: list[str]) -> Iterator[str]:
    """The lines of a file."""
    coefficients, offsets = model.dual_coef_, np.atleast_1d(model.intercept_)
    if isinstance(model, KernelRegressor):
        kind, labels, rho = "epsilon_svr", None, -offsets
    else:
        kind = "c_svc"  # for nu as well: LIBSVM's Python interface has room for one pair only where it is nu_svc
        labels, rho = whole_labels(model.classes_, PROGRAM[0]), -offsets
        if len(labels) == 2:  # of which the first is positive there
            coefficients, rho = -coefficients, offsets
    yield f"svm_type {kind}"
    yield from kernel
    yield f"nr_class {2 if labels is None else len(labels)}"
    yield f"total_sv {coefficients.shape[1]}"
    yield " ".join(["rho", *map(text_of, rho)])
    if labels is not None:
        yield " ".join(["label", *map(str, labels)])
        yield " ".join(["nr_sv", *map(str, model.n_support_.tolist())])
    yield "SV"
    rows = sparse.csr_array(model.support_vectors_)
    for j, own in enumerate(coefficients.T):
        part = slice(rows.indptr[j], rows.indptr[j + 1])
        pairs = zip(rows.indices[part] + 1, rows.data[part], strict=True)
        yield " ".join([*map(text_of, own), *(f"{index}:{text_of(value)}" for index, value in pairs)]) + " "


def read_libsvm(path: Any, *, n_features: int | None = None) -> Any:
    r"""Read a model file of LIBSVM as the estimator of this package that predicts the same.

    Parameters
    ----------
    path : str or Path
        The file.
    n_features : int or None
        How many columns rows have, which the file does not say; None: as many as its support rows need.

    Returns
    -------
    KernelSVM or KernelSVR
        Fitted, with a certificate that proves nothing: the file does not say which rows it was made of.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import read_libsvm
    >>> lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0.5", "label 9 4"]
    >>> lines += ["nr_sv 1 1", "SV", "1 1:1", "-1 2:1"]  # 9 where x_1 - x_2 > 0.5
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model")
    ...     _ = path.write_text("\n".join(lines))
    ...     read_libsvm(path).predict([[1.0, 0.0], [0.4, 0.0]]).tolist()
    [9, 4]
    """
    text = read_text(path, PROGRAM, "SV")
    kind = text.one("svm_type")
    if kind not in ("c_svc", "nu_svc", "epsilon_svr", "nu_svr"):
        raise FormatError(f"{text.name}: models of the kind {kind!r} are not read. Those of classes and numbers are.")
    kernel, k = kernel_in(text), text.whole("nr_class", 2)
    classes = kind.endswith("svc")
    coefficients, rows = support_in(text, k - 1 if classes else 1, n_features)
    if not classes:
        model: Any = prepared(KernelSVR(kernel), rows)
        offsets = -text.numbers("rho", 1)
        return take_expansion(model, kernel, rows, coefficients, offsets, [coefficients.shape[1]], NO_CLAIM)
    labels = np.array([whole_of(each, f"{text.name}: label", -(2**31)) for each in text.header.get("label", [])])
    n_support = text.numbers("nr_sv", k).astype(int)
    if labels.size != k or np.unique(labels).size != k or n_support.sum() != coefficients.shape[1]:
        raise FormatError(f"{text.name}: labels, nr_sv and support rows do not belong together.")
    ordered = in_order(labels, n_support, coefficients, -text.numbers("rho", k * (k - 1) // 2))
    order, coefficients, offsets = ordered
    model = prepared(KernelSVM(kernel), rows[order])
    model.classes_ = np.sort(labels)
    n_support = n_support[np.argsort(labels)]
    return take_expansion(model, kernel, model.support_vectors_, coefficients, offsets, n_support, NO_CLAIM)


def prepared(model: Any, rows: Any) -> Any:
    """An estimator with the attributes that all kernel machines have."""
    model.n_features_in_, model.n_iter_ = rows.shape[1], 1
    model.support_ = np.arange(rows.shape[0], dtype=np.int32)
    model.support_vectors_ = rows
    for name in ("outside_rate_", "support_rate_"):
        if name in type(model)._fitted_attributes or isinstance(model, KernelRegressor):
            setattr(model, name, 0.0)
    return model


def in_order(
    labels: np.ndarray, n_support: np.ndarray, coefficients: Vector, offsets: Vector
) -> tuple[np.ndarray, Vector, Vector]:
    """The order of support rows by their labels, and coefficients and offsets for it, with signs as in scikit-learn.

    A file names labels in the order in which the training rows had them; the first of a pair is the positive one.
    """
    k, codes = labels.size, np.repeat(np.arange(labels.size), n_support)
    rank = np.argsort(np.argsort(labels))
    order = np.argsort(rank[codes], kind="stable")
    into, moved = np.zeros_like(coefficients), np.zeros_like(offsets)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    place = {pair: number for number, pair in enumerate(pairs)}
    for number, (i, j) in enumerate(pairs):
        low, high = sorted((int(rank[i]), int(rank[j])))
        sign = 1.0 if rank[i] < rank[j] else -1.0
        moved[place[low, high]] = sign * offsets[number]
        for own, other in ((i, j), (j, i)):
            theirs = coefficients[other - (other > own), codes == own]
            row = int(rank[other]) - int(rank[other] > rank[own])
            into[row, codes == own] = sign * theirs
    into = into[:, order]
    return (order, -into, -moved) if k == 2 else (order, into, moved)


def kernel_in(text: ModelText) -> Kernel:
    """The kernel, with its parameters."""
    name = text.one("kernel_type")
    if name not in KERNELS:
        raise FormatError(f"{text.name}: the kernel {name!r} is not read. These are: {', '.join(KERNELS)}.")
    known = {
        each: number_of(text.one(each), f"{text.name}: {each}") for each in ("gamma", "coef0") if each in text.header
    }
    if name == "linear":
        return Linear()
    if name == "rbf":
        return RBF(known["gamma"])
    if name == "sigmoid":
        return Sigmoid(known["gamma"], known.get("coef0", 0.0))
    return Polynomial(text.whole("degree", 1), known.get("coef0", 0.0), known["gamma"])


def support_in(text: ModelText, n_values: int, n_features: int | None) -> tuple[Vector, Any]:
    """Coefficients, a column for each support row, and these rows."""
    found = [entries(text, line, n_values) for line in text.body]
    if len(found) != text.whole("total_sv", 0):
        raise FormatError(f"{text.name}: expected {text.one('total_sv')} support rows, found {len(found)}.")
    largest = max((index for _, pairs in found for index, _ in pairs), default=1)
    d = largest if n_features is None else n_features
    if largest > min(d, MAX_INDEX) or any(index < 1 for _, pairs in found for index, _ in pairs):
        raise FormatError(f"{text.name}: indices must be from 1 to {d}. Got one of {largest}.")
    rows = sparse.lil_array((len(found), d))
    for j, (_, pairs) in enumerate(found):
        for index, value in pairs:
            rows[j, index - 1] = value
    packed = rows.tocsr()
    dense = packed.nnz * 2 > packed.shape[0] * d
    return np.array([values for values, _ in found]).reshape(
        len(found), n_values
    ).T, packed.toarray() if dense else packed
