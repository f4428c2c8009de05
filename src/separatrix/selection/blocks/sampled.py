"""Compare and choose by a random sample of rows in blocks; what is chosen is fitted to all rows.

A comparison of classifiers needs far fewer rows than a fit: of 100,000 rows, an error of 10 % has a standard error of
0.1 %. So the sample is in memory, with the folds and tests of rows in memory.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from separatrix.data.blocks import Blocks
from separatrix.data.blocks.sampling import SampledRows, sample_rows
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Task
from separatrix.estimators.algorithms.streaming import check_blocks
from separatrix.estimators.fit_cost import Size
from separatrix.estimators.registry import algorithms
from separatrix.options import whole
from separatrix.selection.choosing.choice import Choice

SAMPLE_ROWS = 100_000


def streaming(task: Task) -> list[str]:
    """The methods that a study of blocks compares: those that reach an optimum over all rows in few passes.

    >>> "linear SVM" in streaming("classification"), "perceptron" in streaming("classification")
    (True, False)
    """
    any_size = Size(rows=1, columns=1, stored=1, classes=2, sparse=False)
    return [row.name for row in algorithms(task) if row.streams and row.cost.max_passes(any_size) is None]


def drawn(blocks: Blocks, n_rows: Any, random_state: Any, raw: bool, **refused: Any) -> SampledRows:
    """The sample of blocks; options that name something for each row are refused, as nobody knows the rows."""
    for name, value in refused.items():
        if value is not None:
            raise OptionError(f"The {name!r} parameter is about rows in memory. Leave it out for blocks.")
    seed = random_state
    if not isinstance(seed, (int, np.integer)):
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return sample_rows(blocks, whole("sample", SAMPLE_ROWS if n_rows is None else n_rows, least=2), int(seed), raw)


def takes_columns(estimator: Any) -> bool:
    """Whether an estimator makes features of columns of words and numbers itself."""
    return isinstance(estimator, Pipeline) and isinstance(estimator[0], Preparation)


def check_learns(estimator: Any, blocks: Blocks) -> None:
    """Refuse an estimator that cannot be fitted to blocks, before the work."""
    check_blocks(estimator[-1] if isinstance(estimator, Pipeline) else estimator, blocks)


def fitted_to_all(found: Choice, estimator: Any, blocks: Blocks, sample: SampledRows) -> Choice:
    """A choice by a sample, with the model that was chosen fitted to all rows."""
    model = clone(estimator).set_params(**found.parameters).fit(blocks)
    return replace(found, model=model, notes=(chosen_note(sample), *found.notes))


def chosen_note(sample: SampledRows, verb: str = "Chosen") -> str:
    """What was done by the sample, and what the model was fitted to."""
    tested = "" if sample.is_whole else " The test rows are among those of the sample."
    return f"{verb} on {sample.words}; the model is fitted to all.{tested}"
