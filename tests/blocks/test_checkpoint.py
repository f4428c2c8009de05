"""A fit goes on from the results of its passes that a file has; the file is whole at any time, and of that fit."""

import errno
import os
import signal
import subprocess
import sys
import zipfile
from fractions import Fraction
from operator import add
from pathlib import Path

import numpy as np
import pytest

from blocks import drawn_blocks as drawn
from separatrix import DataError, FormatError, OptionError
from separatrix.data.runners import CheckpointRunner, runner_for
from separatrix.data.runners.digest import digest
from separatrix.data.runners.plain_values import DamagedError, UnstorableError, put_together, taken_apart
from separatrix.problem import Problem
from separatrix.problem.moments import Moments
from separatrix.problem.runner import LocalRunner

TESTS = Path(__file__).parents[1]


class CountingRunner(LocalRunner):
    """Counts passes, and is interrupted before one of them."""

    def __init__(self, most=99):
        self.passes, self.most = 0, most

    def run(self, task, merge, count):
        if self.passes == self.most:
            raise KeyboardInterrupt
        self.passes += 1
        return super().run(task, merge, count)


def interrupted(path, most, source=None):
    """A fit that ends after so many passes."""
    source = source or drawn.DrawnSource()
    with pytest.raises(KeyboardInterrupt):
        drawn.least_squares(source, CheckpointRunner(CountingRunner(most), path, source))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fit.checkpoint"


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_fit_goes_on_from_its_last_pass_with_the_same_bits(path, most):
    expected = drawn.least_squares(drawn.DrawnSource(), LocalRunner())
    interrupted(path, most)
    inner = CountingRunner()
    found = drawn.least_squares(drawn.DrawnSource(), CheckpointRunner(inner, path, drawn.DrawnSource()))
    assert inner.passes == 3 - most
    assert found.bits == expected.bits
    assert list(path.parent.iterdir()) == [path]


SCRIPT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from blocks import drawn_blocks as drawn
from separatrix.data.runners import runner_for

class Dying(drawn.DrawnSource):
    def read(self, block):
        if block == 13 and drawn.passes_begun == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        drawn.passes_begun += block == 0
        return super().read(block)

