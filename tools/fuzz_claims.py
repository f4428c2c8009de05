"""Hold the claims of all estimators against exact arithmetic, on data that are hard on floating point.

    python tools/fuzz_claims.py --problems 20000 --seed 1 [--only linear-svm] [--seconds 600]

The judges are in tests/claims_judged; a smaller run of them is among the tests. The last lines are a table: how many
problems there were of each estimator, what was proved of them, and how many claims, checks or predictions were false.
The exit code is 1 if any was.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("src", "tests")]

if __name__ == "__main__":
    from claims_judged.command import main

    sys.exit(main())
