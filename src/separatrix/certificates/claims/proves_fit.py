"""Which certificates prove something of the planes that were fitted, and which of the classes alone."""

from typing import Any


def proves_fit(certificate: Any) -> bool:
    """Whether a certificate is a proof about the planes of a model; of several, whether all are.

    Examples
    --------
    >>> from separatrix import Perceptron, separability
    >>> from separatrix.certificates.claims.proves_fit import proves_fit
    >>> gate = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> proves_fit(Perceptron().fit(gate, [0, 0, 0, 1]).certificate_)  # AND: this plane separates
    True
    >>> claim = separability(gate, [0, 1, 1, 0]).certificate  # XOR: no plane does
    >>> claim.proof, proves_fit(claim)
    (True, False)
    """
    return bool(certificate.proof and certificate.about_model)
