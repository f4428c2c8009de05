"""Blocks that are drawn by their number, sources that fail on purpose, and a fit of three passes over them."""

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.certificates import Stationary
from separatrix.certificates.claims.normal_equations import NormalEquations
from separatrix.data.blocks import Blocks
from separatrix.data.blocks.block_source import RawBlock
from separatrix.enclosures import Interval
from separatrix.errors import FormatError
from separatrix.problem.fold import Fold
from separatrix.problem.moments import Moments

SIZES = (40, 7, 0, 133, 1, 64, 64, 90, 12, 0, 55, 200, 31, 77, 5, 18)
N_FEATURES = 4


class DrawnSource:
    """Uneven blocks, two of them empty; block 5 has one class."""

    feature_names = ()
    count = len(SIZES)

    def read(self, block):
        random = np.random.default_rng(block)
        X = random.standard_normal((SIZES[block], N_FEATURES)) * [1.0, 10.0, 0.1, 3.0] + 100.0
        side = X @ [1.0, 0.1, 5.0, -0.3] + random.standard_normal(len(X)) > 575.3
        return RawBlock(X, np.where(side & (block != 5), "yes", "no"))

    def place(self, block):
        return f"drawn.parquet, row group {block}"


class SlowSource(DrawnSource):
    """Each block takes a while, so that something can happen meanwhile."""

    def __init__(self, seconds):
        self.seconds = seconds

    def read(self, block):
        time.sleep(self.seconds)
        return super().read(block)


class LoggedSource(DrawnSource):
    """Each reading is written to a folder: a file with the block and the process."""

    def __init__(self, folder, seconds=0.0):
        self.folder, self.seconds = Path(folder), seconds

    def read(self, block):
        time.sleep(self.seconds)
        number = len(list(self.folder.glob(f"{block}-*")))
        (self.folder / f"{block}-{number}-{os.getpid()}").touch()
        return super().read(block)

    def readings(self):
        """The block and the process of each reading."""
        found = [path.name.split("-") for path in self.folder.iterdir()]
        return [(int(block), int(process)) for block, _, process in found]


class KillingSource(LoggedSource):
    """A worker that reads the victim for the first time in a pass is killed."""

    def __init__(self, folder, victim, seconds=0.0):
        super().__init__(folder, seconds)
        self.victim = victim

    def read(self, block):
        raw = super().read(block)
        readings = [each for each, _ in self.readings()].count(block)
        if block == self.victim and readings % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return raw


class BrokenSource(DrawnSource):
    """Block 6 cannot be read."""

    def read(self, block):
        if block == 6:
            raise FormatError(f"{self.place(block)}: the page checksum is wrong. Copy the file again.")
        return super().read(block)


class DeadlySource(DrawnSource):
    """Whoever reads block 6 dies."""

    def read(self, block):
        if block == 6:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().read(block)


class LeastSquaresFit(NamedTuple):
    """The plane of least squares, and what is left of its equations over all rows."""

    w: np.ndarray
    b: float
    error: float

    @property
    def bits(self):
        return self.w.tobytes() + np.array([self.b, self.error]).tobytes()


def least_squares(source, runner):
    """Count in one pass, sum moments in another, certify in a third."""
    problem = Blocks(source, runner).encoded().problem
    found = problem.over(Fold(lambda block, first: Moments.of(block), lambda one, other: one.merged(other), moments))
    targets = np.array([[-1.0], [1.0]])
    mean_target = found.weight / found.total_weight @ targets
    right = found.apart.T @ (found.weight[:, None] * (targets - mean_target))
    W = cho_solve(cho_factor(found.total), right)
    b = mean_target - found.mean @ W
    equations = NormalEquations(targets, 0.0, (W, b))
    claim = Stationary.of(W.T, b, equations, Interval(0.0, np.inf), problem.n_rows)
    return LeastSquaresFit(W[:, 0], float(b[0]), problem.over(claim.fold()))


def moments(found):
    """Moments as they are."""
    return found
