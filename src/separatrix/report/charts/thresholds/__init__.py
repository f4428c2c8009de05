"""Charts of the scores of one class at every threshold: ROC, precision over recall, calibration of probabilities."""
