"""Whether two models are the same to the last bit."""

import dataclasses
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_regressor

from separatrix.certificates.claims.minimum_errors import MinimumErrors
from separatrix.estimators.registry import estimators


def same(one, other):
    """Equal in type and in every bit, also inside of lists, records and models; recorded runs are left out."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        equal = one.tolist() == other.tolist() if one.dtype == object else one.tobytes("A") == other.tobytes("A")
        return one.dtype == other.dtype and one.shape == other.shape and equal
    if sparse.issparse(one):
        parts = ("data", "indices", "indptr", "shape")
        return all(same(getattr(one, name), getattr(other, name)) for name in parts)
    if isinstance(one, (float, np.floating)):
        return np.float64(one).tobytes() == np.float64(other).tobytes()
    if isinstance(one, (MinimumErrors, BaseEstimator)):
        names = vars(one).keys() - {"trace_"}
        number = not isinstance(one, MinimumErrors) or int(one) == int(other)
        return number and names == vars(other).keys() and all(same(vars(one)[n], vars(other)[n]) for n in names)
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def answers(model, X):
    """All that a model says of rows."""
    names = ("predict", "decision_function", "predict_proba", "transform", "posterior")
    return {name: getattr(model, name)(X) for name in names if hasattr(model, name)}


def fitted(estimator, X, y, **options):
    """A copy that is fitted with as many of the options as it has."""
    model = clone(estimator)
    options = {"random_state": 3, "max_iter": 200, **options}
    model.set_params(**{name: value for name, value in options.items() if name in model.get_params(deep=False)})
    numbers = np.unique(y, return_inverse=True)[1] if is_regressor(model) else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, numbers)


def each_once():
    """One estimator of each row of the registry, by a name for the test."""
    found = {}
    for estimator in estimators():
        found[repr(estimator)] = estimator
    return list(found.values())
