"""Who works through blocks of rows beside the cores here: the workers of a Dask cluster; results kept in a file."""

from separatrix.data.runners.checkpoint_runner import CheckpointRunner
from separatrix.data.runners.dask_runner import DaskRunner
from separatrix.data.runners.runner_for import runner_for

__all__ = ["CheckpointRunner", "DaskRunner", "runner_for"]
