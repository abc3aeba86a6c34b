"""`easl next`, `easl annotators` and `easl degrade` as a person runs them."""

from __future__ import annotations

import csv
import json

import pytest

from pairproof.campaign import create, open_batch
from pairproof.campaign.storage.design import Design
from pairproof.cli import main
from pairproof.errors import InputError
from tests.campaign.helpers import write
from tests.campaign.hits.people import (
    checked_campaign,
    given_to,
    hits_of,
    items_with_checks,
    returns,
    rows_of,
)


def run(capsys, *arguments):
    """Exit code, what was printed, and what went to standard error."""
    capsys.readouterr()
    code = main(["easl", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_from_items_to_pages_for_registered_annotators(tmp_path, capsys):
    items = tmp_path / "plain.csv"
    rows = [[f"i{k}", f"the text of item {k} has some words in it", f"s{k // 4}"] for k in range(20)]
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([["id", "sent", "source"], *rows])
    path, bad = tmp_path / "C.db", tmp_path / "bad.csv"
    code, said, _ = run(capsys, "degrade", items, "--out", bad, "--number", 8, "--seed", 2)
    assert code == 0 and said == f"{bad}: 20 items and 8 degraded ones (seed 2)\n"
    assert run(capsys, "init", path, bad, "--degraded", 0.2, "--judgments", 2)[0] == 0
    code, said, _ = run(capsys, "annotators", "add", path, "ann", "Bob Ó Sé")
    assert code == 0 and "2 annotators registered" in said and "Bob Ó Sé: invited; token " in said
    code, said, _ = run(capsys, "next", path, "--out", f"{tmp_path}/pages/", "--due", "2999-01-01", "--json")
    document = json.loads(said)
    assert code == 0 and document["hits"] == 5 and set(document["annotators"]) == {"ann", "Bob Ó Sé"}
    assert len(document["files"]) == 3 and document["notes"] == []
    code, said, _ = run(capsys, "next", path, "--out", f"{tmp_path}/pages/", "--again")
    assert code == 0 and said.startswith("batch 1 again: 5 HITs of 5 items in") and "5 HITs each" in said
    code, said, _ = run(capsys, "annotators", "list", path)
    assert code == 0 and said.count("HITs: 5 open, 0 returned, 0 expired; 0 judgments, 0 count") == 2


def test_exclude_and_restore_say_what_changed(tmp_path, capsys):
    path = checked_campaign(tmp_path, ("ann", "bob"), judgments=2)
    open_batch(path, tmp_path / "b.csv", 3)
    returns(path, "ann")
    code, said, _ = run(capsys, "annotators", "exclude", path, "ann", "--why", "rule 3")
    assert code == 0 and "ann excluded; 4 judgments no longer count" in said
    code, said, _ = run(capsys, "annotators", "restore", path, "ann")
    assert code == 0 and "ann is active again; 4 judgments count again" in said
    code, _, said = run(capsys, "annotators", "exclude", path, "ann")
    assert code == 3 and "an exclusion needs a reason (--why)" in said
    assert run(capsys, "annotators", "add", path)[0] == 3  # no name


@pytest.mark.parametrize("column", ["id", "role", "of", "source", "system", "gold"])
def test_a_column_that_unblinds_is_refused_with_exit_code_3(tmp_path, capsys, column):
    path = checked_campaign(tmp_path, ())
    code, _, said = run(capsys, "next", path, "--out", tmp_path / "b.html", "--show", column)
    assert code == 3 and f"--show {column}: annotators must not see this column" in said
    assert not (tmp_path / "b.html").exists()


def test_a_column_that_stands_for_a_hidden_one_is_refused_and_is_in_no_file(tmp_path, capsys):
    items = tmp_path / "items.csv"
    rows = [[f"i{k}", f"text {k}", f"engine-{k % 2}", f"note {k}"] for k in range(10)]
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([["id", "sent", "engine", "note"], *rows])
    path = tmp_path / "C.db"
    assert run(capsys, "init", path, items, "--systems", "engine")[0] == 0
    code, _, said = run(capsys, "next", path, "--out", tmp_path / "b.html", "--show", "engine")
    assert code == 3 and "--show engine: annotators must not see this column" in said
    assert run(capsys, "next", path, "--out", tmp_path / "b.html", "--show", "note")[0] == 0
    page = (tmp_path / "b.html").read_text(encoding="utf-8")
    assert "note 3" in page and "engine" not in page
    assert run(capsys, "next", path, "--out", tmp_path / "b.csv", "--again")[0] == 0
    assert "engine" not in (tmp_path / "b.csv").read_text(encoding="utf-8")


def test_a_batch_for_mechanical_turk_holds_the_text_alone_and_comes_with_its_layout(tmp_path, capsys):
    path = checked_campaign(tmp_path, ())
    layout = tmp_path / "layout.html"
    code, _, _ = run(capsys, "next", path, "--for", "mturk", "--out", tmp_path / "m.csv", "--layout", layout)
    header = (tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert (
        code == 0
        and header[:4] == ["id1", "sent1", "id2", "sent2"]
        and "${sent1}" in layout.read_text("utf-8")
    )
    assert run(capsys, "next", path, "--for", "label-studio", "--out", tmp_path / "t.json", "--again")[0] == 3
    for options, said in (
        (["--for", "mturk", "--out", "x.json"], "ends in '.json'; expected .csv"),
        (["--for", "mturk", "--out", f"{tmp_path}/"], "a folder of pages, but --for mturk writes one file"),
        (["--out", "x.csv", "--layout", "l.html"], "--layout l.html: for a batch of another tool"),
        (["--for", "mturk", "--out", "x.csv", "--layout", "l.xml"], "expected a name that ends in .html"),
    ):
        code, _, text = run(capsys, "next", path, *options)
        assert code == 3 and said in text


def test_a_hit_of_the_design_same_source_holds_the_outputs_of_one_source(tmp_path):
    path = tmp_path / "C.db"
    design = Design(arrange="same-source", repeats=0.1, degraded=0.1, gold=0.05)
    create(path, items_with_checks(tmp_path), "easl", 5, seed=3, design=design)
    batch = open_batch(path, tmp_path / "b.csv")
    source = dict(rows_of(path, "SELECT id, source FROM item"))
    seen, judged = set(), []
    for kind, ids, plan in hits_of(path).values():
        if kind == "work":
            assert len({source[name] for name in ids}) == 1
            seen.add(frozenset(plan) - {"attention"})
            assert set(plan) & {"gold", "attention"} or sorted(int(name[1:]) % 4 for name in ids) == [
                0,
                1,
                2,
                3,
            ]
            assert plan.count("degraded") <= 2  # of four outputs of a source
            judged += [name for name, what in zip(ids, plan) if what == "item"]
    assert {frozenset(["item"]), frozenset(["repeat"]), frozenset(["gold"])} <= seen
    assert any("degraded" in kinds and len(kinds) > 1 for kinds in seen)
    assert sorted(judged) == sorted(f"i{k}" for k in range(40))  # each once, whichever page comes first
    rows = list(csv.DictReader((tmp_path / "b.csv").open(encoding="utf-8")))
    assert {row["id5"] for row in rows if row["id1"][0] in "id"} == {""}
    assert len(batch.hits) == len(rows)


def test_a_source_with_more_items_than_a_hit_is_refused_when_the_campaign_is_made(tmp_path):
    with pytest.raises(InputError, match="source 's0' has 4 items, but a HIT has 3; use --per-hit 4"):
        create(
            tmp_path / "C.db", items_with_checks(tmp_path), "easl", 3, design=Design(arrange="same-source")
        )
    with pytest.raises(InputError, match="--qualify 'kappa>1'"):
        create(tmp_path / "C.db", items_with_checks(tmp_path), design=Design(qualify="kappa>1"))
    assert not (tmp_path / "C.db").exists()


def test_da_and_random_show_the_sources_that_were_shown_least(tmp_path):
    path = tmp_path / "C.db"
    create(path, items_with_checks(tmp_path), "random", 4, seed=3, design=Design(arrange="same-source"))
    seen: list[str] = []
    for k in range(5):
        open_batch(path, tmp_path / f"{k}.csv", 4)
        seen += [ids[0] for (b, _), (kind, ids, _) in hits_of(path).items() if b == k + 1 and kind == "work"]
    source = dict(rows_of(path, "SELECT id, source FROM item"))
    assert sorted(source[i] for i in seen) == sorted([f"s{k}" for k in range(10)] * 2)
    assert given_to(path) == {}


def test_where_a_hit_is_one_item_a_share_of_the_hits_is_for_checks(tmp_path):
    path = checked_campaign(tmp_path, (), method="da", per_hit=1, repeats=0.1, degraded=0.1, gold=0.1)
    open_batch(path, tmp_path / "b.csv", 60)
    plans = [plan for kind, _, plan in hits_of(path).values() if kind == "work"]
    kinds = [plan[0] for plan in plans if len(plan) == 1]
    assert len(kinds) == 60 and kinds.count("repeat") == kinds.count("degraded") == 6
    assert kinds.count("gold") + kinds.count("attention") == 6
    ids = [ids[0] for kind, ids, plan in hits_of(path).values() if kind == "work" and plan == ["item"]]
    assert len(ids) == 42 and set(ids) == {f"i{k}" for k in range(40)}


def test_a_crowd_worker_can_be_excluded_without_having_been_registered(tmp_path, capsys):
    path = checked_campaign(tmp_path, ())
    open_batch(path, tmp_path / "b.csv", 2)
    row = next(csv.DictReader((tmp_path / "b.csv").open(encoding="utf-8")))
    judged = {f"Input.{k}": v for k, v in row.items()} | {"WorkerId": "A1", "AssignmentId": "x"}
    judged |= {f"Answer.range{k}": "50" if row[f"id{k}"] else "" for k in range(1, 6)}
    write(tmp_path / "r.csv", [judged])
    assert run(capsys, "update", path, tmp_path / "r.csv")[0] == 0
    code, said, _ = run(capsys, "annotators", "list", path)
    assert code == 0 and "A1: active; not registered; 1 judgments, 1 count" in said
    code, said, _ = run(capsys, "annotators", "exclude", path, "A1", "--why", "rule 1", "--json")
    assert code == 0 and json.loads(said)["changed"] == 1
    assert open_batch(path, tmp_path / "b2.csv", 2).given == ()  # still a crowd


def test_names_of_annotators_decide_nothing(tmp_path):
    loads = []
    for k, people in enumerate((("ann", "bob", "cas"), ("zoe", "yan", "abe"))):
        (tmp_path / str(k)).mkdir()
        path = checked_campaign(tmp_path / str(k), people, judgments=2, repeats=0.1)
        open_batch(path, tmp_path / str(k) / "b.csv")
        given = given_to(path)
        loads.append([given[name] for name in people])
    assert loads[0] == loads[1]


def test_a_campaign_in_two_languages_has_pages_in_the_one_that_is_named(tmp_path, capsys):
    path = checked_campaign(tmp_path, ("ann", "bob"))
    for lang, question in (("en", "How good?"), ("de", "Wie gut?")):
        assert run(capsys, "texts", path, "--lang", lang, "--question", question)[0] == 0
    code, _, said = run(capsys, "next", path, "--out", f"{tmp_path}/pages/")
    assert code == 3 and "name one with --lang" in said
    assert run(capsys, "next", path, "--out", f"{tmp_path}/pages/", "--lang", "en")[0] == 0
    only = ("next", path, "--again", "--annotator", "bob", "--out", f"{tmp_path}/bob.html")
    assert run(capsys, *only, "--lang", "de")[0] == 0
    pages = [p.read_text(encoding="utf-8") for p in (tmp_path / "pages").glob("*.html")]
    assert len(pages) == 2 and all("How good?" in p and "Wie gut?" not in p for p in pages)
    mine = (tmp_path / "bob.html").read_text(encoding="utf-8")
    assert "Wie gut?" in mine and "How good?" not in mine
    code, _, said = run(capsys, "next", path, "--again", "--out", tmp_path / "b.csv", "--lang", "de")
    assert code == 3 and "contains items only" in said
