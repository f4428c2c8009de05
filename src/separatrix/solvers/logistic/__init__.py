"""Logistic discrimination: Newton's method and L-BFGS on log losses."""
