"""Files that are read are regular and of bounded size; what a claims file names lies in its folder, and
nothing is said of the rest.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import pairproof
from pairproof.cli import main
from pairproof.errors import DataWarning, InputError
from pairproof.files import inputs
from pairproof.files.inputs import OutsideError, read_file, read_inside

TABLE = "first,second,wins,losses\nA,B,5,3\nB,C,4,2\nA,C,6,1\n"
DIGEST = hashlib.sha256(TABLE.encode()).hexdigest()
OTHER = "0" * 64


def claims(folder: Path, file: str, digest: str = OTHER, name: str = "p", more: str = "") -> Path:
    path = folder / f"{name}.claims.toml"
    path.write_text(
        f"""[paper]
id = "p"
title = "t"
read_from = "x"
[data.d]
kind = "file"
file = "{file}"
sha256 = "{digest}"
{more}
[[claim]]
id = "c"
where = "w"
data = "d"
model = {{ family = "bradley-terry" }}
deviance = "0.1438 on 1"
engines = ["native"]
""",
        encoding="utf-8",
    )
    return path


@pytest.fixture()
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The claims file's folder, and another with data that are not its own."""
    own, away = tmp_path / "own", tmp_path / "away"
    own.mkdir()
    away.mkdir()
    (away / "x.csv").write_text(TABLE, encoding="utf-8")
    return own, away


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


# -- inside the folder ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("check", "--r", "none"), ("explain",)])
def test_a_data_file_outside_the_claims_files_folder_is_not_opened_and_nothing_is_told_of_it(
    folders, capsys, command
):
    own, away = folders
    (own / "link.csv").symlink_to(away / "x.csv")
    (own / "deep").symlink_to(away)
    (own / "zero.csv").symlink_to("/dev/zero")
    said = set()
    for file in (
        "../away/x.csv",
        str(away / "x.csv"),
        "link.csv",
        "deep/x.csv",
        "../away/none.csv",
        "/etc/passwd",
        "/dev/zero",
        "zero.csv",
    ):
        code, text = run(capsys, *command, claims(own, file))
        assert "is outside the claims file's folder and is not opened" in text and "--data DIR" in text, text
        # What is said does not depend on the file: not on its hash, nor on whether it is there.
        said.add(text.replace(file, "FILE"))
        assert code != 0 and DIGEST not in text
    assert len(said) == 1


def test_a_link_that_stays_inside_and_a_file_below_are_read(folders, capsys):
    own, _ = folders
    (own / "deep").mkdir()
    (own / "deep" / "x.csv").write_text(TABLE, encoding="utf-8")
    (own / "link.csv").symlink_to("deep/x.csv")
    for file in ("deep/x.csv", "link.csv", "./deep/../deep/x.csv", str(own / "link.csv")):
        assert run(capsys, "check", claims(own, file, DIGEST), "--r", "none")[0] == 0


def test_with_data_the_caller_lets_a_folder_in_and_no_other(folders, capsys):
    own, away = folders
    for file in ("../away/x.csv", "x.csv"):
        path = claims(own, file, DIGEST)
        assert run(capsys, "check", path, "--r", "none", "--data", away)[0] == 0
        assert "Not searched" not in run(capsys, "explain", path, "--data", away)[1].replace(
            "0 not searched", ""
        )
        assert pairproof.validation.run(str(path), r="none", data=away).exit_code == 0
    (own.parent / "third.csv").write_text(TABLE, encoding="utf-8")
    code, text = run(capsys, "check", claims(own, "../third.csv", DIGEST), "--r", "none", "--data", away)
    assert code == 3 and "is outside" in text


def test_record_looks_for_data_where_it_is_told(folders, capsys, monkeypatch, tmp_path):
    own, away = folders
    asked = {}
    monkeypatch.setattr(pairproof.validation, "run", lambda names, **options: asked.update(options) or [])
    assert (
        run(
            capsys,
            "record",
            claims(own, "x.csv"),
            "--into",
            tmp_path / "records",
            "--data",
            away,
            "--data-limit",
            "7",
        )[0]
        == 0
    )
    assert asked["data"] == away and asked["data_limit"] == 7 * 1024**2


