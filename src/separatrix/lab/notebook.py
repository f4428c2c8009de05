"""The lab of notebooks and scripts: a server in the background, the rows that it begins with, and its frame."""

import sys
from html import escape
from typing import Any, Self

import numpy as np
from scipy import sparse

from separatrix.data.encode import features
from separatrix.data.prepare.columns import Columns, Words, as_text
from separatrix.data.prepare.frames import frame_values, is_frame
from separatrix.data.table import shortened
from separatrix.errors import DataError, OptionError
from separatrix.estimators.registry import algorithm_of
from separatrix.lab.controls import controls_of
from separatrix.lab.limits import MAX_SLOTS
from separatrix.lab.menu import method_named
from separatrix.lab.points import points_of
from separatrix.lab.question import MAX_SEED, options_of, same, whole_number
from separatrix.lab.upload import Upload, message_of, projected, rows_of

NAME = "the data"
TARGET = "class of the row"


class Lab:
    """A lab that runs in the background: its address, and how to end it.

    Parameters
    ----------
    state : dict or None
        What the page shows at first.
    height : int
        Of the frame, in pixels.
    browser : bool or None
        Whether to open the browser; None: outside of notebooks.
    """

    def __init__(self, state: dict[str, Any] | None, height: int = 760, browser: bool | None = None) -> None:
        try:
            from separatrix.lab.serving.server import Running
        except ImportError as missing:
            raise ImportError(
                "The lab needs starlette, uvicorn and websockets, which are not installed. Use: "
                'pip install "separatrix[lab]"'
            ) from missing
        self.height = whole_number("height", height, 10_000)
        self.running = Running(state)
        if browser or (browser is None and not in_notebook()):
            import webbrowser

            webbrowser.open(self.url)

    @property
    def url(self) -> str:
        """The address of the page, with the token that it needs."""
        return self.running.address.url

    def wait(self) -> None:
        """Wait until the lab is closed; Ctrl-C closes it."""
        try:
            self.running.thread.join()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the server."""
        self.running.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Lab({self.url!r})"

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{escape(self.url)}" title="separatrix lab" width="100%" height="{self.height}" '
            'style="border:0" allow="clipboard-write"></iframe>'
        )


def in_notebook() -> bool:
    """Whether a notebook shows what is returned to it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def start_state(X: Any, y: Any, sample_weight: Any, *, methods: Any, seed: Any) -> dict[str, Any] | None:
    """What the page shows at first: rows and methods that are given; None where no rows are.

    >>> state = start_state([[0, 0], [1, 2]], ["no", "yes"], None, methods="pocket", seed=0)
    >>> state["data"]["x"], state["data"]["classes"], state["slots"]
    ([0.0, 1.0], ['no', 'yes'], [{'method': 'pocket', 'options': {}}])
    """
    if X is None:
        if y is not None or sample_weight is not None:
            raise DataError("There are labels or weights without rows: give X as well.")
        return None
    slots = [slot(each) for each in ([methods] if isinstance(methods, str) or hasattr(methods, "fit") else methods)]
    if not 1 <= len(slots) <= MAX_SLOTS:
        raise OptionError(f"The 'methods' parameter must have 1 to {MAX_SLOTS} methods. Got {len(slots)}.")
    return {"data": data_of(X, y, sample_weight), "slots": slots, "seed": whole_number("seed", seed, MAX_SEED)}


def slot(method: Any) -> dict[str, Any]:
    """A method by its name, or as an estimator, with those of its options that the page has."""
    if isinstance(method, str):
        return {"method": method_named(method).name, "options": {}}
    row = algorithm_of(method)
    if row is None:
        raise OptionError(f"'methods' must hold names of the registry or its estimators. Got {shortened(method)}.")
    given = {control.name: getattr(method, control.name) for control in controls_of(method_named(row.name))}
    defaults = {control.name: control.default for control in controls_of(row)}
    changed = {name: value for name, value in given.items() if not same(value, defaults[name])}
    as_sent = {name: "inf" if value == np.inf else value for name, value in changed.items()}
    options_of(as_sent, row)
    return {"method": row.name, "options": as_sent}


def data_of(X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """Rows as the page has them: two columns as they are, more of them projected."""
    matrix = features(X)
    values = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
    names = tuple(frame_values(X)[1]) if is_frame(X) else ()
    names = tuple(map(str, names)) or tuple(f"x{j + 1}" for j in range(values.shape[1]))
    columns: dict[str, Any] = dict(zip(names, values.T, strict=True))
    target = None
    if y is not None:
        labels = np.asarray(y).ravel().tolist()
        if len(labels) != len(values):
            raise DataError(f"X has {len(values)} rows but there are {len(labels)} labels: give one label a row.")
        target = TARGET
        columns[target] = Words.of(as_text(label) for label in labels)
    upload = Upload(Columns(tuple(columns), tuple(columns.values()), len(values)), NAME, ())
    rows = rows_of(upload, target, np.ones(len(values), dtype=bool))
    if values.shape[1] == 2:
        message = message_of(upload, values[rows.taken], rows, (names[0], names[1]))
    else:
        message = projected(upload, names, rows)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[rows.taken].tolist()
    data = {**message["data"], "weight": weights}
    points_of(data)  # refuses what the page could not send
    return data
