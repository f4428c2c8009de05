"""The one figure that a certificate is quoted by: what its error is at most, rounding included."""

from typing import Any

from separatrix.errors import at_most


def bound_of(claim: Any) -> float:
    """The error that a claim states, and how far rounding may have moved it; of several claims the largest.

    Examples
    --------
    >>> from separatrix import LinearSVM, Perceptron
    >>> from separatrix.certificates.claims.bound import bound_of
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [0, 1, 0, 1]
    >>> bound_of(Perceptron().fit([[0.0], [1.0]], [0, 1]).certificate_)  # a plane that separates, exactly
    0.0
    >>> claim = LinearSVM().fit(X, y).certificate_
    >>> claim.stated <= bound_of(claim) < 1e-9
    True
    """
    parts = getattr(claim, "parts", None) or (claim,)
    return max(float(part.stated) + beyond_stated(part) for part in parts)


def beyond_stated(claim: Any) -> float:
    """How far rounding may have moved the error of a claim beyond the one that it states."""
    return 0.0 if getattr(claim, "includes_rounding", False) else float(getattr(claim, "rounding", 0.0))


def quoted(claim: Any) -> str:
    """The bound with one digit, rounded up: the same wherever the claim is mentioned."""
    return at_most(bound_of(claim))
