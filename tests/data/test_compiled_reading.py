"""Compiled loops over the bytes of a file read what the csv module reads, and round numbers as Python does."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.data.files import cells
from separatrix.data.files.cell_bounds import parsed_numbers
from separatrix.data.files.reading import read_columns
from separatrix.data.prepare.columns import Words
from separatrix.errors import FormatError


def numbers(texts, decimal=".", thousands=""):
    """The numbers that the loop reads, None where it leaves a cell to Python."""
    sizes = np.array([len(text.encode()) for text in texts])
    ends = np.cumsum(sizes + 1) - 1
    content = np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)
    found, left = parsed_numbers(content, (ends - sizes, ends), decimal, thousands)
    return [None if i in set(left.tolist()) else value for i, value in enumerate(found.tolist())]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_floats_are_read_to_the_last_bit(values):
    found = numbers([repr(value) for value in values])
    assert all(own is None or own.hex() == value.hex() for own, value in zip(found, values, strict=True))
    usual = [own for own, value in zip(found, values, strict=True) if value == 0 or 1e-300 < abs(value) < 1e300]
    assert None not in usual


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**19 - 1), st.integers(-330, 300))
def test_digits_and_exponents_are_read_to_the_last_bit(digits, exponent):
    text = f"{digits}e{exponent}"
    (found,) = numbers([text])
    assert found is None or found.hex() == float(text).hex()


def test_ties_are_rounded_to_even():
    texts = ["9007199254740993", "9007199254740995", "9007199254740992.5", "1e23", "8.5e22", "0.3", "4.5e15", "-0.0"]
    assert [value.hex() for value in numbers(texts)] == [float(text).hex() for text in texts]


def test_what_is_no_plain_number_is_left_to_python():
    strange = ["x", "1_0", "nan", "inf", "1e", "e5", "-", "1 2", "0x1", "1,5", "12345678901234567890", "1e99999", "5%"]
    assert numbers(strange) == [None] * len(strange)
    assert numbers(["1,234", "1,234,567.5", "1234"], thousands=",") == [1234.0, 1234567.5, 1234.0]
    assert numbers(["12,34", "1,2345", ",123", "1234,567", "1,234,"], thousands=",") == [None] * 5
    assert numbers(["1.234,5", "-0,5", "1.5"], ",", ".") == [1234.5, -0.5, None]
    assert np.isnan(numbers(["", "  "])).all()


def table_text(rows=9000, seed=0):
    """A table with all that cells may hold: quotes, commas, line breaks, blanks, gaps, letters of many bytes."""
    random = np.random.default_rng(seed)
    words = ["plain", '"a ""b"" c"', '"x,y"', '"two\nlines"', "größe", "  blanks ", '""', "NA"]
    lines = ["number,word,whole,y"]
    for i in range(rows):
        number = "" if i % 17 == 0 else repr(float(random.normal()))
        lines.append(f"{number},{words[int(random.integers(len(words)))]},{int(random.integers(10**6))},{'ab'[i % 2]}")
        if i % 1000 == 0:
            lines.append("   ")
    return lines


def both_ways(content, monkeypatch, **how):
    """The file by compiled loops, and by the csv module."""
    fast = read_columns(io.BytesIO(content), **how)
    monkeypatch.setattr(cells, "MIN_BYTES_FOR_LOOPS", 10**12)
    return fast, read_columns(io.BytesIO(content), **how)


def assert_same(one, other):
    for name, own, else_ in zip(one.X.names, one.X.values, other.X.values, strict=True):
        if isinstance(own, Words):
            assert own.words == else_.words, name
            np.testing.assert_array_equal(own.codes, else_.codes)
        else:
            np.testing.assert_array_equal(own, else_)
    np.testing.assert_array_equal(one.lines, other.lines)
    assert one.labels.tolist() == other.labels.tolist()


@pytest.mark.large
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_loops_read_what_the_csv_module_reads(monkeypatch, end):
    content = end.join(line.replace("\n", "\n" if end == "\n" else "") for line in table_text(20_000)).encode()
    assert len(content) > cells.MIN_BYTES_FOR_LOOPS
    calls = []
    real = cells.find_cells
    monkeypatch.setattr(cells, "MIN_BYTES_FOR_IMPORT", 0)
    monkeypatch.setattr(cells, "find_cells", lambda *given: calls.append(1) or real(*given))
    fast, plain = both_ways(content, monkeypatch)
    assert calls
    assert_same(fast, plain)


@pytest.mark.large
def test_an_odd_row_is_left_to_the_csv_module(monkeypatch):
    lines = table_text(20_000)
    lines[15_000] = "1,a\rb,2,a"  # a lone return within a row, which the csv module refuses
    monkeypatch.setattr(cells, "MIN_BYTES_FOR_IMPORT", 0)
    with pytest.raises(FormatError) as fast:
        read_columns(io.BytesIO("\n".join(lines).encode()))
    monkeypatch.setattr(cells, "MIN_BYTES_FOR_LOOPS", 10**12)
    with pytest.raises(FormatError) as plain:
        read_columns(io.BytesIO("\n".join(lines).encode()))
    assert str(fast.value) == str(plain.value)
    lines[15_000] = "1,2"
    monkeypatch.undo()
    with pytest.raises(FormatError, match="the line has 2 fields but the header has 4"):
        read_columns(io.BytesIO("\n".join(lines).encode()))
