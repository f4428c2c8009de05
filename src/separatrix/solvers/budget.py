"""How long a solver may go on: a number of iterations, and seconds on the clock."""

import time

import numpy as np


class TimeOverError(Exception):
    """The time is over, in the middle of an iteration."""


class Budget:
    """Iterations and time that are left; every part of a solver draws on the same one.

    Examples
    --------
    >>> from separatrix.solvers.budget import Budget
    >>> budget = Budget(max_iter=2)
    >>> [budget.spent() for _ in range(3)]  # asked once before each iteration
    [False, False, True]
    """

    def __init__(self, max_iter: int, seconds: float = np.inf):
        self.max_iter, self.used = max_iter, 0
        self.deadline = time.perf_counter() + seconds

    @property
    def left(self) -> int:
        """Iterations that are left, none after the time is over."""
        return 0 if time.perf_counter() >= self.deadline else self.max_iter - self.used

    @property
    def seconds(self) -> float:
        """Seconds that are left, never below 0."""
        return max(0.0, self.deadline - time.perf_counter())

    def spent(self) -> bool:
        """Whether to end now; if not, one more iteration is counted."""
        if self.left <= 0:
            return True
        self.used += 1
        return False

    def check_time(self) -> None:
        """Raise where the time is over: an iteration that takes long asks now and then."""
        if self.seconds <= 0.0:
            raise TimeOverError
