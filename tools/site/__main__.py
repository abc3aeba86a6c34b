"""`python -m tools.site OUT`: the pages of docs/, examples of R's help pages and a reference of the face as HTML.

The pages are copied into a folder of their own, where long ones are split and the reference is written; Sphinx builds
from there, and every warning is an error: a dead link, a page in no list, a docstring that is not numpydoc.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.pages import on_demand

from . import contents

ROOT = Path(__file__).resolve().parents[2]
#: What builds the site; names of modules, and of what is installed for them.
NEEDED = {"sphinx": "sphinx", "myst_parser": "myst-parser", "furo": "furo", "numpydoc": "numpydoc"}
#: Lines from which a page is split at its headings.
LONG = 600
#: Fences of files, which the pages' runner writes and no highlighter knows.
KNOWN_TO_RUNNER = re.compile(r"^```csv[^\n]*$", re.MULTILINE)


def lacking() -> list[str]:
    """What builds the site and is not installed."""
    return [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]


def main(out: Path) -> int:
    """Build the site into `out`; 2 where what builds it is not installed."""
    if absent := lacking():
        print(f"the site was not built: not installed: {', '.join(absent)}; pip install {' '.join(absent)}")
        return 2
    with tempfile.TemporaryDirectory(prefix="pairproof-site-") as folder:
        source = Path(folder, "source")
        pages(source)
        command = [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            str(source),
            str(out),
        ]
        return subprocess.run(command, cwd=ROOT, check=False).returncode


def pages(source: Path) -> None:
    """Write the sources of the site: copied, split, and generated pages, and the configuration."""
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("records"))
    (source / "_static").mkdir()
    shutil.copy(ROOT / "tools/site/tables.css", source / "_static")
    shutil.copy(ROOT / "tools/site/conf.py", source)
    written = {
        page.relative_to(source).as_posix(): page.read_text(encoding="utf-8") for page in source.rglob("*.md")
    }
    written.update((f"examples/{name}.md", on_demand.text(name)) for name in on_demand.PAGES)
    split: dict[str, list[str]] = {}
    for name, text in list(written.items()):
        if text.count("\n") > LONG:
            parts = contents.split(name, text, LONG)
            split[name] = [part for part in parts if part != name]
            written.update(parts)
    moved = contents.places(written, split)
    for name, text in written.items():
        page = source / name
        page.parent.mkdir(parents=True, exist_ok=True)
        linked = contents.linked(name, text, moved, set(written))
        shown = contents.with_parts(linked, split.get(name, []))
        if name == "index.md":
            shown += contents.toctrees(set(written))
        page.write_text(KNOWN_TO_RUNNER.sub("```text", shown), encoding="utf-8")
    for name, text in contents.reference().items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
