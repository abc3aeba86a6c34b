"""The parent's side of the child process that runs R: starts it, sends it calls with a time limit, ends it.

A thread reads the answers, so that the time limit needs neither ``select`` nor signals.  It has been used on
Linux, never on Windows.

Reads frames from the R process's pipe and replies from frames, without trusting what the process writes.

A frame is `MARK`, eight bytes of length, and a pickle of text, numbers, lists and bytes.  The unpickler
creates nothing else, so no bytes from any source can run code here.  Anything else raises
:class:`NoReply`, which says what was found, and the process that wrote it is not used again.
"""

from __future__ import annotations

import collections
import contextlib
import io
import os
import pickle
import queue
import secrets
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from ...errors import RCrashed, RError, RTimeout, RUnavailable
from ...files.r_startup import r_environment, r_options
from ..values.nodes import DTYPES, Node

#: The same as in worker.py, which cannot import this module.
MARK = b"\xf0pproof\n"
#: Longest reply that is accepted, in bytes: a vector of 2^31 doubles takes 17 GB.
MOST_BYTES = 2**36
#: Most bytes that a start-up file of Python may print to standard output before the first reply.
MOST_PRELUDE = 2**16
CHUNK = 2**20


class NoReply(Exception):
    """The error that the R process wrote something that is not a reply; the message says what."""


def read_frame(pipe: BinaryIO | Any, first: bool = False) -> tuple[bytes | None, bytes]:
    """The next frame (None at the end of the pipe), and the text before it (first frame only)."""
    start = bytearray(_read(pipe, len(MARK)))
    while first and len(start) >= len(MARK) and not start.endswith(MARK) and len(start) < MOST_PRELUDE:
        more = pipe.read(1)
        if not more:
            break
        start += more
    if not start:
        return None, b""
    if not start.endswith(MARK):
        raise NoReply(f"it wrote {bytes(start[:40])!r} instead of the start of a reply")
    prelude = bytes(start[: -len(MARK)])
    size = _read(pipe, 8)
    length = struct.unpack(">Q", size)[0] if len(size) == 8 else 0
    if length > MOST_BYTES:
        raise NoReply(f"it announced a reply of {length:,} bytes; at most {MOST_BYTES:,} are accepted")
    frame = _read(pipe, length)
    if len(size) < 8 or len(frame) < length:
        raise NoReply(f"its reply ends after {len(frame):,} of {length:,} bytes")
    return frame, prelude


def _read(pipe: BinaryIO | Any, size: int) -> bytes:
    """Read `size` bytes, or fewer at the end; memory grows only with the bytes that have arrived."""
    parts: list[bytes] = []
    left = size
    while left > 0:
        part = pipe.read(min(left, CHUNK))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


