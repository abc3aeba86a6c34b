"""Files of annotation are told apart, and a command that wants another one says what to do."""

from __future__ import annotations

import pytest

from pairproof.campaign import take_in, take_over
from pairproof.campaign.formats.campaign_files import kind_of_file
from pairproof.errors import InputError
from tests.campaign.helpers import campaign

FILES = {
    "model": ("m.csv", "id,sent,alpha,beta,mu,sigma\n1,a,1,1,.5,.0833\n"),
    "log": ("l.jsonl", '{"kind":"campaign","schema":2}\n'),
    "appraise-scores": ("s.csv", "u,sys,1,TGT,deu,eng,80,1.5,2.5\n"),
    "wmt-scores": (
        "w.csv",
        "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\nH\tw\n",
    ),
    "appraise-batch": ("b.json", '[{"items": [{"itemID": 1}], "task": {}}]'),
    "prolific": ("p.csv", "Submission id,Participant id,Status,Started at\n1,2,APPROVED,x\n"),
    "mqm": ("q.tsv", "system\tdoc\tdocSegId\trater\tcategory\tseverity\nA\td\t1\tr\tAccuracy\tMajor\n"),
    "batch": ("hits.csv", "id1,sent1,campaign,batch,hit\n1,a,c,1,1\n"),
}
TASKS = '[{"data": {"campaign": "c", "batch": 1, "hit": 1, "id1": "h1s1", "sent1": "a"}}]'


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_results_file_is_named(tmp_path, kind):
    name, text = FILES[kind]
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    found = kind_of_file(file.read_bytes(), name)
    assert found is not None and found.name == kind
    with pytest.raises(InputError, match=f"{name}: is {found.what[:20]}.*, not a results file; "):
        take_in(campaign(tmp_path), file)


def test_tasks_that_nobody_answered_are_a_batch_and_no_model_file_is_said_to_be_one(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(TASKS, encoding="utf-8")
    with pytest.raises(InputError, match="is a batch of HITs without answers, not a results file"):
        take_in(campaign(tmp_path), file)
    with pytest.raises(InputError, match="is a batch of HITs without answers, not a model file"):
        take_over(tmp_path / "D.db", file)


@pytest.mark.parametrize("text", ["", "x", "[1, 2]", "a,b\n1,2\n", "{", '"' * 30, "\x00", "[[[[[["])
def test_a_file_of_no_known_kind_is_none(text):
    assert kind_of_file(text.encode(), "f") is None
