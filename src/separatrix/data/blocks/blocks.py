"""Rows in blocks as a user hands them to `fit`, and their encoding: one pass, after which every block is a Problem."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.encode import (
    as_rows,
    check_several,
    class_weights,
    features,
    labels,
    row_weights,
    weighted_numbers,
)
from separatrix.errors import DataError, counted
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem, Census
from separatrix.problem.runner import Runner


@dataclass(frozen=True, eq=False)
class EncodedBlocks:
    """A BlockedProblem, and the labels that its class codes stand for; none where targets are numbers."""

    problem: BlockedProblem
    classes: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Blocks:
    """Rows in blocks with labels or numbers, which `fit` takes in place of X and y; made by `read_blocks`.

    Parameters
    ----------
    source : BlockSource
        Reads each block by its number.
    runner : Runner
        Who works through the blocks.
    """

    source: BlockSource
    runner: Runner

    def __repr__(self) -> str:
        return f"Blocks({counted(self.source.count, 'block')})"

    def encoded(
        self,
        *,
        numbers: bool = False,
        class_weight: Mapping | str | None = None,
        fit_intercept: bool = True,
        classes: Any = None,
    ) -> EncodedBlocks:
        """Make the problem of these rows: one pass finds the classes, the weights and what is no number."""
        found = self.runner.run(Counting(self.source, numbers), merged_counts, self.source.count)
        if numbers:
            census = Census(found.sizes, found.n_features, (found.weights.get(None, 0.0),), (sum(found.sizes),))
            load = Loading(self.source, None, None, fit_intercept)
            return EncodedBlocks(BlockedProblem(load, census, 0, fit_intercept, None, self.runner), np.empty(0))
        known = np.unique(np.asarray(list(found.weights) if classes is None else classes))
        check_several(known, sum(found.sizes))
        weights = np.array([found.weights.get(label, 0.0) for label in known.tolist()])
        counts = tuple(found.counts.get(label, 0) for label in known.tolist())
        factors = np.ones(known.size)
        if class_weight is not None:
            codes = np.arange(known.size)
            factors = class_weights(class_weight, known, codes, weights, known)
        census = Census(found.sizes, found.n_features, tuple((weights * factors).tolist()), counts)
        load = Loading(self.source, known, factors, fit_intercept)
        return EncodedBlocks(BlockedProblem(load, census, known.size, fit_intercept, None, self.runner), known)


class Counts(NamedTuple):
    """The rows of each block, the number of features, and rows and weights of each label."""

    sizes: tuple[int, ...]
    n_features: int
    weights: dict[Any, float]
    counts: dict[Any, int]


@dataclass(frozen=True)
class Counting:
    """The task of the first pass: count a block."""

    source: BlockSource
    numbers: bool

    def __call__(self, block: int) -> Counts:
        raw = self.source.read(block)
        if not len(raw.y):
            return Counts((0,), int(np.shape(raw.X)[1]), {}, {})
        try:
            matrix = features(raw.X)
            n = matrix.shape[0]
            if self.numbers:
                _, weights, kept = weighted_numbers(raw.y, n, raw.weights)
                return Counts((kept.size,), matrix.shape[1], {None: float(weights.sum())}, {None: int(kept.size)})
            weights = row_weights(raw.weights, n)
            kept = weights > 0.0
            given = np.asarray(raw.y)[kept]
            found, codes = np.unique(given, return_inverse=True)
            sums = np.bincount(codes, weights[kept], found.size).tolist()
            counts = np.bincount(codes, minlength=found.size).tolist()
        except DataError as refusal:
            raise DataError(f"{self.source.place(block)}: {refusal}") from None
        names = found.tolist()
        return Counts(
            (int(kept.sum()),),
            matrix.shape[1],
            dict(zip(names, sums, strict=True)),
            dict(zip(names, counts, strict=True)),
        )


def merged_counts(one: Counts, other: Counts) -> Counts:
    """The counts of both."""
    if one.n_features != other.n_features:
        raise DataError(f"Blocks have {one.n_features} and {other.n_features} columns. All must have the same.")
    weights, counts = dict(one.weights), dict(one.counts)
    for label, weight in other.weights.items():
        weights[label] = weights.get(label, 0.0) + weight
        counts[label] = counts.get(label, 0) + other.counts[label]
    return Counts(one.sizes + other.sizes, one.n_features, weights, counts)


@dataclass(frozen=True, eq=False)
class Loading:
    """The pure function that makes a Problem of a block."""

    source: BlockSource
    classes: np.ndarray | None
    factors: np.ndarray | None
    fit_intercept: bool

    def __call__(self, block: int) -> Problem:
        raw = self.source.read(block)
        matrix = features(raw.X)
        n = matrix.shape[0]
        if self.classes is None:
            numbers, weights, kept = weighted_numbers(raw.y, n, raw.weights)
            return Problem.of_numbers(as_rows(matrix[kept]), numbers, weights, self.fit_intercept)
        weights = row_weights(raw.weights, n)
        kept = np.flatnonzero(weights)
        _, codes = labels(np.asarray(raw.y)[kept], kept.size, self.classes)
        assert self.factors is not None
        cost = weights[kept] * self.factors[codes]
        return Problem(as_rows(matrix[kept]), codes, self.classes.size, cost, self.fit_intercept)
