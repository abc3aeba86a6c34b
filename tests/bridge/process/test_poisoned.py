"""A worker that cannot be trusted any more is replaced, whatever spoilt it; and none outlives its parent, not
even while R starts.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pairproof.bridge.process import process
from pairproof.bridge.process.process import MARK, NoReply, node_of, read_frame, read_reply
from pairproof.bridge.process.session import RSession, default_seconds
from pairproof.errors import InputError, RCrashed, RError, RUnavailable


@pytest.fixture(scope="module")
def spoilt():
    """A session whose workers the tests of this module spoil one after the other."""
    with RSession() as one:
        yield one


REBIND = "unlockBinding('{f}', {where}); assign('{f}', function(...) {does}, {where}); 1"


@pytest.mark.nightly
@pytest.mark.r
@pytest.mark.parametrize(("code", "said"), [
    (REBIND.format(f="mean", where="baseenv()", does="0"), "mean of base"),
    (REBIND.format(f="sd", where="as.environment('package:stats')", does="0"), "sd of package:stats"),
    ("registerS3method('deviance', 'lm', function(object, ...) 0); 1", "deviance.lm of the S3 methods of stats"),
    ("detach('package:stats'); 1", "search path"),
])  # fmt: skip
def test_a_worker_whose_functions_or_search_path_were_changed_is_replaced(spoilt, code, said):
    spoilt.poisoned = ()
    assert spoilt.call(code=code, timeout=60).value.scalar() == 1.0
    assert said in "; ".join(spoilt.poisoned) and spoilt.pid is None
    code = (
        "c(mean(c(1, 3)), stats::var(c(1, 3)), sd(c(2, 2)), stats::median(1:3),"
        " stats::deviance(stats::lm(c(1, 3) ~ 1)))"
    )
    # lm's last bit depends on the linear algebra: observed 4e-16 off with OpenBLAS.
    assert spoilt.call(code=code).value.values.tolist() == pytest.approx([2.0, 2.0, 0.0, 2.0, 2.0], abs=1e-14)


@pytest.mark.nightly
@pytest.mark.r
@pytest.mark.parametrize("code", [
    REBIND.format(f="c", where="baseenv()", does="stop('taken away')"), REBIND.format(f="list", where="baseenv()", does="7"),
    "lockEnvironment(globalenv()); 1"])  # fmt: skip
def test_where_the_bridge_itself_can_do_no_more_the_call_says_so_and_the_next_one_works(spoilt, code):
    with pytest.raises(RError, match="next call starts a new one"):
        spoilt.call(code=code, timeout=60)
    assert spoilt.pid is None
    assert spoilt.call(code="list(c(1, 2))").value[0].values.tolist() == [1.0, 2.0]


@pytest.mark.r
@pytest.mark.parametrize(("code", "asks", "stays"), [
    ("c <- function(...) stop('mine'); assign('list', function(...) 3, envir = globalenv()); 1", "exists('list', globalenv(), inherits = FALSE)", False),
    ("attach(list(sd = function(...) 9)); 1", "sd(c(1, 1)) == 9", False),
    ("setTimeLimit(elapsed = 0.2, transient = FALSE); 1", "{ Sys.sleep(0.5); FALSE }", False),
    ("Sys.setenv(PAIRPROOF_TEST = 'left'); 1", "nzchar(Sys.getenv('PAIRPROOF_TEST'))", False),
    ("for (i in 1:3) file(tempfile(), 'w'); 1", "nrow(showConnections()) > 1", False),
    ("for (i in 1:3) grDevices::pdf(NULL); 1", "length(grDevices::dev.list()) > 0", False),
    ("options(na.action = 'na.pass', digits = 3); 1", "getOption('na.action') != 'na.omit'", False),
])  # fmt: skip
def test_what_can_be_put_back_is_put_back_in_the_same_worker(spoilt, code, asks, stays):
    spoilt.call(code="1")
    pid = spoilt.pid
    assert spoilt.call(code=code, timeout=60).value.scalar() == 1.0
    assert spoilt.call(code=asks, timeout=60).value.scalar() is stays
    assert spoilt.pid == pid


@pytest.mark.r("gnm", "BradleyTerry2")
def test_loading_packages_poisons_nothing(spoilt):
    spoilt.call(code="1")
    pid = spoilt.pid
    for code, needs in (
        ("suppressMessages(library(gnm)); 1", ()),
        ("BradleyTerry2::BTm; 1", ("BradleyTerry2", "MASS")),
        ("stats4::mle; 1", ()),
    ):
        spoilt.call(code=code, needs=needs)
    assert spoilt.pid == pid


#: Writes to the pipe of replies, and only to it: descriptor 4 if that is a pipe that is not the log's.
POLLUTE = """
mine <- Sys.readlink("/proc/self/fd/4")
stopifnot(startsWith(mine, "pipe:"), mine != Sys.readlink("/proc/self/fd/2"))
pipe <- file("/proc/self/fd/4", "wb")
writeBin({bytes}, pipe)
close(pipe)
1
"""
AS_MARK = "as.raw(c(" + ", ".join(map(str, MARK)) + "))"


@pytest.mark.nightly
@pytest.mark.r
@pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"),
    reason="no /proc here, through which the test writes into the worker's pipe: run it on Linux",
)
@pytest.mark.parametrize(("bytes_", "said"), [
    ("charToRaw('[1] some text on standard output\\n')", "instead of the start of a reply"),
    (f"c({AS_MARK}, as.raw(rep(255, 8)))", "18,446,744,073,709,551,615 bytes"),
    (f"c({AS_MARK}, as.raw(c(0, 0, 0, 0, 0, 0, 0, 5)), charToRaw('abcde'))", "cannot be read"),
    (f"c({AS_MARK}, as.raw(c(0, 0, 0, 0, 0, 0, 0, 5)), as.raw(c(128, 4, 75, 1, 46)))", "its reply is int"),
])  # fmt: skip
def test_bytes_that_are_no_reply_end_the_call_with_what_they_are(spoilt, bytes_, said):
    started = time.monotonic()
    with pytest.raises(RCrashed, match=said):
        spoilt.call(code=POLLUTE.replace("{bytes}", bytes_), timeout=60)
    assert time.monotonic() - started < 30, "the call waited for its time limit"
    assert spoilt.call(code="1 + 1").value.scalar() == 2.0


class Runs:
    """Unpickled, it would make a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def frame(content, length=None):
    return MARK + struct.pack(">Q", len(content) if length is None else length) + content


