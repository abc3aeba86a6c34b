"""The child process that owns R, from the parent's side: start, ask with a time limit, end.

Portable on purpose: reading is done by a thread, so the time limit needs neither ``select`` nor signals.  Measured on
Linux; on Windows this design was not run.
"""

from __future__ import annotations

import collections
import contextlib
import os
import pickle
import queue
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

from pairproof.errors import RCrashed, RError, RTimeout, RUnavailable

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
START_SECONDS = 120.0  # R with rpy2 starts in 0.3 to 2 s; a loaded machine and a cold disk may take much longer
LOG_LINES = 200
#: Packages whose versions the worker reports; the wrappers need the first six.
PACKAGES = ("prefmod", "gnm", "BradleyTerry2", "psychotools", "qvcalc", "MASS", "brglm", "lme4", "colorspace", "TrueSkillThroughTime",
            "rjags", "coda", "MCMCpack")


class StartFailed(RUnavailable):
    """Why R could not be started; ``kind`` says which part is missing."""

    def __init__(self, kind: str, text: str, log: str = "") -> None:
        super().__init__(text + (f"\n{log}" if log else ""))
        self.kind = kind
        self.text = text


def find_r_home(environment: Mapping[str, str]) -> str:
    """R's home: R_HOME, else what the ``R`` on PATH says.

    Raises
    ------
    StartFailed
        If there is none, naming what was looked for.
    """
    home = environment.get("R_HOME", "")
    if not home:
        program = shutil.which("R", path=environment.get("PATH", ""))
        if program is None:
            raise StartFailed("no-r", "R is not installed: no `R` on PATH, and R_HOME is not set")
        asked = subprocess.run([program, "RHOME"], capture_output=True, text=True, env=dict(environment), timeout=60)
        lines = asked.stdout.strip().splitlines()
        if asked.returncode != 0 or not lines:
            raise StartFailed("no-r", f"`{program} RHOME` failed: {asked.stderr.strip() or 'it printed nothing'}")
        home = lines[-1]
    if not os.path.isdir(os.path.join(home, "library", "base")):
        raise StartFailed("no-r", f"R_HOME is {home}, which holds no R (no library/base there)")
    return home


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What can only be set before the process starts.

    LC_COLLATE=C, because under C.UTF-8 R sorts ``a A b B`` and factor baselines move with the machine; LC_CTYPE keeps
    UTF-8; no user profile, which can break ``import rpy2``; R's own library folder first for the loader; one thread.
    """
    home = find_r_home(environment)
    child = {k: v for k, v in environment.items() if k not in ("LC_ALL", "R_PROFILE")}
    loader = [os.path.join(home, "lib"), environment.get("LD_LIBRARY_PATH", "")]
    child.update(
        R_HOME=home, LD_LIBRARY_PATH=os.pathsep.join(p for p in loader if p), R_PROFILE_USER=os.devnull,
        LANG="C.UTF-8", LC_CTYPE="C.UTF-8", LC_COLLATE="C", LC_NUMERIC="C", LC_MESSAGES="C", LANGUAGE="en",
        OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONUTF8="1", PAIRPROOF_ASK_PACKAGES=",".join(PACKAGES))
    return child


class RProcess:
    """One child. Not thread-safe and never restarted: :class:`pairproof.bridge.session.RSession` does both.

    Parameters
    ----------
    environment : mapping, optional
        Instead of ``os.environ``.

    Raises
    ------
    RUnavailable
        If R does not come up, with the reason.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, start_seconds: float = START_SECONDS) -> None:
        child = child_environment(os.environ if environment is None else environment)
        self.log: collections.deque[str] = collections.deque(maxlen=LOG_LINES)
        self._inbox: queue.Queue[bytes | None] = queue.Queue()
        self._owner = os.getpid()
        self.about: dict[str, Any] = {}
        options: dict[str, Any] = (
            {"start_new_session": True} if os.name == "posix"
            else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)})
        self._child = subprocess.Popen([sys.executable, "-u", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=child, **options)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read_frames, self._read_log)]
        for thread in self._threads:
            thread.start()
        try:
            word, about = self._receive(start_seconds)
        except RTimeout:
            raise StartFailed("slow", f"R did not start within {start_seconds:g} s") from None
        except RCrashed as error:
            raise StartFailed("rpy2", f"R ended while starting: {error}") from None
        if word != "ready":
            self.kill()
            raise StartFailed(about["kind"], about["text"], self._log_tail())
        self.about = about

    @property
    def pid(self) -> int:
        return self._child.pid

    def alive(self) -> bool:
        return self._owner == os.getpid() and self._child.poll() is None

    def ask(self, request: dict[str, Any], seconds: float | None) -> tuple[Any, str]:
        """The reply node, and what went to R's error console.

        Raises
        ------
        RTimeout, RCrashed
            The child is gone then.
        RError
            If the bridge itself failed inside the child.
        """
        frame = pickle.dumps(request, protocol=5)
        try:
            # In a thread: a stopped child would otherwise hold a large write, and with it the time limit.
            threading.Thread(target=self._write, args=(frame,), daemon=True).start()
            reply = self._receive(seconds)
        except BaseException:  # Ctrl-C too: the next answer in the pipe would belong to this call, so the child must go
            self.kill()
            raise
        if reply[0] != "ok":
            raise RError(f"the bridge failed inside the R process: {reply[1]}")
        return reply[1], reply[2]

    def kill(self) -> None:
        """End the child and all it started; harmless if it has ended."""
        if self._owner != os.getpid():
            return  # a fork of the process that started it
        try:
            if os.name == "posix":
                os.killpg(self._child.pid, signal.SIGKILL)
            else:
                self._child.kill()
        except (ProcessLookupError, PermissionError):
            self._child.poll()
        self._child.wait()
        for thread in self._threads:
            thread.join(1.0)  # each closes its pipe; a program R left running may hold the other end
        assert self._child.stdin is not None
        with contextlib.suppress(OSError):  # unsent bytes for a process that is gone
            self._child.stdin.close()
        temporary = str(self.about.get("tempdir", ""))  # a killed R leaves its temporary folder behind
        if os.path.basename(temporary).startswith("Rtmp"):
            shutil.rmtree(temporary, ignore_errors=True)

    def _write(self, frame: bytes) -> None:
        pipe = self._child.stdin
        assert pipe is not None
        try:
            pipe.write(struct.pack(">Q", len(frame)) + frame if len(frame) < 65536 else struct.pack(">Q", len(frame)))
            if len(frame) >= 65536:
                pipe.write(frame)
            pipe.flush()
        except (BrokenPipeError, ValueError, OSError):
            return  # the child is gone: the reader sees the end of its output and says so

    def _read_frames(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as pipe:
            while True:
                head = _read_all(pipe, 8)
                frame = None if head is None else _read_all(pipe, struct.unpack(">Q", head)[0])
                self._inbox.put(frame)
                if frame is None:
                    return

    def _read_log(self) -> None:
        assert self._child.stderr is not None
        with self._child.stderr as pipe:
            for line in pipe:
                self.log.append(line.decode("utf-8", "replace").rstrip())

    def _receive(self, seconds: float | None) -> tuple[Any, ...]:
        started = time.monotonic()
        try:
            frame = self._inbox.get(timeout=seconds)
        except queue.Empty:
            self.kill()
            raise RTimeout(f"R did not answer within {seconds:g} s; its process was ended, the next call starts a new "
                           "one. Pass a larger timeout if the call needs it") from None
        if frame is None:
            raise RCrashed(self._obituary(time.monotonic() - started))
        reply: tuple[Any, ...] = pickle.loads(frame)
        return reply

    def _obituary(self, seconds: float) -> str:
        try:
            code: int | None = self._child.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        self.kill()
        if code is not None and code < 0:
            how = f"by signal {signal.Signals(-code).name}"
        else:
            how = f"with exit code {code}" if code is not None else "closing its output"
        tail = self._log_tail()
        return (f"the R process ended {how} after {seconds:.1f} s in the call; the next call starts a new one"
                + (f"\n{tail}" if tail else ""))

    def _log_tail(self, lines: int = 8) -> str:
        return "\n".join(f"  {line}" for line in list(self.log)[-lines:])


def _read_all(pipe: BinaryIO | Any, size: int) -> bytes | None:
    data = pipe.read(size)
    return data if len(data) == size else None
