"""The question that a model was asked, in exact numbers, from its options and its data alone."""

from typing import NamedTuple

import numpy as np
from flint import fmpq

from claims_judged.exact_numbers import fraction, fractions
from claims_judged.margin_questions import Joint, MeanSlack, NuMargin, SoftMargin
from claims_judged.number_questions import Ball, NuTube, SparseTube, Tube
from claims_judged.spaces import Features, KernelSpace, kernel_function


class Posed(NamedTuple):
    """The rows that count, their targets (class codes or numbers) and their weights."""

    X: np.ndarray
    target: np.ndarray
    cost: list


def posed(data, classes):
    """What is left of data without rows of no weight."""
    kept = np.arange(len(data.X)) if data.weights is None else np.flatnonzero(data.weights)
    cost = [fmpq(1)] * kept.size if data.weights is None else fractions(data.weights[kept])
    y = np.zeros(len(data.X)) if data.y is None else data.y
    target = y[kept] if classes is None else np.searchsorted(classes, y[kept])
    return Posed(data.X[kept].astype(float), target, cost)


def parts_of(model, data):
    """Each claim of a model with the rows that it is about and their signs, codes or numbers."""
    claim, classes = model.certificate_, getattr(model, "classes_", None)
    question = posed(data, classes)
    if not hasattr(claim, "parts"):
        if classes is not None and len(classes) == 2:
            return [(claim, question._replace(target=2 * question.target - 1))]
        return [(claim, question)]
    found = []
    for part, column in zip(claim.parts, claim.code.T, strict=True):
        sides = column[question.target]
        inside = np.flatnonzero(sides)
        cost = [question.cost[i] for i in inside]
        found.append((part, Posed(question.X[inside], sides[inside].astype(int), cost)))
    return found


def has_coefficients(claim):
    """Whether the w of a claim are coefficients of rows in the space of a kernel."""
    return getattr(claim, "kernel", None) is not None or getattr(claim, "coefficients_of", None) is not None


def space_of(model, claim, rows):
    """The features, or the space of the kernel that the options of a model name, where the claim has coefficients."""
    if not has_coefficients(claim):
        return Features(rows)
    return KernelSpace(rows, kernel_function(model.kernel, model.gamma, model.degree, model.coef0))


def question_of(model, claim, part):
    """The objective of a model on a part of its data."""
    space = space_of(model, claim, fractions(part.X))
    name, offset = type(model).__name__, getattr(model, "fit_intercept", True)
    signs = [int(s) for s in part.target] if name not in NUMBERS else fractions(part.target)
    if name in ("LinearSVM", "KernelSVM"):
        C = None if np.inf == model.C else fraction(model.C)
        if getattr(model, "multi_class", "") == "crammer_singer" and len(model.classes_) > 2:
            return Joint(space, signs, part.cost, offset, C, len(model.classes_))
        squared = model.loss == "squared_hinge" and getattr(model, "multi_class", "rest") == "rest"
        return SoftMargin(space, signs, part.cost, offset, C, squared)
    if name in ("NuSVM", "KernelNuSVM"):
        return NuMargin(space, signs, part.cost, True, fraction(model.nu))
    if name == "OneClassSVM":
        return NuMargin(space, [1] * len(signs), part.cost, False, fraction(model.nu))
    if name == "SmallestBall":
        return Ball(space, part.cost, fraction(model.nu))
    if name in ("LinearSVR", "KernelSVR"):
        squared = model.loss.startswith("squared")
        return Tube(space, signs, part.cost, offset, fraction(model.C), fraction(model.epsilon), squared)
    if name in ("NuSVR", "KernelNuSVR"):
        return NuTube(space, signs, part.cost, offset, fraction(model.C), fraction(model.nu))
    if name == "SparseSVR":
        return SparseTube(space, signs, part.cost, offset, fraction(model.l1), fraction(model.epsilon))
    return MeanSlack(space, signs, part.cost, offset)


NUMBERS = ("LinearSVR", "KernelSVR", "NuSVR", "KernelNuSVR", "SparseSVR")


def plane_of(claim, n_rows):
    """w and b of a claim in exact numbers; of a kernel machine a coefficient for each row."""
    w, b = claim.w, claim.b
    if has_coefficients(claim):
        full = np.zeros(n_rows)
        full[claim.support if hasattr(claim, "support") else claim.coefficients_of] = w
        w = full
    b = fractions(b) if np.ndim(b) else fraction(b)
    return fractions(w), b
