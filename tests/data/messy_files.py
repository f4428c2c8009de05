"""Files as people have them: one table, written in many ways, each with what is unusual about it.

    python tests/data/messy_files.py FOLDER

writes them all. `MESSY` names them; `options` is what a reader must be told, and `note` a part of what it must say.
"""

import bz2
import csv
import datetime
import gzip
import io
import lzma
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

N = 60
NAMES = ["patient", "age", "income", "share", "town", "seen", "ill"]


class Messy(NamedTuple):
    """A way to write the table: the name of the file, its bytes, what the reader is told, and what it says."""

    name: str
    content: bytes
    options: dict = {}  # noqa: RUF012, a named tuple
    note: str = ""


def table(seed=0):
    """The rows: an identifier, numbers with and without fractions, words, dates, and whether a patient is ill."""
    random = np.random.default_rng(seed)
    rows = []
    for i in range(N):
        ill = i % 2
        rows.append(
            {
                "patient": f"P{i:04d}",
                "age": round(float(random.normal(40 + 20 * ill, 8)), 1),
                "income": int(random.integers(1, 90_000) * 25),
                "share": round(float(random.uniform(0, 100)), 1),
                "town": ("Köln", "Oslo", "Lima")[int(random.integers(3))],
                "seen": datetime.date(2023, 11, 20) + datetime.timedelta(days=int(random.integers(0, 400))),
                "ill": ("no", "yes")[ill],
            }
        )
    return rows


def text(rows, delimiter=",", header=True, names=None):
    """Rows as delimited text."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writerow(names or list(rows[0]))
    writer.writerows(row.values() for row in rows)
    return stream.getvalue()


def written_otherwise(**how):
    """The rows with some columns written by functions."""
    return [{name: how.get(name, lambda value: value)(value) for name, value in row.items()} for row in table()]


def decimal_comma(value):
    return str(value).replace(".", ",")


def missing_in(rows, every, word, names=("age", "town")):
    """The rows with a word for missing in every so many."""
    return [{**row, **(dict.fromkeys(names, word) if i % every == 0 else {})} for i, row in enumerate(rows)]


def zipped(content, name="patients.csv"):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def spoiled_rows():
    """Per cent signs, thousands, dates in the American way, and rows without a label."""
    rows = written_otherwise(
        share=lambda value: f"{value}%", income=lambda value: f"{value:,}", seen=lambda day: f"{day:%m/%d/%Y}"
    )
    return [{**row, "ill": "" if i in (5, 17) else row["ill"]} for i, row in enumerate(rows)]


def messy_files():
    """All of them."""
    plain = text(table())
    commas = text(written_otherwise(age=decimal_comma, share=decimal_comma), ";")
    german = text(written_otherwise(age=decimal_comma, share=decimal_comma, seen=lambda day: f"{day:%d.%m.%Y}"), ";")
    twice = ["patient", "age", "income", "age", "town", "seen", "ill"]
    return [
        Messy("plain.csv", plain.encode()),
        Messy("semicolons.csv", commas.encode(), note="decimal comma"),
        Messy("german_dates.csv", german.encode(), note="decimal comma"),
        Messy("latin.csv", commas.encode("latin-1"), {"encoding": "latin-1"}, note="decimal comma"),
        Messy("wide.csv", plain.encode("utf-16"), note="UTF-16"),
        Messy("thousands.csv", text(written_otherwise(income=lambda v: f"{v:,}")).encode(), note="between thousands"),
        Messy("unknown.csv", text(missing_in(table(), 7, "Unknown")).encode(), {"missing": ("unknown",)}),
        Messy("patients.csv.gz", gzip.compress(plain.encode())),
        Messy("patients.csv.xz", lzma.compress(plain.encode())),
        Messy("patients.csv.bz2", bz2.compress(plain.encode())),
        Messy("patients.zip", zipped(plain)),
        Messy("comment.csv", f"# exported 2024-01-31, all wards\n#\n{plain}".encode(), note="2 lines above"),
        Messy("title.csv", f"All wards in 2024\n\n{plain}".encode(), note="1 line above"),
        Messy("headerless.csv", text(table(), header=False).encode(), {"header": False}),
        Messy("twice.csv", text(table(), names=twice).encode(), note="'age.1'"),
        Messy("spoiled.csv", text(spoiled_rows()).encode(), note="2 rows without a label left out"),
    ]


MESSY = {messy.name: messy for messy in messy_files()}


def write_all(folder):
    """Write every file into a folder; returns their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for messy in MESSY.values():
        (folder / messy.name).write_bytes(messy.content)
    return [folder / name for name in MESSY]


if __name__ == "__main__":
    write_all(sys.argv[1])
