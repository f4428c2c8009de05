"""What can go wrong, as one tree of exceptions, and the one warning.

Every message says what is wrong, the value that was seen, and what to do about it.
"""


class SeparatrixError(Exception):
    """Root of every error that this package raises on purpose."""


class DataError(SeparatrixError, ValueError):
    """The data cannot be used as they are: NaN, one class, a wrong shape, a negative weight."""


class FormatError(DataError):
    """A file cannot be read: the message names the file, the line and what stands there."""

    @classmethod
    def at(cls, path: object, line: int, problem: str) -> "FormatError":
        """Say where in a file the problem is, in the way compilers and editors do."""
        return cls(f"{path}, line {line}: {problem}")


class OptionError(SeparatrixError, ValueError):
    """An option has a value that the algorithm cannot work with."""


class NotCertifiedWarning(UserWarning):
    """The fit ended before its claim could be certified; the best model is returned all the same."""
