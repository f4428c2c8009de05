"""The objective of logistic discrimination and its lower bounds, enclosed: by a dual point, and by its curvature."""
