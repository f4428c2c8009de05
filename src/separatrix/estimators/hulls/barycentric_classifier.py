"""The barycentric correction procedure as a scikit-learn classifier."""

from typing import Any

from separatrix.data.encode import Encoded
from separatrix.estimators.base import WeightedClassifier
from separatrix.estimators.reduction.against_the_rest import each_against_the_rest
from separatrix.solvers.hulls.barycentric_correction import barycentric_correction


class BarycentricClassifier(WeightedClassifier):
    """The plane across the line between weighted means of two classes, whose misclassified rows gain weight.

    Keeps the plane with the fewest errors on the training rows. More than two classes are told apart by one plane each,
    against the rest.

    Parameters
    ----------
    max_iter : int
        Corrections of the weights at most, for each plane.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.
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
    certificate_ : Separator or Unproved, or Collected of one for each class
        A proof if the plane separates the rows; otherwise its error is the share of misclassified rows.
    n_iter_ : int
        Corrections made, the most of any plane.

    Notes
    -----
    Needs no learning rate and no order of the rows, so it always gives the same plane. A step costs two products with X
    and a sort of the scores. The means depend on the scales of the features: bring them to similar ranges.

    Examples
    --------
    >>> from separatrix import BarycentricClassifier
    >>> model = BarycentricClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])  # AND
    >>> model.certificate_
    Separator(proved, 4 rows, stated=0)
    """

    def __init__(self, *, max_iter: int = 1000, class_weight: Any = None, verbose: bool = False):
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.verbose = verbose

    def _fit_posed(self, encoded: Encoded, start: None = None) -> None:
        solution = each_against_the_rest(
            encoded.problem, None, lambda part, _: barycentric_correction(part, max_iter=self.max_iter)
        )
        self._publish(solution, encoded.classes)
