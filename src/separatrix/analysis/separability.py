"""Are these classes linearly separable? A proof either way, from raw data."""

from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from separatrix.analysis.separability_text import describe, known_pairs
from separatrix.certificates import DualityGap, InteriorOverlap, Overlap, Separator, Unproved, WeakSeparator
from separatrix.certificates.claims.certificate import Printed
from separatrix.certificates.claims.duality_gap import hard_margins
from separatrix.data.blocks import Blocks
from separatrix.data.encode import encode
from separatrix.data.prepare.frames import frame_values, is_frame
from separatrix.enclosures import Enclosed, enclosed_combination
from separatrix.enclosures.elementwise import multiplied, summed_with
from separatrix.enclosures.interval import root
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.objectives.soft_margin_sums import squared_length
from separatrix.problem import Problem
from separatrix.problem.fold import centre_of
from separatrix.rows import UNIT_ROUNDOFF, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import flag, number
from separatrix.theory.divergence import divergence
from separatrix.theory.separability import Kind, Verdict, separability_verdict
from separatrix.theory.separability_of_blocks import separability_of_blocks
from separatrix.threads import cached_property


@dataclass(frozen=True, eq=False, repr=False)
class ProvedSeparation(Printed):
    """What a verdict proves of a problem: the kind of separation, planes, the largest margin, an overlap."""

    problem: Problem
    verdict: Verdict

    @property
    def kind(self) -> Kind:
        """One of "complete", "quasi-complete", "overlap" or "undecided"; of several classes jointly."""
        return self.verdict.kind

    @property
    def proved(self) -> bool:
        """Whether the kind is proved, as all are but "undecided"."""
        return self.verdict.proved

    @property
    def certificate(self) -> Any:
        """The proof: a Separator, a WeakSeparator, an Overlap or an InteriorOverlap; `certificate.error` recomputes it.

        Where the kind is undecided, what is proved all the same, or Unproved.
        """
        return self.verdict.certificate

    @property
    def margin_certificate(self) -> DualityGap | None:
        """Why no plane has a larger margin, if two classes are separable."""
        return self.verdict.machine

    @cached_property
    def planes(self) -> tuple[Vector, Vector] | None:
        """w and b, as `coef_` and `intercept_` of an estimator; None where the classes overlap."""
        if isinstance(self.certificate, Separator):
            return np.atleast_2d(self.certificate.w), np.atleast_1d(self.certificate.b)
        if isinstance(self.certificate, WeakSeparator):
            planes = self.certificate.planes(self.problem)
            return planes.w, planes.b
        return None

    @property
    def coef(self) -> Vector | None:
        """Normals of the separating planes, strict or weak, of shape (1, d) or (n_classes, d); None for an overlap."""
        return None if self.planes is None else self.planes[0]

    @property
    def intercept(self) -> Vector | None:
        """The offsets of the separating planes; None for an overlap."""
        return None if self.planes is None else self.planes[1]

    @property
    def margin(self) -> float | None:
        """The largest distance that a plane was proved to have from all rows; None unless two classes are separable."""
        machine = self.margin_certificate
        return None if machine is None else hard_margins(machine)[0]

    @property
    def margin_bounds(self) -> tuple[float, float] | None:
        """Bounds on the largest margin of two classes, if a plane separates them; both are 0 where none does."""
        if self.problem.n_classes > 2:
            return None
        if self.overlap is not None and self.overlap.proof:
            return 0.0, 0.0
        if self.margin_certificate is not None:
            return hard_margins(self.margin_certificate)
        nearest = self.certificate.examined.nearest if isinstance(self.certificate, Separator) else 0.0
        return nearest, half_distance_of_means(self.problem) if self.problem.fit_intercept else np.inf

    @property
    def overlap(self) -> Overlap | InteriorOverlap | None:
        """The part of the proof that says that no plane separates strictly."""
        claim = self.certificate
        return claim if isinstance(claim, (Overlap, InteriorOverlap)) else getattr(claim, "overlap", None)


