"""The Fisher kernel: rows by how they would change the parameters of a density (Jaakkola and Haussler, 1998).

    U_x = d log p(x) / d theta,     K(x, z) = U_x' M U_z

p is a mixture of Gaussians, sum_k pi_k N(x; m_k, S_k), and theta are, as asked for,

    means        U = r_k S_k^-1 (x - m_k)                          r_k: the probability of component k given x
    weights      U = r_k - pi_k                                    pi_k = exp(a_k) / sum_j exp(a_j), by a_k
    variances    U = r_k (s_j^2 - (S_k^-1)_jj) / 2                 by the diagonal of S_k; s = S_k^-1 (x - m_k)

M is I or the inverse of the empirical information, the mean of U U' over the training rows; in directions in which no
row has a score it is 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular
from scipy.special import log_softmax

from separatrix import rows
from separatrix.errors import DataError, OptionError
from separatrix.kernels.inner_product import Linear
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.rows_of import as_rows
from separatrix.problem.moments import cached_blocks
from separatrix.rows import Vector

PARAMETERS = ("means", "weights", "variances")
METRICS = ("identity", "information")
Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Mixture:
    """Weights, means and covariances of Gaussians, as plain numbers that compare and print.

    Parameters
    ----------
    weights : tuple of k numbers
        Above or at 0, 1 in all.
    means : tuple of k tuples of d numbers
        The centre of each component.
    covariances : tuple of k matrices of shape (d, d), as tuples of tuples
        The covariance of each component.

    Examples
    --------
    >>> from separatrix.kernels import Mixture
    >>> Mixture(weights=(1.0,), means=((0.0,),), covariances=(((4.0,),),)).scores([[2.0]], ("means",)).tolist()
    [[0.5]]
    """

    weights: tuple[float, ...]
    means: Table
    covariances: tuple[Table, ...]

    @classmethod
    def of(cls, model: Any) -> "Mixture":
        """Read a fitted mixture of scikit-learn, or a discriminant of this package, by their attributes."""
        if isinstance(model, cls):
            return model
        if hasattr(model, "moments_"):
            weights, means, covariances = of_classes(model)
        elif all(hasattr(model, name) for name in ("weights_", "means_", "covariances_")):
            means = np.asarray(model.means_, dtype=np.float64)
            weights, covariances = model.weights_, full_covariances(model, *means.shape)
        else:
            raise OptionError(
                "The 'model' parameter must be a fitted GaussianMixture, with weights_, means_ and covariances_, or a "
                f"fitted GaussianDiscriminant. Got {model!r}."
            )
        return cls(tuple(np.asarray(weights, dtype=np.float64).tolist()), table(means), tuple(map(table, covariances)))

    def scores(self, X: Any, parameters: tuple[str, ...]) -> Vector:
        """U_x of each row: the parameters in their order, each for one component after the other."""
        numbers = as_rows(X)
        means, weights = np.array(self.means), np.array(self.weights)
        if rows.n_columns(numbers) != means.shape[1]:
            raise DataError(
                f"The model of the Fisher kernel has {means.shape[1]} features. Got rows of {rows.n_columns(numbers)}."
            )
        inverses = [inverse_factor(np.array(each)) for each in self.covariances]
        parts = [mixture_scores(block, weights, means, inverses, parameters) for _, block in cached_blocks(numbers)]
        return np.concatenate(parts) if parts else np.empty((0, 0))


@dataclass(frozen=True)
class Fisher(Kernel):
    """Rows by their Fisher scores, the gradient of the logarithm of a fitted density.

    Parameters
    ----------
    model : Mixture, or a fitted GaussianMixture, GaussianDiscriminant or FisherDiscriminant
        The density; of a discriminant, that of all classes together, with the pooled covariance. It is kept as a
        `Mixture` of plain numbers.
    parameters : tuple of str
        Which gradients: "means", "weights" and "variances".
    metric : "identity" or "information"
        The matrix M between the scores. `resolved` puts a factor W of it, M = W W', in the place of "information".

    Examples
    --------
    >>> from separatrix.kernels import Fisher, Mixture
    >>> gauss = Mixture(weights=(1.0,), means=((0.0,),), covariances=(((4.0,),),))
    >>> Fisher(gauss).matrix([[2.0], [-4.0]]).tolist()  # x z / 16
    [[0.25, -0.5], [-0.5, 1.0]]
    """

    model: Mixture
    parameters: tuple[str, ...] = ("means",)
    metric: str | Table = "identity"

    def __post_init__(self) -> None:
        given = (self.parameters,) if isinstance(self.parameters, str) else tuple(self.parameters)
        if not given or not set(given) <= set(PARAMETERS):
            raise OptionError(f"The 'parameters' parameter must hold some of {PARAMETERS}. Got {self.parameters!r}.")
        if isinstance(self.metric, str) and self.metric not in METRICS:
            raise OptionError(f"The 'metric' parameter must be one of {METRICS}. Got {self.metric!r}.")
        object.__setattr__(self, "model", Mixture.of(self.model))
        object.__setattr__(self, "parameters", given)

    @property
    def over(self) -> Kernel:
        """The inner product of scores."""
        return Linear()

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> "Fisher":
        """Estimate the information from the training rows."""
        if self.metric != "information":
            return self
        U = self.model.scores(X, self.parameters)
        values, vectors = eigh(U.T @ U / max(1, len(U)))
        kept = values > len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
        return replace(self, metric=table(vectors[:, kept] / np.sqrt(values[kept])))

    def encoder(self, X: Any) -> Callable[[Any], Any]:
        """Return what makes scores of rows."""
        return self.resolved(X).feature_map

    def feature_map(self, X: Any) -> Vector:
        """Compute the scores W'U of each row."""
        kernel = self.resolved(X)
        U = kernel.model.scores(X, kernel.parameters)
        return U if isinstance(kernel.metric, str) else U @ np.array(kernel.metric)


