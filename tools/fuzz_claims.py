"""Hold the claims of all estimators against exact arithmetic, on data that are hard on floating point.

    python tools/fuzz_claims.py --problems 20000 --seed 1 [--only linear-svm] [--seconds 600] [--processes 2]

The judges are in tests/claims_judged; a smaller run of them is among the tests. What is false is printed with a line
that repeats it, and in the end a table: how many problems there were of each estimator, what was proved of them, and
how many claims, checks or predictions were false. The exit code is 1 if any was, or if a fit crashed.
"""

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("src", "tests")]

from claims_judged.families import FAMILIES  # noqa: E402  after the path to it
from claims_judged.problem import SECONDS_PER_FIT, Outcome, outcome_of  # noqa: E402

SECONDS_WITHOUT_NEWS = 20 * SECONDS_PER_FIT  # by the clock, after which a process that compiled code holds is ended
COLUMNS = ("proved", "wide", "unproved", "no claim", "refused", "crashed", "false", "verify", "predict")


def options(arguments=None):
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--problems", type=int, default=20_000, help="how many, over all families in turn")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; one more for each round of all families")
    parser.add_argument("--only", nargs="+", metavar="FAMILY", help="of " + ", ".join(each.name for each in FAMILIES))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so many")
    parser.add_argument("--processes", type=int, default=1, help="how many problems at a time")
    found = parser.parse_args(arguments)
    unknown = set(found.only or ()) - {each.name for each in FAMILIES}
    if unknown:
        parser.error(f"there is no family {', '.join(sorted(unknown))}")
    return found


def work(tasks, pipe):
    """Judge the problems of a process, and send what was found of each."""
    for number, (place, seed) in enumerate(tasks):
        pipe.send((number, outcome_of(FAMILIES[place], seed)))
    pipe.send(None)


class Worker:
    """A process with problems of its own, begun again after one that it does not end."""

    def __init__(self, tasks):
        self.tasks = tasks
        self.begin()

    def begin(self):
        """Start a process for the problems that are left."""
        self.pipe, theirs = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.Process(target=work, args=(self.tasks, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.last, self.number = time.monotonic(), -1

    def news(self):
        """Problems that ended since, with their outcomes."""
        found = []
        try:
            while self.tasks and self.pipe.poll(0.05):
                message = self.pipe.recv()
                if message is None:
                    self.tasks = []
                    break
                self.number, outcome = message
                self.last = time.monotonic()
                found.append((*self.tasks[self.number], outcome))
        except EOFError:
            found += self.lost("the process ended")
        if self.tasks and time.monotonic() - self.last > SECONDS_WITHOUT_NEWS:
            self.process.kill()
            found += self.lost(f"no end after {SECONDS_WITHOUT_NEWS} s")
        return found

    def lost(self, why):
        """Count the problem that was being judged as a crash, and go on with the next."""
        self.process.join()
        task, self.tasks = self.tasks[self.number + 1], self.tasks[self.number + 2 :]
        if self.tasks:
            self.begin()
        return [(*task, Outcome("", "crashed", [why], [], []))]

    def end(self):
        """Stop the process."""
        self.process.kill()
        self.process.join()


def main(arguments=None):
    """Run the fuzz; 1 where anything is false, differs or crashed, else 0."""
    asked = options(arguments)
    places = [i for i, each in enumerate(FAMILIES) if asked.only is None or each.name in asked.only]
    tasks = [(places[i % len(places)], asked.seed + i // len(places)) for i in range(asked.problems)]
    print(f"{len(tasks)} problems, seeds {asked.seed} to {tasks[-1][1]}", flush=True)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    workers = [Worker(tasks[k :: asked.processes]) for k in range(asked.processes)]
    counts: dict[str, Counter] = defaultdict(Counter)
    kinds: dict[str, Counter] = defaultdict(Counter)
    begun, failed = time.monotonic(), 0
    while any(worker.tasks for worker in workers) and time.monotonic() - begun < asked.seconds:
        for worker in workers:
            for place, seed, outcome in worker.news():
                count(counts[FAMILIES[place].name], kinds, FAMILIES[place].name, outcome)
                failed += report(FAMILIES[place].name, seed, outcome)
    for worker in workers:
        worker.end()
    print(table(counts))
    print(unproved_kinds(kinds))
    return 1 if failed else 0


def count(own, kinds, name, outcome):
    """Add an outcome to the counts of its family."""
    verdict = outcome.verdict.split(":")[0]
    own.update({"problems": 1, verdict: 1, "false": bool(outcome.false) and verdict != "crashed",
                "verify": bool(outcome.checks), "predict": bool(outcome.predictions)})  # fmt: skip
    if verdict in ("unproved", "wide"):
        kinds[name][outcome.kind] += 1


def report(name, seed, outcome):
    """Print what is false of a problem, and how to see it again; 1 where there is anything."""
    wrong = [*outcome.false, *(f"verify: {each}" for each in outcome.checks),
             *(f"predict: {each}" for each in outcome.predictions)]  # fmt: skip
    if not wrong:
        return 0
    print(f"{name}, {outcome.kind}: {outcome.estimator}")
    for each in wrong[:4]:
        print(f"    {each[:240]}")
    print(f"    again: python tools/fuzz_claims.py --only {name} --problems 1 --seed {seed}", flush=True)
    return 1


def table(counts):
    """A row for each family."""
    lines = [f"{'estimator':22}{'problems':>9}" + "".join(f"{name:>10}" for name in COLUMNS)]
    total: Counter = sum(counts.values(), Counter())
    for name, own in [*counts.items(), ("all", total)]:
        lines.append(f"{name:22}{own['problems']:>9}" + "".join(f"{own[each]:>10}" for each in COLUMNS))
    return "\n".join(lines)


def unproved_kinds(kinds):
    """The kinds of data on which claims have a large bound or none."""
    lines = ["wide (an error above 1e-6) or unproved, by kind of data:"]
    lines += [
        f"  {name:20} " + ", ".join(f"{kind} {n}" for kind, n in own.most_common()) for name, own in kinds.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
