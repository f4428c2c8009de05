"""What a search of options found: the choice, the errors of all settings, the model and its one test."""

from dataclasses import dataclass
from typing import Any

from separatrix.selection.choosing.nested import NestedError
from separatrix.selection.differences import Interval
from separatrix.selection.grid_errors import GridErrors, Place
from separatrix.selection.measures.metrics import ERROR, Metric


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The chosen options, the errors they were chosen by, and the model.

    Made by `choose`. `print` it for the table of settings; `report.choice_chart` draws it.

    Attributes
    ----------
    parameters : dict
        The chosen options.
    grid : GridErrors
        The error of every setting on every fold: `options`, `errors`, `mean`, `standard_error`; `failures` has the
        reason of settings that failed, `not_tried` those that the time limit did not reach.
    model : estimator
        With the chosen options, fitted to all rows but the test rows.
    test_error, test_interval : float and Interval, or None
        Its error on the test rows and the 95 % interval; None without test rows. As everywhere in `grid`, less is
        better: `metric.shown(test_error)` is the value of a metric of which more is better.
    n_test : int
        How many test rows there were.
    metric : Metric
        What errors are: by default the part of the rows that is wrong, or the mean absolute error of numbers.
    nested : NestedError or None
        The error of the whole procedure, if it was asked for.
    rule : str
        How the setting was chosen.
    notes : tuple of str
        What is to be known about folds and test rows.
    n_rows : int
        How many rows were chosen with.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearSVM, choose
    >>> print(choose(LinearSVM(), *load_iris(return_X_y=True), {"C": [0.001, 1.0]}))
    LinearSVM: 2 settings, 5 folds of 120 rows
    <BLANKLINE>
        C  error %  ± s.e.
        1     8.33    2.28  chosen
    0.001    31.67    1.02
    <BLANKLINE>
    Tested once, on 30 rows that had no part in the choice: error 6.67 %, 95 %
    interval 0.8 to 22.1.
    """

    parameters: dict[str, Any]
    grid: GridErrors
    model: Any
    test_error: float | None
    test_interval: Interval | None
    n_test: int
    metric: Metric = ERROR
    nested: NestedError | None = None
    rule: str = "best"
    notes: tuple[str, ...] = ()
    n_rows: int = 0

    @property
    def place(self) -> Place:
        """The place of the chosen setting in the grid."""
        return self.grid.best if self.rule == "best" else self.grid.simplest

    def __repr__(self) -> str:
        from separatrix.selection.choosing.choice_table import shown

        return f"Choice({shown(self.parameters)})"

    def __str__(self) -> str:
        from separatrix.selection.choosing.choice_table import as_text

        return as_text(self)

    def to_frame(self) -> Any:
        """The settings as a frame of pandas, in the order of the grid: options, metric, standard error, failure."""
        from separatrix.selection.choosing.choice_table import as_frame

        return as_frame(self)

    def _repr_html_(self) -> str:
        from separatrix.selection.choosing.choice_table import as_html

        return as_html(self)
