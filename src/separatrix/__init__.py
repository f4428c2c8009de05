"""Linear classifiers you can trust: every fit comes with a certificate that anyone can recheck."""

from separatrix.certificates import Collected, Separator, Unproved
from separatrix.data import Table, encode, kesler_vectors, read_table
from separatrix.errors import DataError, FormatError, NotCertifiedWarning, OptionError, SeparatrixError
from separatrix.estimators.margins import Margins, margins
from separatrix.estimators.multiclass import OneVsOne, OneVsRest
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.verification import verify
from separatrix.problem import Problem

__version__ = "0.1.0"

__all__ = [
    "Collected",
    "DataError",
    "FormatError",
    "Margins",
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
    "margins",
    "read_table",
    "verify",
]