drawn.passes_begun = 0
source = Dying()
source.fingerprint = "the rows of this test"
runner = runner_for(checkpoint=sys.argv[2], question="rows")
print(drawn.least_squares(source, runner).bits.hex())
"""


def test_a_process_that_was_killed_is_followed_by_one_that_goes_on(path):
    def run(script):
        command = [sys.executable, "-c", script, str(TESTS), str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    killed = run(SCRIPT)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["question", "pass_0000.npz", "pass_0001.npz"]
    resumed = run(SCRIPT.replace("passes_begun == 3", "passes_begun == 7"))
    assert resumed.stdout.strip() == drawn.least_squares(drawn.DrawnSource(), LocalRunner()).bits.hex(), resumed.stderr


def test_a_checkpoint_of_other_rows_is_refused(path):
    interrupted(path, 1, drawn.SlowSource(0.0))
    with pytest.raises(DataError, match="checkpoint of another fit: its rows are others"):
        runner_for(checkpoint=path, question=drawn.SlowSource(0.001))


def test_a_checkpoint_of_other_options_is_refused(path):
    def task(C):
        return lambda block: C * block

    CheckpointRunner(LocalRunner(), path).run(task(1.0), add, 3)
    with pytest.raises(DataError, match="its pass 1 is over other options"):
        CheckpointRunner(LocalRunner(), path).run(task(2.0), add, 3)
    with pytest.raises(DataError, match="its pass 1 is over other options"):
        CheckpointRunner(LocalRunner(), path).in_order(lambda block, state: state, 0, 3)
    assert CheckpointRunner(LocalRunner(), path).run(task(1.0), add, 3) == 3.0


def test_passes_in_order_are_kept_too(path):
    asked = []

    def step(block, state):
        asked.append(block)
        return state + block

    assert CheckpointRunner(LocalRunner(), path).in_order(step, np.zeros(2), 4).tolist() == [6.0, 6.0]
    n_asked = len(asked)
    asked.clear()
    assert CheckpointRunner(LocalRunner(), path).in_order(step, np.zeros(2), 4).tolist() == [6.0, 6.0]
    assert (n_asked, asked) == (4, [])


def test_a_disk_that_is_full_leaves_the_file_as_it_was(path, monkeypatch):
    interrupted(path, 1)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="disk is full") as caught:
            drawn.least_squares(drawn.DrawnSource(), CheckpointRunner(LocalRunner(), path, drawn.DrawnSource()))
    assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    drawn.least_squares(drawn.DrawnSource(), CheckpointRunner(LocalRunner(), path, drawn.DrawnSource()))


@pytest.mark.parametrize("place", [Path(os.devnull), TESTS])
def test_a_place_that_is_no_file_is_refused(place):
    with pytest.raises(OptionError, match="A checkpoint is a file"):
        CheckpointRunner(LocalRunner(), place)


@pytest.mark.parametrize("content", [b"", b"not a zip archive", b"PK\x03\x04 and then nothing"])
def test_what_is_no_checkpoint_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(FormatError, match="is no checkpoint, or is damaged"):
        CheckpointRunner(LocalRunner(), path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("place", [0.3, 0.6, 0.9])
def test_a_damaged_checkpoint_is_refused(path, place):
    interrupted(path, 2)
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 0xFF
    path.write_bytes(content)
    try:
        found = drawn.least_squares(drawn.DrawnSource(), CheckpointRunner(LocalRunner(), path, drawn.DrawnSource()))
    except (FormatError, DataError):
        return
    assert found.bits == drawn.least_squares(drawn.DrawnSource(), LocalRunner()).bits  # between two parts


def test_a_pickle_in_a_checkpoint_is_not_loaded(path):
    CheckpointRunner(LocalRunner(), path).run(lambda block: block, add, 3)
    hostile = path.with_name("hostile.npz")
    np.savez(hostile, asked=np.array([{"a": 1}], dtype=object), stored="True", text="0")
    with zipfile.ZipFile(path) as archive:
        question = archive.read("question")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("question", question)
        archive.writestr("pass_0000.npz", hostile.read_bytes())
    with pytest.raises(FormatError, match="allow_pickle"):
        CheckpointRunner(LocalRunner(), path).run(lambda block: block, add, 3)


def test_a_result_without_a_plain_form_is_worked_out_again(path):
    def run():
        asked = []
        found = CheckpointRunner(LocalRunner(), path).run(lambda block: asked.append(block) or {object}, add_sets, 2)
        return found, asked

    assert run()[0] == {object}
    found, asked = run()
    assert (found, sorted(asked)) == ({object}, [0, 1])


def add_sets(one, other):
    return one | other


def test_values_come_back_to_the_bit():
    problem = Problem(np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([0, 1]))
    value = {
        "numbers": (1, -(2**70), 0.1, float("inf"), float("-inf"), True, None, "text", Fraction(1, 3)),
        "arrays": [np.array(2.5), np.float32(0.1), np.int64(7), np.asfortranarray(np.arange(6.0).reshape(2, 3))],
        3: np.array([-0.0, np.nan, np.inf]),
        None: np.array(["a", "bc"]),
        "moments": Moments.of(problem),
    }
    text, arrays = taken_apart(value)
    found = put_together(text, arrays)
    assert found["numbers"] == value["numbers"]
    assert [type(each) for each in found["numbers"]] == [type(each) for each in value["numbers"]]
    assert found["arrays"][3].flags.f_contiguous
    assert type(found["arrays"][1]) is np.float32
    assert found[3].tobytes() == value[3].tobytes()
    assert found[None].tolist() == ["a", "bc"]
    assert found["moments"].within.tobytes() == value["moments"].within.tobytes()
    assert type(found["moments"]) is Moments


@pytest.mark.parametrize("value", [{1, 2}, object(), print, np.array([object()]), CountingRunner()])
def test_what_has_no_plain_form_is_refused(value):
    with pytest.raises(UnstorableError):
        taken_apart((value,))


@pytest.mark.parametrize(
    "text",
    [
        '{"class": "os:system", "fields": ["true"]}',
        '{"class": "separatrix.data.files.writing:written", "fields": []}',
        '{"class": "separatrix.data.files.writing:os.system", "fields": []}',
        '{"class": "separatrix.data.files.writing:Path", "fields": ["x"]}',
        '{"class": "separatrix.problem.moments:Moments", "fields": []}',
        '{"class": "separatrix.nowhere:Moments", "fields": []}',
        '{"array": 3}',
        '{"call": []}',
        "{",
    ],
)
def test_text_that_is_no_value_runs_nothing(text):
    with pytest.raises((DamagedError, UnstorableError)):
        put_together(text, [])


def test_digests_depend_on_all_that_a_task_holds(tmp_path):
    file = tmp_path / "rows.bin"
    file.write_bytes(bytes(800))
    large = np.zeros(2**22)
    changed = large.copy()
    changed[0] = 1.0

    def task(held):
        return lambda block: held

    held = [1, 1.0, True, None, "a", b"a", (1,), [1], {"a": 1}, {1}, np.zeros(2), np.zeros((2, 1)), np.zeros(2, "f4")]
    held += [
        file,
        np.memmap(file, np.float64),
        np.memmap(file, np.float32),
        large,
        changed,
        Moments.of,
        np.float64(1.0),
    ]
    found = [digest(task(each)) for each in held]
    assert len(set(found)) == len(found)
    assert found == [digest(task(each)) for each in held]
    file.write_bytes(bytes(1600))
    assert digest(task(file)) not in found


def test_a_digest_of_what_holds_itself_ends():
    loop = []
    loop.append(loop)

    def own(block):
        return own

    assert digest(loop) == digest(loop)
    assert digest(own) == digest(own)
