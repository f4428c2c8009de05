"""A verdict on separability as text: the kind of separation, its proof, and its consequences."""

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.certificates import InteriorOverlap, Overlap
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.bound import quoted
from separatrix.errors import at_least, at_most, counted, first_few
from separatrix.products import dense_rows
from separatrix.solvers.separation.gordan import MAX_EXACT_DIMENSION

if TYPE_CHECKING:
    from separatrix.analysis.separability import Separability

MAX_COORDINATES_SHOWN = 6
MAX_DENOMINATOR_SHOWN = 99  # weights with a larger one are written as decimals


def describe(found: "Separability") -> str:
    """The verdict and its proof in a few lines."""
    kinds = {
        "complete": complete_lines,
        "quasi-complete": quasi_complete_lines,
        "overlap": overlap_lines,
        "undecided": undecided_lines,
    }
    lines = kinds[found.kind](found)
    return "\n".join([*lines, *(subproblem_lines(found) if found.classes.size > 2 else [])])


def complete_lines(found: "Separability") -> list[str]:
    """Complete separation: the plane, its margin and its support rows."""
    planes = "A plane has" if found.classes.size == 2 else "A linear machine has"
    lines = [
        f"Complete separation: {class_names(found)} are linearly separable.",
        f"  plane        {planes} all {found.problem.n_rows:,} rows strictly on their own sides",
    ]
    machine = found.margin_certificate
    if machine is not None and found.margin is not None:
        lines += [
            f"  margin       {at_least(found.margin, 6)} on each side, the largest there is to {quoted(machine)} of it",
            f"  support      {counted(found.support.size, 'row')}: {first_few([f'{row:,}' for row in found.support])}",
        ]
    else:
        lines += [line.replace(", if a plane separates them", "") for line in margin_line(found)]
    return [*lines, proof_line(found, "The plane was checked on every row, with bounds on all rounding.")]


def quasi_complete_lines(found: "Separability") -> list[str]:
    """Quasi-complete separation: a plane with rows on it, and the coefficients that diverge."""
    n, on = found.problem.n_rows, found.on_plane.size
    what = "plane" if found.classes.size == 2 else "linear machine"
    lines = [
        f"Quasi-complete separation: a {what} separates {class_names(found, ' from ')} weakly, and none does strictly.",
        f"  plane        has no row on the wrong side, and {on:,} of {n:,} rows on itself",
        *convex_combinations(found),
    ]
    if found.directions:
        signs = {1: "+", -1: "-", 0: "+-"}
        names = [f"{name} -> {signs[sign]}inf" for name, sign in found.directions.items()]
        lines.append(f"  infinite     {first_few(names)}, in a logistic regression")
    return [*lines, proof_line(found, "Rows on the plane are so exactly; nothing was rounded.")]


def overlap_lines(found: "Separability") -> list[str]:
    """Overlap: the rows that no plane separates."""
    overlap = found.overlap
    assert overlap is not None
    met = "the classes' convex hulls meet there" if found.problem.fit_intercept else "their cones meet there"
    why = met if found.classes.size == 2 else "what they ask of a linear machine cancels"
    n, of = found.witness.size, found.problem.n_rows
    return [
        f"Overlap: no plane separates {class_names(found, ' from ')}{', not even weakly' if found.proved else ''}.",
        *convex_combinations(found),
        f"{n:,} of {of:,} rows prove it: {why}. {exactness(overlap)}",
    ]


def exactness(overlap: Overlap | InteriorOverlap) -> str:
    """How the proof of an overlap deals with rounding."""
    return "Nothing was rounded." if isinstance(overlap, Overlap) else "All rounding errors were bounded."


def undecided_lines(found: "Separability") -> list[str]:
    """No kind is proved: what is known, and what to do."""
    overlap, two = found.overlap, found.classes.size == 2
    what, names = "plane" if two else "linear machine", class_names(found, " from ")
    if overlap is not None and overlap.proof:
        lines = [
            f"Undecided between quasi-complete and overlap: no {what} separates {names} strictly.",
            *convex_combinations(found),
            f"{found.witness.size:,} of {found.problem.n_rows:,} rows prove that. {exactness(overlap)}",
            "Whether one separates them weakly is not known.",
        ]
    else:
        lines = [
            f"Undecided: no {what} was found that separates {names}, nor a proof that there is none.",
            *margin_line(found),
        ]
    limit = "" if found.time_limit is None else f" within {found.time_limit:g} s; raise time_limit, or"
    return [*lines, f"Not proved{limit or '. To learn more,'} ask about fewer rows, features or classes."]


def margin_line(found: "Separability") -> list[str]:
    """What is known of the largest margin of two classes, where it was not computed."""
    bounds = found.margin_bounds
    if bounds is None or not np.isfinite(bounds[1]):
        return []
    between = f"{at_least(bounds[0], 3)} and {at_most(bounds[1], 3)}"
    return [f"  margin       between {between} on each side, if a plane separates them"]


