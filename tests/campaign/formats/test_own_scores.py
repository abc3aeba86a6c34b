"""A table of one's own with a row per score becomes a campaign in one command, and EASL goes on from it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairproof.campaign import export, from_scores, open_batch, status, take_in
from pairproof.campaign.storage.records import items_of, state_of
from pairproof.campaign.storage.store import opened
from pairproof.cli.app import run as main
from pairproof.errors import InputError
from tests.campaign.helpers import answers, write

#: Three people, six stories.
ROWS = [
    (who, f"{k}", 10 * k + (7, 0, 5)[(j * k) % 3])
    for j, who in enumerate(("ann", "bob", "cat"))
    for k in range(1, 7)
]
NAMED = {"annotator": "who", "item": "story", "score": "points"}
COLS = [word for name, column in NAMED.items() for word in ("--col", f"{name}={column}")]


def table(folder: Path, header: str = "who,story,points", rows: Any = ROWS, name: str = "mine.csv") -> Path:
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)])
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder / name


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([*map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_table_under_its_own_names_is_imported_in_one_command(tmp_path, capsys):
    path, mine = tmp_path / "C.db", table(tmp_path)
    code, out, _ = run(capsys, "easl", "import", path, mine, *COLS, "--quiet")
    assert code == 0 and "6 items, 18 judgments of 3 annotators, method da, 5 per HIT" in out
    found = status(path)
    assert found.ids == tuple("123456") and found.progress.scores == 18
    means = [np.mean([s for _, item, s in ROWS if item == f"{k}"]) / 100 for k in range(1, 7)]
    # A mean of three numbers below 1, whose sum is rounded; observed 6e-17.
    assert found.state.score.tolist() == pytest.approx(means, abs=1e-15)


def test_both_commands_propose_the_import_that_then_works(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path)
    call = "pairproof easl import study.db mine.csv --col annotator=who --col item=story --col score=points"
    for command in (("fit", "mine.csv"), ("easl", "import", "study.db", "mine.csv")):
        code, _, err = run(capsys, *command)
        assert code == 3 and f"\n    {call}\n" in err, err
    with pytest.raises(InputError, match=r"pairproof.campaign.from_scores\('study.db', 'mine.csv', columns="):
        from_scores("study.db", "mine.csv")
    table(tmp_path, "user,story,points")
    call = call.replace("=who", "=user")
    code, _, err = run(capsys, "fit", "mine.csv")
    assert call in err and run(capsys, *call.split()[1:])[0] == 0


def test_a_table_with_the_names_of_scores_needs_no_option(tmp_path, capsys):
    mine = table(tmp_path, "annotator,item,score")
    code, _, err = run(capsys, "fit", mine)
    assert code == 3 and f"pairproof easl import study.db {mine}\n" in err
    assert run(capsys, "easl", "import", tmp_path / "C.db", mine)[0] == 0


def test_a_table_that_tells_nothing_is_told_which_columns_to_name(tmp_path, capsys):
    code, _, err = run(capsys, "easl", "import", tmp_path / "C.db", table(tmp_path, "a,b,c"))
    assert code == 3 and "--col annotator=COLUMN --col item=COLUMN --col score=COLUMN" in err
    code, _, err = run(capsys, "easl", "import", tmp_path / "C.db", table(tmp_path), *COLS[:4])
    assert (
        code == 3
        and "no column 'score' for the score (--col score=COLUMN); found 'who', 'story', 'points'" in err
    )


@pytest.mark.parametrize("method", ["easl", "random"])
def test_easl_begins_with_the_sums_of_the_imported_scores_and_goes_on_from_them(tmp_path, method):
    path, mine = tmp_path / "C.db", table(tmp_path)
    items = write(tmp_path / "items.csv", [{"id": str(k), "sent": f"story {k}"} for k in range(1, 8)])
    made = from_scores(path, mine, columns=NAMED, method=method, per_hit=3, items=items, seed=1)
    assert (made.about.per_hit, made.items, made.judgments) == (3, 7, 18)
    sums = np.array([sum(s for _, item, s in ROWS if item == str(k)) / 100 for k in range(1, 8)])
    n = np.array([3] * 6 + [0])
    with opened(path, write=False) as store:
        state = state_of(store, method)
    # The same few terms, summed in another order; observed 4e-16.
    assert np.allclose(state.a, 1 + sums, atol=1e-12) and np.allclose(state.b, 1 + n - sums, atol=1e-12)
    assert state.n.tolist() == n.tolist()
    batch = open_batch(path, tmp_path / "hits.csv")
    shown = [name for hit in batch.ids for name in hit]
    assert batch.per_hit == 3 and "7" in shown  # nobody has scored it, so that its variance is the greatest
    rows = list(csv.DictReader((tmp_path / "hits.csv").open(encoding="utf-8")))
    assert {row["sent1"] for row in rows} <= {f"story {k}" for k in range(1, 8)}
    said = answers(rows, worker="dan", per_hit=3)
    assert take_in(path, write(tmp_path / "r.csv", said)).new == len(rows)
    found = status(path)
    assert found.progress.scores == 18 + len(shown) and found.progress.annotators == 4
    new = [float(row[f"Answer.range{j}"]) / 100 for row in said for j in (1, 2, 3)]
    # The same terms, summed in another order; observed 3e-15 of 17.
    assert found.state.a.sum() == pytest.approx(7 + sums.sum() + sum(new), abs=1e-12)


def test_status_and_stop_count_the_imported_scores(tmp_path, capsys):
    path = tmp_path / "C.db"
    from_scores(path, table(tmp_path), columns=NAMED, method="easl")
    assert "18 judgments by 3 named annotators: 18 scores" in run(capsys, "easl", "status", path)[1]
    code, out, _ = run(capsys, "easl", "stop", path, "--rule", "items<=.2")
    assert code == 1 and "18 judgments count" in out and "no scores of items yet" not in out


@pytest.mark.parametrize("method", ["ra", "trueskill"])
def test_methods_that_need_the_order_of_scores_are_refused_for_a_table(tmp_path, method):
    with pytest.raises(
        InputError, match=f"method {method} updates items by the order of scores.*--method easl, da, random"
    ):
        from_scores(tmp_path / "C.db", table(tmp_path), columns=NAMED, method=method)


def test_a_batch_of_items_without_texts_is_refused_unless_they_are_shown_elsewhere(tmp_path, capsys):
    path, out = tmp_path / "C.db", tmp_path / "hits.csv"
    from_scores(path, table(tmp_path), columns=NAMED, method="easl", per_hit=3)
    code, _, err = run(capsys, "easl", "next", path, "--out", out)
    assert code == 3 and "items of this batch have no text (" in err and not out.exists()
    assert all(cure in err for cure in ("--items ITEMS.csv", "--col text=COLUMN", "--without-texts"))
    assert status(path).progress.batches == 1
    code, said, _ = run(capsys, "easl", "next", path, "--out", out, "--without-texts")
    assert code == 0 and "batch 2: 2 HITs of 3 items" in said


def test_texts_come_from_a_column_or_from_an_items_file(tmp_path):
    rows = [(*row, f"text of {row[1]}") for row in ROWS]
    from_scores(tmp_path / "C.db", table(tmp_path, "annotator,item,score,text", rows))
    items = write(tmp_path / "items.csv", [{"id": str(k), "what": f"text of {k}"} for k in range(1, 7)])
    from_scores(tmp_path / "D.db", table(tmp_path), columns={**NAMED, "text": "what"}, items=items)
    shown = []
    for name in ("C.db", "D.db"):
        batch = open_batch(tmp_path / name, tmp_path / "h.csv", seed=1)
        shown.append({item: cells[batch.columns.index("sent")] for hit in batch.hits for item, cells in hit})
    assert shown[0] == {str(k): f"text of {k}" for k in range(1, 7)} == shown[1]
    other = [(who, item, s, "another" if k else text) for k, (who, item, s, text) in enumerate(rows)]
    with pytest.raises(InputError, match=r"row 7: item '1' has a different text, segment or system"):
        from_scores(tmp_path / "E.db", table(tmp_path, "annotator,item,score,text", [rows[0], *other[1:]]))
    write(items, [{"id": "1", "sent": "one"}])
    with pytest.raises(InputError, match="no text for 5 of 6 items: '2'"):
        from_scores(tmp_path / "E.db", table(tmp_path), columns=NAMED, items=items)
    assert not (tmp_path / "E.db").exists()


def test_systems_are_compared_by_segment_however_the_outputs_are_named(tmp_path):
    rows = [(who, k, system, s) for who, k, s in ROWS for system in ("A", "B")]
    from_scores(tmp_path / "C.db", table(tmp_path, "annotator,item,system,score", rows))
    named = [(who, k, system, s, f"{system}-{k}") for who, k, system, s in rows]
    from_scores(tmp_path / "D.db", table(tmp_path, "annotator,segment,system,score,item", named))
    found = []
    for name in ("C.db", "D.db"):
        with opened(tmp_path / name, write=False) as store:
            found.append((items_of(store).ids[:2], items_of(store).source[:2], items_of(store).system[:2]))
    assert found == [(("1 A", "1 B"), ("1", "1"), ("A", "B")), (("A-1", "B-1"), ("1", "1"), ("A", "B"))]


def test_another_scale_is_stated_and_never_taken_for_0_to_100(tmp_path, capsys):
    mine = table(tmp_path, "annotator,item,score", [("ann", "a", 1), ("bob", "a", 5), ("bob", "b", 2)])
    code, _, err = run(capsys, "easl", "import", tmp_path / "C.db", mine)
    assert (
        code == 3
        and "scores from 1 to 5, which do not look like a scale from 0 to 100" in err
        and "--scale 1 5" in err
    )
    assert run(capsys, "easl", "import", tmp_path / "C.db", mine, "--scale", 1, 5, "--per-hit", 1)[0] == 0
    assert status(tmp_path / "C.db").state.score.tolist() == [0.5, 0.25]
    code, _, err = run(capsys, "easl", "import", tmp_path / "D.db", mine, "--scale", 1, 4)
    assert code == 3 and "column 'score': a rating of 5 is outside the scale 1 to 4" in err


def test_errors_name_the_columns_of_the_table(tmp_path):
    for row, said in ((("ann", "1", "z"), "column 'points': 'z'; expected a score from 0 to 100"),
                      (("", "1", 20), "column 'who': blank; expected a name"),
                      (("ann", "1", 120), "column 'points': 120 is outside 0 to 100")):  # fmt: skip
        with pytest.raises(InputError, match=rf"mine.csv, row 19 \(line 20\), {said}"):
            from_scores(tmp_path / "C.db", table(tmp_path, rows=[*ROWS, row]), columns=NAMED)
    with pytest.raises(InputError, match="columns='rater'; expected one of 'annotator', 'item', 'score'"):
        from_scores(tmp_path / "C.db", table(tmp_path), columns={"rater": "who"})
    twice = table(tmp_path, rows=[*ROWS, ROWS[0]])
    with pytest.raises(InputError, match="row 19: annotator 'ann' scores the same output in row 1"):
        from_scores(tmp_path / "C.db", twice, columns=NAMED)
    hits = table(tmp_path, "who,story,points,hit", [(*row, k) for k, row in enumerate([*ROWS, ROWS[0]])])
    assert from_scores(tmp_path / "C.db", hits, columns=NAMED).judgments == 19


def test_hits_that_were_larger_than_those_to_come_are_exported_whole(tmp_path):
    path = tmp_path / "C.db"
    rows = [(*row, "H1") for row in ROWS]
    assert from_scores(path, table(tmp_path, "who,story,points,hit", rows), columns=NAMED).about.per_hit == 6
    path.unlink()
    from_scores(path, table(tmp_path, "who,story,points,hit", rows), columns=NAMED, per_hit=2)
    export(path, tmp_path / "history.csv", "history")
    first = next(csv.DictReader((tmp_path / "history.csv").open(encoding="utf-8")))
    assert [first[f"Input.id{k}"] for k in range(1, 7)] == list("123456")
    assert open_batch(path, tmp_path / "h.csv", again=True, without_texts=True).per_hit == 6
    assert open_batch(path, tmp_path / "h.csv", without_texts=True).per_hit == 2


def test_the_best_items_come_first_in_an_export_that_asks_for_it(tmp_path, capsys):
    path, out = tmp_path / "C.db", tmp_path / "s.csv"
    from_scores(path, table(tmp_path), columns=NAMED)
    for more, ids in (((), "123456"), (("--best-first",), "654321")):
        for model in ("raw", "location"):
            assert run(capsys, "easl", "export", path, out, "--model", model, "--force", *more)[0] == 0
            assert [row["id"] for row in csv.DictReader(out.open(encoding="utf-8"))] == list(ids)
    code, _, err = run(capsys, "easl", "export", path, out, "--what", "history", "--best-first")
    assert code == 3 and "use it with --what scores" in err
    with pytest.raises(InputError, match="has its own order: use it with what='scores'"):
        export(path, out, "history", best_first=True)


def test_status_lists_fifty_items_and_all_of_them_where_they_are_asked_for(tmp_path, capsys):
    path = tmp_path / "C.db"
    rows = [(who, f"i{k}", k) for who in ("ann", "bob") for k in range(1, 61)]
    from_scores(path, table(tmp_path, "annotator,item,score", rows))
    out = run(capsys, "easl", "status", path)[1]
    assert "... 10 more (--all-items)" in out and "i60 " in out and "i30 " not in out
    out = run(capsys, "easl", "status", path, "--all-items")[1]
    assert "more (--all-items)" not in out and all(f"\ni{k} " in out for k in range(1, 61))
    assert "intervals are Student's t: from the item's own scores" in out
    assert json.loads(run(capsys, "easl", "status", path, "--json")[1])["intervals"]["kind"] == "t"


def test_options_of_other_files_are_refused(tmp_path, capsys):
    for option, value, of in (("--gamma", 1, "model files"), ("--model-is", "after", "model files")):
        code, _, err = run(capsys, "easl", "import", tmp_path / "C.db", table(tmp_path), *COLS, option, value)
        assert code == 3 and f"{option} is for {of}, but FILE is a table of scores" in err
