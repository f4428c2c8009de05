"""Whether a matrix of kernel values is positive semi-definite, as those of an inner product are (Mercer, 1909).

    c'K c >= 0   for every vector c

The smallest eigenvalue tells; rounding leaves it unknown by about n eps ||K||. Where it is below 0 by more, its vector
is the witness: c'K c is computed again, and is below 0 by more than the bound on its rounding error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from separatrix.errors import DataError
from separatrix.rows import Vector, read_only, rounding_bound

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class PSDDefect:
    """What `psd_defect` found.

    Attributes
    ----------
    holds : bool
        Whether c'K c >= 0 for every c, as far as rounding allows to say.
    smallest, largest : float
        Eigenvalues, each within `bound` of the true one.
    bound : float
        n eps ||K||.
    defect : float
        By how much it fails: -smallest / ||K||, 0 where it holds; 1 at most.
    witness : ndarray or None
        A vector c of length 1 with c'K c < 0, where it fails.
    value : float
        Upper bound of that c'K c, rounding included; 0 where it holds.

    Examples
    --------
    >>> from separatrix import psd_defect
    >>> print(psd_defect([[1.0, 2.0], [2.0, 1.0]]))
    Mercer's condition fails: c'Kc <= -1 for the witness c; the smallest eigenvalue is -1, a part of 0.333 of ||K||.
    """

    holds: bool
    smallest: float
    largest: float
    bound: float
    defect: float
    witness: Vector | None
    value: float

    def __str__(self) -> str:
        if self.witness is None:
            size = f"{self.smallest:.3g}, to within {self.bound:.1g}"
            return f"Mercer's condition holds on this sample: the smallest eigenvalue is {size}."
        return (
            f"Mercer's condition fails: c'Kc <= {self.value:.3g} for the witness c; the smallest eigenvalue is "
            f"{self.smallest:.3g}, a part of {self.defect:.3g} of ||K||."
        )


def psd_defect(K: Any) -> PSDDefect:
    """Tell whether a kernel satisfies Mercer's condition on a sample, and by how much it fails.

    Parameters
    ----------
    K : array of shape (n, n)
        Kernel values of all pairs of rows, symmetric.

    Returns
    -------
    PSDDefect
        The verdict, the eigenvalues, and on failure a witness.

    Examples
    --------
    >>> from separatrix import psd_defect
    >>> from separatrix.kernels import RBF, Sigmoid
    >>> X = [[0.5], [1.0], [2.0]]
    >>> psd_defect(RBF(gamma=1.0).matrix(X)).holds
    True
    >>> found = psd_defect(Sigmoid(gamma=1.0, coef0=-1.0).matrix(X))
    >>> found.holds, float(found.witness @ Sigmoid(gamma=1.0, coef0=-1.0).matrix(X) @ found.witness) < 0.0
    (False, True)
    """
    values, exponent = symmetric_values(K)
    eigenvalues, vectors = eigh(values) if values.any() else (np.zeros(1), values)
    norm = float(np.abs(eigenvalues).max())
    bound, unit = len(values) * EPS * norm, 2.0**exponent
    c, smallest, largest = vectors[:, 0], float(eigenvalues[0]), float(eigenvalues[-1])
    value = float(c @ values @ c) + rounding_bound(2 * len(values) + 1) * float(np.abs(c) @ np.abs(values) @ np.abs(c))
    if smallest >= -bound or value >= 0.0:
        return PSDDefect(True, smallest * unit, largest * unit, bound * unit, 0.0, None, 0.0)
    defect = -smallest / norm
    return PSDDefect(False, smallest * unit, largest * unit, bound * unit, defect, read_only(c), value * unit)


def symmetric_values(K: Any) -> tuple[Vector, int]:
    """A matrix that differs from its transpose by rounding at most, made symmetric, over 2^e, and e.

    With e all entries are below 1, which keeps their products from overflowing and rounds nothing.
    """
    try:
        values = np.array(K, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"A kernel matrix must hold numbers. Got {K!r}.") from None
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
        raise DataError(f"A kernel matrix must be square, n x n. Got the shape {values.shape}.")
    if not np.isfinite(values).all():
        i, j = (int(each) for each in np.argwhere(~np.isfinite(values))[0])
        raise DataError(f"A kernel matrix must hold finite numbers. Got {values[i, j]} for rows {i} and {j}.")
    exponent = min(int(np.frexp(np.abs(values).max())[1]), 1023)
    scaled = np.ldexp(values, -exponent)
    apart = np.abs(scaled - scaled.T)
    if apart.max() > max(8, len(values)) * EPS:
        i, j = (int(each) for each in np.unravel_index(apart.argmax(), apart.shape))
        raise DataError(
            f"A kernel matrix must be symmetric. Got {values[i, j]} for rows {i} and {j}, but {values[j, i]} for {j} "
            f"and {i}. Use (K + K.T) / 2 if they are meant to be equal."
        )
    return 0.5 * (scaled + scaled.T), exponent
