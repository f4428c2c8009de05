"""Models taken over from scikit-learn and handed over to it: they predict the same, and nothing is fitted again.

scikit-learn keeps for an SVC what LIBSVM is handed; of two classes with the signs turned. These attributes have names
with an underscore in front, but pickles have relied on them since version 0.22. Its classes are imported where they are
made, as importing all of them takes long.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from separatrix.errors import OptionError
from separatrix.estimators.discriminant import GaussianDiscriminant
from separatrix.estimators.kernel.kernel_svm import KernelSVM
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.perceptron import Perceptron
from separatrix.interchange.scikit_learn.questions import question_of
from separatrix.interchange.taken_over import take_expansion, take_planes
from separatrix.kernels import RBF, Linear, Polynomial, Sigmoid
from separatrix.kernels.kernel_of import kernel_of

NO_CLAIM = "it was fitted by scikit-learn; certify(model, X, y) says how far that is from its optimum"


def from_sklearn(model: Any) -> Any:
    """Make the estimator of this package that predicts as a fitted model of scikit-learn does.

    Parameters
    ----------
    model : fitted LinearSVC, SVC, LogisticRegression, SGDClassifier, RidgeClassifier, Perceptron or \
LinearDiscriminantAnalysis
        Whose planes, or support rows, are taken over.

    Returns
    -------
    estimator
        Fitted, with a certificate that proves nothing: `certify` says how far the model is from its optimum.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from separatrix import from_sklearn
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], ["a", "a", "b", "b"]
    >>> given = LinearSVC(C=10.0).fit(X, y)
    >>> model = from_sklearn(given)
    >>> model, (model.predict(X) == given.predict(X)).all()
    (LinearSVM(C=10.0, loss='squared_hinge'), np.True_)
    """
    check_is_fitted(model)
    rows_seen = round((model.t_ - 1.0) / model.n_iter_) if hasattr(model, "t_") else None
    question = question_of(model, rows_seen)
    estimator = question.estimator
    own = {"fit_intercept": bool(model.fit_intercept)} if hasattr(model, "fit_intercept") else {}
    default = {"tol": type(estimator)().tol} if hasattr(estimator, "tol") else {}
    known = {"class_weight": question.class_weight} if "class_weight" in estimator.get_params() else {}
    estimator.set_params(**own, **default, **known)
    estimator.n_features_in_ = model.n_features_in_
    estimator._keep("feature_names_in_", getattr(model, "feature_names_in_", None))
    estimator.classes_ = model.classes_
    counts = getattr(model, "n_iter_", None)
    estimator.n_iter_ = 1 if counts is None else int(np.max(counts))
    if isinstance(estimator, KernelSVM):
        return support_rows_of(estimator, model)
    W = np.array(model.coef_, dtype=np.float64, ndmin=2)
    b = np.array(np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (len(W),)))
    return take_planes(estimator, W, b, NO_CLAIM)


def support_rows_of(estimator: Any, model: Any) -> Any:
    """Give an estimator the support rows of a model, and their coefficients."""
    kernel = kernel_of(model.kernel, gamma=model._gamma, degree=model.degree, coef0=model.coef0)
    estimator.support_ = np.array(model.support_, dtype=np.int32)
    rows = model.support_vectors_
    own = sparse.csr_array(rows) if sparse.issparse(rows) else np.array(rows)
    rows = estimator.support_ if model.kernel == "precomputed" else own
    offsets = np.array(model.intercept_, dtype=np.float64)
    return take_expansion(estimator, kernel, rows, dense(model.dual_coef_), offsets, model.n_support_, NO_CLAIM)


def dense(matrix: Any) -> np.ndarray:
    """A matrix as a dense array of doubles."""
    return np.array(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)


def to_sklearn(model: Any) -> Any:
    """Make the model of scikit-learn that predicts as a fitted estimator of this package does.

    Parameters
    ----------
    model : fitted LinearSVM, LogisticClassifier, LeastSquaresClassifier, GaussianDiscriminant, Perceptron or KernelSVM
        Whose planes, or support rows, are handed over.

    Returns
    -------
    estimator
        A fitted LinearSVC, LogisticRegression, RidgeClassifier, LinearDiscriminantAnalysis, Perceptron or SVC.

    Examples
    --------
    >>> from separatrix import KernelSVM, to_sklearn
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = KernelSVM(C=10.0, gamma=1.0).fit(X, y)
    >>> to_sklearn(model), to_sklearn(model).predict(X).tolist()
    (SVC(C=10.0, gamma=1.0), [0, 1, 1, 0])
    """
    check_is_fitted(model)
    make = COUNTERPARTS.get(type(model))
    if make is None:
        known = ", ".join(sorted(kind.__name__ for kind in COUNTERPARTS))
        raise OptionError(f"{type(model).__name__} has no counterpart in scikit-learn. These have: {known}.")
    other = make(model)
    other.n_features_in_, other.classes_ = model.n_features_in_, model.classes_
    if hasattr(model, "feature_names_in_"):
        other.feature_names_in_ = model.feature_names_in_
    return other


def with_planes(other: Any, model: Any) -> Any:
    """Give a linear model of scikit-learn the planes of an estimator."""
    other.coef_, other.intercept_ = np.array(model.coef_), np.array(model.intercept_)
    other.n_iter_ = model.n_iter_
    return other


def to_linear_svc(model: Any) -> Any:
    """A LinearSVC, whose offset would be penalised if it were fitted."""
    from sklearn.svm import LinearSVC

    return with_planes(LinearSVC(C=model.C, loss=model.loss, fit_intercept=model.fit_intercept), model)


def to_logistic_regression(model: Any) -> Any:
    """A LogisticRegression; its probabilities are those of the planes."""
    from sklearn.linear_model import LogisticRegression

    if getattr(model, "_limit", None) is not None:
        raise OptionError(
            "This maximum likelihood is infinite beside a plane, which scikit-learn has no model for. Fit it with a "
            "finite C."
        )
    made = with_planes(LogisticRegression(C=model.C, fit_intercept=model.fit_intercept), model)
    made.n_iter_ = np.array([model.n_iter_], dtype=np.int32)
    return made


def to_ridge_classifier(model: Any) -> Any:
    """A RidgeClassifier, whose targets of more than two classes are -1 and 1."""
    from sklearn.linear_model import RidgeClassifier
    from sklearn.preprocessing import LabelBinarizer

    if model.targets is not None:
        raise OptionError(f"RidgeClassifier has targets of its own. Got targets={model.targets!r}.")
    made = with_planes(RidgeClassifier(alpha=model.ridge, fit_intercept=model.fit_intercept), model)
    if len(made.coef_) > 1:
        made.coef_, made.intercept_ = 2.0 * made.coef_, 2.0 * made.intercept_ - 1.0
    made._label_binarizer = LabelBinarizer(pos_label=1, neg_label=-1).fit(model.classes_)
    return made


def to_discriminant(model: Any) -> Any:
    """A LinearDiscriminantAnalysis that predicts; it keeps no moments, so that it does not transform."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return with_planes(LinearDiscriminantAnalysis(), model)


