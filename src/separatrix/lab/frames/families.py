"""Which frames an algorithm has: a maker for each family of estimators."""

from collections.abc import Callable
from typing import Any

from separatrix.estimators.discriminant import FisherDiscriminant, GaussianDiscriminant
from separatrix.estimators.ho_kashyap import HoKashyapClassifier
from separatrix.estimators.hulls.barycentric_classifier import BarycentricClassifier
from separatrix.estimators.hulls.reduced_hull_classifier import ReducedHullClassifier
from separatrix.estimators.kernel.kernel_nu_svm import KernelNuSVM
from separatrix.estimators.kernel.kernel_perceptron import KernelPerceptron
from separatrix.estimators.kernel.kernel_svm import KernelSVM
from separatrix.estimators.kernel.one_class_svm import OneClassSVM
from separatrix.estimators.kernel.smallest_ball import SmallestBall
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.lms import LMSClassifier
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.nu_svm import NuSVM
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.pocket import PocketPerceptron
from separatrix.estimators.relaxation import RelaxationClassifier
from separatrix.estimators.stochastic import StochasticClassifier
from separatrix.estimators.thermal import ThermalPerceptron
from separatrix.lab.frames.answer import answer
from separatrix.lab.frames.barycentres import barycentres
from separatrix.lab.frames.best_so_far import best_so_far
from separatrix.lab.frames.closed_forms import discriminant, least_squares
from separatrix.lab.frames.counts import counts
from separatrix.lab.frames.dual_steps import dual_steps
from separatrix.lab.frames.hull_steps import hull_steps
from separatrix.lab.frames.machine_steps import machine_steps
from separatrix.lab.frames.presentations import presentations
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.targets import targets
from separatrix.lab.frames.updates import updates
from separatrix.lab.question import Question


def perceptron(setting: Setting) -> Recording:
    """The recording of a perceptron: update by update, unless it is averaged or penalised."""
    model = setting.estimator
    return presentations(setting) if model.averaged or model.l2 else updates(setting)


FAMILIES: dict[type, Callable[[Setting], Recording]] = {
    BarycentricClassifier: barycentres,
    FisherDiscriminant: discriminant,
    GaussianDiscriminant: discriminant,
    HoKashyapClassifier: targets,
    LeastSquaresClassifier: least_squares,
    LinearSVM: machine_steps,
    KernelNuSVM: dual_steps,
    KernelPerceptron: counts,
    KernelSVM: dual_steps,
    LMSClassifier: presentations,
    LogisticClassifier: machine_steps,
    NuSVM: machine_steps,
    Perceptron: perceptron,
    OneClassSVM: dual_steps,
    PocketPerceptron: best_so_far,
    ReducedHullClassifier: hull_steps,
    RelaxationClassifier: updates,
    SmallestBall: dual_steps,
    StochasticClassifier: presentations,
    ThermalPerceptron: updates,
}


def frames_of(question: Question) -> Recording:
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
    setting = Setting(question)
    return maker_for(setting.estimator)(setting)


def maker_for(estimator: Any) -> Callable[[Setting], Recording]:
    """What makes the frames of an estimator: the entry of the most specific class it is of."""
    for kind in type(estimator).__mro__:
        if kind in FAMILIES:
            return FAMILIES[kind]
    return answer
