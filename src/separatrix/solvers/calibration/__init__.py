"""Probabilities from scores: a sigmoid, a monotone function, and pairs of classes coupled to one distribution."""
