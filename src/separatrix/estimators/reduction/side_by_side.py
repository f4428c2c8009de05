"""Fits of a classifier to the two-class problems of a code: one after the other, in threads, or in processes.

Classifiers of this package leave the interpreter to others while they compute, so that they run in threads, which
share the rows. Others run in processes where `n_jobs` asks for it; joblib maps large arrays into these instead of
copying them. Each worker holds the rows of one problem at a time.
"""

from collections.abc import Iterator
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import OptionError
from separatrix.estimators.base import WeightedClassifier, gathered
from separatrix.estimators.progress_line import no_progress_lines
from separatrix.estimators.reduction.subproblems import fit_side
from separatrix.threads import parallel_map


class Columns(NamedTuple):
    """All two-class problems: unfitted models, the code, the rows, their class numbers, and what else `fit` gets."""

    models: list[Any]
    code: np.ndarray
    X: Any
    codes: np.ndarray  # -1 for rows of classes without weight
    fit_params: dict[str, Any]

    def side(self, column: int) -> np.ndarray:
        """On which side each row is, 0 for those that are left out."""
        return np.append(self.code[:, column], 0)[self.codes]


class Begun:
    """How many of the problems have been begun, as a progress line says it."""

    def __init__(self, total: int) -> None:
        self.total, self.count, self.lock = total, 0, Lock()

    def next(self) -> None:
        """Count one more."""
        with self.lock:
            self.count += 1

    @property
    def shape(self) -> str:
        """What is being fitted.

        >>> begun = Begun(45)
        >>> begun.next()
        >>> begun.shape
        'two-class problem 1 of 45'
        """
        return f"two-class problem {self.count} of {self.total}"


def fit_columns(columns: Columns, n_jobs: int | None, begun: Begun) -> list[Any]:
    """Fit the models, each to its own problem."""
    if n_jobs is not None and (not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0):
        raise OptionError(f"The 'n_jobs' parameter must be a whole number other than 0, or None. Got {n_jobs!r}.")

    def fit(column: int) -> Any:
        begun.next()
        return fit_side(columns.models[column], columns.X, columns.side(column), columns.fit_params)

    numbers = range(len(columns.models))
    if n_jobs != 1 and isinstance(columns.models[0], WeightedClassifier):
        return list(parallel_map(fit, numbers))
    return list(map(fit, numbers)) if n_jobs in (None, 1) else fit_in_processes(columns, int(n_jobs), begun)


def fit_in_processes(columns: Columns, n_jobs: int, begun: Begun) -> list[Any]:
    """Fit in processes of joblib, at most two problems for each at a time; what these did not certify is passed on."""
    from sklearn.utils.parallel import Parallel, delayed

    def tasks() -> Iterator[Any]:
        for column, model in enumerate(columns.models):
            begun.next()
            yield delayed(fit_apart)(model, columns.X, columns.side(column), columns.fit_params)

    models, missed = zip(*Parallel(n_jobs=n_jobs)(tasks()), strict=True)
    heard = gathered.get()
    if heard is not None:
        heard.extend(message for messages in missed for message in messages)
    return list(models)


def fit_apart(model: Any, X: Any, side: np.ndarray, fit_params: dict[str, Any]) -> tuple[Any, list[str]]:
    """Fit a model in a process of its own; returns it, and the warnings that it was not certified."""
    missed: list[str] = []
    outer = gathered.set(missed)
    try:
        with no_progress_lines():
            return fit_side(model, X, side, fit_params), missed
    finally:
        gathered.reset(outer)
