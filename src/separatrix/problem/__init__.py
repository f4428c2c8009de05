"""The question and the answer: pure numbers."""

from separatrix.problem.model import Expansion, Model, Plane, PlanesOfCode
from separatrix.problem.moments import Moments
from separatrix.problem.problem import Problem
from separatrix.problem.solution import History, Solution
from separatrix.problem.status import Status

__all__ = ["Expansion", "History", "Model", "Moments", "Plane", "PlanesOfCode", "Problem", "Solution", "Status"]
