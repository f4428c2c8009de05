"""The protocol of a study of classes: some rows are held out, the others choose, and what is chosen is tested once.

    T rows are set aside; K folds of the others choose the classifier, its options and its threshold; T is used once

Nothing that is chosen depends on a test row, nor on its label (Stone, 1974; Varma and Simon, 2006).
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from separatrix.data.folds import stratified_sample
from separatrix.errors import DataError, OptionError
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.selection.compare import compare_on
from separatrix.selection.comparison import Comparison
from separatrix.selection.conclusions.choice import choose_classifier
from separatrix.selection.findings import Progress
from separatrix.selection.grid_errors import GridErrors
from separatrix.selection.held_out.division import Division, check_test_rows, divide
from separatrix.selection.held_out.order import Order
from separatrix.selection.held_out.tested_classes import ClassTest, tested_classes
from separatrix.selection.held_out.threshold import Outcome, Threshold, Wish
from separatrix.selection.measures.metrics import positive_code
from separatrix.selection.measures.scored_rows import ScoredRows, left_out_scores
from separatrix.selection.prepared_folds import PreparedFolds, Split, some_rows, split_data
from separatrix.selection.trials import TimeBudget
from separatrix.selection.tuned import Tuned
from separatrix.selection.validation_curve import ValidationCurve, curve_on

SAMPLE_ROWS = 50_000  # for cross-validation, as in `compare`


class Rows(NamedTuple):
    """Rows with classes, how they are divided, and test rows from elsewhere where there are any."""

    X: Any
    codes: np.ndarray
    classes: np.ndarray
    order: Order
    division: Division
    others: tuple[Any, np.ndarray, str] | None  # rows, the codes of their classes, and the name of their file

    @property
    def labels(self) -> np.ndarray:
        """The label of each row."""
        return self.classes[self.codes]


class Asked(NamedTuple):
    """What is asked of a comparison: options of the folds and of the metric, methods, weights, and a threshold."""

    options: dict[str, Any]
    cv: int
    algorithms: Any
    class_weight: Any
    wish: Wish | None


class Chosen(NamedTuple):
    """What the rows that are not held out choose: the classifier with its options and threshold, unfitted, and why."""

    comparison: Comparison
    estimator: Any
    why: str
    grid: GridErrors | None
    path: ValidationCurve
    scored: ScoredRows | None  # of the class that is looked for, each row when it was left out
    threshold: Threshold | None
    code: int | None  # of the class that is looked for


def divided(X: Any, labels: np.ndarray, test: Any, order: Order, cv: int, seed: int) -> Rows:
    """Divide rows into those to choose with and those to test with; `test` is a part of them, or other rows."""
    classes, codes = np.unique(labels, return_inverse=True)
    if not isinstance(test, tuple):
        keep = max(2, cv) if test is None else 2  # a part that was asked for may leave fewer folds
        division = divide(codes, classes, test, order, keep=keep, seed=seed)
        return Rows(X, codes, classes, order, division, None)
    rows, truth, source = check_test_rows(test)
    names = {str(label): code for code, label in enumerate(classes.tolist())}
    unknown = next((label for label in truth.tolist() if str(label) not in names), None)
    if unknown is not None:
        raise DataError(f"{source} holds the class {unknown!r}, of which there is no row to learn from.")
    given = np.array([names[str(label)] for label in truth.tolist()])
    everything = np.arange(codes.size)
    return Rows(X, codes, classes, order, Division(everything, everything[:0]), (rows, given, source))


def split_of(rows: Rows, asked: Asked) -> Split[PreparedFolds]:
    """Folds of the rows that are not held out, or of a stratified sample of these where they are many."""
    train, seed = rows.division.train, asked.options["random_state"]
    index = train[stratified_sample(rows.codes[train], SAMPLE_ROWS, asked.cv, seed)]
    order = rows.order.rows(index)
    cv, notes = order.folds(asked.cv)
    if index.size < train.size:
        notes.append(f"A stratified sample of {index.size:,} out of {train.size:,} rows was used for the comparison.")
    sample = rows.X if index.size == rows.codes.size else some_rows(rows.X, index)
    how = asked.options | {"cv": cv, "groups": order.groups, "repeats": 1, "sample": None}
    split = split_data(sample, rows.labels[index], **how)
    return replace(split, index=index, notes=[*notes, *split.notes])


def choose_on(rows: Rows, asked: Asked, limits: list[Any], report: Progress) -> Chosen:
    """Compare the classifiers, and choose one with its options, C by the error over C on the same folds.

    Where rows have groups or times, options are not chosen within training rows, whose inner folds know nothing of
    these: such methods keep their defaults but for C.
    """
    split = split_of(rows, asked)
    tune = not rows.order.given
    budget = TimeBudget(limits[0], report)
    comparison = compare_on(split, asked.algorithms, budget, tune=tune, class_weight=asked.class_weight)
    report(1, 1, "error over C")
    chosen, grid = clone(comparison.chosen.estimator), None
    if isinstance(chosen, Tuned):
        prepared = clone(asked.options["preparation"]).fit_transform(split.data.X)
        chosen, grid = chosen.chosen(prepared, split.data.y)
    usual = LogisticClassifier if split.data.metric.name == "logloss" else LinearSVM  # which has no probabilities
    model = clone(chosen) if hasattr(chosen, "C") else usual(class_weight=getattr(chosen, "class_weight", None))
    path = curve_on(split, model, None, TimeBudget(limits[1]))
    estimator, why = choose_classifier(comparison, chosen, path)
    code = positive_code(rows.classes, np.bincount(rows.codes[split.index]), asked.options["positive"])
    scored = None if code is None or not comparison.ranked else left_out_scores(estimator, split.data, code)
    threshold = None if asked.wish is None else chosen_threshold(asked.wish, scored, rows.classes, code)
    if threshold is not None:
        estimator = with_threshold(estimator, threshold)
    return Chosen(comparison, estimator, why, grid, path, scored, threshold, code)


def chosen_threshold(wish: Wish, scored: ScoredRows | None, classes: np.ndarray, code: int | None) -> Threshold:
    """The threshold for what is wished, by scores of rows that were left out."""
    if classes.size > 2 or code is None:
        raise OptionError(f"A threshold tells two classes apart, and there are {classes.size}. Leave it out.")
    if scored is None or not scored.tested.both_there:
        raise OptionError("The chosen classifier has no scores of rows of both classes to choose a threshold by.")
    value = wish.threshold(scored.tested.scores, scored.tested.own)
    return Threshold(value, classes.tolist()[code], code, wish, Outcome.of(scored.tested, value))


def with_threshold(estimator: Any, threshold: Threshold) -> Any:
    """The classifier that calls a row by the threshold of its score."""
    from sklearn.model_selection import FixedThresholdClassifier

    method = "decision_function" if hasattr(estimator, "decision_function") else "predict_proba"
    return FixedThresholdClassifier(
        estimator, threshold=threshold.value, pos_label=threshold.positive, response_method=method
    )


def held_out_test(rows: Rows, chosen: Chosen, preparation: Any) -> ClassTest | None:
    """Fit the choice to the rows that are not held out, and test it on the others; None where none are held out."""
    train, test = rows.division.train, rows.division.test
    if not test.size or not chosen.comparison.ranked:
        return None
    prepared = clone(preparation)
    features = prepared.fit_transform(some_rows(rows.X, train))
    model = clone(chosen.estimator).fit(features, rows.labels[train])
    del features
    found = tested_classes(
        model,
        prepared.transform(some_rows(rows.X, test)),
        (rows.codes[test], rows.codes[train]),
        rows.classes,
        chosen.comparison.metric,
        chosen.code,
    )
    return ClassTest(source="", index=test, **found)


def tested_elsewhere(rows: Rows, chosen: Chosen, preparation: Any, model: Any) -> ClassTest | None:
    """Test the model that was fitted to all rows on those from elsewhere; None where there are none."""
    if rows.others is None:
        return None
    X, truth, source = rows.others
    metric = chosen.comparison.metric
    found = tested_classes(model, preparation.transform(X), (truth, rows.codes), rows.classes, metric, chosen.code)
    return ClassTest(source=source, index=np.arange(0), **found)


def tested_threshold(threshold: Threshold | None, test: ClassTest | None) -> Threshold | None:
    """The threshold with what it does to the test rows."""
    if threshold is None or test is None or test.scored is None:
        return threshold
    return replace(threshold, test=Outcome.of(test.scored, threshold.value))
