"""What can go wrong, as one tree of exceptions, and two warnings.

Every message says what is wrong, the value that was seen, and what to do about it.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)  # how messages name options


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun, in the singular or the plural.

    >>> counted(1, "row"), counted(2, "row"), counted(3, "class", "classes")
    ('1 row', '2 rows', '3 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def at_most(bound: float, digits: int = 1) -> str:
    """A bound with so many digits, rounded up: what is at most 1.2e-9 is not at most 1e-9.

    >>> at_most(1.2e-9), at_most(3e-16), at_most(0.95), at_most(0.0), at_most(2.0, 12), at_most(1.00001, 3)
    ('2e-09', '3e-16', '1', '0', '2', '1.01')
    """
    return rounded_towards(bound, digits, ROUND_CEILING)


def at_least(bound: float, digits: int = 1) -> str:
    """A lower bound with so many digits, rounded down.

    >>> at_least(1.9e-9), at_least(2.0 / 3.0, 3), at_least(0.5, 12)
    ('1e-09', '0.666', '0.5')
    """
    return rounded_towards(bound, digits, ROUND_FLOOR)


def rounded_towards(bound: float, digits: int, direction: str) -> str:
    """A number with so many digits, never on the other side of it: the doubles near 0 have fewer digits than that."""
    if not math.isfinite(bound):
        return f"{bound:g}"
    exact = Context(prec=digits, rounding=direction).create_decimal_from_float(bound)
    text = f"{float(exact):.{digits}g}"
    held = Decimal(text) >= Decimal(bound) if direction == ROUND_CEILING else Decimal(text) <= Decimal(bound)
    return text if held else f"{exact.normalize():e}"


def first_few(words: list[str], joint: str = ", ", most: int = 6) -> str:
    """The first of some words, and how many more there are.

    >>> first_few(["age", "sex", "income"], most=2)
    'age, sex, ... (1 more)'
    """
    more = f"{joint}... ({len(words) - most} more)" if len(words) > most else ""
    return joint.join(words[:most]) + more


def option(name: str, value: Any = None) -> str:
    """An option as its user writes it: on the command line --name VALUE, in Python name=value.

    >>> option("decimal"), option("decimal", ","), option("header", False)
    ('decimal=', "decimal=','", 'header=False')
    """
    if not on_command_line.get():
        return f"{name}=" if value is None else f"{name}={value!r}"
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    return f"--{name}" if value is None else f"--{name} {value}"


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Give the errors of the system that name no file the name of the file that is read or written.

    >>> with naming("the standard output"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'the standard output'
    """
    try:
        yield
    except OSError as problem:
        if problem.filename is not None:
            raise
        raise OSError(problem.errno, problem.strerror or str(problem), file) from None


class SeparatrixError(Exception):
    """Root of every error that this package raises on purpose.

    Examples
    --------
    >>> from separatrix import DataError, OptionError, SeparatrixError
    >>> issubclass(DataError, SeparatrixError) and issubclass(OptionError, SeparatrixError)
    True
    """


class DataError(SeparatrixError, ValueError):
    """The data cannot be used as they are: NaN, one class, a wrong shape, a negative weight.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> Perceptron().fit([[1.0], [2.0]], ["a", "a"])
    Traceback (most recent call last):
    separatrix.errors.DataError: The data hold 1 class only: 'a' in all 2 rows. ...
    """


class FormatError(DataError):
    r"""A file cannot be read: the message names the file, the line and what stands there.

    Examples
    --------
    >>> import io
    >>> from separatrix import read_table
    >>> read_table(io.StringIO("age,ill\n61,yes\n5O,no\n"), target="ill")
    Traceback (most recent call last):
    separatrix.errors.FormatError: <stream>, line 3: ...
    """

    @classmethod
    def at(cls, path: object, line: int, problem: str) -> "FormatError":
        """Say where in a file the problem is, in the way compilers and editors do."""
        return cls(f"{path}, line {line}: {problem}")


class NotSeparableError(DataError):
    """No plane separates the classes, so that there is no hard margin.

    `witness` are the rows that prove it, or seem to, and `overlap` is the certificate.

    Examples
    --------
    >>> from separatrix import LinearSVM
    >>> LinearSVM(C=float("inf")).fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    Traceback (most recent call last):
    separatrix.errors.NotSeparableError: No plane separates the classes, so there is no hard margin: ...
    """

    def __init__(self, message: str, overlap: Any = None, witness: Any = ()) -> None:
        super().__init__(message)
        self.overlap, self.witness = overlap, witness


class OptionError(SeparatrixError, ValueError):
    """An option has a value that the algorithm cannot work with.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> Perceptron(max_iter=0).fit([[1.0], [2.0]], ["a", "b"])
    Traceback (most recent call last):
    separatrix.errors.OptionError: The 'max_iter' parameter must be a whole number of at least 1. Got 0.
    """


class ClusterError(SeparatrixError, RuntimeError):
    """A cluster did not finish a pass over the rows: no worker is left, a limit of time is over, or tasks kill workers.

    Examples
    --------
    >>> from separatrix import ClusterError, SeparatrixError
    >>> issubclass(ClusterError, SeparatrixError) and issubclass(ClusterError, RuntimeError)
    True
    """


class NotCertifiedWarning(UserWarning):
    """The fit ended before its claim could be certified; the model is returned all the same.

    Examples
    --------
    >>> import warnings
    >>> from separatrix import NotCertifiedWarning, Perceptron
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NotCertifiedWarning)  # the classes overlap, and we know it
    ...     model = Perceptron(max_iter=10).fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    >>> model.certificate_.stated > 0
    True
    """


class TrivialFitWarning(UserWarning):
    """The optimum is w = 0, which tells no row from another; the certificate proves it, and the message says why.

    Examples
    --------
    >>> import warnings
    >>> from separatrix import NuSVM, TrivialFitWarning
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     model = NuSVM(nu=0.5).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"])
    >>> seen[0].category is TrivialFitWarning, model.coef_.tolist()
    (True, [[0.0]])
    """
