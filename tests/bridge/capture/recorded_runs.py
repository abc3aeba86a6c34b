"""A script run by R alone and with the recording in front of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pairproof.bridge.capture
from pairproof.bridge.values.nodes import RValue, from_node, load

R_SIDE = Path(pairproof.bridge.capture.__file__).parent / "r"


@dataclass(frozen=True)
class Ran:
    """What a process of R printed, and how it ended."""

    out: str
    err: str
    code: int


@dataclass(frozen=True)
class Both:
    """The same script twice, and the records of the second run: lines, process by process."""

    plain: Ran
    captured: Ran
    lines: list[dict[str, Any]]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Calls by id and process; of a call that was written twice the last line."""
        found = {(line["pid"], line["id"]): line for line in self.lines if line["type"] == "call"}
        return sorted(found.values(), key=lambda call: (call["time"], call["id"]))

    def of(self, function: str) -> list[dict[str, Any]]:
        return [call for call in self.calls if call["function"] == function]

    @property
    def end(self) -> dict[str, Any]:
        (found,) = [line for line in self.lines if line["type"] == "end"]
        return found


def value(call: dict[str, Any], part: str, name: str) -> RValue:
    """A value of a record, as the bridge reads it."""
    return from_node(load(call[part][name]))


def command() -> list[str]:
    return [
        shutil.which("R") or "R", "--no-echo", "--no-restore", "--no-save", "--file=analysis.R"
    ]  # fmt: skip


def environment(records: Path | None) -> dict[str, str]:
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LANGUAGE": "en"}
    child = {k: v for k, v in os.environ.items() if k not in ("R_PROFILE", "PAIRPROOF_CAPTURE")}
    if records is None:
        return {**child, **one_thread}
    return {**child, **one_thread, "R_PROFILE": str(R_SIDE / "capture.R"), "PAIRPROOF_CAPTURE": str(records)}


def ran(folder: Path, script: str, records: Path | None, profile: str = "") -> Ran:
    folder.mkdir(parents=True)
    (folder / "analysis.R").write_text(script, "utf-8")
    if profile:
        (folder / ".Rprofile").write_text(profile, "utf-8")
    done = subprocess.run(
        command(),
        cwd=folder,
        env=environment(records),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
    )
    return Ran(done.stdout, done.stderr, done.returncode)


def read(records: Path) -> list[dict[str, Any]]:
    files = sorted(records.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def both(folder: Path, script: str, loops: str = "", profile: str = "") -> Both:
    """Run a script alone and recorded."""
    records = folder / "records"
    records.mkdir(parents=True)
    (records / "loops.txt").write_text(loops, "utf-8")
    plain = ran(folder / "alone", script, None, profile)
    captured = ran(folder / "recorded", script, records, profile)
    return Both(plain, captured, read(records))
