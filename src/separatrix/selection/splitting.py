"""Rows divided by a splitter of scikit-learn, or so that the rows of a group stay together."""

from typing import Any

import numpy as np

from separatrix.data.folds import Fold
from separatrix.errors import DataError, OptionError, counted
from separatrix.solvers.options import whole


def is_count(cv: Any) -> bool:
    """Whether `cv` is a number of folds, and not a splitter or a list of splits."""
    return not (hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, str)))


def checked_groups(groups: Any, n: int) -> np.ndarray | None:
    """The group of each row, or None."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n,):
        raise DataError(f"groups must hold one value for each of the {n} rows. Got shape {found.shape}.")
    return found


def splits_of(
    cv: Any, y: np.ndarray, groups: np.ndarray | None, seed: int, classes: bool, name: str = "cv"
) -> tuple[Fold, ...]:
    """The folds of a splitter, of a list of pairs of indices, or of groups that stay together; `name` is the option's.

    >>> groups = np.repeat([7, 8, 9], 4)
    >>> [groups[fold.test].tolist() for fold in splits_of(3, np.arange(12) % 2, groups, seed=0, classes=True)]
    [[9, 9, 9, 9], [8, 8, 8, 8], [7, 7, 7, 7]]
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv

    if is_count(cv):
        assert groups is not None
        n_groups, n_folds = np.unique(groups).size, whole(name, cv, least=2)
        if n_groups < n_folds:
            raise OptionError(f"{name}={n_folds} folds need as many groups. Got {counted(n_groups, 'group')}.")
        splitter: Any = GroupKFold(n_folds)
        if classes:
            splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    else:
        splitter = check_cv(cv)
    pairs = splitter.split(np.zeros((y.size, 1)), y, groups)
    folds = tuple(Fold(*(np.unique(np.asarray(side)) for side in pair)) for pair in pairs)
    for k, fold in enumerate(folds):
        last = max(fold.train.max(initial=0), fold.test.max(initial=0))
        if last >= y.size:
            raise DataError(
                f"Split {k + 1} of {len(folds)} names row {last}, and the last of {y.size} rows is {y.size - 1}. A "
                "splitter that names rows must be made for the rows that it divides."
            )
        if not (fold.train.size and fold.test.size):
            raise OptionError(f"Split {k + 1} of {len(folds)} has no row to learn from, or none to test with.")
        if classes and np.unique(y[fold.train]).size < 2:
            raise OptionError(f"Split {k + 1} of {len(folds)} has training rows of one class only.")
    if len(folds) < 2:
        raise OptionError(f"'{name}' must give at least two splits. Got {len(folds)}.")
    return folds


def splitting_note(cv: Any, groups: np.ndarray | None) -> list[str]:
    """A sentence on how the rows were divided, where that is not by stratified folds."""
    together = [] if groups is None else [f"Rows of one group stay together, of {np.unique(groups).size:,} groups."]
    if is_count(cv):
        return together
    if hasattr(cv, "note"):
        return [cv.note, *together]
    name = type(cv).__name__ if hasattr(cv, "split") else "the given pairs"
    return [f"The rows were divided by {name}.", *together]


def layers_of(folds: tuple[Fold, ...], n: int) -> list[int]:
    """The layer of each fold: folds of one layer test every row at most once.

    >>> layers_of((Fold(np.array([2]), np.array([0, 1])), Fold(np.array([0]), np.array([1, 2]))), n=3)
    [0, 1]
    """
    taken: list[np.ndarray] = []
    found = []
    for fold in folds:
        place = next((i for i, rows in enumerate(taken) if not rows[fold.test].any()), len(taken))
        if place == len(taken):
            taken.append(np.zeros(n, dtype=bool))
        taken[place][fold.test] = True
        found.append(place)
    return found
