"""Fits for many values of a penalty, each from the one before: the regularization path.

    for C in ascending order:   w(C), b(C) = argmin of the estimator's objective, from w(previous C), b(previous C)

Data are encoded once, and what one fit learns about the rows (coordinates, margins, Hessians, moments) serves the next.
The models are those of separate fits, each with its own certificate (Hastie, Rosset, Tibshirani and Zhu, 2004).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from separatrix.errors import OptionError, at_most, counted
from separatrix.estimators.reduction.in_pairs import by_pairs
from separatrix.kernels import Precomputed
from separatrix.rows import Vector, length
from separatrix.selection.regression.tube import half_width
from separatrix.solvers.options import number, positive

PENALTIES = ("C", "ridge", "l1", "epsilon", "nu")  # which leave the rows and their space as they are, to be shared


@dataclass(frozen=True, eq=False, repr=False)
class RegularizationPath(Sequence):
    """Fitted models for values of one option, with their errors, support rows and widths of margins or tubes.

    Attributes
    ----------
    option : str
        What changes, such as "C" or "ridge".
    values : ndarray
        Its values, as they were asked for.
    models : tuple of fitted estimators
        One for each value, with `certificate_`; `path[i]` is `path.models[i]`.

    Examples
    --------
    >>> from separatrix import LeastSquaresClassifier, regularization_path
    >>> path = regularization_path(LeastSquaresClassifier(), [[0.0], [1.0], [3.0]], [0, 0, 1], ridge=[0.0, 14.0])
    >>> path, path.coef_.ravel().round(3).tolist()
    (RegularizationPath(2 values of ridge), [0.714, 0.179])
    """

    option: str
    values: Vector
    models: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, index: Any) -> Any:
        return self.models[index]

    @property
    def coef_(self) -> Vector:
        """w of each value, of shape (n_values, n_planes, n_features)."""
        return np.array([last_step(model).coef_ for model in self.models])

    @property
    def intercept_(self) -> Vector:
        """b of each value, of shape (n_values, n_planes)."""
        return np.array([last_step(model).intercept_ for model in self.models])

    @property
    def gaps(self) -> Vector:
        """The error that each certificate states."""
        return np.array([last_step(model).certificate_.stated for model in self.models])

    @property
    def support_rows(self) -> Vector:
        """How many support rows each model has; not a number where there is no such thing."""
        found = [getattr(last_step(model), "support_", None) for model in self.models]
        return np.array([np.nan if each is None else each.size for each in found])

    @property
    def widths(self) -> Vector:
        """The width of each margin, or of each tube around a regression; the smallest of several."""
        return np.array([width_of(last_step(model)) for model in self.models])

    @property
    def radii(self) -> Vector:
        """||w|| of each model: no plane within this radius has a smaller loss (structural risk minimisation).

        A model minimises its loss plus a penalty of ||w||, so that it also minimises the loss alone among all planes
        with so small a ||w||: values of C or ridge are balls in the space of planes, each within the next larger one.
        """
        return np.array([radius_of(last_step(model)) for model in self.models])

    def errors(self, X: Any, y: Any = None) -> Vector:
        """The error of each model on other data: the error rate, the mean absolute error, or the part that is novel."""
        return np.array([error_of(model, X, y) for model in self.models])

    def __repr__(self) -> str:
        return f"RegularizationPath({counted(len(self), 'value')} of {self.option})"

    def __str__(self) -> str:
        planes = any(hasattr(last_step(model), "coef_") for model in self.models)  # which kernel machines have not
        wide = any(np.isfinite(self.widths))
        heads = f"{'     ||w||' if planes else ''}{'     width' if wide else ''}"
        lines = [f"{self.option:>10}{heads}  support rows  error of the certificate"]
        for value, model in zip(self.values, self.models, strict=True):
            last = last_step(model)
            support = f"{last.support_.size:,}" if hasattr(last, "support_") else "-"
            certificate = getattr(last, "certificate_", None)
            stated = "-" if certificate is None else f"at most {at_most(with_rounding(certificate))}"
            size = f"  {length(np.ravel(last.coef_)):>8.4g}" if planes else ""
            size += f"  {width_of(last):>8.4g}" if wide else ""
            lines.append(f"{value:>10.4g}{size}  {support:>12}  {stated}")
        return "\n".join(lines)


def regularization_path(
    estimator: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **values: Sequence[float]
) -> RegularizationPath:
    """Fit an estimator for many values of its penalty, its nu, epsilon or mu, with what fits of these rows can share.

    Parameters
    ----------
    estimator : unfitted estimator, its class, or a pipeline that ends with one
        LinearSVM, KernelSVM and LogisticClassifier over C and least squares over ridge share their work; others, and
        other options, are fitted one by one.
    X, y, sample_weight : as for fit
        The data; they are encoded, and a pipeline's transformers are fitted, once. There is no y for OneClassSVM.
    **values : sequence of numbers
        The option and its values, in any order: `C=[0.1, 1, 10]`, `ridge=[0, 1]`, `nu=[0.1, 0.5]`,
        `epsilon=[0, 0.5]`, `mu=[0.1, 1]`.

    Returns
    -------
    RegularizationPath
        The models in the order of the values, the same as separate fits give.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import LinearSVM, regularization_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = regularization_path(LinearSVM(), X, y, C=[0.01, 1.0, 100.0])
    >>> [model.support_.size for model in path], bool((path.gaps < 1e-9).all())
    ([68, 58, 43], True)
    """
    model = estimator() if isinstance(estimator, type) else clone(estimator)
    option, given = chosen_option(model, values)
    order = np.argsort(given, kind="stable")
    fitted = path_models(model, X, y, option, given[order], sample_weight)
    by_value = dict(zip(order.tolist(), fitted, strict=True))
    return RegularizationPath(option, given, tuple(by_value[place] for place in range(given.size)))


def chosen_option(model: Any, values: dict[str, Any]) -> tuple[str, Vector]:
    """The name of the option, and its values as numbers."""
    if len(values) != 1:
        named = ", ".join(values) or "none"
        raise OptionError(f"Give the values of one option, such as C=[0.1, 1, 10]. Got {named}.")
    (option, given), last = next(iter(values.items())), last_step(model)
    if option not in last.get_params(deep=False):
        raise OptionError(
            f"{type(last).__name__} has no option {option!r}. Its options: {', '.join(last.get_params())}."
        )
    found = [given] if np.ndim(given) == 0 else list(given)
    if not found:
        raise OptionError(f"{option!r} has no value. Give at least one, such as {option}=[0.1, 1, 10].")
    check = positive if option == "C" else lambda name, value: number(name, value, at_least=0.0)
    return option, np.array([check(option, value) for value in found])


def path_models(
    estimator: Any, X: Any, y: Any, option: str, values: Vector, sample_weight: Any = None
) -> Iterator[Any]:
    """Yield the fitted model of each value; those of a pipeline share its fitted transformers."""
    model = clone(estimator)
    if not hasattr(model, "steps"):
        yield from fitted_along(model, X, y, option, values, sample_weight)
        return
    *transformers, (name, last) = model.steps
    if transformers:
        X = Pipeline(transformers).fit_transform(X, y)
    for fitted in fitted_along(last, X, y, option, values, sample_weight):
        yield Pipeline([*transformers, (name, fitted)], memory=model.memory, verbose=model.verbose)


def fitted_along(model: Any, X: Any, y: Any, option: str, values: Vector, sample_weight: Any) -> Iterator[Any]:
    """Yield clones fitted for each value, with what they can share."""
    if option not in PENALTIES or not hasattr(model, "_fit_posed"):
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        for value in values.tolist():
            yield clone(model).set_params(**{option: value}).fit(X, y, **weights)
        return
    encoded, start = None, None
    for value in values.tolist():
        fitted = clone(model).set_params(**{option: value})
        if encoded is None:
            model, encoded = fitted, fitted._pose(X, y, sample_weight)
        else:
            fitted._know_features_of(model)
            encoded = replace(encoded, problem=encoded.problem.posed(fitted._asked_objective(encoded.classes)))
        start = fitted._fit_posed(encoded, start)
        yield fitted


def radius_of(model: Any) -> float:
    """||w|| of all planes of a model, also in the space of a kernel; not a number where that has its values alone."""
    if hasattr(model, "coef_"):
        return length(np.ravel(model.coef_))
    kernel, rows = getattr(model, "kernel_", None), getattr(model, "support_vectors_", None)
    if kernel is None or isinstance(kernel, Precomputed):
        return np.nan
    planes = by_pairs(model.dual_coef_, model.n_support_) if is_classifier(model) else model.dual_coef_
    if not planes.shape[1]:
        return 0.0
    return float(np.sqrt(max(0.0, np.sum(planes.T * kernel.expansion(rows, planes.T, rows)))))


def width_of(model: Any) -> float:
    """The width of the margin of a classifier, or of the tube of a regressor; not a number where there is none."""
    if hasattr(model, "margin_width_"):
        return float(np.min(model.margin_width_))
    if hasattr(model, "distance_"):
        return float(np.min(model.distance_))  # between reduced hulls
    tube = half_width(model)
    return np.nan if tube is None else 2.0 * tube


def error_of(model: Any, X: Any, y: Any) -> float:
    """What a model of any task gets wrong."""
    if is_classifier(model):
        return float(1.0 - model.score(X, y))
    predicted = model.predict(X)
    if is_regressor(model):
        return float(np.mean(np.abs(predicted - np.asarray(y, dtype=np.float64))))
    return float(np.mean(predicted < 0))


def with_rounding(certificate: Any) -> float:
    """The error that a certificate states, or the worst of several, and what rounding may add to it."""
    parts = getattr(certificate, "parts", (certificate,))
    return max(part.stated + getattr(part, "rounding", 0.0) for part in parts)


def last_step(model: Any) -> Any:
    """A model, or the last step of a pipeline."""
    return model.steps[-1][1] if hasattr(model, "steps") else model
