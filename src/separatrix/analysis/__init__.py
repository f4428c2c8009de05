"""Questions about data and models, from raw data: separability, margins, hulls, bounds, verification."""
