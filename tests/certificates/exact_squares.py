"""What is left of the equations of least squares and of discriminants, in exact fractions from the doubles as stored.

Only roots and logarithms are rounded, to `DIGITS` digits.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from separatrix.certificates.claims.discriminant_equations import FisherEquations
from separatrix.certificates.claims.normal_equations import NormalEquations

DIGITS = 60
VARIES = Fraction(1, 2**46)  # part of its size by which a column varies that is not constant


def exact_error(problem, claim):
    """The error of a claim, as a Decimal; what the claim may not be below."""
    with localcontext(prec=DIGITS, Emin=-(10**6), Emax=10**6):
        if isinstance(claim.equations, NormalEquations):
            return of_squares(problem, claim.equations)
        return of_discriminant(problem, claim)


def fractions(array):
    """Doubles as fractions, nested as they are."""
    return [fractions(each) for each in array] if isinstance(array, list) else Fraction(array)


def decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


def root(value):
    return decimal(value).sqrt()


def dot(*vectors):
    """The sum of products of as many vectors as are given."""
    total = Fraction(0)
    for numbers in zip(*vectors, strict=True):
        product = numbers[0]
        for number in numbers[1:]:
            product *= number
        total += product
    return total


def columns_of(problem):
    """The columns of dense rows as fractions."""
    return fractions(problem.X.astype(float).T.tolist())


def deviations(values, cost, centred):
    """Values less their mean, or as they are; and the mean, or 0."""
    mean = dot(cost, values) / sum(cost) if centred else Fraction(0)
    return [v - mean for v in values], mean


def of_squares(problem, equations):
    """max_j |sum c r (x_j - m_j) - ridge w_j| / (L_j T) and |sum c r| / (sqrt(n) T), over all targets."""
    cost, ridge = fractions(problem.cost.tolist()), Fraction(equations.ridge)
    columns, centred, total = columns_of(problem), problem.fit_intercept, sum(fractions(problem.cost.tolist()))
    W, b = (fractions(part.tolist()) for part in equations.fitted)
    worst = Decimal(0)
    for k in range(len(b)):
        t = [equations.targets[y, k] if problem.n_classes else y for y in problem.y.tolist()]
        t = fractions([float(v) for v in t])
        left = [v - b[k] - sum(col[i] * W[j][k] for j, col in enumerate(columns)) for i, v in enumerate(t)]
        size = squared_length(t, cost, centred) or Fraction(1)
        if centred:
            worst = max(worst, root(dot(cost, left) ** 2 / total / size))
        for j, column in enumerate(columns):
            z, mean = deviations(column, cost, centred)
            square = dot(cost, z, z)
            if square > VARIES**2 * total * mean**2:
                gradient = dot(cost, left, z) - ridge * W[j][k]
                worst = max(worst, root(gradient**2 / (square + ridge) / size))
    return worst


def squared_length(t, cost, centred):
    """T^2: from the mean of the targets, unless they do not vary."""
    z, mean = deviations(t, cost, centred)
    square = dot(cost, z, z)
    return square if square > VARIES**2 * sum(cost) * mean**2 else dot(cost, t, t)


def of_discriminant(problem, claim):
    """The largest part that is left of the linear equations or of the eigenproblem, and of the offsets."""
    moments = ExactMoments(problem, getattr(claim.equations, "shrinkage", 0.0))
    w = fractions(claim.w.reshape(-1, problem.n_features).tolist())
    b = [float(v) for v in claim.b.ravel().tolist()] if hasattr(claim.b, "ravel") else [float(claim.b)]
    if not moments.used:
        return Decimal(0)
    of_planes = of_fisher if isinstance(claim.equations, FisherEquations) else of_gaussian
    worst, wanted = of_planes(moments, claim.equations, w)
    for row, offset, right in zip(w, b, wanted, strict=True):
        size = sum(abs(p) * abs(m) for p, m in zip(row, moments.mean, strict=True))
        if right is None:  # minus infinity, of a class that is never chosen
            worst = max(worst, Decimal(0) if offset == float("-inf") else Decimal("inf"))
        else:
            worst = max(worst, abs(decimal(Fraction(offset)) - right) / (1 + decimal(size) + abs(right)))
    return worst


class ExactMoments:
    """Weights, means and the covariance within classes."""

    def __init__(self, problem, shrinkage):
        cost, columns, y = fractions(problem.cost.tolist()), columns_of(problem), problem.y.tolist()
        k, d, shrinkage = problem.n_classes, problem.n_features, Fraction(shrinkage)
        self.weight = [sum((c for c, own in zip(cost, y, strict=True) if own == g), Fraction(0)) for g in range(k)]
        self.total = sum(self.weight)
        sums = [[dot(cost, col, [Fraction(own == g) for own in y]) for col in columns] for g in range(k)]
        self.means = [[v / n if n else Fraction(0) for v in row] for row, n in zip(sums, self.weight, strict=True)]
        self.mean = [dot(cost, column) / self.total for column in columns]
        self.apart = [
            [m - v for m, v in zip(row, self.mean, strict=True)] if n else [Fraction(0)] * d
            for row, n in zip(self.means, self.weight, strict=True)
        ]
        z = [[v - self.means[own][j] for v, own in zip(col, y, strict=True)] for j, col in enumerate(columns)]
        within = [[dot(cost, z[i], z[j]) for j in range(d)] for i in range(d)]
        free = self.total - sum(n > 0 for n in self.weight)
        self.divisor = max(free, Fraction(1))
        trace = sum(within[j][j] for j in range(d)) / (self.divisor * d)
        self.S = [
            [(1 - shrinkage) * within[i][j] / self.divisor + (shrinkage * trace if i == j else 0) for j in range(d)]
            for i in range(d)
        ]
        furthest = [max(abs(row[j]) for row in self.means) for j in range(d)]
        self.used = [j for j in range(d) if self.S[j][j] > VARIES**2 * furthest[j] ** 2]

    @property
    def size(self):
        """The Frobenius norm of the correlations."""
        S, used = self.S, self.used
        return root(sum(S[i][j] ** 2 / (S[i][i] * S[j][j]) for i in used for j in used))

    def relative(self, left, terms, full):
        """||left|| / terms, left given in units of the columns; on the range of S both are multiplied by S again."""
        S, used = self.S, self.used
        if not full:
            left = {j: sum(left[i] * S[i][j] / S[i][i] for i in used) for j in used}
            terms *= self.size
        length = root(sum(left[j] ** 2 / S[j][j] for j in used))
        return length / terms if terms else Decimal(0)

    def image(self, w):
        return {j: sum(w[i] * self.S[i][j] for i in self.used) for j in self.used}

    def length(self, w):
        """||w||, each column in deviations."""
        return root(sum(w[j] ** 2 * self.S[j][j] for j in self.used))


def of_gaussian(moments, equations, w):
    """What is left of S w = m_c - m, and the offsets that belong to w."""
    logs = [None if not n else decimal(n / moments.total).ln() for n in moments.weight]
    if equations.priors is not None:
        logs = [decimal(Fraction(p)).ln() for p in equations.priors.tolist()]
    apart, right, wanted = moments.apart, moments.apart, []
    if len(apart) == 2:
        right = [[q - p for p, q in zip(*apart, strict=True)]]
    worst = Decimal(0)
    for place, (row, e) in enumerate(zip(w, right, strict=True)):
        image = moments.image(row)
        left = {j: image[j] - e[j] for j in moments.used}
        unit = root(sum(e[j] ** 2 / moments.S[j][j] for j in moments.used))
        terms = moments.size * moments.length(row) + unit
        worst = max(worst, moments.relative(left, terms, equations.full_rank))
        if len(apart) == 2:
            half = [(p + q) / 2 for p, q in zip(*apart, strict=True)]
            level = logs[1] - logs[0]
        else:
            half, level = [v / 2 for v in apart[place]], logs[place]
        alone = -dot(row, moments.mean) - dot(row, half)
        wanted.append(None if level is None else decimal(alone) + level)
    return worst, wanted


def of_fisher(moments, equations, w):
    """What is left of S_b v = J S_w v and of v'S v = 1; how far w is from the planes of the directions; the offsets."""
    S, used, n = moments.S, moments.used, moments.divisor
    V = [list(v) for v in zip(*fractions(equations.directions.tolist()), strict=True)]
    ratios = fractions(equations.ratios.tolist())
    between = {
        (i, j): sum(c * a[i] * a[j] for c, a in zip(moments.weight, moments.apart, strict=True)) / n
        for i in used for j in used
    }  # fmt: skip
    trace, worst = decimal(sum(between[j, j] / S[j][j] for j in used)), Decimal(0)
    for v, ratio in zip(V, ratios, strict=True):
        within = moments.image(v)
        left = {j: sum(between[i, j] * v[i] for i in used) - ratio * within[j] for j in used}
        terms = (trace + decimal(ratio) * moments.size) * moments.length(v)
        worst = max(worst, moments.relative(left, terms, equations.full_rank))
        worst = max(worst, abs(decimal(sum(v[j] * within[j] for j in used) - 1)))
    apart = moments.apart
    if len(apart) == 2:
        planes = [V[0]]
        wanted = [-dot(V[0], moments.mean) - dot(V[0], [p + q for p, q in zip(*apart, strict=True)]) / 2]
    else:
        along = [[dot(a, v) for v in V] for a in apart]
        planes = [[sum(s * v[j] for s, v in zip(row, V, strict=True)) for j in range(len(w[0]))] for row in along]
        wanted = [
            -dot(p, moments.mean) - dot(row, row) / 2 if c else None
            for p, row, c in zip(planes, along, moments.weight, strict=True)
        ]
    for row, plane in zip(w, planes, strict=True):
        off = moments.length([p - q for p, q in zip(row, plane, strict=True)])
        worst = max(worst, off / (1 + moments.length(plane)))
    return worst, [None if v is None else decimal(v) for v in wanted]
