"""Rows as they are stored, many columns or many zeros: coordinate descent and the augmented Lagrangian."""
