"""A function applied to many tasks by several processes, answers in the order of the tasks or as they come.

Processes are started afresh and not forked: a fork of a process with threads may hang.  They leave an
interrupt from the keyboard to the process that started them, and end with it whatever ends it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ..errors import PairproofError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Task = TypeVar("Task")
Answer = TypeVar("Answer")

#: Tasks sent ahead of the one that is waited for, for each process: nobody idles, and little stands in
#: memory.
AHEAD = 2


def in_order(
    function: Callable[[Task], Answer], tasks: Iterable[Task], workers: int
) -> Generator[tuple[Task, Answer], None, None]:
    """Each task with its answer.
    Who keeps it under a name closes it: after an interrupt between two answers Python waits, before it ends,
    for all tasks that were sent.  A loop over the call itself lets go of it.  function: with more than one
    worker it must be importable, and tasks and answers must survive pickling."""
    if workers == 1:
        yield from ((task, function(task)) for task in tasks)
        return
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    under_way: deque[tuple[Task, Future[Answer]]] = deque()
    try:
        with _pool(workers) as pool:
            for task in tasks:
                under_way.append((task, pool.submit(function, task)))
                if len(under_way) > AHEAD * workers:
                    first, answer = under_way.popleft()
                    yield first, answer.result()
            while under_way:
                first, answer = under_way.popleft()
                yield first, answer.result()
    except BrokenProcessPool as error:
        raise PairproofError(
            "a worker process ended before its work did: the system may have killed it for want of memory"
            " (try workers=1, --workers 1), or it was started from a script whose main part does not stand"
            ' under if __name__ == "__main__":'
        ) from error


def as_they_come(
    function: Callable[[Task], Answer], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Answer | None]]:
    """Each task with its answer as soon as it is there; None for a task by which its process ended.

    With a process that ends (the system may have killed it for want of memory) all that were sent are lost, and
    each of them is done once more by itself.
    """
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    groups = [list(tasks)]
    while groups:
        now, lost = groups.pop(0), []
        with _pool(min(workers, len(now)) or 1) as pool:
            sent = {pool.submit(function, task): task for task in now}
            for future in as_completed(sent):
                try:
                    yield sent[future], future.result()
                except BrokenProcessPool:
                    lost.append(sent[future])
        if len(now) > 1:
            groups += [[task] for task in lost]
        elif lost:
            yield lost[0], None


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    others = set(active_children())
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_depend_on_parent)
    finished = False
    try:
        yield pool
        finished = True
    finally:
        pool.shutdown(wait=finished, cancel_futures=True)
        if not finished:
            # Nobody waits for answers any more, and Python would wait for the tasks before it ends.
            for process in set(active_children()) - others:
                process.kill()


def _depend_on_parent() -> None:
    import signal
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None, "only a process started by another one has a parent to depend on"
    sentinel = parent.sentinel

    def follow() -> None:
        wait([sentinel])
        os._exit(1)

    Thread(target=follow, daemon=True).start()
