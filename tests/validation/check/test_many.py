"""Many claims files: found, planned, checked past bad ones, kept, and taken over where nothing has changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pairproof.errors import InputError
from pairproof.validation.check.many import Task, checked, claims_files, planned
from pairproof.validation.report.index import CheckedPaper, context_of, index_csv, index_screen
from pairproof.validation.verdicts.agreement import exit_code
from tests.validation.fakes import write_paper

NO_R: dict[str, Any] = {"r": "none"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers that come out, one with a digit changed, one that is no TOML, in a folder and one below it."""
    papers = tmp_path / "papers"
    (papers / "below").mkdir(parents=True)
    write_paper(papers, "a", "right")
    write_paper(papers, "b", "changed", '"1.4364"', '"1.4064"')
    write_paper(papers / "below", "c", "below")
    (papers / "d.claims.toml").write_text("x = ", encoding="utf-8")
    (papers / "notes.toml").write_text("x = ", encoding="utf-8")
    return papers


def run(
    names: Sequence[str], out: Path | None = None, workers: int = 1, **options: Any
) -> list[CheckedPaper]:
    files, _ = claims_files(names)
    plan = planned(files, {**NO_R, **options}, out)
    found = {p.file: p for p in plan if isinstance(p, CheckedPaper)}
    found |= {p.file: p for p in checked([t for t in plan if isinstance(t, Task)], workers)}
    return [found[file] for file in files]


def test_claims_files_of_a_folder_are_found_below_it_and_nothing_else_is(folder: Path) -> None:
    files, left = claims_files([str(folder), "dras-2015"])
    assert [os.path.relpath(f, folder) for f in files[:-1]] == [
        "a.claims.toml",
        "b.claims.toml",
        "d.claims.toml",
        "below/c.claims.toml",
    ]
    assert files[-1] == "dras-2015" and left == []


def test_links_that_lead_out_of_a_folder_are_said_and_not_followed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "others"
    other.mkdir()
    secret = write_paper(other, "secret", "secret")
    (folder / "link.claims.toml").symlink_to(secret)
    (folder / "linked").symlink_to(other)
    files, left = claims_files([str(folder)])
    assert len(files) == 4 and not any(
        Path(f).name in ("link.claims.toml", "secret.claims.toml") for f in files
    )
    assert len(left) == 2 and all(line.endswith("a symbolic link, not followed") for line in left)


def test_a_folder_without_claims_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0 files \*.claims.toml; expected 1 to 10,000"):
        claims_files([str(tmp_path)])


def test_a_bad_file_is_a_line_with_its_error_and_stops_no_other(folder: Path) -> None:
    right, changed, bad, below = run([str(folder)])
    assert (right.line["printed"], right.line["agree"], right.line["open"]) == (29, 29, 0)
    assert changed.line["differs"] >= 1 and changed.line["exit_code"] == 1
    assert "not TOML" in bad.error and bad.line["exit_code"] == 3 and bad.paper == "d"
    assert below.line["exit_code"] == 0
    for paper in (right, changed, below):
        line = paper.line
        others = ("other_definition", "explained", "immaterial", "differs", "not_checkable", "not_run")
        assert line["printed"] == line["agree"] + sum(line[name] for name in others)


def test_exit_codes_are_the_worst_and_a_bad_file_is_bad_input(folder: Path) -> None:
    right, changed, bad, below = run([str(folder)])

    def code(*papers: CheckedPaper, require_r: bool = False) -> int:
        return exit_code([a for p in papers for a in p.rows], require_r)

    assert code(right, below) == 0 and code(right, changed) == 1
    assert code(right, changed, bad) == code(bad) == 3
    assert code(right, require_r=True) == 2  # R was not asked, and was to be
    killed = CheckedPaper.refused("f", "p", "its process ended", "native-not-run")
    assert code(right, killed) == 2


def test_two_papers_with_one_id_are_an_error_that_names_both_files(folder: Path) -> None:
    write_paper(folder, "e", "right")
    found = run([str(folder)])
    twice = [p for p in found if "the same id 'right'" in p.error]
    assert [os.path.basename(p.file) for p in twice] == ["a.claims.toml", "e.claims.toml"]
    assert all("a.claims.toml and " in p.error and "e.claims.toml" in p.error for p in twice)
    assert sum(not p.error for p in found) == 2


def test_several_processes_give_what_one_gives(folder: Path) -> None:
    one, two = run([str(folder)]), run([str(folder)], workers=2)
    assert [p.line for p in one] == [p.line for p in two]
    assert [a.to_dict() for p in one for a in p.rows] == [a.to_dict() for p in two for a in p.rows]


