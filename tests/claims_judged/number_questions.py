"""What planes through numbers, and balls around rows, cost exactly; with programs as in `margin_questions`."""

from flint import arb, fmpq

from claims_judged.exact_numbers import inner, positive_part, set_precision
from claims_judged.interior_point import Program
from claims_judged.margin_questions import ONE, ZERO, Question


class Tube(Question):
    """Support vector regression with excesses, or their squares."""

    def __init__(self, space, target, cost, offset, C, epsilon, squared):
        super().__init__(space, target, cost, offset)
        self.C, self.epsilon, self.squared = C, epsilon, squared

    def value(self, w, b):
        residuals = [abs(y - g) for y, g in zip(self.target, self.space.scores(w, b), strict=True)]
        excess = [positive_part(r - self.epsilon) for r in residuals]
        return self.space.square(w) / 2 + self.C * inner(self.cost, [e * e for e in excess] if self.squared else excess)

    def program(self):
        pairs = list(zip(self.space.rows, self.target, strict=True))
        G = [self.piece(row, side) for side in (1, -1) for row, _ in pairs]
        h = [side * y - self.epsilon for side in (1, -1) for _, y in pairs]
        return Program(self.quadratic(), [ZERO] * self.size, G, h, [self.C * c for c in self.cost] * 2, self.squared)


class NuTube(Question):
    """Support vector regression at the best width of the tube."""

    extra = 1

    def __init__(self, space, target, cost, offset, C, nu):
        super().__init__(space, target, cost, offset)
        self.C, self.total = C, C * nu * sum(cost, ZERO)

    def value(self, w, b):
        residuals = [abs(y - g) for y, g in zip(self.target, self.space.scores(w, b), strict=True)]
        costs = [self.total * e + self.C * inner(self.cost, [positive_part(r - e) for r in residuals])
                 for e in [ZERO, *residuals]]  # fmt: skip
        best = costs[0]
        for each in costs[1:]:
            best = each if each < best else best
        return self.space.square(w) / 2 + best

    def program(self):
        pairs = list(zip(self.space.rows, self.target, strict=True))
        G = [self.piece(row, side, ONE) for side in (1, -1) for row, _ in pairs]
        G.append([ZERO] * (self.size - 1) + [ONE])
        h = [*(side * y for side in (1, -1) for _, y in pairs), ZERO]
        q = [ZERO] * (self.size - 1) + [self.total]
        return Program(self.quadratic(), q, G, h, [self.C * c for c in self.cost] * 2 + [None])


class Ball(Question):
    """The smallest ball with a part nu of the rows outside; w is its centre, and there is no offset."""

    extra = 1

    def __init__(self, space, cost, nu):
        super().__init__(space, [ONE] * len(cost), cost, False)
        self.total = nu * sum(cost, ZERO)

    def value(self, w, b):
        own = self.space.square(w)
        squares = [x - 2 * g + own for x, g in zip(self.space.lengths(), self.space.scores(w, b), strict=True)]
        costs = [self.total * R + inner(self.cost, [positive_part(s - R) for s in squares]) for R in squares]
        best = costs[0]
        for each in costs[1:]:
            best = each if each < best else best
        return best

    def program(self):
        """In the centre and R^2 less its square, by which the objective is convex."""
        G = [[2 * v for v in row] + [ONE] for row in self.space.rows]
        q = [ZERO] * (self.size - 1) + [self.total]
        return Program(self.quadratic(2 * self.total), q, G, self.space.lengths(), self.cost)


class SparseTube(Question):
    """Sparse regression: squares beyond a tube on average, and the sum of |w|."""

    def __init__(self, space, target, cost, offset, l1, epsilon):
        super().__init__(space, target, cost, offset)
        self.l1, self.epsilon, self.weight = l1, epsilon, sum(cost, ZERO)

    def value(self, w, b):
        residuals = [y - g for y, g in zip(self.target, self.space.scores(w, b), strict=True)]
        mean = inner(self.cost, [positive_part(r * r - self.epsilon) for r in residuals]) / self.weight
        return self.l1 * sum((abs(v) for v in w), ZERO) + mean

    def program(self):
        """In the excess u over sqrt(epsilon): r^2 - epsilon is u^2 + 2 sqrt(epsilon) u, and |w| 2 max(0, w) - w."""
        set_precision()
        half, p = arb(self.epsilon).sqrt().mid(), self.space.width
        pairs = list(zip(self.space.rows, self.target, strict=True))
        G = [self.piece(row, side) for side in (1, -1) for row, _ in pairs]
        h = [side * arb(y) - half for side in (1, -1) for _, y in pairs]
        squares = [c / self.weight for c in self.cost] * 2
        signs = [[-fmpq(int(j == k)) for k in range(self.size)] for j in range(p)]
        pieces = [(G, h, squares, True), (signs, [ZERO] * p, [2 * self.l1] * p, False)]
        if self.epsilon:
            pieces.append((G, h, [2 * half * arb(c) for c in squares], False))
        rows, shifts, prices = ([each for part in pieces for each in part[k]] for k in range(3))
        squared = [part[3] for part in pieces for _ in part[1]]
        q = [-self.l1 if j < p else ZERO for j in range(self.size)]
        return Program(self.quadratic(ZERO), q, rows, shifts, prices, squared)
