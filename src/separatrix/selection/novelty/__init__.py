"""Rows without a target: how unusual each of them is."""
