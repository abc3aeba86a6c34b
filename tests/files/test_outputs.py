"""What is written never goes over what is read, over a campaign, or, unasked, over a file that pairproof did
not make.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from hypothesis import given, strategies as st

from pairproof.campaign import export, open_batch, status
from pairproof.cli import main
from pairproof.cli.app import COMMANDS, app
from pairproof.cli.state import KEPT, READ, WRITTEN
from pairproof.errors import InputError
from pairproof.files import outputs, outputs as made_by
from tests.campaign.helpers import campaign, run_batches

TABLE = "first,second,wins,ties,losses,judge\nA,B,5,1,3,1\nB,C,4,2,2,1\nA,C,6,1,1,2\nA,B,2,1,1,2\n"


@pytest.fixture()
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def same_file(here: Path) -> list[str]:
    """t.csv by other names."""
    (here / "sub").mkdir()
    (here / "soft.csv").symlink_to("t.csv")
    os.link(here / "t.csv", here / "hard.csv")
    return ["t.csv", "./t.csv", "sub/../t.csv", str(here / "t.csv"), "soft.csv", "hard.csv"]


# -- over what is read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_script_is_never_written_over_the_table_by_whatever_name(here, capsys, force):
    for name in same_file(here):
        code, out, err = run(capsys, "fit", "t.csv", "--to-r", name, *force)
        assert (code, out) == (3, "") and "is read by this command" in err and len(err.splitlines()) == 1
    assert (here / "t.csv").read_text(encoding="utf-8") == TABLE


@pytest.mark.skipif(
    not os.path.exists("/dev/stdin"),
    reason="no /dev/stdin on this system, by which the file behind standard input is known",
)
def test_a_report_is_never_written_over_the_file_behind_standard_input(here):
    with (here / "t.csv").open("rb") as table:
        ran = subprocess.run(
            [sys.executable, "-m", "pairproof", "fit", "-", "--to-r", "t.csv", "--force"],
            stdin=table,
            capture_output=True,
            text=True,
        )
    assert (
        ran.returncode == 3
        and "t.csv: is read by this command" in ran.stderr
        and (here / "t.csv").read_text(encoding="utf-8") == TABLE
    )


def test_a_report_is_never_written_over_the_item_data(here, capsys):
    text = "item,length\nA,3\nB,1\nC,2\n"
    (here / "items.md").write_text(text, encoding="utf-8")
    code, _, err = run(
        capsys,
        "fit",
        "t.csv",
        "--item-data",
        "items.md",
        "--item-terms",
        "length",
        "--report",
        "items.md",
        "--force",
    )
    assert code == 3 and "items.md: is read by this command" in err
    assert (here / "items.md").read_text(encoding="utf-8") == text


def test_a_report_is_never_written_over_data_that_a_claims_file_names(here, capsys):
    import hashlib

    (here / "d.json").write_text(TABLE, encoding="utf-8")
    digest = hashlib.sha256(TABLE.encode()).hexdigest()
    (here / "p.claims.toml").write_text(
        f"""[paper]
