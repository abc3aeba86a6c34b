"""How the house is kept: tests stand where the package has what they test, import in one way, and fit on a page."""

from __future__ import annotations

import ast
import io
import re
import shutil
import subprocess
import tokenize
import warnings
from pathlib import Path

import pytest

from tests.budget import budget, counted, sizes, statements
from tests.places import ROOT, TESTS
from tests.test_packaging import PACKAGE, tracked_files

# -- tests mirror the package --------------------------------------------------------------------------------

#: With tests/test_packaging.py, whose answers it asks for.
pytestmark = pytest.mark.xdist_group("the house")
#: Folders of tests that are no rooms of the package: the proof beside it, other code, and files.
BESIDE = ("certified", "benchmarks", "docs", "schemas")
#: Rooms whose folders are tested together: commands through the command line, papers through `run`.
TESTED_TOGETHER = ("cli", "validation/papers")


def folders(top: Path) -> set[str]:
    """Folders under this one that hold Python modules beside `__init__`, by their path from it."""
    files = [p for p in tracked_files() if p.suffix == ".py" and p.name != "__init__.py" and top in p.parents]
    return {p.parent.relative_to(top).as_posix() for p in files} - {"."}


def test_every_folder_of_tests_is_a_room_of_the_package_or_stands_beside_it() -> None:
    strange = [
        name
        for name in folders(TESTS)
        if name.split("/")[0] not in BESIDE and not (PACKAGE / name / "__init__.py").is_file()
    ]
    assert strange == []


def test_every_room_of_the_package_has_a_folder_of_tests() -> None:
    rooms = {n for n in folders(PACKAGE) if not n.startswith(tuple(f"{t}/" for t in TESTED_TOGETHER))}
    assert len(rooms) > 20
    assert sorted(name for name in rooms if not list((TESTS / name).glob("**/test_*.py"))) == []


# -- tests import in one way ---------------------------------------------------------------------------------

#: What tests may not import by a bare name: their own modules, which are called `tests.FOLDER.MODULE`.
OWN = {path.stem for path in TESTS.rglob("*.py")} - {"__init__"}


def wrong_imports(source: str) -> list[str]:
    """Imports of tests' own modules that are not absolute, and changes of the path that Python searches."""
    found = []
    tree = ast.parse(source)
    for node in ast.walk(tree) if "sys" in source else statements(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        path = isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path"
        if relative or path or any(name.partition(".")[0] in OWN for name in names):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def test_tests_import_each_other_as_tests_and_leave_the_search_path_alone() -> None:
    wrong = {
        str(path.relative_to(ROOT)): found
        for path in sorted(TESTS.rglob("*.py"))
        if (found := wrong_imports(path.read_text(encoding="utf-8")))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "source",
    ["from .helpers import f", "from . import helpers", "from hand_made import dras", "import places",
     "import sys\nsys.path.insert(0, 'x')", "def f():\n    from ..certified import load"],
)  # fmt: skip
def test_an_import_in_another_way_is_found(source: str) -> None:
    assert len(wrong_imports(source)) == 1


# -- lines and modules fit on a page -------------------------------------------------------------------------

WIDTH, LENGTH = 110, 700


def too_wide(source: str) -> list[int]:
    """Numbers of lines over `WIDTH` columns that are too wide for no reason.

    The formatter cannot break a string (a message, R code that a record holds letter by letter), a comment to a
    type checker, which must stand in its line, or a statement that is kept as it stands (``# fmt: skip``); nor
    can anyone break a name.
    """
    lines = source.splitlines()
    wide = {k for k, line in enumerate(lines, 1) if len(line) > WIDTH and len(line.split()) > 2}
    if not wide:
        return []
    string = {tokenize.STRING} | {
        getattr(tokenize, n, -1) for n in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    }
    kept: set[int] = set()
    begin = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in string:
            kept.update(range(token.start[0], token.end[0] + 1))
        elif token.type == tokenize.NEWLINE:
            begin = 0
        elif token.type == tokenize.COMMENT:
            if "type: ignore" in token.string:
                kept.add(token.start[0])
            elif "fmt: skip" in token.string:
                kept.update(range(begin, token.end[0] + 1))
        elif not begin and token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            begin = token.start[0]
    return sorted(wide - kept)


def test_lines_fit_on_a_page() -> None:
    found = {}
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".py":
            if wide := too_wide(path.read_text(encoding="utf-8")):
                found[name] = wide
    assert found == {}, f"more than {WIDTH} columns, in these lines; `make format`, or break them"


def test_a_line_that_is_too_wide_is_found_unless_nobody_can_break_it() -> None:
    long = "x" * 60
    assert too_wide(f"{long} = {long} + 1\n") == [1]
    assert too_wide(f"# {long} {long} words\n") == [1]
    for kept in (
        f"a = '{long} {long}'",
        f"{long} = {long} + 1  # type: ignore[x]",
        f"f({long},\n  {long}, {long})  # fmt: skip",
    ):
        assert too_wide(f"{kept}\n") == [], kept


def test_no_module_is_longer_than_700_lines() -> None:
    sizes = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in tracked_files()
        if path.suffix == ".py" and TESTS not in path.parents
    }
    assert {name: n for name, n in sizes.items() if n > LENGTH} == {}


