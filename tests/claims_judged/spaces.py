"""Where planes are: among the features, or in the space of a kernel, w being coefficients of the rows.

Numbers are fractions, but for kernels with an exponential, whose values are balls.
"""

from flint import arb, fmpq

from claims_judged.exact_numbers import fraction, inner, set_precision


class Features:
    """Rows of features; w has one number for each."""

    def __init__(self, rows):
        self.rows, self.width = rows, len(rows[0])

    def square(self, w):
        """||w||^2."""
        return inner(w, w)

    def form(self):
        """The matrix of ||w||^2."""
        return [[fmpq(int(i == j)) for j in range(self.width)] for i in range(self.width)]

    def lengths(self):
        """||x||^2 of each row."""
        return [inner(row, row) for row in self.rows]

    def scores(self, w, b):
        """w.x + b of each row."""
        return [inner(row, w) + b for row in self.rows]


class KernelSpace(Features):
    """The kernel values of all rows with each other; w has a coefficient for each row."""

    def __init__(self, rows, kernel):
        set_precision()
        super().__init__([[kernel(one, other) for other in rows] for one in rows])

    def square(self, w):
        """||w||^2."""
        return inner(w, self.scores(w, 0))

    def form(self):
        """The matrix of ||w||^2."""
        return self.rows

    def lengths(self):
        """||phi(x)||^2 of each row."""
        return [row[i] for i, row in enumerate(self.rows)]


def kernel_function(name, gamma, degree, coef0):
    """An exact kernel of two rows of fractions."""
    if name == "linear":
        return inner
    gamma, coef0 = fraction(gamma), fraction(coef0)
    if name == "poly":
        return lambda x, z: (gamma * inner(x, z) + coef0) ** degree
    return lambda x, z: (-arb(gamma) * arb(sum(((a - b) ** 2 for a, b in zip(x, z, strict=True)), fmpq(0)))).exp()
