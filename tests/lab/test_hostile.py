"""The lab's server refuses or survives whatever it is sent, by clients that mean no good or fail in the middle."""

import json
import os
import re
import socket
import threading
import time
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from lab.odd_server import PATIENCE, serving

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes and signals of POSIX")
POINTS = {"x": [0.0, 1.0, 4.0, 5.0], "y": [0.0, 0.1, 4.0, 4.2], "class": [0, 0, 1, 1], "weight": None}
POINTS |= {"names": ["x1", "x2"], "classes": ["blue", "orange"]}
FIT = {"do": "fit", "data": POINTS, "method": "linear SVM", "options": {}, "seed": 0, "record": False}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    with serving(folder) as (process, url):
        yield Server(folder, process, url)


class Server:
    """A server and what clients need of its address."""

    def __init__(self, folder, process, url):
        self.folder, self.process, self.url = folder, process, url
        self.host = urlsplit(url).netloc
        self.origin = f"http://{self.host}"

    def get(self, path="", **headers):
        return httpx.get(self.url + path, headers=headers, timeout=PATIENCE)

    def page(self, **how):
        how = {"origin": self.origin, "max_size": None, "open_timeout": PATIENCE, "compression": None} | how
        return connect(self.url.replace("http", "ws") + "socket", **how)

    def state(self):
        """How many pages and connections there are, and the most bytes that its process has held."""
        return httpx.get(self.origin + "/state", timeout=PATIENCE).json()

    def lives(self):
        """Whether a page is served, and has a fit answered."""
        with self.page() as page:
            return self.get().status_code == 200 and said(page, FIT)[-1]["kind"] == "result"


def ask(page, message, number=1):
    page.send(json.dumps({"id": number, "slot": 0} | message))


def heard(page, last=("result", "error", "process", "cancelled")):
    """The answers up to one of the last kinds."""
    answers = [json.loads(page.recv(timeout=PATIENCE))]
    while answers[-1]["kind"] not in last:
        answers.append(json.loads(page.recv(timeout=PATIENCE)))
    return answers


def said(page, message, **how):
    ask(page, message, **how)
    return heard(page)


def odd(name, **more):
    return {"do": "model", "name": name} | more


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def runs(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


# ---- who may ask


def test_the_page_loads_only_its_own_scripts(server):
    answer = server.get()
    policy = answer.headers["content-security-policy"]
    nonce = re.search(r"script-src 'self' 'nonce-([^']+)'", policy)[1]
    scripts = re.findall(r"<script[^>]*>", answer.text)
    assert scripts
    assert all(f'nonce="{nonce}"' in script for script in scripts)
    assert "[[" not in answer.text
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert nonce not in server.get().text
    wanted = {"cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff"}
    wanted |= {"cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin"}
    assert wanted.items() <= dict(answer.headers).items()
    script = server.get("page/app.js")
    assert (script.status_code, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")


@pytest.mark.parametrize("path", ["", "page/app.js"])
def test_a_wrong_token_is_refused(server, path):
    right = urlsplit(server.url).path
    other = "B" if right[-2] == "A" else "A"
    for wrong in ("/", "//", right[:-1], right[:-2] + other + "/", right[:-2] + "/", right.upper(), "/%00" + right):
        answer = httpx.get(server.origin + wrong + path, timeout=PATIENCE)
        assert answer.status_code == 403
        assert right not in answer.text
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(f"ws://{server.host}{right[:-2]}{other}/socket", origin=server.origin),
    ):
        pass


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1:1"},
        {"host": "127.0.0.1"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    ],
    ids=str,
)
def test_other_hosts_and_origins_are_refused(server, headers):
    assert server.get(**headers).status_code == 403
    assert server.get("page/app.js", **headers).status_code == 403
    origin = headers.get("origin", server.origin)
    others = {name: value for name, value in headers.items() if name not in ("origin", "host")}
    if others or "origin" in headers:
        with pytest.raises(InvalidStatus, match="403"), server.page(origin=origin, additional_headers=others):
            pass


