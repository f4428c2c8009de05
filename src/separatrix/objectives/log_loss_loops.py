"""Log losses of two classes as compiled loops, which need no branch and so run on vector units.

    exp(x)    = 2^k exp(r),            |r| <= log(2) / 2,    exp(r) by the continued fraction of r coth(r / 2)
    log(1+f)  = f - f^2/2 + s (f^2/2 + R(s^2)),    s = f / (2 + f),    sqrt(1/2) <= 1 + f <= sqrt(2)

are accurate to a unit in the last place (Ng, 1993, fdlibm). The libraries that NumPy calls take one number at a time on
many processors, and longer for one loss than it takes to read a row of twenty features. Letters are those of
`log_loss`: m are the log-odds of the rival class, q is its probability.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from separatrix.compiling import compiled, informed_numba, overload
from separatrix.rows import Rows, add_four, is_dense, n_entries, n_rows, row_axpy, row_dot

ENTRIES_PER_LOSS = 32  # one loss takes as long as reading so many entries of the rows

# Coefficients and bit patterns of fdlibm.
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

MIN_ENTRIES_FOR_NUMBA = 2**24  # with fewer, importing numba takes longer than the loops save in a whole fit


class BinaryRows(NamedTuple):
    """Arrays that the loops over rows of two classes read (y, weights) and fill (the others).

    y, weights, m and q have an entry for each row: class, cost, log-odds and probability of the rival class. The loss
    and its gradient by the score, both weighted, are those of one tile of rows at a time.
    """

    y: np.ndarray
    weights: np.ndarray
    m: np.ndarray
    q: np.ndarray
    tile_loss: np.ndarray
    tile_gradient: np.ndarray


def worth_compiling(X: Rows) -> bool:
    """Whether numba is installed and the rows are enough to make up for importing it."""
    return n_entries(X) + ENTRIES_PER_LOSS * n_rows(X) >= MIN_ENTRIES_FOR_NUMBA and informed_numba() is not None


def bits_of(x: float) -> Any:
    """The bits of a number."""
    return np.float64(x).view(np.uint64)


def from_bits(bits: Any) -> Any:
    """The number that has these bits."""
    return np.uint64(bits).view(np.float64)


@cache
def casting() -> tuple[Any, Any]:
    """Define `bits_of` and `from_bits` for compiled loops, where they cost nothing; this imports numba."""
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
    """Let compiled loops call a function that divides, without the test for a divisor of 0, which would be a branch."""
    options = {"error_model": "numpy", "fastmath": {"contract"}, "forceinline": True, "_nrt": False}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)
    return function


@vectorized
def exp_nonpositive(x: float) -> float:
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
def log1p_small(f: float) -> float:
    """log(1 + f) for 1 + f between the roots of 1/2 and 2."""
    s = f / (2.0 + f)
    z, half = s * s, 0.5 * f * f
    return f - (half - s * (half + z * (R1 + z * (R2 + z * (R3 + z * (R4 + z * (R5 + z * (R6 + z * R7))))))))


@vectorized
def log1p_unit(e: float) -> float:
    """log(1 + e) for e from 0 to 1."""
    large = e > ROOT - 1.0
    near = log1p_small(0.5 * (e - 1.0) if large else e)
    return near + LOG2 if large else near


@vectorized
def log_normal(u: float) -> float:
    """log(u) for a normal number above 0."""
    bits = bits_of(u)
    k = from_bits((bits >> PLACES) | WHOLE_BITS) - (WHOLE + 1023.0)
    fraction = from_bits((bits & FRACTION) | ONE_BITS)
    large = fraction > ROOT
    near = log1p_small(0.5 * fraction - 1.0 if large else fraction - 1.0)
    k = k + 1.0 if large else k
    return k * LOG2_HIGH + (near + k * LOG2_LOW)


@vectorized
def rival_probability(m: float, e: float) -> float:
    """q from m and exp(-|m|)."""
    return (1.0 if m > 0.0 else e) / (1.0 + e)


def add_rows(X, first, last, c, into):
    """into += sum_i c_i x_i over the rows from first to last; c starts with the first of them."""
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
def loss_tile(first, last, rows):
    """Compute q, weighted losses and their gradients by the score, from the log-odds m of the rows first to last."""
    y, weights, m, q, loss, gradient = rows
    for i in range(np.uintp(first), np.uintp(last)):
        e = exp_nonpositive(-abs(m[i]))
        loss[i - np.uintp(first)] = weights[i] * (log1p_unit(e) + (m[i] if m[i] > 0.0 else 0.0))
        q_i = rival_probability(m[i], e)
        q[i] = q_i
        gradient[i - np.uintp(first)] = weights[i] * (1.0 - 2.0 * y[i]) * q_i


@compiled
def add_loss_gradient(X, first, last, w, b, rows, into):
    """Add sum_i gradient_i x_i of the rows from first to last to `into`; return the sum of their weighted losses.

    The log-odds m are computed first, unless w is empty: then they are given. A tile of rows is
    used twice while it is in the cache.
    """
    y, m, gradient = rows.y, rows.m, rows.tile_gradient
    total = 0.0
    for start in range(first, last, gradient.size):
        stop = min(start + gradient.size, last)
        if w.size:
            for i in range(start, stop):
                m[i] = (1.0 - 2.0 * y[i]) * (row_dot(X, i, w) + b)
        loss_tile(start, stop, rows)
        add_rows(X, start, stop, gradient, into[0])
        for i in range(start, stop):
            total += rows.tile_loss[i - start]
    return total


@compiled
def derivative_loop(m, change, t, into):
    """The derivative by t of each loss whose log-odds are m + t change."""
    for i in range(np.uintp(m.size)):
        m_i = m[i] + t * change[i]
        into[i] = rival_probability(m_i, exp_nonpositive(-abs(m_i))) * change[i]
