"""Every algorithm that finds rows unlike the others, one row each."""

from separatrix.estimators.algorithms.kinds import kernel_machine
from separatrix.estimators.kernel.one_class_svm import OneClassSVM
from separatrix.estimators.kernel.smallest_ball import SmallestBall
from separatrix.solvers.kernel.enclosing_ball import enclosing_ball
from separatrix.solvers.kernel.one_class import one_class

ROWS = (
    kernel_machine(
        name="one-class SVM",
        solver=one_class,
        estimator=OneClassSVM,
        rule="the plane farthest from the origin with at most a part nu of the rows on its near side",
        several_classes="rows, no classes",
        source="Schoelkopf et al. 2001",
        task="novelty",
    ),
    kernel_machine(
        name="smallest ball",
        solver=enclosing_ball,
        estimator=SmallestBall,
        rule="the smallest ball with at most a part nu of the rows outside, in the space of a kernel",
        several_classes="rows, no classes",
        source="Tax and Duin 1999",
        task="novelty",
    ),
)
