"""What is known of linear classifiers before any is fitted: bounds, counts, threshold units."""
