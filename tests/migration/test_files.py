"""A migration's files are delivered when the script ran and gave its numbers, over nothing that is not ours."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pairproof.errors import InputError, PairproofError
from pairproof.migration import written_files as files
from pairproof.migration.outcome import Migration
from pairproof.migration.translate.python_code import Call, Result, attribute
from pairproof.migration.translate.translation import Translation
from pairproof.migration.written_files import Written, check_target, checked_out, write_migration
from tests.migration.captures import Script, bradley_terry, staged, tea
from tests.places import ROOT

pytestmark = pytest.mark.xdist_group("a script migrated")


def write(script: Script, folder: Path, name: str = "analysis.py", **options: Any) -> Written:
    """The script's files in a folder, which also has the R script."""
    source = folder / script.name
    source.write_text("# R\n")
    stage = staged(folder.parent / f"{folder.name}-stage")
    return write_migration(script.migration(stage), source, folder / name, stage=stage, **options)


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    """The files of one migration, with a number beside the fits; not to be changed."""
    folder = tmp_path_factory.mktemp("delivered")
    script = tea()
    script.call(9, attribute(Result(1), "aic"), "AIC(m)", "stats::AIC", helper=True)
    script.translations[5] = Translation("native")
    return folder, write(script, folder)


@pytest.fixture()
def folder(delivered: tuple[Path, Written], tmp_path: Path) -> Path:
    """A copy of them."""
    import shutil

    return Path(shutil.copytree(delivered[0], tmp_path / "copy"))


