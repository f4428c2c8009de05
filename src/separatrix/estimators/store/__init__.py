"""Model files: fitted models as JSON that holds no code."""
