"""Fits over a Parquet file that is larger than the memory they may take: time, passes, peak memory, growth.

`python benchmarks/scale.py --rows 1000000 30000000` draws the files, fits each model in a process of its own whose
data are limited to 1.5 GB, and beside it the same batches by SGDClassifier.partial_fit, and by the LogisticRegression
of dask-ml where that is installed; how far the peers end above the optimum is said as a part of it. `--cost` compares
the model of the cost of a pass with passes by a cluster of processes here.
"""

import argparse
import dataclasses
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measuring import console, seconds

ROWS_PER_GROUP = 2**17
FEATURES = 20
LIMIT = 1.5e9  # bytes of data that a process may have
SGD_EPOCHS = 5
PEERS = {
    "SGDClassifier": "LinearSVM",
    "dask_ml.LogisticRegression": "LogisticClassifier",
}  # and whose objective they have
MODELS = {
    "LinearSVM": lambda s: s.LinearSVM(C=1.0),
    "LogisticClassifier": lambda s: s.LogisticClassifier(),
    "GaussianDiscriminant": lambda s: s.GaussianDiscriminant(),
    "LeastSquaresClassifier": lambda s: s.LeastSquaresClassifier(),
}


def draw(path: Path, n_rows: int) -> None:
    """Write rows of float32 whose classes overlap, one row group after the other, unless the file is there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.exists():
        return
    names = [f"x{j}" for j in range(FEATURES)]
    schema = pa.schema([(name, pa.float32()) for name in names] + [("y", pa.int8())])
    w = np.random.default_rng(0).standard_normal(FEATURES)
    draft = path.with_suffix(".tmp")
    with pq.ParquetWriter(draft, schema, compression="none", use_dictionary=False) as writer:
        for first in range(0, n_rows, ROWS_PER_GROUP):
            random, n = np.random.default_rng([1, first]), min(ROWS_PER_GROUP, n_rows - first)
            X = random.standard_normal((n, FEATURES), dtype=np.float32)
            y = X @ w + 2.0 * random.standard_normal(n) > 0.5
            arrays = [pa.array(np.ascontiguousarray(X[:, j])) for j in range(FEATURES)]
            writer.write_table(pa.table([*arrays, pa.array(y.astype(np.int8))], schema))
    draft.replace(path)


class CountingRunner:
    """Counts the passes of another runner."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.passes = inner, 0

    def run(self, *pass_: Any) -> Any:
        """One pass more."""
        self.passes += 1
        return self.inner.run(*pass_)

    def in_order(self, *pass_: Any) -> Any:
        """One pass more."""
        self.passes += 1
        return self.inner.in_order(*pass_)


def blocks_of(path: str) -> Any:
    """The rows of a file, and a runner that counts the passes over them."""
    from separatrix.data.blocks import read_blocks

    blocks = read_blocks(path, target="y", rows_per_block=ROWS_PER_GROUP)
    return dataclasses.replace(blocks, runner=CountingRunner(blocks.runner))


def fit(name: str, path: str) -> dict[str, Any]:
    """Fit a model, or a peer over the same blocks, and say what it took."""
    import separatrix

    blocks = blocks_of(path)
    if name in PEERS:
        return sgd(blocks) if name == "SGDClassifier" else dask_ml(blocks, path)
    small = np.random.default_rng(0).standard_normal((2000, FEATURES)).astype(np.float32)
    MODELS[name](separatrix).fit(small, small[:, 0] > 0)  # compiles
    began = time.perf_counter()
    model = MODELS[name](separatrix).fit(blocks)
    taken, claim = time.perf_counter() - began, model.certificate_
    optimum = {"optimum": claim.dual} if hasattr(claim, "dual") else {}
    return {"seconds": taken, "passes": blocks.runner.passes, "error": claim.stated, **optimum}


