"""How long passes over many rows take on how many workers: a model of their cost, and a cluster that is simulated."""

from separatrix.scale.pass_cost import GRADIENT, HESSIAN, MOMENTS, PassCost, Rows, Work, Worker, pass_cost
from separatrix.scale.simulated_runner import PassRecord, SimulatedCluster, SimulatedRunner

__all__ = [
    "GRADIENT",
    "HESSIAN",
    "MOMENTS",
    "PassCost",
    "PassRecord",
    "Rows",
    "SimulatedCluster",
    "SimulatedRunner",
    "Work",
    "Worker",
    "pass_cost",
]
