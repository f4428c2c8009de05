"""Every algorithm on bundled data
===============================

What each algorithm of the registry finds on five sets of rows, and what is proved of it.
"""

import warnings

from rich.console import Console
from sklearn.preprocessing import scale

from separatrix import NotCertifiedWarning, OneVsOne, OneVsRest, Perceptron, TrivialFitWarning
from separatrix.data import Table, samples
from separatrix.estimators.registry import algorithms
from separatrix.report.text import Fit, fits_table

PASSES = 5_000  # for rules that end when every row is right
FEW_PASSES = 100  # for rules that make all their passes
wine = samples.builtin("wine")
DATA = {
    "NAND gate": samples.logic_gate("NAND"),
    "XOR gate": samples.logic_gate("XOR"),
    "planted, R/gamma = 100": samples.planted_margin(500, 10, ratio=0.01, seed=0)[0],
    "wine, standardised": Table(scale(wine.X), wine.labels, wine.feature_names),
    "iris": samples.builtin("iris"),
}


def fits(data: str, table: Table) -> list[Fit]:
    """Every rule of the package on one set of data."""
    models = {
        row.name: row.make(max_iter=PASSES if row.separates else FEW_PASSES, random_state=0)
        for row in algorithms("classification")
    }
    if len(table.classes) > 2:
        base = Perceptron(max_iter=PASSES, random_state=0)
        models |= {"one against the rest": OneVsRest(base), "one against one": OneVsOne(base)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # the table says it
        warnings.simplefilter("ignore", TrivialFitWarning)
        return [Fit(data, name, model.fit(table.X, table.labels), table) for name, model in models.items()]


def main() -> None:
    """Fit and print."""
    console = Console()
    with console.status("learning ..."):
        rows = [fit for name, table in DATA.items() for fit in fits(name, table)]
    console.print(fits_table(rows))
    console.print(
        "margin      distance of the nearest row from the plane, if none is wrong\n"
        "bound       (R/gamma)^2, which the online rule's updates cannot exceed\n"
        "separation  proved for every row, by rounding bounds or exact fractions;\n"
        f"            not certified: no such plane was found in {PASSES:,} passes;\n"
        "            not proved: the rule looks for few errors, not for none",
        style="dim",
        highlight=False,
    )


if __name__ == "__main__":
    main()
