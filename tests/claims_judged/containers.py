"""Whether every container of the same numbers gets the same verdict and the same predictions."""

import os
import tempfile
from math import inf

import numpy as np
from scipy import sparse

from separatrix import load, save, verify


def containers(X):
    """Containers that hold the same numbers, by name."""
    found = {
        "csr": sparse.csr_array(X), "csc": sparse.csc_matrix(X), "fortran": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=1)[:, ::2],
    }  # fmt: skip
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    if np.array_equal(single.astype(float), X):
        found["float32"] = single
        found["float32 csr"] = sparse.csr_array(single)
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(np.ascontiguousarray(X).tobytes())
    found["memory map"] = np.memmap(file.name, dtype=float, mode="r", shape=X.shape)
    os.unlink(file.name)
    return found


def judged_containers(model, data):
    """Disagreements in verification, and in predictions: two lists of sentences."""
    checks, predictions = [], []
    claim = model.certificate_
    first, expected = verify(model, data.X, data.y, data.weights), claim.stated < inf
    if first.holds != expected:
        checks.append(f"on its own data holds={first.holds}, error {first.error!r}, stated {claim.stated!r}")
    for name, X in containers(data.X).items():
        check = verify(model, X, data.y, data.weights)
        if (check.holds, check.proved) != (first.holds, first.proved):
            checks.append(f"{name}: {tuple(check)} in place of {tuple(first)}")
    for rows in (data.X, between(data.X)):
        predictions += judged_predictions(model, rows)
    return checks, predictions


def between(X):
    """The middles of neighbouring rows, where planes halfway between two rows have ties."""
    return 0.5 * X[:-1] + 0.5 * X[1:]


def judged_predictions(model, rows):
    """Containers whose predictions differ from those of the plain array."""
    answers = model.predict(rows)
    others = {name: model.predict(X) for name, X in containers(rows).items()}
    return [
        f"{name}: {other.tolist()} in place of {answers.tolist()}"
        for name, other in others.items()
        if differs(model, rows, answers, other)
    ]


def differs(model, X, one, other):
    """Whether predictions differ: of numbers by more than rounding can explain."""
    if hasattr(model, "classes_") or one.dtype.kind != "f":
        return not np.array_equal(one, other)
    with np.errstate(over="ignore", invalid="ignore"):
        if hasattr(model, "dual_coef_") and hasattr(model, "kernel_"):
            return bool((np.abs(one - other) > 1e-12 * kernel_terms(model, X) + 1e-300).any())
        terms = np.abs(X) @ np.abs(np.ravel(model.coef_)) + abs(float(np.ravel(model.intercept_)[0]))
        return bool((np.abs(one - other) > 1e-15 * (X.shape[1] + 4) * terms + 1e-300).any())


def kernel_terms(model, X):
    """What no sum over support rows exceeds: sum_j |c_j| sqrt(K(x, x) K(x_j, x_j)), and the offset."""
    own, others = (np.sqrt(np.abs(model.kernel_.diagonal(rows))) for rows in (model.support_vectors_, X))
    return others * float(np.abs(np.ravel(model.dual_coef_)) @ own) + abs(float(np.ravel(model.intercept_)[0]))


def judged_file(model, data):
    """Whether a stored model makes the claims that it was stored with."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        save(model, path)
        again = load(path)
    one, other = (verify(each, data.X, data.y, data.weights) for each in (model, again))
    if tuple(one) != tuple(other) and one.error == one.error:
        return [f"stored: {tuple(other)} in place of {tuple(one)}"]
    return []
