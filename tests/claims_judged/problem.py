"""One problem of the fuzz: data and options that a seed decides, a fit, and what is false about it."""

import signal
import warnings
from contextlib import contextmanager
from math import inf, isnan
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from certificates.exact_log_loss import ExactLogLoss
from certificates.hostile_data import hostile_problem
from claims_judged.containers import judged_containers, judged_file
from claims_judged.equation_judge import judged_discriminant, judged_equations
from claims_judged.function_judge import JUDGES
from claims_judged.gap_judge import better_planes, judged_gap, spoiled
from claims_judged.hull_judge import judged_distance
from claims_judged.plane_judge import judged_errors, judged_overlap, judged_separator, judged_weak
from claims_judged.posing import parts_of, question_of
from separatrix import SeparatrixError, verify

SECONDS_PER_FIT = 60
CONVERGED = 1e-6  # a claim with a larger error is one, but not of an optimum


class Outcome(NamedTuple):
    """What became of a problem: refused, proved, wide (a bound that is large), or unproved, and what is false."""

    kind: str
    verdict: str
    false: list
    checks: list
    predictions: list
    estimator: str = ""


class SlowFitError(Exception):
    """A fit that did not end."""


@contextmanager
def limited(seconds):
    """Interrupt what computes for longer, whatever else the machine does meanwhile."""

    if not hasattr(signal, "SIGPROF"):  # Windows
        yield
        return

    def interrupt(*_):
        raise SlowFitError(f"no end after {seconds} s")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def drawn(family, seed):
    """The estimator and the data of a seed."""
    rng = np.random.default_rng([seed, *family.name.encode()])
    model = family.make(rng)
    if hasattr(model, "random_state"):
        model.set_params(random_state=seed)
    return model, hostile_problem(rng, family.data), rng


def outcome_of(family, seed):
    """Fit and judge."""
    model, data, rng = drawn(family, seed)
    text = family.name if model is None else " ".join(repr(model).split())
    try:
        with warnings.catch_warnings(), limited(SECONDS_PER_FIT):
            warnings.simplefilter("ignore")
            if family.name in JUDGES:
                return Outcome(data.kind, *JUDGES[family.name](data, rng), [], family.name)
            return judged(model, data, rng)._replace(estimator=text)
    except SeparatrixError as refusal:
        return Outcome(data.kind, f"refused: {type(refusal).__name__}", [], [], [], text)
    except Exception as crash:  # whatever is raised is what is looked for
        return Outcome(data.kind, "crashed", [f"{type(crash).__name__}: {crash}"], [], [], text)


def judged(model, data, rng):
    """Fit a model to data and judge its claims."""
    if not takes_weights(model):
        data = data._replace(weights=None)
    how = {} if data.weights is None else {"sample_weight": data.weights}
    model.fit(data.X, data.y, **how)
    claim = model.certificate_
    false = [f"stated {claim.stated}"] if isnan(claim.stated) else []
    planes: list = []
    for part, rows in parts_of(model, data):
        planes = planes_for(model, part, rows)
        false += judged_claim(model, part, rows, planes)
    if hasattr(claim, "equations") and not hasattr(asked(model), "ridge"):
        false += judged_discriminant(model, claim, data)
    if hasattr(model, "_fitted_problem") and type(claim).__name__ == "DualityGap":
        false += judged_spoiled(model, data, rng, planes)
    false += judged_file(model, data)
    checks, predictions = judged_containers(model, data)
    return Outcome(data.kind, verdict_of(claim), false, checks, predictions)


def takes_weights(model):
    """Whether rows may have weights."""
    return has_fit_parameter(getattr(model, "estimator", model), "sample_weight")


def verdict_of(claim):
    """What a claim amounts to."""
    if any(type(part).__name__ == "Unproved" for part in getattr(claim, "parts", (claim,))):
        return "no claim"
    if not claim.proof:
        return "unproved"
    return "proved" if claim.stated <= CONVERGED else "wide"


def planes_for(model, claim, part):
    """Planes of about the least objective there is on a part of the data, for claims of a gap."""
    if type(claim).__name__ != "DualityGap" or type(claim.objective).__name__ == "LogLoss":
        return []
    return better_planes(question_of(asked(model), claim, part))


def judged_claim(model, claim, part, planes):
    """What is false about the claim on a part of the data."""
    kind, offset = type(claim).__name__, getattr(asked(model), "fit_intercept", True)
    if hasattr(claim, "parts"):
        return []
    if kind == "DualityGap" and type(claim.objective).__name__ == "LogLoss":
        return judged_log_loss(claim, part, offset)
    if kind == "DualityGap":
        return judged_gap(claim, question_of(asked(model), claim, part), planes)
    if kind == "Separator":
        return judged_separator(model, claim, part)
    if kind == "Unproved":
        return judged_errors(model, claim, part)
    if kind == "NearestPoint":
        return judged_distance(model, claim, part)
    if kind == "Stationary" and hasattr(asked(model), "ridge"):
        return judged_equations(asked(model), claim, part)
    if kind == "Overlap":
        return judged_overlap(claim, part, offset)
    if kind == "WeakSeparator":
        return judged_weak(claim, part, offset)
    return []


def asked(model):
    """The estimator whose options pose the question: of a reduction the one inside."""
    return getattr(model, "estimator", model)


def judged_spoiled(model, data, rng, planes):
    """What is false about figures of other planes and dual points; the question is the same, and so are its planes."""
    problem = model._fitted_problem(data.X, data.y, data.weights)
    wrong = spoiled(model.certificate_, rng)
    fresh = wrong.restated(problem)
    ((_, part),) = parts_of(model, data)
    found = judged_claim(model, fresh, part, planes)
    kept, model.certificate_ = model.certificate_, wrong
    check = verify(model, data.X, data.y, data.weights)
    model.certificate_ = kept
    if check.holds and wrong.stated < fresh.stated * (1.0 - 1e-2) - 1e-2 and not np.array_equal(wrong.w, kept.w):
        found.append("a model that was moved holds")
    return [f"spoiled: {each}" for each in found]


def judged_log_loss(claim, part, offset):
    """What is false about a claim of logistic discrimination, by balls of 300 digits."""
    from flint import arb

    k = 2 if claim.w.ndim == 1 else len(claim.w)
    y = (part.target + 1) // 2 if k == 2 else part.target
    oracle = ExactLogLoss.of(part.X, y, part.cost, claim.objective.C, k, offset)
    planes = oracle.planes(claim.w, claim.b)
    value = oracle.value(planes)
    found = []
    if claim.primal < inf and arb(claim.primal) < value:
        found.append(f"primal {claim.primal!r} is below the objective {float(value)!r}")
    if 0.0 < claim.dual < inf:
        better = oracle.improved(planes)[1]
        if better < arb(claim.dual):
            found.append(f"dual {claim.dual!r} is above the objective {float(better)!r} of planes")
    return found
