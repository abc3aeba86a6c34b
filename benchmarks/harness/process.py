"""The two server processes from this side: ask one line, wait for one line, end what takes too long; and
their memory.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from pairproof.files.r_startup import r_environment

from .job import Language
from .machine import in_words, linear_algebra_of

HARNESS = Path(__file__).resolve().parent
REPOSITORY = HARNESS.parents[1]

#: One thread each, whatever BLAS there is.
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR")
}


class NotHere(Exception):
    """R, or the package, is not installed."""


class TooLong(Exception):
    """No reply before the cap; the process was ended."""


class Failed(Exception):
    """The contender stopped with an error."""


@dataclass
class Server:
    """A process that speaks the language of serve.py, started when first asked and again after it was ended.

    Attributes
    ----------
    language : {"python", "r"}
    scratch : Path
        The run's temporary folder.
    blas : Path or None
        Folder of the libblas.so.3 and liblapack.so.3 that it is to load; None: the system's.
    """

    language: Language
    scratch: Path
    blas: Path | None = None
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _replies: queue.Queue[str] = field(default_factory=queue.Queue, repr=False)

    def ask(self, *fields: object, cap: float) -> list[str]:
        """The fields of an `ok` reply.

        Raises
        ------
        NotHere, TooLong, Failed
        """
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write("\t".join(map(str, fields)) + "\n")
            process.stdin.flush()
            reply = self._reply(process.pid, cap)
        except BrokenPipeError:
            reply = ""
        kind, _, text = reply.partition("\t")
        if kind == "ok":
            return text.split("\t")
        if kind == "absent":
            raise NotHere(text)
        if not reply:
            self.close()
        raise Failed(text or f"the {self.language} process ended without a reply")

    def _reply(self, pid: int, cap: float) -> str:
        """Wait for the reply until the process has spent `cap` seconds of CPU time, or five times that has
        gone by.
        """
        start, spent = time.monotonic(), _cpu_seconds(pid)
        while True:
            try:
                return self._replies.get(timeout=0.5)
            except queue.Empty:
                waited = time.monotonic() - start
                if _cpu_seconds(pid) - spent > cap or waited > 5 * cap:
                    self.close()
                    raise TooLong(f"no answer after {cap:g} s of CPU time") from None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def pid(self) -> int:
        return self._running().pid

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                cwd=REPOSITORY,
                env=self._environment(),
            )
            self._replies = queue.Queue()
            threading.Thread(target=_listen, args=(self._process, self._replies), daemon=True).start()
        return self._process

    def _command(self) -> list[str]:
        if self.language == "python":
            return [sys.executable, "-m", "benchmarks.harness.serve"]
        rscript = shutil.which("Rscript")
        if rscript is None:
            raise NotHere("R is not installed")
        return [rscript, "--no-init-file", str(HARNESS / "serve.R")]

    def _environment(self) -> dict[str, str]:
        found = {**r_environment(os.environ), **ONE_THREAD, "PAIRPROOF_BENCHMARK_SCRATCH": str(self.scratch)}
        return found if self.blas is None else with_blas(found, self.blas)

    def loaded_blas(self) -> str:
        """The linear algebra libraries that this process has really loaded, in words (Linux).

        Raises
        ------
        Failed
            If it was to load those of a folder and loaded others.
        """
        pid = self.pid
        paths = linear_algebra_of(pid)
        if self.blas is not None and not any(p.startswith(f"{self.blas.resolve()}{os.sep}") for p in paths):
            raise Failed(
                f"the {self.language} process was to load its BLAS from {self.blas} and loaded"
                f" {', '.join(paths) or 'none'}"
            )
        return in_words(paths)


def with_blas(environment: dict[str, str], folder: Path) -> dict[str, str]:
    """The environment in which a process, and R's wrapper script, which puts folders of its own first, finds
    this BLAS.
    """
    at = str(folder.resolve())
    out = dict(environment)
    for name in ("LD_LIBRARY_PATH", "R_LD_LIBRARY_PATH"):
        out[name] = os.pathsep.join(filter(None, [at, environment.get(name)]))
    rscript = shutil.which("Rscript")
    if rscript is not None and not environment.get("R_LD_LIBRARY_PATH"):
        home = subprocess.run(
            [rscript, "--no-init-file", "-e", "cat(R.home('lib'))"],
            capture_output=True,
            text=True,
            env=r_environment(environment),
        ).stdout.strip()
        out["R_LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [at, home]))  # libR.so itself
    return out


def _listen(process: subprocess.Popen[str], replies: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        replies.put(line.rstrip("\n"))
    replies.put("")  # the process is gone


def _cpu_seconds(pid: int) -> float:
    """CPU seconds that a process has spent; elapsed time where there is no /proc."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def can_measure_memory() -> bool:
    """Linux lets a process's peak be set back."""
    return os.access("/proc/self/clear_refs", os.W_OK)


def reset_peak(pid: int) -> float:
    """Set the peak of a process back to what it holds now; that, in MB."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return _status(pid, "VmRSS")


def peak(pid: int) -> float:
    """Most memory a process held since `reset_peak`, in MB."""
    return _status(pid, "VmHWM")


def _status(pid: int, key: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/{pid}/status has no {key}")
