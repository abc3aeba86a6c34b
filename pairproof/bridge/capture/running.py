"""Runs R in a session of its own, within limits of time and output, in a sandbox where asked to.

Everything that R started is ended with it.  The sandbox: no network, no sight of other processes, nothing
writable but the copy.

======== ============================================== =====================================================
with     made by                                        protects
======== ============================================== =====================================================
bwrap    bubblewrap                                     network, processes, files (all but the copy read-only)
unshare  util-linux, and read-only mounts (Linux 5.12)  the same
unshare  util-linux, where mounts cannot be changed     network and processes only: files are as the user's
                                                        rights have them; `Sandbox.files` is False
======== ============================================== =====================================================

Each is tried with a small program before the script runs.  All files can still be read in it, local sockets
of the file system (a desktop's, docker's) can still be reached, and the environment is the user's: the
announcement says so. Where none works (macOS, user namespaces switched off), the sandbox is refused.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, PairproofError
from ...files.inputs import read_file

#: Most bytes of output that are passed through and kept; what is beyond is read and dropped.
OUTPUT_LIMIT = 10 * 2**20
#: Environment variable that tells our R side where to write, and us which processes are of this run.
FOLDER = "PAIRPROOF_CAPTURE"
#: Most bytes of a mark that R leaves in its output.
_LONGEST_MARK = 64
#: How long output is awaited that programs in the background still hold the pipe of, in seconds.
_AFTER_END = 0.5
#: How often it is looked for processes that left the group; each time those that are found are ended.
_PASSES = 20
#: How often it is looked for programs of R, in seconds; most that are noted, and most bytes of what they run.
_LOOK, _MOST_PROGRAMS, _MOST_CODE = 0.05, 1_000, 2**20
#: Most bytes kept of R's standard error, from its end.
_TAIL = 2**16


@dataclass(frozen=True)
class RProgram:
    """A program of R that ran in the session, the script's own included, as /proc shows it."""

    pid: int
    parent: int
    inner: int
    command: tuple[str, ...]
    code: str


@dataclass(frozen=True)
class Ran:
    """How a program ran."""

    code: int
    timed_out: bool
    seconds: float
    output: bytes
    errors: bytes
    output_bytes: int
    pid: int
    r_programs: tuple[RProgram, ...] = ()
    #: Process, top-level expression, bytes of `output` before its end.
    marks: tuple[tuple[str, int, int], ...] = ()


