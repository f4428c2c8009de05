"""The perceptron as a scikit-learn classifier."""

from typing import Any, Literal

from separatrix.errors import OptionError
from separatrix.estimators.online import StreamingClassifier, rule_options
from separatrix.problem import Problem
from separatrix.solvers.blocks import online as blocks
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.schedule import LearningRate


class Perceptron(StreamingClassifier):
    """Correct the plane by each row that it misclassifies, until there is none.

    Ends with a plane that separates the training rows, if there is one and `max_iter` allows, and proves it: see
    `certificate_`. More than two classes are told apart by one plane each, by Kesler's construction.

    Parameters
    ----------
    update : {"online", "batch", "minibatch"}
        Correct at once, one row at a time, or by the sum over all misclassified rows, or over those of a mini-batch.
    learning_rate : float, "inverse", Decay or function of t
        rho_t in w += rho_t y x. "inverse" is 1/t; t counts presentations (online) or steps (batches) from 1.
    l2 : float
        Shrinks w, not b, to (1 - 2 rho_t l2) w before each step. The rule then has no end, and proves nothing.
    averaged : bool
        Answer with the mean of all planes passed through; the last of them decides when to stop.
    normalized : bool
        Correct by rows [x, 1] of length 1.
    bias_step : float or "radius2"
        What b moves by where w moves by a row; "radius2" is max ||x||^2.
    batch_size : int
        How many rows make a mini-batch; only for `update="minibatch"`.
    max_iter : int
        How often to go through the data at most.
    shuffle : bool
        Reshuffle the rows before each pass, and stop after a pass without mistakes. Otherwise the rows come in their
        own order, and it stops when as many presentations in a row were right as there are rows. All rows at once, as
        in `update="batch"`, have no order.
    start : array or None
        [w..., b] to start from; for k > 2 classes one such row for each class. None: zero.
    record : bool
        Keep every update in `trace_`.
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
    certificate_ : Separator or Unproved
        Says, and proves from the data, on which side the rows are; unproved with `l2`, and where an average does not
        separate.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Rows presented (online) or steps made (batch).
    n_updates_ : int
        Corrections of w by a row.
    trace_ : Trace
        With `record=True`: the run, update by update; of `partial_fit` the last call.

    Notes
    -----
    The rule knows no weights, so `fit` takes none. Rows that are not to count can be left out.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.n_updates_
    ([[-1.0, 1.0]], [0.0], 2)
    >>> print(model.certificate_)
    Separator: y (w.x + b) > 0 on all 4 rows
      nearest row  0.707 from the plane
      mistakes     2 <= (R/gamma)^2 = 4 for the rows [x, 1], or x without an offset
      checked      with rounding bounds
    Every row lies strictly on its own side; anyone can check it again from the data.
    """

    _solver = staticmethod(perceptron.online)
    _solver_of_blocks = staticmethod(blocks.perceptron)
    _flags = ("shuffle", "record", "fit_intercept", "averaged", "normalized")

    def __init__(
        self,
        *,
        update: Literal["online", "batch", "minibatch"] = "online",
        learning_rate: LearningRate = 1.0,
        l2: float = 0.0,
        averaged: bool = False,
        normalized: bool = False,
        bias_step: float | Literal["radius2"] = 1.0,
        batch_size: int = 32,
        max_iter: int = 1000,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        super().__init__(max_iter, shuffle, start, record, fit_intercept, random_state)
        self.update = update
        self.learning_rate = learning_rate
        self.l2 = l2
        self.averaged = averaged
        self.normalized = normalized
        self.bias_step = bias_step
        self.batch_size = batch_size
        self.verbose = verbose

    def _rule_options(self, problem: Problem, t: int) -> dict[str, Any]:
        updates = {"online": 1, "batch": problem.n_rows, "minibatch": self.batch_size}
        if not isinstance(self.update, str) or self.update not in updates:
            raise OptionError(
                f"The 'update' parameter of Perceptron must be 'online', 'batch' or 'minibatch'. Got {self.update!r}."
            )
        options = rule_options(self) | {"batch_size": updates[self.update]}
        if options.pop("update") == "batch":
            options["rng"] = None  # the sum over all rows has no order
        return options
