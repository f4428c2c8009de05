"""Classifiers with a threshold of their own, which is scikit-learn's FixedThresholdClassifier around another one."""

from typing import Any


def without_threshold(model: Any) -> Any:
    """The classifier that a threshold was put on, fitted if it is; any other model as it is.

    A threshold changes which rows are called, and no plane: certificates and pictures are about the classifier inside.
    It is known by its name, as scikit-learn takes half a second to import its module.

    >>> from sklearn.model_selection import FixedThresholdClassifier
    >>> from separatrix import LinearSVM
    >>> model = FixedThresholdClassifier(LinearSVM(), threshold=-1.0).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> without_threshold(model).certificate_.proof, without_threshold(LinearSVM())
    (True, LinearSVM())
    """
    if type(model).__name__ != "FixedThresholdClassifier":
        return model
    return getattr(model, "estimator_", model.estimator)
