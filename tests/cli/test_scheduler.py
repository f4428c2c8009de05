"""`separatrix fit --scheduler`: a scheduler and workers as processes, and what is said when there is none."""

import io
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pandas as pd
import pytest

from separatrix import load
from separatrix.cli.blocks import cluster
from separatrix.cli.blocks.progress_bar import ShownRunner
from separatrix.cli.main import main
from separatrix.data.runners import runner_for

distributed = pytest.importorskip("distributed")
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(1_200, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
    ill=np.where(X[:, 0] + 0.5 * RANDOM.normal(size=1_200) > 0, "yes", "no")
)
DASK = {**os.environ, "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "0"}


@contextmanager
def dask(*words, folder):
    """A command of Dask in a folder of its own, ended with the block."""
    folder.mkdir()
    with open(folder / "log", "ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "dask", *words], cwd=folder, stdout=log, stderr=log, env=DASK)
        try:
            yield process
        finally:
            process.kill()
            process.wait(20)


def address_of(scheduler, log):
    """The address that a scheduler says, once it does."""
    while "Scheduler at:" not in log.read_text():
        assert scheduler.poll() is None, log.read_text()
        time.sleep(0.05)
    return log.read_text().split("Scheduler at:")[1].split()[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "big").mkdir()
    for part in range(3):
        rows = FRAME[part * 400 : part * 400 + 400]
        rows.to_parquet(tmp_path / "big" / f"part-{part}.parquet", row_group_size=100)
    return tmp_path


class Screen(io.StringIO):
    def isatty(self):
        return True


def states_of_a_pass(address):
    """What is shown of a pass of five blocks, and of one in order, by the workers."""
    seen = []
    with distributed.Client(address, set_as_default=False) as client:
        runner = ShownRunner(runner_for(client), lambda *state: seen.append(state))
        assert runner.run(abs, max, 5) == 4
        assert runner.in_order(pow, 2, 1) == 0
    return seen


def test_a_command_driven_over_tcp_has_the_bits_of_this_machine(folder, monkeypatch, capsys):
    words = ["-t", "ill", "-a", "logistic-discrimination"]
    assert main(["fit", "big/*.parquet", "here.json", *words]) == 0
    with ExitStack() as started:
        command = "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
        scheduler = started.enter_context(dask(*command, folder=folder / "s"))
        address = address_of(scheduler, folder / "s" / "log")
        monkeypatch.setattr(cluster, "SECONDS_FOR_FIRST_WORKER", 0.1)
        assert main(["fit", "big/*.parquet", "there.json", *words, "--scheduler", address]) == 2
        said = capsys.readouterr().err
        assert f"has no worker: start one on each machine by dask worker {address}" in said
        assert said.count("\n") == 1
        monkeypatch.setattr(cluster, "SECONDS_FOR_FIRST_WORKER", 30.0)
        command = "worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"
        for name in "w1", "w2":
            started.enter_context(dask(*command, folder=folder / name))
        monkeypatch.setattr(sys, "stderr", screen := Screen())
        monkeypatch.setenv("TERM", "xterm")
        kept = ["--checkpoint", "fit.checkpoint", "--pass-limit", "60"]
        assert main(["fit", "big/*.parquet", "there.json", *words, "--scheduler", address, *kept]) == 0
        assert main(["verify", "there.json", "big/*.parquet", "-t", "ill", "--scheduler", address]) == 0
        assert "pass 2" in screen.getvalue()
        assert "3/3" in screen.getvalue()
        assert states_of_a_pass(address) == [(1, 0, 5), *((1, done, 5) for done in range(1, 6)), (2, 0, 1), (2, 1, 1)]
        assert (folder / "there.json").read_text() == (folder / "here.json").read_text()
        monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1.0)
        scheduler.kill()
        scheduler.wait()
        assert main(["verify", "there.json", "big/*.parquet", "-t", "ill", "--scheduler", address]) == 2
    assert main(["fit", "big/*.parquet", "again.json", *words, "--checkpoint", "fit.checkpoint"]) == 2
    assert "checkpoint of another fit" in screen.getvalue()  # the paths of the workers were absolute
    monkeypatch.undo()
    path = str(folder / "big" / "*.parquet")
    kept[1] = str(folder / "fit.checkpoint")
    assert main(["fit", path, str(folder / "again.json"), *words, *kept[:2]]) == 0
    assert (load(folder / "again.json")[-1].coef_ == load(folder / "here.json")[-1].coef_).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scheduler", "nonsense"], "no address of a scheduler. Write tcp://"),
        (["--scheduler", "tcpx://here:3"], "no address of a scheduler"),
        (["--scheduler", "tcp://127.0.0.1:1"], "There is no scheduler at tcp://127.0.0.1:1"),
        (["--pass-limit", "3"], "--pass-limit is for the workers of a --scheduler"),
        (["--scheduler", "tcp://127.0.0.1:1", "--no-blocks"], "--scheduler is for a FILE that is read in blocks"),
    ],
)
def test_a_scheduler_that_is_not_there_is_told_in_a_line(folder, monkeypatch, capsys, words, message):
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 0.2)
    assert main(["fit", "big/*.parquet", "m.json", "-t", "ill", *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (folder / "m.json").exists()
