"""A hash of what a model predicts with, for certificates that do not hold it themselves.

That no plane separates the classes is proved by rows, whatever plane a model has. So that such a claim does not pass
for another model, the model remembers a hash of its arrays as they were when the claim was made. The hash is no
signature and proves nothing of the plane; it tells that the plane is the one that was fitted.
"""

import hashlib
from typing import Any

import numpy as np


def record_hash(model: Any) -> None:
    """Remember what a model that has just been fitted predicts with; `_bound` is its name in model files."""
    model._bound = hash_of(model)


def is_as_fitted(model: Any) -> bool:
    """Whether a model predicts with what it was fitted with; files of earlier versions do not tell.

    Examples
    --------
    >>> from separatrix import HoKashyapClassifier
    >>> model = HoKashyapClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    >>> before = is_as_fitted(model)
    >>> model.coef_[0] = 7.0
    >>> before, is_as_fitted(model)
    (True, False)
    """
    return getattr(model, "_bound", None) in (None, hash_of(model))


def hash_of(model: Any) -> str:
    """SHA-256 of the arrays that `_hashed` names, with their names, types and shapes."""
    seen = hashlib.sha256()
    for name in getattr(model, "_hashed", ()):
        value = getattr(model, name, ())
        for each in value if isinstance(value, tuple) else (value,):
            seen.update(f"{name} ".encode() + content(each))
    return f"sha256:{seen.hexdigest()}"


def content(value: Any) -> bytes:
    """The bytes of an array, a number, or a list of whole numbers of any length."""
    if isinstance(value, list):
        return f"{value} ".encode()
    array = np.ascontiguousarray(value)
    return f"{array.dtype.str} {array.shape} ".encode() + array.tobytes()
