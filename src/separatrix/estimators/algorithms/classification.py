"""Every algorithm that tells classes apart, one row each."""

from functools import partial

from separatrix.estimators import fit_cost
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.algorithms.kinds import kernel_machine, not_separating, stochastic_rule
from separatrix.estimators.discriminant import FisherDiscriminant, GaussianDiscriminant
from separatrix.estimators.ho_kashyap import HoKashyapClassifier
from separatrix.estimators.hulls.barycentric_classifier import BarycentricClassifier
from separatrix.estimators.hulls.reduced_hull_classifier import ReducedHullClassifier
from separatrix.estimators.kernel.kernel_nu_svm import KernelNuSVM
from separatrix.estimators.kernel.kernel_perceptron import KernelPerceptron
from separatrix.estimators.kernel.kernel_svm import KernelSVM, options_to_try
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.lms import LMSClassifier
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.nu_svm import NuSVM
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.pocket import PocketPerceptron
from separatrix.estimators.relaxation import RelaxationClassifier
from separatrix.estimators.stochastic import LOSSES, StochasticClassifier
from separatrix.estimators.thermal import ThermalPerceptron
from separatrix.kernels import RBF
from separatrix.solvers.hulls.barycentric_correction import barycentric_correction
from separatrix.solvers.hulls.reduced_hulls import reduced_hulls
from separatrix.solvers.kernel.kernel_nu_svm import kernel_nu_svm
from separatrix.solvers.kernel.kernel_perceptron import kernel_perceptron
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.lms import lms
from separatrix.solvers.online.pocket import pocket
from separatrix.solvers.online.relaxation import relaxation
from separatrix.solvers.online.stochastic import stochastic
from separatrix.solvers.online.thermal import thermal
from separatrix.solvers.squares.discriminant import fisher, gaussian
from separatrix.solvers.squares.ho_kashyap import ho_kashyap
from separatrix.solvers.squares.least_squares import least_squares
from separatrix.solvers.svm.joint.joint_svm import joint_svm
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.nu_svm import nu_svm

# What rows of a kind share.
_kesler = partial(Algorithm, several_classes="Kesler's construction", certificate="Separator", cost=fit_cost.Passes())
_heuristic = partial(_kesler, certificate="Separator if it separates, else Unproved", separates=False)
_from_moments = partial(not_separating, certificate="Stationary", without_offset=False, cost=fit_cost.Decomposition())
_machine = partial(
    not_separating, estimator=LinearSVM, several_classes="each against the rest", by_rest=True,
    certificate="DualityGap", source="Cortes and Vapnik 1995",
)  # fmt: skip

