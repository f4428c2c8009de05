"""The lab: a page in the browser on which methods are watched while they learn, stop, and prove why."""

from typing import Any

__all__ = ["lab"]


def lab(
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    methods: Any = ("linear SVM",),
    seed: int = 0,
    height: int = 760,
    browser: bool | None = None,
) -> Any:
    """Start the lab, with rows of yours if you give them, and show it in a frame of the notebook or in the browser.

    The server runs in the background of this process, on this machine only, until `close` is called or the process
    ends. It needs the packages of `pip install "separatrix[lab]"`.

    Parameters
    ----------
    X : array or frame of shape (n, d), optional
        Rows to begin with. Of more than two columns, rows are projected on the two directions in which their classes
        differ most; at most 5,000 rows are drawn, each class in proportion.
    y : array of n labels, optional
        Their classes, at most 5; None: all rows are of one class.
    sample_weight : array of n numbers, optional
        What each row counts.
    methods : sequence of names or estimators
        What learns the rows, side by side, at most 4: names of the registry, such as "kernel SVM", or estimators, with
        their options.
    seed : int
        Of the random numbers that methods draw.
    height : int
        Of the frame, in pixels.
    browser : bool or None
        Whether to open the browser; None: outside of notebooks.

    Returns
    -------
    Lab
        With its address `url`, and `close()`; `wait()` waits until it is closed, for scripts. A notebook shows it as a
        frame.

    Examples
    --------
    >>> from separatrix.lab import lab
    >>> with lab([[0, 0], [1, 0], [4, 4], [5, 4]], [0, 0, 1, 1], browser=False) as shown:
    ...     shown.url[:17]
    'http://127.0.0.1:'
    """
    from separatrix.lab.notebook import Lab, start_state

    state = start_state(X, y, sample_weight, methods=methods, seed=seed)
    return Lab(state, height=height, browser=browser)
