"""A plane as folds over blocks see it: in coordinates, with the program of each block and its dual point as a rule."""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from separatrix.objectives.dual_rule import DualRule, HingeBand, TubeBand
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.rows import Vector, read_only
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.regression.linear_svr import Scale
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.problem_program import ProblemProgram

AnyProgram: TypeAlias = ProblemProgram | BorderedProgram


@dataclass(frozen=True, eq=False)
class PlaneInView:
    """The plane of a hinge in coordinates."""

    coordinates: Coordinates
    objective: Any
    v: Vector

    @property
    def C(self) -> float:  # noqa: N802, as in all formulas
        """What a unit of violation costs."""
        return float(self.objective.C)

    @property
    def plane(self) -> tuple[Vector, float]:
        """w and b."""
        w, b = self.coordinates.plane(self.v)
        return w, float(b)

    def program(self, block: Problem) -> AnyProgram:
        """The program of a block."""
        return ProblemProgram(block.posed(self.objective), self.coordinates)

    def gathered(self, rows: GatheredRows) -> Problem:
        """The question that gathered rows make."""
        return rows.problem(self.coordinates.offset, self.objective)

    def violations(self, block: Problem) -> Vector:
        """required - Av of each variable: of a hinge 1 - y g(x) of each row."""
        return self.program(block).violations(self.v)

    def distances(self, block: Problem) -> Vector:
        """How far each row is from the margin."""
        return np.abs(self.violations(block)).reshape(-1, block.n_rows).min(axis=0)

    def at(self, v: Vector) -> "PlaneInView":
        """Another plane in the same coordinates."""
        return replace(self, v=v)

    def rule(self, plane: tuple[Vector, float], numbers: np.ndarray, alpha: Vector) -> DualRule:
        """The dual point of named rows, where all others are as they are at a plane."""
        return HingeBand(self.objective.C, *plane, read_only(numbers), read_only(alpha))


@dataclass(frozen=True, eq=False)
class TubeInView(PlaneInView):
    """The plane that a tube is around, in coordinates; targets are measured as a scale says."""

    scale: Scale

    @property
    def C(self) -> float:  # noqa: N802
        """What a unit of excess costs, in units of the scale."""
        return float(self.objective.in_units(self.scale.unit).C)

    @property
    def plane(self) -> tuple[Vector, float]:
        """w and b."""
        w, b = self.coordinates.plane(self.v)
        return self.scale.unit * w, self.scale.centre + self.scale.unit * float(b)

    def program(self, block: Problem) -> AnyProgram:
        """The program of a block."""
        return BorderedProgram(self.scale.problem(block.posed(self.objective)), self.coordinates)

    def gathered(self, rows: GatheredRows) -> Problem:
        """The question that gathered rows make."""
        return rows.problem(self.coordinates.offset, self.objective, 0)

    def rule(self, plane: tuple[Vector, float], numbers: np.ndarray, alpha: Vector) -> DualRule:
        """The dual point of named rows, given beta in units of the scale, where all others are as they are."""
        objective = self.objective
        beta = read_only(self.scale.unit * alpha)
        return TubeBand(objective.C, *plane, objective.epsilon, read_only(numbers), beta)


def copies(program: AnyProgram) -> int:
    """How many variables a program has for each row."""
    return 2 if isinstance(program, BorderedProgram) else 1


def costs(program: AnyProgram) -> Vector:
    """c of each variable."""
    return np.tile(program.problem.cost, copies(program))


def named_alpha(program: AnyProgram, alpha: Vector) -> Vector:
    """What a dual point has of each row: alpha, or beta where there are two variables for each."""
    return program.beta(alpha) if isinstance(program, BorderedProgram) else alpha