def half_distance_of_means(problem: Problem) -> float:
    """Half the distance of the means of two classes at most, which is not below half of that of their hulls."""
    sides = np.column_stack([problem.y == side for side in (0, 1)]).astype(np.float64)
    sums = enclosed_combination(problem.X, sides, centre_of(problem.X, np.arange(problem.n_rows)))
    means = []
    for side, n in enumerate(np.bincount(problem.y, minlength=2).tolist()):
        part = Enclosed(np.full(problem.n_features, 1.0 / n), np.full(problem.n_features, UNIT_ROUNDOFF / n))
        means.append(multiplied(Enclosed(sums.value[:, side], sums.radius[:, side]), part))
    between = summed_with(means[1], Enclosed(-means[0].value, means[0].radius))
    return (0.5 * root(squared_length(between))).high


def budget_of(time_limit: float | None) -> Budget:
    """The time for verdicts on parts of the classes, which begins now."""
    return Budget(1, np.inf if time_limit is None else time_limit)


@dataclass(frozen=True, eq=False, repr=False)
class Separability(ProvedSeparation):
    """A verdict on classes, with its proof; `print` it for a description.

    Rows are numbered from 0 in the order in which they were given.

    Parameters
    ----------
    problem : Problem
        The numbers that the verdict is about.
    verdict : Verdict
        The kind of separation and its certificate.
    classes : ndarray
        The labels; `classes[1]` is where w.x + b > 0.
    feature_names : tuple of str
        The names of the columns, "x0" and so on where they have none.
    rows : ndarray of int
        The numbers of the rows, if these are some of a larger set.
    time_limit : float or None
        Seconds for all verdicts in `pairs` together, and for those in `rest`.

    Examples
    --------
    >>> from separatrix import separability
    >>> round(separability([[0], [1], [2]], ["a", "a", "b"]).margin, 9)  # the plane is at 1.5
    0.5
    >>> print(separability([[0], [1], [2]], ["a", "b", "a"]))
    Overlap: no plane separates 'a' from 'b', not even weakly.
      'a'          1/2 row 0 + 1/2 row 2
      'b'          row 1
      meeting      both are the point (1)
    3 of 3 rows prove it: the classes' convex hulls meet there. Nothing was rounded.
    """

    classes: np.ndarray
    feature_names: tuple[str, ...]
    rows: np.ndarray
    time_limit: float | None = None

    @property
    def support(self) -> np.ndarray:
        """The support rows of the plane with the largest margin."""
        machine = self.margin_certificate
        return self.rows[machine.support] if machine is not None else self.rows[:0]

    @property
    def witness(self) -> np.ndarray:
        """Rows that no plane separates; of two classes at most d + 2, unless there are hundreds of features."""
        return self.rows[:0] if self.overlap is None else self.rows[self.overlap.rows]

    @property
    def weights(self) -> Vector:
        """The weight of each witness in the convex combination of its class, for two classes; they sum to 1 in each."""
        if self.overlap is None or self.classes.size > 2:
            return np.zeros(0)
        shares = {row: share for _, side in self.overlap.mixtures(self.problem) for row, share in side}
        return np.array([shares[row] for row in self.overlap.rows.tolist()])

    @property
    def on_plane(self) -> np.ndarray:
        """The rows on a weakly separating plane: no plane that has none on its wrong side has them elsewhere."""
        return self.rows[self.certificate.on] if isinstance(self.certificate, WeakSeparator) else self.rows[:0]

    @cached_property
    def directions(self) -> dict[str, int]:
        """The features whose logistic coefficient is infinite, and its sign, where two classes are quasi-complete.

        A sign is 0 where it depends on the direction; "(intercept)" is the offset.
        """
        if self.kind != "quasi-complete" or self.classes.size > 2:
            return {}
        names = [*self.feature_names, "(intercept)"]
        found = divergence(self.problem, list(self.verdict.recession_basis))
        return {names[j]: sign for j, sign in found.items()}

    @cached_property
    def pairs(self) -> dict[tuple[Any, Any], "Separability"]:
        """The verdict on each two of more than two classes; undecided where the time limit, for all of them, ended."""
        labels = self.classes.tolist()
        if len(labels) == 2:
            return {(labels[0], labels[1]): self}
        codes, budget = one_vs_one(len(labels)).T, budget_of(self.time_limit)
        return {tuple(self.classes[code != 0].tolist()): self._part(code, budget) for code in codes}

    @cached_property
    def rest(self) -> dict[Any, "Separability"]:
        """The verdict on each class against all others; undecided where the time limit, for all of them, ended."""
        labels = self.classes.tolist()
        if len(labels) == 2:
            return dict.fromkeys(labels, self)
        codes, budget = one_vs_rest(len(labels)).T, budget_of(self.time_limit)
        return {label: self._part(code, budget) for label, code in zip(labels, codes, strict=True)}

    def _part(self, code: np.ndarray, budget: Budget) -> "Separability":
        """The verdict on the classes that a code puts on two sides, within the time that is left."""
        problem = self.problem.dichotomy(code)
        kept = np.flatnonzero(np.asarray(code)[self.problem.y])
        own = [self.classes[np.flatnonzero(code == side)] for side in (-1, 1)]
        names = [side.tolist()[0] if side.size == 1 else "the rest" for side in own]
        classes = np.array(names, dtype=None if all(side.size == 1 for side in own) else object)
        if budget.seconds > 0.0:
            verdict = separability_verdict(problem, budget.seconds if budget.seconds < np.inf else None)
        else:
            verdict = Verdict("undecided", Unproved("the time was over before these classes were examined"))
        return Separability(problem, verdict, classes, self.feature_names, self.rows[kept], self.time_limit)

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any = None) -> Problem | None:
        """The question of the verdict, posed again for `verify`; None where these are other rows or classes."""
        encoded = encode(X, y, fit_intercept=self.problem.fit_intercept)
        same = np.array_equal(encoded.classes, self.classes) and encoded.problem.n_rows == self.problem.n_rows
        return encoded.problem if same else None

    def to_dict(self) -> dict[str, Any]:
        """The verdict and its proof as plain numbers, texts, lists and dictionaries, for JSON."""
        overlap, parts = self.overlap, {}
        if self.classes.size > 2:
            parts = {
                "pairs": [{"classes": list(pair), **verdict.to_dict()} for pair, verdict in self.pairs.items()],
                "rest": [{"class": label, **verdict.to_dict()} for label, verdict in self.rest.items()],
            }
        return {
            "kind": self.kind,
            "proved": self.proved,
            "classes": self.classes.tolist(),
            "n_rows": self.problem.n_rows,
            "n_features": self.problem.n_features,
            "coef": None if self.coef is None else self.coef.tolist(),
            "intercept": None if self.intercept is None else self.intercept.tolist(),
            "margin": self.margin,
            "margin_bounds": self.margin_bounds,
            "support": self.support.tolist(),
            "witness": self.witness.tolist(),
            "weights": self.weights.tolist(),
            "exact_weights": [str(weight) for weight in overlap.hulls.weights] if isinstance(overlap, Overlap) else [],
            "on_plane": self.on_plane.tolist(),
            "directions": self.directions,
            "known_pairs": [{"classes": list(pair), "kind": kind} for pair, kind in known_pairs(self).items()],
            **parts,
        }

    def __repr__(self) -> str:
        return f"Separability({self.kind!r}, {'proved' if self.proved else 'not proved'}, {self.problem.shape})"

    def __str__(self) -> str:
        return describe(self)


