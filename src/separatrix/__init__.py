"""Linear classifiers you can trust: every fit comes with a certificate that anyone can recheck."""

from separatrix.certificates import Collected, Separator, Unproved
from separatrix.data import Table, encode, kesler_vectors, read_table
from separatrix.errors import DataError, FormatError, NotCertifiedWarning, OptionError, SeparatrixError
from separatrix.estimators.bounds import mistake_bound
from separatrix.estimators.multiclass import OneVsOne, OneVsRest
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.verification import verify
from separatrix.problem import Problem
from separatrix.theory.units import McCullochPitts

__version__ = "0.1.0"

__all__ = [
    "Collected",
    "DataError",
    "FormatError",
    "McCullochPitts",
    "NotCertifiedWarning",
    "OneVsOne",
    "OneVsRest",
    "OptionError",
    "Perceptron",
    "Problem",
    "Separator",
    "SeparatrixError",
    "Table",
    "Unproved",
    "encode",
    "kesler_vectors",
    "mistake_bound",
    "read_table",
    "verify",
]
