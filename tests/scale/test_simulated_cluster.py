"""Simulated workers that die give the bits of one process; without failures the time is that of the model."""

import numpy as np
import pytest

from blocks import drawn_blocks as drawn
from separatrix.problem.runner import LocalRunner
from separatrix.scale import MOMENTS, Rows, SimulatedCluster, SimulatedRunner, Worker, pass_cost
from separatrix.scale.pass_cost import merge_seconds, task_seconds


def joined(one, other):
    return f"({one}{other})"


class ManyBlocks(drawn.DrawnSource):
    """The drawn blocks again and again."""

    count = 600

    def read(self, block):
        return super().read(block % drawn.DrawnSource.count)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_workers", [3, 100, 1000])
def test_workers_that_die_change_no_bit_of_the_tree(n_workers, seed):
    runner = SimulatedRunner(SimulatedCluster(n_workers, between_failures=50.0, away=10.0), seed)
    assert runner.run(str, joined, 700) == LocalRunner().run(str, joined, 700)
    record = runner.passes[0]
    assert record.n_deaths > 0
    assert record.n_tasks == 2 * 700 - 3  # 256 + 256 + 188 blocks, merged in three groups
    assert record.n_repeated > 0


def test_results_that_come_to_the_client_in_groups_are_not_repeated(monkeypatch):
    def repeated():
        runners = [SimulatedRunner(SimulatedCluster(10, task=10.0, between_failures=2000.0), seed) for seed in range(5)]
        for runner in runners:
            runner.run(str, joined, 2000)
        return sum(runner.passes[0].n_repeated for runner in runners)

    in_groups = repeated()
    monkeypatch.setattr("separatrix.data.runners.dask_runner.TASKS_PER_GROUP", 2**20)
    assert 0 < in_groups < 0.5 * repeated()


def test_a_fit_by_a_thousand_workers_has_the_bits_of_one_process():
    runner = SimulatedRunner(SimulatedCluster(1000, between_failures=20.0), seed=1)
    assert drawn.least_squares(ManyBlocks(), runner).bits == drawn.least_squares(ManyBlocks(), LocalRunner()).bits
    assert len(runner.passes) == 3
    assert sum(record.n_deaths for record in runner.passes) > 0


def test_a_pass_in_order_repeats_the_block_of_a_worker_that_dies():
    runner = SimulatedRunner(SimulatedCluster(5, between_failures=5.0), seed=0)
    assert runner.in_order(lambda block, state: [*state, block], [], 50) == list(range(50))
    assert runner.passes[0].n_repeated > 0


@pytest.mark.parametrize("n_workers", [1, 10, 100])
def test_without_failures_the_simulation_takes_the_time_of_the_model(n_workers):
    rows, worker = Rows(2**30, 100, 2**18), Worker()
    steady = SimulatedCluster(
        n_workers, task_seconds(rows, MOMENTS, worker), merge_seconds(rows, MOMENTS, worker), spread=0.0
    )
    runner = SimulatedRunner(steady)
    assert runner.run(str, joined, rows.n_blocks) == LocalRunner().run(str, joined, rows.n_blocks)
    cost = pass_cost(rows, MOMENTS, n_workers, worker)
    assert runner.passes[0].seconds == pytest.approx(cost.working + cost.merging, rel=0.05)


def test_the_cost_grows_with_the_rows_and_falls_with_the_workers():
    costs = [pass_cost(Rows(n, 20, 2**17), MOMENTS, 1).seconds for n in (10**7, 10**8)]
    assert costs[1] / costs[0] == pytest.approx(10.0, rel=0.02)
    many = [pass_cost(Rows(10**10, 100, 2**18), MOMENTS, n_workers) for n_workers in (10, 100, 1000, 10_000)]
    assert np.all(np.diff([cost.seconds for cost in many]) < 0.0)
    assert many[-1].seconds >= many[-1].scheduling
    assert all(cost.n_tasks <= 8192 for cost in many)
