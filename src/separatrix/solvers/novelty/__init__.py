"""Which rows are unlike the others."""
