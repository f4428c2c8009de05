"""What a process of the lab runs in the tests of its server: beside the real answers, some that no method gives."""

import os
import time
from contextlib import suppress

from separatrix.lab import answers as module
from separatrix.lab.serving import computing

real = module.answers
NAN = float("nan")


def answers(message):
    if message.get("name") in ODD:
        return ODD[message["name"]](message)
    return real(message)


def process(message):
    yield {"kind": "process", "number": os.getpid()}


def slow(message):
    yield {"kind": "begin", "number": os.getpid()}
    time.sleep(60)
    yield {"kind": "result"}


def endless(message):
    yield {"kind": "begin", "number": os.getpid()}
    while True:
        sum(range(1000))


def deaf(message):
    """Goes on when it is interrupted."""
    yield {"kind": "begin", "number": os.getpid()}
    while True:
        with suppress(KeyboardInterrupt):
            time.sleep(60)


def crash(message):
    yield {"kind": "begin"}
    os._exit(3)


def flood(message):
    for number in range(2000):
        yield {"kind": "frames", "number": number, "text": "x" * 100_000}


def undefined(message):
    yield {"kind": "curve", "values": [NAN]}
    yield {"kind": "curve", "values": [1.0]}


def mistaken(message):
    yield {"kind": "begin"}
    yield {}["gone"]


ODD = {each.__name__: each for each in (process, slow, endless, deaf, crash, flood, undefined, mistaken)}


def main():
    module.answers = answers
    computing.warm_ups = lambda: iter(())
    computing.MAX_SECONDS["toy"] = 0.5
    computing.main()
