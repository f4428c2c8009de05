"""Fits of rows in blocks held against rows in memory, on clusters of processes of which some are killed, and resumed.

`python benchmarks/scale_faults.py` prints, for each model: how far its coefficients are from those of the same rows in
memory over seven ways to cut these, whether they have the same bits on 1, 2 and 3 workers and on threads, and, for
each of `--seeds` seeds, whether they have them where a worker is killed in the middle of each pass. Then the client
itself is killed at its second pass, and another one goes on from its checkpoint. `--models` names some of them.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from measuring import console

import separatrix as s
from separatrix import threads
from separatrix.data.blocks import read_blocks
from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.runners import DaskRunner, runner_for
from separatrix.problem.runner import LocalRunner
from separatrix.solvers.blocks import hinge, sample_of_rows, tube

N, D = 3000, 5
RANDOM = np.random.default_rng(28)
CODES = RANDOM.permutation(np.arange(N) % 5)
X = RANDOM.standard_normal((N, D)) * [1.0, 0.1, 10.0, 1.0, 3.0] + np.eye(5, D)[CODES] * 2.0
TWO = (X @ [1.0, 3.0, 0.1, -1.0, 0.2] + RANDOM.standard_normal(N) > 1.0).astype(int)
NUMBERS = X @ [1.0, 3.0, 0.1, -1.0, 0.2] + RANDOM.standard_t(4, N)
PARTS = ["memory", "workers", "resumed", "killed"]
CUTS = {
    "one": [],
    "even": [1000, 2000],
    "uneven": [7, 1900, 2950],
    "single rows": [1, 2, 3, 4],
    "empty": [0, 0, 1500, 1500, N],
    "many": list(range(100, N, 100)),
    "one class": None,
}
TIGHT: dict[str, Any] = {"tol": 1e-11}
MODELS: dict[str, tuple[Callable[[], Any], np.ndarray]] = {
    **{f"hinge, C={C}": (lambda C=C: s.LinearSVM(C), TWO) for C in (0.01, 1.0, 100.0)},
    **{f"squared, C={C}": (lambda C=C: s.LinearSVM(C, loss="squared_hinge", **TIGHT), TWO) for C in (0.01, 1.0, 100.0)},
    "hinge, 5 classes": (s.LinearSVM, CODES),
    "logistic, 2 classes": (lambda: s.LogisticClassifier(**TIGHT), TWO),
    "logistic, 5 classes": (lambda: s.LogisticClassifier(**TIGHT), CODES),
    "least squares": (s.LeastSquaresClassifier, CODES),
    "Gaussian": (s.GaussianDiscriminant, CODES),
    "Fisher": (s.FisherDiscriminant, CODES),
    "stochastic": (lambda: s.StochasticClassifier(max_iter=3, shuffle=False), TWO),
    "tube": (s.LinearSVR, NUMBERS),
    "squared tube": (lambda: s.LinearSVR(loss="squared_epsilon_insensitive", **TIGHT), NUMBERS),
}


class CutSource:
    """The rows between edges, made where they are read; a worker that reads the victim first in a pass is killed."""

    feature_names = ()

    def __init__(self, name: str, edges: list[int], victim: int = -1, folder: str = "") -> None:
        self.name, self.edges, self.victim, self.folder = name, edges, victim, folder

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.edges) - 1

    def read(self, block: int) -> RawBlock:
        """The rows of a block."""
        if block == self.victim:
            Path(self.folder, f"{time.monotonic_ns()}-{os.getpid()}").touch()
            if len(list(Path(self.folder).iterdir())) % 2:
                os.kill(os.getpid(), signal.SIGKILL)
        part = slice(self.edges[block], self.edges[block + 1])
        return RawBlock(X[part], MODELS[self.name][1][part])

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"block {block}"


def small() -> None:
    """Have samples and bands of few rows, so that little data are many."""
    limits = hinge.Limits(rows=400, sample=300)
    for solve in (hinge.solve, tube.solve):
        solve.__kwdefaults__["limits"] = limits
    sample_of_rows.MAX_ROWS = sample_of_rows.MIN_ROWS = 300


def bits(model: Any) -> tuple[Any, ...]:
    """What must be the same wherever a fit was done."""
    found = model.coef_.tobytes(), np.asarray(model.intercept_).tobytes(), model.certificate_.stated
    return (*found, model.n_iter_)


def fitted(name: str, blocks: Any, *more: Any) -> Any:
    """The fit of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", s.NotCertifiedWarning)
        return MODELS[name][0]().fit(blocks, *more)


def distance_from_memory(name: str) -> tuple[float, float]:
    """How far coefficients are from those of rows in memory at most, over all cuts; and the largest certificate."""
    y, worst, stated = MODELS[name][1], 0.0, 0.0
    wanted = fitted(name, X, y)
    for edges in CUTS.values():
        if edges is None:
            if name == "stochastic" or y.dtype == np.float64:
                continue  # another order of the rows, or no classes
            blocks = read_blocks([(X[y == label], y[y == label]) for label in np.unique(y)])
        else:
            blocks = read_blocks([(X[a:b], y[a:b]) for a, b in pairwise([0, *edges, N])])
        model = fitted(name, blocks)
        for one, other in ((model.coef_, wanted.coef_), (model.intercept_, wanted.intercept_)):
            worst = max(worst, float(np.linalg.norm(one - other) / np.linalg.norm(other)))
        stated = max(stated, model.certificate_.stated)
    return worst, stated


