"""A file is whole or as it was, and nothing lies beside it, however the writing ends."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from pairproof.bridge import whole_file
from pairproof.bridge.whole_file import write_whole


@pytest.fixture(params=["without a name", "hidden"])
def way(request, monkeypatch):
    """Both ways of writing, wherever the test runs."""
    if request.param == "hidden":
        monkeypatch.setattr(whole_file.os.path, "isdir", lambda path: False)
    return request.param


def test_a_file_is_replaced_whole_and_readable_by_all(tmp_path, way):
    path = tmp_path / "x.json"
    path.write_text("old", "utf-8")
    write_whole(path, "né\nw")
    assert path.read_bytes() == "né\nw".encode() and stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_an_error_on_the_way_leaves_what_was_there_and_nothing_else(tmp_path, way, monkeypatch):
    path = tmp_path / "x.json"
    path.write_text("old", "utf-8")
    for name, error in (("replace", OSError("disk full")), ("replace", KeyboardInterrupt())):
        with monkeypatch.context() as patched, pytest.raises(type(error)):
            def fails(*_, error=error):
                raise error

            patched.setattr(whole_file.os, name, fails)
            write_whole(path, "new")
        assert path.read_text("utf-8") == "old" and [p.name for p in tmp_path.iterdir()] == ["x.json"]
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    with pytest.raises(OSError):
        write_whole(tmp_path / "nowhere" / "x", "")
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_a_kill_in_the_middle_leaves_nothing_beside_the_file(tmp_path):
    descriptor, hidden = whole_file._hidden(tmp_path)
    os.close(descriptor)
    if hidden:
        pytest.skip("this file system has no files without a name, so that a kill can leave a hidden one")
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom pairproof.bridge import whole_file\n"
        "whole_file.os.fchmod = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "whole_file.write_whole(Path(sys.argv[1]), 'x' * 1000000)\n")
    path = tmp_path / "x.json"
    path.write_text("old", "utf-8")
    done = subprocess.run([sys.executable, "-c", program, str(path)], timeout=60)
    assert done.returncode == -9
    assert path.read_text("utf-8") == "old" and [p.name for p in tmp_path.iterdir()] == ["x.json"]
