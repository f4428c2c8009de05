"""What `import separatrix` costs beyond scikit-learn's linear models."""

import subprocess
import sys

from measuring import QUICK_TURNS, console, in_turns, seconds


def run(quick: bool) -> None:
    def importing(module: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True))

    modules = ("sklearn.linear_model", "separatrix")
    taken = in_turns(
        {module: lambda module=module: importing(module) for module in modules}, repeats=QUICK_TURNS if quick else 9
    )
    extra = taken["separatrix"] - taken["sklearn.linear_model"]
    console.print(
        f"[bold]import[/]  sklearn.linear_model {taken['sklearn.linear_model']:.2f} s, separatrix "
        f"{taken['separatrix']:.2f} s: {extra:+.2f} s, goal at most +0.40 s\n"
    )
