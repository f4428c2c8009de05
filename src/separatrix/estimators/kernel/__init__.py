"""Classifiers in the space of a kernel."""
