"""Numbers to predict: the comparison of regressors, and the study of a numeric target."""
