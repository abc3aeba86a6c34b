"""A campaign from its items to its scores: what is written, what is taken in, and that arrival does not
matter.
"""

from __future__ import annotations

import csv
import io
import json
import random

import numpy as np
import pytest

from pairproof.campaign import create, export, open_batch, status, take_in
from pairproof.errors import InputError
from pairproof.native.annotation.methods import METHODS
from tests.campaign.helpers import answers, batch_rows, campaign, items_file, run_batches, scores, write


def test_a_batch_is_a_row_a_hit_with_every_item_column_numbered_and_its_own_name(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    assert list(rows[0]) == [f"{c}{k}" for k in range(1, 6) for c in ("id", "sent")] + [
        "campaign",
        "batch",
        "hit",
    ]
    assert [(r["batch"], r["hit"]) for r in rows] == [("1", "1"), ("1", "2")]
    assert sorted(r[f"id{k}"] for r in rows for k in range(1, 6)) == sorted(map(str, range(1, 11)))
    assert {r["campaign"] for r in rows} == {status(path).about.id}


def test_json_lines_hold_the_same_keys(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    open_batch(path, tmp_path / "b.jsonl", again=True)
    assert [
        json.loads(line) for line in (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()
    ] == rows


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_from_the_first_hit_to_the_last_score(tmp_path, method):
    path = campaign(tmp_path, method=method)
    run_batches(path, 3)
    found = status(path)
    document = found.to_dict()
    assert list(document) == ["method", "batches", "judgments", "scores"]
    assert (document["method"], document["batches"], document["judgments"]) == (method, 3, 6)
    assert all(list(row) == ["id", "score", "alpha", "beta", "var", "n"] for row in document["scores"])
    assert [row["id"] for row in document["scores"]] == [str(k) for k in range(1, 11)]
    assert sum(row["n"] for row in document["scores"]) == 30
    values = [row["score"] for row in document["scores"]]
    assert values[9] > values[0] and values[8] > values[1]
    has_beta = method in ("easl", "ra", "random")
    assert all((row["alpha"] is not None) is has_beta for row in document["scores"])
    assert found.convergence.last == 3 and -1 <= found.convergence.stability <= 1


def test_direct_assessment_shows_one_item_at_a_time_and_easl_refuses_to(tmp_path):
    path = campaign(tmp_path, method="da", per_hit=1)
    rows = batch_rows(path)
    assert len(rows) == 10 and list(rows[0]) == ["id1", "sent1", "campaign", "batch", "hit"]
    with pytest.raises(InputError, match="expected 2 to 10 with method easl"):
        campaign(tmp_path, per_hit=1, name="E.db")


def test_easls_score_is_the_mean_of_the_scores_and_the_sums_are_alpha_and_beta(tmp_path):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path)) + answers(batch_rows(path), 1)
    take_in(path, write(tmp_path / "r.csv", rows))
    given: dict[str, list[float]] = {}
    for row in rows:
        for k in range(1, 6):
            given.setdefault(row[f"Input.id{k}"], []).append(int(row[f"Answer.range{k}"]) / 100)
    for row in scores(path):
        own = given.get(row["id"], [])
        assert row["n"] == len(own)
        assert row["alpha"] == pytest.approx(1 + sum(own), rel=1e-15) and row["beta"] == pytest.approx(
            1 + len(own) - sum(own), rel=1e-15
        )
        assert row["score"] == pytest.approx(np.mean(own), abs=2e-16 * 4)


@pytest.mark.parametrize("method", METHODS)
def test_results_in_pieces_late_twice_and_out_of_order_give_the_same_state_to_the_last_bit(tmp_path, method):
    path = campaign(tmp_path, method=method)
    every = [
        row
        for seed in range(3)
        for row in answers(batch_rows(path), seed) + answers(batch_rows_again(path), seed + 10, "bob")
    ]
    copies = []
    for shuffle in range(3):
        copy = tmp_path / f"copy{shuffle}.db"
        copy.write_bytes(path.read_bytes())
        rows = list(every)
        r = random.Random(shuffle)
        if shuffle:
            r.shuffle(rows)
            rows += rows[:4]
        step = len(rows) if not shuffle else 3
        for k in range(0, len(rows), step):
            take_in(copy, write(tmp_path / f"piece{k}.csv", rows[k : k + step]))
        copies.append(scores(copy))
    assert copies[0] == copies[1] == copies[2]
    assert sum(row["n"] for row in copies[0]) == 60


def batch_rows_again(path):
    out = path.parent / "again.csv"
    open_batch(path, out, again=True)
    return list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))