@contextmanager
def cluster(n_workers: int) -> Iterator[Any]:
    """A client of so many processes."""
    import dask
    import distributed

    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})  # those that are killed begin quickly
    distributed.utils.get_mp_context()
    get_context("forkserver").set_forkserver_preload(["distributed", "separatrix", "separatrix.data.runners"])
    quiet = {"dashboard_address": ":0", "worker_dashboard_address": ":0", "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, **quiet) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def uneven(name: str, **how: Any) -> CutSource:
    """Twelve blocks of uneven sizes, one of them empty."""
    return CutSource(name, [0, 300, 301, 700, 700, 1000, 1300, 1350, 1800, 2100, 2500, 2800, N], **how)


def killed(name: str, client: Any, seed: int) -> tuple[Any, int, float]:
    """The bits of a fit in each of whose passes a worker is killed, how many were, and the seconds."""
    victim = int(np.random.default_rng(seed).choice([block for block in range(12) if block != 3]))
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        model = fitted(name, Blocks(uneven(name, victim=victim, folder=folder), DaskRunner(client, patience=600.0)))
        return bits(model), (len(list(Path(folder).iterdir())) + 1) // 2, time.perf_counter() - began


def resumed(name: str, checkpoint: Path) -> bool:
    """Whether a fit that goes on from the checkpoint of a client that was killed has the bits of one that was not."""
    dying = subprocess.run([sys.executable, __file__, "--die", name, str(checkpoint)], check=False)
    assert dying.returncode == -signal.SIGKILL
    source = uneven(name)
    model = fitted(name, Blocks(source, runner_for(LocalRunner(), checkpoint=checkpoint, question=source)))
    return bits(model) == bits(fitted(name, Blocks(source, LocalRunner())))


class Dying:
    """A runner whose process is killed at its second pass."""

    def __init__(self) -> None:
        self.passes = 0

    def run(self, *asked: Any) -> Any:
        """One pass, or death."""
        self.die()
        return LocalRunner().run(*asked)

    def in_order(self, *asked: Any) -> Any:
        """One pass in order, or death."""
        self.die()
        return LocalRunner().in_order(*asked)

    def die(self) -> None:
        """Count a pass."""
        self.passes += 1
        if self.passes == 2:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--die", nargs=2)
    given = parser.parse_args()
    small()
    if given.die:
        name, source = given.die[0], uneven(given.die[0])
        fitted(name, Blocks(source, runner_for(Dying(), checkpoint=given.die[1], question=source)))
        sys.exit("not killed")
    here = {name: bits(fitted(name, Blocks(uneven(name), LocalRunner()))) for name in given.models}
    for part in given.parts:
        {"memory": from_memory, "workers": on_workers, "resumed": from_checkpoints, "killed": on_dying_workers}[part](
            given.models, here, given.seeds
        )


def from_memory(names: list[str], here: dict[str, Any], seeds: int) -> None:
    """Print how far fits are from those of rows in memory."""
    for name in names:
        worst, stated = distance_from_memory(name)
        console.print(f"{name}: coefficients within {worst:.1e} of those in memory, certificate {stated:.1e}")


def on_workers(names: list[str], here: dict[str, Any], seeds: int) -> None:
    """Print whether fits have the same bits on any number of workers, and on threads."""
    for n_workers in (1, 2, 3):
        with cluster(n_workers) as client:
            same = [bits(fitted(name, Blocks(uneven(name), DaskRunner(client)))) == here[name] for name in names]
        told(f"{n_workers} workers", names, same)
    for count in (1, 3):
        before = threads._cores.set(count)
        same = [bits(fitted(name, Blocks(uneven(name), LocalRunner()))) == here[name] for name in names]
        threads._cores.reset(before)
        told(f"{count} threads", names, same)


def from_checkpoints(names: list[str], here: dict[str, Any], seeds: int) -> None:
    """Print whether fits that go on from a checkpoint have the same bits."""
    with tempfile.TemporaryDirectory() as folder:
        same = [resumed(name, Path(folder, f"{number}.checkpoint")) for number, name in enumerate(names)]
    told("resumed", names, same)


def on_dying_workers(names: list[str], here: dict[str, Any], seeds: int) -> None:
    """Print whether fits have the same bits where a worker is killed in each pass."""
    with cluster(3) as client:
        for name in names:
            found = [killed(name, client, seed) for seed in range(seeds)]
            same, deaths = sum(own == here[name] for own, _, _ in found), [n for _, n, _ in found]
            console.print(
                f"{name}, killed: the same bits with {same} of {seeds} seeds, {min(deaths)} to {max(deaths)} "
                f"workers killed in a fit, {max(took for _, _, took in found):.0f} s at most"
            )


def told(where: str, names: list[str], same: list[bool]) -> None:
    """Print which fits have the same bits."""
    others = [name for name, own in zip(names, same, strict=True) if not own]
    console.print(f"{where}: the same bits for {len(names) - len(others)} of {len(names)} models; other: {others}")


if __name__ == "__main__":
    main()
