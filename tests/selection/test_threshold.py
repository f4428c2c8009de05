"""Thresholds do what they are chosen for, and curves are those of scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve
from sklearn.model_selection import FixedThresholdClassifier

from separatrix import DataError, LinearSVM, OptionError, load, save, verify
from separatrix.selection.held_out.threshold import Outcome, Wish
from separatrix.selection.measures.metrics import area
from separatrix.selection.measures.score_curves import calibration_points, intervals, score_counts
from separatrix.selection.measures.scored_rows import ScoredRows
from separatrix.selection.study import study


def draw(seed, n=60, digits=1):
    """Scores with ties, and rows of a class that score higher."""
    rng = np.random.default_rng(seed)
    own = rng.random(n) < 0.4
    own[:2] = True, False
    return np.round(rng.standard_normal(n) + own, digits), own


def every_threshold(scores):
    found = np.unique(scores)
    return [-np.inf, *found, *((found[1:] + found[:-1]) / 2), np.inf]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("recall", [0.01, 0.5, 0.9, 1.0])
def test_a_recall_is_reached_and_by_no_larger_threshold(seed, recall):
    scores, own = draw(seed)
    value = Wish(recall=recall).threshold(scores, own)
    assert np.mean(scores[own] >= value) >= recall
    larger = [each for each in every_threshold(scores) if each > value]
    assert all(np.mean(scores[own] >= each) < recall for each in larger)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("cost", [(1, 1), (1, 10), (10, 1), (1, 1000), (1000, 1), (0, 1), (1, 0)])
def test_no_threshold_costs_less(seed, cost):
    scores, own = draw(seed)
    wish = Wish(None, *map(float, cost))

    def costs(value):
        outcome = Outcome.of(ScoredRows(scores, own, None), value)
        return wish.false_alarm * outcome.false_alarms + wish.miss * outcome.misses

    assert costs(wish.threshold(scores, own)) == min(map(costs, every_threshold(scores)))


@pytest.mark.parametrize("seed", range(5))
def test_curves_and_areas_are_those_of_scikit_learn(seed):
    scores, own = draw(seed)
    found = score_counts(scores, own)
    assert found.area == pytest.approx(roc_auc_score(own, scores), rel=1e-12)
    assert found.area == pytest.approx(area(scores, own), rel=1e-12), "the AUC that methods are ranked by"
    assert found.average_precision == pytest.approx(average_precision_score(own, scores), rel=1e-12)
    alarms, recall, _ = roc_curve(own, scores, drop_intermediate=False)
    np.testing.assert_allclose([found.false_alarm_rate, found.recall], [alarms, recall], atol=1e-15)
    precision, recall, _ = precision_recall_curve(own, scores)
    np.testing.assert_allclose(found.precision[::-1], precision, atol=1e-15)
    np.testing.assert_allclose(found.recall[::-1], recall, atol=1e-15)
    low, high = intervals(found.hits, np.full(found.hits.size, found.n_own))
    assert ((low <= found.recall) & (found.recall <= high)).all()


def test_scores_of_one_class_have_no_curve():
    with pytest.raises(DataError, match="rows of the class and of others"):
        score_counts(np.arange(3.0), np.ones(3, dtype=bool))


def test_calibration_counts_every_row_once():
    rng = np.random.default_rng(0)
    said = np.append(rng.random(500), [0.0, 1.0])
    points = calibration_points(said, rng.random(502) < said)
    assert sum(point.rows for point in points) == 502
    assert all(point.low <= point.observed <= point.high for point in points)
    assert sum(point.low <= point.predicted <= point.high for point in points) >= 8, "they are calibrated"


def test_a_stored_threshold_needs_its_classifier(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array(["a", "a", "b", "b"])
    model = FixedThresholdClassifier(LinearSVM(), threshold=-np.inf, pos_label="a").fit(X, y)
    save(model, tmp_path / "m.json", data=(X, y))
    again = load(tmp_path / "m.json")
    assert again.predict(X).tolist() == ["a"] * 4
    assert verify(again, X, y).proved, "the certificate is that of the classifier inside"
    model.estimator_ = None
    with pytest.raises(OptionError, match="estimator_"):
        save(model, tmp_path / "m.json")


@pytest.mark.parametrize("labels", [(0, 1), ("a", "b"), (True, False)])
@pytest.mark.parametrize("which", [0, 1])
def test_the_model_calls_the_rows_that_the_threshold_calls(labels, which):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((250, 3))
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(250) > 0.5, *labels)
    positive = np.unique(y).tolist()[which]
    found = study(X, y, algorithms=["logistic discrimination"], positive=positive, recall=0.95)
    threshold, test = found.threshold, found.test
    assert threshold.positive == positive
    assert threshold.left_out.recall >= 0.95
    assert (test.predicted == threshold.code).sum() == threshold.test.hits + threshold.test.false_alarms
    scores = found.classifier.decision_function(found.X) * (1 if threshold.code == 1 else -1)
    np.testing.assert_array_equal(found.model.predict(X) == positive, scores >= threshold.value)
    counts = found.confusion[threshold.code]
    assert counts[threshold.code] == threshold.left_out.hits + threshold.test.hits
    assert threshold.to_dict()["test"]["recall"] == found.to_dict()["test"]["recall"][str(positive)]