# -- what lasts runs too -------------------------------------------------------------------------------------

NIGHTLY, OLDEST = TESTS / "nightly.txt", 200


def commits_since(commit: str) -> int | None:
    """How many commits have come after this one; None where there is no git, or no history that reaches so far."""
    if not shutil.which("git"):
        return None
    git = ["git", "-C", str(ROOT), "rev-list", "--count", f"{commit}..HEAD"]
    ran = subprocess.run(git, capture_output=True, text=True)
    return int(ran.stdout) if ran.returncode == 0 else None


def test_the_last_run_of_every_test_failed_nowhere_and_is_not_old() -> None:
    line = NIGHTLY.read_text(encoding="utf-8")
    found = re.fullmatch(r"([0-9a-f]{40}) \d{4}-\d\d-\d\d: 0 failed, (\d+) passed(?:, \d+ skipped)?\n", line)
    assert found and int(found[2]) > 5000, f"make nightly ended with: {line}"
    since = commits_since(found[1])
    if since is None:
        pytest.skip("no git, or no history back to the last `make nightly`")
    if since > OLDEST:
        warnings.warn(
            f"make nightly ran {since} commits ago; run it before an issue is resolved", stacklevel=1
        )


# -- growth is decided, not accrued --------------------------------------------------------------------------


def test_no_room_has_grown_beyond_its_budget() -> None:
    found, most = sizes(), budget()
    assert set(found) == set(most), "tests/budget.toml names the rooms there are"
    over = {
        f"{room}: {kind}": f"{found[room][kind]}, at most {limit}"
        for room, limits in most.items()
        for kind, limit in limits.items()
        if found[room][kind] > limit
    }
    assert (
        over == {}
    ), "take lines away, or say in tests/budget.toml that there are more, and why in the message"


def test_a_budget_is_taken_back_where_a_room_has_shrunk() -> None:
    """What is not used any more would let the next growth go unsaid."""
    found = sizes()
    slack = {
        f"{room}: {kind}": f"{found[room][kind]}, budget {limit}"
        for room, limits in budget().items()
        for kind, limit in limits.items()
        if limit - found[room][kind] > max(40, limit // 20)
    }
    assert slack == {}


def test_lines_are_counted_as_code_docstring_or_comment() -> None:
    source = '"""Two\nlines."""\n\n# reason\nx = 1\n\n\ndef f():\n    """One."""\n    return """no\n\ndocstring"""\n'
    assert counted(source) == {"modules": 1, "docstrings": 3, "comments": 1, "code": 4}
