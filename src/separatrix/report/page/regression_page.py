"""What the page of a study of numbers holds: regressors, pictures, rows that are far off, certificate, data."""

from typing import TYPE_CHECKING

from separatrix.errors import counted
from separatrix.report.page.certificates import claim_card, fit_note, recheck
from separatrix.report.page.markup import sentence, text
from separatrix.report.page.new_rows import number_test
from separatrix.report.page.regression_pictures import regression_pictures
from separatrix.report.page.regression_tables import far_off, regressors, target_facts
from separatrix.report.page.sections import Parts, data_section, key_figures, section
from separatrix.selection.regression.comparison import MEAN
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.study import RegressionStudy


def regression_parts(study: "RegressionStudy") -> Parts:
    """The key figures and the sections of a study of numbers."""
    rows = far_off(study)
    first = f"<p>{sentence(f'{study.why[:1].upper()}{study.why[1:]}')}</p>\n  {regressors(study)}"
    card = claim_card(f"Is the {text(study.chosen)} fit the best of its kind?", study.certified, "regressor")
    return Parts(
        keys(study),
        [
            ("Test", number_test(study)),
            ("Regressors", section("regressors", "Which regressor", first)),
            (
                "Pictures",
                section("pictures", "What it looks like", f'<div class="figures">{regression_pictures(study)}</div>'),
            ),
            ("Rows", section("rows", "The rows that are farthest off", rows) if rows else ""),
            ("Certificate", section("certificates", "Why to believe it", f"{card}\n  {recheck(study)}")),
            ("Data", data_section(study, target_facts(study))),
        ],
    )


def keys(study: "RegressionStudy") -> str:
    """The key figures: error, the guess that it is compared with, choice and data, each with a note."""
    entry, of_mean = study.entry, study.comparison.entry(MEAN)
    off = ("Off by, on unseen rows", in_units(entry.mean), f"between {in_units(entry.low)} and {in_units(entry.high)}")
    guess, r2 = of_mean.mean, entry.r2
    if study.test is not None:
        test = study.test
        note = (
            f"{in_units(test.interval.low)} to {in_units(test.interval.high)}, cross-validated {in_units(entry.mean)}"
        )
        off = f"Off by, on {counted(test.n_rows, 'test row')}", in_units(test.mean), note
        guess, r2 = test.of_mean, test.r2
    return key_figures(
        off,
        ("Saying the mean", in_units(guess), f"R² = {r2:.3f} of the chosen one".replace("-", "−")),
        (
            "Chosen regressor",
            text(study.chosen, 28),
            fit_note(study.certified),
        ),
        (
            "Rows",
            f"{study.n_rows:,}",
            f"{counted(study.X.shape[1], 'feature')}; {text(study.target or 'target', 24)} from "
            f"{in_units(study.y.min())} to {in_units(study.y.max())}".replace("-", "−"),
        ),
    )