def convex_combinations(found: "Separability") -> list[str]:
    """Convex combinations of rows, one of each class, that are the same point."""
    overlap = found.overlap
    if overlap is None:
        return []
    if isinstance(overlap, InteriorOverlap):
        pairs = [" and ".join(repr(label) for label in found.classes[pair].tolist()) for pair in overlap.pairs]
        return [f"  meeting      hulls of {first_few(pairs, '; ')}, of {counted(overlap.rows.size, 'row')} in all"]
    if found.classes.size > 2:
        rivals = found.classes[Inequalities(found.problem).rival_of(overlap.hulls.index)]
        rows = found.rows[overlap.hulls.index // overlap.rivals]
        pairs = [f"row {row:,} against {label!r}" for row, label in zip(rows.tolist(), rivals.tolist(), strict=True)]
        return [f"  cancelling   {first_few(pairs)}"]
    lines, y = [], found.problem.y[overlap.hulls.index]
    sides = [sum(w for w, c in zip(overlap.hulls.weights, y, strict=True) if c == side) for side in (0, 1)]
    if not found.problem.fit_intercept:
        sides = [max(sides)] * 2
    for side, label in enumerate(found.classes.tolist()):
        balance = zip(overlap.hulls.index.tolist(), overlap.hulls.weights, y, strict=True)
        own = [(row, Fraction(weight, sides[side])) for row, weight, c in balance if c == side]
        terms = [f"{weight_text(part)}row {found.rows[row]:,}" for row, part in sorted(own, key=lambda pair: -pair[1])]
        lines.append(f"  {label!r:<12} {first_few(terms, ' + ') or 'nothing'}")
    return [*lines, f"  meeting      both are the point {common_point(found)}"]


def common_point(found: "Separability") -> str:
    """The coordinates of the point that both convex combinations are."""
    overlap = found.overlap
    assert isinstance(overlap, Overlap)
    sides = overlap.mixtures(found.problem)
    rows, shares = zip(*max((side for _, side in sides), key=len), strict=True)
    place = np.array(shares) @ dense_rows(found.problem.X, np.array(rows))
    shown = [f"{value:.4g}" for value in place[:MAX_COORDINATES_SHOWN]]
    return f"({', '.join(shown)}{', ...' if place.size > MAX_COORDINATES_SHOWN else ''})"


def weight_text(weight: Fraction) -> str:
    """A weight as it is written before its row: 1/2, 0.123, or nothing for 1."""
    if weight == 1:
        return ""
    return f"{weight} " if weight.denominator <= MAX_DENOMINATOR_SHOWN else f"{float(weight):.3g} "


def subproblem_lines(found: "Separability") -> list[str]:
    """The verdicts on each class against the rest, and on each pair of classes; of many features, what is known."""
    if is_wide(found):
        return known_pair_lines(found)
    rest = [f"{label!r} {verdict.kind}" for label, verdict in found.rest.items()]
    pairs = [f"{a!r}-{b!r} {verdict.kind}" for (a, b), verdict in found.pairs.items()]
    return [
        f"  each/rest    {count_kinds(found.rest.values(), rest)}",
        f"  each pair    {count_kinds(found.pairs.values(), pairs)}",
    ]


def is_wide(found: "Separability") -> bool:
    """Whether verdicts on parts of the classes would take about as long as that on all, so that none is begun here."""
    computed = {"pairs", "rest"} <= vars(found).keys()
    return Inequalities(found.problem).dimension > MAX_EXACT_DIMENSION and not computed


def known_pairs(found: "Separability") -> dict[tuple[Any, Any], str]:
    """What the verdict on all classes has proved of two of them: "complete", or "not complete"."""
    labels = found.classes.tolist()
    return {(labels[pair.own], labels[pair.rival]): pair.kind for pair in found.verdict.pairs}


def known_pair_lines(found: "Separability") -> list[str]:
    """What the verdict on all classes proved of pairs."""
    known, of = known_pairs(found), found.classes.size * (found.classes.size - 1) // 2
    if found.kind == "complete":
        return [f"  each pair    all {of} complete, by the same planes"]
    apart = [f"{a!r}-{b!r}" for (a, b), kind in known.items() if kind == "complete"]
    meeting = [f"{a!r}-{b!r}" for (a, b), kind in known.items() if kind != "complete"]
    lines = [f"  separable    {first_few(apart)}"] if apart else []
    lines += [f"  not so       {first_few(meeting)}"] if meeting else []
    return [*lines, f"  each pair    {len(known)} of {of} examined; `pairs` and `rest` examine all"]


def count_kinds(verdicts: Iterable[Any], names: list[str]) -> str:
    """How many of each kind, or the only kind, and those that are not complete by name."""
    kinds = [verdict.kind for verdict in verdicts]
    if len(set(kinds)) == 1:
        return f"all {len(kinds)} {kinds[0]}"
    others = [name for name, kind in zip(names, kinds, strict=True) if kind != "complete"]
    return f"{kinds.count('complete')} of {len(kinds)} complete; {first_few(others)}"


def class_names(found: "Separability", joint: str = " and ") -> str:
    """The names of two classes, or the number of more."""
    labels = [repr(label) if label != "the rest" else label for label in found.classes.tolist()]
    return joint.join(labels) if len(labels) == 2 else f"{len(labels)} classes"


def proof_line(found: "Separability", how: str) -> str:
    """The last line: how the verdict was proved, or that it is not."""
    return how if found.proved else "Numerical, not proved."
