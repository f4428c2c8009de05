"""Figures of a choice of options."""
