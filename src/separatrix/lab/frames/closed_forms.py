"""Frames of what has a closed form: class means, the spread around them, and the plane that both make.

Fisher     w maximises v.S_b v / v.S_w v            Gaussian     w = S^-1 (m_1 - m_2)
least squares     the normal equations of centred rows, X'X w = X't
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.lab.frames.answer import fitted_frame
from separatrix.lab.frames.corrections import short
from separatrix.lab.frames.recording import Frame, Recording, frame
from separatrix.lab.frames.setting import Setting, mark
from separatrix.rows import Vector

ELLIPSE_POINTS = 64
TARGETS_SHOWN = 3  # targets that are named


class Spread:
    """The weighted mean of each class, and the scatter within classes per unit of weight."""

    def __init__(self, setting: Setting) -> None:
        problem, self.names = setting.problem, setting.names
        shares = [problem.cost * (problem.y == c) for c in range(len(self.names))]
        self.weights = np.array([share.sum() for share in shares])
        self.means = np.array([share @ setting.X / share.sum() for share in shares])
        apart = setting.X - self.means[problem.y]
        self.covariance = (apart.T * problem.cost) @ apart / self.weights.sum()

    def mean_marks(self) -> list[dict[str, Any]]:
        """The means as points."""
        pairs = zip(self.means, self.names, strict=True)
        return [mark("point", mean, "nearest", f"mean of {name}") for mean, name in pairs]

    def ellipses(self, covariances: Any = None) -> list[dict[str, Any]]:
        """The ellipse of one standard deviation around each mean."""
        found = [self.covariance] * len(self.means) if covariances is None else covariances
        turns = np.linspace(0.0, 2.0 * np.pi, ELLIPSE_POINTS, endpoint=False)
        circle = np.column_stack([np.cos(turns), np.sin(turns)])
        outlines = [mean + circle @ root_of(each).T for mean, each in zip(self.means, found, strict=True)]
        return [mark("polygon", outline, "hull", "") for outline in outlines]


def root_of(covariance: Vector) -> Vector:
    """A square root of a covariance, also where it is singular."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def discriminant(setting: Setting) -> Recording:
    """The recording of Fisher's or the Gaussian discriminant."""
    model = setting.fit()
    return Recording("step", 3, discriminant_frames(setting, model), model, setting.note, setting.warnings)


def discriminant_frames(setting: Setting, model: Any) -> Iterator[Frame]:
    """The rows, the means, the spread, and the planes."""
    spread, several = Spread(setting), len(setting.names) > 2
    yield frame(0, "The rows. All that this method uses of them are their means and their scatter around these.")
    yield frame(1, f"The mean of each class: {places(spread)}.", marks=spread.mean_marks())
    S = spread.covariance
    yield frame(
        2,
        "The scatter of all rows around the mean of their own class is taken to be the same in every class: the "
        f"variances are {short(S[0, 0])} and {short(S[1, 1])}, the covariance {short(S[0, 1])}. The ellipses are one "
        "standard deviation wide.",
        marks=[*spread.mean_marks(), *spread.ellipses()],
    )
    fisher = type(model).__name__.startswith("Fisher")
    what = (
        "Fisher's direction is that along which the means are farthest apart, measured by the scatter within classes; "
        "the plane cuts it half-way."
        if fisher
        else "The plane is where the Gaussian densities times the priors are equal: w = S^-1 (m_1 - m_2), so that it "
        "is tilted by the scatter S and moved by the priors."
    )
    if several:
        what = what.replace("the plane cuts it half-way", "a row goes to the nearest mean along these directions")
    marks = [*spread.mean_marks(), *spread.ellipses()]
    if not several:
        marks.append(mark("segment", spread.means, "step", "between the means"))
    yield fitted_frame(setting, model, 3, what, marks=marks)


def places(spread: Spread) -> str:
    """Where the means are, in words."""
    pairs = zip(spread.names, spread.means.tolist(), strict=True)
    return ", ".join(f"{name} at ({short(x)}, {short(y)})" for name, (x, y) in pairs)


def least_squares(setting: Setting) -> Recording:
    """The recording of least squares for targets."""
    model = setting.fit()
    return Recording("step", 3, least_squares_frames(setting, model), model, setting.note, setting.warnings)


def least_squares_frames(setting: Setting, model: Any) -> Iterator[Frame]:
    """The rows and targets, the level plane of the mean target, the slope, and the residuals of the answer."""
    spread, problem = Spread(setting), setting.problem
    total, mean = problem.cost.sum(), problem.cost @ setting.X / problem.cost.sum()
    one = (
        "the target 1 in its own class and 0 in others"
        if len(setting.names) > 2
        else "the target -1 or +1 by its class"
    )
    one = "its own targets" if getattr(model, "targets", None) is not None else one
    yield frame(0, f"Every row has {one}, and g is to be near the targets: a regression, decided by its sign.")
    centre = mark("point", mean, "target", "mean of all rows")
    yield frame(
        1,
        f"The offset takes care of the means: at the mean of all rows ({short(mean[0])}, {short(mean[1])}), g is the "
        f"mean of the targets. The classes weigh {', '.join(short(w) for w in spread.weights)} of {short(total)}.",
        marks=[centre, *spread.mean_marks()],
    )
    apart = setting.X - mean
    scatter = (apart.T * problem.cost) @ apart
    yield frame(
        2,
        "The normal equations: the scatter of all rows around their mean, "
        f"[{short(scatter[0, 0])} {short(scatter[0, 1])}; {short(scatter[1, 0])} {short(scatter[1, 1])}], times w is "
        "the sum of centred rows times their targets, which the class means give.",
        marks=[centre, *spread.mean_marks(), *Outline(mean, scatter / total).marks()],
    )
    residuals = residual_sum(setting, model)
    what = "The solution: no other plane has a smaller sum of squared residuals."
    values = {} if residuals is None else {"loss": residuals}
    if residuals is not None:
        what = f"The solution: no other plane has a smaller sum of squared residuals than {short(residuals)}."
    if getattr(model, "ridge", 0.0):
        what = f"The solution, with {short(model.ridge)} added to the diagonal, which makes w shorter."
        values = {}
    yield fitted_frame(setting, model, 3, what, marks=[centre, *spread.mean_marks()], values=values)


class Outline:
    """The ellipse of one standard deviation of all rows."""

    def __init__(self, mean: Vector, covariance: Vector) -> None:
        turns = np.linspace(0.0, 2.0 * np.pi, ELLIPSE_POINTS, endpoint=False)
        self.points = mean + np.column_stack([np.cos(turns), np.sin(turns)]) @ root_of(covariance).T

    def marks(self) -> list[dict[str, Any]]:
        """The ellipse as a mark."""
        return [mark("polygon", self.points, "hull", "")]


def residual_sum(setting: Setting, model: Any) -> float | None:
    """The weighted sum of squared residuals of two classes with the targets -1 and +1; None for other targets."""
    if len(setting.names) > 2 or getattr(model, "targets", None) is not None:
        return None
    problem = setting.problem
    residuals = problem.signs - setting.X @ model.coef_[0] - model.intercept_[0]
    return float(problem.cost @ residuals**2)
