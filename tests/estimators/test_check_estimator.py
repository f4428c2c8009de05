"""scikit-learn's own checks, with no expected failure and no tag that waives one."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from separatrix import DataError, ErrorCorrectingCode, LinearSVM, OneVsOne, OneVsRest
from separatrix.estimators.registry import estimators


@pytest.mark.large
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", estimators(), ids=repr)
def test_check_estimator(estimator):
    results = check_estimator(estimator, on_skip=None)
    passed = [result["check_name"] for result in results if result["status"] == "passed"]
    others = {result["check_name"]: result["status"] for result in results if result["status"] != "passed"}
    assert len(passed) >= 45
    assert set(others) <= {"check_array_api_input"}  # runs only where SCIPY_ARRAY_API is set


@pytest.mark.large
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne])
@pytest.mark.parametrize("inner", [LinearSVM(), LogisticRegression(), DecisionTreeClassifier()], ids=repr)
def test_reductions_of_any_classifier(wrapper, inner):
    found = check_estimator(wrapper(inner), on_skip=None, on_fail=None)
    assert {each["check_name"] for each in found if each["status"] == "failed"} == set()
    assert sum(each["status"] == "passed" for each in found) >= 45


@pytest.mark.large
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "reduction",
    [
        OneVsOne(DecisionTreeClassifier(), decision="dag"),
        ErrorCorrectingCode(LinearSVM(), "adapted", "loss"),
        ErrorCorrectingCode(DecisionTreeClassifier(), "ternary"),
    ],
    ids=repr,
)
def test_codes_and_graphs_of_any_classifier(reduction):
    found = check_estimator(reduction, on_skip=None, on_fail=None)
    assert {each["check_name"] for each in found if each["status"] == "failed"} == set()
    assert sum(each["status"] == "passed" for each in found) >= 45


def test_a_reduction_takes_what_its_classifier_takes():
    X, y = np.array([[0.0], [np.nan], [1.0], [2.0]]), [0, 0, 1, 1]
    assert get_tags(OneVsRest(DecisionTreeClassifier())).input_tags.allow_nan
    assert OneVsRest(DecisionTreeClassifier()).fit(X, y).predict(X).tolist() == y
    assert not get_tags(OneVsOne(LinearSVM())).input_tags.allow_nan
    with pytest.raises(DataError, match="NaN"):
        OneVsOne(LinearSVM()).fit(X, y)


@pytest.mark.parametrize("estimator", estimators(), ids=repr)
def test_no_tag_waives_a_check(estimator):
    tags = get_tags(estimator)
    if tags.estimator_type == "outlier_detector":  # has no score that could be poor
        assert tags.classifier_tags is None
        assert tags.regressor_tags is None
    else:
        assert not (tags.classifier_tags or tags.regressor_tags).poor_score
    assert not tags._skip_test
    assert not tags.non_deterministic
    assert not tags.no_validation
    assert tags.input_tags.sparse
