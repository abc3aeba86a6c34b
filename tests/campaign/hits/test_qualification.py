"""The rule of the qualification batch: what it may say, and when it is met."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.campaign.hits.assigning import judge, parse_rule
from pairproof.errors import InputError

GOLD = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("spearman>=.5", ["spearman>=0.5"]),
        (" mean-difference <= .2 ", ["mean-difference<=0.2"]),
        ("within .1>=.8", ["within 0.1 >= 0.8"]),
        ("spearman>=0.5 and within .1 >= .8", ["spearman>=0.5", "within 0.1 >= 0.8"]),
        ("within .1 >= .5 and within .2 >= 1", ["within 0.1 >= 0.5", "within 0.2 >= 1"]),
    ],
)
def test_a_rule_is_read(text, read):
    assert [str(c) for c in parse_rule(text)] == read
    assert parse_rule(" and ".join(read)) == parse_rule(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is not a condition"),
        ("spearman>.5", "'spearman>.5' is not a condition; expected 'spearman>=.5'"),
        ("kendall>=.5", "not a condition"),
        ("spearman<=.5", "spearman with <=; expected spearman >= a number"),
        ("mean-difference>=.2", "mean-difference with >="),
        ("within >= .8", "not a condition"),
        ("within .1 >= 80", "80; expected numbers from 0 to 1"),
        ("within 10 >= .8", "10; expected numbers from 0 to 1"),
        ("spearman>=nan", "not a condition"),
        ("spearman>=-.5", "not a condition"),
        ("spearman>=.5 and", "'' is not a condition"),
        ("spearman>=.5 or within .1 >= .8", "not a condition"),
        ("spearman>=.5 and spearman>=.6", "the same quantity appears twice"),
        ("spearman>=.5; import os", "not a condition"),
        ("spearman>=\u0665", "not a condition"),
    ],
)
def test_what_is_no_rule_is_refused_with_what_is(text, said):
    with pytest.raises(InputError) as error:
        parse_rule(text)
    assert said in str(error.value)


def met(rule: str, given, items: int = 5):
    return judge(parse_rule(rule), GOLD[: len(given)], np.array(given, float), items).met


def test_each_condition_is_met_up_to_its_bound_and_not_beyond():
    near = [0.2, 0.4, 0.6, 0.8, 1.0]  # .1 too high throughout, which floating point does not quite say
    assert met("within .1 >= 1", near) and not met("within .09 >= .2", near)
    assert met("mean-difference<=.1", near) and not met("mean-difference<=.09", near)
    assert met("spearman>=1", near) and not met("spearman>=.1", near[::-1])
    assert not met("spearman>=.5 and within .05 >= .5", near)
    # Ranks 1 2 3 5 4: Spearman's rho is 1 - 6 * 2 / (5 * 24) = .9.
    assert met("spearman>=.9", [0.1, 0.3, 0.5, 0.9, 0.7]) and not met(
        "spearman>=.91", [0.1, 0.3, 0.5, 0.9, 0.7]
    )


def test_cannot_judge_is_not_within_and_is_left_out_elsewhere():
    nan = np.nan
    assert met("within .1 >= .6", [0.1, 0.3, 0.5, nan, nan]) and not met(
        "within .1 >= .61", [0.1, 0.3, 0.5, nan, nan]
    )
    assert met("mean-difference<=0", [0.1, 0.3, 0.5, nan, nan])
    assert not met("spearman>=.1", [0.1, 0.3, nan, nan, nan])  # two answers have no rank correlation
    assert not met("mean-difference<=1", [nan] * 5)


def test_a_constant_annotator_has_no_rank_correlation_and_does_not_qualify():
    assert not met("spearman>=0", [0.5] * 5)


def test_nothing_is_decided_before_all_items_are_back():
    found = judge(parse_rule("spearman>=.5"), GOLD[:3], GOLD[:3], 5)
    assert found.met is None and str(found) == "3 of 5 qualification items"
    assert judge(parse_rule("spearman>=.5"), GOLD[:0], GOLD[:0], 0).met is None


def test_the_verdict_shows_the_numbers():
    found = judge(
        parse_rule("spearman>=.95 and within .1 >= .8"), GOLD, np.array([0.1, 0.3, 0.5, 0.9, 0.7]), 5
    )
    assert (
        str(found) == "5 of 5 qualification items, NOT met (spearman>=0.95: 0.900; within 0.1 >= 0.8: 0.600)"
    )