def test_what_makes_two_rows_the_same_judgment(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    one = answers(rows)
    assert take_in(path, write(tmp_path / "a.csv", one)).new == 2
    # The same AssignmentId in another file, and the same file again.
    assert vars(take_in(path, write(tmp_path / "b.csv", one[:1]))) == {
        "rows": 1,
        "new": 0,
        "known": 1,
        "scores": 0,
        "cannot_judge": 0,
        "left_out": 0,
        "nameless": 0,
        "taken_back": 0,
        "repeats": 0,
        "edited": 0,
        "notes": (),
    }
    assert take_in(path, tmp_path / "a.csv").known == 2
    # Without AssignmentId: the same worker on the same HIT; another worker is another judgment.
    eve, sue = (answers(rows, 3, worker, assignments=False) for worker in ("eve", "sue"))
    assert [take_in(path, write(tmp_path / "c.csv", r)).new for r in (eve, eve[1:], sue)] == [2, 0, 2]
    # Without either: the file's hash and row.
    nameless = answers(rows, 4, None, assignments=False)
    first = take_in(path, write(tmp_path / "d.csv", nameless))
    assert (first.new, first.nameless) == (2, 2) and take_in(path, tmp_path / "d.csv").new == 0
    assert take_in(path, write(tmp_path / "e.csv", nameless[:1])).new == 1
    assert status(path).judgments == 9


def test_cannot_judge_is_kept_and_counts_for_nothing(tmp_path):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path))
    rows[0]["Answer.na2"] = "on"
    rows[0]["Answer.range2"] = ""
    rows[1]["Answer.na3"] = "on"  # a slider that was never moved sends its place all the same
    taken = take_in(path, write(tmp_path / "r.csv", rows))
    assert (taken.scores, taken.cannot_judge) == (8, 2)
    n = {row["id"]: row["n"] for row in scores(path)}
    assert n[rows[0]["Input.id2"]] == n[rows[1]["Input.id3"]] == 0


def test_annotators_times_and_raw_scores_are_kept(tmp_path):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path))
    rows[0].update(
        {
            "Answer.range1": "33.30",
            "AcceptTime": "Mon Nov 20 10:00:00 PST 2017",
            "WorkTimeInSeconds": "31",
            "HITId": "H1",
        }
    )
    take_in(path, write(tmp_path / "r.csv", rows))
    export(path, tmp_path / "history.csv", "history")
    kept = list(csv.DictReader((tmp_path / "history.csv").open(encoding="utf-8")))
    assert {
        k: kept[0][k]
        for k in (
            "Answer.range1",
            "AcceptTime",
            "WorkTimeInSeconds",
            "HITId",
            "WorkerId",
            "Input.batch",
            "Input.hit",
        )
    } == {
        "Answer.range1": "33.30",
        "AcceptTime": "Mon Nov 20 10:00:00 PST 2017",
        "WorkTimeInSeconds": "31",
        "HITId": "H1",
        "WorkerId": "ann",
        "Input.batch": "1",
        "Input.hit": "1",
    }


def test_results_without_batch_and_hit_are_placed_by_their_items(tmp_path):
    path = campaign(tmp_path)
    rows = [
        {k: v for k, v in row.items() if k not in ("Input.campaign", "Input.batch", "Input.hit")}
        for row in answers(batch_rows(path))
    ]
    assert take_in(path, write(tmp_path / "r.csv", rows)).new == 2
    assert status(path).progress.answered == 2


def test_results_as_json_lines_are_the_same_results(tmp_path):
    path = campaign(tmp_path)
    rows = answers(batch_rows(path))
    (tmp_path / "r.jsonl").write_text(
        "".join(
            json.dumps({k: float(v) if "range" in k else v for k, v in row.items()}) + "\n" for row in rows
        ),
        encoding="utf-8",
    )
    assert (
        take_in(path, tmp_path / "r.jsonl").new == 2
        and take_in(path, write(tmp_path / "r.csv", rows)).known == 2
    )


def test_the_open_batch_is_written_anew_and_a_failed_write_opens_none(tmp_path):
    path = campaign(tmp_path)
    with pytest.raises(InputError, match="leave out --again"):
        open_batch(path, tmp_path / "x.csv", again=True)
    with pytest.raises(InputError, match="cannot be written"):
        open_batch(path, tmp_path / "no" / "x.csv")
    with pytest.raises(InputError, match="ends in '.xlsx'"):
        open_batch(path, tmp_path / "x.xlsx")
    assert status(path).batches == 0
    open_batch(path, tmp_path / "x.csv")
    open_batch(path, tmp_path / "y.csv", again=True)
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes() and status(
        path
    ).batches == 1
    with pytest.raises(InputError, match="leave out --hits"):
        open_batch(path, tmp_path / "y.csv", 3, again=True)


def test_two_batches_before_any_result_show_everybody_twice_with_direct_assessment(tmp_path):
    path = campaign(tmp_path, method="da", n=9, per_hit=3)
    shown = [row[f"id{k}"] for hits in (2, 4) for row in batch_rows(path, hits) for k in (1, 2, 3)]
    assert sorted(shown) == sorted([str(k) for k in range(1, 10)] * 2)
    assert open_batch(path, tmp_path / "z.csv").unanswered == 6


def test_keisks_first_batch_shows_every_item_once_and_later_ones_have_20_hits(tmp_path):
    path = campaign(tmp_path, 150, pool="keisks")
    rows = batch_rows(path)
    assert sorted(int(r[f"id{k}"]) for r in rows for k in range(1, 6)) == list(range(1, 151))
    take_in(path, write(tmp_path / "r.csv", answers(rows)))
    assert len(batch_rows(path)) == 20


