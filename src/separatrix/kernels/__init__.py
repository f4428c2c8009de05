"""Kernels as objects: functions of two rows that are inner products in some space."""

from separatrix.kernels.composition import Product, Sum
from separatrix.kernels.fisher import Fisher, Mixture
from separatrix.kernels.inner_product import Exponential, Linear, Polynomial, Sigmoid
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.kernel_of import kernel_of
from separatrix.kernels.precomputed import Function, Precomputed
from separatrix.kernels.rbf import RBF
from separatrix.kernels.scaling import Normalized, Scaled
from separatrix.kernels.symbolic import SetIntersection, Spectrum, Tokens, Vocabulary

# Every kernel that is numbers and kernels alone, no code: those that a model file may hold.
KERNELS: tuple[type[Kernel], ...] = (
    RBF,
    Exponential,
    Fisher,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    SetIntersection,
    Sigmoid,
    Spectrum,
    Sum,
    Tokens,
)

__all__ = [
    "RBF",
    "Exponential",
    "Fisher",
    "Function",
    "Kernel",
    "Linear",
    "Mixture",
    "Normalized",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "SetIntersection",
    "Sigmoid",
    "Spectrum",
    "Sum",
    "Tokens",
    "Vocabulary",
    "kernel_of",
]
