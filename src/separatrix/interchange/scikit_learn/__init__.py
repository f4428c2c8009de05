"""Models of scikit-learn: what they ask, how far from its answer they are, and the same models in this package."""
