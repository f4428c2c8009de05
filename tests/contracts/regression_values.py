"""Primal and dual values of the objectives of regression, in NumPy's long doubles and by formulas written out here.

A new objective whose solver certifies a DualityGap gets a function here, and an entry in `TRUE_VALUES`: the contract
then holds every row of the registry that minimises it to these values. A function is given dense rows X in long
doubles, the problem and the claim; it returns the primal value of the claim's plane, the dual value of its dual point
repaired to be feasible, and the size of the terms that both were summed from.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.problem import Problem


class TrueValues(NamedTuple):
    primal: Any
    dual: Any
    terms: Any


TRUE_VALUES: dict[type, Callable[[np.ndarray, Problem, DualityGap], TrueValues]] = {}
