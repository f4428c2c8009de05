"""Regression to a duality gap: support vector regression with its tube given or free, and with an l1 penalty."""
