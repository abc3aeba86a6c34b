"""Every way in which the R process can fail, really provoked; the next call must work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pairproof.bridge.process.session import session
from pairproof.errors import RCrashed, RError, RTimeout

pytestmark = pytest.mark.r


def works(r):
    assert r.call(code="1 + 1").value.scalar() == 2.0


@pytest.fixture(scope="module")
def fragile():
    """A session that the tests of this module crash one after the other."""
    from pairproof.bridge.process.session import RSession

    with RSession() as one:
        yield one


@pytest.mark.nightly
@pytest.mark.parametrize("loop", [
    "while (TRUE) {}",
    "x <- matrix(stats::rnorm(4e6), 2000); repeat solve(x)",  # LAPACK: never comes back to R's interrupt check
    "Sys.sleep(60)",
])  # fmt: skip
def test_an_endless_call_ends_at_its_time_limit_and_the_next_call_works(fragile, loop):
    fragile.call(code="1")
    started = time.monotonic()
    with pytest.raises(RTimeout, match="within 1 s"):
        fragile.call(code=loop, timeout=1)
    assert time.monotonic() - started < 20
    assert fragile.pid is None
    works(fragile)


@pytest.mark.nightly
@pytest.mark.parametrize(("fall", "said"), [
    ("q('no', 3)", "exit code 3"),
    ("tools::pskill(Sys.getpid(), 9)", "SIGKILL"),
    ("tools::pskill(Sys.getpid(), 6)", "SIGABRT"),
    ("tools::pskill(Sys.getpid(), 11)", "SIGSEGV"),
])  # fmt: skip
def test_a_fall_of_r_is_reported_with_its_cause_and_the_next_call_works(fragile, fall, said):
    with pytest.raises(RCrashed, match=said):
        fragile.call(code=fall, timeout=20)
    works(fragile)


def test_a_kill_between_calls_goes_unnoticed(fragile):
    works(fragile)
    killed = fragile.pid
    os.kill(fragile.pid, signal.SIGKILL)
    time.sleep(0.2)
    works(fragile)
    assert fragile.pid not in (None, killed)


def test_a_stopped_process_does_not_hold_a_large_argument_past_the_time_limit(fragile):
    import numpy as np

    works(fragile)
    os.kill(fragile.pid, signal.SIGSTOP)
    with pytest.raises(RTimeout):
        fragile.call(code="length(x)", args={"x": np.zeros(2_000_000)}, timeout=1)
    works(fragile)


def test_ctrl_c_in_the_parent_ends_the_call_at_once(fragile):
    works(fragile)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        fragile.call(code="while (TRUE) {}", timeout=20)
    assert time.monotonic() - started < 15  # without the signal: 20
    works(fragile)


def test_ctrl_c_leaves_no_answer_behind_for_the_next_call(fragile):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        fragile.call(code="Sys.sleep(0.6); 'late'", timeout=20)
    time.sleep(0.5)
    assert fragile.call(code="'mine'").value.scalar() == "mine"


@pytest.mark.parametrize(("code", "said"), [
    ("f <- function(n) f(n + 1); f(1)", "infinite recursion|C stack"),
    ("options(expressions = 500000); f <- function(n) f(n + 1); f(1)", "C stack|infinite recursion"),
    ("x <- numeric(1e13)", "cannot allocate|too large"),
    ("matrix(0, 2e5, 2e5)", "cannot allocate|too large"),
])  # fmt: skip
def test_exhaustion_is_an_ordinary_r_error_without_a_restart(r, code, said):
    r.call(code="1")
    pid = r.pid
    with pytest.raises(RError, match=said):
        r.call(code=code, timeout=60)
    works(r)
    assert r.pid == pid


@pytest.mark.parametrize(("code", "value"), [
    ("readline('? ')", ""),
    ("{ browser(); 3 }", 3.0),
    ("{ try(utils::menu(c('a', 'b')), silent = TRUE); 4 }", 4.0),
    ("{ scan(file = 'stdin', quiet = TRUE, what = ''); 5 }", 5.0),
    ("{ system('echo from a child; echo and its errors >&2'); 6 }", 6.0),
    ("{ sink(tempfile()); 7 }", 7.0),
    ("{ sink(); 8 }", 8.0),
    ("{ z <- textConnection('w', 'w', local = TRUE); sink(z, type = 'message'); 9 }", 9.0),
    ("{ closeAllConnections(); 10 }", 10.0),
    ("{ grDevices::dev.new(); graphics::plot(1); 11 }", 11.0),
])  # fmt: skip
def test_what_would_hang_or_spoil_a_terminal_is_harmless(r, code, value):
    r.call(code="1")
    pid = r.pid
    assert r.call(code=code, timeout=20).value.scalar() == value
    assert r.call(code="cat('clean')").output == ("clean",)
    assert r.pid == pid


def test_output_of_programs_r_starts_goes_to_the_log(fresh):
    fresh.call(code="system('echo from a child')")
    deadline = time.monotonic() + 5
    while "from a child" not in fresh.log and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "from a child" in fresh.log


def test_eight_threads_share_one_r(r):
    found = []

    def ask(i):
        found.append(r.call(code="Sys.sleep(0.01); x * 2", args={"x": i}).value.scalar())

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == [2 * i for i in range(8)]


def test_ten_thousand_values_back_do_not_wear_the_process_out(r):
    # SexpVector.memoryview() drops a reference to None per call and ends Python < 3.12 after some 6000 of
    # them.
    pid = r.call(code="1") and r.pid
    for _ in range(7):
        r.call(code="lapply(1:1500, function(i) as.numeric(i))")
    assert r.pid == pid


def test_a_fork_gets_its_own_r():
    r = session()
    works(r)
    pid, read, write = r.pid, *os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover (another process)
        try:
            mine = session()
            mine.call(code="1")
            os.write(write, f"{mine.pid}".encode())
            mine.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    theirs = int(os.read(read, 20))
    assert theirs != pid
    works(r)
    assert r.pid == pid


def gone(pid, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(
    not os.path.isdir("/proc/self"), reason="no /proc here, in which the test looks for processes"
)
@pytest.mark.parametrize("busy", ["while (TRUE) {}", "x <- matrix(stats::rnorm(4e6), 2000); repeat solve(x)"])
def test_r_dies_with_its_parent_even_in_the_middle_of_a_loop(busy):
    program = (
        "import threading\n"
        "from pairproof.bridge.process.session import session\n"
        "r = session(); print(r.call(code='tempdir()').value.scalar(), r.pid, flush=True)\n"
        f"r.call(code={busy!r})\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    folder, worker = parent.stdout.readline().split()
    worker = int(worker)
    time.sleep(0.5)
    assert not gone(worker, 0)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert gone(worker, 5)
    assert not os.path.exists(folder)


def test_two_processes_have_two_rs(r):
    r.call(code="1")
    program = (
        "from pairproof.bridge.process.session import session; r = session(); r.call(code='1'); print(r.pid)"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(other.stdout) != r.pid
    assert gone(int(other.stdout), 5)


@pytest.mark.nightly
@pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="no /proc here, in which the test counts open files"
)
def test_restarts_leave_no_open_files_and_no_threads(fresh):
    counts = []
    for _ in range(4):
        works(fresh)
        fresh.close()
        counts.append((len(os.listdir("/proc/self/fd")), threading.active_count()))
    assert counts[-1] == counts[0]


def test_a_killed_r_leaves_no_temporary_folder_behind(fresh):
    def folder():
        return fresh.call(code="tempdir()").value.scalar()

    for end in (fresh.close, lambda: os.kill(fresh.pid, signal.SIGKILL)):
        left = folder()
        assert os.path.isdir(left)
        end()
        time.sleep(0.2)
        works(fresh)
        assert not os.path.exists(left)


def test_a_worker_ends_when_its_session_closes(fresh):
    works(fresh)
    pid = fresh.pid
    fresh.close()
    assert gone(pid, 5)
    works(fresh)
