"""Model files: a fitted model as JSON that people can read, that holds no code, and that gives back the same model.

    {"format": "separatrix model", "schema": 2, "separatrix": version, "data": fingerprint or null,
     "model": {"class": ..., "parameters": {...}, "fitted": {...}}, "checksum": "sha256:..."}

Every float is exact, so that a loaded model predicts what the stored one did, to the last bit. The certificate is in
the file with the dual variables that it needs, unless they were left out, and `verify` recomputes it from the data. The
checksum detects a changed file; it is no signature, and the certificate does not depend on it.
"""

import os
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from sklearn.base import is_regressor

from separatrix.data.blocks import Blocks
from separatrix.data.blocks.fingerprint import fingerprint_of_blocks
from separatrix.data.files.writing import written
from separatrix.data.fingerprint import Fingerprint, earlier_fingerprint, fingerprint, fingerprint_of_rows
from separatrix.data.prepare.frames import is_frame
from separatrix.data.prepare.preparation import as_columns
from separatrix.data.row_fingerprint import ROWS, RowSums
from separatrix.errors import FormatError, OptionError, naming
from separatrix.estimators.store.arrays import UnfitError, shown
from separatrix.estimators.store.checks import check_names, check_widths, fits, is_fitted
from separatrix.estimators.store.layout import DAMAGED, laid_out, parsed, seal
from separatrix.estimators.store.values import read, write_model
from separatrix.estimators.store.without_dual import without_dual
from separatrix.version import __version__

FORMAT, SCHEMA = "separatrix model", 2
EARLIER_SCHEMA = 1  # without compressed arrays; its fingerprints are of the features that pipelines made, not of tables
FINGERPRINT = {"rows": int, "features": int, "classes": dict[str, int] | None, "weighted": bool, "sha256": str}


class ModelFile(NamedTuple):
    """What is in a model file: the model, the fingerprint of its data, who wrote it, and whether it is as written."""

    model: Any
    fingerprint: Fingerprint | None
    version: str
    intact: bool
    schema: int = SCHEMA

    def is_of(self, data: Any, features: Any) -> bool | None:
        """Whether a model was fitted to data, (X, y) or (X, y, sample_weight), by their fingerprint; None: not known.

        Earlier files may have that of the features which the pipeline makes of X, and those of a fit to blocks of rows
        have sums over the rows of these features.
        """
        if self.fingerprint is None:
            return None
        if self.fingerprint.sha256.startswith(ROWS):
            y, weights = (*data[1:], None)[:2]
            sums = RowSums.of(features, y, weights, is_regressor(self.model))
            return sums.fingerprint == self.fingerprint
        if fingerprint_of(data, self.model) == self.fingerprint:
            return True
        earlier = self.schema == EARLIER_SCHEMA
        return earlier and earlier_fingerprint(features, *data[1:]) == self.fingerprint


