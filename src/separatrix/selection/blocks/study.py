"""A study of rows in blocks: everything is compared, chosen and tested on a sample, and the choice is fitted to all.

The page draws the rows of the sample, and the fit to them; the certificate and the model that is stored are those of
the fit to all rows.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.data.blocks import Blocks
from separatrix.data.blocks.sampling import SampledRows
from separatrix.errors import counted, first_few
from separatrix.selection.findings import Findings, WholeFit, fit_and_collect_warnings


def fitted_to_blocks(found: Findings, blocks: Blocks, sample: SampledRows) -> Findings:
    """The study of a sample of blocks, with its choice fitted to all of them."""
    preparation = clone(found.model[0]).fit(blocks)
    step, chosen = found.model.steps[-1]
    estimator = clone(chosen)
    messages = fit_and_collect_warnings(estimator, preparation.transform(blocks), None)
    sentence = f"Compared on {sample.words}; the model is fitted to all."
    model = Pipeline([("preparation", preparation), (step, estimator)])
    notes = [sentence, *unseen_classes(chosen, estimator), *found.notes]
    return replace(found, whole=WholeFit(model, sample.n_all, sentence), notes=notes, warnings=messages)


def unseen_classes(sampled: Any, fitted: Any) -> list[str]:
    """A sentence on classes that the sample has no row of, if there are any."""
    classes = getattr(fitted, "classes_", None)
    if classes is None:
        return []
    absent = np.setdiff1d(classes, sampled.classes_).tolist()
    if not absent:
        return []
    many = counted(len(absent), "class", "classes")
    return [f"The sample has no row of {many}: {first_few([repr(each) for each in absent])}. Draw more rows."]
