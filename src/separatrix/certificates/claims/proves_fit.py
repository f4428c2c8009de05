"""Which certificates prove something of the planes that were fitted, and which of the classes alone."""

from typing import Any

from separatrix.certificates.claims.collected import Collected
from separatrix.certificates.claims.overlap import Overlap
from separatrix.certificates.claims.weak_separator import WeakSeparator

VERDICTS = (Overlap, WeakSeparator)  # on the classes, whatever plane a model has


def proves_fit(certificate: Any) -> bool:
    """Whether a certificate is a proof about the planes of a model; of several, whether all are.

    Examples
    --------
    >>> from separatrix import HoKashyapClassifier
    >>> from separatrix.certificates.claims.proves_fit import proves_fit
    >>> gate = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> proves_fit(HoKashyapClassifier().fit(gate, [0, 0, 0, 1]).certificate_)  # AND: this plane separates
    True
    >>> claim = HoKashyapClassifier().fit(gate, [0, 1, 1, 0]).certificate_  # XOR: no plane does
    >>> claim.proof, proves_fit(claim)
    (True, False)
    """
    if isinstance(certificate, Collected):
        return all(map(proves_fit, certificate.parts))
    return bool(certificate.proof) and not isinstance(certificate, VERDICTS)
