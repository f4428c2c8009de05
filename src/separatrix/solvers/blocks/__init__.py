"""Solvers of problems whose rows come in blocks, by sums over all of them: each pass over the rows is a fold."""