ROWS = (
    _kesler(
        name="perceptron, online",
        streams=True,
        solver=perceptron.online,
        estimator=Perceptron,
        options={"update": "online"},
        rule="w += rho y x for each row x on the wrong side",
        source="Rosenblatt 1958",
    ),
    _kesler(
        name="perceptron, batch",
        solver=perceptron.batch,
        estimator=Perceptron,
        options={"update": "batch"},
        rule="w += rho sum y x over all rows on the wrong side",
        source="Rosenblatt 1958",
    ),
    _kesler(
        name="perceptron, mini-batch",
        solver=partial(perceptron.online, batch_size=32),
        estimator=Perceptron,
        options={"update": "minibatch"},
        rule="w += rho sum y x over the rows of a batch on the wrong side",
        source="Sayed 2022",
    ),
    _heuristic(
        name="perceptron, averaged",
        streams=True,
        solver=partial(perceptron.online, averaged=True),
        estimator=Perceptron,
        options={"averaged": True},
        rule="the mean of all w that the perceptron passes through",
        source="Freund and Schapire 1999",
    ),
    _heuristic(
        name="pocket",
        streams=True,
        solver=pocket,
        estimator=PocketPerceptron,
        rule="the best w that the perceptron passes through",
        source="Gallant 1990",
        cost=fit_cost.PocketPasses(),
    ),
    _heuristic(
        name="thermal perceptron",
        solver=thermal,
        estimator=ThermalPerceptron,
        rule="w += rho (T/T_0) exp(-abs(g)/T) y x for each row x on the wrong side, T falling to 0",
        source="Frean 1992",
    ),
    not_separating(
        name="barycentric correction",
        solver=barycentric_correction,
        estimator=BarycentricClassifier,
        rule="w from the weighted mean of one class to that of the other; rows on the wrong side gain weight",
        several_classes="each against the rest",
        certificate="Separator if it separates, else Unproved",
        source="Poulard 1995",
        by_rest=True,
        without_offset=False,
        cost=fit_cost.Passes(),
    ),
    _kesler(
        name="relaxation",
        solver=relaxation,
        estimator=RelaxationClassifier,
        rule="project w onto the half-space y (w.x + b) >= margin of each row",
        source="Agmon 1954; Motzkin and Schoenberg 1954",
    ),
    *(
        stochastic_rule(
            name=f"stochastic, {loss}",
            streams=True,
            solver=partial(stochastic, loss=LOSSES[loss]),
            estimator=StochasticClassifier,
            options={"loss": loss},
            rule=f"w <- (1 - 2 rho l2) w + rho y x {factor}",
        )
        for loss, factor in (
            ("hinge", "where the margin is at most 1"),
            ("logistic", "/ (1 + exp(margin))"),
            ("exponential", "exp(-margin)"),
            ("perceptron", "where the margin is at most 0"),
        )
    ),
    stochastic_rule(
        name="least mean squares",
        streams=True,
        solver=lms,
        estimator=LMSClassifier,
        rule="w += rho (y - g) x",
        source="Widrow and Hoff 1960",
    ),
    not_separating(  # of several classes only where each is separable from the rest
        name="Ho-Kashyap",
        solver=ho_kashyap,
        estimator=HoKashyapClassifier,
        rule="w by least squares for targets t, t += 2 rho max(0, margin - t)",
        several_classes="each against the rest",
        certificate="Separator, or Overlap",
        source="Ho and Kashyap 1965",
        by_rest=True,
        cost=fit_cost.DecompositionAndPasses(),
    ),
    not_separating(
        name="least squares",
        streams=True,
        solver=least_squares,
        estimator=LeastSquaresClassifier,
        rule="minimise sum (t - w.x - b)^2 + ridge w.w",
        several_classes="a target for each class",
        certificate="Stationary",
        source="Legendre 1805; Gauss 1809",
        cost=fit_cost.Decomposition(matrix_free_columns=3000),
    ),
    _from_moments(
        name="Fisher's discriminant",
        streams=True,
        solver=fisher,
        estimator=FisherDiscriminant,
        rule="maximise v.S_b v / v.S_w v, the scatter between classes over that within",
        several_classes="one direction less than classes",
        source="Fisher 1936; Rao 1948",
    ),
    _from_moments(
        name="Gaussian discriminant",
        streams=True,
        solver=gaussian,
        estimator=GaussianDiscriminant,
        rule="log-odds of Gaussian classes with one covariance S: w = S^-1 (m_1 - m_2)",
        several_classes="S^-1 m for each class",
        source="Fisher 1936; Welch 1939",
    ),
    _machine(
        name="linear SVM",
        streams=True,
        solver=linear_svm,
        rule="minimise 1/2 w.w + C sum max(0, 1 - margin); C infinite: the hard margin",
        cost=fit_cost.InteriorPoint(),
        always=True,
    ),
    _machine(
        name="linear SVM, squared hinge",
        streams=True,
        solver=partial(linear_svm, squared=True),
        options={"loss": "squared_hinge"},
        rule="minimise 1/2 w.w + C sum max(0, 1 - margin)^2",
        cost=fit_cost.InteriorPoint(steps=12.0),
    ),
    not_separating(
        name="linear SVM, joint",
        solver=joint_svm,
        estimator=LinearSVM,
        options={"multi_class": "crammer_singer"},
        rule="minimise 1/2 sum w_k.w_k + C sum max(0, 1 - lead of the own class over the best other)",
        several_classes="planes of all classes jointly",
        certificate="DualityGap",
        source="Crammer and Singer 2001",
        cost=fit_cost.JointSteps(),
    ),
    not_separating(
        name="nu-SVM",
        solver=nu_svm,
        estimator=NuSVM,
        rule="minimise 1/2 w.w - nu N rho + sum max(0, rho - margin), also over rho",
        several_classes="each against each other",
        certificate="DualityGap",
        source="Schoelkopf et al. 2000",
        by_pairs=True,
        cost=fit_cost.InteriorPoint(),
    ),
    not_separating(
        name="reduced hulls",
        solver=reduced_hulls,
        estimator=ReducedHullClassifier,
        rule="the plane between the nearest points of both classes, mixtures with weights of at most mu",
        several_classes="each against each other",
        certificate="NearestPoint",
        source="Crisp and Burges 1999; Mavroforakis and Theodoridis 2006",
        by_pairs=True,
        without_offset=False,
        cost=fit_cost.HullSteps(),
    ),
    not_separating(
        name="logistic discrimination",
        streams=True,
        solver=logistic,
        estimator=LogisticClassifier,
        rule="minimise 1/2 w.w + C sum log(1 + exp(-margin)); C infinite: maximum likelihood",
        several_classes="one multinomial model",
        certificate="DualityGap",
        source="Cox 1958",
        cost=fit_cost.NewtonSteps(),
        always=True,
    ),
    not_separating(  # finds a plane wherever there is one, but proves it only where rounding allows
        name="kernel perceptron",
        solver=kernel_perceptron,
        estimator=KernelPerceptron,
        rule="alpha_i += 1, the coefficient of y K(x, x_i) in g(x), for each row x_i on the wrong side",
        several_classes="each against each other",
        certificate="Separator if it separates, else Unproved",
        source="Aizerman, Braverman and Rozonoer 1964",
        by_pairs=True,
        kernel=RBF("scale"),
        cost=fit_cost.KernelPasses(),
    ),
    kernel_machine(
        name="kernel SVM",
        solver=kernel_svm,
        estimator=KernelSVM,
        rule="the linear SVM in the space of a kernel, by default exp(-gamma abs(x - z)^2)",
        several_classes="each against each other",
        source="Boser, Guyon and Vapnik 1992",
        by_pairs=True,
        grid=options_to_try,
    ),
    kernel_machine(
        name="kernel nu-SVM",
        solver=kernel_nu_svm,
        estimator=KernelNuSVM,
        rule="minimise 1/2 w.w + sum (max(0, rho - margin) - nu rho), the width rho of the margin included",
        several_classes="each against each other",
        source="Schoelkopf et al. 2000",
        by_pairs=True,
        without_offset=False,
    ),
)
