"""What pyproject.toml cannot say of the build: R's recorded answers go into the wheel as one archive, README without dead links.

A checkout keeps each answer in a readable file; hundreds of small ones would be half of the wheel.  Answers that only the
comparisons in NOT_SHIPPED ask for stay in the checkout, and so do these comparisons themselves.
"""

import io
import re
import sys
import tarfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "pairproof"
#: Our own models beside R, for those who work on them; pyproject.toml leaves out their folders.
NOT_SHIPPED = {"annotation", "inference", "patterns"}


def shipped_answers():
    """The names of the recorded answers that a paper of the wheel asks for."""
    listed = tomllib.loads((PACKAGE / "DATA-LICENCES.toml").read_text(encoding="utf-8"))["records"]
    return sorted(name for name, entry in listed.items() if set(entry["asked_by"]) - NOT_SHIPPED)


def description():
    """README as a package index shows it: links into the checkout, of which an index knows nothing, become words."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    inside = re.findall(r"^\[([\w-]+)\]: (?!https?:)", text, re.MULTILINE)
    for name in map(re.escape, inside):
        text = re.sub(rf"^!\[[^\]]*\]\[{name}\]\n\n", "", text, flags=re.MULTILINE)
        text = re.sub(rf"\[([^\]]*)\]\[{name}\]", r"\1", text)
        text = re.sub(rf"^\[{name}\]: .*\n", "", text, flags=re.MULTILINE)
    where = "The pages that are named here are in the folder docs of the sources.\n"
    return f"{text.rstrip()}\n\n{where}" if inside else text


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


setup(
    cmdclass={"build_py": BuildPy},
    long_description=description(),
    long_description_content_type="text/markdown",
)
