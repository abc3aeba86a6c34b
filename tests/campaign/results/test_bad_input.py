"""Every bad input is an error with file, row and column, and changes nothing."""

from __future__ import annotations

import sqlite3

import pytest

from pairproof.campaign import create, export, open_batch, status, take_in, take_over
from pairproof.errors import InputError
from tests.campaign.helpers import answers, batch_rows, campaign, run_batches, write


@pytest.fixture
def open_campaign(tmp_path):
    path = campaign(tmp_path)
    return path, answers(batch_rows(path))


def spoiled(rows, column, value, row=1):
    found = [dict(r) for r in rows]
    if value is None:
        for r in found:
            del r[column]
    else:
        found[row][column] = value
    return found


@pytest.mark.parametrize(("column", "value", "said"), [
    ("Answer.range2", "101", r"row 2 \(line 3\), column 'Answer.range2': 101 is outside 0 to 100"),
    ("Answer.range2", "-1", "-1 is outside 0 to 100"), ("Answer.range2", "nan", "'nan' is not a number"),
    ("Answer.range2", "inf", "'inf' is not a number"), ("Answer.range2", "12,5", "'12,5' is not a number"),
    ("Answer.range2", "", r"column 'Answer.range2': blank; expected a score from 0 to 100, or 'on' in Answer.na2"),
    ("Answer.range2", "1e400", "outside 0 to 100"),
    ("Input.id3", "77", "column 'Input.id3': no item '77' in this campaign"), ("Input.id3", "", "column 'Input.id3': blank"),
    ("Input.campaign", "0123456789ab", "column 'Input.campaign': '0123456789ab', but this campaign is .* results of another campaign"),
    ("Input.hit", "9", "batch 1 has no HIT 9"), ("Input.hit", "9" * 5000, "column 'Input.hit': '9{10,}'... .5,000 characters.; expected a whole number"), ("Input.batch", "one", "column 'Input.batch': 'one'; expected a whole number"),
    ("Input.hit", "1", "has different items or a different order"), ("Answer.na1", "perhaps", "column 'Answer.na1': 'perhaps'; expected 'on'"),
    ("Answer.range5", None, "no column 'Answer.range5' .this campaign has 5 items per HIT."),
    ("Input.id1", None, "no column 'Input.id1'"), ("AssignmentStatus", "Rejected", "choose --rejected count or --rejected leave-out"),
])  # fmt: skip
def test_a_fault_in_one_row_names_it_and_nothing_of_the_file_is_taken(
    open_campaign, tmp_path, column, value, said
):
    path, rows = open_campaign
    before = path.read_bytes()
    with pytest.raises(InputError, match=said) as error:
        take_in(path, write(tmp_path / "results.csv", spoiled(rows, column, value)))
    assert "results.csv" in str(error.value)
    assert path.read_bytes() == before


def test_an_item_twice_in_a_hit(open_campaign, tmp_path):
    path, rows = open_campaign
    with pytest.raises(InputError, match="row 1 .*column 'Input.id4': item '.*' appears twice in this HIT"):
        take_in(path, write(tmp_path / "r.csv", spoiled(rows, "Input.id4", rows[0]["Input.id2"], 0)))


def test_results_of_hits_of_another_size(open_campaign, tmp_path):
    path, rows = open_campaign
    with pytest.raises(InputError, match="column 'Answer.range6', but this campaign has 5 items per HIT"):
        take_in(path, write(tmp_path / "r.csv", [{**r, "Answer.range6": "3"} for r in rows]))


def test_the_same_judgment_with_another_answer(open_campaign, tmp_path):
    path, rows = open_campaign
    take_in(path, write(tmp_path / "r.csv", rows))
    with pytest.raises(
        InputError,
        match=r"row 2 \(line 3\), column 'Answer.range2': the same judgment .AssignmentId .*different answer",
    ):
        take_in(path, write(tmp_path / "s.csv", spoiled(rows, "Answer.range2", "1")))


def test_rejected_assignments_are_counted_or_left_out_as_said(open_campaign, tmp_path):
    path, rows = open_campaign
    file = write(tmp_path / "r.csv", spoiled(rows, "AssignmentStatus", "Rejected"))
    left = take_in(path, file, rejected="leave-out")
    assert (left.new, left.left_out) == (1, 1)
    counted = take_in(path, file, rejected="count")
    assert (counted.new, counted.known, counted.left_out) == (1, 1, 0)


