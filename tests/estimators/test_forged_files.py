"""Whoever can write a file can seal it: verify believes no figure of a certificate, and shows what the rows say."""

import copy
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from separatrix import (
    FisherDiscriminant,
    GaussianDiscriminant,
    HoKashyapClassifier,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticClassifier,
    NotCertifiedWarning,
    OneVsOne,
    Perceptron,
    PocketPerceptron,
    Preparation,
    minimum_errors,
    save,
    verify,
)
from separatrix.analysis.verification import checked
from separatrix.certificates import DualityGap, Separator
from separatrix.data.encode import encode
from separatrix.errors import DataError, FormatError
from separatrix.estimators.store.layout import laid_out, seal
from separatrix.estimators.store.model_file import read_model_file
from separatrix.objectives import SoftMargin

RNG = np.random.default_rng(5)
LABELS = np.repeat(["no", "yes"], 12)
APART = RNG.uniform(-1, 1, (24, 2)) + np.where(LABELS == "no", -2.0, 2.0)[:, None]
MIXED = RNG.standard_normal((24, 2)) + np.where(LABELS == "no", -0.4, 0.4)[:, None]
THREE = np.repeat(["a", "b", "c"], 8)
PLANE = np.array([[1.0, 1.0], [2.0, 3.0], [2.0, 1.0], [2.0, 2.0], [2.0, 4.0], [3.0, 1.0]])
MODELS = {
    "Separator": (Perceptron(random_state=0), APART, LABELS),
    "hard margin": (LinearSVM(C=np.inf), APART, LABELS),
    "DualityGap": (LinearSVM(), MIXED, LABELS),
    "squared hinge": (LinearSVM(loss="squared_hinge"), MIXED, LABELS),
    "Collected": (LinearSVM(), MIXED, THREE),
    "reduction": (OneVsOne(LinearSVM()), MIXED, THREE),
    "LogisticGap": (LogisticClassifier(), MIXED, LABELS),
    "maximum likelihood": (LogisticClassifier(C=np.inf), MIXED, LABELS),
    "several": (LogisticClassifier(), MIXED, THREE),
    "complete": (LogisticClassifier(C=np.inf), APART, LABELS),
    "WeakSeparator": (LogisticClassifier(C=np.inf), PLANE, [0, 0, 0, 1, 1, 1]),
    "Overlap": (HoKashyapClassifier(), MIXED, LABELS),
    "NormalEquations": (LeastSquaresClassifier(ridge=0.5), MIXED, LABELS),
    "FisherEquations": (FisherDiscriminant(), MIXED, THREE),
    "GaussianEquations": (GaussianDiscriminant("equal", shrinkage=0.1), MIXED, THREE),
    "Unproved": (PocketPerceptron(random_state=0), MIXED, LABELS),
    "quoted": (PocketPerceptron(random_state=0), MIXED, LABELS),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The tree of one honest file for each of the models, and what a check of it shows."""
    folder, found = tmp_path_factory.mktemp("honest"), {}
    for name, (unfitted, X, y) in MODELS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertifiedWarning)
            model = clone(unfitted).fit(X, y)
        if name == "quoted":
            minimum_errors(X, y).quoted_by(model)
        path = folder / "model.json"
        save(model, path)
        verified, fresh = checked(read_model_file(path).model, X, y)
        assert verified.holds, name
        assert fresh.proof == verified.proved
        found[name] = json.loads(path.read_text()), str(fresh)
    return found


def sealed(tree, path):
    """Write a tree with a checksum that fits it."""
    rest = {name: value for name, value in tree.items() if name != "checksum"}
    path.write_bytes(laid_out({**rest, "checksum": seal(rest)}))
    return path


def leaves(tree, road=()):
    """The road to every number, word and truth value below a tree, but for what says how arrays are stored."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key not in ("array", "shape", "class", "scalar", "order", "enum", "index"):
                yield from leaves(value, (*road, key))
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            yield from leaves(value, (*road, place))
    else:
        yield road


def spoilt(value):
    """Other values of the same type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, max(0, value - 1), 10**6, -1]
    if isinstance(value, float):
        return [2.0 * value + 1.0, 0.0, 1e9, -value]
    return ["inf", "nan", "forged: error 1e-99"] if isinstance(value, str) else [1.0]


def put(tree, road, value):
    *above, last = road
    for key in above:
        tree = tree[key]
    tree[last] = value


@pytest.mark.parametrize("name", MODELS)
def test_no_figure_of_a_certificate_is_believed(name, files, tmp_path):
    """Where a forged file passes, what is shown is what the honest file shows, as it is computed from the rows."""
    (_, X, y), (tree, honest) = MODELS[name], files[name]
    claim = tree["model"]["fitted"]["certificate_"]
    roads = list(leaves(claim))
    tried = passed = 0
    for road in roads if len(roads) < 32 else roads[:12] + roads[-20:]:
        value = claim
        for key in road:
            value = value[key]
        if road[-1] in ("full_rank", "lower"):  # a weaker claim, which is true too, and which the text tells
            continue
        for other in spoilt(value):
            forged = copy.deepcopy(tree)
            put(forged["model"]["fitted"]["certificate_"], road, other)
            try:
                model = read_model_file(sealed(forged, tmp_path / "forged.json")).model
                found, fresh = checked(model, X, y)
            except (DataError, FormatError):
                continue
            tried += 1
            if found.holds:
                passed += 1
                assert str(fresh) == honest, f"{road}: {value} became {other}"
                assert found.proved == fresh.proof
    assert tried > 0, "some changes are figures, which load"
    assert passed > 0, "and larger errors may be stated than there are"


def test_a_plane_of_no_worth_is_shown_as_such_however_it_is_stated(files, tmp_path):
    tree, _ = files["DualityGap"]
    zero = {"array": "float64", "shape": [2], "values": [0.0, 0.0]}
    forged = copy.deepcopy(tree)
    planes = {"coef_": {**zero, "shape": [1, 2]}, "intercept_": {**zero, "shape": [1], "values": [0.0]}}
    forged["model"]["fitted"] |= planes
    fields = forged["model"]["fitted"]["certificate_"]["fields"]
    fields |= {"w": zero, "b": 0.0}
    fields["values"]["fields"] |= {"primal": 1.0, "dual": 1.0, "rounding": 1e9}  # a gap of 0, give or take
    loaded = read_model_file(sealed(forged, tmp_path / "forged.json")).model
    found, fresh = checked(loaded, MIXED, LABELS)
    assert not found.holds, "rounding comes from the rows, too"
    assert "1e+09" not in str(fresh)
    fields["values"]["fields"] |= {"primal": 1.0, "dual": 0.0, "rounding": 0.0}  # all of it
    loaded = read_model_file(sealed(forged, tmp_path / "forged.json")).model
    found, fresh = checked(loaded, MIXED, LABELS)
    assert found.holds, "which is true"
    assert fresh.primal == pytest.approx(24.0, rel=1e-13), "the plane 0 has a slack of 1 on each of 24 rows"
    honest = tree["model"]["fitted"]["certificate_"]["fields"]["values"]["fields"]
    assert fresh.dual == pytest.approx(honest["dual"], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("DualityGap", {"C": 2.0}),
        ("DualityGap", {"loss": "squared_hinge"}),
        ("Collected", {"C": 2.0}),
        ("LogisticGap", {"C": 2.0}),
        ("several", {"C": 2.0}),
        ("maximum likelihood", {"C": 1e6}),
        ("NormalEquations", {"ridge": 0.0}),
        ("NormalEquations", {"targets": [0.0, 1.0]}),
        ("GaussianEquations", {"priors": None}),
        ("GaussianEquations", {"shrinkage": 0.0}),
    ],
)
def test_a_claim_about_another_question_than_the_options_ask(name, change):
    unfitted, X, y = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)
        model = clone(unfitted).fit(X, y)
    assert verify(model, X, y).holds
    assert not verify(model.set_params(**change), X, y).holds


@pytest.mark.parametrize(
    ("name", "road", "value"),
    [
        ("FisherEquations", ("scalings_", "values", 0), 1e3),
        ("FisherEquations", ("J_", "values", 0), 1e3),
        ("FisherEquations", ("mean_", "values", 0), 1e3),
        ("WeakSeparator", ("_limit", "tuple", 0, 0), 12345),
        ("WeakSeparator", ("_limit", "tuple", 1, "values", 0), 1e3),
        ("WeakSeparator", ("separation_",), "complete"),
        ("complete", ("separation_",), "overlap"),
        ("maximum likelihood", ("separation_",), "complete"),
    ],
)
def test_what_is_predicted_with_is_part_of_the_claim(name, road, value, files, tmp_path):
    """Also where whoever changed it took the hash off, without which files of earlier versions came."""
    (_, X, y), tree = MODELS[name], copy.deepcopy(files[name][0])
    put(tree["model"]["fitted"], road, value)
    tree["model"]["fitted"].pop("_bound", None)
    found, _ = checked(read_model_file(sealed(tree, tmp_path / "forged.json")).model, X, y)
    assert not found.holds


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """The tree of a pipeline that the command line can use."""
    frame = pd.DataFrame({"x": MIXED[:, 0], "y": MIXED[:, 1], "town": np.tile(["Oslo", "Rome", "Lima"], 8)})
    path = tmp_path_factory.mktemp("prepared") / "model.json"
    save(make_pipeline(Preparation(), LinearSVM()).fit(frame, LABELS), path)
    return json.loads(path.read_text())


PREPARATION = ("model", "parameters", "steps", 0, "tuple", 1, "fitted")
COLUMN = (*PREPARATION, "columns_", "tuple", 0, "fields")
MACHINE = ("model", "parameters", "steps", 1, "tuple", 1, "fitted")
CLAIM = (*MACHINE, "certificate_", "fields")
HUGE = {"int": "f" * 5000}


@pytest.mark.parametrize(
    ("road", "value", "said"),
    [
        ((*PREPARATION, "columns_"), {"tuple": []}, "5 names for 3 features"),
        ((*PREPARATION, "feature_names_out_"), {"tuple": ["x"]}, "1 features are not what 3 columns are made into"),
        ((*PREPARATION, "n_features_in_"), 2, "5 features are not what 3 columns"),
        ((*COLUMN, "scale"), 0.0, "cannot be divided by 0.0"),
        ((*COLUMN, "scale"), {"float": "nan"}, "cannot be divided by nan"),
        ((*COLUMN, "median"), None, "cannot have the median None"),
        ((*COLUMN, "kind"), "picture", "'picture' is no kind of column"),
        ((*COLUMN, "missing"), -1, "'missing' of PreparedColumn cannot be -1"),
        ((*MACHINE, "coef_", "values", 0), "nan", "'coef_' of LinearSVM cannot be float64"),
        ((*MACHINE, "coef_", "values", 0), "inf", "'coef_' of LinearSVM cannot be float64"),
        ((*MACHINE, "intercept_", "values", 0), "nan", "'intercept_' of LinearSVM cannot be float64"),
        ((*MACHINE, "n_iter_"), HUGE, "'n_iter_' of LinearSVM cannot be"),
        ((*CLAIM, "n_rows"), HUGE, "'n_rows' of DualityGap cannot be"),
        ((*CLAIM, "n_rows"), -1, "'n_rows' of DualityGap cannot be -1"),
        ((*CLAIM, "values", "fields", "rounding"), -1.0, "'rounding' of Values cannot be -1.0"),
        ((*CLAIM, "values", "fields", "rounding"), {"float": "nan"}, "'rounding' of Values cannot be nan"),
    ],
)
def test_values_that_no_fit_leaves_are_refused_by_name(road, value, said, prepared, tmp_path):
    tree = copy.deepcopy(prepared)
    put(tree, road, value)
    with pytest.raises(FormatError, match=re.escape(said)):
        read_model_file(sealed(tree, tmp_path / "forged.json"))


def test_a_preparation_that_makes_too_few_features(prepared, tmp_path):
    tree = copy.deepcopy(prepared)
    steps = tree["model"]["parameters"]["steps"][0]["tuple"][1]["fitted"]
    steps["columns_"]["tuple"].pop()
    steps["feature_names_out_"]["tuple"], steps["n_features_in_"] = ["x", "y"], 2
    with pytest.raises(FormatError, match="LinearSVM takes 5 features, but Preparation makes 2"):
        read_model_file(sealed(tree, tmp_path / "forged.json"))


def test_a_name_that_stands_twice_is_found_among_many(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("{" + ",".join(f'"{i}": 0' for i in [*range(300_000), 299_999]) + "}")
    with pytest.raises(FormatError, match="the name '299999' stands twice"):
        read_model_file(path)


def test_the_text_of_a_restated_claim_is_that_of_a_new_one():
    problem = encode(APART, LABELS).problem
    w, b = np.array([1.0, 1.0]), 0.0
    assert str(Separator.issue(problem, w, b, mistakes=3).restated(problem)) == str(Separator.issue(problem, w, b))
    claim = DualityGap.issue(problem.posed(SoftMargin(1.0)), w, b, np.ones(24))
    assert str(claim.restated(problem)) == str(claim)
