"""Answers of registered annotators bear the token of their page, and count under no other name."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from importlib import resources

import pytest

from pairproof.campaign import export, from_log, open as opened_campaign, open_batch, status, take_in
from pairproof.campaign.storage.records import new_token
from pairproof.cli import main
from pairproof.errors import InputError
from tests.campaign.helpers import answers, batch_rows, campaign, write
from tests.campaign.hits.people import checked_campaign, given_to, hits_of, rows_of


@pytest.fixture
def paged(tmp_path):
    """A campaign whose two annotators got a batch on pages, and what each of the pages saves."""
    path = checked_campaign(tmp_path, ("ann", "bob"), per_hit=5)
    open_batch(path, tmp_path / "pages", 8, for_annotators=True)
    token = dict(rows_of(path, "SELECT name, token FROM annotator"))
    return path, {name: saved(path, name, token[name]) for name in token}


def saved(path, name: str, token: str | None) -> list[dict[str, str]]:
    """The rows that the page of an annotator saves."""
    (campaign_id,) = {
        json.loads(v)["id"] for (v,) in rows_of(path, "SELECT value FROM setting WHERE name = 'about'")
    }
    hits, found = hits_of(path), []
    for batch, hit in given_to(path)[name]:
        if hits[batch, hit][0] != "work":
            continue
        row = {"AssignmentId": f"page-{name}-{hit}", "WorkerId": name, "Input.campaign": campaign_id}
        row |= {"Input.batch": str(batch), "Input.hit": str(hit), **({"Input.token": token} if token else {})}
        for k in range(1, len(hits[batch, hit][1]) + 1):
            row |= {f"Input.id{k}": f"h{hit}s{k}", f"Answer.range{k}": str(10 * k)}
        found.append(row)
    return found


def under(rows, name):
    return [{**row, "WorkerId": name} for row in rows]


def without(rows):
    return [{k: v for k, v in row.items() if k != "Input.token"} for row in rows]


def test_answers_with_the_token_of_their_annotator_are_added(paged, tmp_path):
    path, rows = paged
    for name, own in rows.items():
        assert take_in(path, write(tmp_path / f"r-{name}.csv", own)).new == len(own) > 0
    history = tmp_path / "history.csv"
    export(path, history, "history")
    assert take_in(path, history).new == 0  # it bears no tokens, and holds nothing new


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: under(rows["ann"], "bob"), "belongs to 'ann', but the answers carry the name 'bob'"),
        (lambda rows: under(rows["ann"], "zoe"), "belongs to 'ann', but the answers carry the name 'zoe'"),
        (lambda rows: under(rows["ann"], ""), "belongs to 'ann', but the answers carry the name ''"),
        (
            lambda rows: without(under(rows["ann"], "bob")),
            "blank, but 'bob' is registered and got batch 1 on a page",
        ),
        (lambda rows: without(under(rows["ann"], "Ann")), "blank, but 'Ann' is not registered, and HIT"),
        (lambda rows: without(under(rows["ann"], "")), "blank, but '' is not registered, and HIT"),
        (
            lambda rows: [{**row, "Input.token": "ffff0000"} for row in rows["ann"]],
            "'ffff0000' belongs to nobody in this campaign, but the answers carry the name 'ann'",
        ),
    ],
)
def test_answers_under_another_annotators_name_are_refused_with_row_and_reason(paged, tmp_path, change, said):
    path, rows = paged
    file = write(tmp_path / "r.csv", [*rows["bob"], *change(rows)])
    with pytest.raises(InputError) as error:
        take_in(path, file)
    k = len(rows["bob"]) + 1
    assert f"r.csv, row {k} (line {k + 1}), column 'Input.token': " in str(error.value) and said in str(
        error.value
    )
    assert status(path).judgments == 0
    with pytest.raises(InputError, match="column 'Input.token'"):
        opened_campaign(path).update(change(rows))


def test_a_platform_that_vouches_for_names_can_be_taken_at_its_word(paged, tmp_path, capsys):
    path, rows = paged
    file = write(tmp_path / "r.csv", without(rows["ann"]))
    assert main(["easl", "update", str(path), str(file)]) == 3
    assert "use --without-token count" in capsys.readouterr().err
    assert main(["easl", "update", str(path), str(file), "--without-token", "count"]) == 0
    assert status(path).judgments == len(rows["ann"])
    assert opened_campaign(path).update(without(rows["bob"]), without_token="count").new == len(rows["bob"])


def test_crowd_workers_and_tables_of_hits_have_no_tokens(tmp_path):
    crowd = campaign(tmp_path)
    assert take_in(crowd, write(tmp_path / "c.csv", answers(batch_rows(crowd), 1))).new == 2
    team = checked_campaign(tmp_path, ("ann", "bob"), "T.db")
    open_batch(team, tmp_path / "hits.csv", 4)  # for a platform, which knows who is who
    assert take_in(team, write(tmp_path / "t.csv", saved(team, "ann", None))).new > 0


def test_pages_that_were_handed_out_before_there_were_tokens_in_results_go_on(paged, tmp_path):
    path, rows = paged
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute("DELETE FROM setting WHERE name = 'tokens of batch 1'").rowcount == 1
    assert take_in(path, write(tmp_path / "old.csv", without(rows["ann"]))).new == len(rows["ann"])
    with pytest.raises(InputError, match="belongs to 'bob'"):
        take_in(path, write(tmp_path / "new.csv", under(rows["bob"], "ann")))


def test_which_batches_have_tokens_is_in_the_log(paged, tmp_path):
    path, rows = paged
    export(path, tmp_path / "log.jsonl", "log")
    assert '"tokens":true' in (tmp_path / "log.jsonl").read_text()
    from_log(tmp_path / "again.db", tmp_path / "log.jsonl")
    with pytest.raises(InputError, match="blank, but 'ann' is registered"):
        take_in(tmp_path / "again.db", write(tmp_path / "r.csv", without(rows["ann"])))


def test_a_token_is_no_number_for_a_spreadsheet():
    assert all(re.fullmatch("[a-df][0-9a-f]{7}", new_token()) for _ in range(200))


@pytest.mark.skipif(
    shutil.which("node") is None, reason="node, which runs the page's script, is not installed"
)
@pytest.mark.parametrize("token", ["ab12cd34", ""])
def test_the_page_writes_its_token_into_its_results(tmp_path, token):
    page = resources.files("pairproof.campaign.page").joinpath("page_files", "results.js").read_text()
    record = {"begun": "", "done": "", "spent": 4000, "scores": [70, None], "cannot": [False, True]}
    data = {
        "perHit": 3,
        "token": token,
        "campaign": "c",
        "batch": 2,
        "hits": [{"number": 4, "ids": ["h4s1", "h4s2"]}],
    }
    script = tmp_path / "page.js"
    script.write_text(
        f"const data = {json.dumps(data)}, annotator = '=ann', record = {json.dumps(record)};\n"
        "const isComplete = () => true, isBegun = () => true, recordOf = () => record, assignments = () => 'page-1';\n"
        f"{page}\nprocess.stdout.write(results(false));\n"
    )
    said = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True).stdout
    (row,) = csv.DictReader(said.splitlines())
    assert row.get("Input.token", "") == token and ("Input.token" in row) == bool(token)
    assert (row["WorkerId"], row["Input.hit"], row["Input.id1"], row["Input.id3"]) == (
        "'=ann",
        "4",
        "h4s1",
        "",
    )
    assert (row["Answer.range1"], row["Answer.na2"], row["guarded"]) == ("70", "on", "1")