@dataclass(frozen=True, eq=False, repr=False)
class SeparabilityOfBlocks(ProvedSeparation):
    """A verdict on classes whose rows come in blocks, with its proof; rows are numbered over all blocks.

    Parameters
    ----------
    problem : BlockedProblem
        The rows that the verdict is about.
    verdict : Verdict
        The kind of separation and its certificate.
    classes : ndarray
        The labels; `classes[1]` is where w.x + b > 0.
    """

    problem: Any
    classes: np.ndarray

    @cached_property
    def planes(self) -> tuple[Vector, Vector] | None:
        """w and b, as `coef_` and `intercept_` of an estimator; None where the classes overlap."""
        used = next(block for block, size in enumerate(self.problem.census.sizes) if size)
        return ProvedSeparation(self.problem.load(used), self.verdict).planes

    @property
    def witness(self) -> np.ndarray:
        """Rows that no plane separates, by their numbers over all blocks."""
        return np.zeros(0, dtype=np.int64) if self.overlap is None else self.overlap.rows

    def __repr__(self) -> str:
        return f"SeparabilityOfBlocks({self.kind!r}, {'proved' if self.proved else 'not proved'}, {self.problem!r})"

    def __str__(self) -> str:
        return f"{self.kind}\n{self.certificate}"


@overload
def separability(
    X: Blocks, y: None = None, fit_intercept: bool = True, *, time_limit: float | None = 30.0
) -> SeparabilityOfBlocks: ...


