"""A fitted model as an ONNX graph in double precision, which predicts what the model does."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import OptionError
from separatrix.estimators.base import CertifiedClassifier, LinearClassifier, Probabilities
from separatrix.estimators.hulls.reduced_hull_classifier import offsets_by_pairs_of
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.kernel.kernel_regressor import KernelRegressor
from separatrix.estimators.kernel.novelty_detector import NoveltyDetector
from separatrix.estimators.kernel.smallest_ball import SmallestBall
from separatrix.estimators.nu_svm import NuSVM
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.error_correcting_code import ErrorCorrectingCode
from separatrix.estimators.reduction.in_pairs import by_pairs, offsets_by_pairs
from separatrix.estimators.reduction.one_vs_one import OneVsOne
from separatrix.estimators.reduction.one_vs_rest import OneVsRest
from separatrix.estimators.reduction.reduction import Reduction
from separatrix.estimators.regression.linear_regressor import PlaneRegressor
from separatrix.interchange.onnx.decisions import (
    decoded,
    label_type,
    labels,
    largest,
    probabilities,
    side,
    survivor,
    votes,
    whole,
)
from separatrix.interchange.onnx.graph import Graph
from separatrix.interchange.onnx.preparation import prepared_features
from separatrix.interchange.onnx.scores import expansion_scores, kernel_diagonal, number, plane_scores


def to_onnx(model: Any, path: Any = None) -> Any:
    """Make an ONNX graph of a fitted model, or of a pipeline of a Preparation and a model.

    Parameters
    ----------
    model : fitted classifier, regressor or novelty detector, or a pipeline that ends with one
        By planes, or by a linear, polynomial, RBF or sigmoid kernel, their sums and products; reductions of several
        classes to such models.
    path : str, Path or None
        A file to write the graph to.

    Returns
    -------
    onnx.ModelProto
        Its input `X` takes rows of doubles; after a Preparation each column is an input of its own, with NaN or ""
        where a value is missing. Its outputs are `label` (or `value`, or `inside` of novelty detectors), `scores`, and
        `probabilities` of models that have them.

    Examples
    --------
    >>> from separatrix import LinearSVM, to_onnx
    >>> graph = to_onnx(LinearSVM().fit([[0.0, 1.0], [1.0, 0.0], [4.0, 4.0]], ["a", "a", "b"])).graph
    >>> [each.name for each in graph.input], [each.name for each in graph.output]
    (['X'], ['label', 'scores'])
    """
    graph = Graph()
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    final = steps[-1]
    check_is_fitted(final)
    if len(steps) > 2 or (len(steps) == 2 and not isinstance(steps[0], Preparation)):
        names = ", ".join(type(step).__name__ for step in steps)
        raise OptionError(f"ONNX export takes a model, or a pipeline of a Preparation and a model. Got {names}.")
    if len(steps) == 2:
        rows = prepared_features(graph, steps[0])
    else:
        rows = graph.input("X", np.float64, final.n_features_in_)
    add_outputs(graph, rows, final)
    found = graph.model(f"{final!r}, fitted by separatrix")
    if path is not None:
        Path(path).write_bytes(found.SerializeToString())
    return found


def add_outputs(graph: Graph, rows: str, model: Any) -> None:
    """What the model predicts, and the scores that it predicts by."""
    if isinstance(model, CertifiedClassifier):
        add_classes(graph, rows, model)
    elif isinstance(model, PlaneRegressor):
        add_numbers(graph, plane_scores(graph, rows, model.coef_, np.atleast_1d(model.intercept_)))
    elif isinstance(model, KernelRegressor):
        add_numbers(graph, expansion_scores(graph, rows, model, model.dual_coef_.T, model.intercept_))
    elif isinstance(model, NoveltyDetector):
        add_novelty(graph, rows, model)
    else:
        raise OptionError(f"{type(model).__name__} has no ONNX graph. Models by planes and kernel machines have.")


def add_classes(graph: Graph, rows: str, model: Any) -> None:
    """The label of each row, the scores of the classes, and their probabilities."""
    k = model.classes_.size
    scores = class_scores(graph, rows, model)
    if isinstance(model, OneVsOne) and model.decision == "dag" and k > 2:
        codes, scores = survivor(graph, scores, k), ""
    else:
        codes = side(graph, scores) if k == 2 else largest(graph, scores)
    graph.output("label", labels(graph, codes, model.classes_), label_type(model.classes_), [None])
    if scores:
        graph.output("scores", scores, np.float64, [None, 1 if k == 2 else k])
    if isinstance(model, Probabilities) and getattr(model, "separation_", "overlap") == "overlap":
        graph.output("probabilities", probabilities(graph, scores, k), np.float64, [None, k])


def class_scores(graph: Graph, rows: str, model: Any) -> str:
    """The decision function: one column for two classes, else one for each class (of a decision graph, each pair)."""
    k = model.classes_.size
    if isinstance(model, Reduction):
        return reduction_scores(graph, rows, model)
    if isinstance(model, KernelClassifier):
        W = getattr(model, "coef_", None)  # of a machine of planes of pairs
        if W is not None:
            pairs = plane_scores(graph, rows, offsets_by_pairs_of(W), offsets_by_pairs(model.intercept_))
        else:
            coefficients = by_pairs(model.dual_coef_, model.n_support_).T
            pairs = expansion_scores(graph, rows, model, coefficients, offsets_by_pairs(model.intercept_))
        return pairs if k == 2 else votes(graph, pairs, one_vs_one(k))
    if not isinstance(model, LinearClassifier | NuSVM) or getattr(model, "_limit", None) is not None:
        raise OptionError(f"{type(model).__name__} has no ONNX graph. Models by planes and kernel machines have.")
    if isinstance(model, NuSVM) and k > 2:
        return votes(graph, plane_scores(graph, rows, -model.coef_, -model.intercept_), one_vs_one(k))
    return plane_scores(graph, rows, model.coef_, model.intercept_)


def reduction_scores(graph: Graph, rows: str, model: Any) -> str:
    """The scores of the columns of a code, decoded."""
    columns = [class_scores(graph, rows, part) for part in model.estimators_]
    scores = columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)
    if model.classes_.size == 2:
        return graph.add("Mul", scores, number(graph, model.code_[1, 0]))
    if isinstance(model, OneVsRest):
        return scores
    if isinstance(model, OneVsOne):
        return scores if model.decision == "dag" else votes(graph, scores, model.code_)
    if isinstance(model, ErrorCorrectingCode):
        return decoded(graph, scores, model.code_, model.decode)
    raise OptionError(f"{type(model).__name__} has no ONNX graph.")


def add_numbers(graph: Graph, scores: str) -> None:
    """The number that is predicted for each row."""
    flat = graph.add("Reshape", scores, whole(graph, [-1]))
    graph.output("value", flat, np.float64, [None])


def add_novelty(graph: Graph, rows: str, model: Any) -> None:
    """1 for rows inside, -1 for novel ones, and the scores, negative where a row is novel."""
    scores = expansion_scores(graph, rows, model, model.dual_coef_.T, np.zeros(1))
    if isinstance(model, SmallestBall):
        twice = graph.add("Mul", scores, number(graph, 2.0))
        length = graph.add("Add", kernel_diagonal(graph, model.kernel_, rows), number(graph, model.centre_square_))
        scores = graph.add("Sub", twice, length)
    moved = graph.add("Reshape", graph.add("Sub", scores, number(graph, model.offset_)), whole(graph, [-1]))
    outside = graph.add("Less", moved, number(graph, 0.0))
    graph.output("inside", graph.add("Where", outside, whole(graph, -1), whole(graph, 1)), np.int64, [None])
    graph.output("scores", moved, np.float64, [None])
