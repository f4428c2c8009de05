"""Doubles as fractions or balls, and the little that both kinds of numbers need.

A question in the space of the features is judged in fractions (`fmpq`), one with exp, log or tanh in balls (`arb`) of
so many bits that only a number in doubt to the last of them could be undecided; an undecided claim counts as true.
"""

from fractions import Fraction
from functools import reduce

from flint import arb, ctx, fmpq, fmpz

BITS = 1000


def set_precision():
    """Set the precision of balls; the setting is global in python-flint, and others may have changed it."""
    ctx.prec = BITS


def fraction(value):
    """The fraction that a double is."""
    return fmpq(*float(value).as_integer_ratio())


def fractions(values):
    """Fractions for an array of one or two dimensions."""
    return [fractions(each) if hasattr(each, "__len__") else fraction(each) for each in values]


def fraction_of_ball(ball):
    """The middle of a ball as a fraction."""
    mantissa, exponent = ball.mid().man_exp()
    power = fmpz(2) ** abs(int(exponent))
    return fmpq(mantissa) * fmpq(power) if exponent >= 0 else fmpq(mantissa) / fmpq(power)


def positive_part(value):
    """max(0, value)."""
    if isinstance(value, arb):
        return value.max(arb(0))
    return value if value > 0 else fmpq(0)


def least(values):
    """The smallest of some numbers."""
    return reduce(lambda a, b: a.min(b) if isinstance(a, arb) else min(a, b), values)


def largest(values):
    """The largest of some numbers."""
    return reduce(lambda a, b: a.max(b) if isinstance(a, arb) else max(a, b), values)


def inner(one, other):
    """The inner product of two lists; terms with an exact 0 are left out, also of balls."""
    return sum((a * b for a, b in zip(one, other, strict=True) if not (a == 0 or b == 0)), fmpq(0))


def float_of(value):
    """The double near a number, for people."""
    return float(value.mid()) if isinstance(value, arb) else float(Fraction(int(value.p), int(value.q)))
