"""Least squares, discriminant analysis, Ho-Kashyap: linear systems and their residuals."""
