"""The perceptron in the space of a kernel, as a scikit-learn classifier."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Literal, Self

from separatrix.errors import counted
from separatrix.estimators.base import check_flags, warn_not_certified
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.store.fitted_attributes import COUNT
from separatrix.problem import Solution, Status
from separatrix.solvers.kernel.kernel_perceptron import kernel_perceptron


class KernelPerceptron(KernelClassifier):
    """Count for each row how often it was misclassified, until none is: the perceptron in the space of a kernel.

    g(x) = sum_j alpha_j y_j K(x_j, x) + b, where alpha_j counts the mistakes on row j. Ends with a machine that
    separates the training rows, if there is one and `max_iter` allows, and proves it: see `certificate_`. Several
    classes are told apart in pairs, which vote.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
    gamma : float, "scale", "auto" or "nearest"
        Of "poly", "rbf" and "sigmoid". "nearest", for "rbf": sigma is the distance of the closest rows of different
        classes.
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    max_iter : int
        How often to go through the data at most, for each pair of classes.
    shuffle : bool
        Reshuffle the rows before each pass, and stop after a pass without mistakes. Otherwise the rows come in their
        own order, and it stops when as many presentations in a row were right as there are rows.
    bias_step : float or "radius2"
        What b moves by at a mistake; "radius2" is the largest K(x, x).
    cache_mb : float or None
        Megabytes for kernel values; None: half of the memory that is free.
    random_state : int, RandomState or None
        Decides the order of the rows where `shuffle` is True.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    support_ : ndarray of int
        The rows with a mistake, in order of their class.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        y alpha of these rows: how often each was on the wrong side, with its sign; for more than two classes in
        scikit-learn's order of pairs.
    intercept_ : ndarray of shape (n_pairs,)
        b; for more than two classes with scikit-learn's sign, as in `dual_coef_`: positive for the first of a pair.
    n_support_ : ndarray of int
        How many of the support rows each class has.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : Separator or Unproved, or Collected of one for each pair
        Proves from the data that every row is on its own side, or says how many are not. Of a kernel that is not
        positive semidefinite by theory nothing is proved, unless its values are given.
    n_iter_ : int
        Passes made, the most of any pair.
    n_updates_ : int
        Mistakes of all pairs, the sum of all alpha.

    Notes
    -----
    The rule knows no weights, so `fit` takes none. Rows that are not to count can be left out.

    Examples
    --------
    >>> from separatrix import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # XOR
    >>> model = KernelPerceptron("poly", degree=2, coef0=1.0, gamma=1.0, shuffle=False).fit(X, y)
    >>> model.predict(X).tolist(), model.certificate_.proof, model.support_.tolist(), model.dual_coef_.tolist()
    ([0, 1, 1, 0], True, [0, 3, 1, 2], [[-8.0, -5.0, 6.0, 6.0]])
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"n_updates_": COUNT}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        max_iter: int = 1000,
        shuffle: bool = True,
        bias_step: float | Literal["radius2"] = 1.0,
        cache_mb: float | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.bias_step = bias_step
        self.cache_mb = cache_mb
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Show the rows of each pair of classes to the rule until it ends.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : array of n labels
            Their classes.

        Returns
        -------
        KernelPerceptron
            Itself.
        """
        check_flags(self, "shuffle")
        rule = partial(
            kernel_perceptron,
            bias_step=self.bias_step,
            max_iter=self.max_iter,
            rng=self._generator() if self.shuffle else None,
            cache_mb=self.cache_mb,
        )
        encoded = self._pose(X, y)
        with progress_line(self, encoded.problem):
            machines = self._fit_pairs(encoded, lambda _, problem: rule(problem))
        self.n_iter_ = max(machine.history.passes for machine in machines)
        self.n_updates_ = sum(machine.history.mistakes for machine in machines)
        spent = [machine for machine in machines if machine.status is Status.SPENT]
        if spent:
            self._warn(max(spent, key=lambda machine: machine.history.last_mistakes))
        return self

    def _warn(self, solution: Solution) -> None:
        warn_not_certified(
            f"KernelPerceptron reached max_iter={self.max_iter} with "
            f"{counted(solution.history.last_mistakes, 'mistake')} in its last pass, so it is not certified: "
            f"{solution.certificate.reason}. The classes may overlap in the space of {self.kernel_!r}. Raise max_iter "
            "or gamma, take a richer kernel, or use KernelSVM, which is made for overlapping classes. "
            "(To silence this: warnings.simplefilter('ignore', NotCertifiedWarning).)",
            depth=2,
        )
