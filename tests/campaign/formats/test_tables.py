"""Tables of Appraise and WMT become campaigns in which every line is a score of the right kind."""

from __future__ import annotations

import json
import math

import pytest

from pairproof.campaign import create, status
from pairproof.campaign.formats.score_tables import from_scores
from pairproof.campaign.rebuilding import from_log
from pairproof.campaign.storage.design import KINDS
from pairproof.campaign.storage.records import items_of
from pairproof.campaign.storage.store import opened
from pairproof.campaign.watch.scores import answers_of
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import log_of, save

#: Two annotators in Appraise: outputs, a degraded one, a repeat, a reference, an output of two systems.
APPRAISE = """\
u1,A,1,TGT,deu,eng,80,1600000000.5,1600000010.5
u1,B,1,TGT,deu,eng,60,1600000011,1600000020
u1,A,1,BAD,deu,eng,30,1600000021,1600000030
u1,A,1,CHK,deu,eng,78,1600000031,1600000040
u1,ref,1,REF,deu,eng,100,1600000041,1600000050
u2,A+B,2,TGT,deu,eng,50,1600000041,1600000050
u2,A,1,TGT,deu,eng,70,1600000051,1600000060
"""
HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
WMT = "\n".join(
    [
        HEADER,
        'H1\tw1\tcs\ten\tad\t1\t"A"\tNA\tSYSTEM\ts1\t80\t10.5',
        'H1\tw1\tcs\ten\tad\t1\t"B"\tNA\tSYSTEM\ts1\t60\t10',
        'H1\tw1\tcs\ten\tad\t1\t"A"\tNA\tREPEAT\ts1\t81\t10',
        'H1\tw1\tcs\ten\tad\t1\t"A"\tNA\tBAD_REF\ts1\t12\t10',
        'H1\tw2\tcs\ten\tad\t1\t"A"\tNA\tSYSTEM\ts1\t70\t0',
        'H2\tw2\tcs\ten\tad\t1\t"A+B"\tNA\tSYSTEM\ts2\t50\t12',
        "NA\tw2\tcs\ten\tad\tNA\tref\tNA\tREF\ts1\t99\t12",
    ]
)


def made(tmp_path, text, name="scores.csv", **options):
    file = tmp_path / name
    file.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    return from_scores(tmp_path / "C.db", file, **options)


def table_of(path):
    """(annotator, item, kind, score, counted) of every score."""
    with opened(path, write=False) as store:
        every, ids = answers_of(store), items_of(store).ids
    columns = (every.annotator, every.item, every.kind, every.value, every.counted)
    return sorted(
        (every.names[a], ids[i], KINDS[k], round(100 * v), bool(c)) for a, i, k, v, c in zip(*columns)
    )


def test_every_line_of_appraise_is_a_score_of_its_kind(tmp_path):
    found = made(tmp_path, APPRAISE, seed=1)
    assert (found.items, found.annotators, found.judgments, found.documents) == (6, 2, 7, 0)
    assert table_of(tmp_path / "C.db") == [
        ("u1", "1 A", "item", 80, True),
        ("u1", "1 A", "repeat", 78, True),
        ("u1", "1 A (degraded)", "degraded", 30, True),
        ("u1", "1 B", "item", 60, True),
        ("u1", "1 ref (reference)", "gold", 100, True),
        ("u2", "1 A", "item", 70, True),
        ("u2", "2 A", "item", 50, True),
        ("u2", "2 B", "item", 50, True),
    ]
    # Repeats, degraded outputs and references change no score.
    known = {r["id"]: r["score"] for r in status(tmp_path / "C.db").to_dict()["scores"] if r["n"]}
    assert known == pytest.approx({"1 A": 0.75, "1 B": 0.6, "2 A": 0.5, "2 B": 0.5})
    with opened(tmp_path / "C.db", write=False) as store:
        items, every = items_of(store), answers_of(store)
    assert items.system[:2] == ("A", "B") and items.source[:2] == ("1", "1")
    assert items.of.tolist() == [-1, -1, 0, -1, -1, -1] and items.gold[3] == 1.0
    assert sorted(every.seconds.tolist())[-1] == 10.0 and every.submitted[0] == 1600000010.5


def test_an_output_that_an_annotator_saw_twice_without_a_plan_counts_once(tmp_path):
    twice = APPRAISE + "u1,B,1,TGT,deu,eng,10,1600009000,1600009010\n"
    made(tmp_path, twice)
    b = [row[3:] for row in table_of(tmp_path / "C.db") if row[1] == "1 B"]
    assert b == [(10, False), (60, True)]


def test_scores_of_documents_are_left_out_and_counted(tmp_path):
    lines = [line.split(",") for line in APPRAISE.splitlines()]
    text = "".join(",".join([*c[:7], "doc 1", "False", *c[7:]]) + "\n" for c in lines)
    text += "u1,A,5,TGT,deu,eng,90,doc 1,True,1600000100,1600000110\n"
    found = made(tmp_path, text)
    assert (found.judgments, found.documents) == (7, 1)
    assert table_of(tmp_path / "C.db")[0][1] == "doc 1/1 A"