def test_a_reply_makes_no_objects_and_runs_nothing(tmp_path):
    with pytest.raises(NoReply, match="contains a Python object"):
        read_reply(pickle.dumps(("ok", Runs(tmp_path / "made"))))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("written", "said"), [
    (frame(b"abc", 7), "ends after 3 of 7 bytes"),
    (MARK + b"\0\0", "ends after 0 of 0 bytes"),
    (frame(b"", 2**63), "at most"),
    (b"Welcome to R!", "instead of the start of a reply"),
    (MARK[:3], "instead of the start of a reply"),
])  # fmt: skip
def test_what_is_no_frame_says_so_without_taking_memory(written, said):
    with pytest.raises(NoReply, match=said):
        read_frame(io.BytesIO(written))


def test_what_a_start_up_file_prints_before_the_first_reply_is_told_from_it():
    pipe = io.BytesIO(b"a line from sitecustomize\n" + frame(b"x") + b"then garbage")
    assert read_frame(pipe, first=True) == (b"x", b"a line from sitecustomize\n")
    with pytest.raises(NoReply):
        read_frame(pipe)
    assert read_frame(io.BytesIO(b"")) == (None, b"")


@pytest.mark.parametrize("value", [
    None, ("dbl", b"abc", {}), ("dbl", 3, {}), ("chr", [1], {}), ("list", 5, {}), ("int", b"", []), ("formula", "y ~ x", {}), ("null", None),
])  # fmt: skip
def test_what_is_no_node_is_no_reply(value):
    with pytest.raises(NoReply):
        node_of(value)


