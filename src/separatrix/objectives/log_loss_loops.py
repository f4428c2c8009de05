"""Log losses of two classes as compiled loops, which need no branch and so run on vector units.

    exp(x)    = 2^k exp(r),            |r| <= log(2) / 2,    exp(r) by the continued fraction of r coth(r / 2)
    log(1+f)  = f - f^2/2 + s (f^2/2 + R(s^2)),    s = f / (2 + f),    sqrt(1/2) <= 1 + f <= sqrt(2)

are right to a unit in the last place (Ng, 1993, fdlibm). The libraries that NumPy calls take one number at a time on
many processors, and longer for a loss than a row of twenty features takes to be read. Names are those of
`logistic_loss`: m is by how much the rival is ahead, q its probability.
"""

from functools import cache
from typing import Any

import numpy as np

from separatrix.compiling import compiled, informed_numba, overload
from separatrix.rows import Rows, add_four, is_dense, n_entries, n_rows, row_axpy, row_dot

MANY = 2**20  # numbers from which on numba, which has to be imported, is worth it
RESPONSE = 32  # numbers that are read while the loss of a row is computed

SHIFT = 6755399441055744.0  # 1.5 * 2^52: added to a number it leaves a whole one in the last bits
ONE_BITS, WHOLE_BITS = np.uint64(0x3FF0000000000000), np.uint64(0x4330000000000000)  # of 1 and of 2^52
BIAS, PLACES, FRACTION = np.uint64(1023), np.uint64(52), np.uint64(0x000FFFFFFFFFFFFF)
WHOLE = 2.0**52
LOG2, LOG2_HIGH, LOG2_LOW = 6.93147180559945286e-01, 6.93147180369123816490e-01, 1.90821492927058770002e-10
PER_LOG2 = 1.44269504088896338700
P1, P2, P3 = 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05
P4, P5 = -1.65339022054652515390e-06, 4.13813679705723846039e-08
R1, R2, R3, R4 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01
R5, R6, R7 = 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01
SMALLEST, LOWEST = 2.2250738585072014e-308, -708.0  # normal number, and its logarithm
ROOT = 1.4142135623730951


def worthwhile(X: Rows) -> bool:
    """Whether there is numba, and rows enough for it."""
    return n_entries(X) + RESPONSE * n_rows(X) >= MANY and informed_numba() is not None


def bits_of(x: float) -> Any:
    """The bits of a number."""
    return np.float64(x).view(np.uint64)


def from_bits(bits: Any) -> Any:
    """The number that has these bits."""
    return np.uint64(bits).view(np.float64)


@cache
def casting() -> tuple[Any, Any]:
    """Define both for compiled loops, where they cost nothing; that takes numba."""
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def as_bits(typing_context, x):
        """The bits of a number."""
        return types.uint64(types.float64), lambda context, builder, _, arguments: builder.bitcast(
            arguments[0], ir.IntType(64)
        )

    @intrinsic
    def as_number(typing_context, bits):
        """The number of bits."""
        return types.float64(types.uint64), lambda context, builder, _, arguments: builder.bitcast(
            arguments[0], ir.DoubleType()
        )

    return as_bits, as_number


@overload(bits_of, inline="always")
def _bits_of(x):
    as_bits = casting()[0]

    def cast(x):
        return as_bits(x)

    return cast


@overload(from_bits, inline="always")
def _from_bits(bits):
    as_number = casting()[1]

    def cast(bits):
        return as_number(bits)

    return cast


def vectorized(function: Any) -> Any:
    """Let compiled loops call a function that divides: without a look whether it is by 0, which would be a branch."""
    options = {"error_model": "numpy", "fastmath": {"contract"}, "forceinline": True, "_nrt": False}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)
    return function


@vectorized
def exp_below(x: float) -> float:
    """exp(x) for x of at most 0; 0 where it would not be a normal number."""
    shifted = x * PER_LOG2 + SHIFT
    k = shifted - SHIFT
    high, low = x - k * LOG2_HIGH, k * LOG2_LOW
    r = high - low
    t = r * r
    c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))))
    power = from_bits((bits_of(shifted) + BIAS) << PLACES)
    return 0.0 if x < LOWEST else (1.0 - ((low - r * c / (2.0 - c)) - high)) * power


