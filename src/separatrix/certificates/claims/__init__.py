"""The claims, one a file: each holds what it claims, and recomputes its error from a problem."""
