"""Run the benchmarks: all of them, or those named, as in `python benchmarks/run.py perceptrons`."""

import argparse
from collections.abc import Callable
from functools import partial

import imports
import least_squares
import linear_svm
import logistic
import perceptrons
import pocket
import separability
import stochastic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="which of them; all where none is named")
    limit = "seconds for each fit of a peer of linear_svm or logistic (default: %(default)g)"
    parser.add_argument("--limit", type=float, default=linear_svm.LIMIT, help=limit)
    parser.add_argument("--peers", action="store_true", help="measure only the peers of a support vector machine")
    parser.add_argument("--small", action="store_true", help="a tenth of the rows, for logistic discrimination")
    options = parser.parse_args()
    benchmarks: dict[str, Callable[[], None]] = {
        "imports": imports.run,
        "perceptrons": perceptrons.run,
        "stochastic": stochastic.run,
        "pocket": pocket.run,
        "separability": separability.run,
        "least_squares": least_squares.run,
        "logistic": partial(logistic.run, options.limit, options.small),
        "linear_svm": partial(linear_svm.run, options.limit, options.peers),
    }
    unknown = [name for name in options.names if name not in benchmarks]
    if unknown:
        parser.error(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(benchmarks)}.")
    for name in options.names or benchmarks:
        benchmarks[name]()


if __name__ == "__main__":
    main()
