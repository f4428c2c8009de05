"""Rows in blocks: from files, arrays and batches of any length to a BlockedProblem."""

from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.read_blocks import read_blocks

__all__ = ["Blocks", "read_blocks"]
