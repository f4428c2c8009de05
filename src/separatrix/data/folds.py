"""Folds: every row is tested once. Those of classes are stratified: each has the class proportions of the whole.

    rows in the order of their classes, shuffled within each:  the row at place i goes to fold i mod k

Consecutive places go to different folds, so that the folds have equally many rows of each class, and equally many in
all, give or take one (Kohavi, 1995). Rows with numbers instead of classes are shuffled and dealt out in the same way.
"""

from typing import NamedTuple

import numpy as np

from separatrix.errors import DataError, counted


class Fold(NamedTuple):
    """Indices of the training rows and of the test rows, both ascending."""

    train: np.ndarray
    test: np.ndarray


def usable_folds(codes: np.ndarray, classes: np.ndarray, wanted: int) -> int:
    """The largest number of folds, up to `wanted`, for which each holds a row of every class.

    >>> usable_folds(np.array([0, 0, 0, 0, 1, 1, 1]), np.array(["no", "yes"]), wanted=5)
    3
    """
    counts = np.bincount(codes, minlength=classes.size)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        raise DataError(
            f"The class {classes.tolist()[rarest]!r} has 1 row of {counted(codes.size, 'row')}, which cannot be both "
            "learnt from and tested with. Give at least 2 rows of each class, better 5, or leave this class out."
        )
    return min(wanted, int(counts[rarest]))


def stratified_folds(codes: np.ndarray, n_folds: int, repeats: int, seed: int) -> tuple[Fold, ...]:
    """Divide rows into folds, at most as many as the rarest class has rows; `repeats` times, differently each time.

    >>> codes = np.array([0, 0, 0, 0, 1, 1])
    >>> [codes[fold.test].tolist() for fold in stratified_folds(codes, n_folds=2, repeats=1, seed=0)]
    [[0, 0, 1], [0, 0, 1]]
    """
    found = []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        place = np.empty(codes.size, dtype=np.intp)
        place[by_class(codes, rng)] = np.arange(codes.size)
        found += [Fold(*map(np.flatnonzero, (place % n_folds != k, place % n_folds == k))) for k in range(n_folds)]
    return tuple(found)


def shuffled_folds(n: int, n_folds: int, repeats: int, seed: int) -> tuple[Fold, ...]:
    """Divide n rows into folds whose sizes differ by one at most; `repeats` times, differently each time.

    >>> [fold.test.size for fold in shuffled_folds(11, n_folds=4, repeats=1, seed=0)]
    [3, 3, 3, 2]
    """
    return stratified_folds(np.zeros(n, dtype=np.intp), n_folds, repeats, seed)


def stratified_sample(codes: np.ndarray, size: int, least: int, seed: int) -> np.ndarray:
    """Draw rows without replacement, each class in proportion but `least` of it at least; returns indices, ascending.

    >>> codes = np.repeat([0, 1, 2], [600, 390, 10])
    >>> np.bincount(codes[stratified_sample(codes, size=100, least=5, seed=0)]).tolist()
    [60, 39, 5]
    """
    if size >= codes.size:
        return np.arange(codes.size)
    counts = np.bincount(codes)
    exact = size * counts / codes.size
    shares = np.floor(exact).astype(int)
    shares[np.argsort(shares - exact, kind="stable")[: size - shares.sum()]] += 1
    shares = np.minimum(counts, np.maximum(shares, least))
    shuffled = by_class(codes, np.random.default_rng(seed))
    first = np.concatenate([[0], np.cumsum(counts)])
    return np.sort(np.concatenate([shuffled[i : i + share] for i, share in zip(first[:-1], shares, strict=True)]))


def by_class(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The rows in the order of their classes, shuffled within each."""
    shuffled = rng.permutation(codes.size)
    return shuffled[np.argsort(codes[shuffled], kind="stable")]
