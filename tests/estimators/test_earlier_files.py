"""Model files that earlier versions wrote, one for each estimator: they load, predict the same bits, and verify."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from separatrix import load, verify

FOLDER = Path(__file__).parent / "models_before_objectives"
NAMES = sorted(path.name.removesuffix(".data.json") for path in FOLDER.glob("*.data.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_an_earlier_version(name):
    model, data = load(FOLDER / f"{name}.json"), json.loads((FOLDER / f"{name}.data.json").read_text())
    X = pd.DataFrame(data["X"]) if isinstance(data["X"], dict) else np.array(data["X"])
    scores = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    assert np.ravel(scores) == pytest.approx([float(score) for score in data["scores"]], rel=1e-14, abs=1e-14)
    if not isinstance(data["X"], dict):
        found = verify(model, X, data["y"])
        assert (found.holds, found.proved) == (data["holds"], data["proved"])
        assert type(model.certificate_).__name__ not in ("LogisticGap", "LinearGap")


def test_there_is_a_file_for_every_estimator():
    kinds = {
        json.loads(path.read_text())["model"]["class"] for path in FOLDER.glob("*.json") if ".data" not in path.name
    }
    assert len(kinds) >= 16
