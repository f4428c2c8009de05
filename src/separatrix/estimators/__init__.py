"""The scikit-learn face of the package."""
