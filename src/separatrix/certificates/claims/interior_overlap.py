"""The proof in doubles that classes overlap: weights that nearly cancel, so near that weights beside them do exactly.

    a_i = y_i [x_i - c, 1],   u > 0,   r = sum_i u_i a_i,   s = the least singular value of the rows u_i a_i

Every vector is a combination of these rows, r among them: r = -sum_i t_i u_i a_i with ||t|| <= ||r|| / s. Where
||r|| < s all |t_i| are below 1, so that u_i (1 + t_i) > 0 are weights with which the rows cancel exactly, and no plane
separates them strictly (Gordan, 1873). The rows also span the space: a plane with none of them on its wrong side has
all of them on itself (Stiemke, 1915). Columns that are constant on the rows, multiples of the offset's column, are left
out. A lower bound on s comes from a Cholesky factorisation that succeeds (Rump, 2006), with bounds on all rounding.

With several classes each part is about a pair of them, whose planes must then be the same. Where the pairs of all parts
connect all classes, and nothing outside the columns in use varies on any row, all planes are the same: no linear
machine separates them even weakly.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cholesky

from separatrix.certificates.claims.certificate import Printed
from separatrix.errors import DataError, counted
from separatrix.problem import Problem
from separatrix.products import dense_rows, parts, weighted_gram
from separatrix.rows import CSR, Vector, length, read_only, rounding_bound
from separatrix.threads import threads_for

MIN_WEIGHT_RATIO = 1e-100  # of the least weight to the largest: products with it do not underflow
CHOLESKY_SHIFTS = 0.5, 0.1, 1e-2, 1e-4  # parts of the computed least eigenvalue that are tried as its lower bound


@dataclass(frozen=True, eq=False, repr=False)
class InteriorOverlap(Printed):
    """The claim that no plane separates the classes; where `connected` is true, that none does even weakly.

    Attributes
    ----------
    pairs : ndarray of int of shape (p, 2)
        The two classes that each part is about.
    starts : ndarray of int
        Where each part begins among the rows, and where the last ends.
    index : ndarray of int
        The rows of all parts, one part after the other.
    weights : ndarray of float
        A positive weight for each of them.
    connected : bool
        Whether the parts also prove that no plane separates weakly.
    stated : float
        The error when the claim was made.
    n_rows, rivals : int
        Number of rows, and number of classes less one.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import InteriorOverlap
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]))
    >>> InteriorOverlap.issue(problem, [((0, 1), np.arange(4), np.array([1.0, 2.0, 2.0, 1.0]))])
    InteriorOverlap(not even weakly, 4 of 4 rows, stated=0)
    >>> InteriorOverlap.issue(problem, [((0, 1), np.arange(2), np.ones(2))]).proof  # 0 is not 1
    False
    """

    pairs: np.ndarray
    starts: np.ndarray
    index: np.ndarray
    weights: Vector
    connected: bool
    stated: float
    n_rows: int
    rivals: int

    about_model: ClassVar[bool] = False
    equal_lengths: ClassVar[tuple[str, ...]] = ("index", "weights")
    explanation: ClassVar[str] = (
        "Mixtures of some rows of one class and of another are the same point but for rounding, and the rows lie "
        "around it in all directions, so that mixtures a little beside these are the very same point. A plane would "
        "need that point on both of its sides, so there is no such plane. All rounding errors were bounded."
    )

    @classmethod
    def issue(cls, problem: Problem, parts: list[tuple[tuple[int, int], np.ndarray, Vector]]) -> "InteriorOverlap":
        """Make the claim from parts: two classes, rows of them, and weights."""
        pairs = np.array([part[0] for part in parts], dtype=np.int64).reshape(-1, 2)
        starts = np.append(0, np.cumsum([part[1].size for part in parts])).astype(np.int64)
        index, weights = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
        arrays = [read_only(array) for array in (pairs, starts, index.astype(np.int64), weights.astype(np.float64))]
        pairs, starts, index, weights = arrays
        claim = cls(pairs, starts, index, weights, False, np.inf, problem.n_rows, problem.n_classes - 1)
        return claim.restated(problem)

    def restated(self, problem: Problem) -> "InteriorOverlap":
        """The claim with its error, and what it proves of weak separation, recomputed from the problem."""
        connected = self.connects(problem)
        claim = InteriorOverlap(
            self.pairs, self.starts, self.index, self.weights, connected, np.inf, self.n_rows, self.rivals
        )
        object.__setattr__(claim, "stated", claim.error(problem))
        return claim

    @property
    def proof(self) -> bool:
        """Whether the claim was proved when it was made."""
        return self.stated == 0.0

    @property
    def not_even_weakly(self) -> bool:
        """Whether the claim is that no plane separates even weakly."""
        return self.connected

    @property
    def rows(self) -> np.ndarray:
        """The rows that prove that no plane separates strictly."""
        return np.unique(self.index)

    def part(self, k: int) -> slice:
        """The entries of a part."""
        return slice(int(self.starts[k]), int(self.starts[k + 1]))

    def error(self, problem: Problem) -> float:
        """0.0 where the claim is proved, else the largest ||r|| / s of its parts; infinite where it fails otherwise."""
        if problem.n_classes - 1 != self.rivals or problem.n_rows != self.n_rows:
            raise DataError(
                f"The certificate is for {self.n_rows:,} rows of {self.rivals + 1} classes, but the problem has "
                f"{problem.shape} and {problem.n_classes} classes. Check it with the data that the verdict is for."
            )
        if self.connected and not self.connects(problem):
            return np.inf
        ratios = [self.ratio(problem, k) for k in range(len(self.pairs))]
        worst = max(ratios, default=np.inf)
        return 0.0 if worst < 1.0 else float(worst)

    def ratio(self, problem: Problem, k: int) -> float:
        """An upper bound on ||r|| / s of a part; infinite where its rows or weights are not what they must be."""
        index, weights, (own, rival) = self.index[self.part(k)], self.weights[self.part(k)], self.pairs[k].tolist()
        y = problem.y[index]
        if own == rival or not index.size or not ((y == own) | (y == rival)).all() or np.unique(index).size < y.size:
            return np.inf
        if not (np.isfinite(weights).all() and weights.min() > MIN_WEIGHT_RATIO * weights.max()):
            return np.inf
        X = dense_rows(problem.X, index)
        columns = varying_columns(X, problem.fit_intercept)
        return cancellation_ratio(X[:, columns], np.where(y == own, 1.0, -1.0), weights, problem.fit_intercept)

    def connects(self, problem: Problem) -> bool:
        """Whether the parts make the planes of all classes the same on every row of the problem."""
        component = np.arange(problem.n_classes)
        for k, (own, rival) in enumerate(self.pairs.tolist()):
            if spans_all(problem, self.index[self.part(k)]):
                component[component == component[own]] = component[rival]
        return bool((component == component[0]).all())

    def mixtures(self, problem: Problem) -> list[tuple[int, list[tuple[int, float]]]]:
        """Each of two classes with its rows and their convex weights; these add up to 1 where there is an offset."""
        y = problem.y[self.index]
        sums = [float(self.weights[y == c].sum()) for c in (0, 1)]
        totals = sums if problem.fit_intercept else [max(sums)] * 2
        rows = [(self.index[y == c].tolist(), (self.weights[y == c] / totals[c]).tolist()) for c in (0, 1)]
        return [(c, list(zip(*rows[c], strict=True))) for c in (0, 1)]

    def __repr__(self) -> str:
        kind = "not even weakly" if self.connected else "not strictly"
        return f"InteriorOverlap({kind}, {self.rows.size} of {self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        if not self.proof:
            return f"InteriorOverlap: not proved\n  the weights would change by {self.stated:.3g} of themselves"
        return "\n".join(
            [
                "InteriorOverlap: sum u_i a_i = 0 for some u > 0, where a plane would need <a_i, v> > 0",
                f"  rows         {self.rows.size:,} of {self.n_rows:,}, of {counted(self.pairs.size // 2, 'pair')}",
                "  checked      with bounds on all rounding",
                f"No plane separates the classes{', not even weakly' if self.connected else ''}.",
            ]
        )


def varying_columns(X: Vector, fit_intercept: bool) -> np.ndarray:
    """The columns that are not constant on some rows, or without an offset not zero."""
    first = X[:1] if fit_intercept else np.zeros((1, X.shape[1]))
    return np.flatnonzero((first != X).any(axis=0))


def spans_all(problem: Problem, index: np.ndarray) -> bool:
    """Whether the columns that are constant on some rows have the same values on all rows of the problem."""
    X = dense_rows(problem.X, index)
    still = np.setdiff1d(np.arange(problem.n_features), varying_columns(X, problem.fit_intercept))
    values = X[0, still] if problem.fit_intercept else np.zeros(still.size)
    if isinstance(problem.X, CSR):
        return is_constant_in_compressed_rows(problem.X, still, values)
    return not still.size or all((part[:, still] == values).all() for _, part in parts(problem.X))


def is_constant_in_compressed_rows(X: CSR, columns: np.ndarray, values: Vector) -> bool:
    """Whether columns of compressed rows have the same value on all rows, from their stored entries alone."""
    wanted = np.full(X.n_columns, np.nan)
    wanted[columns] = values
    there = np.flatnonzero(~np.isnan(wanted[X.indices]))
    counts = np.bincount(X.indices[there], minlength=X.n_columns)[columns]
    full = (counts == X.indptr.size - 1) | (values == 0.0)
    return bool(full.all() and (X.data[there] == wanted[X.indices[there]]).all())


@threads_for(0.0)  # the matrix is of moderate size
@np.errstate(all="ignore")  # what is not a number proves nothing
def cancellation_ratio(X: Vector, signs: Vector, weights: Vector, fit_intercept: bool) -> float:
    """An upper bound on ||r|| / s for the rows y_i [x_i - c, 1] with weights, whatever was rounded."""
    centre = weights @ X / weights.sum() if fit_intercept else np.zeros(X.shape[1])
    Z = X - centre
    unit = np.exp2(np.rint(np.log2(np.sqrt(np.mean(Z**2, axis=0)))))  # a power of two divides without rounding
    Z /= np.where(np.isfinite(unit) & (unit > 0.0), unit, 1.0)
    if fit_intercept:
        Z = np.column_stack([Z, np.ones(len(Z))])
    Z *= (signs * (weights / weights.max()))[:, None]
    m, width = Z.shape
    each = 4.0 * rounding_bound(1)  # of an entry of Z, relative to it: a difference, a product, the weight
    sizes = np.abs(Z).sum(axis=0)
    residual = length(np.abs(Z.sum(axis=0)) + (rounding_bound(m) + each) * sizes) * (1.0 + rounding_bound(width))
    square = float(np.vdot(Z, Z)) * (1.0 + rounding_bound(Z.size))
    lost = rounding_bound(m) * square + 2.0 * rounding_bound(width + 2) * square
    least = least_eigenvalue(weighted_gram(Z, np.ones(m)), lost) if m >= width else 0.0
    s = np.sqrt(least) * (1.0 - 1e-15) - each * np.sqrt(square) if least > 0.0 else 0.0
    return float(residual / s) * (1.0 + 1e-15) if s > 0.0 else np.inf


def least_eigenvalue(G: Vector, lost: float) -> float:
    """A lower bound on the least eigenvalue of the matrix that G is but for rounding errors of norm `lost`; or 0.

    A Cholesky factorisation of G - t I that succeeds proves that no eigenvalue of G is below t, but for its rounding.
    """
    if not np.isfinite(G).all():
        return 0.0
    estimate = float(np.linalg.eigvalsh(G)[0])
    for part in CHOLESKY_SHIFTS:
        shift = part * estimate
        if not shift > lost:
            break
        try:
            cholesky(G - shift * np.eye(len(G)), lower=True, check_finite=False)
            return float(shift - lost) * (1.0 - 1e-15)
        except np.linalg.LinAlgError:
            continue
    return 0.0
