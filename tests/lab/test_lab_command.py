"""`separatrix lab`: what it prints, how it ends, and what it refuses."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.sync.client import connect

from separatrix.cli import lab
from separatrix.cli.main import main, parser
from separatrix.errors import DataError

PATIENCE = 60.0
posix = pytest.mark.skipif(os.name != "posix", reason="signals and processes of POSIX")


def children(number):
    """The processes that a process has started and that have not ended."""
    table = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines()]
    return {int(own) for own, parent, state in rows if int(parent) == number and not state.startswith("Z")}


def runs(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@posix
@pytest.mark.parametrize(
    ("sent", "code", "note"),
    [
        (signal.SIGINT, 130, "separatrix: interrupted\n"),
        (signal.SIGTERM, 143, "separatrix: ended by SIGTERM\n"),
        (signal.SIGKILL, -9, ""),
    ],
    ids=["Ctrl-C", "SIGTERM", "SIGKILL"],
)
def test_a_signal_ends_it_with_all_its_processes(sent, code, note, tmp_path):
    with started(tmp_path) as (process, url):
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        with connect(url.replace("http", "ws") + "socket", origin=f"http://{urlsplit(url).netloc}") as page:
            page.send(json.dumps({"id": 1, "do": "hello"}))
            wait_until(lambda: len(children(process.pid)) >= 2)
            workers = children(process.pid)
            process.send_signal(sent)
            assert process.wait(PATIENCE) == code
        assert process.stderr.read() == note
        wait_until(lambda: not any(map(runs, workers)))


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def started(folder):
    """The command in a process of its own, and the address that it prints."""
    command = [sys.executable, "-m", "separatrix", "lab", "--no-browser"]
    settings = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=settings, **streams) as process:
        try:
            said = process.stdout.readline()
            assert said.startswith("The lab is at http://127.0.0.1:")
            yield process, said.split()[-1]
        finally:
            process.kill()


def asked(*words):
    return parser().parse_args(["lab", *map(str, words)])


def test_a_file_is_what_the_page_shows_at_first(tmp_path, capsys):
    path = tmp_path / "fruit.csv"
    path.write_text("id;size;noise;weight;kind\n" + "".join(f"{i};{i},5;1;{i % 7};{'ab'[i > 9]}\n" for i in range(20)))
    state = lab.start_of(asked(path, "--drop", "id"))
    assert state["data"]["names"] == ["size", "weight"]
    assert state["data"]["x"] == [i + 0.5 for i in range(20)]
    assert state["data"]["class"] == [0] * 10 + [1] * 10
    assert state["data"]["classes"] == ["a", "b"]
    assert "fruit.csv: 20 points" in capsys.readouterr().err
    assert lab.start_of(asked(path, "--target", "noise", "--drop", "kind"))["data"]["classes"] == ["1"]
    with pytest.raises(DataError, match="no column 'colour'"):
        lab.start_of(asked(path, "-t", "colour"))


def test_of_a_large_file_a_sample_is_drawn_and_said(tmp_path, capsys):
    path = tmp_path / "large.csv"
    path.write_text("x,y,class\n" + "".join(f"{i},{i * i % 101},{i % 3}\n" for i in range(6000)))
    first, again = (lab.start_of(asked(path))["data"] for _ in range(2))
    assert first == again
    assert len(first["x"]) == 5000
    assert "5,000 of 6,000 rows are drawn" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", ""])
def test_it_listens_on_this_machine_only(host, capsys):
    assert main(["lab", "--no-browser", "--host", host]) == 2
    assert f"--host {host}: the lab is for this machine alone" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(capsys):
    from separatrix.lab.serving.server import Address

    taken = Address()
    try:
        assert main(["lab", "--no-browser", "--port", str(taken.port)]) == 2
        assert "in use" in capsys.readouterr().err
    finally:
        taken.socket.close()


def test_what_it_needs_and_how_to_install_it_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["lab"]) == 2
    err = capsys.readouterr().err
    assert 'pip install "separatrix[lab]"' in err
    assert err.count("\n") == 1


def test_a_lab_in_a_thread_serves_frames_of_notebooks_and_ends():
    from separatrix.lab.serving.server import Running

    running = Running()
    try:
        policy = httpx.get(running.address.url, timeout=PATIENCE).headers["content-security-policy"]
        assert "frame-ancestors http://localhost:*" in policy
    finally:
        running.close()
    assert not running.thread.is_alive()
    with pytest.raises(httpx.ConnectError):
        httpx.get(running.address.url)