def test_a_hit_of_wmt_is_one_judgment_with_a_slot_for_each_line(tmp_path):
    found = made(tmp_path, WMT)
    assert (found.judgments, found.annotators, found.about.per_hit) == (4, 2, 4)
    assert table_of(tmp_path / "C.db") == [
        ("w1", "s1 A", "item", 80, True),
        ("w1", "s1 A", "repeat", 81, True),
        ("w1", "s1 A (degraded)", "degraded", 12, True),
        ("w1", "s1 B", "item", 60, True),
        ("w2", "s1 A", "item", 70, True),
        ("w2", "s1 ref (reference)", "gold", 99, True),
        ("w2", "s2 A", "item", 50, True),
        ("w2", "s2 B", "item", 50, True),
    ]
    with opened(tmp_path / "C.db", write=False) as store:
        every = answers_of(store)
    # A time of 0 is that of a tool that took none.
    assert sorted(set(every.seconds[~(every.seconds != every.seconds)].tolist())) == [12.0, 40.5]
    assert math.isnan(every.seconds[every.value == 0.7][0])


def test_tabs_throughout_are_read_as_well(tmp_path):
    made(tmp_path, WMT.replace(HEADER, HEADER.replace(" ", "\t")), name="tabs.csv")
    assert len(table_of(tmp_path / "C.db")) == 8


@pytest.mark.parametrize("text", [APPRAISE, WMT])
def test_a_campaign_of_a_table_survives_its_log(tmp_path, text):
    made(tmp_path, text)
    log = log_of(tmp_path / "C.db")
    (tmp_path / "l.jsonl").write_text(log, encoding="utf-8")
    from_log(tmp_path / "D.db", tmp_path / "l.jsonl")
    assert log_of(tmp_path / "D.db") == log and table_of(tmp_path / "D.db") == table_of(tmp_path / "C.db")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (WMT.replace("\t80\t", "\t-1.227\t"), "line 2.*standardised scores \\(z\\) cannot be imported"),
        (WMT.replace("SYSTEM\ts2", "OTHER\ts2"), "line 7, column 'type': 'OTHER'"),
        (WMT.replace("\t", "  ", 3), "line 2: 9 tab-separated fields, but the header has 12"),
        (WMT.replace(" rid ", " sid "), "a column appears twice"),
        (WMT.replace(" sid ", " segment "), "no column 'sid'"),
        (WMT + "\n" + WMT.splitlines()[1], "line 9: annotator 'w1' scores the same output in line 2"),
        (WMT.replace("\t10.5", "\tsoon"), "'soon'; expected seconds"),
        (APPRAISE.replace(",80,", ",101,"), "line 1, field 7: 101 is outside 0 to 100"),
        (APPRAISE.replace(",80,", ",nan,"), "'nan'; expected a score"),
        (APPRAISE.replace(",60,", ",1_0,"), "'1_0'; expected a score"),
        (APPRAISE + "u1,A,1,TGT\n", "line 8: 4 fields; expected 9"),
        (APPRAISE.replace(",BAD,", ",BAD2,"), "line 3, field 4: type 'BAD2'"),
        (APPRAISE + APPRAISE.splitlines()[0], "line 8: annotator 'u1' scores the same output in line 1"),
        (APPRAISE.replace("A+B", "A+A"), "'A\\+A'; expected a system, or different systems"),
        (APPRAISE.replace("1600000010.5", "1500000010"), "ends at 1.5e\\+09, before it begins"),
        (APPRAISE.replace("deu,eng,70", "ces,eng,70"), "2 language pairs: ces-eng, deu-eng;.*--pair ces-eng"),
    ],
)
def test_a_table_that_is_wrong_is_refused_and_makes_no_campaign(tmp_path, text, found):
    with pytest.raises(InputError, match=found):
        made(tmp_path, text)
    assert not (tmp_path / "C.db").exists()


def test_one_language_pair_is_chosen(tmp_path):
    text = APPRAISE.replace("deu,eng,70", "ces,eng,70")
    assert made(tmp_path, text, pair="ces-eng").judgments == 1
    with pytest.raises(InputError, match="no scores of the language pair 'x-y'"):
        from_scores(tmp_path / "D.db", tmp_path / "scores.csv", pair="x-y")


def entry(number, kind, system, text, **more):
    texts = {"sourceID": "src", "sourceText": "Quelle", "targetID": system, "targetText": text}
    return {"_block": 0, "_item": number, "itemID": number, "itemType": kind, **texts, **more}


def test_a_batch_of_appraise_is_an_items_file(tmp_path):
    items = [
        entry(1, "TGT", "A", "eins"),
        entry(1, "BAD", "A", "ein"),
        entry(1, "CHK", "A", "eins"),
        entry(2, "TGT", "A+B", "zwei"),
        entry(2, "REF", "ref", "Zwei"),
    ]
    file = save(tmp_path / "batch.json", [{"items": items, "task": {"batchNo": 1}}])
    create(tmp_path / "C.db", file, per_hit=2, seed=1)
    with opened(tmp_path / "C.db", write=False) as store:
        found = items_of(store)
    assert found.ids == ("1 A", "1 A (degraded)", "2 A", "2 B", "2 ref (reference)")
    assert found.role == ("item", "degraded", "item", "item", "gold") and found.of.tolist()[1] == 0
    assert found.system == ("A", "A", "A", "B", "ref") and found.source == ("1", "1", "2", "2", "2")
    items.append(entry(1, "TGT", "A", "anders"))
    save(file, [{"items": items, "task": {}}])
    with pytest.raises(InputError, match="item 6: item '1 A' is also in the batch with another text"):
        create(tmp_path / "D.db", file, per_hit=2)
    save(file, {"id": 1})
    with pytest.raises(InputError, match="is of an unknown kind; expected a CSV file of items"):
        create(tmp_path / "D.db", file, per_hit=2)
    assert json.loads(file.read_text()) == {"id": 1}
