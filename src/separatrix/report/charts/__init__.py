"""Figures of data, models and comparisons, drawn with matplotlib."""
