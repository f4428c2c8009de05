"""A fitted linear model as plain code that predicts the same."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from separatrix.errors import OptionError
from separatrix.interchange.code.languages import c_code, python_code, sql_code
from separatrix.interchange.code.terms import Terms, terms_of

LANGUAGES: Mapping[str, Callable[[Terms], str]] = {"python": python_code, "sql": sql_code, "c": c_code}


def to_code(model: Any, language: str = "python", path: Any = None) -> str:
    """Write a fitted linear model as code that needs nothing else.

    Parameters
    ----------
    model : fitted linear classifier or regressor, or a pipeline of a Preparation and one
        Whose class with the largest w.x + b wins, or for two classes the sign.
    language : {"python", "sql", "c"}
        Python has `scores(row)` and `predict(row)`, for a sequence of numbers, or a dict where columns have names. SQL
        is a query on a table "points", whose columns are x1, x2, ... where the model knows no names. C has
        `predict(x)`, which gives the place of the class in `LABELS`.
    path : str, Path or None
        A file to write the code to.

    Returns
    -------
    str
        The code.

    Examples
    --------
    >>> from separatrix import LinearSVM, to_code
    >>> model = LinearSVM().fit([[0.0, 1.0], [1.0, 0.0], [4.0, 4.0]], ["a", "a", "b"])
    >>> code = {}
    >>> exec(to_code(model), code)
    >>> code["predict"]([5.0, 5.0]), code["scores"]([5.0, 5.0]) == model.decision_function([[5.0, 5.0]]).tolist()
    ('b', True)
    """
    make = LANGUAGES.get(language)
    if make is None:
        raise OptionError(f"The 'language' parameter must be one of {', '.join(LANGUAGES)}. Got {language!r}.")
    code = make(terms_of(model))
    if path is not None:
        Path(path).write_text(code, encoding="utf-8")
    return code
