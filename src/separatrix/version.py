"""The version of the package, for all who must know it without the rest."""

__version__ = "0.1.0"
