"""What every solution owes: a certificate that tells the truth about the data.

The truth is established here on its own, with Python's fractions and none of the package's arithmetic.
"""

from fractions import Fraction

import numpy as np

from contracts.library import Case
from separatrix.certificates import Unproved
from separatrix.problem import Problem, Solution, Status
from separatrix.rows import CSR


def dense(problem: Problem) -> np.ndarray:
    X = problem.X
    if not isinstance(X, CSR):
        return np.asarray(X, dtype=float)
    full = np.zeros((problem.n_rows, X.n_columns))
    for i in range(problem.n_rows):
        for k in range(X.indptr[i], X.indptr[i + 1]):
            full[i, X.indices[k]] += X.data[k]
    return full


def truly_separates(problem: Problem, w: np.ndarray, b: float | np.ndarray) -> bool:
    """Whether every row is strictly on its own side, in exact fractions."""
    planes = [[Fraction(v) for v in row] for row in np.column_stack([np.atleast_2d(w), np.atleast_1d(b)]).tolist()]
    for row, c in zip(dense(problem).tolist(), problem.y.tolist(), strict=True):
        x = [Fraction(v) for v in row] + [Fraction(1)]
        scores = [sum(map(Fraction.__mul__, plane, x)) for plane in planes]
        if len(scores) == 1:
            scores = [-scores[0], scores[0]]
        if any(scores[c] <= score for j, score in enumerate(scores) if j != c):
            return False
    return True


def part_predicted_wrong(problem: Problem, solution: Solution) -> float:
    """By the sign of g, or by the largest g, in plain NumPy."""
    scores = dense(problem) @ np.atleast_2d(solution.w).T + solution.b
    predicted = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0
    return float(np.mean(predicted != problem.y))


def check_contract(case: Case, solution: Solution, separates: bool = True) -> None:
    """Raise AssertionError unless the solution is right and honest about itself.

    `separates` is what the registry says: that the algorithm finds a plane wherever there is one.
    """
    planes = 1 if case.problem.n_classes == 2 else case.problem.n_classes
    assert np.atleast_2d(solution.w).shape == (planes, case.problem.n_features)
    assert np.atleast_1d(solution.b).shape == (planes,)
    assert np.isfinite(solution.w).all()
    assert case.problem.fit_intercept or not np.any(solution.b), "there is to be no offset"
    error = solution.certificate.error(case.problem)
    assert np.array_equal(solution.certificate.w, solution.w), "the certificate speaks of another plane"
    assert np.array_equal(solution.certificate.b, solution.b), "the certificate speaks of another plane"
    if isinstance(solution.certificate, Unproved):
        assert not separates, "the registry promises a proof"
        assert solution.status is Status.ENDED
        assert solution.certificate.stated == error == part_predicted_wrong(case.problem, solution)
        return
    truth = truly_separates(case.problem, solution.w, solution.b)
    assert (error == 0.0) == truth, f"the certificate says {error}, but the truth is: separates = {truth}"
    assert (solution.status is Status.SEPARATED) == truth, "the status is not what the data say"
    assert truth == case.separable or not (separates or truth), (
        f"separates = {truth}, but {case.name} is separable = {case.separable}"
    )