def test_results_that_are_not_of_any_hit_of_this_campaign(open_campaign, tmp_path):
    path, rows = open_campaign
    bare = [
        {k: v for k, v in r.items() if k not in ("Input.campaign", "Input.batch", "Input.hit")} for r in rows
    ]
    bare[0]["Input.id1"], bare[0]["Input.id2"] = bare[0]["Input.id2"], bare[0]["Input.id1"]
    with pytest.raises(InputError, match="row 1 .*no HIT of this campaign has these items in this order"):
        take_in(path, write(tmp_path / "r.csv", bare))


def test_a_results_file_in_another_encoding(open_campaign, tmp_path):
    path, rows = open_campaign
    file = tmp_path / "latin.csv"
    file.write_bytes(
        write(tmp_path / "r.csv", [{**r, "WorkerId": "Zoë"} for r in rows])
        .read_text(encoding="utf-8")
        .encode("latin-1")
    )
    with pytest.raises(InputError, match="latin.csv, line 2: byte 0xeb .* is not utf-8"):
        take_in(path, file)
    assert take_in(path, file, encoding="latin-1").new == 2


@pytest.mark.parametrize(("text", "said"), [
    ("", "the file is empty"), ("Input.id1,Answer.range1\n1,2", "no column 'Input.id2'"), ("a\n\"b", "quote"),
])  # fmt: skip
def test_files_that_are_no_results(open_campaign, tmp_path, text, said):
    path, _ = open_campaign
    file = tmp_path / "x.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        take_in(path, file)
    with pytest.raises(InputError, match="no such file"):
        take_in(path, tmp_path / "none.csv")
    with pytest.raises(InputError, match="read from a file"):
        take_in(path, "-")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{\n", "line 1: not JSON"),
        ('{"Input.id1": [1]}\n', "line 1: expected an object of texts and numbers"),
        ("\n", "no rows"),
    ],
)
def test_json_lines_that_are_none(open_campaign, tmp_path, text, said):
    file = tmp_path / "x.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        take_in(open_campaign[0], file)


@pytest.mark.parametrize(("text", "said"), [
    ("sent\na\n", "no column 'id'"), ("id,sent\n1,a\n1,b\n", r"row 2 \(line 3\), column 'id': '1' is also the id of row 1"),
    ("id,sent\n1,a\n ,b\n", r"row 2 \(line 3\), column 'id': blank"), ("id,hit\n1,a\n2,b\n", "column 'hit': batch files use this column name"),
    ("id,sent\n1,a\n2,b\n", "2 item.s., but 5 per HIT"), ("id,alpha,beta\n1,1,1\n2,1,1\n", "is a model file; use 'pairproof easl import'"),
    ("id,x,x1,x11\n" + "".join(f"{k},a,b,c\n" for k in range(12)), "gives two columns the name 'x11'"),
    ("id,sent\n1\n", "line 2: 1 field"),
])  # fmt: skip
def test_items_files_that_cannot_be(tmp_path, text, said):
    file = tmp_path / "items.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        create(tmp_path / "C.db", file, per_hit=12 if "x11" in text else 5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["items.csv"]


def test_a_campaign_is_made_once_and_never_over_another_file(tmp_path):
    path = campaign(tmp_path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="already exists"):
        campaign(tmp_path)
    assert path.read_bytes() == before
    with pytest.raises(InputError, match="there is no directory"):
        create(tmp_path / "no" / "C.db", tmp_path / "items.csv")


def test_what_is_no_campaign(tmp_path):
    with pytest.raises(InputError, match="no such file; expected a campaign"):
        status(tmp_path / "none.db")
    text = tmp_path / "text.db"
    text.write_text("id,sent\n" * 500, encoding="utf-8")
    with pytest.raises(InputError, match="not a campaign, or a damaged one"):
        status(text)
    other = tmp_path / "other.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE t (x)")
    db.commit()
    db.close()
    with pytest.raises(InputError, match="an SQLite database, but not a campaign of pairproof"):
        status(other)