@pytest.fixture()
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the run of the new script, which takes seconds and is tested by itself."""
    monkeypatch.setattr(files, "_try_out", lambda *given: (0.5, ""))


def test_all_files_are_there_and_the_script_ran_without_r(delivered: tuple[Path, Written]) -> None:
    folder, written = delivered
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert there == {
        "tea.R", "analysis.py", "test_analysis.py", "analysis.recorded.json", "data/m.csv", "data/f_north.csv",
        "data/f_south.csv", "data/f_west.csv", "recorded/test_analysis/test_line_6_m.json",
        "recorded/test_analysis/test_line_8_f.north.json", "recorded/test_analysis/test_line_8_f.south.json",
        "recorded/test_analysis/test_line_8_f.west.json", "recorded/printed/test_analysis.json",
    }  # fmt: skip
    assert written.ran_seconds > 0
    assert written.output.count("Bradley-Terry") == 1 and "Darjeeling" in written.output
    assert written.shown[:3] == tuple(
        str(folder / n) for n in ("analysis.py", "data/*.csv", "test_analysis.py")
    )


def test_the_script_runs_from_any_folder(delivered: tuple[Path, Written], tmp_path: Path) -> None:
    command = [sys.executable, str(delivered[0] / "analysis.py")]
    environment = {"PYTHONPATH": str(ROOT), "PAIRPROOF_R": "none", "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == delivered[1].output


def test_no_path_of_this_machine_is_in_the_files(delivered: tuple[Path, Written]) -> None:
    folder, written = delivered
    for name in written.files:
        text = Path(name).read_text(encoding="utf-8")
        assert str(folder) not in text and "-stage" not in text


def test_the_run_has_every_number_of_r_at_full_precision(delivered: tuple[Path, Written]) -> None:
    run = json.loads(delivered[1].run.read_text())
    assert run["r"]["version"] == "4.2.2" and run["r"]["packages"] == {"BradleyTerry2": "1.1-2"}
    calls = run["calls"]
    assert [(c["line"], c["name"], c.get("key")) for c in calls] == [
        (6, "m", None), (8, "f", "north"), (8, "f", "south"), (8, "f", "west"), (9, "AIC_9", None),
    ]  # fmt: skip
    deviance = next(n for n in calls[0]["numbers"] if n["quantity"] == "deviance")
    assert deviance["r"] == deviance["python"] and len(repr(deviance["r"])) > 14
    assert deviance["verdict"] == "agrees" and deviance["test"]["digits"] == deviance["floor"] == 11.0
    assert set(run["files"]) == {Path(n).relative_to(delivered[0]).as_posix() for n in delivered[1].files} - {
        "analysis.recorded.json"
    }


def pytest_on(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", PLUGIN, str(folder)]
    given = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin", **environment}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True)


PLUGIN = "pairproof.validation.pytest.plugin"
try:
    from importlib.metadata import entry_points

    if any(entry.value == PLUGIN for entry in entry_points(group="pytest11")):
        PLUGIN = "no:doctest"  # the plugin is installed, and is not to be loaded twice
except ImportError:  # pragma: no cover
    pass


def test_the_test_passes_as_it_was_written_and_without_r(folder: Path) -> None:
    done = pytest_on(folder, PAIRPROOF_R="none")
    assert done.stdout.splitlines()[-1].startswith("4 passed"), done.stdout + done.stderr


def test_the_test_fails_where_the_script_prints_another_number_or_word(folder: Path) -> None:
    script = folder / "analysis.py"
    text = script.read_text()
    printed = 'show(f[r].params.drop("Assam")'
    other = {"1.000001 * x": False, "1.001 * x": True, 'x.add_prefix("tea")': True}
    for changed, fails in other.items():  # the first is within what another machine may print
        made = changed.replace("x", 'f[r].params.drop("Assam")', 1)
        script.write_text(text.replace(printed, f"show({made}"))
        assert script.read_text() != text
        done = pytest_on(folder, PAIRPROOF_R="none")
        assert done.stdout.splitlines()[-1].startswith(
            "1 failed, 3 passed" if fails else "4 passed"
        ), done.stdout
        assert ("prints something else than when it was migrated" in done.stdout) is fails


def test_the_test_fails_where_a_number_of_r_or_of_python_is_another(folder: Path) -> None:
    run = folder / "analysis.recorded.json"
    content = json.loads(run.read_text())
    content["calls"][2]["numbers"][0]["r"] *= 1 + 1e-6
    content["calls"][4]["numbers"][0]["r"] *= 1 + 1e-6
    run.write_text(json.dumps(content))
    record = folder / "recorded/test_analysis/test_line_6_m.json"
    record.write_text(record.read_text().replace('"deviance": ', '"deviance": 1'))
    done = pytest_on(folder, PAIRPROOF_R="none")
    assert done.stdout.splitlines()[-1].startswith("3 failed"), done.stdout
    assert "deviance: recorded 1" in done.stdout and "f: 1 of" not in done.stdout
    assert "AIC_9: numbers that changed" in done.stdout and "1 of 5 quantities do not agree" in done.stdout


def test_what_needs_r_is_not_run_without_it_and_the_rest_is(folder: Path) -> None:
    script = folder / "analysis.py"
    text = script.read_text().replace("import pairproof\n", "import pairproof\nimport pairproof.bridge\n", 1)
    text = text.replace("f = {}\n", "f = {}\npairproof.bridge.base.binom_test(6, 9)\n")
    script.write_text(
        text.replace("for r in (", "for r in (pairproof.bridge.base.binom_test(6, 9) and 0 or ")
    )
    done = pytest_on(folder, PAIRPROOF_R="none")
    last = done.stdout.splitlines()[-1]
    assert "2 passed" in last and "2 not run" in last, done.stdout
    assert 'R is not asked in mode "none"' in done.stdout
    required = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "--require-r", str(folder)],
        env={"PYTHONPATH": str(ROOT), "PAIRPROOF_R": "none", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert "2 failed, 2 passed" in required.stdout


def test_a_second_run_replaces_its_own_files_and_removes_what_it_needs_no_more(
    folder: Path, untried: None
) -> None:
    script = tea()
    del script.calls[3]  # no west
    written = write(script, folder)
    assert sorted(p.name for p in (folder / "data").iterdir()) == ["f_north.csv", "f_south.csv", "m.csv"]
    assert not (folder / "recorded/test_analysis/test_line_8_f.west.json").exists()
    assert 'for r in ("north", "south"):' in written.script.read_text()


def test_a_file_that_is_not_ours_is_not_replaced(folder: Path, untried: None) -> None:
    script = folder / "analysis.py"
    script.write_text(script.read_text() + "# mine\n")
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    said = "analysis.py: already exists and is not as pairproof wrote it"
    with pytest.raises(InputError, match=said):
        write(tea(), folder)
    with pytest.raises(InputError, match=said):
        check_target(folder / "tea.R", script)
    (folder / "tea.R").write_text("# R\n")
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    write(tea(), folder, force=True)
    assert "# mine" not in script.read_text()


def test_a_table_of_somebody_else_is_never_replaced_even_with_force(tmp_path: Path, untried: None) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "M.csv").write_text("mine\n")
    written = write(tea(), tmp_path, force=True)
    assert (tmp_path / "data" / "M.csv").read_text() == "mine\n"
    assert "data/m_2.csv" in written.script.read_text() and (tmp_path / "data" / "m_2.csv").is_file()


def test_a_list_of_files_that_somebody_wrote_is_not_believed(tmp_path: Path, untried: None) -> None:
    from pairproof.migration.delivery import digest, digest_of, earlier

    (tmp_path / "precious.csv").write_text("mine\n")
    names = ["../x/precious.csv", "precious.csv", "/etc/passwd", "data/../precious.csv", "tea.R"]
    content = {"format": 1, "made_by": "pairproof migrate", "files": {n: digest(b"mine\n") for n in names}}
    (tmp_path / "analysis.recorded.json").write_text(json.dumps({**content, "sha256": digest_of(content)}))
    assert earlier(tmp_path, "analysis.recorded.json", "test_analysis").files == {}
    write(tea(), tmp_path)
    assert (tmp_path / "precious.csv").read_text() == "mine\n"


@pytest.mark.parametrize(
    "name, message",
    [
        ("analysis.R", "give it a name that ends in .py"), ("tea.R", "give it a name that ends in .py"),
        ("json.py", "loads a module of this name"), ("pairproof.py", "loads a module of this name"),
        ("test_x.py", "pytest would take the script for a test"), (".py", "give it a name that ends in .py"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_used_is_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_out(name)


def test_a_folder_that_is_not_there_or_a_file_in_its_place_is_refused(tmp_path: Path, untried: None) -> None:
    stage = staged(tmp_path)
    found = tea().migration(stage)
    nowhere = tmp_path / "nowhere" / "analysis.py"
    with pytest.raises(InputError, match="no director"):
        write_migration(found, tmp_path / "tea.R", nowhere, stage=stage)
    with pytest.raises(InputError, match="no director"):
        check_target(tmp_path / "tea.R", nowhere)
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "data").write_text("mine")
    with pytest.raises(InputError, match="cannot create the folder 'data' here"):
        write_migration(found, tmp_path / "tea.R", tmp_path / "analysis.py", stage=stage)
    assert (tmp_path / "data").read_text() == "mine" and not (tmp_path / "analysis.py").exists()


def test_a_script_that_does_not_run_is_not_delivered(tmp_path: Path) -> None:
    stage = staged(tmp_path)
    found = tea().migration(stage)
    broken = Call("pairproof.no_such_function", (1,))
    first = replace(found.steps[0], translation=replace(found.steps[0].translation, code=broken))
    with pytest.raises(PairproofError, match="an error of pairproof") as caught:
        write_migration(
            Migration(found.captured, (first, *found.steps[1:])),
            tmp_path / "tea.R",
            tmp_path / "analysis.py",
            stage=stage,
        )
    assert "no_such_function" in str(caught.value) and str(tmp_path) not in str(caught.value)
    assert not (tmp_path / "analysis.py").exists() and not (tmp_path / "data").exists()


def test_a_script_that_gives_other_numbers_is_not_delivered(tmp_path: Path) -> None:
    """What was compared must be what is written: here another table is written than was evaluated."""
    stage = staged(tmp_path)
    found = tea().migration(stage)
    other = bradley_terry([9, 9, 9], "Ceylon")
    stage.place(other.arguments[0].arguments[0])
    first = replace(found.steps[0], translation=replace(found.steps[0].translation, code=other))
    with pytest.raises(PairproofError, match="m: Bradley-Terry: 5 of 5 quantities do not agree"):
        write_migration(
            Migration(found.captured, (first, *found.steps[1:])),
            tmp_path / "tea.R",
            tmp_path / "analysis.py",
            stage=stage,
        )


def test_numbers_that_differ_or_are_explained_are_counted_in_the_test_and_not_compared(
    tmp_path: Path, untried: None
) -> None:
    stage = staged(tmp_path)
    found = tea().migration(stage)
    step = found.steps[0]
    wrong = [replace(a, verdict="differs") for a in step.rows[:2]]
    mixed = replace(step, rows=(*wrong, *step.rows[2:]))
    written = write_migration(
        Migration(found.captured, (mixed, *found.steps[1:])),
        tmp_path / "tea.R",
        tmp_path / "a.py",
        stage=stage,
    )
    assert written.test is not None
    assert "# 2 of R's numbers DIFFER, and are not compared here." in written.test.read_text()
    assert "2 differ without explanation" in " ".join(written.script.read_text().split())
    numbers = json.loads(written.run.read_text())["calls"][0]["numbers"]
    assert ["test" in n for n in numbers] == [n["verdict"] == "agrees" for n in numbers]
