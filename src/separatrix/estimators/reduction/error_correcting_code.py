"""Several classes by a code whose words are so far apart that some wrong classifiers do no harm."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from separatrix.errors import OptionError
from separatrix.estimators.reduction.codes.distance import minimum_distance, n_corrected
from separatrix.estimators.reduction.codes.named import named_code
from separatrix.estimators.reduction.codes.validity import check_code
from separatrix.estimators.reduction.decoding import hamming, hinge_loss
from separatrix.estimators.reduction.reduction import Reduction
from separatrix.rows import Vector

DECODERS: Mapping[str, Callable[[Vector, np.ndarray], Vector]] = {"hamming": hamming, "loss": hinge_loss}

TIE_RTOL = 1e-15  # of a score, by which rounding may have it below another


class ErrorCorrectingCode(Reduction):
    """Each class has a codeword, each bit of it a classifier; the class with the nearest codeword wins.

    A column of the code divides the classes into two sides, which a copy of the estimator tells apart. If any two
    codewords differ in d places at least, floor((d - 1) / 2) of the classifiers may be wrong about a row, whichever
    they are, and its class is still right (Dietterich and Bakiri, 1995).

    Parameters
    ----------
    estimator : classifier
        Any two-class classifier: of this package, of scikit-learn, or a pipeline.
    code : str or array of 1, -1 and 0 of shape (n_classes, length)
        A matrix is used as it is, rows in the order of the labels; 0 leaves a class out of a column. Else

        - "search": the largest minimum distance that a local search finds;
        - "exhaustive": every division of the classes once, 2^(k-1) - 1 columns, for 11 classes at most;
        - "bch": words of a BCH code, for many classes;
        - "random": the best of several random codes;
        - "ternary": the best of several random codes in which half of the entries are 0 (Allwein, Schapire and Singer,
          2000): more columns, each of fewer rows;
        - "adapted": a local search in which classes that are easily confused count more, by the means and variances of
          their features, so that they come to be farther apart (after Zhou, Peng and Suen, 2008).
    decode : {"hamming", "loss"}
        "hamming" counts the classifiers that are against a class, a half for one that leaves it out; equal counts go to
        the larger sum of scores. "loss" sums max(0, 1 - M f), the hinge loss of the scores f for the codeword M of a
        class, which is made for machines whose margin is 1.
    length : int or None
        The number of columns, from log2(k) to 2^(k-1) - 1. None: 10 log2(k) rounded up, 15 log2(k) for "ternary", and
        for "bch" the largest 2^m - 1 that is not above; or all that there are, if these are fewer.
    n_jobs : int or None
        None fits classifiers of this package in threads on all cores, and others one after the other. A number fits the
        others in so many processes, -1 in one for each core; 1 fits all one after the other.
    verbose : bool
        Whether to say after some seconds how far a fit is where there is no terminal, too.
    random_state : int, RandomState or None
        Draws the code, and seeds the copies of the estimator, each differently. None draws the same code each time, and
        leaves the copies as the estimator is.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    code_ : ndarray of shape (n_classes, length)
        The codewords, a row for each class.
    minimum_distance_ : float
        The least distance between two codewords; a place where one of them has a 0 counts a half.
    n_corrected_ : int
        How many classifiers may be wrong about any row without any harm. Those that leave its class out may say
        anything: in a code with zeros this is less than the distance alone would say.
    estimators_ : list
        The fitted copies, one for each column.
    certificate_ : Collected
        Their certificates; its error is the worst of theirs.
    n_iter_ : int
        The most iterations that any of them took.
    coef_, intercept_ : ndarray
        Their planes, where they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from separatrix import ErrorCorrectingCode, LinearSVM, verify
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ErrorCorrectingCode(LinearSVM(C=0.01), length=15).fit(X[:600], y[:600])
    >>> model.minimum_distance_, model.n_corrected_, bool(verify(model, X[:600], y[:600]))
    (8.0, 3, True)
    """

    def __init__(
        self,
        estimator: Any,
        code: Any = "search",
        decode: Literal["hamming", "loss"] = "hamming",
        *,
        length: int | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.code = code
        self.decode = decode
        self.length = length
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @property
    def minimum_distance_(self) -> float:
        """The least distance between two codewords; a place where one of them has a 0 counts a half."""
        return minimum_distance(self.code_)

    @property
    def n_corrected_(self) -> int:
        """How many classifiers may be wrong about any row without any harm."""
        return n_corrected(self.code_)

    def _code(self, classes: np.ndarray, separation: Callable[[], Vector]) -> np.ndarray:
        self._decoder()
        if not isinstance(self.code, str):
            if self.length is not None:
                raise OptionError(
                    "The 'length' parameter of ErrorCorrectingCode is for codes with a name; a matrix has its own. "
                    f"Got {self.length!r}."
                )
            return check_code(self.code, classes)
        seed = 0 if self.random_state is None else check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return named_code(self.code, classes.size, self.length, np.random.default_rng(seed), separation)

    def _decoder(self) -> Callable[[Vector, np.ndarray], Vector]:
        if self.decode not in tuple(DECODERS):
            raise OptionError(
                f"The 'decode' parameter of ErrorCorrectingCode must be one of {tuple(DECODERS)}. Got {self.decode!r}."
            )
        return DECODERS[self.decode]

    def _decode(self, scores: Vector) -> Vector:
        return ties_settled(self._decoder()(scores, self.code_))

    def _check_stored(self) -> None:
        """Refuse a code that no `fit` can have made, as a file may hold it."""
        check_code(self.code_, self.classes_)


def ties_settled(scores: Vector) -> Vector:
    """Scores of which those that rounding alone has below the largest of their row are equal to it.

    >>> ties_settled(np.array([[0.3, 0.1 + 0.2, 0.0]])).argmax().item()  # which is a little more than 0.3
    0
    """
    best = scores.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(best - scores <= TIE_RTOL * (1.0 + np.abs(best)), best, scores)