def mixture_scores(
    X: Vector, weights: Vector, means: Vector, inverses: list[Vector], parameters: tuple[str, ...]
) -> Vector:
    """U_x of a block of rows; the inverses are those of the triangular factors L of S = L L'."""
    white = [(X - mean) @ inverse.T for mean, inverse in zip(means, inverses, strict=True)]  # L^-1 (x - m)
    densities = [-0.5 * np.einsum("ij,ij->i", z, z) for z in white]
    with np.errstate(divide="ignore"):
        logs = np.log(weights) + [np.log(np.diag(inverse)).sum() for inverse in inverses]
    r = np.exp(log_softmax(np.column_stack(densities) + logs, axis=1))
    gradients = [z @ inverse for z, inverse in zip(white, inverses, strict=True)]  # S^-1 (x - m)
    found: dict[str, list[Vector]] = {
        "means": [r[:, [k]] * s for k, s in enumerate(gradients)],
        "weights": [r - weights],
        "variances": [
            0.5 * r[:, [k]] * (s**2 - np.einsum("ij,ij->j", inverse, inverse))
            for k, (s, inverse) in enumerate(zip(gradients, inverses, strict=True))
        ],
    }
    return np.column_stack([part for name in parameters for part in found[name]])


def inverse_factor(covariance: Vector) -> Vector:
    """L^-1 for a covariance L L'."""
    try:
        factor = cholesky(covariance, lower=True)
    except LinAlgError:
        raise DataError(
            "The Fisher kernel needs covariances that have an inverse, and one of the model has none. Fit it with "
            "shrinkage, or with a larger reg_covar."
        ) from None
    return solve_triangular(factor, np.eye(len(factor)), lower=True)


def full_covariances(model: Any, k: int, d: int) -> Vector:
    """The covariance matrix of each of k components, whichever of scikit-learn's four types the model has."""
    given = np.asarray(model.covariances_, dtype=np.float64)
    kinds = {(k, d, d): "full", (d, d): "tied", (k, d): "diag", (k,): "spherical"}
    kind = getattr(model, "covariance_type", kinds.get(given.shape))
    if kind == "tied":
        return np.broadcast_to(given, (k, d, d))
    if kind == "diag":
        return np.stack([np.diag(each) for each in given])
    return np.stack([each * np.eye(d) for each in given]) if kind == "spherical" else given


def of_classes(model: Any) -> tuple[Vector, Vector, Vector]:
    """The mixture that a discriminant of this package assumes: a Gaussian for each class, of one covariance."""
    moments, equations = model.moments_, model.certificate_.equations
    seen = moments.weight > 0.0
    within = moments.within / max(1.0, moments.total_weight - moments.n_seen)
    shrinkage, priors = getattr(equations, "shrinkage", 0.0), getattr(equations, "priors", None)
    covariance = (1.0 - shrinkage) * within + shrinkage * np.diag(np.full(len(within), np.trace(within) / len(within)))
    weights = moments.weight / moments.total_weight if priors is None else np.asarray(priors)
    return weights[seen] / weights[seen].sum(), moments.means[seen], np.stack([covariance] * int(seen.sum()))


def table(matrix: Any) -> Table:
    """A matrix as tuples of plain numbers."""
    return tuple(tuple(row) for row in np.asarray(matrix, dtype=np.float64).tolist())
