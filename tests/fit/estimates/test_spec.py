"""The specification of a model of contests in words."""

from __future__ import annotations

import pytest

from pairproof.errors import InputError
from pairproof.fit.estimates.specification import ContestSpec


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"link": "probit"}, "Bradley-Terry, probit"),
        (
            {"formula": "~ SVL + (1 | item)", "random": ("item",), "method": "pql"},
            "Bradley-Terry, SVL + (1 | item), by PQL",
        ),
        ({"ties": "davidson", "tie_shift": True}, "Bradley-Terry, Davidson ties (shifted)"),
        ({"reduction": "mean", "offset": "z"}, "Bradley-Terry, offset z, mean bias reduced"),
        (
            {"item_terms": ("x",), "random": ("item:judge",), "method": "laplace"},
            "Bradley-Terry, items by x, random item:judge, by Laplace's approximation",
        ),
    ],
)
def test_the_model_is_said_in_words(options, words):
    assert ContestSpec("bradley-terry", **options).words == words


def test_a_plain_logit_is_plain_and_nothing_else_is():
    assert ContestSpec("bradley-terry", formula="x", weights="w").is_plain
    for options in (
        {"link": "probit"},
        {"offset": "z"},
        {"reduction": "mean"},
        {"tie_scale": True},
        {"method": "pql"},
    ):
        assert not ContestSpec("bradley-terry", **options).is_plain
    with pytest.raises(InputError, match="link='log'"):
        ContestSpec("bradley-terry", link="log")
