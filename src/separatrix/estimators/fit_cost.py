"""What a fit costs on data of a given size: which algorithms are worth trying there, and with how many passes.

Costs are counted in multiplications, never measured by a clock, so that they are the same on every machine. A row of
the registry names the cost of its algorithm; `compare` and the study ask it.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

MULTIPLICATIONS_A_SECOND = 1.5e10  # of matrix products on two cores
SECONDS_BESIDE = 0.01  # of a fit: data are checked, the certificate is computed
SPARSE_FACTOR = 4  # what a number of a sparse row costs more than one of a dense row


class Size(NamedTuple):
    """What the cost of a fit depends on; `stored` are the numbers of a row that are not left out as zeros."""

    rows: int
    columns: int
    stored: float
    classes: int
    sparse: bool

    @property
    def planes(self) -> int:
        """Planes between the classes, each against the rest."""
        return 1 if self.classes == 2 else self.classes

    @property
    def narrow(self) -> float:
        """The smaller of rows and columns."""
        return float(min(self.rows, self.columns))

    @property
    def sweep(self) -> float:
        """Multiplications of one pass over all rows."""
        overhead = 20  # what a row costs beside its numbers, in multiplications
        return self.rows * self.planes * (self.stored * (SPARSE_FACTOR if self.sparse else 1) + overhead)


class FitCost:
    """The cost of a fit of which nothing is known: never refused, tried last.

    `rate` are the multiplications a second of its loops, as measured on two cores of 2024.
    """

    rate: ClassVar[float] = 5e8

    def seconds(self, size: Size, max_iter: int) -> float:
        """The seconds that a fit is predicted to take: the same on every machine, right to an order of magnitude."""
        return SECONDS_BESIDE + self.multiplications(size, max_iter) / self.rate

    def multiplications(self, size: Size, max_iter: int) -> float:
        """Multiplications of a fit, to an order of magnitude; infinite where that is not known."""
        return np.inf

    def max_passes(self, size: Size) -> int | None:
        """How often the rule may go through the rows; None where that is not what it does."""
        return None

    def tuned(self, fits: int) -> "FitCost":
        """The cost where options are chosen by so many fits."""
        return self

    def refusal(self, size: Size) -> str:
        """Why the algorithm is not tried on data of this size unless it is asked for; empty if it is."""
        return ""


UNKNOWN_COST = FitCost()


@dataclass(frozen=True)
class Passes(FitCost):
    """A rule that goes through the rows again and again, as often as a budget of multiplications allows."""

    budget: float = 6e8  # about a second
    fewest: int = 20

    def multiplications(self, size: Size, max_iter: int) -> float:
        """All passes."""
        return max_iter * size.sweep

    def max_passes(self, size: Size) -> int:
        """As many as the budget allows."""
        return max(self.fewest, int(self.budget / size.sweep))


@dataclass(frozen=True)
class PocketPasses(Passes):
    """A rule that also counts the errors on all rows after each correction.

    As a rule planes separate as many rows as twice the columns (Cover, 1965): then the pocket changes until the end.
    With more rows its patience ends it much earlier.
    """

    rate: ClassVar[float] = 5e9
    budget: float = 4e10
    fewest: int = 3

    def multiplications(self, size: Size, max_iter: int) -> float:
        """All passes, with a count of the errors for the square root of the rows in each."""
        return super().multiplications(size, max_iter) * float(np.sqrt(size.rows))

    def affordable(self, size: Size) -> int:
        """Passes within the budget, if all errors were counted at every row."""
        return int(self.budget / (size.rows * size.sweep * (SPARSE_FACTOR if size.sparse else 1)))

    def max_passes(self, size: Size) -> int:
        """As many as the budget allows."""
        return max(self.fewest, self.affordable(size))

    def refusal(self, size: Size) -> str:
        """Refused where most rows change the pocket and few passes are affordable."""
        if 2 * size.columns <= size.rows or self.affordable(size) >= self.fewest:
            return ""
        return f"it counts the wrong rows of all {size.rows:,} after every correction, and there will be many"


@dataclass(frozen=True)
class Decomposition(FitCost):
    """A method that decomposes a matrix of the columns; on sparse rows perhaps only up to some number of columns."""

    rate: ClassVar[float] = 1e9
    max_columns: int = 1500
    matrix_free_columns: float = np.inf  # columns of sparse rows beyond which nothing is decomposed

    def multiplications(self, size: Size, max_iter: int) -> float:
        """The matrix, and its decomposition."""
        return (size.rows + size.columns) * size.narrow**2

    def refusal(self, size: Size, matrices: int = 1) -> str:
        """Refused where so many decompositions cost more than one of the largest matrix."""
        matrix_free = size.sparse and size.columns > self.matrix_free_columns
        if matrix_free or matrices * float(size.columns) ** 3 <= float(self.max_columns) ** 3:
            return ""
        return f"it decomposes a matrix of {size.columns:,} x {size.columns:,} numbers"


@dataclass(frozen=True)
class DecompositionAndPasses(Passes):
    """A rule that decomposes a matrix of the columns for each plane, and then goes through the rows again and again."""

    rate: ClassVar[float] = 1e9
    budget: float = 2e9
    fewest: int = 50
    decompositions: int = 10  # what all that is done with the matrix of a plane costs, in plain decompositions

    def refusal(self, size: Size) -> str:
        """Refused as a decomposition for each plane."""
        return Decomposition().refusal(size, self.decompositions * size.planes)


@dataclass(frozen=True)
class NewtonSteps(FitCost):
    """A method that takes some passes over the rows, whatever their number."""

    rate: ClassVar[float] = 2.5e8
    passes: float = 30.0

    def multiplications(self, size: Size, max_iter: int) -> float:
        """The passes that it usually takes."""
        return self.passes * size.sweep


@dataclass(frozen=True)
class JointSteps(NewtonSteps):
    """Newton's method for the planes of several classes jointly."""

    passes: float = 300.0

    def refusal(self, size: Size) -> str:
        """Refused for two classes, where it is another machine with another C."""
        return "with two classes it is the linear SVM for twice the C" if size.classes == 2 else ""


