"""The standard streams as people find them: closed, full, a pipe that ends early, a terminal that obeys codes."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cli.files import patients
from separatrix.cli.main import Terminated, main, terminable
from separatrix.cli.streams import visible

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, shells and terminals of POSIX")
PATIENCE = 120  # seconds after which a command hangs
CONTROLS = "\x1b[2J", "\r", "\u202e", "\x9b", "\x7f"
NASTY = "\x1b[2J\r\u202e\x9b\x7f[red]"
FULL = "separatrix: the standard output: No space left on device\n"
SHOWN = r"\x1b[2J\r\u202e\x9b\x7f[red]"


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A folder with a table and a model."""
    folder = tmp_path_factory.mktemp("streams")
    patients(folder / "d.csv")
    assert main(["fit", str(folder / "d.csv"), str(folder / "m.json"), "-t", "ill"]) == 0
    return folder


@pytest.fixture
def folder(fitted, tmp_path, monkeypatch):
    """A copy of it, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", "m.json"):
        (tmp_path / name).write_bytes((fitted / name).read_bytes())
    return tmp_path


@pytest.fixture
def nasty(folder):
    """Labels, columns, words and a file that hold controls and markup."""
    path = folder / f"d{NASTY}.csv"
    text = patients(folder / "d.csv").read_text()
    for word in ("age", "Rome", "no", "ill"):
        text = text.replace(word, f'"{word}{NASTY}"')
    path.write_text(text, newline="")
    return path


def started(words, redirect="", settings=None, **how):
    """A command in a process of its own, its streams redirected by a shell."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | (settings or {})
    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", sys.executable, "-m", "separatrix", *words]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    return subprocess.Popen(command, env=given, text=True, **streams)


def ran(words, redirect="", settings=None):
    """Exit code, standard output and error of a command; a hang is a failure."""
    process = started(words, redirect, settings)
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    return process.returncode, out, err


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["predict", "m.json", "-", "d.csv"], "d.csv"),
        (["fit", "-", "d.csv", "-t", "ill"], "d.csv"),
        (["study", "-", "-t", "ill"], "report.html"),
    ],
)
def test_the_file_that_the_standard_input_reads_is_kept(folder, capsys, monkeypatch, words, target):
    if target != "d.csv":
        os.link("d.csv", target)
    before = Path(target).read_bytes()
    with open("d.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(words) == 2
    said = f"separatrix: {target} is the file that is read, too: choose another name for what is written.\n"
    assert capsys.readouterr().err == said
    assert Path(target).read_bytes() == before


def test_predictions_are_not_appended_to_the_file_that_is_read(folder, capsys, monkeypatch):
    before = Path("d.csv").read_bytes()
    with open("d.csv", "a") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["predict", "m.json", "d.csv"]) == 2
    assert Path("d.csv").read_bytes() == before
    assert "The standard output is the file that is read, too" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_a_command_like_ctrl_c(folder, name, code):
    Path("labels.txt").write_text("before")
    process = started(["predict", "m.json", "-", "labels.txt"], stdin=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE
    while not list(folder.glob(".*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(folder.glob(".*.tmp"))  # it waits for rows, a draft begun
    process.send_signal(getattr(signal, name))
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (code, f"separatrix: ended by {name}\n")
    assert not list(folder.glob(".*.tmp"))
    assert Path("labels.txt").read_text() == "before"


def test_handlers_of_others_and_ignored_signals_stay():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it
    try:
        with terminable():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            with pytest.raises(Terminated):
                signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_thread_that_may_set_no_handlers_runs_commands_too(folder):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(main(["verify", "m.json", "d.csv"])))
    thread.start()
    thread.join(PATIENCE)
    assert codes == [0]


def test_what_cannot_be_seen_is_shown():
    assert visible(NASTY) == SHOWN
    assert visible("a\nb\tc", keep="") == "a\\nb\\tc"
    plain = "Ρώμη 日本\u3000\U0001f468\u200d\U0001f469 نمی\u200cخواهم\n[bold"
    assert visible(plain) == plain
    assert visible("\udcff\U000e0001") == "\\udcff\\U000e0001"


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "FILE", "MODEL"],
        ["separable", "FILE"],
        ["study", "FILE", "-o", "OUT", "--seconds", "1"],
        ["verify", "MODEL", "FILE"],
        ["fit", "FILE", "MODEL", "-t", NASTY],
        ["fit", "FILE", "MODEL", "-a", NASTY],
        ["verify", NASTY, "FILE"],
        ["predict", "MODEL", "FILE\n.csv"],
        [NASTY],
        ["study", "--folds", NASTY],
        ["fit", "a", "b", "c", NASTY],
    ],
)
def test_no_word_of_the_user_steers_the_terminal(nasty, capsys, words):
    model = f"m{NASTY}"
    assert main(["fit", str(nasty), model]) == 0
    capsys.readouterr()
    for name, value in (("FILE", str(nasty)), ("MODEL", model), ("OUT", f"o{NASTY}")):
        words = [word.replace(name, value) for word in words]
    try:
        code = main(words)
    except SystemExit as end:  # of argparse
        code = end.code
    out, err = capsys.readouterr()
    assert not any(control in out + err for control in CONTROLS)
    assert re.search(r"\\x1b\[2J\\r.*\[red\]", out + err)
    assert code == 0 or (out, err.count("\n")) == ("", 1)


