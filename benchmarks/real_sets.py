"""Sets of real data: those that scikit-learn brings along, and files or folders of LIBSVM text, CSV or NumPy arrays."""

import gzip
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import datasets

from separatrix.data.files.reading import read_columns
from separatrix.data.prepare.preparation import Preparation

BUILT_IN = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}
SUFFIXES = (".csv", ".tsv", ".svm", ".libsvm", ".txt", ".t", ".npz", ".scale", "")


class RealSet(NamedTuple):
    """Rows, their labels, and what they are called."""

    name: str
    X: Any
    y: np.ndarray

    @property
    def size(self) -> str:
        """How many rows, columns and classes."""
        return f"{self.X.shape[0]:,} x {self.X.shape[1]:,}, {np.unique(self.y).size} classes"

    @property
    def megabytes(self) -> float:
        """What the rows take."""
        parts = (self.X.data, self.X.indices, self.X.indptr) if sparse.issparse(self.X) else (self.X,)
        return sum(part.nbytes for part in parts) / 2**20


def built_in(name: str) -> RealSet:
    """A set of scikit-learn."""
    X, y = BUILT_IN[name](return_X_y=True)
    return RealSet(name, np.ascontiguousarray(X, dtype=float), y)


def files_of(path: str) -> list[Path]:
    """A file, or the files of a folder that may hold a set."""
    place = Path(path)
    if not place.exists():
        raise SystemExit(f"There is no file or folder {path!r}. Name one that holds LIBSVM text, CSV or .npz.")
    found = sorted(place.iterdir()) if place.is_dir() else [place]
    return [each for each in found if each.is_file() and plain_suffix(each) in SUFFIXES]


def plain_suffix(path: Path) -> str:
    """The suffix, without .gz."""
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix


def read(path: Path) -> RealSet:
    """Read a set from a file; words become indicator columns, and missing numbers medians."""
    if plain_suffix(path) == ".npz":
        with np.load(path) as arrays:
            found = {key: arrays[key] for key in arrays.files}
        X = found["X"] if "X" in found else next(a for a in found.values() if a.ndim == 2)
        y = found["y"] if "y" in found else next(a for a in found.values() if a.ndim == 1)
        return RealSet(path.stem, np.ascontiguousarray(X, dtype=float), y)
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    raw = read_columns(io.StringIO(text))
    X = Preparation(raw.target or None, scale=False).fit(raw.X).transform(raw.X)
    return RealSet(path.name, X, np.asarray(raw.labels))


def reduced(given: RealSet, max_rows: int | None, scale: bool) -> RealSet:
    """At most so many rows, drawn at random, and dense columns of mean 0 and deviation 1 where that is asked for."""
    X, y = given.X, given.y
    if max_rows is not None and X.shape[0] > max_rows:
        chosen = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:max_rows])
        X, y = X[chosen], y[chosen]
    if scale and not sparse.issparse(X):
        deviation = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int64)  # the same labels for everybody
    return RealSet(given.name, sparse.csr_matrix(X) if sparse.issparse(X) else X, codes)
