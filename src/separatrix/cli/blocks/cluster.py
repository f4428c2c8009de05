"""The workers of a Dask cluster that a command has work through its blocks, and the same things said in a line."""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from separatrix.data.runners import DaskRunner
from separatrix.errors import ClusterError, OptionError
from separatrix.problem.runner import LocalRunner, Runner

SECONDS_TO_CONNECT = 10.0
SECONDS_FOR_FIRST_WORKER = 10.0


@contextmanager
def workers_of(arguments: argparse.Namespace) -> Iterator[Runner]:
    """Who works through the blocks: the workers of the scheduler that the command line names, or the cores here."""
    address, limit = arguments.scheduler, arguments.pass_limit
    if address is None:
        if limit is not None:
            raise OptionError("--pass-limit is for the workers of a --scheduler. Leave it out, or name one.")
        yield LocalRunner()
        return
    try:
        import dask
        import distributed
    except ImportError:
        raise OptionError(
            f"--scheduler {address} needs dask and distributed: pip install separatrix[scale], here and on all workers."
        ) from None
    check_address(address)
    with quiet(), dask.config.set({"distributed.comm.timeouts.connect": f"{SECONDS_TO_CONNECT:g}s"}):
        try:
            client = distributed.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except OSError:
            raise ClusterError(
                f"There is no scheduler at {address}, or it cannot be reached: start one by dask scheduler --port "
                "8786, and give the address that it says."
            ) from None
        with client:
            try:
                client.wait_for_workers(1, timeout=SECONDS_FOR_FIRST_WORKER)
            except TimeoutError:
                raise ClusterError(
                    f"The scheduler at {address} has no worker: start one on each machine by dask worker {address} "
                    "--nthreads 1."
                ) from None
            yield DaskRunner(client, time_limit=limit)


def check_address(address: str) -> None:
    """Refuse what is no address of a scheduler, which a client would try for long."""
    from distributed.comm.addressing import get_address_host_port, parse_address
    from distributed.comm.registry import backends

    try:
        known = parse_address(address, strict=True)[0] in backends
        get_address_host_port(address, strict=True)
    except ValueError:
        known = False
    if not known:
        raise OptionError(f"--scheduler {address}: this is no address of a scheduler. Write tcp://10.0.0.1:8786.")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Dask, which logs each lost connection in many lines, from writing to the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
