"""A Preparation in a graph: each column is an input of its own, and becomes features as `transform` makes them.

A number that is missing is NaN, a word that is missing is the empty text.
"""

import numpy as np

from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.prepared_column import MISSING, OTHER, PreparedColumn
from separatrix.errors import OptionError
from separatrix.interchange.code.terms import word_of
from separatrix.interchange.onnx.decisions import whole
from separatrix.interchange.onnx.graph import Graph
from separatrix.interchange.onnx.scores import number

NOWHERE = -1  # the place of a word that has no column


def prepared_features(graph: Graph, preparation: Preparation) -> str:
    """The features of a table, whose columns are the inputs of the graph."""
    if preparation.dates_:
        name = next(iter(preparation.dates_))
        raise OptionError(
            f"ONNX has no dates, and the column {name!r} holds some. Make numbers of it before, or leave it out."
        )
    if not preparation.columns_:
        return matrix_features(graph, preparation)
    used = [column for column in preparation.columns_ if column.features]
    return graph.add("Concat", *(column_features(graph, column) for column in used), axis=1)


def matrix_features(graph: Graph, preparation: Preparation) -> str:
    """The features of a matrix: as they are, or on one scale."""
    rows = graph.input("X", np.float64, preparation.n_features_in_)
    if preparation.sparse_ or preparation.centre_ is None:
        return rows
    moved = graph.add("Sub", rows, graph.constant(preparation.centre_))
    return graph.add("Div", moved, graph.constant(preparation.spread_))


def column_features(graph: Graph, column: PreparedColumn) -> str:
    """The features of a column, of shape (n, features)."""
    if column.kind == "text":
        return word_features(graph, column)
    given = graph.input(column.name, np.float64, 1)
    missing = graph.add("IsNaN", given)
    if column.kind == "presence":
        known = {MISSING: missing}
        parts = [known.get(name) or graph.add("Not", missing) for name in column.categories]
        return graph.add("Concat", *(graph.cast(part, np.float64) for part in parts), axis=1)
    filled = graph.add("Where", missing, number(graph, column.median or 0.0), given)
    moved = graph.add("Sub", filled, number(graph, column.centre))
    return graph.add("Div", moved, number(graph, column.scale))


def word_features(graph: Graph, column: PreparedColumn) -> str:
    """A column of 0 and 1 for each category: of words, of other words, and of missing ones."""
    place = {name: j for j, name in enumerate(column.categories)}
    words = {word_of(name): j for name, j in place.items() if name not in (MISSING, OTHER)}
    words[""] = place.get(MISSING, NOWHERE)
    codes = graph.add(
        "LabelEncoder", graph.input(column.name, object, 1), domain="ai.onnx.ml",
        keys_strings=list(words), values_int64s=list(words.values()), default_int64=place.get(OTHER, NOWHERE),
    )  # fmt: skip
    return graph.cast(graph.add("Equal", codes, whole(graph, np.arange(len(place)))), np.float64)