def test_json_is_the_same_data_with_escapes(nasty, capsys):
    assert main(["separable", str(nasty), "--json"]) == 0
    out = capsys.readouterr().out
    assert not any(control in out for control in CONTROLS)
    assert json.loads(out)["classes"] == [f"no{NASTY}", "yes"]


def test_labels_are_exact_for_programs_and_escaped_for_people(nasty, capsys, monkeypatch):
    assert main(["fit", str(nasty), "n.json"]) == 0
    capsys.readouterr()
    assert main(["predict", "n.json", str(nasty)]) == 0
    label = f"no{NASTY}".replace("\r", "\\r")
    assert set(capsys.readouterr().out.split("\n")) == {label, "yes", ""}
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["predict", "n.json", str(nasty)]) == 0
    assert set(screen.getvalue().split("\n")) == {f"no{SHOWN}", "yes", ""}


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


def test_a_study_on_a_terminal_without_unicode(nasty):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    settings = {"PYTHONIOENCODING": "ascii", "TERM": "xterm", "COLUMNS": "120"}
    process = started(["study", str(nasty), "--seconds", "1"], settings=settings, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b"".join(iter(lambda: read(ours), b"")).decode("ascii")
    assert process.wait(PATIENCE) == 0
    assert "separability" in seen  # the bar
    assert "Traceback" not in seen
    assert f"no{SHOWN} 40" in re.sub(r"\r\n", "", seen)
    assert not any(control in seen.replace("\r\n", "") for control in ("\x1b[2J", "\u202e", "\x7f"))


def read(terminal):
    """What a terminal shows next; nothing when the other side is closed."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("words", "redirect", "wanted"),
    [
        (["predict", "m.json", "-"], "<&-", (2, "separatrix: <stdin>: The standard input is closed")),
        (["predict", "m.json", "-"], "0>x", (2, "separatrix: <stdin>: ")),
        (["verify", "m.json", "d.csv"], ">&-", (2, "separatrix: the standard output: It is closed")),
        (["predict", "m.json", "d.csv", "out"], ">&-", (0, "")),
        (["separable", "d.csv"], "2>&-", (0, "")),
        (["verify", "nowhere", "d.csv"], "2>&-", (2, "")),
        (["verify", "nowhere", "d.csv"], "2>/dev/full", (2, "")),
        (["fit", "d.csv", "m2.json"], "<&- >&- 2>&-", (2, "")),
        (["predict", "m.json", "d.csv"], ">/dev/full", (2, FULL)),
        (["study", "d.csv", "--seconds", "1"], ">/dev/full", (2, FULL)),
        (["--help"], ">/dev/full", (2, FULL)),
    ],
)  # fmt: skip
def test_streams_that_are_closed_or_full(folder, words, redirect, wanted):
    if "full" in redirect and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    code, _, err = ran(words, redirect)
    assert code == wanted[0]
    assert err.startswith(wanted[1])
    assert wanted[0] == 0 or err.count("\n") == bool(wanted[1])


@pytest.mark.parametrize(
    ("words", "code", "unbuffered"),
    [
        (["study", "d.csv", "-t", "ill", "--seconds", "1"], 0, ""),
        (["predict", "m.json", "d.csv"], 0, ""),
        (["separable", "d.csv", "--check"], 1, ""),  # the reader left, and the classes overlap all the same
        (["separable", "d.csv", "--check"], 1, "1"),
        (["--help"], 0, ""),
    ],
)
def test_a_pipe_that_nobody_reads(folder, words, code, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    process = started(words, settings={"PYTHONUNBUFFERED": unbuffered}, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (code, "")


@pytest.mark.parametrize("command", ["predict", "separable"])
def test_a_plain_locale(folder, command):
    Path("d.csv").write_text(Path("d.csv").read_text().replace("yes", "ja\u2026"), encoding="utf-8")
    assert main(["fit", "d.csv", "m.json"]) == 0
    words = {"predict": ["m.json", "d.csv"], "separable": ["d.csv"]}[command]
    settings = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    code, out, _ = ran([command, *words], settings=settings)
    assert code == 0
    assert r"ja\u2026" in out


@pytest.mark.parametrize("step", ["save", "written"])
def test_a_folder_that_vanishes_during_a_study(folder, capsys, monkeypatch, step):
    from separatrix.cli import study

    real = getattr(study, step)

    def late(*given, **more):
        for path in Path("out").iterdir():
            path.unlink()
        Path("out").rmdir()
        return real(*given, **more)

    monkeypatch.setattr(study, step, late)
    assert main(["study", "d.csv", "-o", "out", "--seconds", "1", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert re.match(r"separatrix: out/\S+: The folder .*out does not exist: make it first\n", err)
