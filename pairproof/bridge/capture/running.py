"""Runs R in a session of its own, within a time limit and an output limit, and ends everything it started."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import PairproofError

#: Most bytes of output that are passed through and kept; what is beyond is read and dropped.
OUTPUT_LIMIT = 10 * 2**20
#: Environment variable that tells our R side where to write, and us which processes are of this run.
FOLDER = "PAIRPROOF_CAPTURE"
#: How long output is awaited that programs in the background still hold the pipe of, in seconds.
_AFTER_END = 0.5
#: How often it is looked for processes that left the group; each time those that are found are ended.
_PASSES = 20
#: Most bytes kept of R's standard error, from its end.
_TAIL = 2**16


@dataclass(frozen=True)
class Ran:
    """How a program ran.

    Attributes
    ----------
    code : int or None
        Exit code; negative: the signal that ended it; None if it did not start.
    timed_out : bool
    seconds : float
    output : bytes
        Standard output, up to the limit.
    errors : bytes
        End of standard error.
    output_bytes : int
        Of both, with what was dropped.
    pid : int
    """

    code: int
    timed_out: bool
    seconds: float
    output: bytes
    errors: bytes
    output_bytes: int
    pid: int


def run_program(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    seconds: float,
    output_limit: int = OUTPUT_LIMIT,
    output: Callable[[bytes], None] | None = None,
) -> Ran:
    """Run a program with empty input and end whatever it left running.

    Parameters
    ----------
    command : sequence of str
    folder : Path
        Where it starts.
    environment : mapping
        With `FOLDER`, whose value is of this run alone.
    seconds : float
    output_limit : int
        Bytes.
    output : callable, optional
        Is given what it prints, on either stream, up to the limit.

    Raises
    ------
    PairproofError
        It does not start.
    """
    begun = time.monotonic()
    try:
        child = subprocess.Popen(
            list(command),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise PairproofError(f"{command[0]} did not start: {error.strerror or error}") from None
    reader = _Reader(output_limit, output)
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
    return Ran(
        child.returncode,
        timed_out,
        time.monotonic() - begun,
        bytes(reader.kept),
        bytes(reader.errors),
        reader.seen,
        child.pid,
    )


class _Reader:
    """Reads both streams of a program."""

    def __init__(self, limit: int, output: Callable[[bytes], None] | None) -> None:
        self.limit, self.output = limit, output
        self.kept, self.errors, self.seen = bytearray(), bytearray(), 0

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
                for key, _ in wait.select(min(until - now, 0.1)):
                    block = os.read(key.fd, 65536)
                    if block:
                        self._take(block, key.data)
                    else:
                        wait.unregister(key.fileobj)
                if ended is None and child.poll() is not None:
                    ended = time.monotonic()
        return False

    def _take(self, block: bytes, error: bool) -> None:
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
        left = [
            pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _of_run(pid, mark, folder)
        ]
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
