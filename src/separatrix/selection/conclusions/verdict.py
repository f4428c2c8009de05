"""The conclusions of a study in sentences: how often it is wrong, against guessing, what it misses; then the planes."""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.errors import counted, first_few
from separatrix.selection import findings
from separatrix.selection.conclusions.left_out import left_out_error, left_out_loss, unseen_recall
from separatrix.selection.conclusions.separation_words import separation_words

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MAX_CLASSES_NAMED = 3
MIN_ROWS_OF_CLASS = 10  # among the test rows, for a headline on what is found of it: else all unseen rows count


def verdict(study: "Study") -> list[str]:
    """The headline, error, threshold, missed rows, separability, choice of the classifier and its certificate."""
    return [
        headline(study),
        error_sentence(study),
        *([] if study.threshold is None else [threshold_sentence(study)]),
        missed_sentence(study),
        separation_words(study.separability, study.n_rows).sentence,
        f"{study.why[:1].upper()}{study.why[1:]}",
        certificate_sentence(study),
    ]


def percent(part: float) -> str:
    """A fraction in percent, with two decimals below 1 % and one above.

    >>> percent(0.0213), percent(0.00351), percent(0.0), percent(1.0)
    ('2.1 %', '0.35 %', '0 %', '100 %')
    """
    digits = 0 if part in (0, 1) else 2 if part < 0.01 else 1
    return f"{100 * part:.{digits}f} %"


def class_name(study: "Study", code: int) -> str:
    """What a class is called in a sentence: "fraud = 1" for a number, "class malignant" for a word."""
    label = study.classes.tolist()[code]
    numeric = not isinstance(label, str) or label.replace(".", "", 1).lstrip("+-").isdigit()
    return f"{study.target} = {label}" if numeric and study.target else f"class {label}"


def capitalised(words: str) -> str:
    """Words as the beginning of a sentence; a name of a column stays as it is written."""
    return f"{words[:1].upper()}{words[1:]}" if words.startswith("class ") else words


def never_found(study: "Study") -> list[int]:
    """The classes of which no row is found by a fit that had not seen it."""
    return np.flatnonzero(unseen_recall(study) == 0.0).tolist()


def beats_guessing(study: "Study") -> bool:
    """Whether the chosen classifier is shown to be better than always saying the most frequent class."""
    baseline = study.comparison.baseline
    return bool(baseline.differs and baseline.mean > study.entry.mean)


def headline(study: "Study") -> str:
    """What an analyst must know first."""
    missing, entry = never_found(study), study.entry
    if missing:
        return never_found_sentence(study, missing)
    if not beats_guessing(study) and study.threshold is None:
        always = f"always saying {guess(study)} {guessed(study)}"
        return f"No better than guessing: {study.chosen} {measured(study)}, and {always}."
    name = f"{study.chosen[:1].upper()}{study.chosen[1:]}"
    code = entry.metric.positive if entry.metric.name == "recall" else None
    if study.threshold is not None:
        code = study.threshold.code
    if code is not None:
        return f"{name} finds {found_words(study, code)}"
    return f"{name} {measured(study)}; always saying {guess(study)} {guessed(study)}."


def found_words(study: "Study", code: int) -> str:
    """Which part of a class is found, and how many of the rows called so are, on the test rows if they tell."""
    table, where, test = study.confusion, "", study.test
    if test is not None and test.confusion[code].sum() >= MIN_ROWS_OF_CLASS:
        table, where = test.confusion, f" among {counted(test.n_rows, 'test row')}"
    elif study.threshold is None and test is None:
        return (
            f"{percent(study.entry.score)} of {class_name(study, code)}; of the rows that it calls so, "
            f"{percent(float(study.entry.precision[code]))} are."
        )
    found, called = table[code, code] / table[code].sum(), table[:, code].sum()
    right = (
        f"of the rows that it calls so, {percent(table[code, code] / called)} are" if called else "it calls no row so"
    )
    return f"{percent(float(found))} of {class_name(study, code)}{where}; {right}."


def test_tells(study: "Study") -> bool:
    """Whether there are test rows that the metric can be measured on."""
    return study.test is not None and bool(np.isfinite(study.test.loss))


