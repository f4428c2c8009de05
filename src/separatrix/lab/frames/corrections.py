"""Sentences for corrections by one row: which row it was, why the rule moved, and by how much."""

from typing import Any, NamedTuple

import numpy as np

from separatrix.lab.frames.setting import Setting
from separatrix.rows import Vector


class Correction(NamedTuple):
    """A row i of class c that was taken for a rival, its lead over that before, and how much of it was added.

    For two classes the lead is y g(x). `moved` is what b moved by for each unit of the rate.
    """

    i: int
    c: int
    rival: int
    lead: float
    rate: float
    moved: float

    @classmethod
    def of(cls, setting: Setting, trace: Any, before: Vector, k: int) -> "Correction":
        """Correction k of a recorded run, from the planes before it."""
        problem, i, rival = setting.problem, int(trace.row[k]), int(trace.rival[k])
        c, planes = int(problem.y[i]), np.atleast_2d(before)
        scores = planes[:, :-1] @ setting.X[i] + planes[:, -1]
        lead = scores[0] * (2 * c - 1) if len(planes) == 1 else scores[c] - scores[rival]
        return cls(i, c, rival, float(lead), float(trace.rate[k]), trace.bias_step)

    def gained(self, setting: Setting) -> float:
        """How much the row's lead grew by."""
        square = float(setting.problem.squares[self.i]) + self.moved
        return self.rate * square * (1.0 if len(setting.names) == 2 else 2.0)


def short(value: float) -> str:
    """A number with three digits.

    >>> short(-0.123456), short(2.0), short(-0.0)
    ('-0.123', '2', '0')
    """
    return f"{value + 0.0:.3g}"


def movement(setting: Setting, by: Correction) -> str:
    """How the planes moved by a row, as the end of a sentence."""
    own, rival, amount = setting.names[by.c], setting.names[by.rival], short(by.rate)
    if len(setting.names) > 2:
        return f"the plane of {own} moved by +{amount} times the row, and that of {rival} by -{amount} times the row"
    sign = "+" if by.c == 1 else "-"
    offset = f" and b by {sign}{short(by.rate * by.moved)}" if by.moved else ""
    return f"w moved by {sign}{amount} times the row{offset}"


def mistake(setting: Setting, by: Correction) -> str:
    """Why a perceptron moved."""
    who, rival = capital(setting.row(by.i)), setting.names[by.rival]
    if len(setting.names) > 2:
        why = f"was taken for {rival}, whose plane gave it a score {short(-by.lead)} higher"
        if by.lead == 0.0:
            why = f"had the same score from the plane of {rival} as from its own, and a tie counts as a mistake"
        return f"{who} {why}. So {movement(setting, by)}: its lead over {rival} grew by {short(by.gained(setting))}."
    side, rose = ("above", "rose") if by.c == 1 else ("below", "fell")
    score = short(by.lead if by.c == 1 else -by.lead)
    why = f"was taken for {rival}: its score was {score} and should be {side} 0"
    if by.lead == 0.0:
        why = "had the score 0, which is on neither side, and a tie counts as a mistake"
    return f"{who} {why}. So {movement(setting, by)}: its score {rose} by {short(by.gained(setting))}."


def projection(setting: Setting, by: Correction) -> str:
    """Why relaxation moved."""
    model, who = setting.estimator, capital(setting.row(by.i))
    lead = "the margin" if len(setting.names) == 2 else f"over {setting.names[by.rival]} the lead"
    reached = short(by.lead + by.gained(setting))
    where = {1.0: "on the boundary of", 2.0: "mirrored in the boundary of"}.get(float(model.relaxation), "towards")
    wanted = short(model.margin)
    return (
        f"{who} had {lead} {short(by.lead)}, less than {wanted}. So {movement(setting, by)}, straight to a place "
        f"{where} the half-space of all planes that give it {wanted}: now it has {reached}."
    )


def annealed(setting: Setting, by: Correction, temperature: float) -> str:
    """Why a thermal perceptron moved, and how far it still dared to."""
    who, rival, faded = capital(setting.row(by.i)), setting.names[by.rival], float(np.exp(by.lead / temperature))
    if by.lead == 0.0:
        return f"{who} was on the plane to {rival}, and a tie counts as a mistake. So {movement(setting, by)}."
    behind, T = short(-by.lead), short(temperature)
    return (
        f"{who} was taken for {rival} by {behind}. At the temperature {T} a step for it fades to exp(-{behind}/{T}) = "
        f"{short(faded)} of its size: rows far on the wrong side are given up. So {movement(setting, by)}."
    )


def capital(text: str) -> str:
    """A text with a capital first letter, and all others as they are."""
    return text[:1].upper() + text[1:]
