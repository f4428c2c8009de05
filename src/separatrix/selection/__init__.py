"""Which classifier for these data: stratified folds, a table of all methods, tests of their differences."""
