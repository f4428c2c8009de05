"""What is minimised: objectives with their duals, and the losses of rules that learn row by row."""

from separatrix.objectives.enclosing_ball import EnclosingBall
from separatrix.objectives.epsilon_insensitive import EpsilonInsensitive
from separatrix.objectives.joint_margin import JointMargin
from separatrix.objectives.least_squares import LeastSquares
from separatrix.objectives.logistic import LogLoss
from separatrix.objectives.loss import Kind, Loss, decay, distance_to_kink, slope, value
from separatrix.objectives.mean_slack.objective import MeanSlack
from separatrix.objectives.nu_insensitive import NuInsensitive
from separatrix.objectives.nu_margin import NuMargin
from separatrix.objectives.soft_margin import SoftMargin
from separatrix.objectives.sparse_tube import SparseTube
from separatrix.objectives.values import NO_DUAL_POINT, DualPoint, Objective, Values

# Every convex objective; model files may hold these.
Formulation = (
    EnclosingBall
    | EpsilonInsensitive
    | JointMargin
    | LogLoss
    | MeanSlack
    | NuInsensitive
    | NuMargin
    | SoftMargin
    | SparseTube
)

__all__ = [
    "NO_DUAL_POINT",
    "DualPoint",
    "EnclosingBall",
    "EpsilonInsensitive",
    "Formulation",
    "JointMargin",
    "Kind",
    "LeastSquares",
    "LogLoss",
    "Loss",
    "MeanSlack",
    "NuInsensitive",
    "NuMargin",
    "Objective",
    "SoftMargin",
    "SparseTube",
    "Values",
    "decay",
    "distance_to_kink",
    "slope",
    "value",
]
