"""Rows in blocks as the `fit` of estimators sees them: which estimators take them, and what is remembered of them.

An estimator that streams, by its row in the registry, is asked the same question of blocks as of arrays: its problem is
then a BlockedProblem, and the solver is one of `solvers.blocks`. All others refuse.
"""

from typing import Any

import numpy as np

from separatrix.data.blocks import Blocks
from separatrix.errors import DataError, OptionError
from separatrix.problem.blocked_problem import BlockedProblem


def check_blocks(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> None:
    """Refuse blocks of rows for an estimator that cannot stream, or with labels that are not in them.

    >>> import numpy as np
    >>> from separatrix import NuSVM
    >>> NuSVM().fit(Blocks.__new__(Blocks), np.ones(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    separatrix.errors.OptionError: NuSVM() cannot learn from blocks of rows. These can: ...
    """
    if not isinstance(X, Blocks):
        return
    from separatrix.estimators.registry import algorithm_of, algorithms  # which imports all estimators

    row = algorithm_of(estimator)
    if row is None or not row.streams:
        name = type(estimator).__name__ if row is None else row.call
        able = ", ".join(dict.fromkeys(each.call for each in algorithms() if each.streams))
        raise OptionError(
            f"{name} cannot learn from blocks of rows. These can: {able}. Use one of them, or give it rows in memory."
        )
    if y is not None or sample_weight is not None:
        raise DataError(
            "Blocks hold labels and weights themselves, and fit takes nothing besides. Leave out y and sample_weight, "
            "and give them to read_blocks."
        )


def remember_features(estimator: Any, blocks: Blocks, problem: BlockedProblem, first: bool) -> None:
    """Remember the features of blocks; unless `first`, they must be those that are known."""
    names, count = blocks.source.feature_names, problem.n_features
    if not first:
        check_features(estimator, names, count)
        return
    estimator.n_features_in_ = count
    estimator._keep("feature_names_in_", np.array(names, dtype=object) if names else None)


def check_features(estimator: Any, names: tuple[str, ...], count: int) -> None:
    """Refuse blocks with other features than those of the fit."""
    known = getattr(estimator, "feature_names_in_", None)
    if count != estimator.n_features_in_:
        raise DataError(
            f"The blocks have {count} features, but {type(estimator).__name__} was fitted with "
            f"{estimator.n_features_in_}. Give it the same."
        )
    if known is not None and names and tuple(known) != tuple(names):
        raise DataError(
            f"The blocks have the features {', '.join(names)}, but {type(estimator).__name__} was fitted with "
            f"{', '.join(known)}. Give it the same, in this order."
        )


def passes_of(problem: Any) -> int | None:
    """How many passes over its blocks a problem has counted, with the first one, which made it; None in memory."""
    if not isinstance(problem, BlockedProblem):
        return None
    return 1 + getattr(problem.runner, "passes", 0)
