"""Losses: what a score g costs for a target y, and how that changes with g."""

from separatrix.objectives.log_loss import LogLoss
from separatrix.objectives.loss import Kind, Loss, decay, distance_to_kink, slope, value
from separatrix.objectives.soft_margin import SoftMargin

__all__ = ["Kind", "LogLoss", "Loss", "SoftMargin", "decay", "distance_to_kink", "slope", "value"]
