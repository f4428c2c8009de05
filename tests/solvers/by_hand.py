"""The rules as plain loops, written from their formulas and from nothing of the library, to compare with."""

import numpy as np
from scipy import sparse

CLASS_SLOPES = {
    "perceptron": lambda g, y: -y if y * g <= 0 else 0.0,
    "hinge": lambda g, y: -y if y * g <= 1 else 0.0,
    "logistic": lambda g, y: -y * np.exp(-y * g) / (1 + np.exp(-y * g)),
    "exponential": lambda g, y: -y * np.exp(-y * g),
}
NUMBER_SLOPES = {
    "squared": lambda g, y: g - y,
    "epsilon_insensitive": lambda g, y: np.sign(g - y) if abs(g - y) >= 0.3 else 0.0,
    "squared_epsilon_insensitive": lambda g, y: 2 * (g - y) if (g - y) ** 2 >= 0.3 else 0.0,
}


def rates_of(learning_rate):
    """rho_t as a function of t."""
    if learning_rate == "inverse":
        return lambda t: 1 / t
    return learning_rate if callable(learning_rate) else lambda t: learning_rate


def descend(X, y, slope, *, start=None, rate=1.0, l2=0.0, l1=0.0, batch_size=1, passes=1, bias=1.0, factors=None):
    """[w..., b] after each step of  w <- (1 - 2 rho l2) w - rho sum slope x,  b <- b - rho sum slope,  then l1's."""
    n, d = X.shape
    plane = np.zeros(d + 1) if start is None else np.array(start, dtype=float)
    w, b = plane[:d], plane[d]
    rate, factors = rates_of(rate), np.ones(n) if factors is None else factors
    planes = []
    for _ in range(passes):
        for first in range(0, n, batch_size):
            part = slice(first, first + batch_size)
            rho = rate(len(planes) + 1)
            scores = [x @ w + b for x in X[part]]
            slopes = factors[part] * np.array([slope(g, target) for g, target in zip(scores, y[part], strict=True)])
            w = (1 - 2 * rho * l2) * w - rho * slopes @ X[part]
            b = b - rho * bias * slopes.sum()
            w = np.sign(w) * np.maximum(np.abs(w) - rho * l1, 0.0)
            planes.append(np.append(w, b))
    return np.array(planes)


class Corrections:
    """A perceptron on vectors v that all want <w, v> > 0, `group` of them to a row; the last entry of a block is b's.

    `planes` are w after each step; `mistakes` counts corrections; it stops when n rows in a row were right. A row
    alone, which stands for several vectors, shrinks w before the first of them.
    """

    def __init__(self, vectors, *, group=1, blocks=1, rate=1.0, l2=0.0, batch_size=1, passes=1, bias=1.0, factors=None):
        n = len(vectors) // group
        is_offset = np.tile(np.arange(vectors.shape[1] // blocks) == vectors.shape[1] // blocks - 1, blocks)
        steps = np.where(is_offset, bias, 1.0) * vectors
        rate, factors = rates_of(rate), np.ones(n) if factors is None else factors
        w, streak = np.zeros(vectors.shape[1]), 0
        self.planes, self.mistakes = [], 0
        for place in range(passes * n):
            i = place % n
            if i % batch_size == 0:
                rho = rate(len(self.planes) + 1)
                shrunk = np.where(is_offset, w, (1 - 2 * rho * l2) * w)
                old = w if batch_size > 1 or group == 1 else None  # several vectors of a row come one by one
                w, wrong = shrunk, 0
            for k in range(i * group, (i + 1) * group):
                if vectors[k] @ (w if old is None else old) <= 0:
                    w = w + rho * factors[i] * steps[k]
                    wrong += 1
            ends = (i + 1) % batch_size == 0 or i == n - 1
            streak = 0 if wrong else streak + 1
            self.mistakes += wrong if ends else 0
            if ends:
                self.planes.append(w)
            if streak >= n and l2 == 0:
                break
        self.planes = np.array(self.planes)


def signed_rows(X, y):
    """y [x, 1] for labels -1 and +1."""
    return y[:, None] * np.column_stack([X, np.ones(len(X))])


def scattered(shape, density, rng):
    """Sparse rows of numbers between 0 and 1, the same with every version of SciPy."""
    return sparse.csr_array(np.where(rng.random(shape) < density, rng.random(shape), 0.0))
