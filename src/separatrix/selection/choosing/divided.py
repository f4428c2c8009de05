"""The folds that options are compared on: stratified, of whole groups, or as a splitter of scikit-learn divides."""

from typing import Any

import numpy as np

from separatrix.data.folds import Fold, shuffled_folds, stratified_folds, usable_folds
from separatrix.errors import OptionError, counted
from separatrix.options import whole
from separatrix.selection.choosing.sample import Sample
from separatrix.selection.prepared_folds import fewer_folds_note
from separatrix.selection.splitting import is_count, splits_of


def divided(sample: Sample, folds: Any, repeats: int, seed: int) -> tuple[tuple[Fold, ...], list[str]]:
    """Divide rows, and say what is not as asked.

    >>> sample = Sample(np.zeros((7, 1)), np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 1]))
    >>> found, notes = divided(sample, 5, 1, seed=0)
    >>> len(found), notes
    (3, ['3 folds in place of 5, as the class 1 has 3 rows only.'])
    """
    if is_count(folds) and sample.groups is None:
        return by_count(sample, whole("folds", folds, least=2), repeats, seed)
    if repeats > 1 and (not is_count(folds) or sample.classes is None):
        raise OptionError("repeats= is for a number of folds. Give a splitter that repeats, such as RepeatedKFold.")
    seeds = np.random.default_rng(seed).integers(0, 2**31, repeats).tolist()
    found: list[Fold] = []
    for each in seeds:
        found += splits_of(folds, sample.y, sample.groups, each, sample.classes is not None, name="folds")
    return tuple(found), missing_classes(sample, found)


def by_count(sample: Sample, wanted: int, repeats: int, seed: int) -> tuple[tuple[Fold, ...], list[str]]:
    """So many folds, stratified by class, or as many as there can be."""
    if sample.classes is None:
        n_folds = min(wanted, sample.n)
        notes = [] if n_folds == wanted else [f"{n_folds} folds in place of {wanted}, as many as there are rows."]
        return shuffled_folds(sample.n, n_folds, repeats, seed), notes
    n_folds = usable_folds(sample.codes, sample.classes, wanted)
    notes = [] if n_folds == wanted else [fewer_folds_note(sample.codes, sample.classes, n_folds, wanted)]
    return stratified_folds(sample.codes, n_folds, repeats, seed), notes


def missing_classes(sample: Sample, folds: list[Fold]) -> list[str]:
    """A sentence on folds whose training rows lack a class, whose rows are then all wrong."""
    if sample.classes is None:
        return []
    codes = sample.codes
    n = sum(not np.isin(codes[fold.test], codes[fold.train]).all() for fold in folds)
    return [f"In {n} of {counted(len(folds), 'fold')} a class has test rows and no training row."] if n else []
