"""A claim that is about no plane passes only for the model that it was made for."""

import json

import numpy as np
import pytest

from separatrix import (
    FisherDiscriminant,
    HoKashyapClassifier,
    LogisticClassifier,
    OneVsOne,
    OneVsRest,
    load,
    save,
    verify,
)
from separatrix.estimators.store.layout import seal

SQUARE = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [2.0, 0.0]])
TWO, THREE = np.array([0, 0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
LINE, TOUCHING = np.array([[1.0], [2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
CASES = {
    "overlap": (HoKashyapClassifier(), SQUARE, TWO),
    "overlap, several classes": (HoKashyapClassifier(), SQUARE, THREE),
    "one against the rest": (OneVsRest(HoKashyapClassifier()), SQUARE, THREE),
    "one against one": (OneVsOne(HoKashyapClassifier()), SQUARE, THREE),
    "weakly separated": (LogisticClassifier(C=np.inf), LINE, TOUCHING),
    "directions": (FisherDiscriminant(), SQUARE, THREE),
}


def stored(model, path):
    save(model, path)
    return load(path)


def parts(model):
    return getattr(model, "estimators_", [model])


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize("name", CASES)
def test_another_plane_is_noticed(name, tmp_path):
    estimator, X, y = CASES[name]
    model = estimator.fit(X, y)
    for one in (model, stored(model, tmp_path / "model.json")):
        assert verify(one, X, y).holds
        for attribute in ("coef_", "intercept_"):
            array = getattr(parts(one)[-1], attribute)
            kept = array.copy()
            array.flat[0] += 1e-12
            found = verify(one, X, y)
            assert (found.error, found.holds, found.proved) == (np.inf, False, False), attribute
            array[...] = kept
        assert verify(one, X, y).holds


def test_a_plane_that_is_nothing_like_it():
    model = HoKashyapClassifier().fit(SQUARE, TWO)
    assert verify(model, SQUARE, TWO).proved
    model.coef_, model.intercept_ = np.array([[99.0, -7.0]]), np.array([123.0])
    assert not verify(model, SQUARE, TWO).holds


@pytest.mark.parametrize("attribute", ["mean_", "scalings_"])
def test_what_only_transform_uses_is_noticed_too(attribute):
    model = FisherDiscriminant().fit(SQUARE, THREE)
    assert verify(model, SQUARE, THREE).proved
    setattr(model, attribute, getattr(model, attribute) + 1.0)
    assert verify(model, SQUARE, THREE).error == np.inf


def test_rows_in_parts_are_bound_anew():
    model = FisherDiscriminant().partial_fit(SQUARE[::2], THREE[::2], classes=[0, 1, 2])
    model.partial_fit(SQUARE[1::2], THREE[1::2])
    assert verify(model, SQUARE, THREE).holds


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize("name", ["overlap", "weakly separated", "directions"])
def test_files_of_earlier_versions_load_and_verify(name, tmp_path):
    estimator, X, y = CASES[name]
    save(estimator.fit(X, y), tmp_path / "model.json")
    tree = json.loads((tmp_path / "model.json").read_text())
    del tree["model"]["fitted"]["_bound"], tree["checksum"]
    (tmp_path / "model.json").write_text(json.dumps({**tree, "checksum": seal(tree)}))
    assert verify(load(tmp_path / "model.json"), X, y).holds
