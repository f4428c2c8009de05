"""Frames of fits: how each algorithm of the package went from its start to its answer, iterate by iterate."""

from separatrix.lab.frames.families import frames_of
from separatrix.lab.frames.recording import Recording

__all__ = ["Recording", "frames_of"]
