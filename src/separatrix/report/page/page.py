"""The page of a study: one file of HTML that needs no network.

The conclusion comes first, then the classifiers, the figures, the rows that prove it, the certificates, the data, and
how to repeat the study. Text from the data is escaped.
"""

import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import counted
from separatrix.report.page import theme
from separatrix.report.page.certificates import certificates, clipped, recheck
from separatrix.report.page.markup import duration, percent, sentence, text
from separatrix.report.page.pictures import pictures
from separatrix.report.page.tables import class_sizes, columns, comparison, preparation, witness

if TYPE_CHECKING:
    from separatrix.selection.study import Study

KINDS = {"complete": "Separable", "quasi-complete": "Weakly separable", "overlap": "Overlapping"}
MAX_LARGE_TYPE = 90  # characters of an answer; longer ones are set in smaller type


def report_page(study: "Study") -> str:
    """Write a study as a page of HTML that needs no network.

    Parameters
    ----------
    study : Study
        What `separatrix study` found.

    Returns
    -------
    str
        A whole page of HTML, the same for the same study.

    Examples
    --------
    >>> from separatrix.report.page.page import fill
    >>> fill("<p>[[words]]</p>", {"words": "A plane separates them."})
    '<p>A plane separates them.</p>'
    """
    answer, *others = opening(study)
    rows = witness(study)
    parts = {
        "light": theme.declarations(theme.LIGHT),
        "dark": theme.declarations(theme.DARK),
        "title": ", ".join(filter(None, (sentence(study.name, 60), sentence(study.target, 40)))) + ": separatrix study",
        "name": text(study.name, 60),
        "target": f", target <code>{text(study.target, 40)}</code>" if study.target else "",
        "answer": sentence(answer, 240),
        "size": "long" if len(str(answer)) > MAX_LARGE_TYPE else "short",
        "lead": "".join(f'<p class="lead">{sentence(each)}</p>' for each in others),
        "keys": keys(study),
        "why": sentence(f"{study.why[:1].upper()}{study.why[1:]}"),
        "comparison": comparison(study),
        "pictures": pictures(study),
        "rows": f'<section id="rows"><h2>{sentence(study.witness_title)}</h2>{rows}</section>' if rows else "",
        "rows_link": '<a href="#rows">Rows</a>' if rows else "",
        "certificates": certificates(study),
        "recheck": recheck(study),
        "sizes": class_sizes(study),
        "preparation": preparation(study),
        "columns": columns(study),
        "command": escape(clipped(study.command)),
        "versions": ", ".join(f"{text(name)} {text(version)}" for name, version in study.versions.items()),
        "seed": text(study.seed),
        "seconds": duration(study.seconds),
    }
    return fill(template(), parts)


def opening(study: "Study") -> list[str]:
    """The verdict, its first sentence by itself, without the reason for the choice, which has a section of its own."""
    first, *others = study.verdict or ["A study of linear classifiers"]
    answer, dot, rest = str(first).partition(". ")
    kept = [each for each in others if str(each).casefold() != str(study.why).casefold()]
    return [answer + dot.strip(), *([rest] if rest else []), *kept]


def fill(page: str, parts: dict[str, str]) -> str:
    """Replace each [[name]] of the template by its part; parts are not searched for names."""
    return re.sub(r"\[\[(\w+)\]\]", lambda found: parts[found[1]], page)


@cache
def template() -> str:
    """The HTML of the page with [[name]] for each part."""
    return files("separatrix.report.page").joinpath("page.html").read_text(encoding="utf-8")


def keys(study: "Study") -> str:
    """The key figures at the top of the page: separation, error, choice and data, each with a note."""
    entry, proofs = study.entry, study.entry.proofs
    proved = proofs is not None and proofs.all_proved
    fitted = f"{sentence(proofs, 60)} in every fold" if proved else "fitted to all rows"
    share = percent(np.max(study.counts) / np.sum(study.counts))
    size = f"{counted(study.X.shape[1], 'feature')}, {len(study.classes):,} classes, the largest {share}"
    return "".join(
        f'<div><dt>{name}</dt><dd>{figure}</dd><dd class="note">{note}</dd></div>'
        for name, figure, note in (
            ("Classes", KINDS[study.separability.kind], separation_note(study)),
            ("Error on unseen rows", percent(entry.mean), f"between {percent(entry.low)} and {percent(entry.high)}"),
            ("Chosen classifier", text(study.chosen, 28), fitted),
            ("Rows", f"{study.n_rows:,}", size),
        )
    )


def separation_note(study: "Study") -> str:
    """Whether the kind of separation is proved, and by how wide a margin or by how many rows."""
    proof = study.separability
    proved = '<b class="good">✓ proved</b>' if proof.certificate.proof else '<b class="warn">not proved</b>'
    if proof.margin is not None:
        return f"{proved}, margin {proof.margin:.3g}"
    if proof.kind == "quasi-complete":
        return f"{proved}, {proof.on_plane.size:,} rows on the plane"
    return f"{proved} by {proof.witness.size:,} rows" if proof.witness.size else proved
