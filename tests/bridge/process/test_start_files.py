"""R reads the start-up files of the site and of the user's home, and none of the folder that a file is checked in."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pairproof.bridge.process.session import RSession, session
from pairproof.errors import InputError, RUnavailable
from pairproof.files import r_startup
from pairproof.files.r_startup import PROJECT, r_environment
from tests.bridge.capture.scripts_run import FIT

ROOT = Path(__file__).parents[3]
CLAIMS = """
[paper]
id = "somebody-1"
title = "Somebody's"
read_from = "Table 1"
[data.d]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["A", "B", 6, 7], ["B", "C", 5, 3], ["A", "C", 4, 4]]
[[claim]]
id = "t1"
where = "Table 1"
data = "d"
model = { family = "bradley-terry", ties = "none", scale = "log-odds", reference = "A" }
estimate = { B = "0.1077" }
"""
CHECKED = {
    "doctor": ["doctor"],
    "fit": ["fit", "t.csv", "--model", "bradley-terry", "--verify"],
    "check": ["check", "c.claims.toml"],
    "explain": ["explain", "c.claims.toml"],
    "record": ["record", "c.claims.toml", "--into", "made"],
    "validate": ["validate", "dras-2015", "--r", "live"],
}
PYTHON = {
    "verify": "import pairproof; pairproof.fit_bradley_terry(pairproof.read('t.csv')).verify()",
    "bridge": "from pairproof.bridge import base; base.binom_test(61, 96, backend='live')",
    "probe": "from pairproof.bridge.process.session import probe; assert probe().usable",
}


@pytest.fixture()
def hostile(tmp_path):
    """A downloaded folder, whose start-up files leave a mark for each R that reads them."""
    folder = tmp_path / "downloaded"
    folder.mkdir()
    mark = f"invisible(file.create(file.path('{tmp_path}', paste0('ran_', Sys.getpid()))))\n"
    (folder / "evil.R").write_text(mark)
    (folder / ".Rprofile").write_text(mark)
    (folder / ".Renviron").write_text("R_PROFILE=evil.R\nWHOSE=folder\n")
    (folder / ".RData").write_bytes(b"no data")
    (folder / "c.claims.toml").write_text(CLAIMS)
    (folder / "t.csv").write_text("first,second,wins,losses\nA,B,6,7\nB,C,5,3\nA,C,4,4\n")
    return folder


def marks(folder: Path) -> int:
    return len(list(folder.parent.glob("ran_*")))


def started(folder: Path, command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **more},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.r
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, id=name, marks=[] if name in ("fit", "check") else [pytest.mark.nightly])
        for name, command in CHECKED.items()
    ],
)
def test_a_command_in_somebodys_folder_runs_nothing_of_it(hostile, command):
    done = started(hostile, ["-m", "pairproof", *command])
    assert marks(hostile) == 0, done.stderr
    # 2: an R package that the command asks is not on this machine.
    assert done.returncode in (0, 1, 2) and "Traceback" not in done.stderr, done.stderr


@pytest.mark.r
@pytest.mark.parametrize("code", PYTHON.values(), ids=PYTHON)
def test_python_in_somebodys_folder_runs_nothing_of_it(hostile, code):
    done = started(hostile, ["-c", code])
    assert (done.returncode, marks(hostile)) == (0, 0), done.stderr


@pytest.mark.r
def test_a_project_says_that_r_is_to_read_its_files_and_which_they_are_is_announced(hostile):
    done = started(hostile, ["-m", "pairproof", "doctor", "--project-r", "--json"])
    assert marks(hostile) > 0
    said = f"R reads {hostile.resolve()}/.Renviron and {hostile.resolve()}/.Rprofile, because of --project-r"
    assert done.stderr.count(said) == 1


def whose(environment: dict[str, str]) -> str:
    with RSession({**{k: v for k, v in os.environ.items() if not k.startswith("R_")}, **environment}) as r:
        return r.call(code="paste(Sys.getenv('WHOSE'), getOption('whose', ''))").value.scalar()


@pytest.mark.r
def test_the_homes_environment_counts_unless_the_user_names_another_file_or_asks_for_the_projects(
    hostile, tmp_path, monkeypatch, capsys
):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".Renviron").write_text("WHOSE=home\n")
    (home / ".Rprofile").write_text("options(whose = 'home')\n")
    (home / "other").write_text("WHOSE=other\n")
    (hostile / ".Renviron").write_text("WHOSE=folder\n")
    (hostile / ".Rprofile").write_text("options(whose = 'folder')\n")
    monkeypatch.chdir(hostile)
    own = {"HOME": str(home)}
    assert whose(own) == "home "
    assert whose({**own, "R_ENVIRON_USER": str(home / "other")}) == "other "
    assert whose({**own, "R_ENVIRON_USER": ""}) == " "
    assert capsys.readouterr().err == ""
    assert whose({**own, PROJECT: "1"}) == "folder folder"
    assert "R reads " in capsys.readouterr().err


def test_without_a_home_no_file_of_the_current_folder_is_taken_for_one(tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    for home in ({}, {"HOME": ""}, {"HOME": "."}):
        assert r_environment(home)["R_ENVIRON_USER"] == os.devnull
    assert r_environment({"HOME": "/h"})["R_PROFILE_USER"] == "/h/.Rprofile"
    assert r_environment({"HOME": "/h"}, profile=False)["R_PROFILE_USER"] == os.devnull


def test_a_project_option_that_is_neither_yes_nor_no_is_an_error():
    with pytest.raises(InputError, match="PAIRPROOF_R_PROJECT is 'yes'; expected 1 .* or 0"):
        r_environment({PROJECT: "yes"})


def test_a_package_that_the_folders_library_may_have_is_missing_with_a_hint(hostile, monkeypatch):
    monkeypatch.chdir(hostile)
    monkeypatch.setattr(RSession, "info", lambda self: SimpleNamespace(packages={"nosuchpackage": None}))
    with pytest.raises(RUnavailable, match="of this folder were not read; to read them, use --project-r"):
        session().call(code="1", needs=["nosuchpackage"])


@pytest.mark.r
@pytest.mark.parametrize("sandbox", [False, True], ids=["plain", "sandbox"])
def test_parsing_a_script_and_what_it_sources_runs_nothing_of_their_folders(hostile, sandbox, monkeypatch):
    from pairproof.bridge.capture import scripts as parsing
    from pairproof.bridge.capture.run import capture
    from tests.bridge.capture.test_sandbox import strongest

    if sandbox and strongest() is None:
        pytest.skip("no sandbox can be made on this machine (neither bwrap nor user namespaces)")
    script = hostile / "analysis.R"
    script.write_text(f"source('part.R')\nm <- {FIT}\n")
    (hostile / "part.R").write_text("k <- 1\n")
    commands = []
    run = subprocess.run
    monkeypatch.setattr(
        parsing.subprocess, "run", lambda command, **how: commands.append(command) or run(command, **how)
    )
    said: list[str] = []
    found = capture(script, seconds=60, sandbox=sandbox, say=said.append)
    assert [call.function for call in found.calls] == ["stats::glm"]
    parsers = [command for command in commands if any("parse.R" in str(part) for part in command)]
    assert len(parsers) == 2
    assert all(("R" == os.path.basename(command[0])) is not sandbox for command in parsers)
    # The run itself, one process, reads the folder's files as R does by itself: said before, and without
    # effect in the sandbox.
    assert any("R also reads .Renviron and .Rprofile of that folder" in text for text in said)
    assert marks(hostile) == (0 if sandbox else 1)


def test_every_start_of_r_in_the_repository_takes_its_environment_from_one_place():
    """A program that names R's programs and starts some must ask for the environment; so must the set-up."""
    lacking = []
    for folder in ("pairproof", "tools", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            names = {
                node.value
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Constant) and node.value in ("Rscript", "R_HOME")
            }
            starts = any(word in text for word in ("subprocess.run(", "subprocess.Popen(", "run_program("))
            if names and starts and "r_environment" not in text and path.name not in ALLOWED:
                lacking.append(str(path.relative_to(ROOT)))
    assert lacking == []
    for script in ("setup.sh", "fresh.sh"):
        text = (ROOT / "scripts" / script).read_text(encoding="utf-8")
        assert text.index("R_ENVIRON_USER=") < text.index("Rscript -")


#: run.py runs the user's script, which reads what R reads by itself.
ALLOWED = ("run.py",)


def test_the_names_of_the_files_are_those_of_r():
    assert r_startup.VARIABLES == {"R_ENVIRON_USER": ".Renviron", "R_PROFILE_USER": ".Rprofile"}
