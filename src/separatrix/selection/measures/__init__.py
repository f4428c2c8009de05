"""How wrong predictions are: metrics, and what applies them to the test rows of a fold."""