@dataclass(frozen=True)
class InteriorPoint(NewtonSteps):
    """An interior-point method, which builds and factors a matrix in each of its steps."""

    steps: float = 35.0  # usually
    budget: float = 3e11  # about ten seconds

    def matrices(self, size: Size) -> float:
        """Multiplications of the matrices of all steps; on many sparse columns another method is used."""
        if size.sparse and size.narrow > 1500:
            return 0.0
        return self.steps * size.planes * max(size.rows, size.columns) * size.narrow**2

    def multiplications(self, size: Size, max_iter: int) -> float:
        """The passes over the rows and the matrices."""
        return super().multiplications(size, max_iter) + self.matrices(size)

    def seconds(self, size: Size, max_iter: int) -> float:
        """The passes over the rows, and the matrices, which are products of matrices."""
        matrices = self.matrices(size)
        passes = self.multiplications(size, max_iter) - matrices
        return SECONDS_BESIDE + passes / self.rate + matrices / (MULTIPLICATIONS_A_SECOND / 3)

    def refusal(self, size: Size) -> str:
        """Refused where the matrices cost more than the budget."""
        work = self.matrices(size)
        return f"it needs some {work:.0e} multiplications a fit" if work > self.budget else ""


@dataclass(frozen=True)
class HullSteps(FitCost):
    """Steps towards the nearest points of hulls, each a pass over the rows of two classes, and steps of a polish."""

    rate: ClassVar[float] = 3e9
    steps: float = 2000.0  # where hulls nearly meet; fewer where they are far apart
    budget: float = 1e11  # about six seconds

    def multiplications(self, size: Size, max_iter: int) -> float:
        """The steps of all pairs of classes; those of the polish are as many as rows that come to bounds one by one."""
        rows, pairs = 2.0 * size.rows / size.classes, size.classes * (size.classes - 1) / 2
        return pairs * (self.steps + rows) * size.sweep / size.planes * (rows / size.rows)

    def refusal(self, size: Size) -> str:
        """Refused where the steps cost more than the budget."""
        work = self.multiplications(size, 1)
        return f"it needs some {work:.0e} multiplications a fit" if work > self.budget else ""


@dataclass(frozen=True)
class KernelMatrix(FitCost):
    """A machine in the space of a kernel: kernel values of all pairs of rows, and systems of the rows on the margin.

    Classes are told apart in pairs, each with its own rows.
    """

    rate: ClassVar[float] = 1.5e9
    fits: int = 1  # more where options are chosen by cross-validation within the training rows
    budget: float = 1e11  # about six seconds
    per_value: float = 60.0  # beside the product of two rows
    free_rows: float = 0.2  # part of the rows that is on the margin, usually
    systems: float = 4.0  # of these rows, solved one after the other

    def tuned(self, fits: int) -> "KernelMatrix":
        """The cost of all these fits."""
        return replace(self, fits=fits)

    def multiplications(self, size: Size, max_iter: int) -> float:
        """Kernel values and systems of all pairs of classes."""
        rows, pairs = 2.0 * size.rows / size.classes, size.classes * (size.classes - 1) / 2
        values = rows**2 * (size.stored * (SPARSE_FACTOR if size.sparse else 1) + self.per_value)
        return self.fits * pairs * (values + self.systems * (self.free_rows * rows) ** 3 / 3)

    def refusal(self, size: Size) -> str:
        """Refused where all folds together would take minutes."""
        work = self.multiplications(size, 1)
        if work <= self.budget:
            return ""
        fits = "a fit" if self.fits == 1 else f"the {self.fits} fits that choose its options"
        seconds = work / MULTIPLICATIONS_A_SECOND
        time = f"{seconds:.0f} seconds" if seconds < 100.0 else f"{seconds / 60.0:,.0f} minutes"
        return f"{fits} with the kernel values of {size.rows:,} rows would take some {time} in each fold"


@dataclass(frozen=True)
class KernelPasses(KernelMatrix):
    """A rule that goes through the rows again and again, and adds a kernel row to all scores at each mistake."""

    rate: ClassVar[float] = 4e8
    systems: float = 0.0
    mistakes: float = 0.1  # part of the rows, in a usual pass
    budget_of_passes: float = 2e9  # a few seconds
    fewest: int = 20

    def per_pass(self, size: Size) -> float:
        """Multiplications of a pass over the rows of all pairs of classes."""
        rows, pairs = 2.0 * size.rows / size.classes, size.classes * (size.classes - 1) / 2
        return pairs * rows * (self.mistakes * rows + self.per_value)

    def multiplications(self, size: Size, max_iter: int) -> float:
        """Kernel values, and all passes."""
        return super().multiplications(size, max_iter) + max_iter * self.per_pass(size)

    def max_passes(self, size: Size) -> int:
        """As many as the budget allows."""
        return max(self.fewest, int(self.budget_of_passes / self.per_pass(size)))
