"""What workers of a cluster are asked to do: three pure functions, so that any worker may do each, and do it again.

The functions of a pass come as one string of bytes, which every worker fetches once and unpacks once: they hold the
places of all blocks, and unpacking those of 8,000 row groups takes longer than reading one. Each task does as a part of
`parallel_map` does, with one core, so that its sums have the bits that they have here.
"""

import pickle
from functools import lru_cache
from typing import Any

from separatrix.problem.merging import Merger
from separatrix.threads import one_core


@lru_cache(maxsize=2)
def unpacked(functions: bytes) -> Any:
    """The functions of a pass; those of the last two passes are kept, and any others are had again from their bytes."""
    return pickle.loads(functions)


def tally_blocks(functions: bytes, first: int, last: int) -> Any:
    """What a task makes of the blocks first to last - 1, merged."""
    task, merge = unpacked(functions)
    merger: Merger[Any] = Merger(merge)
    with one_core():
        for block in range(first, last):
            merger.add(task(block))
        return merger.result()


def merge_tallies(functions: bytes, one: Any, other: Any) -> Any:
    """Two results as one."""
    _, merge = unpacked(functions)
    with one_core():
        return merge(one, other)


def step_block(functions: bytes, block: int, state: Any) -> Any:
    """What a task makes of a state, given a block."""
    (step,) = unpacked(functions)
    with one_core():
        return step(block, state)