def sgd(blocks: Any) -> dict[str, Any]:
    """The best of its epochs by the objective of LinearSVM(C=1), which alpha = 1 / (C n) minimises too.

    Its step sizes are tuned by hand: at the defaults it ends at 1.8 times the optimum with 200,000 rows.
    """
    from sklearn.linear_model import SGDClassifier

    whole = blocks.encoded().problem
    load, n_blocks = whole.load, whole.n_blocks
    steps = {"learning_rate": "invscaling", "eta0": 0.1}
    model = SGDClassifier(loss="hinge", alpha=1.0 / whole.n_rows, random_state=0, **steps)
    curve, worked = [], 0.0
    for _ in range(SGD_EPOCHS):
        began = time.perf_counter()
        for block in range(n_blocks):
            problem = load(block)
            model.partial_fit(problem.X, problem.y, classes=[0, 1])
        worked += time.perf_counter() - began
        w, b = model.coef_[0], float(model.intercept_[0])
        loss = sum(float(np.maximum(0.0, 1.0 - load(block).margins(w, b)).sum()) for block in range(n_blocks))
        curve.append((worked, 0.5 * float(w @ w) + loss))
    taken, objective = min(curve, key=lambda point: point[1])
    return {"seconds": taken, "passes": SGD_EPOCHS, "objective": objective}


def dask_ml(blocks: Any, path: str) -> dict[str, Any]:
    """ADMM over the same row groups, at its defaults, which stop after two digits."""
    import dask.dataframe
    from dask_ml.linear_model import LogisticRegression

    rows = dask.dataframe.read_parquet(path, split_row_groups=True).to_dask_array(lengths=True)
    X, y = rows[:, :FEATURES], rows[:, FEATURES]
    began = time.perf_counter()
    model = LogisticRegression(C=1.0).fit(X, y)
    taken = time.perf_counter() - began
    whole = blocks.encoded().problem
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    margins = (whole.load(block).margins(w, b) for block in range(whole.n_blocks))
    loss = sum(float(np.logaddexp(0.0, -each).sum()) for each in margins)
    return {"seconds": taken, "objective": 0.5 * float(w @ w) + loss}


def in_own_process(name: str, path: Path, limit: float) -> dict[str, Any]:
    """What a fit takes in a process whose data are limited."""
    command = [sys.executable, __file__, "--fit", name, str(path), "--limit", str(limit)]
    # Limits count what is reserved too: Arrow's own pool reserves a gigabyte at once, and glibc 64 MB for each thread.
    own = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"failed": lines[-1] if lines else f"ended with {done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def show_fits(sizes: list[int], folder: Path, models: list[str], limit: float) -> None:
    """Print time, passes, error and peak memory of each fit."""
    for n_rows in sizes:
        path = folder / f"rows_{n_rows}.parquet"
        taken = seconds(lambda path=path, n_rows=n_rows: draw(path, n_rows))
        console.print(f"{n_rows:,} x {FEATURES} float32, {path.stat().st_size / 1e9:.2f} GB, drawn in {taken:.0f} s")
        optima: dict[str, float] = {}
        for name in models:
            found = in_own_process(name, path, limit)
            if "failed" in found:
                console.print(f"  {name:24} [red]{found['failed']}[/]")
                continue
            optima[name] = found.get("optimum", np.nan)
            rest = f"error {found['error']:.1e}" if "error" in found else above(found["objective"], optima, name)
            rows, passes = 1e6 * found["seconds"] / n_rows, found.get("passes", "unknown")
            console.print(
                f"  {name:24} {found['seconds']:7.1f} s, {rows:.2f} s per million rows, {passes} passes, "
                f"peak {found['peak'] / 1e9:.2f} GB, {rest}"
            )


def above(objective: float, optima: dict[str, float], peer: str) -> str:
    """How far a peer's best objective is above the optimum that was proved."""
    return f"{objective / optima.get(PEERS[peer], np.nan) - 1.0:.1e} above the optimum"


