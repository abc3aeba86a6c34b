"""The design of a campaign: which columns annotators see, and what the reserved ones say."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from pairproof.campaign import create
from pairproof.campaign.storage.design import Design
from pairproof.campaign.storage.records import items_of
from pairproof.campaign.storage.rules import rules_hash, rules_of, write_rule
from pairproof.campaign.storage.store import opened
from pairproof.errors import InputError


def made(folder, header, rows, **options):
    path = folder / "items.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([header.split(), *(row.split("|") for row in rows)])
    return create(folder / "C.db", path, **{"per_hit": 2, "seed": 1, **options})


ROWS = ["a|one|item||s1|n|.25", "b|two|||s1|e|", "x|drei|degraded|a|s1|n|", "g|four|gold||||1"]


def test_reserved_columns_say_what_an_item_is_for(tmp_path):
    about = made(tmp_path, "id sent role of source system gold", ROWS)
    assert about.design.text == "sent" and about.design.shown() == ()
    with opened(tmp_path / "C.db", write=False) as store:
        items = items_of(store)
    assert items.role == ("item", "item", "degraded", "gold") and items.of.tolist() == [-1, -1, 0, -1]
    assert items.source == ("s1", "s1", "s1", "") and items.system == ("n", "e", "n", "")
    assert items.scored.tolist() == [0, 1]
    np.testing.assert_array_equal(items.gold, [0.25, np.nan, np.nan, 1.0])


def test_other_columns_can_stand_for_the_reserved_ones(tmp_path):
    rows = ["a|one|item|n|w", "b|two|item|e|w"]
    design = Design(columns={"system": "engine", "role": ""}, show=("role", "genre"))
    about = made(tmp_path, "id sent role engine genre", rows, design=design)
    assert about.design.hidden == ("of", "source", "engine", "gold") and about.design.shown() == (
        "role",
        "genre",
    )
    with opened(tmp_path / "C.db", write=False) as store:
        items = items_of(store)
    assert items.system == ("n", "e") and items.role == ("item", "item")


@pytest.mark.parametrize("column", ["id", "role", "of", "source", "system", "gold", "engine"])
def test_what_can_tell_a_system_or_a_known_score_is_never_shown(column):
    with pytest.raises(InputError, match=f"--show {column}: annotators must not see this column"):
        Design(show=(column,), columns={"system": "engine"} if column == "engine" else {}).shown()


@pytest.mark.parametrize(
    "header, rows, message",
    [
        (
            "id sent role",
            ["a|x|politician", "b|y|"],
            "row 1 .line 2., column 'role': 'politician'; expected one",
        ),
        (
            "id sent role of",
            ["a|x|degraded|q", "b|y||", "c|z||"],
            "'q'; a degraded item needs the id of the item",
        ),
        (
            "id sent role of",
            ["a|x|degraded|a", "b|y||", "c|z||"],
            "'a'; a degraded item needs the id of the item",
        ),
        ("id sent role of", ["a|x||b", "b|y||"], "'b'; only an item of role degraded has an original"),
        ("id sent role of", ["a|x|degraded|b", "b|y|degraded|c", "c|z||", "d|z||"], "'b' is itself degraded"),
        (
            "id sent gold",
            ["a|x|50", "b|y|"],
            "'50'; expected a known score from 0 to 1 .divide 0 to 100 by 100.",
        ),
        ("id sent gold", ["a|x|nan", "b|y|"], "'nan'; expected a known score from 0 to 1"),
        ("id sent role", ["a|x|attention", "b|y|", "c|y|"], "an item of role attention needs a known score"),
        ("id sent role", ["a|x|calibration", "b|y|calibration"], "no row has the role item"),
        ("id left right", ["a|x|1", "b|y|2"], "no column 'sent', and 2 others could hold the item's text"),
        ("id sent role", ["a|x|item", "b|y|qualification"], "1 item.s., but 2 per HIT"),
    ],
)
def test_items_files_that_do_not_add_up_are_refused(tmp_path, header, rows, message):
    with pytest.raises(InputError, match=message):
        made(tmp_path, header, rows)
    assert not (tmp_path / "C.db").exists()


def test_the_only_other_column_holds_the_text(tmp_path):
    assert made(tmp_path, "id claim system", ["a|x|n", "b|y|n"]).design.text == "claim"


def test_items_without_any_other_column_are_their_ids(tmp_path):
    assert made(tmp_path, "id", ["a", "b"]).design.text == "id"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"columns": {"engine": "x"}}, "--col engine=: expected one of role, of, source, system, gold"),
        ({"columns": {"system": "engine"}}, "--col system= engine: no such column; found 'id', 'sent'"),
        ({"text": "claim"}, "--text claim: no such column"),
        ({"show": ("genre",)}, "--show genre: no such column"),
        ({"arrange": "same-source"}, "2 items have no source; --design same-source needs a column 'source'"),
    ],
)
def test_a_design_that_the_items_file_cannot_bear_is_refused(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        made(tmp_path, "id sent", ["a|x", "b|y"], design=Design(**options))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"repeats": 1.0}, "repeats=1.0; expected a share of slots"),
        ({"repeats": 0.5, "degraded": 0.3, "gold": 0.3}, "take 1.1 of all slots"),
        ({"gold": float("nan")}, "gold=nan"),
        ({"judgments": 0}, "expected at least 1 annotator per HIT"),
        ({"pay_hour": 0.0}, "pay_hour=0.0"),
        ({"on_repeat": "none"}, "on_repeat='none'"),
    ],
)
def test_a_design_out_of_range_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        Design(**options)


def test_a_hit_of_more_items_than_there_are_is_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="2 item.s., but 99999999999999 per HIT"):
        made(tmp_path, "id sent", ["a|x", "b|y"], per_hit=99_999_999_999_999)


def test_a_source_has_no_more_items_than_a_hit(tmp_path):
    with pytest.raises(InputError, match="source 'd' has 3 items, but a HIT has 2; use --per-hit 3"):
        rows = ["a|x|d", "b|y|d", "c|z|d"]
        made(tmp_path, "id sent source", rows, design=Design(arrange="same-source"))


def test_a_rule_that_changes_is_a_new_row(tmp_path):
    made(tmp_path, "id sent", ["a|x", "b|y"], design=Design(qualify="spearman>=.5"))
    with opened(tmp_path / "C.db", write=True) as store:
        before = rules_hash(rules_of(store))
        assert not write_rule(store, "repeats", "first") and rules_hash(rules_of(store)) == before
        assert write_rule(store, "repeats", "last") and rules_hash(rules_of(store)) != before
        assert [(r.name, r.value) for r in rules_of(store)] == [
            ("repeats", "first"),
            ("qualification", "spearman>=.5"),
            ("repeats", "last"),
        ]


def test_a_rule_of_exclusion_stands_with_the_judgments_before_it_in_the_status(tmp_path, capsys):
    import json

    from pairproof.cli import main
    from tests.campaign.helpers import answers, batch_rows, campaign, write

    path = campaign(tmp_path)

    def rules() -> dict:
        capsys.readouterr()
        assert main(["easl", "status", str(path), "--json"]) == 0
        return json.loads(capsys.readouterr().out)["rules"]

    assert main(["easl", "rules", str(path), "--exclusion", "degraded p > .05 in 8 pairs"]) == 0
    assert "exclusion: degraded p > .05 in 8 pairs (after 0 judgments)" in capsys.readouterr().out
    first = rules()
    assert first["rules"][-1] == {
        "name": "exclusion",
        "value": "degraded p > .05 in 8 pairs",
        "after_judgments": 0,
    }
    rows = answers(batch_rows(path))
    assert main(["easl", "update", str(path), str(write(tmp_path / "r.csv", rows))]) == 0
    assert main(["easl", "rules", str(path), "--exclusion", "anybody slow"]) == 0
    assert "anybody slow (after 2 judgments)" in capsys.readouterr().out
    second = rules()
    assert second["hash"] != first["hash"] and len(second["rules"]) == 2
    assert main(["easl", "status", str(path)]) == 0
    assert "1 of them after the first judgments" in capsys.readouterr().out
    with pytest.raises(InputError, match="rule of exclusion: 0 characters; expected 1 to 2000"):
        from pairproof.campaign.storage.rules import fix_exclusion

        fix_exclusion(path, "  ")
