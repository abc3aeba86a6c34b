"""Several processes: answers in order, a task that fails, and no process that outlives the one that started
it.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import pairproof
from pairproof.errors import PairproofError
from pairproof.native.competitions.experiment.held_out import split_by_source
from pairproof.native.competitions.experiment.learning_curves import Design, run
from pairproof.numerics.processes import as_they_come, in_order
from tests.native.translation import random_table


def test_answers_come_in_the_order_of_the_tasks_from_one_process_or_three():
    tasks = list(range(40))
    assert (
        list(in_order(math.sqrt, tasks, 1))
        == list(in_order(math.sqrt, tasks, 3))
        == [(k, math.sqrt(k)) for k in tasks]
    )


def test_tasks_are_taken_a_few_at_a_time():
    taken = []
    answers = in_order(math.sqrt, (taken.append(k) or k for k in range(100)), 2)
    assert next(answers) == (0, 0.0) and len(taken) <= 5
    answers.close()


def refuses_negatives(number):
    if number < 0:
        raise ValueError(f"no root of {number}")
    return math.sqrt(number)


def test_the_error_of_a_task_is_that_of_the_whole():
    with pytest.raises(ValueError, match="^no root of -1$"):
        list(in_order(refuses_negatives, [4, -1, 9], 2))


def test_a_worker_that_is_killed_is_no_defect_but_an_error_with_a_way_out():
    with pytest.raises(
        PairproofError, match="a worker process ended before its work did: .* for want of memory"
    ):
        list(in_order(signal.raise_signal, [signal.SIGKILL, signal.SIGKILL], 2))


SCRIPT = """
import os, sys, time
from contextlib import closing
from pairproof.numerics.processes import as_they_come, in_order

if __name__ == "__main__":
    with closing(in_order(time.sleep, [0, 0, 60, 60, 60, 60], 2)) as answers:
        next(answers)
        import multiprocessing
        print(*[p.pid for p in multiprocessing.active_children()], flush=True)
        if "between" in sys.argv:
            time.sleep(60)
        next(answers), next(answers)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("when", ["in an answer", "between"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_one_that_started_it(tmp_path, how, when):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    # Pytest may run with interrupts ignored, which children inherit.
    restore = (
        "import signal, runpy, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        " runpy.run_path(sys.argv[1], run_name='__main__')"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", restore, str(script), when],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    children = [int(pid) for pid in process.stdout.readline().split()]
    assert len(children) == 2
    os.killpg(process.pid, how) if how == signal.SIGINT else os.kill(process.pid, how)
    limit = time.monotonic() + 20
    while any(map(_runs, children)) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not any(map(_runs, children))
    process.kill()
    process.wait()


def _runs(pid: int) -> bool:
    """Whether a process is there and not only waiting to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before, or while it was read
        return False


def interrupted(*_):
    raise KeyboardInterrupt


def bootstrap():
    table = pairproof.Comparisons.build("ABC", [0, 1, 2], [1, 2, 0], [5, 4, 3], None, [3, 3, 4])
    pairproof.fit_bradley_terry(table).bootstrap(replicates=400, seed=1, workers=2, progress=interrupted)


def latent_classes():
    answers = np.random.default_rng(8).choice([1, -1], (60, 3))
    persons = pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False)
    pairproof.fit_latent_classes(persons, 1).test_classes(9, starts=2, workers=2, progress=interrupted)


def experiment():
    tracks = {"x": split_by_source(random_table(1, n=300), 100)}
    run(tracks, Design((20, 60), 2, ("pairs",), 5), workers=2, progress=interrupted)


@pytest.mark.parametrize("work", [bootstrap, latent_classes, experiment])
def test_an_interrupt_between_two_answers_leaves_no_process(work):
    others = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt) as held:  # with its traceback, as Python holds it until it ends
        work()
    limit = time.monotonic() + 20
    while set(multiprocessing.active_children()) - others and time.monotonic() < limit:
        time.sleep(0.05)
    assert held.tb is not None and not set(multiprocessing.active_children()) - others


def ends_by(task: int) -> int:
    """The task itself; 3 ends the process that has it, as the system does for want of memory."""
    if task == 3:
        os._exit(9)
    return task


def test_a_task_that_ends_its_process_has_no_answer_and_costs_no_other_task_its_own():
    found = dict(as_they_come(ends_by, range(12), 2))
    assert found == {k: None if k == 3 else k for k in range(12)}


def slow_first(task: int) -> int:
    time.sleep(3.0 if task == 0 else 0.0)
    return task


def test_what_is_done_sooner_comes_sooner():
    assert [task for task, _ in as_they_come(slow_first, range(6), 2)][-1] == 0