def worked(job: Callable[[], Any], repeats: int = 3) -> float:
    """The least of some times of this process, whatever else the machine does."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        job()
        times.append(time.process_time() - began)
    return min(times)


def worked_there(client: Any, job: Callable[[], Any]) -> tuple[float, float, float]:
    """Seconds that a job takes by the clock, that the mean worker works for it, and that this process does."""
    before, began, here = client.run(time.process_time), time.perf_counter(), time.process_time()
    job()
    taken, here, after = time.perf_counter() - began, time.process_time() - here, client.run(time.process_time)
    return taken, sum(after[each] - before[each] for each in after) / len(after), here


def drawn_moments(d: int, n: int) -> Callable[[int], Any]:
    """A task that draws a block and sums its moments; drawing stands for reading."""

    def task(block: int) -> Any:
        return moments_of_block(drawn_block(block, d, n))

    return task


def drawn_block(block: int, d: int, n: int) -> Any:
    """A block of n rows of d numbers."""
    from separatrix.problem import Problem

    X = np.random.default_rng(block).standard_normal((n, d), dtype=np.float32)
    return Problem(X, (X[:, 0] > 0).astype(np.int32))


def moments_of_block(problem: Any) -> Any:
    """Its moments."""
    from separatrix.problem.moments import Moments

    return Moments.of(problem)


def merged(one: Any, other: Any) -> Any:
    """The moments of both."""
    return one.merged(other)


def show_cost(n_workers: int) -> None:
    """Print what passes of a cluster of processes take beside the model of their cost."""
    import distributed

    from separatrix.data.runners import DaskRunner
    from separatrix.scale import MOMENTS, Rows, Worker, pass_cost
    from separatrix.threads import one_core

    with (
        distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        runner = DaskRunner(client)
        runner.run(drawn_moments(4, 100), merged, 4 * n_workers)  # imports
        _, overhead, scheduling = worked_there(client, lambda: runner.run(abs, max, 400))
        overhead, scheduling = overhead * n_workers / 800, scheduling / 800
        console.print(f"a task: {1e3 * overhead:.2f} ms of a worker, {1e3 * scheduling:.2f} ms of scheduler and client")
        for d, n, count in ((20, 2**16, 32), (100, 2**15, 32), (100, 2**15, 64), (400, 2**13, 32), (20, 2**12, 256)):
            with one_core():
                problem = drawn_block(0, d, n)
                drawing = worked(lambda d=d, n=n: drawn_block(0, d, n))
                whole = worked(lambda d=d, n=n: moments_of_block(drawn_block(0, d, n)))
            speed = 2.0 * n * d * d / max(whole - drawing, 1e-3 * whole)
            worker = Worker(problem.X.nbytes / drawing, speed, 1e9, 2.0 * overhead, overhead, scheduling)
            cost = pass_cost(Rows(n * count, d, n), MOMENTS, n_workers, worker)
            clock, found, _ = worked_there(
                client, lambda d=d, n=n, count=count: runner.run(drawn_moments(d, n), merged, count)
            )
            console.print(
                f"  {count} blocks of {n:,} x {d}: {found:.2f} s of each worker, by the model "
                f"{cost.working + cost.merging:.2f} s; {clock:.2f} s by the clock"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000], help="of each file")
    parser.add_argument("--models", nargs="+", default=[*MODELS, *PEERS], choices=[*MODELS, *PEERS])
    parser.add_argument("--folder", type=Path, default=Path("scale_data"), help="of the files, which are kept")
    parser.add_argument("--limit", type=float, default=LIMIT, help="bytes of data of a process")
    parser.add_argument("--cost", type=int, metavar="WORKERS", help="compare the model of cost with passes here")
    parser.add_argument("--fit", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        resource.setrlimit(resource.RLIMIT_DATA, (int(options.limit), int(options.limit)))
        found = fit(*options.fit)
        found["peak"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps(found))
    elif options.cost:
        show_cost(options.cost)
    else:
        options.folder.mkdir(exist_ok=True)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
        show_fits(options.rows, options.folder, options.models, options.limit)


if __name__ == "__main__":
    main()
