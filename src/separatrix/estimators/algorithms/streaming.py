"""Rows in blocks as the `fit` of estimators sees them: which estimators take them, and what is remembered of them.

An estimator that streams, by its row in the registry, is asked the same question of blocks as of arrays: its problem is
then a BlockedProblem, and the solver is one of `solvers.blocks`. All others refuse.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.data.blocks import Blocks
from separatrix.data.blocks.blocks import EncodedBlocks
from separatrix.errors import DataError, OptionError, first_few
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.runner import CountingRunner


def check_blocks(estimator: Any, X: Any) -> None:
    """Refuse blocks of rows for an estimator that cannot stream.

    >>> from separatrix import NuSVM
    >>> from separatrix.data.blocks import read_blocks
    >>> NuSVM().fit(read_blocks(np.eye(2), [0, 1]))
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


def encoded_blocks(blocks: Blocks, y: Any, sample_weight: Any, **how: Any) -> EncodedBlocks:
    """The problem of blocks of rows, which hold labels and weights themselves; its passes are counted."""
    if y is not None or sample_weight is not None:
        raise DataError(
            "Blocks hold labels and weights themselves, and nothing is given besides. Leave out y and sample_weight, "
            "and give them to read_blocks."
        )
    encoded = blocks.encoded(**how)
    return replace(encoded, problem=encoded.problem.counting()[0])


def remember_features(estimator: Any, blocks: Blocks, n_features: int) -> None:
    """Remember the number of features of blocks, and their names if they have any."""
    names = blocks.source.feature_names
    estimator.n_features_in_ = n_features
    estimator._keep("feature_names_in_", np.array(names, dtype=object) if names else None)


def check_feature_names(estimator: Any, blocks: Blocks) -> None:
    """Refuse blocks whose features have other names than those of the fit."""
    known, names = getattr(estimator, "feature_names_in_", None), blocks.source.feature_names
    if known is not None and names and tuple(known) != tuple(names):
        raise DataError(
            f"The blocks have the features {first_few(list(names))}, but {type(estimator).__name__} was fitted with "
            f"{first_few(list(known))}. Give it the same, in this order."
        )


def passes_of(problem: Any) -> int | None:
    """How many passes over its blocks a problem has counted, with the first one, which made it; None in memory."""
    counted = isinstance(problem, BlockedProblem) and isinstance(problem.runner, CountingRunner)
    return 1 + problem.runner.passes if counted else None
