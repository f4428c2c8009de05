"""Least mean squares as a scikit-learn classifier."""

from typing import Any, Literal

from separatrix.estimators.base import warn_not_certified
from separatrix.estimators.online import StreamingClassifier, rule_options
from separatrix.problem import Problem, Solution
from separatrix.solvers.blocks import online as blocks
from separatrix.solvers.online.lms import check_rate, lms, longest_square, overshoots, suited_rate
from separatrix.solvers.online.schedule import LearningRate


class LMSClassifier(StreamingClassifier):
    """Widrow and Hoff's rule, also known as the adaline: correct each score by a part of its residual.

    Targets are -1 and +1. More than two classes are told apart each against the rest.

    Parameters
    ----------
    learning_rate : float, "inverse", Decay, function of t or "auto"
        rho_t in w += rho_t (y - g) x; t counts presentations from 1. "inverse" is 1/t and `Decay(c)` is c/t. A
        constant below 2 / max ||[x, 1]||^2 (normalized: below 2) keeps the weights bounded, and "auto" is a twentieth
        of that; from there on a warning says that nothing bounds them, and rates that cannot settle are refused.
    normalized : bool
        Divide each step by ||[x, 1]||^2 of its row.
    max_iter : int
        How often to go through the data.
    shuffle : bool
        Reshuffle the rows before each pass; otherwise they come in their own order.
    start : array or None
        [w..., b] to start from; for k > 2 classes one such row for each class. None: zero.
    record : bool
        Keep the learning curve in `learning_curve_`.
    fit_intercept : bool
        Whether the plane has an offset b; if not, `start` holds [w...] alone.
    random_state : int, RandomState or None
        Decides the order of the rows where `shuffle` is True.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        w.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    certificate_ : Unproved
        Its error is the share of misclassified rows; for several classes that of the worst of the planes.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Rows presented.
    n_updates_ : int
        Steps that changed w.
    learning_rate_ : float
        With `learning_rate="auto"`: the rate.
    learning_curve_ : ndarray
        With `record=True`: half of the mean squared residual of each pass, each taken before its step.

    Notes
    -----
    The rule depends on the order of the rows and knows no weights, so `fit` takes none.

    Examples
    --------
    >>> from separatrix import LMSClassifier
    >>> X, y = [[0, 1], [1, 2], [4, 0], [5, 1]], ["left", "left", "right", "right"]
    >>> model = LMSClassifier(record=True, random_state=0).fit(X, y)
    >>> model.score(X, y), bool(model.learning_curve_[-1] < model.learning_curve_[0])
    (1.0, True)
    """

    _solver = staticmethod(lms)
    _solver_of_blocks = staticmethod(blocks.lms)
    _by_rest = True
    _flags = ("shuffle", "record", "fit_intercept", "normalized")

    def __init__(
        self,
        *,
        learning_rate: LearningRate | Literal["auto"] = "auto",
        normalized: bool = False,
        max_iter: int = 100,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        super().__init__(max_iter, shuffle, start, record, fit_intercept, random_state)
        self.learning_rate = learning_rate
        self.normalized = normalized
        self.verbose = verbose

    def _answer(self, problem: Problem, start: Any, **how: Any) -> Solution:
        if isinstance(problem, Problem) and overshoots(problem, self.learning_rate, self.normalized):
            check_rate(problem, self.learning_rate, self.normalized)
            longest2 = longest_square(problem, self.normalized)
            warn_not_certified(
                f"LMSClassifier: nothing bounds the weights at learning_rate={self.learning_rate!r}, as a row with "
                f"||[x, 1]||^2 = {longest2:.6g} overshoots; they may settle or not. Below {2.0 / longest2:.6g} no row "
                "does: lower it, scale the features, or use normalized=True or a Decay. "
                "(To silence this: warnings.simplefilter('ignore', NotCertifiedWarning).)",
                depth=2,
            )
        return super()._answer(problem, start, **how)

    def _rule_options(self, problem: Problem, t: int) -> dict[str, Any]:
        options = rule_options(self)
        if not (isinstance(self.learning_rate, str) and self.learning_rate == "auto"):
            self._keep("learning_rate_", None)
            return options
        suited = suited_rate(problem, self.normalized)
        earlier = getattr(self, "learning_rate_", suited) if t else suited
        self.learning_rate_ = min(suited, earlier)  # longer rows of a later call must not overshoot
        return options | {"learning_rate": self.learning_rate_}
