import io
import warnings

from rich.console import Console

from separatrix import OneVsRest, Perceptron
from separatrix.data import samples
from separatrix.estimators.registry import WRAPPERS, algorithms
from separatrix.report.text import Fit, algorithm_table, fits_table


def printed(*fits: Fit) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(fits_table(fits))
    return console.export_text()


def fit(model, table, data="data", method="method"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Fit(data, method, model.fit(table.X, table.labels), table)


def test_a_proved_fit():
    gate = samples.logic_gate("NAND")
    text = printed(fit(Perceptron(shuffle=False), gate, "NAND", "online"))
    row = next(line.split() for line in text.splitlines() if "online" in line)
    assert row[:2] == ["online", "0/4"]
    assert row[-1] == "proved"
    updates, bound = int(row[3]), int(row[4])
    assert 0 < updates <= bound


def test_a_fit_that_is_not_certified():
    gate = samples.logic_gate("XOR")
    text = printed(fit(Perceptron(shuffle=False, max_iter=5), gate))
    row = next(line.split() for line in text.splitlines() if "method" in line and "2/4" in line)
    assert row[2] == row[4] == "-"
    assert "not certified" in text


def test_several_planes_of_which_some_are_proved():
    iris = samples.builtin("iris")
    text = printed(fit(OneVsRest(Perceptron(random_state=0, max_iter=50)), iris))
    assert "1 of 3 proved" in text


def test_the_registry_as_a_table():
    lines = algorithm_table().splitlines()
    assert len(lines) == 2 + len(algorithms()) + len(WRAPPERS)
    assert len({line.count("|") for line in lines}) == 1
    for row in algorithms():
        assert any(row.name in line and row.source in line for line in lines)
