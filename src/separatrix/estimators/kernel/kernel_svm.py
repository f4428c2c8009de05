"""The support vector machine in the space of a kernel, as a scikit-learn classifier."""

from typing import Any, Literal, NamedTuple, Self

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.data.encode_kernel import EncodedKernel
from separatrix.errors import OptionError
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.kernel.kernel_machine import warn_if_above_tol
from separatrix.estimators.progress_line import progress_line
from separatrix.kernels.gamma import resolved_gamma
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem, Solution
from separatrix.solvers.kernel.kernel_space import KernelSpace, kept_bytes
from separatrix.solvers.kernel.kernel_svm import Start, kernel_svm, refuse_equal_rows
from separatrix.solvers.options import positive

LOSSES = ("hinge", "squared_hinge")


class Answer(NamedTuple):
    """What is known of the rows of a pair of classes, and their alpha, for a fit with another C."""

    space: KernelSpace | None
    start: Start | None


class KernelSVM(KernelClassifier):
    """The plane with the widest margin in the space of a kernel, where slack costs C a unit, to a stated gap.

    Minimises 1/2 ||w||^2 + C sum_i max(0, 1 - y_i (<w, phi(x_i)> + b)), or the sum of the squares, where
    <phi(x), phi(z)> is the kernel. Several classes are told apart in pairs, which vote.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
    C : float
        What a unit of slack costs, times the weight of its row; `float("inf")` is the hard margin.
    gamma : float, "scale", "auto" or "nearest"
        Of "poly", "rbf" and "sigmoid". "nearest", for "rbf": sigma is the distance of the closest rows of different
        classes.
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    loss : {"hinge", "squared_hinge"}
        Whether slacks count as they are, or squared.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Blocks of rows and Newton rounds at most, for each pair of classes.
    time_limit : float or None
        Seconds at most, for each pair. When they end the best machine so far is returned, with its true gap.
    cache_mb : float or None
        Megabytes for kernel values and factors in the search; None: half of the memory that is free.
    low_rank : int or None
        How many rows span the space in which the plane is looked for: an approximation with so few support rows, for
        data beyond the time or the memory of all. The gap that is stated is that to the optimum of the whole space.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    support_ : ndarray of int
        The rows with a coefficient, in order of their class: those with alpha > 0, or the rows of `low_rank`.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        y alpha of these rows, or with `low_rank` their coefficients; for more than two classes in scikit-learn's order
        of pairs.
    intercept_ : ndarray of shape (n_pairs,)
        b; for more than two classes with scikit-learn's sign, as in `dual_coef_`: positive for the first of a pair.
    n_support_ : ndarray of int
        How many of the support rows each class has.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap, or Collected of one for each pair
        The objective, the lower bound and the gap, from the rows in float64.
    n_iter_ : int
        Blocks and rounds, the most of any pair.

    Examples
    --------
    >>> from separatrix import KernelSVM
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # XOR
    >>> model = KernelSVM(kernel="poly", degree=2, coef0=1.0, gamma=1.0, C=100.0).fit(X, y)
    >>> model.predict(X).tolist(), model.certificate_.stated < 1e-6
    ([0, 1, 1, 0], True)
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        time_limit: float | None = None,
        cache_mb: float | None = None,
        low_rank: int | None = None,
        class_weight: Any = None,
        verbose: bool = False,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.low_rank = low_rank
        self.class_weight = class_weight
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the machine of each pair of classes.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : array of n labels
            Their classes.
        sample_weight : array of n numbers or None
            What slack of each row costs, in units of C; a whole number counts the row so many times.

        Returns
        -------
        KernelSVM
            Itself.
        """
        encoded = self._pose(X, y, sample_weight)
        with progress_line(self, encoded.problem):
            self._fit_posed(encoded)
        return self

    def _fit_posed(self, encoded: EncodedKernel, start: Any = None) -> dict[int, Answer]:
        """Solve and publish; returns what a fit of the same rows with another C may start from."""
        answers: dict[int, Answer] = {}
        several = encoded.classes.size > 2  # whose matrices would be many
        if np.inf == self.C:
            refuse_equal_rows(encoded.problem, encoded.kept)

        def solve(pair: int, problem: Problem) -> Solution:
            before = start[pair] if start else Answer(None, None)
            space = before.space or KernelSpace(problem, kept_bytes(self.cache_mb))
            found = self._solve(problem, space, before.start)
            claim = found.certificate
            last = Start.of(claim) if isinstance(claim, DualityGap) and not claim.objective.hard else None
            answers[pair] = Answer(None if several else space, last)
            return found

        machines = self._fit_pairs(encoded, solve, parallel=True)
        self.n_iter_ = max(machine.history.iterations for machine in machines)
        warn_if_above_tol(self, machines)
        return answers

    def _problem(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> EncodedKernel:
        if self.loss not in LOSSES:
            raise OptionError(f"The 'loss' parameter of KernelSVM must be one of {LOSSES}. Got {self.loss!r}.")
        positive("C", self.C)
        return super()._problem(X, y, sample_weight, **how)

    def _solve(self, problem: Problem, space: KernelSpace, start: Start | None) -> Solution:
        return kernel_svm(
            problem,
            C=self.C,
            squared=self.loss == "squared_hinge",
            tol=self.tol,
            max_iter=self.max_iter,
            time_limit=self.time_limit,
            low_rank=self.low_rank,
            space=space,
            start=start,
        )

    def _objective(self, classes: np.ndarray) -> SoftMargin:
        return SoftMargin(self.C, self.loss == "squared_hinge")


def options_to_try(X: Any) -> dict[str, tuple[float, ...]]:
    """Values of C, and of gamma about that of "scale", for rows of numbers; the smoothest machine comes first.

    >>> options_to_try([[0.0], [2.0]])
    {'C': (1.0, 10.0, 100.0), 'gamma': (0.25, 1.0, 4.0)}
    """
    scale = resolved_gamma("scale", X)
    return {"C": (1.0, 10.0, 100.0), "gamma": (0.25 * scale, scale, 4.0 * scale)}
