"""Regression whose penalty or loss is not that of a support vector machine."""
