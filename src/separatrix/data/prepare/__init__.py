"""From raw columns to features: kinds of columns, missing values, categories, scales."""
