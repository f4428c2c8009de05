"""The two-class problems of the columns of a code, solved one after the other or side by side."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from separatrix.certificates import Certificate, Collected
from separatrix.threads import parallel_map

Answer = TypeVar("Answer")


def solve_columns(
    code: np.ndarray,
    solve: Callable[[int, np.ndarray], Answer],
    certificate_of: Callable[[Answer], Certificate],
    parallel: bool = False,
) -> tuple[list[Answer], Collected]:
    """Solve the two-class problem of each column of a code, given its number, and collect the certificates.

    In parallel each column has one core, and no more columns are at work than there are cores.

    >>> from separatrix.certificates import Unproved
    >>> from separatrix.estimators.reduction.codes import one_vs_rest
    >>> answers, claim = solve_columns(one_vs_rest(3), lambda k, side: side.sum(), lambda _: Unproved("a sum"))
    >>> [int(answer) for answer in answers], len(claim.parts)
    ([-1, -1, -1], 3)
    """
    columns = list(enumerate(code.T))
    answers = list((parallel_map if parallel else map)(lambda column: solve(*column), columns))
    return answers, Collected(code, tuple(map(certificate_of, answers)))
