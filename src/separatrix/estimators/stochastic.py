"""Stochastic gradient descent as a scikit-learn classifier; for numbers see `regression/stochastic_regressor.py`."""

from typing import Any, Literal

from separatrix.errors import OptionError
from separatrix.estimators.online import StreamingClassifier, rule_options
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem
from separatrix.solvers.blocks import online as blocks
from separatrix.solvers.online.schedule import LearningRate
from separatrix.solvers.online.stochastic import stochastic, suited_rate
from separatrix.solvers.options import number, whole

LOSSES = {
    "hinge": Loss(Kind.HINGE),
    "logistic": Loss(Kind.LOGISTIC),
    "exponential": Loss(Kind.EXPONENTIAL),
    "perceptron": Loss(Kind.PERCEPTRON),
}


class StochasticClassifier(StreamingClassifier):
    """Go down the slope of a loss, one row or one mini-batch at a time.

    Comes near the minimum of l2 ||w||^2 + the mean of loss(y (w.x + b)); b is not penalized. More than two classes
    are told apart each against the rest.

    Parameters
    ----------
    loss : {"hinge", "logistic", "exponential", "perceptron"}
        Of the margin m = y g: max(0, 1 - m), log(1 + exp(-m)), exp(-m) or max(0, -m).
    l2 : float
        How much w is penalized: each step shrinks it to (1 - 2 rho_t l2) w.
    learning_rate : float, "inverse", Decay, function of t or "auto"
        rho_t; t counts steps from 1. "inverse" is 1/t and `Decay(c)` is c/t. "auto" suits the scale of the rows: it
        starts from 1 / (batch_size max ||[x, 1]||^2 + 2 l2), a tenth of it for the exponential loss, and falls with
        the root of the number of steps.
    batch_size : int
        How many rows make a step, by the sum of their slopes.
    averaged : bool
        Answer with the mean of all planes passed through.
    replace : bool
        Draw rows with replacement; otherwise each pass has every row once.
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
        Decides the order of the rows.
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
        Steps made.
    n_updates_ : int
        Rows whose slope was not 0.
    learning_rate_ : Decay
        With `learning_rate="auto"`: the rate.
    learning_curve_ : ndarray
        With `record=True`: mean loss of each pass, each row's taken before its step.

    Notes
    -----
    The rule depends on the order of the rows and knows no weights, so `fit` takes none.

    Examples
    --------
    >>> from separatrix import StochasticClassifier
    >>> X, y = [[0, 1], [1, 2], [4, 0], [5, 1]], ["left", "left", "right", "right"]
    >>> model = StochasticClassifier(loss="logistic", l2=0.01, random_state=0).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    _solver = staticmethod(stochastic)
    _solver_of_blocks = staticmethod(blocks.stochastic)
    _by_rest = True
    _flags = ("shuffle", "record", "fit_intercept", "averaged", "replace")

    def __init__(
        self,
        *,
        loss: Literal["hinge", "logistic", "exponential", "perceptron"] = "hinge",
        l2: float = 0.0,
        learning_rate: LearningRate | Literal["auto"] = "auto",
        batch_size: int = 1,
        averaged: bool = False,
        replace: bool = False,
        max_iter: int = 100,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        super().__init__(max_iter, shuffle, start, record, fit_intercept, random_state)
        self.loss = loss
        self.l2 = l2
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.averaged = averaged
        self.replace = replace
        self.verbose = verbose

    def _rule_options(self, problem: Problem, t: int) -> dict[str, Any]:
        return stochastic_options(self, LOSSES, problem, t)


def stochastic_options(estimator: Any, losses: dict[str, Loss], problem: Problem, t: int) -> dict[str, Any]:
    """The options of an estimator for `stochastic`, with the loss that it names and the rate that it settles on."""
    if estimator.replace and not estimator.shuffle:
        raise OptionError("replace=True draws rows at random, which shuffle=False rules out. Use one of them.")
    loss = named(estimator, losses)
    return rule_options(estimator) | {"loss": loss, "learning_rate": settled_rate(estimator, problem, loss, t)}


def named(estimator: Any, losses: dict[str, Loss]) -> Loss:
    """The loss that an estimator asks for by name."""
    if not isinstance(estimator.loss, str) or estimator.loss not in losses:
        names = ", ".join(map(repr, losses))
        kind = type(estimator).__name__
        raise OptionError(f"The 'loss' parameter of {kind} must be one of {names}. Got {estimator.loss!r}.")
    return losses[estimator.loss]


def settled_rate(estimator: Any, problem: Problem, loss: Loss, t: int) -> Any:
    """The learning rate that an estimator asks for; "auto" is settled by the first rows, and kept for later ones."""
    if not isinstance(estimator.learning_rate, str) or estimator.learning_rate != "auto":
        estimator._keep("learning_rate_", None)
        return estimator.learning_rate
    if t == 0 or not hasattr(estimator, "learning_rate_"):
        l2, batch_size = number("l2", estimator.l2, at_least=0.0), whole("batch_size", estimator.batch_size)
        estimator.learning_rate_ = suited_rate(problem, loss, l2, batch_size)
    return estimator.learning_rate_
