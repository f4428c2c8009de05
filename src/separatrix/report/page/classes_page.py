"""What the page of a study of classes holds: classifiers, pictures, rows that prove the verdict, certificates, data."""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import counted
from separatrix.report.page.certificates import certificates, recheck
from separatrix.report.page.markup import percent, sentence, text
from separatrix.report.page.pictures import pictures
from separatrix.report.page.sections import Parts, data_section, key_figures, section
from separatrix.report.page.tables import class_sizes, comparison, witness

if TYPE_CHECKING:
    from separatrix.selection.study import Study

KINDS = {
    "complete": "Separable", "quasi-complete": "Weakly separable", "overlap": "Overlapping", "undecided": "Undecided"
}  # fmt: skip


def classes_parts(study: "Study") -> Parts:
    """The page of classes: classifiers, pictures, rows that prove it, certificates, data."""
    rows = witness(study)
    first = f"<p>{sentence(f'{study.why[:1].upper()}{study.why[1:]}')}</p>\n  {comparison(study)}"
    sections = [
        ("Classifiers", section("classifiers", "Which classifier", first)),
        ("Pictures", section("pictures", "What it looks like", f'<div class="figures">{pictures(study)}</div>')),
        ("Rows", section("rows", sentence(study.witness_title), rows) if rows else ""),
        ("Certificates", section("certificates", "Why to believe it", f"{certificates(study)}\n  {recheck(study)}")),
        ("Data", data_section(study, class_sizes(study))),
    ]
    return Parts(keys(study), sections)


def keys(study: "Study") -> str:
    """The key figures at the top of the page: separation, error, choice and data, each with a note."""
    entry, proofs = study.entry, study.entry.proofs
    proved = proofs is not None and proofs.all_proved
    fitted = f"{sentence(proofs, 60)} in every fold" if proved else "fitted to all rows"
    share = percent(np.max(study.counts) / np.sum(study.counts))
    size = f"{counted(study.X.shape[1], 'feature')}, {len(study.classes):,} classes, the largest {share}"
    return key_figures(
        ("Classes", kind_of(study), separation_note(study)),
        ("Error on unseen rows", percent(entry.mean), f"between {percent(entry.low)} and {percent(entry.high)}"),
        ("Chosen classifier", text(study.chosen, 28), fitted),
        ("Rows", f"{study.n_rows:,}", size),
    )


def kind_of(study: "Study") -> str:
    """The kind of separation in a word or two; undecided classes may be proved not to be separable strictly."""
    found = study.separability
    return "Not separable" if found.kind == "undecided" and found.witness.size else KINDS[found.kind]


def separation_note(study: "Study") -> str:
    """Whether the kind of separation is proved, and by how wide a margin or by how many rows."""
    proof = study.separability
    proved = '<b class="good">✓ proved</b>' if proof.certificate.proof else '<b class="warn">not proved</b>'
    if proof.margin is not None:
        return f"{proved}, margin {proof.margin:.3g}"
    if proof.kind == "quasi-complete":
        return f"{proved}, {proof.on_plane.size:,} rows on the plane"
    return f"{proved} by {proof.witness.size:,} rows" if proof.witness.size else proved
