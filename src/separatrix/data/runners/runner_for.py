"""Who works through the blocks, as a user names it."""

import os
import sys
from typing import Any

from separatrix.data.runners.checkpoint_runner import CheckpointRunner
from separatrix.data.runners.dask_runner import DaskRunner
from separatrix.errors import OptionError
from separatrix.problem.runner import LocalRunner, Runner


def runner_for(
    client: Any = None, *, checkpoint: str | os.PathLike[str] | None = None, question: Any = None, **limits: Any
) -> Runner:
    """The runner that a client stands for; with a checkpoint, one that keeps the result of each pass.

    Parameters
    ----------
    client : distributed.Client, Runner, address or None
        A Dask client; the address of a scheduler, such as "tcp://10.0.0.1:8786"; or a runner, such as `LocalRunner()`.
        None: the default client of Dask, if there is one, else the cores here.
    checkpoint : path or None
        A file for the results of passes.
    question : object
        What the passes are over, such as the source of the blocks; a checkpoint of another one is refused.
    limits
        Options of `DaskRunner`: `retries`, `time_limit`, `patience`.

    Examples
    --------
    >>> from separatrix.data.runners import runner_for
    >>> runner = runner_for()
    >>> runner.run(lambda block: block * block, max, 4)
    9
    """
    runner = named_runner(client, limits)
    return runner if checkpoint is None else CheckpointRunner(runner, checkpoint, question)


def named_runner(client: Any, limits: dict[str, Any]) -> Runner:
    """The runner of a client, of an address, or itself."""
    if isinstance(client, str):
        from distributed import Client

        client = Client(client, set_as_default=False)
    client = default_client() if client is None else client
    if client is None:
        return LocalRunner()
    if hasattr(client, "run") and hasattr(client, "in_order"):
        return client
    if hasattr(client, "submit") and hasattr(client, "nthreads"):
        return DaskRunner(client, **limits)
    raise OptionError(
        f"The 'client' parameter must be a Dask client, the address of a scheduler or None. Got {client!r}."
    )


def default_client() -> Any:
    """The default client of Dask, if there is one; none where Dask was not imported, or runs this as a task."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        distributed.get_worker()
    except ValueError:
        try:
            return distributed.default_client()
        except ValueError:
            return None
    return None  # a task that waits for other tasks would keep their worker busy
