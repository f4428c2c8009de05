"""scikit-learn's own checks, with no expected failure and no tag that waives one."""

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

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
