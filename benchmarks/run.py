"""Run the benchmarks: all of them, or those named, as in `python benchmarks/run.py perceptrons --quick`."""

import argparse
from collections.abc import Callable
from functools import partial

import choose
import imports
import joint_svm
import kernel_svm
import least_squares
import linear_svm
import logistic
import perceptrons
import pocket
import real
import regression
import separability
import stochastic
from measuring import console, seconds

FULL_LIMIT, QUICK_LIMIT = 60.0, 2.0  # seconds for each fit of a peer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="which of them; all where none is named")
    parser.add_argument("--quick", action="store_true", help="the set of all families that takes ten minutes at most")
    meaning = f"seconds for each fit of a peer (default: {FULL_LIMIT:g}, quick: {QUICK_LIMIT:g}; real has less)"
    parser.add_argument("--limit", type=float, help=meaning)
    parser.add_argument("--peers", action="store_true", help="measure only the peers of a support vector machine")
    options = parser.parse_args()
    limit = options.limit or (QUICK_LIMIT if options.quick else FULL_LIMIT)
    benchmarks: dict[str, Callable[[bool], None]] = {
        "imports": imports.run,
        "perceptrons": perceptrons.run,
        "stochastic": stochastic.run,
        "pocket": pocket.run,
        "separability": separability.run,
        "least_squares": least_squares.run,
        "logistic": partial(logistic.run, limit=limit),
        "joint_svm": joint_svm.run,
        "kernel_svm": kernel_svm.run,
        "choose": choose.run,
        "real": partial(real.run, limit=options.limit),
        "regression": partial(regression.run, limit=limit),
        "linear_svm": partial(linear_svm.run, limit=limit, peers_only=options.peers),
    }
    unknown = [name for name in options.names if name not in benchmarks]
    if unknown:
        parser.error(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(benchmarks)}.")
    for name in options.names or benchmarks:
        taken = seconds(partial(benchmarks[name], options.quick))
        console.print(f"[dim]{name}: {taken:.0f} s in all[/]\n")


if __name__ == "__main__":
    main()
