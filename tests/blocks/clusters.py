"""Clusters of processes for tests, which begin as copies of one that has imported the package already."""

from contextlib import contextmanager
from multiprocessing import get_context

import dask
import distributed


@contextmanager
def local_cluster(n_workers):
    """A client of so many processes."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        distributed.utils.get_mp_context()
        get_context("forkserver").set_forkserver_preload(["distributed", "separatrix.data.runners"])
        quiet = {"dashboard_address": ":0", "worker_dashboard_address": ":0", "silence_logs": 50}
        with (
            distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, **quiet) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield client
