"""`python -m tools.pages.tutorial_script`: run `pairproof migrate` on the example script, for docs/tutorials/r-script.md.

R must be here for that; what came of it is kept in `tutorial_script.json`, from which the page is made on any machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from .migrate_runs import run_python
from .tables import keep, kept

NAME = "tutorial_script"
COMMAND = "import sys; from pairproof.cli import main; sys.exit(main())"
#: Files of the example, and what the package calls them.
FILES = {"script.R": "script", "baseball.csv": "baseball"}


def here() -> dict[str, str]:
    """The tutorial, run now: what the command and the test print, and the script that was written."""
    with tempfile.TemporaryDirectory(prefix="pairproof-tutorial-") as temporary:
        home = Path(temporary)
        for file, name in FILES.items():
            text = run_python(["-c", COMMAND, "example", name], home).stdout
            (home / file).write_text(text, encoding="utf-8")
        ran = run_python(["-c", COMMAND, "migrate", "script.R"], home)
        if ran.returncode:
            raise SystemExit(f"the tutorial ended with {ran.returncode}: {ran.stderr}")
        python = (home / "script.py").read_text(encoding="utf-8")
        tests = run_python(["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_script.py"], home)
        return {
            "printed": ran.stdout.strip(),
            "python": python[python.index("# line 10") :].rstrip(),
            "tests": tests.stdout.splitlines()[-1].partition(" in ")[0],
        }


def shown(part: str, language: str, before: str = "") -> Callable[[], str]:
    """What writes a part of the tutorial as a fence."""
    return lambda: f"\n```{language}\n{before}{_found()[part]}\n```\n"


def _found() -> Mapping[str, str]:
    found: Mapping[str, str] = kept(NAME)
    return found


BLOCKS = {
    "tutorial-script-printed": shown("printed", "text", "$ pairproof migrate script.R\n"),
    "tutorial-script-python": shown("python", "python script.py"),
    "tutorial-script-tests": shown("tests", "text", "$ pytest -q test_script.py\n"),
}

if __name__ == "__main__":
    keep(NAME, here())
