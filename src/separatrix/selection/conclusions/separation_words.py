"""What is proved of the separation of classes, no more and no less: in a word, in a sentence, and as plain values."""

from typing import Any, NamedTuple

from separatrix.errors import counted

OPEN = "whether one has none on its wrong side, some on itself, was not settled in the time"


class SeparationWords(NamedTuple):
    """A verdict in few words, what proves it, whether that is a proof, and the verdict in a sentence or two."""

    short: str
    proof: str
    proved: bool
    sentence: str


def strictly_separable(found: Any) -> bool | None:
    """Whether planes have every row on its own side; None where neither is proved."""
    if not found.certificate.proof:
        return None
    if found.kind == "complete":
        return True
    return False if found.kind == "quasi-complete" or found.overlap is not None else None


def weakly_separable(found: Any) -> bool | None:
    """Whether planes have no row on its wrong side, and not all rows on themselves; None where neither is proved."""
    if not found.certificate.proof:
        return None
    if found.kind in ("complete", "quasi-complete"):
        return True
    return False if found.kind == "overlap" and found.proved else None


def separation_words(found: Any, n_rows: int) -> SeparationWords:
    """The verdict on classes for people.

    >>> from separatrix import separability
    >>> words = separation_words(separability([[0], [1], [2]], ["a", "b", "a"]), 3)
    >>> words.short, words.proof, words.proved
    ('Overlapping', 'proved by 3 rows', True)
    """
    strict, weak = strictly_separable(found), weakly_separable(found)
    two = found.classes.size == 2
    if strict:
        return complete_words(found, two)
    if weak:
        return quasi_complete_words(found, n_rows, two)
    none = "no plane" if two else "no set of planes, one for each class,"
    rows = counted(found.witness.size, "row")
    if strict is False and weak is False:
        sentence = (
            f"The classes overlap: {none} has every row on its own side, and {rows} alone are enough to prove it."
        )
        return SeparationWords("Overlapping", f"proved by {rows}", True, sentence)
    if strict is False:
        sentence = f"Proved by {rows}: {none} has every row on its own side. What is open: {OPEN}."
        return SeparationWords("Not strictly separable", f"proved by {rows}; the rest is open", True, sentence)
    return SeparationWords(
        "Undecided", "not settled in the time", False,
        "Whether planes separate the classes was not settled in the time.",
    )  # fmt: skip


def complete_words(found: Any, two: bool) -> SeparationWords:
    """A plane has every row on its own side."""
    what = "a plane has" if two else "planes, one for each class, have"
    sentence = f"The classes are linearly separable, which is proved: {what} every row on its own side."
    if found.margin is None:  # that of more than two classes is not known
        return SeparationWords("Separable", "proved", True, sentence)
    held = counted(found.support.size, "row")
    sentence += f" The widest margin there is, {found.margin:.4g}, is held by {held}."
    return SeparationWords("Separable", f"proved, margin {found.margin:.3g}", True, sentence)


def quasi_complete_words(found: Any, n_rows: int, two: bool) -> SeparationWords:
    """A plane has no row on its wrong side, but some on itself."""
    on = f"{found.on_plane.size:,} of {counted(n_rows, 'row')}"
    what = f"any plane with no row on its wrong side has {on} on it"
    if not two:
        what = f"planes with no row on a wrong side leave {on} undecided"
    return SeparationWords(
        "Barely separable",
        f"proved, {counted(found.on_plane.size, 'row')} on the plane",
        True,
        f"The classes are separable, but not strictly, which is proved: {what}. The maximum likelihood of a logistic "
        "regression is not attained.",
    )
