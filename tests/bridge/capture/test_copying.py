"""The copy of the script's folder, and the files beside it.  No R is needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pairproof.bridge.capture.copying import changed, copy_folder, copy_neighbours, root_of
from pairproof.errors import InputError, TooLargeError


def tree(top: Path, *names: str) -> Path:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    return top


def listed(top: Path) -> list[str]:
    return sorted(path.relative_to(top).as_posix() for path in top.rglob("*") if not path.is_dir())


def test_regular_files_are_copied_and_git_is_not(tmp_path):
    source = tree(tmp_path / "a", "x.R", "data/y.csv", ".Rprofile", ".git/HEAD", "below/.git/HEAD")
    copied = copy_folder(source, tmp_path / "copy")
    assert listed(tmp_path / "copy") == [".Rprofile", "data/y.csv", "x.R"]
    assert changed(copied) == []
    assert copied.size == sum(len(name) for name in ("x.R", "data/y.csv", ".Rprofile"))


def test_links_are_followed_inside_the_folder_only(tmp_path):
    outside = tree(tmp_path / "other", "secret.csv")
    source = tree(tmp_path / "a", "data/y.csv")
    (source / "inside").symlink_to("data/y.csv")
    (source / "folder").symlink_to(source / "data")
    (source / "out").symlink_to(outside / "secret.csv")
    (source / "loop").symlink_to(source)
    (source / "dangling").symlink_to(source / "nothing")
    copied = copy_folder(source, tmp_path / "copy")
    assert (tmp_path / "copy/inside").read_text() == "data/y.csv"
    (tmp_path / "copy/folder/y.csv").write_text("changed")
    assert (source / "data/y.csv").read_text() == "data/y.csv"
    assert not os.path.lexists(tmp_path / "copy/out") and not os.path.lexists(tmp_path / "copy/loop")
    assert copied.left_out == ["loop (a link to outside the folder)", "out (a link to outside the folder)"]


def test_renvs_packages_stay_links_to_its_cache(tmp_path):
    cache = tree(tmp_path / "cache", "pkg/DESCRIPTION")
    source = tree(tmp_path / "a", "renv/activate.R")
    (source / "renv/library").mkdir()
    (source / "renv/library/pkg").symlink_to(cache / "pkg")
    copy_folder(source, tmp_path / "copy")
    assert (tmp_path / "copy/renv/library/pkg/DESCRIPTION").is_file()


def test_a_pipe_is_left_out_and_told(tmp_path):
    source = tree(tmp_path / "a", "x.R")
    os.mkfifo(source / "pipe")
    assert copy_folder(source, tmp_path / "copy").left_out == ["pipe (a pipe, a socket or a device)"]


def test_a_folder_that_is_too_large_is_refused_with_its_numbers_and_nothing_is_copied(tmp_path):
    source = tree(tmp_path / "a", "x.R", "below/large.csv")
    with open(source / "below/large.csv", "wb") as file:
        file.truncate(3 * 2**20)
    with pytest.raises(
        TooLargeError,
        match=r"holds 3.0 MB in 3 files; at most 2.0 MB .*largest: below/large.csv 3.0 MB.*copy_limit",
    ):
        copy_folder(source, tmp_path / "copy", 2 * 2**20)
    assert not (tmp_path / "copy").exists()


def test_what_was_changed_deleted_or_replaced_is_found(tmp_path):
    source = tree(tmp_path / "a", "same", "other", "gone", "folder")
    copied = copy_folder(source, tmp_path / "copy")
    (source / "other").write_text("OTHER")
    (source / "gone").unlink()
    (source / "folder").unlink()
    (source / "folder").mkdir()
    tree(source, "folder/new")
    assert changed(copied) == ["folder", "folder/new", "gone", "other"]


def test_pipes_links_and_huge_files_in_the_place_of_the_users_are_found_without_reading_them(tmp_path):
    source = tree(tmp_path / "a", "pipe", "zero", "huge", "same", "kept")
    copied = copy_folder(source, tmp_path / "copy")
    for name in ("pipe", "zero", "huge", "same"):
        (source / name).unlink()
    os.mkfifo(source / "pipe")
    (source / "zero").symlink_to("/dev/zero")
    with open(source / "huge", "wb") as file:
        file.truncate(2**40)
    (source / "same").symlink_to(source / "kept")
    assert changed(copied) == ["huge", "pipe", "same", "zero"]


def test_a_folder_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        copy_folder(tmp_path / "nothing", tmp_path / "copy")


def test_files_that_the_script_names_beside_its_folder_are_copied_to_the_same_place(tmp_path):
    tree(tmp_path / "top", "R/x.R", "data/y.csv", "data/deep/z.csv", "more/w.csv", "q.csv")
    deep = tmp_path / "stage/l1/l2/l3/R"
    copied = copy_folder(tmp_path / "top/R", deep)
    assert (
        copy_neighbours(copied, ["../data", "../q.csv", "../nothing", "x.R", "..", "/etc/passwd"], 2**20)
        == []
    )
    assert listed(tmp_path / "stage") == [
        "l1/l2/l3/R/x.R",
        "l1/l2/l3/data/deep/z.csv",
        "l1/l2/l3/data/y.csv",
        "l1/l2/l3/q.csv",
    ]


def test_a_neighbour_that_is_too_large_is_left_out_and_told(tmp_path):
    tree(tmp_path / "top", "R/x.R", "data/y.csv")
    copied = copy_folder(tmp_path / "top/R", tmp_path / "stage/l1/l2/l3/R")
    assert copy_neighbours(copied, ["../data"], 5) == ["../data (the folder with it holds more than 0.0 MB)"]


def test_a_path_that_leaves_the_stage_copies_nothing(tmp_path):
    tree(tmp_path / "a/b/c/d/top", "R/x.R")
    tree(tmp_path / "a", "far.csv")
    copied = copy_folder(tmp_path / "a/b/c/d/top/R", tmp_path / "stage/l1/l2/l3/R")
    copy_neighbours(copied, ["../../../../../far.csv"], 2**20)
    assert listed(tmp_path / "stage") == ["l1/l2/l3/R/x.R"]


def test_a_script_runs_where_the_files_are_that_it_names(tmp_path):
    top = tree(tmp_path / "top", "R/x.R", "data/y.csv", "R/own.csv")
    script = top / "R/x.R"
    assert root_of(script, ["data/y.csv"], top) == top
    assert root_of(script, ["data/y.csv"], tmp_path / "elsewhere") == top / "R"
    assert root_of(script, ["own.csv", "data/y.csv"], top) == top / "R"
    assert root_of(script, ["nothing.csv"], top) == top / "R"
    assert root_of(script, ["../data/y.csv"], top) == top / "R"
