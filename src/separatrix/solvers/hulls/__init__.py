"""Nearest points of convex hulls: Gilbert, Mitchell-Dem'yanov-Malozemov, Schlesinger-Kozinec, Wolfe."""
