"""A process that holds Python contenders and answers one line at a time; `serve.R` speaks the same language.

    prepare NAME FOLDER   ->  ok                      data loaded, in the contender's own form; no clock
    time LOOPS            ->  ok CPU WALL             seconds a run, of LOOPS runs one after the other
    answer FOLDER         ->  ok                      the numbers of the last run, as estimate.f64 and se.f64
    about                 ->  ok JSON                 versions

Fields are separated by tabs.  `absent TEXT` says that a package is not installed, `error TEXT` anything else.
CPU is user and system time of the process and its children.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .data import Data
from .job import Absent, Prepare, Ready


class Server:
    """A server that holds one contender at a time."""

    def __init__(self) -> None:
        from ..comparisons import JOBS
        from ..speed import JOBS as SPEED

        self.contenders: dict[str, Prepare] = {}
        for job in (*JOBS, *SPEED):
            for name, contender in job.contenders.items():
                if contender != "r":
                    same = self.contenders.setdefault(name, contender)
                    assert same is contender, f"two contenders are called {name!r}"
        self.ready: Ready | None = None
        self.last: Any = None

    def prepare(self, name: str, folder: str) -> str:
        self.ready = self.last = None
        self.ready = self.contenders[name](Data.load(Path(folder)))
        return ""

    def time(self, loops: str) -> str:
        assert self.ready is not None
        cpu, wall, self.last = timed(self.ready.run, int(loops))
        return f"{cpu!r}\t{wall!r}"

    def answer(self, folder: str) -> str:
        assert self.ready is not None
        found = self.ready.answer(self.last)
        for name in ("estimate", "se"):
            getattr(found, name).astype("<f8").tofile(Path(folder) / f"{name}.f64")
        return ""

    def about(self) -> str:
        import json

        from .machine import python_side

        return json.dumps(python_side())

    def reply(self, line: str) -> str:
        verb, *fields = line.rstrip("\n").split("\t")
        try:
            text: str = getattr(self, verb)(*fields)
        except Absent as absent:
            return f"absent\t{absent}"
        except Exception as error:  # said to the other side, which shows it in the table
            return f"error\t{type(error).__name__}: {' '.join(str(error).split())}"
        return f"ok\t{text}"


def timed(run: Callable[[], Any], loops: int) -> tuple[float, float, Any]:
    """(CPU seconds a run, wall seconds a run, what the last run returned)."""
    gc.collect()
    wall, cpu = time.perf_counter(), _cpu_seconds()
    for _ in range(loops):
        value = run()
    return (_cpu_seconds() - cpu) / loops, (time.perf_counter() - wall) / loops, value


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    replies = sys.stdout
    sys.stdout = sys.stderr  # what a peer prints is no reply
    server = Server()
    for line in sys.stdin:
        replies.write(server.reply(line) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
