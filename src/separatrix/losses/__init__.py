"""Losses: what a score g costs for a target y, and how that changes with g."""

from separatrix.losses.logistic_loss import LogLoss
from separatrix.losses.loss import Kind, Loss, decay, kink, slope, value
from separatrix.losses.soft_margin import SoftMargin

__all__ = ["Kind", "LogLoss", "Loss", "SoftMargin", "decay", "kink", "slope", "value"]
