"""From scores to labels and probabilities in a graph, as `predict` and `predict_proba` make them."""

from typing import Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.interchange.onnx.graph import Graph
from separatrix.interchange.onnx.scores import number


def label_type(classes: np.ndarray) -> Any:
    """The type of the labels of a graph: words, whole numbers, numbers or truth values."""
    return {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}.get(classes.dtype.kind, np.dtype(object))


def labels(graph: Graph, codes: str, classes: np.ndarray) -> str:
    """The label of each row's class."""
    kind = label_type(classes)
    known = (
        np.array([str(each) for each in classes], dtype=object) if kind == np.dtype(object) else classes.astype(kind)
    )
    return graph.add("Gather", graph.constant(known), codes)


def side(graph: Graph, scores: str) -> str:
    """1 where the only score is above 0, else 0, for each row."""
    flat = graph.add("Reshape", scores, graph.constant(np.array([-1], dtype=np.int64)))
    return graph.cast(graph.add("Greater", flat, number(graph, 0.0)), np.int64)


def largest(graph: Graph, scores: str) -> str:
    """The class with the largest score, the first of equal ones, for each row."""
    return graph.add("ArgMax", scores, axis=1, keepdims=0)


def votes(graph: Graph, scores: str, code: np.ndarray, share: float = 3.0) -> str:
    """Votes of pairs for each class, and a third of the squeezed sum of scores, as `decoding.votes` has them."""
    won = graph.cast(graph.add("Greater", scores, number(graph, 0.0)), np.float64)
    lost = graph.add("Sub", number(graph, 1.0), won)
    counts = graph.add(
        "Add", times(graph, won, (code > 0).T.astype(float)), times(graph, lost, (code < 0).T.astype(float))
    )
    return graph.add("Add", counts, graph.add("Div", confidence(graph, scores, code), number(graph, share)))


def hamming(graph: Graph, scores: str, code: np.ndarray) -> str:
    """Minus the distances to codewords, and a quarter of the squeezed sum of scores."""
    above = graph.cast(graph.add("Greater", scores, number(graph, 0.0)), np.float64)
    sides = graph.add("Sub", graph.add("Mul", above, number(graph, 2.0)), number(graph, 1.0))
    agreed = graph.add("Sub", times(graph, sides, code.T.astype(float)), number(graph, code.shape[1]))
    distance = graph.add("Div", agreed, number(graph, 2.0))
    return graph.add("Add", distance, graph.add("Div", confidence(graph, scores, code), number(graph, 4.0)))


def hinge_loss(graph: Graph, scores: str, code: np.ndarray) -> str:
    """Minus the sums of hinge losses for codewords."""
    total = None
    for value in (-1, 0, 1):
        against = graph.add("Sub", number(graph, 1.0), graph.add("Mul", scores, number(graph, value)))
        loss = times(graph, graph.add("Max", against, number(graph, 0.0)), -(code == value).T.astype(float))
        total = loss if total is None else graph.add("Add", total, loss)
    return str(total)


def confidence(graph: Graph, scores: str, code: np.ndarray) -> str:
    """The sum of the scores for each class, squeezed to the interval from -1 to 1."""
    total = times(graph, scores, code.T.astype(float))
    return graph.add("Div", total, graph.add("Add", graph.add("Abs", total), number(graph, 1.0)))


def survivor(graph: Graph, scores: str, n_classes: int) -> str:
    """The class that is left of each row after k - 1 questions of the decision graph."""
    table = np.zeros((n_classes, n_classes), dtype=np.int64)  # the column of a pair, by its classes
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for column, (i, j) in enumerate(pairs):
        table[i, j] = column
    columns = graph.constant(table.ravel())
    low = graph.cast(graph.add("Mul", side_of_column(graph, scores, 0), number(graph, 0.0)), np.int64)
    for left in range(n_classes - 1, 0, -1):
        place = graph.add("Add", graph.add("Mul", low, whole(graph, n_classes + 1)), whole(graph, left))
        asked = graph.add("Unsqueeze", graph.add("Gather", columns, place), whole(graph, [1]))
        chosen = graph.add("GatherElements", scores, asked, axis=1)
        low = graph.add("Add", low, side(graph, chosen))
    return low


def side_of_column(graph: Graph, scores: str, column: int) -> str:
    """Whether a score is above 0, as a double for each row."""
    chosen = graph.add("Gather", scores, whole(graph, column), axis=1)
    return graph.cast(graph.add("Greater", chosen, number(graph, 0.0)), np.float64)


def probabilities(graph: Graph, scores: str, n_classes: int) -> str:
    """Of two classes 1 / (1 + exp(-g)) and its complement, of more exp(g_c) by the sum of all."""
    if n_classes > 2:
        return graph.add("Softmax", scores, axis=1)
    both = times(graph, scores, np.array([[0.0, 1.0]]))
    return graph.add("Softmax", both, axis=1)


def times(graph: Graph, value: str, matrix: np.ndarray) -> str:
    """A product with a constant matrix."""
    return graph.add("MatMul", value, graph.constant(np.ascontiguousarray(matrix)))


def whole(graph: Graph, value: Any) -> str:
    """Whole numbers."""
    return graph.constant(np.array(value, dtype=np.int64))


DECODERS = {"hamming": hamming, "loss": hinge_loss}


def decoded(graph: Graph, scores: str, code: np.ndarray, name: str) -> str:
    """Scores of classes from those of the columns of a code."""
    if name not in DECODERS:
        raise OptionError(f"ONNX export knows the decoders {', '.join(DECODERS)}. Got {name!r}.")
    return DECODERS[name](graph, scores, code)
