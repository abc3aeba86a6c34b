"""Every known slip, planted on a real table, is found by its name; honest pages need none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pairproof
from pairproof.fit.fit import Fit
from pairproof.validation.claims.printed import Printed
from pairproof.validation.claims.quantities import names, quantity
from pairproof.validation.slips.catalogue import families
from pairproof.validation.slips.known import STAGES, transposed
from pairproof.validation.slips.search import search
from pairproof.validation.slips.target import Target
from pairproof.validation.slips.values import Batch, Values, constants, own_setting, wins_of
from pairproof.validation.slips.variants import Model
from tests.validation.slips.planted import (
    PLANTED,
    baseball,
    bradley_terry,
    cems,
    citations,
    dras,
    honest,
    llbt,
    page,
    relabelled_by_judge,
    target,
)


def test_every_slip_has_a_stage_a_cost_a_sentence_and_the_place_where_it_was_seen() -> None:
    known = families()
    assert {f.stage for f in known.values()} == set(STAGES)
    for f in known.values():
        assert f.cost >= 1 and len(f.what) > 20 and len(f.seen) > 20, f.name


def test_every_slip_is_planted() -> None:
    assert {name for name, _, _ in PLANTED} == set(families())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "words", "make"), PLANTED, ids=[f"{name}-{k}" for k, (name, _, _) in enumerate(PLANTED)]
)
def test_a_planted_slip_is_found_by_name_and_nothing_else_explains_the_page(
    name: str, words: str, make: Callable[[], Target]
) -> None:
    (found,) = search([make()]).found
    assert [e.names for e in found.explanations] == [(name,)], [e.sentence for e in found.explanations]
    assert words in found.explanations[0].sentence
    assert found.explanations[0].sentence.startswith("reproduced if ")
    assert found.readings > 1000


@pytest.mark.parametrize(("name", "claim"), honest(), ids=[name for name, _ in honest()])
def test_an_honest_page_of_the_same_table_needs_no_slip(name: str, claim: Target) -> None:
    (found,) = search([claim]).found
    assert found.plain and found.readings == 1
    assert found.explanations[0].sentence.startswith("no slip needed")


# -- the light path gives native's numbers -------------------------------------------------------------------

FITS: dict[str, Callable[[], Fit]] = {
    "davidson": lambda: llbt(dras()),
    "by judge": lambda: llbt(dras(), by="judge"),
    "tie held": lambda: llbt(dras(), ties="none"),
    "rao-kupper": lambda: bradley_terry(dras(), ties="rao-kupper"),
    "half": lambda: bradley_terry(dras(), ties="half", by="judge"),
    "judge cells": lambda: llbt(dras(), cells="judge"),
    "sum": lambda: llbt(cems(), reference="sum"),
    "home, rows": lambda: bradley_terry(baseball(), order_effect=True, cells="row"),
    "citations": lambda: bradley_terry(citations()),
    "other scale": lambda: llbt(cems(), reference="Paris").on_scale("log-odds"),
}


@pytest.mark.parametrize("name", FITS)
def test_the_light_path_gives_the_numbers_of_the_native_fit(name: str) -> None:
    fit = FITS[name]()
    group, (a, b) = next(iter(fit.groups)), fit.items[:2]
    wanted = [
        *names(fit),
        *(f"{kind}.{n}" for kind in ("low", "high", "exp") for n in fit.names),
        *(f"wins.{i}" for i in fit.items),
        "aic_glm",
        "llf_poisson",
        "null_deviance",
        "df_null",
        "n_items",
        *(
            f"{kind}.{group}.{a}.{b}"
            for kind in ("contrast", "contrast_se", "contrast_z", "contrast_p", "odds", "p_first", "p_tie")
        ),
    ]
    model, setting = Model(fit), own_setting(fit, 2)
    counts = model.tallies([model.rows])

    def none(claim: str) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError(f"nobody asked for {claim}")

    batch = Batch(
        model.fitted([model.rows], counts, setting.solver),
        constants(model, [model.rows], setting.solver),
        wins_of(fit, counts, model.rows.pairs[model.cells.pair]),
        none,
    )
    light = dict(zip(wanted, Values(fit, wanted).compute(batch, setting)[0]))
    native = {n: quantity(fit, n) for n in wanted}
    # 10 digits: the deviance here is a difference of log-likelihoods; observed 12.3 at the worst.
    apart = {
        n: (light[n], v)
        for n, v in native.items()
        if np.isnan(light[n]) != np.isnan(v)
        or not np.isnan(v)
        and abs(light[n] - v) > 1e-10 * max(1.0, abs(v))
    }
    assert not apart


# -- pieces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("0.26895", ["0.62895", "0.28695", "0.26985", "0.26859"]),
        ("-2.94", ["-9.24", "-2.49"]),
        ("15", ["51"]),
        ("0.11", []),
        ("2.34e-05", ["3.24e-05", "2.43e-05"]),
        ("10", []),
        ("<.001", []),
        ("0.0044 **", ["0.0404"]),
    ],
)
def test_neighbouring_digits_are_exchanged_in_every_way_that_makes_another_number(
    text: str, others: list[str]
) -> None:
    assert transposed(Printed.parse(text)) == others


def test_a_table_relabelled_by_judge_keeps_its_counts() -> None:
    """The planted table is a rearrangement, not another table."""
    before, after = dras(), relabelled_by_judge(dras())
    assert sorted(zip(before.wins, before.ties, before.losses)) == sorted(
        zip(after.wins, after.ties, after.losses)
    )
    assert before.digest() != after.digest()


def test_a_pair_with_equal_wins_is_not_tried_the_other_way_round() -> None:
    items = ("A", "B", "C")
    data = pairproof.Comparisons.build(items, [0, 0, 1], [1, 2, 2], [5, 4, 3], None, [5, 2, 1])
    fit = bradley_terry(data)
    slips = families()["one-pair-reversed"].slips(target(fit, page(fit)).situation())
    assert [s.sentence for s in slips] == [
        "the pair A:C is read in reverse",
        "the pair B:C is read in reverse",
    ]


def test_an_item_whose_name_begins_with_tie_is_not_taken_for_the_tie_parameter() -> None:
    data = pairproof.Comparisons.build(("tiebreak", "B"), [0], [1], [5], [2], [3])
    fit = llbt(data)
    only_items = {name: text for name, text in page(fit).items() if name.endswith(".tiebreak")}
    assert only_items
    tie_parameter = families()["tie-parameter"]
    assert tie_parameter.slips(target(fit, only_items).situation()) == []
    assert len(tie_parameter.slips(target(fit, {**only_items, "estimate.tie": "0.10"}).situation())) == 2