def test_a_newer_database_is_refused_by_every_command(tmp_path):
    path = campaign(tmp_path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 3")
    db.close()
    before = path.read_bytes()
    for ask in (
        lambda: status(path),
        lambda: open_batch(path, tmp_path / "b.csv"),
        lambda: take_in(path, tmp_path / "r.csv"),
        lambda: export(path, tmp_path / "s.csv"),
    ):
        with pytest.raises(
            InputError, match="written by a newer pairproof .schema 3; this version supports 2."
        ):
            ask()
    assert path.read_bytes() == before


def test_a_damaged_database_is_refused_wherever_the_damage_is(tmp_path):
    path = campaign(tmp_path, 300)
    run_batches(path, 1)
    whole = path.read_bytes()
    refused = 0
    for page in range(1, len(whole) // 4096):
        spoilt = tmp_path / "spoilt.db"
        spoilt.write_bytes(whole[: page * 4096] + b"\xff" * 4096 + whole[(page + 1) * 4096 :])
        try:
            status(spoilt)
        except InputError as error:
            refused += "restore a copy" in str(error)
    # A page of nothing but 0xff is not a page of a table; the few that are free pages of the file hold
    # nothing.
    assert refused >= len(whole) // 4096 - 2
    short = tmp_path / "short.db"
    short.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged"):
        status(short)


def test_two_updates_at_once(open_campaign, tmp_path, monkeypatch):
    from pairproof.campaign.storage import store

    path, rows = open_campaign
    monkeypatch.setattr(store, "PATIENCE", 0.1)
    file = write(tmp_path / "r.csv", rows)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(
        InputError, match="another command is writing to this campaign .* nothing was changed"
    ):
        take_in(path, file)
    holder.execute("ROLLBACK")
    holder.close()
    assert take_in(path, file).new == 2


def test_more_hits_than_a_batch_can_have(tmp_path):
    path = campaign(tmp_path)
    run_batches(path, 1)
    with pytest.raises(InputError, match="ask for 6 HITs at most"):
        open_batch(path, tmp_path / "b.csv", 8)
    assert status(path).batches == 1


def test_asking_for_what_is_not_there(tmp_path):
    path = campaign(tmp_path)
    for what, said in (("history", "no history to write"), ("comparisons", "nothing is compared")):
        with pytest.raises(InputError, match=said):
            export(path, tmp_path / "x.csv", what)
    assert not (tmp_path / "x.csv").exists()
    with pytest.raises(InputError, match="this campaign has no judgments yet"):
        status(path, with_agreement=True)
    with pytest.raises(InputError, match="what='xml'"):
        export(path, tmp_path / "x.csv", "xml")
    da = campaign(tmp_path, method="da", name="da.db")
    with pytest.raises(InputError, match="direct assessment has no model file"):
        export(da, tmp_path / "x.csv", "model")


@pytest.mark.parametrize(("text", "options", "said"), [
    ("id,sent\n1,a\n2,b\n", {}, "a model file has alpha and beta, or mu and sigma"),
    ("id,alpha,beta\n1,1,1\n2,0.5,1\n", {}, r"row 2 \(line 3\), column 'alpha': alpha 0.5 and beta 1; expected both to be at least 1"),
    ("id,alpha,beta\n1,1,1\n2,one,1\n", {}, r"row 2 \(line 3\), column 'alpha': 'one'; expected a finite number"),
    ("id,mu,sigma\n1,1,1\n2,0.5,0\n", {}, "column 'sigma': mu 0.5 and sigma 0; expected a number above 0"),
    ("id,mu,sigma\n1,1,1\n2,1,1\n", {"method": "ra"}, "a model file has alpha and beta"),
    ("id,alpha,beta\n1,1,1\n2,1,1\n", {"method": "da"}, "direct assessment has no model file"),
    ("id,alpha,beta\n1,1,1\n2,1,1\n", {"method": "trueskill"}, "a model file has mu and sigma"),
])  # fmt: skip
def test_model_files_that_cannot_be(tmp_path, text, options, said):
    file = tmp_path / "model.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        take_over(tmp_path / "C.db", file, per_hit=2, **options)
    assert not (tmp_path / "C.db").exists()


def test_results_that_do_not_lead_to_the_model(tmp_path):
    path = campaign(tmp_path)
    run_batches(path, 2)
    export(path, tmp_path / "model.csv", "model")
    with pytest.raises(
        InputError, match="in the model, but the 2 results from the start give .* --model-is before"
    ):
        take_over(tmp_path / "new.db", tmp_path / "model.csv", [tmp_path / "r0.csv"])
    assert not (tmp_path / "new.db").exists()
