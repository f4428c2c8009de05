"""The rows of the registry, a file for each task."""
