"""Run the benchmarks: all of them, or those named, as in `python benchmarks/run.py perceptrons`."""

import sys

import imports
import perceptrons
import pocket
import stochastic

BENCHMARKS = {
    "imports": imports.run,
    "perceptrons": perceptrons.run,
    "stochastic": stochastic.run,
    "pocket": pocket.run,
}


def main() -> None:
    wanted = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in wanted if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(BENCHMARKS)}.")
    for name in wanted:
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
