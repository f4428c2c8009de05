"""Data with known answers: logic gates, Gaussian pairs, a planted margin; and scikit-learn's small data sets.

Labels of generated data are -1 and +1. What is random takes a `seed` for `numpy.random.default_rng`.

The planted margin: a unit vector u = (w, b) and rows x_i with y_i = -1 or +1 such that

    min_i  y_i <u, [x_i, 1]>  =  gamma,        max_i  ||[x_i, 1]||  =  R,        gamma / R  =  ratio

so that a perceptron started at zero makes at most (R / gamma)^2 mistakes (Novikoff, 1962).
"""

from typing import Any

import numpy as np
from scipy.optimize import brentq

from separatrix.data.table import Table
from separatrix.errors import OptionError

SQUARE = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0))
GATES = {
    "AND": (-1, -1, -1, 1),
    "OR": (-1, 1, 1, 1),
    "NAND": (1, 1, 1, -1),
    "NOR": (1, -1, -1, -1),
    "XOR": (-1, 1, 1, -1),
    "XNOR": (1, -1, -1, 1),
    "NOT": (1, -1),
}
BUILTIN_TARGETS = {"iris": "species", "wine": "cultivar", "breast_cancer": "diagnosis", "digits": "digit"}
MAX_BIAS = 0.25  # of a planted plane of length 1
MAX_MARGIN_TO_RADIUS = 0.5
MIN_SLACK = 1e-3  # of rows beyond the planted margin


