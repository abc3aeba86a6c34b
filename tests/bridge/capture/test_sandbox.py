"""The sandbox: what a script in it cannot do, tried; and that it is refused where there is none."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pairproof.bridge.capture import running as sandbox
from pairproof.bridge.capture.run import capture
from pairproof.bridge.capture.running import Sandbox, find_sandbox
from pairproof.errors import InputError
from tests.bridge.capture.scripts_run import FIT, run, written

#: Why a test of the sandbox does not run, with what would let it run.
NO_SANDBOX = (
    "no sandbox can be made here: neither bwrap nor user namespaces are to be had; install bubblewrap"
)
UNPROTECTED = "the sandbox here does not protect files: it has user namespaces alone; install bubblewrap"


def strongest() -> Sandbox | None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return find_sandbox(Path(folder), os.environ)
        except InputError:
            return None


@pytest.fixture()
def confined() -> Sandbox:
    found = strongest()
    if found is None:
        pytest.skip(NO_SANDBOX)
    return found


@pytest.mark.r
def test_a_script_is_recorded_in_a_sandbox_as_without_one(tmp_path, confined):
    said: list[str] = []
    text = f"m <- {FIT}\nprint(coef(m))\nwrite.csv(1, 'out.csv')\nprint(file.exists('out.csv'))\n"
    inside, plain = run(tmp_path, text, sandbox=True, say=said.append), run(tmp_path, text)
    assert inside.sandboxed and not plain.sandboxed
    assert (inside.ending, inside.message, inside.output) == ("done", "", plain.output)
    assert [c.text for c in inside.calls] == [c.text for c in plain.calls] != []
    assert f"in a sandbox ({confined.name}): no network, no other processes" in said[0]
    assert "read every file that you can read, connect to sockets in the file system" in said[1]
    assert "see your environment variables" in said[1]


@pytest.mark.r
def test_a_script_in_a_sandbox_reaches_no_network_and_sees_no_other_process(tmp_path, confined):
    text = (
        "print(inherits(try(socketConnection('127.0.0.1', 9, timeout = 1), silent = TRUE), 'try-error'))\n"
        "print(length(readLines('/proc/net/route')) < 2)\n"
        "print(Sys.getpid() < 10)\n"
        f"print(tools::pskill({os.getpid()}, 0))\n"
    )
    found = run(tmp_path, text, sandbox=True)
    assert found.output.split("\n")[:4] == ["[1] TRUE", "[1] TRUE", "[1] TRUE", "[1] FALSE"]


@pytest.mark.r
def test_a_script_in_a_sandbox_writes_nothing_outside_its_copy(tmp_path, confined):
    if not confined.files:
        pytest.skip(UNPROTECTED)
    written(tmp_path, "1", "data.csv")
    text = (
        f"try(writeLines('2', '{tmp_path}/data.csv'), silent = TRUE)\n"
        f"print(file.create('{tmp_path}/new'))\nprint(unlink('{tmp_path}/data.csv'))\n"
        f"print(system('mount -o remount,bind,rw / 2>/dev/null') != 0)\n"
        f"print(system('unshare --user --map-root-user --mount sh -c \"mount -o remount,bind,rw /; touch {tmp_path}/new\" 2>/dev/null') != 0)\n"
        "print(unlink('data.csv'))\n"
    )
    found = run(tmp_path, text, sandbox=True)
    assert found.output.split("\n")[:5] == ["[1] FALSE", "[1] 1", "[1] TRUE", "[1] TRUE", "[1] 0"]
    assert sorted(os.listdir(tmp_path)) == ["analysis.R", "data.csv"]
    assert (tmp_path / "data.csv").read_text() == "1"


@pytest.mark.r
def test_a_script_in_a_sandbox_changes_no_setting_of_the_kernel_even_as_root(tmp_path, confined):
    if not confined.files:
        pytest.skip(UNPROTECTED)
    settings = [
        *("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches"),
        *("/proc/sysrq-trigger", "/proc/self/uid_map", "/sys/kernel/uevent_helper", "/sys/power/state"),
    ]
    there = [name for name in settings if os.path.exists(name)]
    quoted = ", ".join(f"'{name}'" for name in there)
    text = (
        f"print(unname(file.access(c({quoted}), 2)))\n"
        "remounted <- c('mount -o remount,rw /proc', 'umount /proc/sys', 'mount -t proc proc /proc')\n"
        "own <- 'unshare --user --map-root-user --mount --pid --fork sh -c'\n"
        "for (how in remounted) {\n"
        "  system(paste(how, '2>/dev/null'))\n"
        "  system(paste0(own, ' \"', how, '; test -w /proc/sys/kernel/core_pattern && echo open\" 2>/dev/null'))\n"
        "}\n"
        "print(system('test -w /proc/sys/kernel/core_pattern'))\n"
    )
    found = run(tmp_path, text, sandbox=True)
    answers = [int(v) for v in found.output.replace("[1]", "").split()]
    assert answers == [-1] * len(there) + [1]


@pytest.mark.r
def test_a_time_limit_and_an_exit_code_come_through_a_sandbox(tmp_path, confined):
    assert run(tmp_path, "repeat Sys.sleep(1)\n", sandbox=True, seconds=2.0).ending == "time"
    found = run(tmp_path, "quit(status = 3)\n", sandbox=True)
    assert (found.ending, found.exit_code) == ("quit", 3)


@pytest.mark.r
def test_without_a_sandbox_on_the_machine_the_script_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "_candidates", lambda folder, environment: [])
    script = written(tmp_path, f"file.create('{tmp_path}/ran')\n")
    with pytest.raises(
        InputError, match="no sandbox can be made here, so the script was not run .neither bwrap nor unshare"
    ):
        capture(script, sandbox=True)
    assert not (tmp_path / "ran").exists()


def test_a_sandbox_that_does_not_work_or_does_not_protect_is_not_taken(tmp_path, monkeypatch):
    broken = Sandbox("bwrap", ("/bin/sh", "-c", "echo no namespaces >&2; exit 1"), True)
    leaky = Sandbox("unshare", ("/usr/bin/env",), True)
    weak = Sandbox("unshare", ("/usr/bin/env",), False)
    monkeypatch.setattr(sandbox, "_candidates", lambda folder, environment: [broken, leaky])
    (tmp_path / "stage").mkdir()
    with pytest.raises(InputError) as told:
        find_sandbox(tmp_path / "stage", os.environ)
    assert "bwrap: no namespaces; unshare: files outside its folder can be written to" in str(told.value)
    assert sorted(os.listdir(tmp_path)) == ["stage"] and os.listdir(tmp_path / "stage") == []
    monkeypatch.setattr(sandbox, "_candidates", lambda folder, environment: [broken, leaky, weak])
    assert "FILES ARE NOT PROTECTED" in str(find_sandbox(tmp_path / "stage", os.environ))
