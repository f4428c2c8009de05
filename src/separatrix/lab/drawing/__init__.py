"""What a page draws of a fit: planes in its order, scores on a grid, support rows, hulls, the lift."""
