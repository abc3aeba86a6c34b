"""`pairproof migrate` ended from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.nightly
@pytest.mark.r
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX systems")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_script_and_removes_its_copy(tmp_path, number):
    (tmp_path / "analysis.R").write_text("cat(Sys.getpid(), '\\n')\nSys.sleep(60)\n")
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, "-m", "pairproof", "migrate", "analysis.R", "--check"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}

    def not_ignored() -> None:  # as it is under nohup, in whose place these tests may run
        signal.signal(number, signal.SIG_DFL)

    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=not_ignored
    ) as child:
        assert child.stderr is not None
        script = int(next(line for line in child.stderr if line.strip().isdigit()))
        child.send_signal(number)
        child.communicate(timeout=30)
    assert child.returncode == 128 + number
    with pytest.raises(ProcessLookupError):
        for _ in range(50):  # it is dead at once, and gone when its parent has looked
            os.kill(script, 0)
            time.sleep(0.1)
    assert os.listdir(tmp_path / "temporary") == []


@pytest.mark.nightly
@pytest.mark.r
def test_a_script_is_migrated_again_over_its_own_files_and_over_no_others(tmp_path):
    (tmp_path / "analysis.R").write_text("m <- glm(c(1, 2, 3, 4) ~ c(1, 2, 3, 5))\n")
    command = [sys.executable, "-m", "pairproof", "migrate", "analysis.R", "--out", "own.py", "--quiet"]
    for _ in range(2):
        assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
    (tmp_path / "own.py").write_text("print('mine')\n")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 3
    assert (tmp_path / "own.py").read_text() == "print('mine')\n"
