"""Tasks and labeling configurations for Label Studio."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from pairproof.campaign import create, open_batch
from pairproof.campaign.page.platforms import config_xml
from pairproof.campaign.page.texts import read_examples, texts_of
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import nasty
from tests.campaign.formats.test_export_import import NASTY
from tests.campaign.helpers import campaign


def test_a_task_has_the_texts_as_they_are_and_ids_that_name_no_system(tmp_path):
    path = nasty(tmp_path, NASTY)
    batch = open_batch(path, tmp_path / "t.json", style="label-studio", layout=tmp_path / "c.xml")
    tasks = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert [t["data"]["hit"] for t in tasks] == list(range(1, len(batch.hits) + 1))
    for task, hit in zip(tasks, batch.hits):
        assert [task["data"][f"sent{k}"] for k in (1, 2, 3)] == [cells[0] for _, cells in hit]
        assert [task["data"][f"id{k}"] for k in (1, 2, 3)] == [
            f"h{task['data']['hit']}s{k}" for k in (1, 2, 3)
        ]
    again = open_batch(path, tmp_path / "t.json", again=True, style="label-studio", layout=tmp_path / "c.xml")
    assert again.number == 1


def test_the_configuration_has_a_slider_and_a_box_for_each_item_and_no_other_variable(tmp_path):
    (tmp_path / "e.csv").write_text("text,score,why\n<fair>,40,\n", encoding="utf-8")
    texts = texts_of(
        'How "<good>"?\n$sent1', "0=$none;100=all", "line\nline", read_examples(tmp_path / "e.csv")
    )
    root = ElementTree.fromstring(config_xml(2, ("sent", "note"), texts))
    heads = [h.get("value") for h in root.iter("Header")]
    assert (
        heads[0] == 'How "<good>"?\n$sent1' and heads[1] == "line\nline" and heads[3] == "<fair> → Score 40"
    )
    assert [(n.get("name"), n.get("toName"), n.get("min"), n.get("max")) for n in root.iter("Number")] == [
        ("range1", "t1", "0", "100"),
        ("range2", "t2", "0", "100"),
    ]
    assert [c.get("name") for c in root.iter("Choices")] == ["na1", "na2"]
    variables = [e.get("value") for e in root.iter() if (e.get("value") or "").startswith("$")]
    assert variables == ["$sent1", "$note1", "$sent2", "$note2"]
    names = [e.get("name") for e in root.iter() if e.get("name")]
    assert len(set(names)) == len(names)
    dollar = ElementTree.fromstring(config_xml(1, ("sent",), texts_of("$sent1?")))
    assert dollar.find("Header").get("value") == "\u200b$sent1?"


def test_a_hit_that_is_smaller_than_the_configuration_is_refused(tmp_path):
    items = tmp_path / "i.csv"
    rows = [f"{k},t{k},{'abb'[k % 3] if k < 5 else 'a'}" for k in range(5)]
    items.write_text("id,sent,source\n" + "\n".join(rows) + "\n", encoding="utf-8")
    from pairproof.campaign.storage.design import Design

    create(tmp_path / "C.db", items, "da", 3, design=Design(arrange="same-source"), seed=1)
    with pytest.raises(
        InputError, match="HIT . of batch 1 has 2 items, but Label Studio's configuration shows 3"
    ):
        open_batch(tmp_path / "C.db", tmp_path / "t.json", style="label-studio")


def test_columns_that_a_control_needs_are_refused(tmp_path):
    path = campaign(tmp_path)
    with pytest.raises(InputError, match="column 'na': a control or key"):
        config_xml(2, ("na",))
    assert path.exists()