def run_program(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    seconds: float,
    output_limit: int = OUTPUT_LIMIT,
    output: Callable[[bytes], None] | None = None,
    mark: str = "",
) -> Ran:
    """Run a program with empty input and end whatever it left running.  mark: what its marks in its output begin with."""
    begun = time.monotonic()
    try:
        own: dict[str, Any] = {"cwd": folder, "env": dict(environment), "start_new_session": True}
        own |= {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = subprocess.Popen(list(command), **own)
    except OSError as error:
        raise PairproofError(f"{command[0]} did not start: {error.strerror or error}") from None
    reader = _Reader(output_limit, output, _Watch(child.pid, environment[FOLDER], folder), mark)
    try:
        timed_out = reader.read(child, begun + seconds)
        if not timed_out:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(max(0.0, min(5.0, begun + seconds - time.monotonic())))
            timed_out = child.poll() is None
    finally:  # Ctrl-C too
        end_group(child)
        end_marked(environment[FOLDER], folder)
        for pipe in (child.stdout, child.stderr):
            assert pipe is not None
            pipe.close()
    seconds, kept, errors = time.monotonic() - begun, bytes(reader.kept), bytes(reader.errors)
    seen, marks = tuple(reader.watch.seen.values()), tuple(reader.marks)
    return Ran(child.returncode, timed_out, seconds, kept, errors, reader.seen, child.pid, seen, marks)


class _Watch:
    """Looks for programs of R of this run: one that has an environment of its own writes no records.

    R needs more than a tenth of a second to start.  On Linux; elsewhere nothing is seen.
    """

    def __init__(self, session: int, mark: str, folder: Path) -> None:
        self.session, self.mark, self.folder = session, mark, folder
        self.seen: dict[tuple[int, tuple[str, ...]], RProgram] = {}
        self._next = 0.0

    def look(self, now: float) -> None:
        """Note the programs that run now."""
        if now < self._next or not sys.platform.startswith("linux"):
            return
        self._next = now + _LOOK
        for pid in _processes():
            with contextlib.suppress(OSError):  # it has ended
                if os.readlink(f"/proc/{pid}/exe").endswith("/exec/R") and self._of_run(pid):
                    self._note(pid)

    def _of_run(self, pid: int) -> bool:
        """Of the session, or one that left it."""
        return os.getsid(pid) == self.session or _of_run(pid, self.mark, self.folder)

    def _note(self, pid: int) -> None:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
        command = tuple(raw.rstrip("\0").split("\0"))
        if (pid, command) in self.seen or len(self.seen) >= _MOST_PROGRAMS:
            return
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
        said = {name: rest.split() for name, _, rest in (line.partition(":") for line in status.splitlines())}
        inner = int(said["NSpid"][-1]) if said.get("NSpid") else 0
        self.seen[pid, command] = RProgram(pid, int(said["PPid"][0]), inner, command, _code_of(pid, command))


def _processes() -> list[int]:
    """Those that run now, on Linux."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _code_of(pid: int, command: Sequence[str]) -> str:
    """The file that R was told to run, which may be deleted at its end."""
    named = [word.removeprefix("--file=") for word in command if word.startswith("--file=")]
    named += [after for word, after in zip(command, command[1:]) if word == "-f"]
    with contextlib.suppress(OSError, PairproofError):
        folder = os.readlink(f"/proc/{pid}/cwd")
        if named:
            content = read_file(os.path.join(folder, named[0].replace("~+~", " ")), most=_MOST_CODE)
            return content.decode("utf-8", "replace")
    return ""


class _Reader:
    """Reads both streams of a program."""

    def __init__(
        self, limit: int, output: Callable[[bytes], None] | None, watch: _Watch, mark: str = ""
    ) -> None:
        self.limit, self.output, self.watch = limit, output, watch
        self.kept, self.errors, self.seen = bytearray(), bytearray(), 0
        self.marks: list[tuple[str, int, int]] = []
        self._mark = re.compile(rb"\x1e%s:(\d{1,9}):(\d{1,9})\x1e" % mark.encode()) if mark else None
        self._held = b""

    def read(self, child: subprocess.Popen[bytes], until: float) -> bool:
        """Read until the program has ended; whether the time was over before."""
        with selectors.DefaultSelector() as wait:
            for pipe in (child.stdout, child.stderr):
                assert pipe is not None
                wait.register(pipe, selectors.EVENT_READ, pipe is child.stderr)
            ended: float | None = None
            while wait.get_map():
                now = time.monotonic()
                if now >= until:
                    return child.poll() is None
                if ended is not None and now >= ended + _AFTER_END:
                    return False
                self.watch.look(now)
                for key, _ in wait.select(min(until - now, _LOOK)):
                    block = os.read(key.fd, 65536)
                    if block:
                        self._take(block, key.data)
                    else:
                        wait.unregister(key.fileobj)
                        if not key.data:
                            held, self._held, self._mark = self._held, b"", None
                            self._take(held, False)
                if ended is None and child.poll() is not None:
                    ended = time.monotonic()
        return False

    def _take(self, block: bytes, error: bool) -> None:
        if self._mark is None or error:
            self._pass(block, error)
            return
        block = self._held + block
        while found := self._mark.search(block):
            self._pass(block[: found.start()], False)
            self.marks.append((found[1].decode(), int(found[2]), len(self.kept)))
            block = block[found.end() :]
        begun = block.rfind(b"\x1e", -_LONGEST_MARK)  # of one, the rest of which is still to come
        self._held = block[begun:] if begun >= 0 else b""
        self._pass(block[:begun] if begun >= 0 else block, False)

    def _pass(self, block: bytes, error: bool) -> None:
        passed = block[: max(0, self.limit - self.seen)]
        self.seen += len(block)
        if error:
            self.errors += block
            del self.errors[:-_TAIL]
        else:
            self.kept += passed
        if passed and self.output is not None:
            self.output(passed)


def end_group(child: subprocess.Popen[Any]) -> None:
    """Kill the program and its process group."""
    # The group outlives its leader as long as one of its processes runs; its number is not given anew then.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def end_marked(mark: str, folder: Path) -> None:
    """Kill processes that left the group (`setsid`), but have this run's mark in their environment or are in its folder.

    On Linux; elsewhere other processes cannot be looked at, and the group is all that is ended.  What hides from both
    on purpose is ended by the sandbox alone, which has its own numbering of processes.
    """
    if not sys.platform.startswith("linux"):
        return
    for _ in range(_PASSES):  # a process may start another while it is looked at
        left = [pid for pid in _processes() if _of_run(pid, mark, folder)]
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return


def _of_run(pid: int, mark: str, folder: Path) -> bool:
    """Whether a process is one of the run."""
    if pid == os.getpid():
        return False
    with contextlib.suppress(OSError):
        at = os.readlink(f"/proc/{pid}/cwd")
        if at == str(folder) or at.startswith((f"{folder}{os.sep}", f"{folder} (deleted)")):
            return True
        return f"{FOLDER}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


CONFINED = Path(__file__).with_name("confined.py")
TRY_SECONDS = 20.0
#: Files of the kernel through which whoever may write them owns the machine.
_OF_THE_KERNEL = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger")
#: What no sandbox here takes away, for the announcement.
_REACHED = "connect to sockets in the file system (a desktop's, docker's) and see your environment variables"
STILL_OPEN = f"in the sandbox it can still read every file that you can read, {_REACHED}"
_NAMESPACES = ("--user", "--map-root-user", "--net", "--pid", "--ipc", "--fork", "--kill-child")


@dataclass(frozen=True)
class Sandbox:
    """A way to run a program confined."""

    name: str
    prefix: tuple[str, ...]
    files: bool

    def __str__(self) -> str:
        how = f"in a sandbox ({self.name}): no network, no other processes"
        if self.files:
            return f"{how}, only the copy can be written to"
        open_here = "FILES ARE NOT PROTECTED here, the script can write wherever you can"
        return f"{how}; {open_here}: install bubblewrap for that (`apt-get install bubblewrap`)"


def find_sandbox(folder: Path, environment: Mapping[str, str]) -> Sandbox:
    """The strongest sandbox that works on this machine."""
    reasons = []
    for sandbox in _candidates(folder, environment):
        reason = _try(sandbox, folder, environment)
        if not reason:
            return sandbox
        reasons.append(f"{sandbox.name}: {reason}")
    why = "; ".join(reasons) or "neither bwrap nor unshare is installed"
    cure = "install bubblewrap (`apt-get install bubblewrap`), allow user namespaces"
    said = f"no sandbox can be made here, so the script was not run ({why}); {cure}"
    raise InputError(f"{said}, or run it without the sandbox, with your own rights")


def _candidates(folder: Path, environment: Mapping[str, str]) -> list[Sandbox]:
    path = environment.get("PATH", "")
    found = []
    bwrap, unshare = shutil.which("bwrap", path=path), shutil.which("unshare", path=path)
    if bwrap:
        # bwrap covers /proc/sys only where access(2) says that it can be written. That folder has mode
        # 555, and cannot; the files in it are root's, and can.  So all of /proc is made read-only.
        kernel = ("--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
        mounts = ("--ro-bind", "/", "/", *kernel, "--bind", str(folder), str(folder))
        # As root bwrap makes no user namespace and keeps every capability unless it is told so.
        rights = ("--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--")
        found.append(Sandbox("bwrap", (bwrap, *mounts, *rights), True))
    if unshare:
        confined = (sys.executable, "-I", "-S", str(CONFINED), str(folder))
        found.append(Sandbox("unshare", (unshare, *_NAMESPACES, "--mount", "--", *confined), True))
        found.append(Sandbox("unshare", (unshare, *_NAMESPACES, "--"), False))
    return found


def _try(sandbox: Sandbox, folder: Path, environment: Mapping[str, str]) -> str:
    """Why a sandbox does not work; "" if it does, and protects what it says."""
    inside, outside = folder / "tried", folder.parent / f"{folder.name}.tried"
    script = (
        ': > "$1" || exit 3; shift; [ $# = 0 ] && exit 0; (: > "$1") 2>/dev/null && exit 4; shift'
        '; for file; do [ -w "$file" ] && exit 5; done; exit 0'
    )
    closed = (str(outside), *_OF_THE_KERNEL) if sandbox.files else ()
    command = [*sandbox.prefix, "/bin/sh", "-c", script, "sh", str(inside), *closed]
    try:
        return _outcome(command, environment)
    finally:
        for path in (inside, outside):
            path.unlink(missing_ok=True)


def _outcome(command: Sequence[str], environment: Mapping[str, str]) -> str:
    try:
        how: dict[str, Any] = {"stdin": subprocess.DEVNULL, "env": dict(environment), "timeout": TRY_SECONDS}
        done = subprocess.run(command, capture_output=True, **how)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    if done.returncode == 0:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    words = {
        3: "its folder cannot be written to",
        4: "files outside its folder can be written to",
        5: "settings of the kernel can be written to",
    }
    return words.get(done.returncode) or (said[-1][:200] if said else f"exit code {done.returncode}")
