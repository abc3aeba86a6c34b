"""Scripts of the tests, written to a folder and captured."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pairproof.bridge.capture.recorded import Captured
from pairproof.bridge.capture.run import capture

#: A fit that needs no package: BradleyTerry2 takes a second to load.
FIT = "glm(cbind(c(7, 5, 3), c(3, 5, 7)) ~ 1, family = binomial)"

_ASKED = [
    "Rscript",
    "--vanilla",
    "-e",
    'quit(status = if (nzchar(system.file(package = "knitr"))) 0L else 1L)',
]
#: knitr, which pairproof itself does not need, takes the code out of R Markdown.
needs_knitr = pytest.mark.skipif(
    shutil.which("Rscript") is None or subprocess.run(_ASKED, capture_output=True).returncode != 0,
    reason="R package knitr is not installed; Rscript -e 'install.packages(\"knitr\")'",
)


def written(folder: Path, text: str, name: str = "analysis.R") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def run(folder: Path, text: str, name: str = "analysis.R", seconds: float = 60.0, **options) -> Captured:
    return capture(written(folder, text, name), seconds=seconds, **options)
