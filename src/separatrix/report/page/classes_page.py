"""What the page of a study of classes holds: what is found, classifiers, pictures, rows, certificates, data."""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import counted
from separatrix.report.page.certificates import certificates, fit_note, recheck
from separatrix.report.page.class_table import found_of_classes, missed_rows
from separatrix.report.page.markup import CHECK, percent, sentence, text
from separatrix.report.page.new_rows import class_test
from separatrix.report.page.pictures import pictures
from separatrix.report.page.sections import Parts, data_section, key_figures, section
from separatrix.report.page.tables import comparison, witness
from separatrix.selection.conclusions.class_table import class_table
from separatrix.selection.conclusions.left_out import left_out_error, left_out_loss
from separatrix.selection.conclusions.separation_words import separation_words
from separatrix.selection.conclusions.verdict import class_name, shown

if TYPE_CHECKING:
    from separatrix.selection.study import Study


def classes_parts(study: "Study") -> Parts:
    """The page of classes: what is found of each, classifiers, pictures, rows that prove it, certificates, data."""
    rows = witness(study)
    first = f"<p>{sentence(f'{study.why[:1].upper()}{study.why[1:]}')}</p>\n  {comparison(study)}"
    found = f"{found_of_classes(study)}\n  {missed_rows(study)}"
    sections = [
        ("Test", class_test(study)),
        ("Classes", section("classes", "What is found of each class", found)),
        ("Classifiers", section("classifiers", "Which classifier", first)),
        ("Pictures", section("pictures", "What it looks like", f'<div class="figures">{pictures(study)}</div>')),
        ("Rows", section("rows", sentence(study.witness_title), rows) if rows else ""),
        ("Proofs", section("certificates", "Why to believe it", f"{certificates(study)}\n  {recheck(study)}")),
        ("Data", data_section(study, "")),
    ]
    return Parts(keys(study), sections)


def keys(study: "Study") -> str:
    """The key figures at the top of the page: error, what is found, choice and separation, each with a note."""
    words = separation_words(study.separability, study.n_rows)
    mark = f'<b class="good">{CHECK} {words.proof}</b>' if words.proved else f'<b class="warn">{words.proof}</b>'
    return key_figures(
        measured(study),
        least_found(study),
        ("Chosen classifier", text(study.chosen, 28), fit_note(study.certified)),
        ("Can planes separate them?", words.short, mark),
    )


def measured(study: "Study") -> tuple[str, str, str]:
    """What methods are ranked by, of the chosen classifier and of guessing; of recall the next figure is for."""
    entry, baseline, metric = study.entry, study.comparison.baseline, study.entry.metric
    if study.test is not None:
        return measured_on_test(study)
    if metric.name == "recall":
        return "Wrong on unseen rows", percent(entry.error_rate), f"by guessing {percent(baseline.error_rate)}"

    low, high = sorted((metric.shown(entry.low), metric.shown(entry.high)))
    ends = f"{percent(low)} to {percent(high)}" if metric.in_percent else f"{low:.3g} to {high:.3g}"
    name = (
        "Wrong on unseen rows" if metric.name == "error" else sentence(metric.title[:1].upper() + metric.title[1:], 40)
    )
    return name, shown(study, left_out_loss(study)), f"{ends}, by guessing {shown(study, baseline.mean)}"


def measured_on_test(study: "Study") -> tuple[str, str, str]:
    """What the chosen classifier reaches on the test rows; of recall, how often it is wrong on them."""
    test, metric = study.test, study.entry.metric
    assert test is not None
    rows = counted(test.n_rows, "test row")
    if metric.name in ("error", "recall") or not np.isfinite(test.loss):
        low, high = test.error_interval
        cross = percent(left_out_error(study))
        return (
            f"Wrong on {rows}",
            percent(test.error_rate),
            f"{percent(low)} to {percent(high)}, cross-validated {cross}",
        )
    low, high = sorted(map(metric.shown, test.interval))
    ends = f"{percent(low)} to {percent(high)}" if metric.in_percent else f"{low:.3g} to {high:.3g}"
    name = sentence(f"{metric.title[:1].upper()}{metric.title[1:]} on {rows}", 60)
    return name, shown(study, test.loss), f"{ends}, cross-validated {shown(study, left_out_loss(study))}"


def least_found(study: "Study") -> tuple[str, str, str]:
    """The class of which the least part is found."""
    tested = [row for row in class_table(study) if row.rows]
    worst = min(tested, key=lambda row: row.found / row.rows)
    figure = percent(worst.found / worst.rows)
    shown = f'<span class="warn">{figure}</span>' if not worst.found else figure
    name = sentence(class_name(study, worst.code), 40)
    return "Found of the class missed most", shown, f"{name}: {worst.found:,} of {worst.rows:,} rows"
