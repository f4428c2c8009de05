"""A verdict in words says what is proved, no more: in the tile, in the sentence, and as plain values."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import separability
from separatrix.certificates import Unproved
from separatrix.selection.conclusions.separation_words import separation_words, strictly_separable, weakly_separable
from separatrix.theory.separability import Verdict

APART = separability([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
TOUCHING = separability([[0.0], [1.0], [1.0], [2.0]], ["a", "a", "b", "b"])
MIXED = separability([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"])
# what is left of the proof about TOUCHING where time runs out before the weak question is settled
HALF = replace(TOUCHING, verdict=Verdict("undecided", TOUCHING.overlap))
OPEN = replace(MIXED, verdict=Verdict("undecided", Unproved("no time")))


@pytest.mark.parametrize(
    ("found", "short", "strict", "weak", "proved"),
    [
        (APART, "Separable", True, True, True),
        (TOUCHING, "Barely separable", False, True, True),
        (MIXED, "Overlapping", False, False, True),
        (HALF, "Not strictly separable", False, None, True),
        (OPEN, "Undecided", None, None, False),
    ],
    ids=["apart", "touching", "mixed", "half", "open"],
)
def test_what_is_proved_and_no_more(found, short, strict, weak, proved):
    words = separation_words(found, 4)
    assert (words.short, words.proved) == (short, proved)
    assert (strictly_separable(found), weakly_separable(found)) == (strict, weak)
    assert ("was not settled" in words.sentence) == (weak is None)
    assert ("The classes overlap" in words.sentence) == (weak is False)


def test_an_open_question_is_called_open():
    assert TOUCHING.kind == "quasi-complete", "which an overlap would deny"
    words = separation_words(HALF, 4)
    assert words.sentence.startswith("Proved by 2 rows: no plane has every row on its own side. What is open: ")
    assert words.proof == "proved by 2 rows; the rest is open"


def test_the_tile_the_page_and_json_agree():
    from separatrix.report.page.page import report_page
    from separatrix.selection.study import study

    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 1, 20), [1.0, 1.0], rng.uniform(1, 2, 20)])
    found = study(x[:, None], np.repeat(["a", "b"], 21), algorithms=["linear SVM"], cv=3)
    touching = found.separability
    assert touching.kind == "quasi-complete"
    half = replace(found, separability=replace(touching, verdict=Verdict("undecided", touching.overlap)))
    page, facts = report_page(half), half.to_dict()["separability"]
    screen = page[: page.index("<nav")]
    assert "<dd>Not strictly separable</dd>" in screen
    assert "proved by 2 rows; the rest is open" in screen
    assert "Overlapping" not in page
    assert facts["statement"] in screen
    assert (facts["strictly_separable"], facts["weakly_separable"], facts["proved"]) == (False, None, False)
    assert facts["statement"] in half.verdict
