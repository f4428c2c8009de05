"""The dual that all kernel machines have in common: its forms, its sets of variables, and ways to its optimum."""
