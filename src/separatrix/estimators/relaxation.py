"""Relaxation as a scikit-learn classifier."""

from typing import Any

from separatrix.estimators.online import OnlineClassifier
from separatrix.solvers.online.relaxation import relaxation


class RelaxationClassifier(OnlineClassifier):
    """Project the plane onto the half-space of each row that it does not satisfy, until every row is on its own side.

    Ends with a plane that separates the training rows, if there is one and `max_iter` allows, and proves it. More
    than two classes are told apart by one plane each, by Kesler's construction.

    Parameters
    ----------
    margin : float
        What y (w.x + b) is to reach for each row; 0 only with `relaxation` above 1, best 2, and a `start`.
    relaxation : float
        How much of the way to the boundary a step goes: 1 ends on it, up to 2 beyond it.
    max_iter : int
        How often to go through the data at most.
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
    certificate_ : Separator
        Says, and proves from the data, on which side the rows are.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Rows presented.
    n_updates_ : int
        Projections.
    trace_ : Trace
        With `record=True`: the run, update by update.

    Notes
    -----
    The rule depends on the order of the rows and knows no weights, so `fit` takes none.

    Examples
    --------
    >>> from separatrix import RelaxationClassifier
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, -1, -1]
    >>> model = RelaxationClassifier(random_state=0).fit(X, y)
    >>> model.certificate_.proof
    True
    """

    _solver = staticmethod(relaxation)

    def __init__(
        self,
        *,
        margin: float = 1.0,
        relaxation: float = 1.0,
        max_iter: int = 1000,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        super().__init__(max_iter, shuffle, start, record, fit_intercept, random_state)
        self.margin = margin
        self.relaxation = relaxation
        self.verbose = verbose
