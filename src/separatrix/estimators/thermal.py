"""The thermal perceptron as a scikit-learn classifier."""

from typing import Any

from separatrix.estimators.online import OnlineClassifier
from separatrix.solvers.online.thermal import thermal


class ThermalPerceptron(OnlineClassifier):
    """Run the perceptron with steps that fade for rows far on the wrong side, more and more so as it cools.

    More than two classes are told apart by one plane each, by Kesler's construction.

    Parameters
    ----------
    temperature : float
        How far on the wrong side a row may be at first and still be corrected in full, in units of the median
        squared length of the rows [x, 1]: by so much a correction changes a row's score.
    learning_rate : float
        rho, the size of the first steps.
    max_iter : int
        How often to go through the data: the temperature falls to 0 by this many steps.
    shuffle : bool
        Reshuffle the rows before each pass; otherwise they come in their own order.
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
        A proof if the plane separates the rows; otherwise its error is the share of misclassified rows.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Rows presented.
    n_updates_ : int
        Corrections of w by a row.
    trace_ : Trace
        With `record=True`: the run, update by update.

    Notes
    -----
    The rule depends on the order of the rows and knows no weights, so `fit` takes none.

    Examples
    --------
    >>> from separatrix import ThermalPerceptron
    >>> X, y = [[0], [1], [2], [3], [90]], [0, 0, 1, 1, 0]
    >>> ThermalPerceptron(random_state=0).fit(X, y).score(X, y)  # the row at 90 is given up
    0.8
    """

    _solver = staticmethod(thermal)

    def __init__(
        self,
        *,
        temperature: float = 1.0,
        learning_rate: float = 1.0,
        max_iter: int = 100,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        super().__init__(max_iter, shuffle, start, record, fit_intercept, random_state)
        self.temperature = temperature
        self.learning_rate = learning_rate
        self.verbose = verbose
