"""Words in new rows that a Preparation did not see in its fit, which count as no category at all."""

from collections import Counter
from typing import Any

import numpy as np

from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.prepare.prepared_column import OTHER, category
from separatrix.errors import counted

MAX_SHOWN = 5


class UnseenWords:
    """How many rows hold which unseen words, column by column.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix import Preparation
    >>> from separatrix.data.prepare.preparation import as_columns
    >>> fitted = Preparation().fit(pd.DataFrame({"town": ["Rome", "Oslo", "Rome"]}))
    >>> unseen = UnseenWords()
    >>> unseen.add(fitted, as_columns(pd.DataFrame({"town": ["Kiel", "Rome", "Kiel"]})))
    >>> unseen.sentences
    ["'town' has 2 rows with words that the fit did not see: 'Kiel' (2). They are of no category."]
    """

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}

    def add(self, preparation: Any, X: Any) -> None:
        """Count the rows of a block."""
        if not isinstance(X, Columns):
            return
        given = dict(zip(X.names, X.values, strict=True))
        for own in getattr(preparation, "columns_", ()):
            column = given.get(own.name)
            if own.kind != "text" or OTHER in own.categories or not isinstance(column, Words):
                continue
            known, counts = set(own.categories), column.counts
            for j in np.flatnonzero(counts).tolist():
                if category(column.words[j]) not in known:
                    self.counts.setdefault(own.name, Counter())[column.words[j]] += int(counts[j])

    @property
    def sentences(self) -> list[str]:
        """A sentence for each column with unseen words."""
        found = []
        for name, words in self.counts.items():
            shown = ", ".join(f"{word!r} ({count:,})" for word, count in words.most_common(MAX_SHOWN))
            more = ", ..." if len(words) > MAX_SHOWN else ""
            rows = counted(sum(words.values()), "row")
            unseen = f"{rows} with words that the fit did not see: {shown}{more}"
            found.append(f"{name!r} has {unseen}. They are of no category.")
        return found
