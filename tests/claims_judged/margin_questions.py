"""What planes between two classes cost, exactly, and programs whose solution is a better plane.

Each question has `value(w, b)`, the objective that is claimed, infinite as None; `program()`, the same for
`interior_point`; and `plane(x)`, w and b of its solution. Nothing of it comes from the package.
"""

from flint import fmpq

from claims_judged.exact_numbers import inner, least, positive_part
from claims_judged.interior_point import Program

ZERO, ONE = fmpq(0), fmpq(1)


class Question:
    """Rows in some space, signs or numbers, prices of rows, and whether planes have an offset."""

    extra = 0  # variables of the program besides w and b

    def __init__(self, space, target, cost, offset):
        self.space, self.target, self.cost, self.offset = space, target, cost, offset

    @property
    def size(self):
        return self.space.width + int(self.offset) + self.extra

    def quadratic(self, factor=ONE):
        """The matrix of factor times ||w||^2 over all variables."""
        form, p = self.space.form(), self.space.width
        return [[factor * form[i][j] if i < p and j < p else ZERO for j in range(self.size)] for i in range(self.size)]

    def piece(self, row, sign, *more):
        """sign (w.x + b) and what else a piece depends on, as a row of the program."""
        return [*(sign * v for v in row), *([fmpq(sign)] if self.offset else []), *more]

    def plane(self, x):
        """w and b among the variables."""
        p = self.space.width
        return x[:p], x[p] if self.offset else ZERO


class SoftMargin(Question):
    """Hinge, squared hinge or, where C is None, the hard margin."""

    def __init__(self, space, target, cost, offset, C, squared):
        super().__init__(space, target, cost, offset)
        self.C, self.squared = C, squared and C is not None

    def value(self, w, b):
        margins = [s * g for s, g in zip(self.target, self.space.scores(w, b), strict=True)]
        penalty = self.space.square(w) / 2
        if self.C is None:
            smallest = least(margins)
            return penalty / smallest**2 if smallest > 0 else None
        slacks = [positive_part(1 - m) for m in margins]
        return penalty + self.C * inner(self.cost, [s * s for s in slacks] if self.squared else slacks)

    def program(self):
        G = [self.piece(row, s) for row, s in zip(self.space.rows, self.target, strict=True)]
        prices = [None if self.C is None else self.C * c for c in self.cost]
        return Program(self.quadratic(), [ZERO] * self.size, G, [ONE] * len(G), prices, self.squared)


class MeanSlack(Question):
    """The mean slack of both classes, added."""

    def shares(self):
        return [c / sum((k for k, s in zip(self.cost, self.target, strict=True) if s == own), ZERO)
                for c, own in zip(self.cost, self.target, strict=True)]  # fmt: skip

    def value(self, w, b):
        slacks = [positive_part(1 - s * g) for s, g in zip(self.target, self.space.scores(w, b), strict=True)]
        return inner(self.shares(), slacks)

    def program(self):
        G = [self.piece(row, s) for row, s in zip(self.space.rows, self.target, strict=True)]
        return Program(self.quadratic(ZERO), [ZERO] * self.size, G, [ONE] * len(G), self.shares())


class NuMargin(Question):
    """The nu machine and, with signs of 1 and no offset, novelty detection; a plane counts at its best scale."""

    extra = 1

    def __init__(self, space, target, cost, offset, nu):
        super().__init__(space, target, cost, offset)
        self.total = nu * sum(cost, ZERO)
        if offset:
            sides = [sum((c for c, s in zip(cost, target, strict=True) if s == side), ZERO) for side in (-1, 1)]
            self.total = min(self.total, *(2 * side for side in sides))

    def value(self, w, b):
        margins = [s * g for s, g in zip(self.target, self.space.scores(w, b), strict=True)]
        kinks = [ZERO, *(m for m in margins if m > 0)]
        gains = [self.total * r - inner(self.cost, [positive_part(r - m) for m in margins]) for r in kinks]
        best, square = gains[0], self.space.square(w)
        for gain in gains[1:]:
            best = gain if gain > best else best
        return -best * best / square / 2 if best > 0 and square > 0 else ZERO

    def program(self):
        G = [self.piece(row, s, -ONE) for row, s in zip(self.space.rows, self.target, strict=True)]
        G.append([ZERO] * (self.size - 1) + [ONE])
        q = [ZERO] * (self.size - 1) + [-self.total]
        return Program(self.quadratic(), q, G, [ZERO] * len(G), [*self.cost, None])


class Joint(Question):
    """One machine for several classes (Crammer and Singer): w is a list of planes, b a list of offsets."""

    def __init__(self, space, target, cost, offset, C, k):
        super().__init__(space, target, cost, offset)
        self.C, self.k = C, k

    def value(self, w, b):
        scores = [self.space.scores(*each) for each in zip(w, b, strict=True)]
        total = ZERO
        for i, (own, c) in enumerate(zip(self.target, self.cost, strict=True)):
            rivals = [scores[j][i] for j in range(self.k) if j != own]
            total += c * positive_part(1 - (scores[own][i] - max(rivals)))
        return sum((self.space.square(each) for each in w), ZERO) / 2 + self.C * total

    def program(self):
        n, p = len(self.target), self.space.width + int(self.offset)
        size, G, h = self.k * p + n, [], []
        for i, own in enumerate(self.target):
            row = [*self.space.rows[i], *([ONE] if self.offset else [])]
            slack = [fmpq(int(i == k)) for k in range(n)]
            for rival in range(self.k):
                blocks = [[v * (int(j == own) - int(j == rival)) for v in row] for j in range(self.k)]
                G.append([*(v for block in blocks for v in block), *slack])
                h.append(ONE if rival != own else ZERO)
        H = [[fmpq(int(i == j and i < self.k * p and i % p < self.space.width)) for j in range(size)]
             for i in range(size)]  # fmt: skip
        q = [ZERO] * (self.k * p) + [self.C * c for c in self.cost]
        return Program(H, q, G, h, [None] * len(G))

    def plane(self, x):
        p, d = self.space.width + int(self.offset), self.space.width
        parts = [x[k * p : (k + 1) * p] for k in range(self.k)]
        return [part[:d] for part in parts], [part[d] if self.offset else ZERO for part in parts]
