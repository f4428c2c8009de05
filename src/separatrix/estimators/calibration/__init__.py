"""Probabilities for any classifier: cross-fitting, and maps from scores to probabilities."""
