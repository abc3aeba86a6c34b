"""The one step of the build that pyproject.toml cannot name: R's recorded answers go into the wheel as one archive.

A checkout keeps each answer in a readable file; hundreds of small ones would be half of the wheel.  Answers that only the
comparisons in NOT_SHIPPED ask for stay in the checkout, and so do these comparisons themselves.
"""

import io
import sys
import tarfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = Path(__file__).resolve().parent / "pairproof"
#: Our own models beside R, for those who work on them; pyproject.toml leaves out their folders.
NOT_SHIPPED = {"annotation", "inference", "patterns"}


def shipped_answers():
    """The names of the recorded answers that a paper of the wheel asks for."""
    listed = tomllib.loads((PACKAGE / "DATA-LICENCES.toml").read_text(encoding="utf-8"))["records"]
    return sorted(name for name, entry in listed.items() if set(entry["asked_by"]) - NOT_SHIPPED)


class BuildPy(build_py):
    """Builds as setuptools does, then writes the archive beside the modules that read it."""

    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the checkout's own files are read
        archive = Path(self.build_lib, "pairproof", "bridge", "records", "answers.tar.xz")
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive, "w:xz", preset=9) as packed:
            for name in shipped_answers():
                content = (PACKAGE / "bridge" / "records" / "answers" / name).read_bytes()
                about = tarfile.TarInfo(name)  # no time, no owner: the same answers make the same archive
                about.size = len(content)
                packed.addfile(about, io.BytesIO(content))


setup(cmdclass={"build_py": BuildPy})
