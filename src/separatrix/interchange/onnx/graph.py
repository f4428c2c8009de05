"""An ONNX graph that grows node by node; every node has one output, named after its number."""

from typing import Any

import numpy as np

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8  # of onnx 1.12, which runtimes from 2022 on read


def imported_onnx() -> Any:
    """The package onnx, or an ImportError that says how to install it."""
    try:
        import onnx
    except ImportError as missing:
        raise ImportError(
            'ONNX graphs need onnx, which is not installed. Use: pip install "separatrix[onnx]"'
        ) from missing
    return onnx


class Graph:
    """Nodes, constants and the inputs and outputs of a graph.

    Examples
    --------
    >>> graph = Graph()
    >>> rows = graph.input("X", np.float64, 2)
    >>> _ = graph.output("twice", graph.add("Add", rows, rows), np.float64, [None, 2])
    >>> [node.op_type for node in graph.model("an example").graph.node]
    ['Add', 'Identity']
    """

    def __init__(self) -> None:
        self.onnx = imported_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def input(self, name: str, dtype: Any, columns: int) -> str:
        """Declare an input of any number of rows."""
        self.inputs.append(self._declared(name, dtype, [None, columns]))
        return name

    def output(self, name: str, value: str, dtype: Any, shape: list[int | None]) -> str:
        """Declare an output, which a value becomes."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        self.outputs.append(self._declared(name, dtype, shape))
        return name

    def constant(self, array: Any) -> str:
        """A constant; words become strings."""
        values = np.asarray(array)
        values = values.astype(object) if values.dtype.kind in "US" else values
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(values), name))
        return name

    def add(self, operator: str, *operands: str, domain: str = "", **attributes: Any) -> str:
        """Add a node; returns the name of its output."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(operands), [name], domain=domain, **attributes))
        return name

    def cast(self, value: str, dtype: Any) -> str:
        """A value as another type."""
        return self.add("Cast", value, to=self._kind(dtype))

    def model(self, text: str) -> Any:
        """The finished model, checked."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "separatrix", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        found = helper.make_model(graph, opset_imports=opsets, producer_name="separatrix", ir_version=IR_VERSION)
        found.doc_string = text
        self.onnx.checker.check_model(found)
        return found

    def _declared(self, name: str, dtype: Any, shape: list[int | None]) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, self._kind(dtype), shape)

    def _kind(self, dtype: Any) -> int:
        kind = np.dtype(object) if np.dtype(dtype).kind in "US" else np.dtype(dtype)
        return self.onnx.helper.np_dtype_to_tensor_dtype(kind)