def test_the_hash_is_told_of_a_file_in_the_own_folder_and_of_no_other(folders, capsys):
    own, away = folders
    (own / "x.csv").write_text(TABLE, encoding="utf-8")
    assert f"has sha256 {DIGEST}" in run(capsys, "check", claims(own, "x.csv"), "--r", "none")[1]
    text = run(capsys, "check", claims(own, "../away/x.csv"), "--r", "none", "--data", away)[1]
    assert "has another sha256" in text and DIGEST not in text
    text = run(capsys, "check", claims(own, "x.csv", more="in_place = true"), "--r", "none", "--data", away)[
        1
    ]
    assert "has another sha256" in text and DIGEST not in text


def test_data_read_in_place_stay_in_their_folder_too(folders, capsys):
    own, away = folders
    (own / "x.csv").write_text(TABLE, encoding="utf-8")
    for file in ("../own/x.csv", str(own / "x.csv")):
        code, text = run(
            capsys, "check", claims(own, file, DIGEST, more="in_place = true"), "--r", "none", "--data", away
        )
        assert code == 3 and "leads outside" in text


@pytest.mark.parametrize("command", [("check", "--r", "none"), ("explain",)])
def test_what_is_no_regular_file_neither_hangs_nor_is_read(folders, capsys, command):
    own, _ = folders
    os.mkfifo(own / "pipe.csv")
    (own / "folder.csv").mkdir()
    for file, said in (
        ("pipe.csv", "is a pipe"),
        ("folder.csv", "is a directory"),
        (".", "is a directory"),
        ("a\\u0000b", "cannot hold a zero character"),
    ):
        code, text = run(capsys, *command, claims(own, file))
        assert code in (2, 3) and said in text and "defect" not in text


def test_data_and_claims_files_are_of_bounded_size(folders, capsys):
    own, _ = folders
    with (own / "big.csv").open("wb") as file:
        file.truncate(3 * 1024**2)
    path = claims(own, "big.csv")
    code, text = run(capsys, "check", path, "--r", "none", "--data-limit", "2")
    assert (
        code == 3
        and "3,145,728 bytes or more, but at most 2,097,152 are read" in text
        and "--data-limit" in text
    )
    assert "has sha256" in run(capsys, "check", path, "--r", "none", "--data-limit", "4")[1]
    with pytest.raises(InputError, match="at most 1,000 are read"):
        pairproof.validation.run(str(path), r="none", data_limit=1000)
    with (own / "huge.claims.toml").open("wb") as file:
        file.truncate(17 * 1024**2)
    text = run(capsys, "check", own / "huge.claims.toml")[1]
    # This limit is fixed: the message must not name a setting that does not move it.
    assert "at most 16,777,216 are read; check the name\n" in text


def test_a_claims_file_that_is_a_pipe_or_a_device_is_refused(tmp_path, capsys):
    os.mkfifo(tmp_path / "p.claims.toml")
    assert "is a pipe; expected a claims file" in run(capsys, "check", tmp_path / "p.claims.toml")[1]
    assert "is a device; expected a claims file" in run(capsys, "explain", "/dev/zero")[1]


def test_a_folder_swapped_for_a_link_while_it_is_walked_is_not_followed(folders, monkeypatch):
    own, away = folders
    (own / "deep").mkdir()
    (own / "deep" / "x.csv").write_text("mine", encoding="utf-8")
    real = os.path.realpath(own / "deep" / "x.csv")
    walk = inputs._walk

    def swapped(top, parts, name):
        (own / "deep" / "x.csv").unlink()
        (own / "deep").rmdir()
        (own / "deep").symlink_to(away)
        assert os.path.realpath(real) != real
        return walk(top, parts, name)

    monkeypatch.setattr(inputs, "_walk", swapped)
    with pytest.raises(InputError, match="cannot be read"):
        read_inside(own, "deep/x.csv")


