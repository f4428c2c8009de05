"""Solvers whose rows come in blocks: they see them by folds and by passes in order."""
