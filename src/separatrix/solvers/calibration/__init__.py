"""Probabilities from scores: a sigmoid, a monotone step function, and pairs of classes coupled to one distribution."""
