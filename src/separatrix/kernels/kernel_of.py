"""Kernels by the names that scikit-learn has for them."""

from typing import Any

from separatrix.errors import OptionError
from separatrix.kernels.inner_product import Linear, Polynomial, Sigmoid
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.precomputed import Function, Precomputed
from separatrix.kernels.rbf import RBF

NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def kernel_of(kernel: Any, *, gamma: Any = "scale", degree: int = 3, coef0: float = 0.0) -> Kernel:
    """Return the kernel that a name, an object or a function stands for.

    Parameters
    ----------
    kernel : str, kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed"; a kernel, which is returned as it is; or a function f(A, B)
        that returns the matrix of values for all rows of A and B.
    gamma, degree, coef0
        Parameters of the kernels that have them, where a name is given.

    Returns
    -------
    Kernel
        The kernel; gamma may still be a rule, which `resolved` makes a number of.

    Examples
    --------
    >>> from separatrix.kernels import kernel_of
    >>> kernel_of("poly", degree=2, coef0=1.0)
    Polynomial(degree=2, coef0=1.0, gamma='scale')
    >>> kernel_of("gauss")
    Traceback (most recent call last):
    separatrix.errors.OptionError: The 'kernel' parameter must be one of 'linear', 'poly', 'rbf', 'sigmoid', ...
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in NAMES:
        made = {
            "linear": Linear,
            "poly": lambda: Polynomial(degree, coef0, gamma),
            "rbf": lambda: RBF(gamma),
            "sigmoid": lambda: Sigmoid(gamma, coef0),
            "precomputed": Precomputed,
        }
        return made[kernel]()
    if callable(kernel) and not isinstance(kernel, type):
        return Function(kernel)
    raise OptionError(
        f"The 'kernel' parameter must be one of {', '.join(map(repr, NAMES))}, a kernel of separatrix.kernels, or a "
        f"function f(A, B). Got {kernel!r}."
    )
