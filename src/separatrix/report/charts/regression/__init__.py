"""Figures of regressors: predictions against the truth, residuals, and the tube."""