def test_the_same_seed_gives_the_same_campaign(tmp_path):
    one, other = (campaign(tmp_path, name=f"{k}.db") for k in "ab")
    assert [[r[f"id{k}"] for k in range(1, 6)] for r in batch_rows(one)] == [
        [r[f"id{k}"] for k in range(1, 6)] for r in batch_rows(other)
    ]


def test_the_database_is_one_file_and_is_no_larger_than_it_needs(tmp_path):
    path = campaign(tmp_path, 2000)
    batch_rows(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["C.db", "batch.csv", "items.csv"]
    assert path.stat().st_size < 600_000  # observed 320 kB for 2,000 items and 400 HITs


def test_systems_are_scored_and_clustered_from_their_segments(tmp_path):
    items = tmp_path / "outputs.csv"
    rng = np.random.default_rng(0)
    rows = [[f"{s}{k}", "text", s] for s in "abc" for k in range(30)]
    with items.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([["id", "sent", "system"], *rows])
    path = tmp_path / "S.db"
    create(path, items, "easl", 5, seed=1)
    out = tmp_path / "b.csv"
    open_batch(path, out)
    judged = []
    quality = {"a": 80, "b": 79, "c": 30}
    for worker, shift in (("ann", 0), ("bob", -15)):
        for row in csv.DictReader(out.open(encoding="utf-8")):
            one = {f"Input.{k}": v for k, v in row.items()} | {
                "WorkerId": worker,
                "AssignmentId": f"{worker}{row['hit']}",
            }
            for k in range(1, 6):
                one[f"Answer.range{k}"] = str(
                    int(np.clip(quality[row[f"id{k}"][0]] + shift + rng.normal(0, 10), 0, 100))
                )
            judged.append(one)
    take_in(path, write(tmp_path / "r.csv", judged))
    found = status(path, systems="system", with_agreement=True, standardise="z-scores")
    assert found.systems.plain.systems[-1] == "c" and found.systems.plain.cluster.tolist() == [1, 1, 2]
    assert found.agreement.n_pairs == 1 and found.agreement.pairwise > 0.5 and found.names == ("ann", "bob")
    raw = status(path, with_agreement=True).agreement
    # Standardising takes the annotators' different levels away, which alpha on raw scores counts as
    # disagreement.
    assert raw.alpha < found.agreement.alpha and raw.pairwise == pytest.approx(found.agreement.pairwise)
    with pytest.raises(InputError, match="items have no column 'engine'; found 'sent', 'system'"):
        status(path, systems="engine")


@pytest.mark.nightly
def test_a_campaign_of_100000_items_opens_its_next_batch_in_seconds(tmp_path):
    import time

    path = tmp_path / "big.db"
    items = tmp_path / "big.csv"
    items.write_text("id,sent\n" + "".join(f"{k},s{k}\n" for k in range(100_000)), encoding="utf-8")
    create(path, items, seed=1)
    begin = time.perf_counter()
    assert len(open_batch(path, tmp_path / "b.csv").hits) == 20_000
    # The choice itself is measured in test_match_quality; here the file is read, kept and written. Observed:
    # 1.0 s.
    assert time.perf_counter() - begin < 15


def test_reading_a_campaign_never_writes_to_it(tmp_path):
    path = campaign(tmp_path)
    run_batches(path, 1)
    before = path.read_bytes()
    status(path, with_agreement=True)
    for what in ("scores", "model", "history", "comparisons"):
        export(path, tmp_path / f"{what}.csv", what)
    open_batch(path, tmp_path / "x.html", again=True)
    assert path.read_bytes() == before


def test_comparisons_of_a_campaign_are_a_table_that_pairproof_fits(tmp_path):
    import pairproof

    path = campaign(tmp_path)
    run_batches(path, 3)
    export(path, tmp_path / "pairs.csv", "comparisons")
    table = pairproof.read(tmp_path / "pairs.csv")
    assert table.n_comparisons == 60 and len(table.columns["judge"].levels) == 1
    fit = pairproof.fit_llbt(table)
    assert len(fit.items) == 10


@pytest.mark.parametrize("nobody", [None, float("nan")])
def test_a_comparison_of_nobody_is_exported_with_a_blank_judge_under_every_pandas(
    tmp_path, monkeypatch, nobody
):
    from pairproof.data.comparisons import Comparisons

    path = campaign(tmp_path)
    run_batches(path, 1)
    whole = Comparisons.to_frame

    def with_one_of_nobody(self):
        frame = whole(self)
        frame["judge"] = [nobody, *frame["judge"][1:]]
        return frame

    monkeypatch.setattr(Comparisons, "to_frame", with_one_of_nobody)
    export(path, tmp_path / "pairs.csv", "comparisons")
    header, first, second, *_ = (tmp_path / "pairs.csv").read_text("utf-8").splitlines()
    place = header.split(",").index("judge")
    assert first.split(",")[place] == "" and second.split(",")[place] not in ("", "nan", "None")
