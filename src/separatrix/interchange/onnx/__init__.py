"""Models as ONNX graphs, which other languages and servers run."""