@vectorized
def log_near(f: float) -> float:
    """log(1 + f) for 1 + f between the roots of 1/2 and 2."""
    s = f / (2.0 + f)
    z, half = s * s, 0.5 * f * f
    return f - (half - s * (half + z * (R1 + z * (R2 + z * (R3 + z * (R4 + z * (R5 + z * (R6 + z * R7))))))))


@vectorized
def log_above(e: float) -> float:
    """log(1 + e) for e from 0 to 1."""
    large = e > ROOT - 1.0
    near = log_near(0.5 * (e - 1.0) if large else e)
    return near + LOG2 if large else near


@vectorized
def log_of(u: float) -> float:
    """log(u) for a normal number above 0."""
    bits = bits_of(u)
    k = from_bits((bits >> PLACES) | WHOLE_BITS) - (WHOLE + 1023.0)
    fraction = from_bits((bits & FRACTION) | ONE_BITS)
    large = fraction > ROOT
    near = log_near(0.5 * fraction - 1.0 if large else fraction - 1.0)
    k = k + 1.0 if large else k
    return k * LOG2_HIGH + (near + k * LOG2_LOW)


@vectorized
def wrong_from(m: float, e: float) -> float:
    """q from m and exp(-|m|)."""
    return (1.0 if m > 0.0 else e) / (1.0 + e)


@vectorized
def entropy(q: float) -> float:
    """The entropy of q and 1 - q, where 1 - q may round to 1."""
    u = max(1.0 - q, SMALLEST)
    rest = log_of(u) - (q - (1.0 - u)) / u
    return -q * log_of(max(q, SMALLEST)) - (1.0 - q) * rest


def add_rows(X, first, last, c, into):
    """into += the sum of c_i x_i over some rows, c counted from the first of them."""
    for i in range(first, last):
        row_axpy(c[i - first], X, i, into)


add_each = add_rows


@overload(add_rows, jit_options={"fastmath": {"contract"}, "_nrt": False})
def _add_rows(X, first, last, c, into):
    def add_by_four(X, first, last, c, into):
        whole = first + (last - first) // 4 * 4
        for i in range(first, whole, 4):
            k = i - first
            add_four(X, i, c[k], c[k + 1], c[k + 2], c[k + 3], into)
        for i in range(whole, last):
            row_axpy(c[i - first], X, i, into)

    return add_by_four if is_dense(X) else add_each


@compiled
def lose(first, last, y, weights, ahead, wrong, losses, pull):
    """From m: the weighted loss and q of some rows, and by how much they pull at their scores."""
    for i in range(np.uintp(first), np.uintp(last)):
        m = ahead[i]
        e = exp_below(-abs(m))
        losses[i - np.uintp(first)] = weights[i] * (log_above(e) + (m if m > 0.0 else 0.0))
        q = wrong_from(m, e)
        wrong[i] = q
        pull[i - np.uintp(first)] = weights[i] * (1.0 - 2.0 * y[i]) * q


@compiled
def look_at(X, first, last, known, w, b, y, weights, ahead, wrong, losses, pull, into):
    """Go through some rows once: m unless it is known, q, and the sum of x_i times its pull.

    Where `into` has a second row, that is the sum over class 1. The sum of the losses is returned. A tile of rows, as
    many as `pull` has room for, is read twice while it is near.
    """
    lost = 0.0
    for start in range(first, last, pull.size):
        stop = min(start + pull.size, last)
        if not known:
            for i in range(start, stop):
                ahead[i] = (1.0 - 2.0 * y[i]) * (row_dot(X, i, w) + b)
        lose(start, stop, y, weights, ahead, wrong, losses, pull)
        add_rows(X, start, stop, pull, into[0])
        for i in range(start, stop):
            lost += losses[i - start]
            pull[i - start] *= y[i]
        if len(into) > 1:
            add_rows(X, start, stop, pull, into[1])
    return lost


@compiled
def slopes_along(ahead, along, t, into):
    """The derivative of each loss by t, where m is `ahead` and grows by t times `along`."""
    for i in range(np.uintp(ahead.size)):
        m = ahead[i] + t * along[i]
        into[i] = wrong_from(m, exp_below(-abs(m))) * along[i]


@compiled
def each_entropy(wrong, into):
    """The entropy of each q."""
    for i in range(np.uintp(wrong.size)):
        into[i] = entropy(wrong[i])
