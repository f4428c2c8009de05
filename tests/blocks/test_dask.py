"""A cluster of three processes gives the bits of one process, whatever happens to its workers."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from blocks import drawn_blocks as drawn
from separatrix.data.runners import DaskRunner, runner_for
from separatrix.data.runners.dask_runner import blocks_per_task
from separatrix.errors import ClusterError, DataError, FormatError, OptionError
from separatrix.problem.merging import Merger
from separatrix.problem.runner import LocalRunner

cloudpickle = pytest.importorskip("cloudpickle")
clusters = pytest.importorskip("blocks.clusters")
cloudpickle.register_pickle_by_value(drawn)
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def expected():
    return drawn.least_squares(drawn.DrawnSource(), LocalRunner())


def left_over(client):
    """Tasks that the scheduler still knows, some moments later."""
    for _ in range(50):
        found = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if not found:
            break
        time.sleep(0.1)
    return found


def test_the_work_of_these_tests_is_least_squares(expected):
    blocks = [drawn.DrawnSource().read(block) for block in range(drawn.DrawnSource.count)]
    X, y = np.vstack([each.X for each in blocks]), np.concatenate([each.y for each in blocks])
    peer = LinearRegression().fit(X, np.where(y == "yes", 1.0, -1.0))
    np.testing.assert_allclose(expected.w, peer.coef_, rtol=1e-9)
    assert expected.error < 1e-12


def test_a_cluster_has_the_bits_of_one_process(cluster, expected):
    assert drawn.least_squares(drawn.DrawnSource(), DaskRunner(cluster)).bits == expected.bits
    assert left_over(cluster) == 0
    assert not cluster.futures


@pytest.mark.parametrize("count", [1, 2, 5, 13, 32])
def test_results_are_merged_by_the_tree_of_the_merger(cluster, count):
    merger = Merger(lambda one, other: f"({one}{other})")
    for block in range(count):
        merger.add(f"{block} ")
    found = DaskRunner(cluster).run(lambda block: f"{block} ", lambda one, other: f"({one}{other})", count)
    assert found == merger.result()


@pytest.mark.parametrize("most", [1, 3, 7])
def test_tasks_of_several_blocks_keep_the_tree(cluster, monkeypatch, most):
    monkeypatch.setattr("separatrix.data.runners.dask_runner.MAX_TASKS", most)
    monkeypatch.setattr("separatrix.data.runners.dask_runner.TASKS_PER_GROUP", 2)
    for count in (7, 21):
        step = blocks_per_task(count)
        assert step & (step - 1) == 0
        assert -(-count // step) <= most
        one = DaskRunner(cluster).run(lambda block: f"{block} ", lambda one, other: f"({one}{other})", count)
        assert one == LocalRunner().run(lambda block: f"{block} ", lambda one, other: f"({one}{other})", count)


def test_passes_in_order_are_in_order(cluster):
    found = DaskRunner(cluster).in_order(lambda block, state: [*state, block], [], 9)
    assert found == list(range(9))
    assert left_over(cluster) == 0


class Places:
    """What functions may hold: the places of many blocks. Each unpacking leaves a file."""

    def __init__(self, folder):
        self.folder = folder

    def __setstate__(self, state):
        self.__dict__.update(state)
        (self.folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()


def test_a_worker_unpacks_the_functions_of_a_pass_once(cluster, tmp_path):
    places = Places(tmp_path)
    assert DaskRunner(cluster).run(lambda block: block if places else 0, lambda one, other: one + other, 40) == 780
    by = [path.name.split("-")[0] for path in tmp_path.iterdir()]
    assert sorted(by) == sorted(set(by))
    assert set(by) <= {str(process) for process in cluster.run(os.getpid).values()}


@pytest.mark.parametrize("seed", range(2))
def test_a_worker_killed_in_the_middle_of_each_pass_changes_no_bit(cluster, expected, tmp_path, seed):
    victim = int(np.random.default_rng(seed).choice([block for block, size in enumerate(drawn.SIZES) if size]))
    source = drawn.KillingSource(tmp_path, victim)
    assert drawn.least_squares(source, DaskRunner(cluster)).bits == expected.bits
    assert [block for block, _ in source.readings()].count(victim) >= 6  # three passes, each of them twice
    assert left_over(cluster) == 0


def test_a_worker_killed_in_a_pass_in_order_changes_nothing(cluster, tmp_path):
    source = drawn.KillingSource(tmp_path, 4)

    def add_rows(block, state):
        return state + float(source.read(block).X.sum())

    found = DaskRunner(cluster).in_order(add_rows, 0.0, 8)
    assert found == LocalRunner().in_order(lambda block, state: state + drawn.DrawnSource().read(block).X.sum(), 0.0, 8)


def test_a_block_that_cannot_be_read_is_named(cluster):
    with pytest.raises(FormatError, match=r"^drawn.parquet, row group 6: the page checksum is wrong"):
        drawn.least_squares(drawn.BrokenSource(), DaskRunner(cluster))
    assert left_over(cluster) == 0


def test_a_task_that_fails_now_and_then_is_tried_again(cluster, tmp_path):
    def task(block):
        (tmp_path / f"{block}-{time.monotonic_ns()}").touch()
        if block == 2 and len(list(tmp_path.glob("2-*"))) < 4:
            raise OSError("the disk was busy")
        return block

    assert DaskRunner(cluster).run(task, max, 4) == 3
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(OSError, match="busy"):
        DaskRunner(cluster, retries=2).run(task, max, 4)


def test_a_stopped_worker_ends_the_pass_by_its_limit(cluster, expected):
    runner = DaskRunner(cluster, time_limit=3.0)
    process = next(iter(cluster.run(os.getpid).values()))
    os.kill(process, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(ClusterError, match="not done after 3 seconds"):
            drawn.least_squares(drawn.SlowSource(0.02), runner)
        assert time.monotonic() - began < 10.0
    finally:
        os.kill(process, signal.SIGCONT)
    assert drawn.least_squares(drawn.DrawnSource(), DaskRunner(cluster)).bits == expected.bits
    assert left_over(cluster) == 0


def test_an_interrupt_cancels_all_tasks(cluster):
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        drawn.least_squares(drawn.SlowSource(0.8), DaskRunner(cluster))
    assert left_over(cluster) == 0


def test_rows_in_the_memory_here_are_not_sent_to_everybody(cluster):
    rows = np.zeros(2**24)
    with pytest.raises(DataError, match="would be sent 128 MB"):
        DaskRunner(cluster).run(lambda block: rows[block], max, 4)


def test_the_default_client_is_taken_and_options_are_checked(cluster):
    assert isinstance(runner_for(None), LocalRunner)
    assert isinstance(runner_for(LocalRunner()), LocalRunner)
    assert runner_for(cluster, retries=5).retries == 5
    with cluster.as_current():
        assert runner_for().client is cluster
    with pytest.raises(OptionError, match="'client' parameter"):
        runner_for(7)
    with pytest.raises(OptionError, match="'retries'"):
        DaskRunner(cluster, retries=-1)


def test_on_a_worker_a_runner_is_its_own_cores(cluster):
    runner = DaskRunner(cluster)

    def task(block):
        return (type(runner).__name__, type(runner_for()).__name__)

    assert runner.run(task, max, 2) == ("LocalRunner", "LocalRunner")


def test_a_cluster_that_grows_and_one_that_vanishes(expected, tmp_path):
    with clusters.local_cluster(1) as client:
        small = client.cluster
        source = drawn.LoggedSource(tmp_path, 0.15)
        timer = threading.Timer(0.2, small.scale, (3,))
        timer.start()
        assert drawn.least_squares(source, DaskRunner(client)).bits == expected.bits
        assert len({process for _, process in source.readings()}) > 1
        timer = threading.Timer(0.5, small.scale, (0,))
        timer.start()
        with pytest.raises(ClusterError, match="no worker for 2 seconds"):
            drawn.least_squares(drawn.SlowSource(0.3), DaskRunner(client, patience=2.0))
        timer.join()
        small.scale(1)
        client.wait_for_workers(1, timeout=30)
        with pytest.raises(ClusterError, match="Workers died one after the other"):
            drawn.least_squares(drawn.DeadlySource(), DaskRunner(client))
        assert drawn.least_squares(drawn.DrawnSource(), DaskRunner(client)).bits == expected.bits
