"""Each class against each other one, for any classifier, by votes or by a decision graph."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import _num_samples

from separatrix.errors import OptionError
from separatrix.estimators.reduction import codes
from separatrix.estimators.reduction.decoding import decision_dag, votes
from separatrix.estimators.reduction.reduction import Reduction
from separatrix.estimators.reduction.subproblems import in_parts, positive_score, some_rows
from separatrix.rows import Vector

ROWS_AT_ONCE = 4096  # which are taken apart again and again, and so should fit into a cache


class OneVsOne(Reduction):
    """Each class against each other one; the class that wins most often wins, or the one that is left.

    Parameters
    ----------
    estimator : classifier
        Any two-class classifier: of this package, of scikit-learn, or a pipeline.
    decision : {"vote", "dag"}
        How the answers become one class. By "vote" each problem votes, and the larger sum of scores settles a tie. By
        "dag" the first and the last class that is left are compared, and the loser is out, until one is left (Platt,
        Cristianini and Shawe-Taylor, 2000): k - 1 of the k (k - 1) / 2 problems are asked for each row. Then the score
        of a class is the number of the round that it lost, from 0 on, or k - 1 if it lost none; the score of its last
        pair, squeezed to a half, makes it more for the winner and less for a loser.
    n_jobs : int or None
        None fits classifiers of this package in threads on all cores, and others one after the other. A number fits the
        others in so many processes, -1 in one for each core; 1 fits all one after the other.
    verbose : bool
        Whether to say after some seconds how far a fit is where there is no terminal, too.
    random_state : int, RandomState or None
        Seeds the copies of the estimator, each differently; None leaves them as the estimator is.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    code_ : ndarray of shape (n_classes, n_problems)
        Which side each class is on in each problem, 0 where it is left out.
    estimators_ : list
        The fitted copies, one for each pair of classes.
    certificate_ : Collected
        Their certificates; its error is the worst of theirs.
    n_iter_ : int
        The most iterations that any of them took.
    coef_, intercept_ : ndarray
        Their planes, where they have any.

    Examples
    --------
    >>> from separatrix import OneVsOne, Perceptron
    >>> X, y = [[0, 0], [0, 1], [5, 0], [5, 1], [9, 0], [9, 1]], ["a", "a", "b", "b", "c", "c"]
    >>> model = OneVsOne(Perceptron(random_state=0)).fit(X, y)  # b is between a and c: no plane for it alone
    >>> model.predict([[5, 0]]).item(), model.certificate_.stated
    ('b', 0.0)
    >>> model.set_params(decision="dag").predict([[5, 0]]).item()  # the same planes, two of three of them
    'b'
    """

    def __init__(
        self,
        estimator: Any,
        *,
        decision: Literal["vote", "dag"] = "vote",
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.decision = decision
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _code(self, classes: np.ndarray, separation: Callable[[], Vector]) -> np.ndarray:
        self._check_decision()
        return codes.one_vs_one(classes.size)

    def _check_decision(self) -> None:
        if self.decision not in ("vote", "dag"):
            raise OptionError(f"The 'decision' parameter of OneVsOne must be 'vote' or 'dag'. Got {self.decision!r}.")

    def _decode(self, scores: Vector) -> Vector:
        self._check_decision()
        if self.decision == "vote":
            return votes(scores, self.code_)
        return decision_dag(lambda pair, rows: scores[rows, pair], len(scores), self.classes_.size)

    def _class_scores(self, X: Any) -> Vector:
        if self.decision != "dag":
            return super()._class_scores(X)
        return in_parts(self._dag_scores, X, _num_samples(X) // ROWS_AT_ONCE)

    def _dag_scores(self, X: Any) -> Vector:
        """Ask the pairs, each for the rows that have come to it."""
        n = _num_samples(X)

        def score(pair: int, rows: np.ndarray) -> Vector:
            return positive_score(self.estimators_[pair], X if rows.size == n else some_rows(X, rows))

        return decision_dag(score, n, self.classes_.size)

    def _check_stored(self) -> None:
        if not np.array_equal(self.code_, codes.one_vs_one(self.classes_.size)):
            raise ValueError("'code_' is not that of the pairs of classes")
