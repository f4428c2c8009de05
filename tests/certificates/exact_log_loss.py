"""Log losses in ball arithmetic: the objective of planes, and planes that are better than any in doubles."""

from types import SimpleNamespace

import numpy as np
from flint import arb, arb_mat, ctx

DIGITS = 300
MAX_STEPS = 60


class ExactLogLoss:
    """The objective of a problem, with balls for all numbers; planes are lists [w..., b], one or one for each class."""

    def __init__(self, problem, objective):
        ctx.dps = DIGITS
        X = problem.X.tolist()
        self.rows = [[arb(v) for v in row] + [arb(1)] * problem.fit_intercept for row in X]
        self.y, self.k = problem.y.tolist(), problem.n_classes
        self.weights = [arb(c) * arb(objective.unit) for c in problem.cost.tolist()]
        self.penalised, self.d, self.offset = objective.penalised, problem.n_features, problem.fit_intercept

    @classmethod
    def of(cls, X, y, cost, C, k, fit_intercept):
        """The objective with class codes y, weights and a price C, infinite for maximum likelihood."""
        problem = SimpleNamespace(
            X=X, y=y, cost=np.array([float(c.p) / float(c.q) for c in cost]), n_classes=k, n_features=X.shape[1],
            fit_intercept=fit_intercept,
        )  # fmt: skip
        return cls(problem, SimpleNamespace(unit=C if np.inf > C else 1.0, penalised=np.inf > C))

    def planes(self, w, b):
        """Doubles as balls."""
        several = w.ndim > 1
        return [
            [arb(v) for v in plane.tolist()] + [arb(float(c))] * self.offset
            for plane, c in (zip(w, b, strict=True) if several else [(w, b)])
        ]

    def scores(self, planes):
        """The score of each row and class; of two classes the first has none."""
        found = [[dot(plane, row) for plane in planes] for row in self.rows]
        return [[arb(0), *each] for each in found] if self.k == 2 else found

    def value(self, planes):
        """The objective."""
        total = arb(0)
        for scores, own, weight in zip(self.scores(planes), self.y, self.weights, strict=True):
            top = max(scores, key=float)
            total += weight * (sum(((s - top).exp() for s in scores), arb(0)).log() + top - scores[own])
        if self.penalised:
            total += sum((v * v for plane in planes for v in plane[: self.d]), arb(0)) / 2
        return total

    def newton_step(self, planes):
        """The step of Newton's method, with a Hessian that is a little more than definite."""
        m, p = len(planes), self.d + self.offset
        gradient, H = [arb(0)] * (m * p), [[arb(0)] * (m * p) for _ in range(m * p)]
        for row, scores, own, weight in zip(self.rows, self.scores(planes), self.y, self.weights, strict=True):
            top = max(scores, key=float)
            odds = [(s - top).exp() for s in scores]
            total = sum(odds, arb(0))
            prob = [o / total for o in odds][-m:]
            for a in range(m):
                slope = weight * (prob[a] - (1 if own == a + (self.k == 2) else 0))
                for i in range(p):
                    gradient[a * p + i] += slope * row[i]
                for c in range(m):
                    curve = weight * (prob[a] * ((1 if a == c else 0) - prob[c]))
                    for i in range(p):
                        for j in range(p):
                            H[a * p + i][c * p + j] += curve * row[i] * row[j]
        for a in range(m):
            for i in range(p):
                at = a * p + i
                if self.penalised and i < self.d:
                    gradient[at] += planes[a][i]
                    H[at][at] += 1
                H[at][at] += arb(10) ** -60 * H[at][at] + arb(10) ** -250
        found = arb_mat(H).solve(arb_mat([[-g.mid()] for g in gradient]))
        return [[found[a * p + i, 0].mid() for i in range(p)] for a in range(m)]

    def improved(self, planes):
        """Planes after some steps, and their objective: no lower bound of the optimum is above it."""
        value = self.value(planes)
        for _ in range(MAX_STEPS):
            try:
                step = self.newton_step(planes)
            except ZeroDivisionError:
                break
            before, t = value, arb(1)
            for _ in range(30):
                trial = [
                    [(v + t * s).mid() for v, s in zip(*each, strict=True)] for each in zip(planes, step, strict=True)
                ]
                found = self.value(trial)
                if found < value:
                    planes, value = trial, found
                    break
                t /= 4
            if not before - value > before * arb(10) ** -40:
                break
        return planes, value


def dot(one, other):
    """The inner product of two lists."""
    return sum((a * b for a, b in zip(one, other, strict=True)), arb(0))