id = "p"
title = "t"
read_from = "x"
[data.d]
kind = "file"
file = "d.json"
sha256 = "{digest}"
[[claim]]
id = "c"
where = "w"
data = "d"
model = {{ family = "bradley-terry" }}
deviance = "0.1"
engines = ["native"]
""",
        encoding="utf-8",
    )
    code, _, err = run(capsys, "check", "p.claims.toml", "--r", "none", "--report", "d.json", "--force")
    assert code == 3 and "d.json: is read by this command" in err
    assert (here / "d.json").read_text(encoding="utf-8") == TABLE


def test_a_claims_file_and_its_data_are_not_begun_over_the_table_they_are_made_from(here, capsys):
    rows = "".join(f"A,B,1,0,0,{k}\nB,C,1,1,1,{k}\nC,A,2,0,1,{k}\n" for k in range(200))
    (here / "mine.csv").write_text("first,second,wins,ties,losses,judge\n" + rows, encoding="utf-8")
    before = (here / "mine.csv").read_bytes()
    code, _, err = run(
        capsys, "claims", "new", "mine.csv", "--cells", "row", "--out", "mine.claims.toml", "--force"
    )
    assert (
        code == 3
        and "mine.csv: is read by this command" in err
        and (here / "mine.csv").read_bytes() == before
    )


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "t.csv", "--report", "a.html", "--report", "sub/../a.html"),
        ("fit", "t.csv", "--report", "a.md", "--report", "A.md"),
        ("fit", "t.csv", "--to-r", "a.md", "--report", "a.md"),
        ("compare-models", "t.csv", "--resume", "a.json", "--report", "a.json"),
        ("rank-by-comparing", "A,B", "--resume", "a.json", "--report", "a.json"),
    ],
)
def test_two_outputs_of_one_command_are_two_files(here, capsys, command):
    (here / "sub").mkdir()
    code, out, err = run(capsys, *command)
    assert (code, out) == (3, "") and "are the same file, but both would be written" in err
    assert not (here / "a.html").exists() and not (here / "a.md").exists() and not (here / "a.json").exists()


def every_command() -> list[tuple[str, click.Command]]:
    found = []
    for name in COMMANDS:
        one = app.get_command(click.Context(app), name)
        assert one is not None
        found += below(name, one)
    return found


def below(name: str, command: click.Command) -> list[tuple[str, click.Command]]:
    """A command, or the commands of a group and of the groups in it."""
    if not isinstance(command, click.Group):
        return [(name, command)]
    return [pair for sub, one in command.commands.items() for pair in below(f"{name} {sub}", one)]


def test_every_parameter_that_names_a_file_says_whether_it_is_read_or_written():
    """By that the commands know what not to write over; a new option without it would be the old defect
    again.
    """
    words = ("FILE", "TABLE", ".csv", ".db", "SCRIPT", "STATE", "PLAN", "SYSTEMS", "NAME]...")
    plain = {
        "--report",
        "results",
    }  # `--report` is checked by itself; `retract --results` names a file the campaign has seen
    unsaid = []
    for name, command in every_command():
        for parameter in command.params:
            metavar = parameter.metavar or ""
            if (
                any(w in metavar for w in words)
                and parameter.type not in (READ, WRITTEN, KEPT)
                and not plain & {*parameter.opts, parameter.name}
            ):
                unsaid.append(f"{name} {parameter.name} {metavar}")
    # `easl next --out` can be a folder of pages: its writer checks every file of it, as the test below shows.
    # `migrate --out` is one of several files, and may be what an earlier run wrote: its writer checks all.
    # `validate [NAME]...` takes names of papers only.
    assert unsaid == ["validate names [NAME]...", "migrate out FILE.py", "easl next out FILE"]


@pytest.mark.parametrize("name", ["D.csv", "items.csv", "notes.html"])
def test_a_batch_is_not_written_over_a_campaign_or_a_file_of_somebody_else(here, capsys, name):
    path = campaign(here)
    (here / "D.csv").write_bytes(path.read_bytes())
    (here / "notes.html").write_text("mine")
    before = (here / name).read_bytes()
    force = ["--force"] if name == "D.csv" else []
    code, out, err = run(capsys, "easl", "next", "C.db", "--out", name, *force)
    assert (code, out) == (3, "") and name in err
    assert (here / name).read_bytes() == before
    assert sqlite3.connect(path).execute("SELECT COUNT(*) FROM batch").fetchone() == (0,)


# -- a campaign ----------------------------------------------------------------------------------------------


def test_no_command_writes_over_a_campaign_by_whatever_name_or_force(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = campaign(tmp_path, name="C.csv")
    run_batches(path, 1)
    other = campaign(tmp_path, name="other.md")
    Path("soft.csv").symlink_to("C.csv")
    os.link("C.csv", "hard.csv")
    before = path.read_bytes(), other.read_bytes()
    for name in ("C.csv", "./C.csv", "soft.csv", "hard.csv"):
        for command in (
            ("export", "C.csv", name),
            ("next", "C.csv", "--again", "--out", name),
            ("export", "C.csv", name, "--force"),
        ):
            code, _, err = run(capsys, "easl", *command)
            assert code == 3 and "is a campaign with judgments" in err
        for ask in (lambda: export(path, name), lambda: open_batch(path, name, again=True, force=True)):
            with pytest.raises(InputError, match="is a campaign"):
                ask()
    assert run(capsys, "easl", "status", "C.csv", "--report", "other.md", "--force")[0] == 3
    assert (path.read_bytes(), other.read_bytes()) == before and status(path).judgments == 2


def test_the_names_sqlite_uses_beside_a_campaign_are_not_written(tmp_path):
    path = campaign(tmp_path)
    for end in ("-journal", "-wal", "-shm"):
        with pytest.raises(InputError, match="SQLite uses this name for the campaign C.db"):
            export(path, tmp_path / f"C.db{end}", force=True)
    assert not list(tmp_path.glob("C.db-*"))


def test_a_campaign_is_not_made_over_its_items_and_never_over_a_link(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text("id,sent\n1,a\n2,b\n", encoding="utf-8")
    Path("away.db").symlink_to("nowhere.db")
    assert (
        "is read by this command"
        in run(capsys, "easl", "init", "items.csv", "items.csv", "--per-hit", "2")[2]
    )
    assert "already exists" in run(capsys, "easl", "init", "away.db", "items.csv", "--per-hit", "2")[2]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["away.db", "items.csv"]


# -- a file it did not make ----------------------------------------------------------------------------------


def test_a_file_that_pairproof_did_not_make_is_replaced_by_force_only(here, capsys):
    for name in ("o.html", "o.md", "o.json", "s.R"):
        (here / name).write_text("precious\n", encoding="utf-8")
        option = "--to-r" if name == "s.R" else "--report"
        code, out, err = run(capsys, "fit", "t.csv", option, name)
        assert (
            (code, out) == (3, "")
            and "is not as pairproof wrote it" in err
            and (here / name).read_text(encoding="utf-8") == "precious\n"
        )
        assert run(capsys, "fit", "t.csv", option, name, "--force")[0] == 0
        assert run(capsys, "fit", "t.csv", option, name)[0] == 0


@pytest.mark.nightly
def test_every_report_of_every_command_can_be_written_again_without_force(here, capsys):
    (here / "errors.csv").write_text(
        "system,sentence,errors,length\nA,1,2,9\nA,2,1,8\nB,1,0,9\nB,2,3,8\n", encoding="utf-8"
    )
    (here / "tree.csv").write_text(
        "first,second,outcome,judge,age\nA,B,first,1,20\nA,B,second,2,30\nA,B,first,3,40\n", encoding="utf-8"
    )
    path = campaign(here)
    run_batches(path, 1)
    quick = (
        "--train-sizes",
        "2",
        "--trials",
        "1",
        "--test-size",
        "3",
        "--split",
        "comparisons",
        "--models",
        "uniform",
        "--workers",
        "1",
    )
    commands = {
        "fit": ("fit", "t.csv"),
        "compare-two": ("compare-two", "t.csv"),
        "error-rates": ("error-rates", "errors.csv"),
        "sample-size": ("sample-size", "--margin", "0.1"),
        "sample-size of a table": (
            "sample-size",
            "--goal",
            "ranking",
            "--abilities",
            "1,0",
            "--judges",
            "9",
            "--per-judge",
            "20",
        ),
        "watch": ("watch", "t.csv"),
        "tree": ("tree", "tree.csv"),
        "easl": ("easl", "status", "C.db"),
        "rank": ("rank-by-comparing", "A,B,C", "--answer", "A"),
        "doctor": ("doctor",),
        "models": ("compare-models", "t.csv", *quick),
        "simulate": (
            "simulate-annotation",
            "--items",
            "12",
            "--per-hit",
            "3",
            "--replicates",
            "2",
            "--budget",
            "2",
            "--methods",
            "random",
        ),
        "check": ("check", "firth-2005", "--r", "none"),
    }
    for name, command in commands.items():
        suffixes = ("json", "md") if name == "doctor" else ("json", "md", "html")
        reports = [part for s in suffixes for part in ("--report", f"{name}.{s}")]
        code, _, err = run(capsys, *command, *reports)
        assert code in (0, 1), err
        # What the next run asks of each of its reports, before its work begins.
        for report in reports[1::2]:
            outputs.check(here / report)
    assert (
        run(capsys, *commands["fit"], "--report", "fit.html", "--report", "fit.md", "--report", "fit.json")[0]
        == 0
    )
    assert not made_by.is_ours(here / "t.csv")


def test_what_somebody_changed_since_is_not_replaced(here, capsys):
    for name in ("o.html", "o.md", "s.R"):
        option = "--to-r" if name == "s.R" else "--report"
        assert run(capsys, "fit", "t.csv", option, name)[0] == 0
        text = (here / name).read_text(encoding="utf-8")
        (here / name).write_text(
            text.replace("LLBT", "my LLBT") if "LLBT" in text else "# mine\n" + text, encoding="utf-8"
        )
        code, _, err = run(capsys, "fit", "t.csv", option, name)
        assert code == 3 and "is not as pairproof wrote it" in err


def test_an_empty_file_and_the_same_bytes_are_nothing_to_lose(tmp_path):
    (tmp_path / "a.csv").touch()
    outputs.write(tmp_path / "a.csv", "x,y\n1,2\n")
    outputs.write(tmp_path / "a.csv", "x,y\n1,2\n")
    with pytest.raises(InputError, match="is not as pairproof wrote it"):
        outputs.write(tmp_path / "a.csv", "x,y\n1,3\n")


def test_exports_are_made_anew_and_results_and_models_of_others_are_kept(tmp_path):
    path = campaign(tmp_path)
    run_batches(path, 2)
    out = tmp_path / "e.csv"
    for what in ("scores", "model", "comparisons", "history", "model", "scores"):
        export(path, out, what)
    foreign = {
        "r0.csv": None,
        "items.csv": None,
        "model.csv": "id,sent,alpha,beta,mode,var\n"
        + "".join(f"{k},a,1,1,0.5,0.0833\n" for k in range(1, 11)),
        "long.csv": "first,second,outcome,judge,source\n1,2,first,ann,line 4\n",
        "page.csv": "AssignmentId,WorkerId,AcceptTime,SubmitTime,WorkTimeInSeconds,Input.campaign,Input.batch,Input.hit,Input.id1\n",
    }
    for name, text in foreign.items():
        if text is not None:
            (tmp_path / name).write_text(text, encoding="utf-8")
        before = (tmp_path / name).read_bytes()
        for what in ("scores", "model", "history"):
            with pytest.raises(InputError, match="is not as pairproof wrote it"):
                export(path, tmp_path / name, what)
        assert (tmp_path / name).read_bytes() == before


@given(st.text(max_size=200), st.sampled_from([".html", ".md", ".xml", ".r", ".txt"]))
def test_a_mark_is_known_again_and_any_change_above_it_is_noticed(text, suffix):
    import tempfile

    if suffix == ".html":
        text = f'<!DOCTYPE html>\n<meta charset="utf-8">\n{text}'
    raw = text.encode("utf-8", errors="backslashreplace")
    if raw.count(b'<meta charset="utf-8">\n') > 1:
        return
    content = made_by.marked(raw, suffix)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(content)
        assert made_by.is_ours(path)
        path.write_bytes(b"x" + content)
        assert not made_by.is_ours(path)


# -- places that cannot be -----------------------------------------------------------------------------------


def test_places_that_cannot_be_written_are_errors_of_the_input(here, capsys):
    os.mkfifo("p.html")
    Path("d.html").mkdir()
    Path("ro.html").write_text("", encoding="utf-8")
    os.chmod("ro.html", 0o444)
    Path("t.csv.d").symlink_to("t.csv")
    cases = {
        "p.html": "is a pipe",
        "d.html": "is a directory",
        "ro.html": "is read-only",
        "no/o.html": "there is no directory",
        "t.csv/o.html": "there is no directory",
        "x" * 300 + ".html": "File name too long",
        "a\0b.html": "cannot hold a zero character",
    }
    for name, said in cases.items():
        code, out, err = run(capsys, "fit", "t.csv", "--report", name)
        assert (code, out) == (3, "") and said in err and "defect" not in err, (name, err)
    for name in ("/dev/full", "/dev/stdout", "-"):
        code, _, err = run(capsys, "fit", "t.csv", "--to-r", name)
        assert code == 3 and "name a file" in err
    for name in ("", "a\0b"):
        with pytest.raises(InputError):
            outputs.write(name, "x")


def test_a_link_is_written_through_and_modes_are_kept(tmp_path):
    (tmp_path / "deep").mkdir()
    link, target = tmp_path / "o.md", tmp_path / "deep" / "o.md"
    link.symlink_to(target)
    outputs.write(link, "one\n")
    assert link.is_symlink() and target.read_text(encoding="utf-8").startswith("one\n")
    os.chmod(target, 0o640)
    outputs.write(link, "two\n")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        outputs.write(tmp_path / "new.md", "x\n")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.md").stat().st_mode) == 0o640


# -- whole, or not at all ------------------------------------------------------------------------------------


@pytest.mark.parametrize("nameless", [True, False])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(here, capsys, monkeypatch, nameless):
    if not nameless:
        monkeypatch.setattr(outputs, "_nameless", lambda folder: None)
    assert run(capsys, "fit", "t.csv", "--report", "o.html")[0] == 0
    before, names = Path("o.html").read_bytes(), sorted(os.listdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        code, _, err = run(capsys, "fit", "t.csv", "--by", "judge", "--report", "o.html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert code == 3 and "o.html: cannot be written (" in err and "defect" not in err
    assert Path("o.html").read_bytes() == before and sorted(os.listdir()) == names


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_standard_output_on_a_full_disk_is_the_machines_error(here):
    import subprocess

    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "pairproof", "fit", "t.csv"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            text=True,
        )
    assert (
        ran.returncode == 3
        and ran.stderr == f"output: {os.strerror(errno.ENOSPC)}; free some space, or write elsewhere\n"
    )


@pytest.mark.parametrize("nameless", [True, False])
def test_what_a_killed_writer_left_is_removed_by_the_next_and_a_running_one_is_left_alone(
    tmp_path, monkeypatch, nameless
):
    if not nameless:
        monkeypatch.setattr(outputs, "_nameless", lambda folder: None)
    target = tmp_path / "o.csv"

    def begun(folder: Path) -> int:
        """A writer that has written, and waits before the file gets its name."""
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            with outputs.replacing(folder, "new\n"):
                os.write(write, b".")
                time.sleep(60)
            os._exit(0)
        os.close(write)
        assert os.read(read, 1) == b"."
        os.close(read)
        return pid

    pid = begun(target)
    try:
        left = [p.name for p in tmp_path.iterdir()]
        assert all(name.endswith(outputs.PART) for name in left) and len(left) == (
            0 if nameless and outputs._nameless(tmp_path) else 1
        )
        outputs.remove_stale(target)
        assert [p.name for p in tmp_path.iterdir()] == left  # it is held
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    (tmp_path / f".other.csv.12{outputs.PART}").touch()
    outputs.write(target, "a\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == [f".other.csv.12{outputs.PART}", "o.csv"]
    assert target.read_text(encoding="utf-8") == "a\n"