def logic_gate(name: str) -> Table:
    """Return the truth table of a logic gate, with -1 for false and +1 for true.

    AND, OR, NAND, NOR, XOR and XNOR, in upper or lower case, are over the points (-1, -1), (-1, 1), (1, -1), (1, 1) in
    this order, and NOT is over -1, 1.

    Examples
    --------
    >>> gate = logic_gate("XOR")
    >>> gate.X.tolist(), gate.labels.tolist()
    ([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    gate = str(name).upper()
    if gate not in GATES:
        raise OptionError(f"name must be one of {', '.join(GATES)}. Got {name!r}.")
    points = np.array([[-1.0], [1.0]] if gate == "NOT" else SQUARE)
    return _table(points, np.array(GATES[gate]))


def gaussian_pair(offset: float, n_rows: int = 200, seed: Any = None) -> Table:
    """Draw two Gaussian classes in the plane, `2 * offset` apart, both with unit covariance.

    The first half is N((-offset, 0), I) with label -1, the second half, which has one row more of an odd number,
    N((offset, 0), I) with label +1. The best rule is the sign of the first feature: it errs with probability
    Phi(-offset).

    Examples
    --------
    >>> table = gaussian_pair(1.0, n_rows=100_000, seed=0)
    >>> round(float(np.mean(np.sign(table.X[:, 0]) != table.labels)), 2)  # Phi(-1) = 0.1587
    0.16
    """
    _check_at_least(n_rows, 2, "n_rows")
    labels = np.where(np.arange(n_rows) < n_rows // 2, -1, 1)
    X = np.random.default_rng(seed).standard_normal((n_rows, 2))
    X[:, 0] += offset * labels
    return _table(X, labels)


def separable_pair(n_per_class: int = 50, seed: Any = None) -> Table:
    """Draw `overlapping_pair` again until each class is on its side of x1 + x2 = 1; label +1 comes first.

    Examples
    --------
    >>> table = separable_pair(seed=0)
    >>> bool(np.all(table.labels * (table.X.sum(axis=1) - 1) > 0))
    True
    """
    _check_at_least(n_per_class, 1, "n_per_class")
    random = np.random.default_rng(seed)
    table = overlapping_pair(n_per_class, random)
    while (wrong := table.labels * (table.X.sum(axis=1) - 1) <= 0).any():
        table.X[wrong] = overlapping_pair(n_per_class, random).X[wrong]
    return table


def overlapping_pair(n_per_class: int = 100, seed: Any = None) -> Table:
    """Draw two Gaussian classes with means (1, 1), label +1, and (0, 0), label -1, and covariance 0.2 I.

    The best rule is the side of x1 + x2 = 1; it errs with probability Phi(-sqrt(2.5)), or 5.7 in a hundred. Label +1
    comes first.

    Examples
    --------
    >>> table = overlapping_pair(50_000, seed=0)
    >>> round(float(np.mean(table.labels * (table.X.sum(axis=1) - 1) <= 0)), 2)
    0.06
    """
    _check_at_least(n_per_class, 1, "n_per_class")
    labels = np.repeat([1, -1], n_per_class)
    X = np.sqrt(0.2) * np.random.default_rng(seed).standard_normal((2 * n_per_class, 2))
    X[labels == 1] += 1.0
    return _table(X, labels)


def planted_plane(n_features: int, seed: Any = None) -> np.ndarray:
    """Return the unit vector (w, b) that `planted_margin` hides for the same number of features and seed.

    Examples
    --------
    >>> plane = planted_plane(3, seed=0)
    >>> plane.shape, round(float(plane @ plane), 12)
    ((4,), 1.0)
    """
    _check_at_least(n_features, 1, "n_features")
    random = np.random.default_rng(seed)
    direction = random.standard_normal(n_features)
    bias = random.uniform(-MAX_BIAS, MAX_BIAS)
    return np.append(np.sqrt(1 - bias**2) * direction / np.linalg.norm(direction), bias)


def planted_margin(n_rows: int, n_features: int, ratio: float, seed: Any = None) -> tuple[Table, float]:
    """Make separable data of which the margin, relative to the radius, is known.

    With u the unit vector `planted_plane(n_features, seed)`, the smallest y <u, [x, 1]> is gamma in each of
    the two classes and gamma / max ||[x, 1]|| is `ratio`. So gamma is a lower bound on the best margin of a
    plane through the origin of the rows [x, 1]; another plane may have a larger one. Measured in x alone
    the planted plane *is* the best: the two rows at the margin face each other along w, gamma / ||w|| from
    the plane.

    There are as many labels -1 as +1 (one more +1 if the number is odd), in random order. `ratio` is above 0 and at
    most 0.5; from 1e-4 on gamma is exact to 1e-12, below that the rounding of the rows themselves shows.

    Examples
    --------
    >>> table, gamma = planted_margin(100, 5, ratio=0.1, seed=0)
    >>> radius = np.sqrt((table.X**2).sum(axis=1).max() + 1)
    >>> round(float(gamma / radius), 9)
    0.1
    """
    _check_at_least(n_rows, 2, "n_rows")
    if not 0 < ratio <= MAX_MARGIN_TO_RADIUS:
        raise OptionError(f"ratio must be above 0 and at most {MAX_MARGIN_TO_RADIUS}. Got {ratio!r}.")
    random = np.random.default_rng(seed)
    plane = planted_plane(n_features, random)
    length, bias = float(np.linalg.norm(plane[:-1])), float(plane[-1])
    normal = plane[:-1] / length
    labels = random.permutation(np.where(np.arange(n_rows) < n_rows // 2, -1, 1))
    slack = MIN_SLACK + np.abs(random.standard_normal(n_rows))
    sideways = random.standard_normal((n_rows, n_features))
    sideways -= np.outer(sideways @ normal, normal)
    # Rows at the margin have no part along the plane: cancellation would cost them the digits promised for gamma.
    at_margin = [int(np.argmax(labels == -1)), int(np.argmax(labels == 1))]
    slack[at_margin], sideways[at_margin] = 0.0, 0.0
    gamma = _margin_of_ratio(ratio, labels * slack - bias, labels, (sideways**2).sum(axis=1) + 1, length)
    along = (labels * (gamma + slack) - bias) / length
    return _table(np.outer(along, normal) + sideways, labels), gamma


def _margin_of_ratio(ratio: float, offsets: np.ndarray, labels: np.ndarray, others: np.ndarray, length: float) -> float:
    """Solve gamma = ratio * R(gamma), where R^2 is the largest ((offset + y gamma) / length)^2 + other.

    There is a solution below the bound that R <= sqrt(other) + (|offset| + gamma) / length gives.
    """

    def excess(gamma: float) -> float:
        return float(gamma - ratio * np.sqrt((((offsets + labels * gamma) / length) ** 2 + others).max()))

    bound = ratio * (np.sqrt(others.max()) + np.abs(offsets).max() / length) / (1 - ratio / length)
    return float(brentq(excess, 0.0, bound * (1 + 1e-9), xtol=1e-300, rtol=1e-15))


def builtin(name: str) -> Table:
    """Return scikit-learn's iris, wine, breast_cancer or digits, with the names of the classes as labels.

    Examples
    --------
    >>> builtin("iris")
    Table(150 rows x 4 features, 3 classes, dense)
    """
    if name not in BUILTIN_TARGETS:
        raise OptionError(f"name must be one of {', '.join(BUILTIN_TARGETS)}. Got {name!r}.")
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{name}")()
    labels = np.asarray(bunch.target_names).astype(np.str_)[bunch.target]
    features = tuple(str(feature) for feature in bunch.feature_names)
    return Table(np.asarray(bunch.data, dtype=np.float64), labels, features, BUILTIN_TARGETS[name])


def _table(X: np.ndarray, labels: np.ndarray) -> Table:
    return Table(X, labels, tuple(f"x{j + 1}" for j in range(X.shape[1])))


def _check_at_least(number: int, least: int, name: str) -> None:
    if number < least:
        raise OptionError(f"{name} must be at least {least}. Got {number}.")
