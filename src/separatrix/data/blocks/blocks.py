"""Rows in blocks as a user hands them to `fit`, and their encoding: one pass, after which every block is a Problem."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.data.blocks.batches import BatchSource
from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.blocks.census import Counting, Counts, length
from separatrix.data.blocks.class_codes import ClassCodes, class_codes, codes_of_known
from separatrix.data.blocks.preparing.fitting import fit_preparation
from separatrix.data.blocks.preparing.prepared_source import PreparedSource
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.encode import as_rows, check_several, checked_weights, class_weights, features, finite_targets
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import DataError, counted
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem, Census
from separatrix.problem.merging import Merger
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

    Examples
    --------
    >>> from separatrix import read_blocks
    >>> blocks = read_blocks([([[0.0], [1.0]], ["no", "no"]), ([[3.0]], ["yes"])])
    >>> encoded = blocks.encoded()
    >>> encoded.classes.tolist(), encoded.problem.census.sizes, encoded.problem.census.counts
    (['no', 'yes'], (2, 1), (2, 1))
    """

    source: BlockSource
    runner: Runner

    def __repr__(self) -> str:
        known = getattr(self.source, "known_count", 0)
        return "Blocks(in order)" if known is None else f"Blocks({counted(self.source.count, 'block')})"

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One name for each column; none where columns have no names."""
        return self.source.feature_names

    def rows(self) -> Iterator[RawBlock]:
        """The rows of each block, one after the other, in this process."""
        if isinstance(self.source, BatchSource):
            yield from self.source.in_order()
        else:
            yield from map(self.source.read, range(self.source.count))

    def counts(self, numbers: bool = False) -> Counts:
        """What the first pass finds; a source that is read in order is counted on the way."""
        task, source = Counting(self.source, numbers), self.source
        if isinstance(source, BatchSource) and source.known_count is None:
            merger: Merger[Counts] = Merger(task.merged)
            for block, raw in enumerate(source.in_order()):
                merger.add(task.of(raw, block))
            return task.checked(merger.result() if source.known_count else NOTHING)
        found = self.runner.run(task, task.merged, source.count) if source.count else NOTHING
        return task.checked(found)

    def encoded(
        self,
        *,
        numbers: bool = False,
        class_weight: Mapping | str | None = None,
        fit_intercept: bool = True,
        classes: Any = None,
    ) -> EncodedBlocks:
        """Make the problem of these rows: one pass finds the classes, the weights and what cannot be used.

        Parameters
        ----------
        numbers : bool
            Whether targets are numbers, not class labels.
        class_weight, fit_intercept
            As for `separatrix.encode`.
        classes : array or None
            All labels there may be; None: those that the pass finds, at least two.

        Returns
        -------
        EncodedBlocks
            The problem, without an objective, and the classes.
        """
        found = self.counts(numbers)
        if numbers:
            weight = found.labels[None].weight
            census = Census(found.sizes, found.n_features, (weight,), (sum(found.sizes),))
            load = Loading(self.source, census, None, None, fit_intercept)
            return EncodedBlocks(BlockedProblem(load, census, 0, fit_intercept, None, self.runner), np.empty(0))
        codes = self._codes(found, classes)
        known = codes.classes
        weights, counts = np.zeros(known.size), np.zeros(known.size, dtype=np.int64)
        for label, own in found.labels.items():
            code = codes.of([label])[0]
            weights[code], counts[code] = weights[code] + own.weight, counts[code] + own.rows
        factors = np.ones(known.size)
        if class_weight is not None:
            factors = class_weights(class_weight, known, np.arange(known.size), weights, known)
        sums = tuple((weights * factors).tolist())
        census = Census(found.sizes, found.n_features, sums, tuple(counts.tolist()))
        load = Loading(self.source, census, codes, factors, fit_intercept)
        return EncodedBlocks(BlockedProblem(load, census, known.size, fit_intercept, None, self.runner), known)

    def _codes(self, found: Counts, classes: Any) -> ClassCodes:
        as_written = getattr(self.source, "labels_as_written", False)
        if classes is None:
            codes = class_codes(found, as_written)
            check_several(codes.classes, sum(found.sizes))
            return codes
        codes, strange = codes_of_known(classes, found, as_written)
        if strange:
            place = self.source.place(found.labels[strange[0]].block)
            raise DataError(
                f"{place}: y has the label {strange[0]!r}, which is not one of the classes {codes.classes.tolist()}."
            )
        return codes

    def fit_preparation(self, preparation: Preparation) -> Preparation:
        """Let a Preparation learn from these rows, by three to six passes."""
        return fit_preparation(preparation, self.source, self.runner)

    def prepared_by(self, preparation: Preparation) -> "Blocks":
        """The features that a Preparation makes of these rows, each block when it is read."""
        return Blocks(PreparedSource(self.source, preparation), self.runner)


NOTHING = Counts((), 0, -1, {}, frozenset(), 0.0)


@dataclass(frozen=True, eq=False)
class Loading:
    """The pure function that makes a Problem of a block, with the rows that the first pass found."""

    source: BlockSource
    census: Census
    codes: ClassCodes | None
    factors: np.ndarray | None
    fit_intercept: bool

    def __call__(self, block: int) -> Problem:  # noqa: D102, the class says it
        raw = self.source.read(block)
        try:
            return self._problem(raw, self.census.sizes[block])
        except DataError as refusal:
            raise raw.located(refusal, self.source.place(block)) from None

    def _problem(self, raw: RawBlock, expected: int) -> Problem:
        n = length(raw)
        matrix = features(raw.X, checked=False) if n else np.empty((0, self.census.n_features))
        weights = checked_weights(raw.weights if n else None, n)
        kept = np.flatnonzero(weights)
        if kept.size != expected or matrix.shape[1] != self.census.n_features:
            raise DataError(
                f"there are {counted(kept.size, 'row')} of {counted(matrix.shape[1], 'column')} now, and the first "
                f"pass found {counted(expected, 'row')} of {self.census.n_features:,}. The rows must be the same in "
                "every pass."
            )
        if kept.size < n:
            matrix, weights = matrix[kept], weights[kept]
        X = as_rows(matrix)
        if self.codes is None or self.factors is None:
            numbers = finite_targets(raw.y, n) if n else np.empty(0)
            return Problem.of_numbers(X, numbers[kept], weights, self.fit_intercept)
        codes = self.codes.of(np.asarray(raw.y)[kept]) if n else np.empty(0, dtype=np.int64)
        return Problem(X, codes, self.codes.classes.size, weights * self.factors[codes], self.fit_intercept)
