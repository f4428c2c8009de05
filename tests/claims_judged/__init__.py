"""Judges of claims that share no arithmetic with the package: exact fractions, and balls of python-flint."""
