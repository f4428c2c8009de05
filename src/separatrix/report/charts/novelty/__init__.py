"""Figures of rows without a target: their scores, and the boundary around them."""
