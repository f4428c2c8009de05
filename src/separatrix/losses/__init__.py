"""Losses: what a score g costs for a target y, and how that changes with g."""

from separatrix.losses.loss import Kind, Loss, decay, kink, slope, value

__all__ = ["Kind", "Loss", "decay", "kink", "slope", "value"]
