"""Which frames an algorithm has: a maker for each family of estimators."""

from collections.abc import Callable
from typing import Any

from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.relaxation import RelaxationClassifier
from separatrix.estimators.thermal import ThermalPerceptron
from separatrix.lab.frames.answer import answer
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Asked, Setting
from separatrix.lab.frames.updates import updates

FAMILIES: dict[type, Callable[[Setting], Recording]] = {
    RelaxationClassifier: updates,
    ThermalPerceptron: updates,
    Perceptron: updates,
}


def frames_of(question: Asked) -> Recording:
    """Fit the algorithm of a question, and record how it went.

    Parameters
    ----------
    question : Question
        Points, classes, weights, the registry's row and its options, and how many frames are wanted at most.

    Returns
    -------
    Recording
        Frames from the start to the fitted model.
    """
    setting = Setting.of(question)
    return maker_for(setting.estimator)(setting)


def maker_for(estimator: Any) -> Callable[[Setting], Recording]:
    """What makes the frames of an estimator: the entry of the most specific class it is of."""
    for kind in type(estimator).__mro__:
        if kind in FAMILIES:
            return FAMILIES[kind]
    return answer