def save(model: Any, path: str | os.PathLike[str], *, data: Any = None, dual: bool = True) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : fitted classifier or regressor of this package, or a Pipeline that ends in one
        Before it, a pipeline may have Preparation, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler,
        SimpleImputer, OneHotEncoder, OrdinalEncoder, a ColumnTransformer of these, models of this package, and
        "passthrough". A classifier may be inside of a FixedThresholdClassifier.
    path : path
        The file. What is there is replaced, at once, when all of the new one is on the disk.
    data : (X, y), (X, y, sample_weight), Blocks or Fingerprint, optional
        What the model was fitted to, for a pipeline the table as its first step gets it; y is None where it learns from
        rows alone. The file keeps a fingerprint of it, not the data themselves: with it, `separatrix verify` can say
        whether it is given the same data.
    dual : bool
        Whether the dual variables of the certificate are stored, a number for each support row. Without them the file
        is small, `load` and `predict` are as ever, and `verify` cannot recompute a duality gap: it says so.

    Raises
    ------
    OptionError
        Where a parameter cannot be stored, such as a learning rate that is a Python function. Nothing is written.

    Notes
    -----
    `trace_`, the recorded run of `record=True`, is left out, as it holds the training rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import LinearSVM, load, save, verify
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [4.0, 4.0], [5.0, 4.0]], ["no", "no", "yes", "yes"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.json")
    ...     save(LinearSVM(C=10).fit(X, y), file, data=(X, y))
    ...     text, model = file.read_text(), load(file)
    >>> print(text[:110])
    {
      "format": "separatrix model",
      "schema": 2,
      "separatrix": "...
    >>> model.predict([[3.0, 3.0]]).item(), verify(model, X, y).proved
    ('yes', True)
    """
    text = model_text(model, data=data, dual=dual)
    with written(path) as stream:
        stream.write(text)


def model_text(model: Any, *, data: Any = None, dual: bool = True) -> str:
    """The text of a model file, as `save` writes it; the parameters are those of `save`.

    Examples
    --------
    >>> from separatrix import LinearSVM
    >>> from separatrix.estimators.store.model_file import model_text
    >>> text = model_text(LinearSVM().fit([[0.0], [1.0]], ["no", "yes"]))
    >>> text.splitlines()[1]
    '  "format": "separatrix model",'
    """
    try:
        tree: dict[str, Any] = {"format": FORMAT, "schema": SCHEMA, "separatrix": __version__}
        known = data if data is None or isinstance(data, Fingerprint) else fingerprint_of(data, model)
        tree["data"] = None if known is None else asdict(known)
        tree["model"] = write_model(model if dual else without_dual(model), "The model")
        if not is_fitted(model):
            raise OptionError(f"{type(model).__name__} is not fitted, so there is nothing to store: call fit first.")
        read(tree["model"])  # what cannot be read again is not written
        return laid_out({**tree, "checksum": seal(tree)}).decode("utf-8")
    except RecursionError:
        raise OptionError(f"{type(model).__name__} holds itself, or models nested too deeply to be stored.") from None
    except UnfitError as problem:
        raise OptionError(
            f"{type(model).__name__} cannot be stored, as it could not be read again: {one_line(problem)}."
        ) from None


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that `save` wrote.

    Parameters
    ----------
    path : path
        The file. No code in it can run: only classes of a fixed list are made, of values that are checked.

    Returns
    -------
    estimator
        As it was stored: the same parameters, the same attributes and certificate, the same predictions to the last
        bit.

    Raises
    ------
    FormatError
        Where the file is no model file, is damaged, was changed after it was written, or comes from a newer version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import Perceptron, load, save
    >>> model = Perceptron(random_state=0).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.json")
    ...     save(model, file)
    ...     again = load(file)
    ...     _ = file.write_text(file.read_text().replace("coef_", "Coef_"))
    ...     load(file)
    Traceback (most recent call last):
    separatrix.errors.FormatError: ...model.json: the checksum does not fit: the file was changed after it was ...
    >>> again.coef_ == model.coef_
    array([[ True]])
    """
    return read_model_file(path).model


def read_model_file(path: str | os.PathLike[str], *, tampered: Literal["refuse", "keep"] = "refuse") -> ModelFile:
    """Read all that is in a model file; one whose checksum does not fit is refused, or kept as not `intact`.

    A changed file may be kept by those who recompute the certificate.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from separatrix import Perceptron, save
    >>> from separatrix.estimators.store.model_file import read_model_file
    >>> X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Perceptron().fit(X, y), pathlib.Path(folder, "model.json"), data=(X, y))
    ...     found = read_model_file(pathlib.Path(folder, "model.json"))
    >>> found.intact, found.fingerprint.classes
    (True, {'0': 2, '1': 1})
    """
    if tampered not in ("refuse", "keep"):
        raise OptionError(f"The 'tampered' parameter must be 'refuse' or 'keep'. Got {tampered!r}.")
    with naming(os.fspath(path)), open(path, "rb") as stream:
        tree = parsed(stream.read(), os.fspath(path))
    try:
        check_header(tree, os.fspath(path))
        checksum = tree.pop("checksum", None)
        try:
            intact = checksum == seal(tree)
        except ValueError:
            raise UnfitError("a number is too large, such as 1e999") from None
        if not intact and tampered == "refuse":
            raise UnfitError("the checksum does not fit: the file was changed after it was written, or damaged")
        return ModelFile(*read_body(tree), tree["separatrix"], intact, tree["schema"])
    except UnfitError as problem:
        raise FormatError(f"{os.fspath(path)}: {one_line(problem)}. {DAMAGED}.") from None
    except RecursionError:
        raise FormatError(f"{os.fspath(path)}: objects are nested too deeply for a model file. {DAMAGED}.") from None


def check_header(tree: Any, path: str) -> None:
    """Refuse what is no model file, or one that only a later version understands."""
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        what = f"its format is {shown(tree.get('format'))}" if isinstance(tree, dict) else f"it holds {shown(tree)}"
        raise FormatError(f"{path}: no model file of separatrix: {what}. Give a file that separatrix.save wrote.")
    schema = tree.get("schema")
    if type(schema) is int and schema > SCHEMA:
        raise FormatError(
            f"{path}: was written by a newer separatrix (schema {schema}); this one reads {SCHEMA}: upgrade."
        )
    if type(schema) is not int or schema not in (EARLIER_SCHEMA, SCHEMA):
        raise UnfitError(f"the schema is {EARLIER_SCHEMA} or {SCHEMA}, not {shown(schema)}")


def read_body(tree: dict[str, Any]) -> tuple[Any, Fingerprint | None]:
    """The model and the fingerprint of its data."""
    check_names(tree, {"format", "schema", "separatrix", "data", "model"}, set())
    if not isinstance(tree["separatrix"], str):
        raise UnfitError(f"the version is text, not {shown(tree['separatrix'])}")
    model, known = read(tree["model"]), tree["data"]
    if not is_fitted(model):
        raise UnfitError("'model' holds no fitted model")
    check_widths(model)
    if known is None:
        return model, None
    if not isinstance(known, dict):
        raise UnfitError(f"'data' is a fingerprint or null, not {shown(known)}")
    check_names(known, set(FINGERPRINT), set())
    strange = next((name for name, hint in FINGERPRINT.items() if not fits(known[name], hint)), None)
    if strange:
        raise UnfitError(f"{strange!r} of 'data' cannot be {shown(known[strange])}")
    return model, Fingerprint(**known)


def one_line(problem: Exception) -> str:
    """A message without the line breaks and the full stop that it may have from elsewhere."""
    return " ".join(str(problem).split()).rstrip(".")


def fingerprint_of(data: Any, model: Any = None) -> Fingerprint:
    """The fingerprint of (X, y) or (X, y, sample_weight), where X is the table that a model gets, or of Blocks.

    A column that holds the labels is no part of the table, where the model has a Preparation that says so.
    """
    if isinstance(data, Blocks):
        rows = model[0].transform(data) if type(model).__name__ == "Pipeline" else data
        return fingerprint_of_blocks(rows, is_regressor(model))
    if not isinstance(data, (tuple, list)) or len(data) not in (2, 3):
        raise OptionError(f"The 'data' parameter must be (X, y) or (X, y, sample_weight). Got {shown(data)}.")
    X, y, *weights = data
    target = getattr(model[0], "target", None) if type(model).__name__ == "Pipeline" else None
    if target is not None and is_frame(X):
        X = as_columns(X).without(target)
    return fingerprint_of_rows(X, *weights) if y is None else fingerprint(X, y, *weights)
