"""scikit-learn's own checks, with no tag that waives one, and one expected failure.

A weight multiplies the step of its row where a rule learns row by row, which is repetition in expectation only:
scikit-learn expects the same failure of its own SGDRegressor.
"""

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from separatrix import StochasticRegressor
from separatrix.estimators.registry import estimators

IN_EXPECTATION = {f"check_sample_weight_equivalence_on_{data}_data" for data in ("dense", "sparse")}


@pytest.mark.large
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", estimators(), ids=repr)
def test_check_estimator(estimator):
    differs = IN_EXPECTATION if isinstance(estimator, StochasticRegressor) else set()
    expected = dict.fromkeys(differs, "the order of the rows counts")
    results = check_estimator(estimator, on_skip=None, expected_failed_checks=expected)
    passed = [result["check_name"] for result in results if result["status"] == "passed"]
    others = {result["check_name"]: result["status"] for result in results if result["status"] != "passed"}
    assert len(passed) >= 45
    assert set(others) <= {"check_array_api_input"} | differs  # the first runs only where SCIPY_ARRAY_API is set


@pytest.mark.parametrize("estimator", estimators(), ids=repr)
def test_no_tag_waives_a_check(estimator):
    tags = get_tags(estimator)
    assert not (tags.classifier_tags or tags.regressor_tags).poor_score
    assert not tags.non_deterministic
    assert not tags.no_validation
    assert tags.input_tags.sparse
