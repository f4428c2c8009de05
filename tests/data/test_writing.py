"""Files appear whole or not at all, and nobody may read the draft of one who may not read the file."""

import errno
import os
import stat

import pytest

from separatrix.data.files.writing import written

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions, pipes and limits of POSIX")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def private(tmp_path):
    path = tmp_path / "private.json"
    path.write_text("before")
    path.chmod(0o600)
    return path


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def draft_of(path):
    (draft,) = path.parent.glob(".*.tmp")
    return draft


def test_a_draft_has_the_permissions_of_its_target_from_the_start(private):
    with written(private) as stream:
        assert mode(draft_of(private)) == 0o600
        stream.write("after")
    assert (mode(private), private.read_text()) == (0o600, "after")


@pytest.mark.parametrize(("mask", "wanted"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_ordinary_permissions(tmp_path, mask, wanted):
    before = os.umask(mask)
    try:
        with written(tmp_path / "new") as stream:
            stream.write("")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == wanted


@as_root
def test_the_owner_and_the_group_stay(private):
    os.chown(private, 1234, 4321)
    with written(private) as stream:
        stream.write("after")
    assert (private.stat().st_uid, private.stat().st_gid) == (1234, 4321)


@as_root
def test_another_group_does_not_get_the_rights_of_the_one_that_cannot_be_kept(private, monkeypatch):
    os.chown(private, -1, 4321)
    private.chmod(0o664)
    monkeypatch.setattr(os, "chown", refused)
    with written(private) as stream:
        stream.write("after")
    assert mode(private) == 0o604


def refused(*given):
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_disk_that_fills_up_names_the_file(private):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match="private.json") as caught, written(private) as stream:
            stream.write("x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == os.fspath(private)
    assert (private.read_text(), os.listdir(private.parent)) == ("before", ["private.json"])


def test_trouble_with_another_file_keeps_its_name(private):
    with pytest.raises(FileNotFoundError, match="other.csv") as caught, written(private):
        private.with_name("other.csv").read_text()
    assert caught.value.filename == os.fspath(private.with_name("other.csv"))


def test_a_long_name_of_long_letters(tmp_path):
    with written(tmp_path / ("\U0001f984" * 63)) as stream:  # 252 bytes of the 255 that a name may have
        stream.write("after")
    assert os.listdir(tmp_path) == ["\U0001f984" * 63]


def test_a_pipe_is_written_to(tmp_path):
    reading, writing = os.pipe()
    with written(f"/dev/fd/{writing}") as stream:
        stream.write("after")
    os.close(writing)
    with open(reading) as pipe:
        assert pipe.read() == "after"


def test_a_device_that_is_full_is_named():
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with pytest.raises(OSError, match="/dev/full"), written("/dev/full") as stream:
        stream.write("after")