def never_found_sentence(study: "Study", missing: list[int]) -> str:
    """The classes that are never found."""
    sizes = study.confusion.sum(axis=1)
    if len(missing) == 1:
        name = capitalised(class_name(study, missing[0]))
        rows = f"all {sizes[missing[0]]:,} of its rows" if sizes[missing[0]] > 1 else "its only row"
        return f"{name} is never found: {study.chosen} predicts another class for {rows}."
    names = first_few([class_name(study, code).removeprefix("class ") for code in missing], most=MAX_CLASSES_NAMED)
    return f"{len(missing):,} of {len(study.classes):,} classes are never found by {study.chosen}: {names}."


def guess(study: "Study") -> str:
    """The class that is guessed: the most frequent one."""
    return str(study.classes.tolist()[int(np.argmax(study.counts))])


def measured(study: "Study") -> str:
    """What the chosen classifier reaches on the test rows, else on rows left out, as the end of a sentence."""
    entry, test = study.entry, study.test
    loss, rows = left_out_loss(study), "unseen rows"
    if test_tells(study) and test is not None:
        loss, rows = test.loss, counted(test.n_rows, "test row")
    if entry.metric.name == "error":
        return f"is wrong on {percent(loss)} of {rows}"
    return f"reaches {article(entry.metric.title)} of {shown(study, loss)} on {rows}"


def guessed(study: "Study") -> str:
    """What guessing reaches, as the end of a sentence."""
    baseline, test = study.comparison.baseline, study.test
    loss = test.guess if test is not None and test_tells(study) else baseline.mean
    return f"{'on' if baseline.metric.name == 'error' else 'reaches'} {shown(study, loss)}"


def article(title: str) -> str:
    """A metric with its article."""
    return f"{'an' if title[:1] in 'AaEeFfIiOo' else 'a'} {title}"


def shown(study: "Study", loss: float) -> str:
    """The metric of a loss with its unit."""
    metric = study.entry.metric
    return percent(metric.shown(loss)) if metric.in_percent else metric.text(loss)


def interval_words(study: "Study", low: float, high: float) -> str:
    """The interval of a loss, as that of what is shown."""
    metric = study.entry.metric
    ends = sorted(metric.shown(end) for end in (low, high))
    first, last = (percent(end) if metric.in_percent else f"{end:.3g}" for end in ends)
    return f"95 % interval {first.removesuffix(' %')} to {last}"


def error_sentence(study: "Study") -> str:
    """How often the chosen classifier and guessing are wrong, and how sure that is."""
    return tested_sentence(study) if test_tells(study) else left_out_sentence(study)


def headline_has_error(study: "Study") -> bool:
    """Whether the figures of the error are in the headline."""
    return study.entry.metric.name == "error" and not never_found(study) and study.threshold is None


def tested_sentence(study: "Study") -> str:
    """The figures of the test rows, and beside them what the cross-validation gave that chose."""
    test, metric = study.test, study.entry.metric
    assert test is not None
    interval = interval_words(study, *test.interval)
    rows = counted(test.n_rows, "test row")
    if headline_has_error(study):
        said = f"The {interval.replace('interval', 'interval of that error is')}: these rows had no part in any choice."
    elif metric.name == "error":
        said = f"It is wrong on {percent(test.loss)} of {rows}, which had no part in any choice ({interval}); always "
        said += f"saying {guess(study)} is wrong on {percent(test.guess)}."
    else:
        title = f"{metric.title[:1].upper()}{metric.title[1:]}"
        said = f"{title}: {shown(study, test.loss)} on {rows}, which had no part in any choice ({interval}), "
        said += f"{shown(study, test.guess)} by guessing. It is wrong on {percent(test.error_rate)} of these rows, "
        said += f"guessing on {percent(test.guess_error)}."
    several = len(study.comparison.ranked)
    out_of = f", by which it was chosen out of {several:,}," if several > 1 else ""
    others = (
        f"the other {study.comparison.index.size:,}" if test.index.size else f"{study.comparison.index.size:,} rows"
    )
    return f"{said} Cross-validation of {others}{out_of} gives {shown(study, left_out_loss(study))}."