class _Plain(pickle.Unpickler):
    """An unpickler of plain values."""

    def find_class(self, module: str, name: str) -> Any:
        raise NoReply(f"its reply contains a Python object, {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise NoReply("its reply refers to an object elsewhere")


def read_reply(frame: bytes) -> tuple[Any, ...]:
    """Read a frame as a tuple that begins with a word."""
    try:
        found = _Plain(io.BytesIO(frame)).load()
    except NoReply:
        raise
    except Exception as error:  # pickle raises whatever the bytes lead it to
        raise NoReply(
            f"its reply of {len(frame):,} bytes cannot be read ({type(error).__name__}: {str(error)[:80]})"
        ) from None
    if not isinstance(found, tuple) or not found or not isinstance(found[0], str):
        raise NoReply(f"its reply is {type(found).__name__} {str(found)[:60]!r}")
    return found


def node_of(value: Any) -> Node:
    """Convert a value from the pipe to a node, with its numbers as new arrays."""
    try:
        return _node(value)
    except NoReply:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise NoReply(
            f"its reply contains something that is not an R value ({type(error).__name__}: {str(error)[:80]})"
        ) from None


def _node(value: Any) -> Node:
    tag, payload, attributes = value
    named = {_text(k): _node(v) for k, v in attributes.items()}
    if tag == "null":
        return ("null", None, {})
    if tag == "list":
        return ("list", [_node(v) for v in payload], named)
    if tag == "chr":
        return ("chr", [None if v is None else _text(v) for v in payload], named)
    if tag in ("lang", "opaque"):
        return (tag, _text(payload), named)
    if tag not in DTYPES:
        raise NoReply(f"its reply contains a value of unknown kind {str(tag)[:40]!r}")
    return (tag, np.frombuffer(bytearray(payload), dtype=DTYPES[tag]), named)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NoReply(f"its reply holds {type(value).__name__} {str(value)[:40]!r} instead of text")
    return value


WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
#: R with rpy2 starts in 0.3 to 2 s; a loaded machine and a cold disk may take much longer.
START_SECONDS = 120.0
LOG_LINES = 200
#: Packages whose versions the worker reports; the wrappers need the first six.
PACKAGES = (
    *("prefmod", "gnm", "BradleyTerry2", "psychotools", "qvcalc", "MASS"),
    *("brglm", "lme4", "colorspace", "TrueSkillThroughTime", "rjags", "coda", "MCMCpack"),
    *("sandwich", "clubSandwich", "mvtnorm", "multcomp", "multcompView", "csranks", "boot", "nlme"),
    *("PlackettLuce", "survival", "brglm2", "psychotree", "partykit", "strucchange", "eba"),
    *("Matrix",),
)


class StartFailed(RUnavailable):
    """The error that R could not be started; ``kind`` says which part is missing."""

    def __init__(self, kind: str, text: str, log: str = "") -> None:
        super().__init__(text + (f"\n{log}" if log else ""))
        self.kind = kind
        self.text = text


def find_r_home(environment: Mapping[str, str]) -> str:
    """R's home: R_HOME, else what the ``R`` on PATH reports."""
    home = environment.get("R_HOME", "")
    if not home:
        program = shutil.which("R", path=environment.get("PATH", ""))
        if program is None:
            raise StartFailed("no-r", "R is not installed: no `R` on PATH, and R_HOME is not set")
        try:
            asked = subprocess.run(
                [program, "RHOME"],
                capture_output=True,
                text=True,
                errors="replace",
                env=dict(environment),
                timeout=60,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StartFailed("no-r", f"`{program} RHOME` did not run: {error}") from None
        lines = asked.stdout.strip().splitlines()
        if asked.returncode != 0 or not lines:
            raise StartFailed(
                "no-r", f"`{program} RHOME` failed: {asked.stderr.strip() or 'it printed nothing'}"
            )
        home = lines[-1]
    if not os.path.isdir(os.path.join(home, "library", "base")):
        raise StartFailed("no-r", f"R_HOME is {home}, which does not contain R (no library/base)")
    return home


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The child's environment, with the settings that must be made before it starts.

    LC_COLLATE is C, because under C.UTF-8 R sorts ``a A b B`` and the baselines of factors would depend on
    the machine.  LC_CTYPE keeps UTF-8.  User profiles are not read, because they can break ``import rpy2``,
    unless the project's own are asked for (:mod:`pairproof.files.r_startup`).  The loader searches R's own library
    folder first.  One thread is used.
    """
    home = find_r_home(environment)
    given = {k: v for k, v in environment.items() if k not in ("LC_ALL", "R_PROFILE")}
    child = r_environment(given, profile=False)
    loader = [os.path.join(home, "lib"), environment.get("LD_LIBRARY_PATH", "")]
    child.update(
        R_HOME=home,
        LD_LIBRARY_PATH=os.pathsep.join(p for p in loader if p),
        LANG="C.UTF-8",
        LC_CTYPE="C.UTF-8",
        LC_COLLATE="C",
        LC_NUMERIC="C",
        LC_MESSAGES="C",
        LANGUAGE="en",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        PYTHONUTF8="1",
        PAIRPROOF_ASK_PACKAGES=",".join(PACKAGES),
        PAIRPROOF_R_OPTIONS=" ".join(r_options(given, profile=False)),
    )
    return child


class RProcess:
    """A child process that runs R, for one thread; it is never restarted.

    :class:`pairproof.bridge.process.session.RSession` takes care of threads and restarts.
    """

    def __init__(
        self, environment: Mapping[str, str] | None = None, start_seconds: float = START_SECONDS
    ) -> None:
        given = os.environ if environment is None else environment
        child = child_environment(given)
        # The parent chooses the folder's name and the child creates it, so that the parent can remove it
        # whenever the child ends, even before R has started.
        self._folder = os.path.join(
            given.get("TMPDIR") or tempfile.gettempdir(), f"RtmpPairproof{os.getpid()}x{secrets.token_hex(6)}"
        )
        child.update(PAIRPROOF_R_FOLDER=self._folder, PAIRPROOF_R_PARENT=str(os.getpid()))
        self.log: collections.deque[str] = collections.deque(maxlen=LOG_LINES)
        self._inbox: queue.Queue[bytes | NoReply | None] = queue.Queue()
        self._owner = os.getpid()
        self.about: dict[str, Any] = {}
        options: dict[str, Any] = (
            {"start_new_session": True}
            if os.name == "posix"
            else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        )
        self._child = subprocess.Popen(
            [sys.executable, "-u", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child,
            **options,
        )
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read_frames, self._read_log)
        ]
        try:
            for thread in self._threads:
                thread.start()
            self.about = self._started(start_seconds)
        except BaseException:  # Ctrl-C while R starts too
            self.kill()
            raise

    def _started(self, seconds: float) -> dict[str, Any]:
        """Wait for the child's first message, which says that R has started."""
        try:
            word, about = self._receive(seconds)
            if word == "ready":
                return {"info": node_of(about["info"]), "rpy2": dict(about["rpy2"])}
            kind, text = str(about["kind"]), str(about["text"])
        except RTimeout:
            raise StartFailed("slow", f"R did not start within {seconds:g} s") from None
        except RCrashed as error:
            raise StartFailed("rpy2", f"R ended while starting: {error}") from None
        except (NoReply, TypeError, ValueError, KeyError) as error:
            raise StartFailed("rpy2", f"the R process did not report that it is ready: {error}") from None
        raise StartFailed(kind, text, self._log_tail())

    @property
    def pid(self) -> int:
        return self._child.pid

    def alive(self) -> bool:
        return self._owner == os.getpid() and self._child.poll() is None

    def ask(self, request: dict[str, Any], seconds: float | None) -> tuple[Node, str]:
        """Send a request; returns the reply node and the text on R's error console."""
        frame = pickle.dumps(request, protocol=5)
        try:
            # Written in a thread, because a stopped child would block a large write beyond the time limit.
            threading.Thread(target=self._write, args=(frame,), daemon=True).start()
            return self._answer(self._receive(seconds))
        except NoReply as error:
            self.kill()
            raise RCrashed(
                f"the R process did not send a valid reply: {error}; it was ended, and the next call starts a"
                " new one"
            ) from None
        except BaseException:
            # Also after Ctrl-C, because the next answer in the pipe would belong to this call.
            self.kill()
            raise

    @staticmethod
    def _answer(reply: tuple[Any, ...]) -> tuple[Node, str]:
        if reply[0] == "failed" and len(reply) == 2:
            raise RError(
                f"the bridge failed inside the R process: {str(reply[1])[:2000]}; the process was ended, and"
                " the next call starts a new one"
            )
        if reply[0] != "ok" or len(reply) != 3 or not isinstance(reply[2], str):
            raise NoReply(f"its reply has {len(reply)} parts and begins with {reply[0][:40]!r}")
        return node_of(reply[1]), reply[2]

    def kill(self) -> None:
        """End the child and every process that it started; does nothing if it has ended."""
        if self._owner != os.getpid():
            return  # this is a fork of the process that started the child
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
        shutil.rmtree(self._folder, ignore_errors=True)  # a killed R leaves its temporary folder behind

    def _write(self, frame: bytes) -> None:
        pipe = self._child.stdin
        assert pipe is not None
        try:
            pipe.write(struct.pack(">Q", len(frame)))
            pipe.write(frame)
            pipe.flush()
        except (BrokenPipeError, ValueError, OSError):
            return  # the child is gone: the reader sees the end of its output and says so

    def _read_frames(self) -> None:
        """Put frames into the inbox, and a :class:`NoReply` for anything else, so that a waiting call ends."""
        assert self._child.stdout is not None
        with self._child.stdout as pipe:
            first = True
            while True:
                try:
                    frame, printed = read_frame(pipe, first)
                except Exception as error:  # NoReply, no memory, a pipe that breaks
                    failed = NoReply(f"reading it failed ({type(error).__name__}: {error})")
                    self._inbox.put(error if isinstance(error, NoReply) else failed)
                    return
                self.log.extend(printed.decode("utf-8", "replace").splitlines())
                self._inbox.put(frame)
                if frame is None:
                    return
                first = False

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
            raise RTimeout(
                f"R did not answer within {seconds:g} s; its process was stopped, and the next"
                " call starts a new one. Pass a larger timeout if needed"
            ) from None
        if frame is None:
            raise RCrashed(self._how_it_ended(time.monotonic() - started))
        if isinstance(frame, NoReply):
            raise frame
        return read_reply(frame)

    def _how_it_ended(self, seconds: float) -> str:
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
        return (
            f"the R process ended {how} after {seconds:.1f} s in the call; the next call starts a new one"
            + (f"\n{tail}" if tail else "")
        )

    def _log_tail(self) -> str:
        return "\n".join(f"  {line}" for line in list(self.log)[-8:])
