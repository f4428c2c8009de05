"""From the optimum for one C to that for another: the regularization path."""
