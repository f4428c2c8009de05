"""Support vector machines: interior points on a working set, Newton's methods, the augmented Lagrangian."""