def left_out_sentence(study: "Study") -> str:
    """The figures of the cross-validation, where there is no test."""
    entry, baseline = study.entry, study.comparison.baseline
    metric, several = entry.metric, len(study.comparison.ranked)
    interval = interval_words(study, entry.low, entry.high)
    if headline_has_error(study):
        said = f"The {interval.replace('interval', 'interval of that error is')}."
    elif metric.name == "error" and study.threshold is None:
        said = f"It is wrong on {percent(entry.mean)} of rows that it has not seen ({interval}); always saying "
        said += f"{guess(study)} is wrong on {percent(baseline.mean)}."
    elif metric.name == "error":
        said = f"It is wrong on {percent(left_out_loss(study))} of rows that it has not seen; always saying "
        said += f"{guess(study)} is wrong on {percent(baseline.mean)}."
    else:
        title = f"{metric.title[:1].upper()}{metric.title[1:]}"
        own = "" if study.threshold is not None and metric.by_predictions else f" ({interval})"
        said = f"{title}: {shown(study, left_out_loss(study))} on unseen rows{own}, {shown(study, baseline.mean)} by "
        said += f"guessing. It is wrong on {percent(left_out_error(study))} of all rows, guessing on "
        said += f"{percent(baseline.error_rate)}."
    if several > 1:
        said += f" As it was chosen out of {several:,} by these figures, expect slightly worse on new rows."
    return said


def threshold_sentence(study: "Study") -> str:
    """The threshold, what it was chosen for and by, and what it does to the rows that chose it and to test rows."""
    threshold = study.threshold
    assert threshold is not None
    name, own = class_name(study, threshold.code), threshold.left_out
    called = f"Rows with a score of at least {threshold.value:.4g} are called {name}"
    if np.isinf(threshold.value):
        called = f"{'No row is' if threshold.value > 0 else 'All rows are'} called {name}"
    said = f"{called}: of the cross-validated scores this threshold gives {threshold.wish.words}, with "
    said += f"{own.hits:,} of {own.hits + own.misses:,} found and {counted(own.false_alarms, 'false alarm')}"
    if threshold.test is not None:
        on_test, total = threshold.test, threshold.test.hits + threshold.test.misses
        said += f"; of the test rows {on_test.hits:,} of {total:,} are found, with "
        said += counted(on_test.false_alarms, "false alarm")
    return f"{said}."


def missed_sentence(study: "Study") -> str:
    """Which classes have rows that are not found, those with the largest part first."""
    table = study.confusion
    sizes, missed = table.sum(axis=1), table.sum(axis=1) - np.diag(table)
    order = np.argsort(-missed / np.maximum(sizes, 1), kind="stable")
    named = [int(code) for code in order if missed[code]][:MAX_CLASSES_NAMED]
    if not named:
        return "No unseen row was missed."
    parts = [
        f"{missed[code]:,} of {counted(int(sizes[code]), 'row')} of {class_name(study, code)} "
        f"({percent(missed[code] / sizes[code])})"
        for code in named
    ]
    others = int(np.count_nonzero(missed)) - len(named)
    more = f", and rows of {counted(others, 'other class', 'other classes')}" if others else ""
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}{',' if more else ' and'} {parts[-1]}"
    advice = ""
    if never_found(study) and study.class_weight is None:
        advice = " --balanced lets every class count the same, and --metric recall chooses by what is found."
    return f"It misses {listed}{more}.{advice}"


def certificate_sentence(study: "Study") -> str:
    """What the certificate of the chosen classifier proves."""
    certificate = study.certified.certificate_
    if certificate.proof and not proves_fit(certificate):
        none = "no plane separates the classes" if study.classes.size == 2 else "not all classes can be separated"
        rows = counted(study.n_fitted, "row")
        return (
            f"Its certificate ({type(certificate).__name__}) proves of all {rows} that {none}; "
            "that its fit is the best of its kind is not proved."
        )
    return findings.certificate_sentence(certificate, study.n_fitted)
