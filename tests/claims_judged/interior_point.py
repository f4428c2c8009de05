"""A primal-dual interior point method in 1,000 bits, for convex programs of a few variables (Mehrotra, 1992).

    minimise  1/2 x'Hx + q'x + sum_i c_i max(0, h_i - g_i x)      or its square; c_i None: h_i - g_i x <= 0 on all i

Nothing here is believed: what it finds is a candidate, whose objective is then computed in exact arithmetic.
"""

from typing import NamedTuple

from flint import arb, arb_mat

from claims_judged.exact_numbers import set_precision

MAX_STEPS = 120
GAP = arb(2) ** -100  # relative, at which the search ends
REGULARISED = arb(2) ** -200  # part of the diagonal that is added where columns depend on each other


class Program(NamedTuple):
    """H, q, and for each piece g, h, its price c (None: a constraint) and whether it is squared; one answer for all."""

    H: list
    q: list
    G: list
    h: list
    c: list
    squared: object = False


class Point(NamedTuple):
    """The variables, and the multiplier of each piece."""

    x: list
    alpha: list


def ball(value):
    return value if isinstance(value, arb) else arb(value)


def power_of_two(size):
    """A power of two near a positive number."""
    return arb(2) ** round(float(size.mid().log() / arb(2).log())) if size > 0 else arb(1)


def minimised(program):
    """The best point that was found."""
    set_precision()
    p, m = len(program.q), len(program.h)
    G = [[ball(v) for v in row] for row in program.G]
    units = [power_of_two(max((abs(row[j]) for row in G), key=float_key)) for j in range(p)]
    G = [[v / u for v, u in zip(row, units, strict=True)] for row in G]
    H = [[ball(program.H[i][j]) / units[i] / units[j] for j in range(p)] for i in range(p)]
    q = [ball(v) / u for v, u in zip(program.q, units, strict=True)]
    state = State(arb_mat(H), arb_mat(p, 1, q), arb_mat(G), [ball(v) for v in program.h], program)
    for _ in range(MAX_STEPS):
        if not state.step():
            break
    return Point([v / u for v, u in zip(column(state.x), units, strict=True)], state.alpha[:m])


def float_key(value):
    """A sort key for balls of any exponent."""
    return value.mid()


def column(matrix):
    return [matrix[i, 0].mid() for i in range(matrix.nrows())]


