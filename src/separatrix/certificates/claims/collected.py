"""The certificates of several two-class problems made from one problem of several classes."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from separatrix.certificates.claims.bound import bound_of
from separatrix.certificates.claims.certificate import Certificate, Printed
from separatrix.errors import counted
from separatrix.problem import Problem

MAX_NAMED = 10  # classes of a side that the text names


@dataclass(frozen=True, eq=False, repr=False)
class Collected(Printed):
    """One certificate for each column of a code; the worst of them speaks for all.

    Attributes
    ----------
    code : ndarray of shape (n_classes, n_parts)
        Which classes each part puts on which side: 1, -1, or 0 for those that it leaves out.
    parts : tuple of certificates
        One for each column of the code.
    names : tuple of str or None
        What the classes are called where the text names them; by default by their numbers from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import Collected, Unproved
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2]), n_classes=3)
    >>> code = np.array([[1, -1], [-1, 1], [-1, -1]])
    >>> first, second = (Unproved("a guess", np.array([w]), b) for w, b in ((-1.0, 0.5), (1.0, -0.5)))
    >>> round(Collected(code, (first, second)).error(problem), 3)  # the second takes 2 for 1
    0.333
    """

    code: np.ndarray
    parts: tuple[Certificate, ...]
    names: tuple[str, ...] | None = None

    optional_fields: ClassVar[tuple[str, ...]] = ("names",)

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("there is no certificate to collect")
        if self.names is not None and np.shape(self.code)[:1] != (len(self.names),):
            raise ValueError(f"{len(self.names)} names are not one for each class of a code of {np.shape(self.code)}")

    def named(self, classes: np.ndarray) -> "Collected":
        """These claims, about classes with the given labels."""
        return replace(self, names=names_of(classes))

    @property
    def proof(self) -> bool:
        """Whether every part is proved."""
        return all(part.proof for part in self.parts)

    @property
    def about_model(self) -> bool:
        """Whether every part is about the planes of the model."""
        return all(part.about_model for part in self.parts)

    @property
    def explanation(self) -> str:
        """What the claims mean, in plain words."""
        first = self.parts[0].explanation
        return (
            "Several classes are told apart by several planes, each with a certificate of its own. The worst of them "
            f"is shown. There are {counted(len(self.parts), 'certificate')}. {first}"
        )

    @property
    def n_proved(self) -> int:
        """How many of them are proved."""
        return sum(bool(part.proof) for part in self.parts)

    @property
    def stated(self) -> float:
        """The worst error when the claims were made."""
        return max(part.stated for part in self.parts)

    @property
    def rounding(self) -> float:
        """How far rounding may move the error of a part."""
        return max(getattr(part, "rounding", 0.0) for part in self.parts)

    def restated(self, problem: Problem) -> "Collected":
        """The claims with figures from the problem."""
        pairs = zip(self.code.T, self.parts, strict=True)
        return replace(self, parts=tuple(part.restated(problem.dichotomy(column)) for column, part in pairs))

    def error(self, problem: Problem) -> float:
        """The worst error of the parts, each recomputed on its own two-class problem."""
        pairs = zip(self.code.T, self.parts, strict=True)
        return max(part.error(problem.dichotomy(column)) for column, part in pairs)

    def __repr__(self) -> str:
        return f"Collected({self.n_proved} of {len(self.parts)} proved, stated={self.stated:.3g})"

    def __str__(self) -> str:
        worst = int(np.argmax([bound_of(part) for part in self.parts]))
        return (
            f"{self.n_proved} of {len(self.parts)} two-class problems proved, each with its own certificate\n"
            f"The one with the largest error, class {sides(self, worst)}:\n{self.parts[worst]}"
        )


def sides(claim: Collected, part: int) -> str:
    """Which classes a part puts against which."""
    names = claim.names or tuple(map(str, range(len(claim.code))))
    positive, negative = (np.flatnonzero(claim.code[:, part] == side).tolist() for side in (1, -1))
    return " against ".join(listed([names[each] for each in numbers]) for numbers in (positive, negative))


def listed(names: list[str]) -> str:
    """Names in a row, of many the first few.

    >>> listed(["1", "2"]), listed([str(number) for number in range(50)])
    ('1, 2', '0, 1, 2, 3, 4 and 45 more')
    """
    if len(names) <= MAX_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: MAX_NAMED // 2])} and {len(names) - MAX_NAMED // 2} more"


def names_of(classes: np.ndarray) -> tuple[str, ...]:
    """What labels are called in a text: words in quotes, numbers without."""
    return tuple(map(repr, classes.tolist()))
