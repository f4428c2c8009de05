"""A scheduler and workers as processes of their own, over TCP, started as docs/scale.md says."""

import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import pytest

from blocks import drawn_blocks as drawn
from separatrix.data.runners import runner_for
from separatrix.errors import ClusterError
from separatrix.problem.runner import LocalRunner

cloudpickle = pytest.importorskip("cloudpickle")
distributed = pytest.importorskip("distributed")
cloudpickle.register_pickle_by_value(drawn)


@contextmanager
def dask(*words, folder):
    """A command of Dask, ended with the block."""
    quiet = {**os.environ, "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "0"}
    with open(folder / f"{words[0]}.log", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], cwd=folder, stdout=log, stderr=log, env=quiet
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(20)


def test_a_fit_over_tcp_has_the_bits_of_one_process_and_outlives_workers_and_scheduler(tmp_path):
    expected = drawn.least_squares(drawn.DrawnSource(), LocalRunner()).bits
    known = tmp_path / "scheduler.json"
    with ExitStack() as started:
        command = "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(known)
        scheduler = started.enter_context(dask(*command, folder=tmp_path))
        while not known.exists():
            assert scheduler.poll() is None, (tmp_path / "scheduler.log").read_text()
            time.sleep(0.05)
        command = "worker", "--scheduler-file", str(known), "--nthreads", "1", "--no-dashboard", "--no-nanny"
        workers = [started.enter_context(dask(*command, folder=tmp_path)) for _ in range(2)]
        client = started.enter_context(distributed.Client(scheduler_file=str(known), set_as_default=False, timeout=20))
        client.wait_for_workers(2, timeout=30)
        runner = runner_for(client, patience=10.0)
        assert drawn.least_squares(drawn.DrawnSource(), runner).bits == expected
        workers[0].kill()
        assert drawn.least_squares(drawn.DrawnSource(), runner).bits == expected
        by_address = runner_for(client.scheduler.address)
        assert drawn.least_squares(drawn.DrawnSource(), by_address).bits == expected
        by_address.client.close()
        checkpoint = tmp_path / "fit.checkpoint"
        kept = runner_for(client, checkpoint=checkpoint, patience=10.0)
        assert drawn.least_squares(drawn.DrawnSource(), kept).bits == expected
        scheduler.kill()
        with pytest.raises(ClusterError, match="connection to .* was lost|no worker for"):
            drawn.least_squares(drawn.SlowSource(0.2), runner_for(client, patience=3.0))
    again = runner_for(LocalRunner(), checkpoint=checkpoint)
    assert drawn.least_squares(drawn.DrawnSource(), again).bits == expected
