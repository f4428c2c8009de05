"""One method on all folds: fitted to the training rows and tested with the others."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from separatrix.certificates import Collected
from separatrix.certificates.claims.bound import bound_of
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.errors import counted
from separatrix.rows import Vector
from separatrix.selection.comparison import Proofs
from separatrix.selection.measures.judging import Judgement
from separatrix.selection.prepared_folds import PreparedRows
from separatrix.selection.regularization_path import last_step


class Trial(NamedTuple):
    """The results of a method on all folds; `predicted` has shape (repeats, n), or none where it failed.

    `errors` are the losses of the metric in each fold, `plain_errors` error rates or mean absolute errors.
    """

    predicted: np.ndarray
    errors: Vector
    plain_errors: Vector
    fit_seconds: float
    predict_seconds: float
    proofs: Proofs | None
    warnings: tuple[str, ...]
    failure: str = ""


class FoldProof(NamedTuple):
    """The kinds of the certificates of a fit, whether they prove it, and the largest error that they state."""

    kinds: frozenset[str]
    proved: bool
    worst: float


class FoldResult(NamedTuple):
    """What was predicted for the test rows of one fold and how wrong that is, the times, and what is proved."""

    judgement: Judgement
    fit_seconds: float
    predict_seconds: float
    proof: FoldProof | None


class FoldOutcome(NamedTuple):
    """The result of a fold or the message of its failure, and its warnings: the category and the text of each."""

    result: FoldResult | str
    warnings: tuple[tuple[str, str], ...]


def cross_validate(
    estimator: Any, data: PreparedRows, proceed: Callable[[int], bool], n_jobs: int | None = None
) -> Trial | None:
    """Fit and test a method on all folds.

    `proceed` is called after each fold with the number of folds done; where it returns False before the last, the
    result is None. An exception of the method ends the trial and is its failure; KeyboardInterrupt is passed on. With
    `n_jobs`, folds are fitted in other processes, as in scikit-learn.
    """
    results: list[FoldResult] = []
    caught: list[tuple[int, str, str]] = []
    n_folds = len(data.folds)
    for k, outcome in enumerate(outcomes(estimator, data, n_jobs)):
        caught += [(k, *warning) for warning in outcome.warnings]
        if isinstance(outcome.result, str):
            failure = f"{outcome.result} (fold {k + 1} of {n_folds})"
            nothing = np.empty(0)
            return Trial(np.empty((0, 0), int), nothing, nothing, 0.0, 0.0, None, summarise(caught, n_folds), failure)
        results.append(outcome.result)
        if not proceed(k + 1) and k + 1 < n_folds:
            return None
    return combine(results, data, summarise(caught, n_folds))


def outcomes(estimator: Any, data: PreparedRows, n_jobs: int | None) -> Iterator[FoldOutcome]:
    """The outcome of each fold in their order."""
    tasks = ((estimator, data.y[fold.train], data.judge(k), *data.rows(k)) for k, fold in enumerate(data.folds))
    if n_jobs in (None, 1):
        return (fit_fold(*task) for task in tasks)
    from joblib import Parallel, delayed

    return iter(Parallel(n_jobs=n_jobs)(delayed(fit_fold)(*task) for task in tasks))


def fit_fold(estimator: Any, labels: np.ndarray, judge: Any, train: Any, test: Any) -> FoldOutcome:
    """Fit a method to training rows and test it; an error message where it raises one."""
    result: FoldResult | str
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        try:
            start = time.perf_counter()
            model = clone(estimator).fit(train, labels)
            fitted = time.perf_counter()
            judgement = judge.judge(model, test)
            result = FoldResult(judgement, fitted - start, time.perf_counter() - fitted, proof_of(model))
        except Exception as problem:  # of any kind: one method that fails must not spoil the table
            result = first_line(problem)
    return FoldOutcome(result, tuple((each.category.__name__, str(each.message)) for each in messages))


def first_line(problem: Exception) -> str:
    """The kind of an exception and the first line of its message."""
    return f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"


def combine(results: list[FoldResult], data: PreparedRows, messages: tuple[str, ...]) -> Trial:
    """Predictions, errors, median times and proofs of all folds; rows that were never tested have no prediction."""
    kind = results[0].judgement.predicted.dtype
    predicted = np.full((data.repeats, data.y.size), np.nan if kind.kind == "f" else -1, dtype=kind)
    for layer, fold, result in zip(data.layers, data.folds, results, strict=True):
        predicted[layer, fold.test] = result.judgement.predicted
    return Trial(
        predicted,
        np.array([result.judgement.loss for result in results]),
        np.array([result.judgement.error for result in results]),
        float(np.median([result.fit_seconds for result in results])),
        float(np.median([result.predict_seconds for result in results])),
        combine_proofs([result.proof for result in results]),
        messages,
    )


def proof_of(model: Any) -> FoldProof | None:
    """What the certificate of a model, or of the last step of a pipeline, proves; None where it has none."""
    claim = getattr(last_step(model), "certificate_", None)
    if claim is None:
        return None
    parts = claim.parts if isinstance(claim, Collected) else (claim,)
    return FoldProof(frozenset(type(part).__name__ for part in parts), proves_fit(claim), bound_of(claim))


def combine_proofs(proofs: list[FoldProof | None]) -> Proofs | None:
    """The kinds of the certificates, how many of them prove the fit, and their largest error."""
    found = [proof for proof in proofs if proof is not None]
    if len(found) < len(proofs):
        return None
    kinds = frozenset().union(*(proof.kinds for proof in found))
    return Proofs(
        ", ".join(sorted(kinds)),
        sum(proof.proved for proof in found),
        len(found),
        max(proof.worst for proof in found),
    )


def summarise(caught: list[tuple[int, str, str]], n_folds: int) -> tuple[str, ...]:
    """The first warning of each category, and the number of folds with one."""
    folds: dict[str, set[int]] = {}
    first: dict[str, str] = {}
    for k, category, message in caught:
        folds.setdefault(category, set()).add(k)
        first.setdefault(category, message)
    return tuple(f"{kind} in {len(folds[kind])} of {counted(n_folds, 'fold')}: {first[kind]}" for kind in first)
