"""Systems of linear inequalities decided by elimination (Fourier, 1827; Motzkin, 1936), in Python's own fractions.

Slow, short and independent of everything in the package: it knows no planes, no weights and no floats.
"""

from fractions import Fraction


def feasible(inequalities):
    """Whether <a, v> > 0 (strict) or >= 0 has a solution v, for pairs of a and strict."""
    system = {(tuple(map(Fraction, a)), strict) for a, strict in inequalities}
    for _ in range(len(next(iter(system))[0])):
        system = eliminated(system)
        if any(strict and not any(a) for a, strict in system):
            return False  # it asks for 0 > 0
    return True


def eliminated(system):
    """The same without the last variable."""
    upward = [(a, s) for a, s in system if a[-1] > 0]
    downward = [(a, s) for a, s in system if a[-1] < 0]
    left = {(scaled(a[:-1]), s) for a, s in system if a[-1] == 0}
    for a, s in upward:
        for c, t in downward:
            left.add((scaled([x * -c[-1] + y * a[-1] for x, y in zip(a[:-1], c[:-1], strict=True)]), s or t))
    return left


def scaled(a):
    """The same inequality with a largest entry of 1, so that equal ones are found."""
    largest = max(map(abs, a), default=0)
    return tuple(x / largest for x in a) if largest else tuple(a)


def kind(vectors):
    """complete, quasi-complete or overlap, by the definitions."""
    if feasible([(a, True) for a in vectors]):
        return "complete"
    weak = [(a, False) for a in vectors]
    return "quasi-complete" if any(feasible([*weak, (a, True)]) for a in vectors) else "overlap"
