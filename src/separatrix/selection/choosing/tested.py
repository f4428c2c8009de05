"""The error of a fitted model on rows that had no part in its choice, and how far it may be from the truth.

    parts of rows      the exact interval of Clopper and Pearson (1934)
    any other metric   from the 2.5 % to the 97.5 % quantile over bootstrap samples of the test rows (Efron, 1979)

Rows of weights w count as (sum w)^2 / sum w^2 rows (Kish, 1965). Both intervals take rows for independent.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.selection.choosing.sample import Sample
from separatrix.selection.measures.bootstrap import bootstrap_interval
from separatrix.selection.measures.metrics import Metric
from separatrix.selection.measures.remembered import Remembered
from separatrix.selection.prepared_folds import some_rows
from separatrix.theory.exact_interval import Interval, exact_interval


class Measured(NamedTuple):
    """The loss on test rows and its 95 % interval."""

    loss: float
    interval: Interval


def measured(model: Any, sample: Sample, metric: Metric, seed: int) -> Measured:
    """Measure a fitted model on test rows, once."""
    loss = sample.loss(metric)
    everything = np.arange(sample.n)
    known = model if metric.reads_rows else Remembered(model, sample.X)
    rows = (lambda index: some_rows(sample.X, index)) if metric.reads_rows else (lambda index: index)
    found = loss(known, rows(everything), everything)
    trials = None if sample.classes is None else metric.trials(sample.codes)
    if trials is not None:
        n = effective_size(np.ones(sample.n) if sample.weights is None else sample.weights, trials)
        return Measured(found, exact_interval(found * n, n) if n else Interval(0.0, 1.0))
    interval = bootstrap_interval(found, lambda index: loss(known, rows(index), index), sample.n, seed)
    return Measured(found, interval)


def effective_size(weights: np.ndarray, counted: np.ndarray) -> float:
    """How many rows of equal weight tell as much as those that are counted.

    >>> (
    ...     effective_size(np.array([2.0, 2.0, 2.0]), np.full(3, True)),
    ...     effective_size(np.array([1.0, 3.0]), np.full(2, True)),
    ... )
    (3.0, 1.6)
    """
    own = weights[counted]
    return float(own.sum() ** 2 / (own @ own)) if own.any() else 0.0