def test_inside_is_inside_for_folders_whose_names_begin_alike(tmp_path):
    for name in ("a", "ab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text(name, encoding="utf-8")
    assert read_inside(tmp_path / "a", "x") == b"a"
    assert read_inside(tmp_path, "ab/x") == b"ab"
    with pytest.raises(OutsideError):
        read_inside(tmp_path / "a", "../ab/x")
    with pytest.raises(FileNotFoundError):
        read_inside(tmp_path / "a", "y")


# -- tables and the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "FILE"),
        ("compare-two", "FILE"),
        ("compare-models", "FILE"),
        ("tree", "FILE"),
        ("error-rates", "FILE"),
        ("sample-size", "FILE"),
        ("watch", "FILE"),
        ("claims", "new", "FILE"),
        ("fit", "t.csv", "--item-data", "FILE"),
        ("easl", "init", "new.db", "FILE"),
        ("easl", "status", "FILE"),
        ("easl", "update", "C.db", "FILE"),
        ("easl", "import", "new.db", "FILE"),
        ("easl", "import", "new.db", "m.csv", "FILE"),
        ("rank-by-comparing", "--resume", "FILE"),
        ("simulate-annotation", "--truth", "FILE", "--column", "x"),
        ("compare-models", "t.csv", "--resume", "FILE"),
        (
            "compare-models",
            "t.csv",
            "--train",
            "FILE",
            "--train-sizes",
            "1",
            "--test-size",
            "1",
            "--split",
            "comparisons",
        ),
    ],
)
def test_a_pipe_a_folder_a_device_and_a_long_name_end_every_command_with_exit_code_3(
    tmp_path, capsys, monkeypatch, command
):
    from tests.campaign.helpers import campaign

    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE, encoding="utf-8")
    Path("m.csv").write_text("id,alpha,beta\n1,1,1\n2,1,1\n", encoding="utf-8")
    if "C.db" in command:
        campaign(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    for name in ("pipe", "folder", "/dev/zero", "x" * 300, "a\0b"):
        code, text = run(capsys, *(name if part == "FILE" else part for part in command))
        assert code == 3 and "defect" not in text and "Traceback" not in text, (name, text)


def test_a_table_may_come_from_what_the_user_opened(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    command = f'"{sys.executable}" -m pairproof fit'
    for line in (f"cat t.csv | {command} /dev/stdin", f"{command} /dev/stdin < t.csv"):
        ran = subprocess.run(
            ["sh", "-c", line + " --json"], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert ran.returncode == 0 and '"n_comparisons": 21.0' in ran.stdout, ran.stderr


def test_a_pipe_by_descriptor_is_read_to_its_end_however_slowly_it_comes():
    read, write = os.pipe()

    def slowly() -> None:
        for line in TABLE.splitlines(keepends=True):
            os.write(write, line.encode())
        os.close(write)

    writer = threading.Thread(target=slowly)
    writer.start()
    assert read_file(f"/dev/fd/{read}", streams=True) == TABLE.encode()
    writer.join()
    os.close(read)


def test_the_bound_on_tables_is_the_users_to_set(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "A,B,1,1\n" * 300_000, encoding="utf-8")
    monkeypatch.setenv(inputs.LIMIT, "1")
    with pytest.raises(
        InputError, match="2,400,0[0-9]+ bytes or more, but at most 1,048,576 are read; .*PAIRPROOF_MOST_MB"
    ):
        pairproof.read(path)
    with pytest.raises(InputError, match="at most 1,048,576 are read"):
        inputs.read_stream(io.BytesIO(path.read_bytes()), "standard input")
    for bad in ("many", "0", "-1", "9" * 5000):
        monkeypatch.setenv(inputs.LIMIT, bad)
        with pytest.raises(InputError, match="expected a whole number of megabytes"):
            pairproof.read(path)
    monkeypatch.setenv(inputs.LIMIT, "3")
    assert pairproof.read(path).n_comparisons == 600_021


def test_a_table_that_may_have_been_cut_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("first,second,wins,losses\nA,B,5,3\nB,C,4,1", encoding="utf-8")
    with pytest.warns(
        DataWarning,
        match=(
            "the last line has no line end; if the file was cut, its last cell .column 'losses', '1'. may"
            " be too"
        ),
    ):
        assert pairproof.read(path).n_comparisons == 13
    # An outcome's word cut is another word, and an error by itself: nothing to be told.
    path.write_text("first,second,outcome\nA,B,first\nB,C,tie", encoding="utf-8")
    assert pairproof.read(path).n_comparisons == 2
