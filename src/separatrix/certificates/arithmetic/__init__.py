"""What claims are checked with: exact numbers, margins with rounding-error bounds, curvature."""
