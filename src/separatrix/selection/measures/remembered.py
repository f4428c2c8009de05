"""A fitted model that answers for some rows once, however often these are drawn."""

from typing import Any

import numpy as np


class Remembered:
    """A fitted model whose answers for some rows are computed once, and asked for by the numbers of these rows."""

    def __init__(self, model: Any, rows: Any) -> None:
        self.model, self.rows, self.known = model, rows, dict[str, np.ndarray]()

    def answer(self, method: str, index: np.ndarray) -> np.ndarray:
        """What a method gives for rows with these numbers."""
        if method not in self.known:
            self.known[method] = np.asarray(getattr(self.model, method)(self.rows))
        return self.known[method][index]

    def predict(self, index: np.ndarray) -> np.ndarray:
        """The predictions."""
        return self.answer("predict", index)

    def __getattr__(self, name: str) -> Any:
        if name in ("decision_function", "predict_proba", "predict_log_proba"):
            getattr(self.model, name)  # a model that lacks it has no such answers

            def method(index: np.ndarray) -> np.ndarray:
                return self.answer(name, index)

            method.__name__ = name  # which scikit-learn's scorers look at
            return method
        return getattr(self.model, name)