def test_a_socket_needs_an_origin_and_the_server_s_own_name(server):
    with pytest.raises(InvalidStatus, match="403"), server.page(origin=None):
        pass
    plain = server.url.replace("http", "ws").replace("127.0.0.1", "localhost") + "socket"
    with connect(plain, origin=f"http://localhost:{urlsplit(server.url).port}") as page:
        assert said(page, odd("process"))[0]["kind"] == "process"
    handshake = (
        f"GET {urlsplit(server.url).path}socket HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(urlsplit(server.url).netloc.split(":")) as raw:
        raw.sendall(handshake.encode())
        assert raw.recv(1000).startswith(b"HTTP/1.1 403")


def test_a_link_may_be_followed_from_elsewhere(server):
    assert server.get(**{"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["page/../serving/server.py", "page/%2e%2e/__init__.py", "page/..%2f__init__.py", "page//etc/passwd"],
)
def test_no_other_file_is_read(server, path):
    right = urlsplit(server.url).path
    with socket.create_connection(urlsplit(server.url).netloc.split(":")) as raw:
        raw.sendall(f"GET {right}{path} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        assert raw.recv(1000).split()[1] in (b"403", b"404")


def test_uploads_by_other_ways_are_refused(server):
    answer = httpx.post(server.url, content=b"x" * 20_000_000, timeout=PATIENCE)
    assert answer.status_code == 405
    assert server.get("page/" + "x" * 30_000).status_code in (400, 404)
    assert server.lives()


# ---- what is asked


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is no JSON"),
        ("", "is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"do":' * 100_000, "nested too deeply"),
        ('{"id": 1, "do": "toy", "n": ' + "[" * 900 + "]" * 900 + "}", ""),
        ('{"id": 1, "do": "toy", "n": NaN}', "NaN is no number"),
        ('{"id": 1, "do": "toy", "n": -Infinity}', "Infinity is no number"),
        ('{"id": 1, "do": "toy", "n": ' + "9" * 5000 + "}", "is no JSON"),
        ("[1, 2]", "must be a JSON object. Got a list"),
        ("null", "must be a JSON object"),
        ('{"id": 1, "do": "dance"}', "asks to do one of hello, fit"),
        ('{"id": 1, "do": ["fit"]}', "Got list"),
        ('{"id": true, "do": "hello"}', "The 'id' of a message"),
        ('{"id": 1e300, "do": "hello"}', "The 'id' of a message"),
        ('{"id": 1, "do": "fit", "slot": 4}', "The 'slot' of a message"),
        ('{"id": 1, "do": "fit", "slot": "0"}', "The 'slot' of a message"),
        ('{"id": 1, "do": "fit"}', ""),
        ('{"id": 1, "do": "toy", "name": "\\ud800\\u0000"}', ""),
        ('{"id": 1, "do": "read", "name": "a.csv", "text": "' + "A" * 1_000_000 + '"}', ""),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_question_is_answered_by_a_sentence(server, text, sentence):
    with server.page() as page:
        page.send(text)
        answer = heard(page)[-1]
        assert answer["kind"] == "error"
        assert sentence in answer["message"]
        assert len(answer["message"]) < 1000
        assert "mistake in the lab" not in answer["message"]
        assert said(page, odd("process"))[0]["kind"] == "process"


@pytest.mark.parametrize(
    "points",
    [
        {"x": [0] * 1_000_000, "y": [0] * 1_000_000, "class": [0] * 1_000_000},
        {"x": [1e999, 0, 4, 5]},
        {"x": [None, 0, 4, 5]},
        {"x": [10**400, 0, 4, 5]},
        {"x": ["0", 1, 4, 5]},
        {"x": [[0], 1, 4, 5]},
        {"x": [0, 1]},
        {"class": [0, 0, 7, 1]},
        {"class": [0, 0, -1, 1]},
        {"class": [0, 0, 0.5, 1]},
        {"weight": [1, 1, -1, 1]},
        {"classes": ["a" * 1_000_000, "b"]},
        {"x": {"0": 1}},
    ],
    ids=lambda points: str(points)[:30],
)
def test_points_that_cannot_be_used_are_refused(server, points):
    text = json.dumps({"id": 1, "slot": 0} | FIT | {"data": POINTS | points}, separators=(",", ":"))
    text = text.replace("Infinity", "1e999")
    with server.page() as page:
        page.send(text)
        answer = heard(page)[-1]
        assert answer["kind"] == "error"
        assert len(answer["message"]) < 1000
        assert "mistake in the lab" not in answer["message"]


def test_messages_that_are_binary_or_too_large_close_the_socket(server):
    with server.page() as page:
        page.send(b"\x00\xff")
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=PATIENCE)
        assert closed.value.rcvd.code == 1003
    with server.page() as page:
        with suppress(ConnectionClosed):  # it may be closed before all is sent
            page.send("[" + " " * 9_000_000 + "]")
        with pytest.raises(ConnectionClosed):
            page.recv(timeout=PATIENCE)
    assert server.lives()


def test_more_than_sixteen_pages_are_refused_until_one_is_closed(server):
    with ExitStack() as opened:
        pages = [opened.enter_context(server.page()) for _ in range(16)]
        for _ in range(84):
            with server.page() as page:
                with pytest.raises(ConnectionClosed) as closed:
                    page.recv(timeout=PATIENCE)
                assert closed.value.rcvd.code == 1013
                assert "Close one" in closed.value.rcvd.reason
        assert said(pages[0], odd("process"))[0]["kind"] == "process"
    assert server.lives()


# ---- who does not listen


def test_a_page_that_never_reads_is_dropped(server):
    before = server.state()["memory"]
    with server.page(close_timeout=0.1) as page:  # after a few messages that nobody takes it reads no more
        ask(page, odd("flood"))
        wait_until(lambda: server.state()["sockets"] == 1)
        wait_until(lambda: server.state()["sockets"] == 0)
        wait_until(lambda: server.state()["connections"] == 1)  # that of the question
    assert server.state()["memory"] - before < 20_000_000
    assert server.lives()


def test_connections_that_ask_for_nothing_are_dropped(server):
    place = urlsplit(server.url).netloc.split(":")
    silent = [socket.create_connection(place) for _ in range(200)]
    for raw in silent[::2]:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: ")
    try:
        assert server.lives()
        for raw in silent:
            raw.settimeout(PATIENCE)
            with suppress(ConnectionResetError):
                assert raw.recv(1) == b""
    finally:
        for raw in silent:
            raw.close()


# ---- what is ended


def test_a_newer_message_ends_the_one_before(server):
    with server.page() as page:
        ask(page, odd("slow"), number=1)
        first = heard(page, last=["begin"])[0]
        for number in range(2, 6):
            ask(page, odd("slow"), number=number)
        ask(page, odd("process"), number=6)
        answers = heard(page)
        assert answers[-1]["id"] == 6
        assert {answer["kind"] for answer in answers[:-1]} <= {"begin"}
    wait_until(lambda: len(server.state()["free"]) == 3)
    assert first["number"] in server.state()["free"]  # it was interrupted, not killed and replaced


def test_what_a_page_asked_ends_with_it(server):
    for _ in range(4):
        with server.page() as page:
            for slot in range(4):
                ask(page, odd("endless", slot=slot))
            heard(page, last=["begin"])
            page.socket.shutdown(socket.SHUT_RDWR)
    with server.page() as page:
        ask(page, odd("endless"))
        heard(page, last=["begin"])
        ask(page, {"do": "cancel"}, number=2)
        assert heard(page)[-1]["id"] == 2
        assert said(page, odd("process", slot=1))[-1]["kind"] == "process"


def test_a_process_that_cannot_be_interrupted_is_replaced(server):
    with server.page() as page:
        ask(page, odd("deaf"))
        deaf = heard(page, last=["begin"])[0]["number"]
        assert said(page, odd("process"))[-1]["number"] != deaf
    wait_until(lambda: not runs(deaf))
    assert server.lives()


def test_a_process_that_crashes_is_an_error_message(server):
    with server.page() as page:
        answer = said(page, odd("crash"))[-1]
        assert answer["kind"] == "error"
        assert "exit code 3" in answer["message"]
    assert server.lives()


def test_mistakes_of_the_lab_are_error_messages(server):
    with server.page() as page:
        assert "mistake in the lab (KeyError: 'gone')" in said(page, odd("mistaken"))[-1]["message"]
        ask(page, odd("undefined"))
        first, second = heard(page, last=["curve"])
        assert first["kind"] == "error"
        assert second["values"] == [1.0]


def test_what_takes_too_long_is_ended(server):
    with server.page() as page:
        answer = said(page, {"do": "toy", "name": "endless"})[-1]
        assert answer["kind"] == "error"
        assert "took longer than 0.5 seconds" in answer["message"]


def test_nothing_is_written_to_disk(server):
    with server.page() as page:
        text = "YSxiLGMKMSwyLHgKMiwzLHkK"
        assert said(page, FIT)[-1]["kind"] == "result"
        ask(page, {"do": "read", "name": "../../a.csv", "text": text}, number=2)
        heard(page, last=["points", "table", "error"])
    assert [path for path in server.folder.rglob("*") if not path.is_dir()] == []


def test_two_pages_at_the_same_time_are_both_answered(server):
    found = []

    def use():
        with server.page() as page:
            found.extend(said(page, FIT, number=number)[-1]["kind"] for number in range(5))

    users = [threading.Thread(target=use) for _ in range(4)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert found == ["result"] * 20
