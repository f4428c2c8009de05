"""Models that come from elsewhere and go elsewhere: scikit-learn's, files of other packages, and plain code."""
