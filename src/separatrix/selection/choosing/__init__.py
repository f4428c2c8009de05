"""How options are chosen: the rows that are set aside, the folds, the test, and the table of all settings."""
