"""Classifiers by the nearest points of convex hulls."""