# -- kept, and taken over ------------------------------------------------------------------------------------


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_what_has_not_changed_is_taken_over_with_all_its_numbers(folder: Path, out: Path) -> None:
    first, second = run([str(folder)], out), run([str(folder)], out)
    assert [p.taken_over for p in first] == [False] * 4
    assert [p.taken_over for p in second] == [True, True, False, True]
    assert [replace(p, taken_over=False).line for p in second] == [p.line for p in first]
    assert [a.to_dict() for p in first for a in p.rows] == [a.to_dict() for p in second for a in p.rows]
    assert sorted(f.name for f in out.iterdir()) == sorted(
        f"{name}.{kind}" for name in ("right", "changed", "below") for kind in ("html", "json")
    )


def test_changed_claims_options_pages_and_numbers_are_checked_anew(folder: Path, out: Path) -> None:
    run([str(folder)], out)
    write_paper(folder, "a", "right", '"1.1077"', '"1.1078"')
    (out / "below.html").unlink()
    assert [p.taken_over for p in run([str(folder)], out)] == [False, True, False, False]
    (out / "changed.json").write_text('{"summary": {}, "agreements": [1]}')
    assert [p.taken_over for p in run([str(folder)], out)] == [True, False, False, True]
    assert not any(p.taken_over for p in run([str(folder)], out, r="recorded"))


def test_a_changed_data_file_is_checked_anew_and_so_is_one_that_is_gone(tmp_path: Path, out: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("first,second,wins,losses\nA,B,7,3\nB,C,6,4\nA,C,5,5\n")
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    claims = tmp_path / "p.claims.toml"
    claims.write_text(
        f'[paper]\nid = "p"\ntitle = "P"\n[data.d]\nkind = "file"\nfile = "data.csv"\nsha256 = "{digest}"\n'
        '[[claim]]\nid = "c"\ndata = "d"\nmodel = { family = "bradley-terry" }\nstat = { n_comparisons = "30" }\n'
    )
    (first,) = run([str(claims)], out)
    assert first.line["agree"] == 1 and run([str(claims)], out)[0].taken_over
    data.write_text("first,second,wins,losses\nA,B,7,3\nB,C,6,4\nA,C,5,6\n")
    (changed,) = run([str(claims)], out)
    assert not changed.taken_over and changed.line["agree"] == 0
    data.unlink()
    assert not run([str(claims)], out)[0].taken_over


@pytest.mark.parametrize("name", ["../../escape", "index", "A/B", "Upper", "a" * 300, "\u0645"])
def test_an_id_of_any_kind_names_a_file_inside_the_folder(name: str, tmp_path: Path, out: Path) -> None:
    (paper,) = run([str(write_paper(tmp_path, "x", name))], out)
    assert paper.error == "" and paper.paper == name
    assert len(list(out.iterdir())) == 2 and {f.parent for f in out.rglob("*")} == {out}
    assert (out / paper.page).is_file() and paper.page != "index.html"


def test_a_page_that_somebody_changed_is_not_overwritten(folder: Path, out: Path) -> None:
    run([str(folder)], out)
    page = out / "right.html"
    page.write_text(page.read_text().replace("</main>", "my remark</main>"))
    write_paper(folder, "a", "right", '"1.1077"', '"1.1078"')
    assert "is not as pairproof wrote it" in run([str(folder)], out)[0].error
    assert "my remark" in page.read_text()


# -- what is said of them ------------------------------------------------------------------------------------


def test_the_index_names_every_paper_once_in_every_form(folder: Path) -> None:
    papers = run([str(folder)])
    screen, csv = index_screen(papers, ()), index_csv(papers)
    for paper in papers:
        assert sum(line.split()[:1] == [paper.paper] for line in screen.splitlines()) == 1
        assert csv.count(f",{paper.paper},") == 1
    assert "not TOML" in " ".join(screen.split()) and "not TOML" in csv
    assert "4 papers: 3 checked, 1 could not be checked" in screen
    assert "! changed baseball estimate.Detroit: printed " in screen
    json.dumps([paper.line for paper in papers])


def test_findings_by_chance_alone_are_summed_over_explained_claims() -> None:
    papers = [
        CheckedPaper("a", "a", searched=2, by_chance=0.04),
        CheckedPaper("b", "b", searched=1, by_chance=0.5),
    ]
    (said,) = [line for line in context_of(papers, ()).first_lines if "chance" in line]
    assert (
        said.startswith("Another reading explains 3 claims")
        and "about 0.54 of as many pages would be explained" in said
    )
    assert not any("chance" in line for line in context_of([CheckedPaper("a", "a")], ()).first_lines)
