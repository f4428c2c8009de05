"""What the bounds of objectives are made of: measures of planes and feasible dual points, each enclosed."""
