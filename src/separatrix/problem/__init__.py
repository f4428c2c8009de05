"""The question and the answer: pure numbers."""

from separatrix.problem.moments import Moments
from separatrix.problem.problem import Problem
from separatrix.problem.solution import Solution
from separatrix.problem.status import Status

__all__ = ["Moments", "Problem", "Solution", "Status"]
