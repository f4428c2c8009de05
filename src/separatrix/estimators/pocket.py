"""The pocket algorithm as a scikit-learn classifier."""

from typing import Any

from separatrix.estimators.online import OnlineClassifier
from separatrix.solvers.blocks import pocket as blocks
from separatrix.solvers.online.pocket import pocket
from separatrix.solvers.online.schedule import LearningRate


class PocketPerceptron(OnlineClassifier):
    """Run the perceptron, and keep the plane with the fewest errors on the training rows.

    More than two classes are told apart by one plane each, by Kesler's construction.

    Parameters
    ----------
    patience : int
        Stop when the corrections of so many rows, one after the other, brought nothing better.
    learning_rate : float, "inverse", Decay or function of t
        rho_t in w += rho_t y x; t counts presentations from 1.
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
    certificate_ : Separator or Unproved
        A proof if the plane separates the rows; otherwise its error is the share of misclassified rows.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Rows presented.
    n_updates_ : int
        Corrections of w by a row.
    trace_ : Trace
        With `record=True`: the run of the perceptron, update by update.

    Notes
    -----
    The rule depends on the order of the rows and knows no weights, so `fit` takes none. The plane is chosen by its
    errors on the training rows, ties among them; after each correction they are counted, hard rows first, until there
    are as many as the pocket's.

    Examples
    --------
    >>> from separatrix import PocketPerceptron
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> model = PocketPerceptron(random_state=0).fit(X, y)
    >>> round(model.score(X, y), 3)  # five of six is the best that a plane can do
    0.833
    >>> model.certificate_.proof
    False
    """

    _solver = staticmethod(pocket)
    _solver_of_blocks = staticmethod(blocks.pocket)

    def __init__(
        self,
        *,
        patience: int = 1000,
        learning_rate: LearningRate = 1.0,
        max_iter: int = 1000,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        super().__init__(max_iter, shuffle, start, record, fit_intercept, random_state)
        self.patience = patience
        self.learning_rate = learning_rate
        self.verbose = verbose
