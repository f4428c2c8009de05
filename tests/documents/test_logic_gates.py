"""Gates over {-1, 1}: all but XOR and XNOR are learned, and each is composed of learned NAND units."""

import numpy as np
import pytest

from separatrix import NotCertifiedWarning, Perceptron
from separatrix.data.samples import logic_gate

SEPARABLE = ["AND", "OR", "NAND", "NOR", "NOT"]


@pytest.mark.parametrize("update", ["online", "batch"])
@pytest.mark.parametrize("name", SEPARABLE)
def test_separable_gates_are_learned(name, update):
    gate = logic_gate(name)
    model = Perceptron(update=update, random_state=0).fit(gate.X, gate.labels)
    assert model.predict(gate.X).tolist() == gate.labels.tolist()
    assert model.certificate_.stated == 0.0


@pytest.mark.parametrize("name", ["XOR", "XNOR"])
def test_the_others_are_not(name):
    gate = logic_gate(name)
    with pytest.warns(NotCertifiedWarning, match="may overlap"):
        model = Perceptron(random_state=0).fit(gate.X, gate.labels)
    assert model.certificate_.stated > 0.0


@pytest.fixture(scope="module")
def nand():
    gate = logic_gate("NAND")
    unit = Perceptron(random_state=0).fit(gate.X, gate.labels)
    return lambda a, b: unit.predict(np.column_stack([a, b]))


def composed(nand):
    """Each gate by NAND units alone."""
    NOT = lambda a: nand(a, a)  # noqa: E731
    AND = lambda a, b: NOT(nand(a, b))  # noqa: E731
    OR = lambda a, b: nand(NOT(a), NOT(b))  # noqa: E731
    XOR = lambda a, b: nand(nand(a, nand(a, b)), nand(b, nand(a, b)))  # noqa: E731
    return {
        "NAND": nand,
        "AND": AND,
        "OR": OR,
        "NOR": lambda a, b: NOT(OR(a, b)),
        "XOR": XOR,
        "XNOR": lambda a, b: NOT(XOR(a, b)),
        "NOT": NOT,
    }


@pytest.mark.parametrize("name", [*SEPARABLE, "XOR", "XNOR"])
def test_every_gate_from_learned_nands(nand, name):
    gate = logic_gate(name)
    assert composed(nand)[name](*gate.X.T).tolist() == gate.labels.tolist()
