"""Recorded runs, played again."""