def run_worker(tmp_path, monkeypatch, body):
    """A session whose worker is another program."""
    program = tmp_path / "worker.py"
    program.write_text(
        "import os, pickle, struct, sys, time\nMARK = " + repr(MARK) + "\nout = sys.stdout.buffer\n" + body,
        "utf-8",
    )
    monkeypatch.setattr(process, "WORKER", str(program))
    monkeypatch.setattr(process, "find_r_home", lambda environment: str(tmp_path))
    return RSession()


@pytest.mark.parametrize(("body", "said"), [
    ("out.write(b'no reply at all' * 100000); out.flush(); time.sleep(60)", "instead of the start of a reply"),
    ("f = pickle.dumps(('ready', {})); out.write(MARK + struct.pack('>Q', len(f)) + f); out.flush(); time.sleep(60)", "did not report that it is ready"),
    ("f = pickle.dumps(('ready', 7)); out.write(MARK + struct.pack('>Q', len(f)) + f); out.flush(); time.sleep(60)", "did not report that it is ready"),
    ("pass", "ended with exit code 0"),
])  # fmt: skip
def test_a_worker_that_does_not_say_it_is_ready_is_ended_with_the_reason(tmp_path, monkeypatch, body, said):
    started = time.monotonic()
    with pytest.raises(RUnavailable, match=said):
        run_worker(tmp_path, monkeypatch, body).call(code="1")
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("text", ["abc", "-1", "0", "nan", "inf", "-inf", "", " ", "1e300", "1,5"])
def test_a_time_limit_that_is_none_is_an_error_of_the_input_that_names_its_variable(monkeypatch, text):
    monkeypatch.setenv("PAIRPROOF_R_TIMEOUT", text)
    with pytest.raises(InputError, match="PAIRPROOF_R_TIMEOUT is .*expected seconds, a number above 0"):
        default_seconds()


@pytest.mark.r
def test_a_wrong_time_limit_of_a_call_is_refused_before_r_is_asked(spoilt):
    for seconds in (float("nan"), float("inf"), -1, 0):
        with pytest.raises(InputError, match="timeout is"):
            spoilt.call(code="1", timeout=seconds)


# -- killed while R starts -----------------------------------------------------------------------------------

ASK = "from pairproof.bridge.process.session import session; session().call(code='1')"


def workers_in(folder):
    """Processes whose environment names this temporary folder, and are no zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_text("utf-8").rsplit(")", 1)[1].split()[0]
                if (
                    state != "Z"
                    and f"TMPDIR={folder}".encode() in (entry / "environ").read_bytes()
                    and b"worker.py" in (entry / "cmdline").read_bytes()
                ):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.r
@pytest.mark.skipif(
    not os.path.isdir("/proc/self"), reason="no /proc here, in which the test looks for processes left behind"
)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("after", [0.0, 0.3])
def test_no_worker_and_no_folder_outlives_a_parent_that_is_ended_while_r_starts(tmp_path, sent, after):
    parent = subprocess.Popen(
        [sys.executable, "-c", ASK], env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not workers_in(tmp_path) and parent.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(after)
    parent.send_signal(sent)
    parent.wait(60)
    deadline = time.monotonic() + 30
    while (workers_in(tmp_path) or list(tmp_path.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (workers_in(tmp_path), list(tmp_path.iterdir())) == ([], [])


@pytest.mark.r
@pytest.mark.skipif(
    not os.path.isdir("/proc/self"), reason="no /proc here, in which the test looks for processes"
)
def test_ctrl_c_while_r_starts_ends_it_in_a_session_that_goes_on(tmp_path):
    program = (
        "import os, signal, sys, threading, time\nfrom pairproof.bridge.process.session import"
        " session\nthreading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT)).start()\ntry:\n   "
        " session().call(code='1'); print('started before')\nexcept KeyboardInterrupt:\n   "
        " print('interrupted')\nprint(session().pid, os.listdir(os.environ['TMPDIR']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.splitlines() == ["interrupted", "None []"], done
    assert not workers_in(tmp_path)


@pytest.mark.r
def test_no_folder_for_r_is_a_reason_with_a_cure(tmp_path):
    with RSession({**os.environ, "TMPDIR": str(tmp_path / "not there")}) as one, pytest.raises(
        RUnavailable, match="cannot create a temporary folder.*\n  cure: set TMPDIR"
    ):
        one.call(code="1")