class State:
    """An iterate: x, multipliers alpha, distances s from the kinks and slacks xi."""

    def __init__(self, H, q, G, h, program):
        self.H, self.q, self.G, self.Gt, self.h = H, q, G, G.transpose(), h
        self.c = [None if c is None else ball(c) for c in program.c]
        m, one = len(h), arb(1)
        self.squared = list(program.squared) if hasattr(program.squared, "__len__") else [program.squared] * m
        self.x = arb_mat(q.nrows(), 1)
        self.s = [one.max(abs(v)) for v in h]
        self.alpha = [one if c is None or square else c / 2 for c, square in zip(self.c, self.squared, strict=True)]
        self.xi = [arb(0) if self.is_hard(i) else self.alpha[i] / (2 * self.c[i]) if self.squared[i] else self.s[i]
                   for i in range(m)]  # fmt: skip

    def is_hard(self, i):
        return self.c[i] is None

    def is_boxed(self, i):
        return self.c[i] is not None and not self.squared[i]

    def complementarity(self):
        """The products that are to vanish."""
        found = [a * s for a, s in zip(self.alpha, self.s, strict=True)]
        return found + [(self.c[i] - self.alpha[i]) * self.xi[i] for i in range(len(self.h)) if self.is_boxed(i)]

    def step(self):
        """Move once, and tell whether it is worth going on."""
        m = len(self.h)
        scores = column(self.G * self.x)
        self.primal = [(g - h + e - s).mid() for g, h, e, s in zip(scores, self.h, self.xi, self.s, strict=True)]
        self.dual = self.H * self.x + self.q - self.Gt * arb_mat(m, 1, self.alpha)
        products = self.complementarity()
        mu = (sum(products, arb(0)) / len(products)).mid()
        size = abs((self.x.transpose() * self.H * self.x)[0, 0]) + abs((self.q.transpose() * self.x)[0, 0])
        if mu * len(products) < GAP * size and largest_of(self.primal) < GAP:
            return False
        theta = [self.weight(i) for i in range(m)]
        weighted = arb_mat(
            m, len(column(self.x)), [t * v for t, row in zip(theta, self.G.tolist(), strict=True) for v in row]
        )
        M = (self.H + self.Gt * weighted).mid()
        for j in range(M.nrows()):
            M[j, j] = (M[j, j] * (1 + REGULARISED) + REGULARISED**4).mid()
        try:
            inverse = M.inv().mid()
        except ZeroDivisionError:
            return False
        affine = self.direction(inverse, theta, arb(0), None)
        t = self.longest(affine)
        ahead = self.moved(affine, t).complementarity()
        sigma = (sum(ahead, arb(0)) / len(ahead) / mu).mid()
        change = self.direction(inverse, theta, mu * sigma * sigma * sigma, affine)
        t = (self.longest(change) * arb(0.995)).min(arb(1)).mid()
        if t < arb(2) ** -60:
            return False
        self.__dict__.update(self.moved(change, t).__dict__)
        return True

    def weight(self, i):
        """The curvature of a piece at this point."""
        own = self.s[i] / self.alpha[i]
        if self.is_boxed(i):
            own += self.xi[i] / (self.c[i] - self.alpha[i])
        elif not self.is_hard(i):
            own += 1 / (2 * self.c[i])
        return (1 / own).mid()

    def direction(self, inverse, theta, mu, affine):
        """The Newton direction to products of mu, with the second order of an affine direction."""
        m = len(self.h)
        first, second = [], []
        for i in range(m):
            bent = affine[1][i] * affine[2][i] if affine else arb(0)
            first.append((mu - bent) / self.alpha[i] - self.s[i])
            if self.is_boxed(i):
                bent = -affine[1][i] * affine[3][i] if affine else arb(0)
                second.append((mu - bent) / (self.c[i] - self.alpha[i]) - self.xi[i])
            else:
                second.append(arb(0))
        e = [(f - r - g).mid() for f, r, g in zip(first, self.primal, second, strict=True)]
        right = self.Gt * arb_mat(m, 1, [t * v for t, v in zip(theta, e, strict=True)]) - self.dual
        dx = (inverse * right).mid()
        moved = column(self.G * dx)
        da = [(t * (v - g)).mid() for t, v, g in zip(theta, e, moved, strict=True)]
        ds = [(f - self.s[i] * da[i] / self.alpha[i]).mid() for i, f in enumerate(first)]
        de = [self.slack_change(i, second[i], da[i]) for i in range(m)]
        return dx, da, ds, de

    def slack_change(self, i, second, da):
        if self.is_hard(i):
            return arb(0)
        if self.squared[i]:
            return (da / (2 * self.c[i])).mid()
        return (second + self.xi[i] * da / (self.c[i] - self.alpha[i])).mid()

    def longest(self, change):
        """The largest step for which all stays positive, at most 1."""
        t = arb(1)
        _, da, ds, de = change
        for i in range(len(self.h)):
            pairs = [(self.alpha[i], da[i]), (self.s[i], ds[i])]
            if self.is_boxed(i):
                pairs += [(self.c[i] - self.alpha[i], -da[i]), (self.xi[i], de[i])]
            for value, slope in pairs:
                if value + t * slope < 0:
                    t = (-value / slope).mid()
        return t

    def moved(self, change, t):
        """The iterate after a step."""
        found = object.__new__(State)
        found.__dict__.update(self.__dict__)
        dx, da, ds, de = change
        found.x = (self.x + dx * t).mid()
        for name, slope in (("alpha", da), ("s", ds), ("xi", de)):
            setattr(found, name, [(v + t * d).mid() for v, d in zip(getattr(self, name), slope, strict=True)])
        return found


def largest_of(values):
    return max((abs(v) for v in values), key=float_key)