@overload
def separability(X: Any, y: Any, fit_intercept: bool = True, *, time_limit: float | None = 30.0) -> Separability: ...


def separability(
    X: Any, y: Any = None, fit_intercept: bool = True, *, time_limit: float | None = 30.0
) -> Separability | SeparabilityOfBlocks:
    """Decide whether planes separate classes completely, weakly or not at all, and prove it.

    *Complete*: a plane has every row strictly on its own side. *Quasi-complete*: none does, but one has no row on the
    wrong side, and not all rows on itself. *Overlap*: no plane does either. A logistic regression has a finite
    maximum likelihood exactly where the classes overlap. *Undecided*: none of these could be proved, within the time
    or at all; `print` says what is known. With hundreds of features that may be that no plane separates strictly.

    Besides the data, and a copy of them where they are not stored row by row as floats, memory is needed for some rows
    (256 MB) and for a few numbers of each row and class.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d), or Blocks
        The rows. A number such as 0.1 means the double that it is stored as. Of Blocks (`read_blocks`) few rows are in
        memory at a time, and no y is given.
    y : array of n labels
        Their classes. Of more than two, linear machines (a plane for each class, the largest score wins) are to tell
        all apart; `pairs` and `rest` hold the verdicts on each two, and on each against the others.
    fit_intercept : bool
        Whether planes have an offset; if not, they go through the origin.
    time_limit : float or None
        Seconds after which no further step is begun; what is not proved then is undecided. `pairs` and `rest`, which
        are computed when they are asked for, have as many seconds in all. None: no limit.

    Returns
    -------
    Separability
        `kind`, `proved` and what proves it: `coef`, `intercept`, `margin` and `support`, or `witness` and `weights`, or
        `on_plane` and `directions`. `print` it for a description.

    Examples
    --------
    >>> from separatrix import separability
    >>> gate = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> separability(gate, [0, 0, 0, 1]).kind, separability(gate, [0, 1, 1, 0]).kind  # AND, XOR
    ('complete', 'overlap')
    >>> print(separability(gate, [0, 1, 1, 0]))
    Overlap: no plane separates 0 from 1, not even weakly.
      0            1/2 row 0 + 1/2 row 3
      1            1/2 row 1 + 1/2 row 2
      meeting      both are the point (0.5, 0.5)
    4 of 4 rows prove it: the classes' convex hulls meet there. Nothing was rounded.
    """
    offset = flag("fit_intercept", fit_intercept)
    limit = None if time_limit is None else number("time_limit", time_limit, above=0.0)
    if isinstance(X, Blocks):
        asked = X.encoded(fit_intercept=offset)
        return SeparabilityOfBlocks(asked.problem, separability_of_blocks(asked.problem, limit), asked.classes)
    names = frame_values(X)[1] if is_frame(X) else ()
    encoded = encode(X, y, fit_intercept=offset)
    names = names or tuple(f"x{j}" for j in range(encoded.problem.n_features))
    verdict = separability_verdict(encoded.problem, limit)
    return Separability(encoded.problem, verdict, encoded.classes, tuple(names), encoded.kept, limit)
