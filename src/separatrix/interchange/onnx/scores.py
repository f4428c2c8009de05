"""Scores in a graph: planes, and expansions over support rows in the space of a kernel.

g(x) = W x + b                      g(x) = sum_j c_j K(x, x_j) + b
"""

from typing import Any

import numpy as np
from scipy import sparse

from separatrix.data.encode_kernel import is_symbolic
from separatrix.errors import OptionError
from separatrix.interchange.onnx.graph import Graph
from separatrix.kernels import RBF, Linear, Polynomial, Product, Scaled, Sigmoid, Sum
from separatrix.rows import Vector


def plane_scores(graph: Graph, rows: str, W: Vector, b: Vector) -> str:
    """w.x + b of each row and plane, of shape (n, planes)."""
    product = graph.add("MatMul", rows, graph.constant(np.ascontiguousarray(np.atleast_2d(W).T)))
    return graph.add("Add", product, graph.constant(np.atleast_1d(b)))


def expansion_scores(graph: Graph, rows: str, model: Any, coefficients: Vector, b: Vector) -> str:
    """The expansions of a kernel machine, of shape (n, machines)."""
    own = model.support_vectors_
    if is_symbolic(own):
        raise OptionError(f"ONNX has no kernel {model.kernel_!r} of texts and sets. Export machines over numbers.")
    support = np.asarray(own.toarray() if sparse.issparse(own) else own, dtype=np.float64)
    values = kernel_values(graph, model.kernel_, rows, support)
    product = graph.add("MatMul", values, graph.constant(np.ascontiguousarray(coefficients)))
    return graph.add("Add", product, graph.constant(np.atleast_1d(b)))


def kernel_values(graph: Graph, kernel: Any, rows: str, support: Vector) -> str:
    """K of each row with each support row."""
    if isinstance(kernel, Sum | Product):
        return joined(graph, kernel, [kernel_values(graph, part, rows, support) for part in kernel.parts])
    if isinstance(kernel, Scaled):
        scale = graph.constant(np.full(len(support), float(kernel.scale)))  # see `scale_of`
        return graph.add("Mul", kernel_values(graph, kernel.part, rows, support), scale)
    if isinstance(kernel, RBF):
        rate = number(graph, -float(kernel.gamma))
        return graph.add("Exp", graph.add("Mul", squared_distances(graph, rows, support), rate))
    if not isinstance(kernel, Linear | Polynomial | Sigmoid):
        raise OptionError(
            f"ONNX has no kernel {kernel!r}. It has linear, polynomial, RBF and sigmoid ones, their sums and products."
        )
    products = graph.add("MatMul", rows, graph.constant(np.ascontiguousarray(scale_of(kernel) * support.T)))
    return of_products(graph, kernel, products)


def scale_of(kernel: Linear | Polynomial | Sigmoid) -> float:
    """What products are multiplied with. Runtimes fuse a number with a product, as one of single precision."""
    return 1.0 if isinstance(kernel, Linear) else float(kernel.gamma)


def of_products(graph: Graph, kernel: Linear | Polynomial | Sigmoid, products: str) -> str:
    """The values of a kernel that depends on inner products alone, which are scaled already."""
    if isinstance(kernel, Linear):
        return products
    moved = graph.add("Add", products, number(graph, kernel.coef0))
    return hyperbolic_tangent(graph, moved) if isinstance(kernel, Sigmoid) else power(graph, moved, kernel.degree)


def power(graph: Graph, value: str, degree: int) -> str:
    """A whole power by products: the operator Pow of runtimes has the digits of single precision only."""
    found = value
    for bit in bin(degree)[3:]:
        found = graph.add("Mul", found, found)
        found = graph.add("Mul", found, value) if bit == "1" else found
    return found


def hyperbolic_tangent(graph: Graph, value: str) -> str:
    """1 - 2 / (exp(2 t) + 1): the operator Tanh of runtimes has the digits of single precision only."""
    exponential = graph.add("Exp", graph.add("Mul", value, number(graph, 2.0)))
    part = graph.add("Div", number(graph, 2.0), graph.add("Add", exponential, number(graph, 1.0)))
    return graph.add("Sub", number(graph, 1.0), part)


def kernel_diagonal(graph: Graph, kernel: Any, rows: str) -> str:
    """K of each row with itself, of shape (n, 1)."""
    if isinstance(kernel, Sum | Product):
        return joined(graph, kernel, [kernel_diagonal(graph, part, rows) for part in kernel.parts])
    if isinstance(kernel, Scaled):
        return graph.add("Mul", kernel_diagonal(graph, kernel.part, rows), number(graph, kernel.scale))
    squares = graph.add("ReduceSumSquare", rows, axes=[1], keepdims=1)
    if isinstance(kernel, RBF):
        return graph.add("Exp", graph.add("Mul", squares, number(graph, 0.0)))
    return of_products(graph, kernel, graph.add("Mul", squares, number(graph, scale_of(kernel))))


def joined(graph: Graph, kernel: Sum | Product, parts: list[str]) -> str:
    """The sum, or the product, of the values of several kernels."""
    total = parts[0]
    for part in parts[1:]:
        total = graph.add("Add" if isinstance(kernel, Sum) else "Mul", total, part)
    return total


def squared_distances(graph: Graph, rows: str, support: Vector) -> str:
    """||x - z||^2 = ||x||^2 + ||z||^2 - 2 x.z, of rows that are centred first, as differences have more digits then."""
    centre = support.mean(axis=0)
    centred, own = graph.add("Sub", rows, graph.constant(centre)), support - centre
    squares = graph.add("ReduceSumSquare", centred, axes=[1], keepdims=1)
    products = graph.add("MatMul", centred, graph.constant(np.ascontiguousarray(-2.0 * own.T)))
    total = graph.add("Add", graph.add("Add", squares, products), graph.constant((own**2).sum(axis=1)))
    return graph.add("Max", total, number(graph, 0.0))


def number(graph: Graph, value: float) -> str:
    """A double."""
    return graph.constant(np.array(float(value)))
