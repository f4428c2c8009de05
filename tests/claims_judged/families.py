"""Everything that claims something, with the options that a fuzz draws for it."""

from typing import NamedTuple

import numpy as np

import separatrix

PRICES = [1e-4, 1e-2, 1.0, 100.0, 1e4, 1e8, 1e12]
NUS = [0.01, 0.1, 0.3, 0.5, 0.8, 1.0]


class Family(NamedTuple):
    """A name, what data it learns from (classes, two, numbers or rows), and an estimator with options at random."""

    name: str
    data: str
    make: object


def choice(rng, values):
    """One of some values, as Python has it."""
    return values[int(rng.integers(len(values)))]


def often(rng, part=0.7):
    """True so often."""
    return bool(rng.random() < part)


def kernel_options(rng):
    """A kernel that satisfies Mercer's condition."""
    gamma = choice(rng, [0.01, 0.5, 1.0, 30.0])
    return {"kernel": choice(rng, ["rbf", "poly", "linear"]), "gamma": gamma, "degree": choice(rng, [1, 2, 3]),
            "coef0": choice(rng, [0.0, 1.0])}  # fmt: skip


def linear_svm(rng):
    loss = choice(rng, ["hinge", "squared_hinge"])
    return separatrix.LinearSVM(choice(rng, [*PRICES, np.inf]), loss=loss, fit_intercept=often(rng), time_limit=1)


def joint_svm(rng):
    return separatrix.LinearSVM(
        choice(rng, PRICES), multi_class="crammer_singer", fit_intercept=often(rng), time_limit=1
    )


def linear_svr(rng):
    loss = choice(rng, ["epsilon_insensitive", "squared_epsilon_insensitive"])
    how = {"epsilon": choice(rng, [0.0, 0.1, 1.0]), "fit_intercept": often(rng), "time_limit": 1}
    return separatrix.LinearSVR(choice(rng, PRICES), loss=loss, **how)


def kernel_svm(rng):
    loss = choice(rng, ["hinge", "squared_hinge"])
    return separatrix.KernelSVM(C=choice(rng, [*PRICES, np.inf]), loss=loss, time_limit=1, **kernel_options(rng))


def kernel_svr(rng):
    loss = choice(rng, ["epsilon_insensitive", "squared_epsilon_insensitive"])
    how = {"epsilon": choice(rng, [0.0, 0.1, 1.0]), "loss": loss, "time_limit": 1}
    return separatrix.KernelSVR(C=choice(rng, PRICES), **how, **kernel_options(rng))


def nu_svr(rng):
    return separatrix.NuSVR(choice(rng, NUS), C=choice(rng, PRICES), fit_intercept=often(rng), time_limit=1)


def kernel_nu_svr(rng):
    return separatrix.KernelNuSVR(nu=choice(rng, NUS), C=choice(rng, PRICES), time_limit=1, **kernel_options(rng))


def sparse_svr(rng):
    l1, epsilon = choice(rng, [1e-4, 0.01, 1.0, 100.0]), choice(rng, [0.0, 0.01, 1.0])
    return separatrix.SparseSVR(l1, epsilon=epsilon, fit_intercept=often(rng))


def logistic(rng):
    return separatrix.LogisticClassifier(choice(rng, [*PRICES, np.inf]), fit_intercept=often(rng), time_limit=1)


def reduced_hulls(rng):
    algorithm = choice(rng, ["gilbert", "mdm", "schlesinger_kozinec"])
    how = kernel_options(rng)
    return separatrix.ReducedHullClassifier(
        choice(rng, ["auto", 0.3, 0.6, 1.0]), algorithm=algorithm, max_iter=3000, **how
    )


def perceptron(rng):
    how = {"fit_intercept": often(rng), "max_iter": 200, "random_state": 0}
    make = choice(rng, [separatrix.Perceptron, separatrix.PocketPerceptron, separatrix.ThermalPerceptron,
                        separatrix.RelaxationClassifier])  # fmt: skip
    return make(**how)


def reduction_of(inner, rng):
    """A reduction of several classes to questions of two."""
    return choice(rng, [separatrix.OneVsRest, separatrix.OneVsOne, separatrix.ErrorCorrectingCode])(inner)


def reduction(rng):
    inner = choice(rng, [linear_svm, logistic, perceptron])(rng)
    if type(inner).__name__ == "LinearSVM":
        inner.set_params(C=choice(rng, PRICES))
    return reduction_of(inner, rng)


def calibrated(rng):
    inner = choice(rng, [linear_svm, logistic, lambda rng: separatrix.LeastSquaresClassifier()])(rng)
    if type(inner).__name__ == "LinearSVM":
        inner.set_params(C=choice(rng, PRICES))
    return separatrix.Calibrated(inner, method=choice(rng, ["sigmoid", "isotonic"]), folds=2)


def least_squares(rng):
    return separatrix.LeastSquaresClassifier(choice(rng, [0.0, 0.0, 1e-6, 1.0, 1e12]), fit_intercept=often(rng))


FAMILIES = [
    Family("linear-svm", "classes", linear_svm),
    Family("joint-svm", "several", joint_svm),
    Family("nu-svm", "classes", lambda rng: separatrix.NuSVM(choice(rng, NUS), time_limit=1)),
    Family("logistic", "classes", logistic),
    Family("linear-svr", "numbers", linear_svr),
    Family("nu-svr", "numbers", nu_svr),
    Family("sparse-svr", "numbers", sparse_svr),
    Family("kernel-svm", "classes", kernel_svm),
    Family("kernel-nu-svm", "classes",
           lambda rng: separatrix.KernelNuSVM(nu=choice(rng, NUS), time_limit=1, **kernel_options(rng))),
    Family("kernel-svr", "numbers", kernel_svr),
    Family("kernel-nu-svr", "numbers", kernel_nu_svr),
    Family("one-class", "rows",
           lambda rng: separatrix.OneClassSVM(choice(rng, NUS), time_limit=1, **kernel_options(rng))),
    Family("ball", "rows", lambda rng: separatrix.SmallestBall(choice(rng, NUS), time_limit=1, **kernel_options(rng))),
    Family("reduced-hulls", "classes", reduced_hulls),
    Family("perceptrons", "classes", perceptron),
    Family("kernel-perceptron", "classes",
           lambda rng: separatrix.KernelPerceptron(max_iter=200, **kernel_options(rng))),
    Family("ho-kashyap", "two", lambda rng: separatrix.HoKashyapClassifier()),
    Family("least-squares", "classes", least_squares),
    Family("least-squares-numbers", "numbers",
           lambda rng: separatrix.LeastSquaresRegressor(choice(rng, [0.0, 1e-6, 1.0]), fit_intercept=often(rng))),
    Family("gaussian", "classes", lambda rng: separatrix.GaussianDiscriminant()),
    Family("fisher", "classes", lambda rng: separatrix.FisherDiscriminant()),
    Family("reductions", "several", reduction),
    Family("reductions-squares", "several", lambda rng: reduction_of(separatrix.LeastSquaresClassifier(), rng)),
    Family("calibrated", "classes", calibrated),
    Family("separability", "two", lambda rng: None),
    Family("robust-lp", "two", lambda rng: None),
    Family("hull-distance", "two", lambda rng: None),
    Family("minimum-errors", "two", lambda rng: None),
]  # fmt: skip
