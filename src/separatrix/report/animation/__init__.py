"""Recorded runs, as pages and moving pictures."""