def to_perceptron(model: Any) -> Any:
    """A Perceptron."""
    from sklearn.linear_model import Perceptron as SklearnPerceptron

    return with_planes(SklearnPerceptron(fit_intercept=model.fit_intercept), model)


def to_svc(model: Any) -> Any:
    """An SVC, with all that LIBSVM is handed."""
    from sklearn.svm import SVC

    kernel = model.kernel_
    name = NAMES_OF_KERNELS.get(type(kernel))
    if name is None:
        raise OptionError(f"LIBSVM does not know the kernel {kernel!r}. Use a linear, polynomial, RBF or sigmoid one.")
    gamma = float(getattr(kernel, "gamma", 1.0))
    options = {"degree": kernel.degree, "coef0": kernel.coef0} if isinstance(kernel, Polynomial) else {}
    options = {"coef0": kernel.coef0} if isinstance(kernel, Sigmoid) else options
    made = SVC(C=model.C, kernel=name, gamma=gamma, **options)
    rows = model.support_vectors_
    made._sparse, made._gamma, made.shape_fit_ = sparse.issparse(rows), gamma, (rows.shape[0], model.n_features_in_)
    made.support_ = np.array(model.support_, dtype=np.int32)
    made.support_vectors_ = sparse.csr_matrix(rows, dtype=np.float64) if made._sparse else np.array(rows, np.float64)
    made._n_support, made.fit_status_ = np.array(model.n_support_, dtype=np.int32), 0
    coefficients, offsets = np.array(model.dual_coef_), np.array(model.intercept_)
    if made._sparse:
        coefficients = with_zeros(coefficients)
    made.dual_coef_, made.intercept_ = coefficients, offsets
    sign = -1.0 if model.classes_.size == 2 else 1.0  # LIBSVM's positive class is the first
    made._dual_coef_, made._intercept_ = sign * coefficients, sign * offsets
    made._probA = made._probB = np.empty(0)
    made._effective_probability = False
    made.class_weight_ = np.ones(model.classes_.size)
    return made


def with_zeros(matrix: np.ndarray) -> sparse.csr_matrix:
    """A sparse matrix that stores every entry, zeros too, as LIBSVM counts on."""
    n_rows, n_columns = matrix.shape
    starts = n_columns * np.arange(n_rows + 1)
    return sparse.csr_matrix((matrix.ravel(), np.tile(np.arange(n_columns), n_rows), starts), shape=matrix.shape)


NAMES_OF_KERNELS = {Linear: "linear", Polynomial: "poly", RBF: "rbf", Sigmoid: "sigmoid"}
COUNTERPARTS: Mapping[type, Callable[[Any], Any]] = {
    LinearSVM: to_linear_svc,
    LogisticClassifier: to_logistic_regression,
    LeastSquaresClassifier: to_ridge_classifier,
    GaussianDiscriminant: to_discriminant,
    Perceptron: to_perceptron,
    KernelSVM: to_svc,
}
