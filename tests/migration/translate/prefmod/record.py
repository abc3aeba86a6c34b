"""Runs the scripts of `recorded/` with the capture in front and keeps its lines: python -m
tests.migration.translate.prefmod.record
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pairproof.bridge.capture

RECORDED = Path(__file__).with_name("recorded")
CAPTURE = Path(pairproof.bridge.capture.__file__).parent / "r" / "capture.R"


def record(script: Path) -> None:
    """Keeps the records of a script beside it, `NAME.jsonl`."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as there:
        environment = {**os.environ, "R_PROFILE": str(CAPTURE), "PAIRPROOF_CAPTURE": folder}
        options = ["--no-echo", "--no-restore", "--no-save", f"--file={script}"]
        subprocess.run(
            ["R", *options], env=environment, cwd=there, check=True, stdout=subprocess.DEVNULL, timeout=300
        )
        (file,) = Path(folder).glob("*.jsonl")
        script.with_suffix(".jsonl").write_text(file.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    for one in sorted(RECORDED.glob("*.R")):
        record(one)
