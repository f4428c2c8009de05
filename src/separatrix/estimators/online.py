"""What classifiers share whose rules learn row by row."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from separatrix.certificates import Collected
from separatrix.errors import counted
from separatrix.estimators.base import LinearClassifier, check_flags, warn_not_certified
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.against_the_rest import each_against_the_rest
from separatrix.estimators.store.fitted_attributes import COUNT, floats
from separatrix.problem import Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks.rows_in_order import RowMeasures
from separatrix.solvers.online.schedule import Decay


class OnlineClassifier(LinearClassifier):
    """A classifier whose rule is shown one row, or one batch, after the other.

    Subclasses name their rule in `_solver`; it takes the options that they have. Where these differ, a subclass says by
    `_rule_options` what the rule is given instead.
    """

    _solver: ClassVar[Callable[..., Solution]]
    _solver_of_blocks: ClassVar[Callable[..., Solution]]  # of those that stream, with the same options
    _by_rest: ClassVar[bool] = False  # more than two classes: each against the rest, not by Kesler's construction
    _flags: ClassVar[tuple[str, ...]] = ("shuffle", "record", "fit_intercept")
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "n_presentations_": COUNT,
        "n_updates_": COUNT,
        "_last": Vector | None,
        "learning_curve_?": floats("r", "any"),
        "learning_rate_?": float | Decay,
    }

    def __init__(self, max_iter: int, shuffle: bool, start: Any, record: bool, fit_intercept: bool, random_state: Any):
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.start = start
        self.record = record
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Show the rows to the rule until it ends.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d), or Blocks
            The rows; blocks of rows hold their classes as well, and are shown in order.
        y : array of n labels
            Their classes.

        Returns
        -------
        Self
            Itself.
        """
        check_flags(self, *self._flags)
        encoded = self._pose(X, y)
        with progress_line(self, encoded.problem):
            solution = self._answer(encoded.problem, self.start, max_iter=self.max_iter)
        self._publish_run(solution, encoded.classes)
        if solution.status is Status.SPENT:
            self._warn_spent(solution)
        return self

    def _answer(self, problem: Problem, start: Any, **how: Any) -> Solution:
        """Solve a problem of any number of classes."""
        how["rng"] = self._generator() if self.shuffle else None
        if not self._by_rest:
            return self._solve(problem, start, **how)
        return each_against_the_rest(problem, start, lambda part, plane: self._solve(part, plane, **how))

    def _solve(self, problem: Problem, start: Any, **how: Any) -> Solution:
        """Run the rule with the options of the estimator."""
        if isinstance(problem, BlockedProblem):
            how.pop("prove", None)
            options = how | self._rule_options(RowMeasures.of(problem), how.get("t", 0))
            return type(self)._solver_of_blocks(problem, start=start, **options)
        return type(self)._solver(problem, start=start, **how | self._rule_options(problem, how.get("t", 0)))

    def _rule_options(self, problem: Problem, t: int) -> dict[str, Any]:
        """What the rule is told besides how to run; t steps were made in earlier calls."""
        return rule_options(self)

    def _publish_run(self, solution: Solution, classes: np.ndarray, before: tuple[int, ...] = (0, 0, 0)) -> None:
        self._publish(solution, classes)
        run = solution.history
        made = run.passes, run.iterations, run.mistakes
        self.n_iter_, self.n_presentations_, self.n_updates_ = map(sum, zip(before, made, strict=True))
        self._last = run.last
        self._keep("trace_", run.trace)
        self._keep("learning_curve_", run.curve)

    def _warn_spent(self, solution: Solution) -> None:
        kind = type(self).__name__
        warn_not_certified(
            f"{kind} reached max_iter={self.max_iter} with {counted(solution.history.last_mistakes, 'mistake')} in its "
            f"last pass, so its plane is not certified: {solution.certificate.shortfall}. The classes may overlap, "
            "so that no plane separates them: separatrix.separability(X, y) tells, with proof. Raise max_iter, scale "
            "the features, or use a classifier that is made for overlapping classes. "
            "(To silence this: warnings.simplefilter('ignore', NotCertifiedWarning).)",
            depth=2,
        )


class StreamingClassifier(OnlineClassifier):
    """One that can also learn from rows that come in parts."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Make one pass over some rows, from where the last call ended.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            Some rows.
        y : array of n labels
            Their classes.
        classes : array or None
            All labels that may ever come; needed in the first call.

        Returns
        -------
        Self
            Itself, unproved: rows of earlier calls are not checked again.
        """
        check_flags(self, *self._flags)
        first, known = not hasattr(self, "classes_"), self._classes_of_parts(classes)
        encoded = self._pose(X, y, first=first, classes=known)
        if first:
            solution, before = self._answer(encoded.problem, self.start, max_iter=1, prove=False), (0, 0, 0)
        else:
            before = self.n_iter_, self.n_presentations_, self.n_updates_
            how = {"max_iter": 1, "t": self.n_presentations_, "prove": False}
            solution = self._with_earlier_average(self._answer(encoded.problem, self._where_it_ended(), **how))
        self._publish_run(solution, encoded.classes, before)
        return self

    def _where_it_ended(self) -> Vector:
        """[w..., b] of the last call as `start` takes it."""
        planes = np.column_stack([self.coef_, self.intercept_])
        if getattr(self, "averaged", False):
            planes = np.atleast_2d(np.asarray(self._last))
        planes = planes if self.fit_intercept else planes[:, :-1]
        return planes[0] if len(planes) == 1 else planes

    def _with_earlier_average(self, solution: Solution) -> Solution:
        """The average over this call and those before it, each with the weight of its steps."""
        if not getattr(self, "averaged", False):
            return solution
        made = solution.history.iterations
        share = made / (self.n_presentations_ + made)
        earlier_w = self.coef_.reshape(np.shape(solution.w))
        earlier_b = self.intercept_.reshape(np.shape(solution.b))
        w = earlier_w + share * (solution.w - earlier_w)
        b = earlier_b + share * (solution.b - earlier_b)
        return replace(solution, model=Plane(w, b), certificate=renewed(solution.certificate, w, b))


def rule_options(estimator: Any) -> dict[str, Any]:
    """The options of an estimator that are those of its rule: all but how to run it."""
    return {name: getattr(estimator, name) for name in rule_option_names(estimator.__class__)}


@cache  # scikit-learn reads the signature at each call, which takes as long as a small fit
def rule_option_names(kind: Any) -> list[str]:
    """Names of the options that the rule of an estimator class takes."""
    how_to_run = {"start", "max_iter", "shuffle", "fit_intercept", "random_state", "verbose"}
    return [name for name in kind._get_param_names() if name not in how_to_run]


def renewed(certificate: Any, w: Vector, b: Any) -> Any:
    """The claim that nothing is proved, about other planes."""
    if isinstance(certificate, Collected):
        return Collected(certificate.code, tuple(map(renewed, certificate.parts, w, b)))
    return replace(certificate, w=w, b=b)
