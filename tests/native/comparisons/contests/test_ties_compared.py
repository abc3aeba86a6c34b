"""Treatments of ties side by side: the specification's numbers, and the notes where a conclusion changes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError
from tests.hand_made import dras
from tests.native.comparisons.contests.contests_tables import four_players, with_ties

#: Specification, section 4: pooled data of Dras (2015), A = 0; B, C, D.
DRAS = {
    "drop": [-3.1104168, -3.9805983, -0.8439203],
    "half": [-2.7125843, -3.5351564, -0.7306057],
    "davidson": [-2.9974786, -3.9003908, -0.8013423],
}


def test_pooled_dras_has_the_abilities_of_the_specification_under_every_treatment() -> None:
    found = pairproof.compare_ties(dras())
    for name, abilities in DRAS.items():
        np.testing.assert_allclose(
            # Seven decimals are printed: observed 4.4e-8.
            found[name].abilities[1:],
            abilities,
            atol=6e-8,
        )  # seven decimals are given
    # Rao-Kupper is given with D = 0: A, B, C, delta and log-likelihood.
    rk = found["rao-kupper"]
    # polr, whose digits these are, stops at its optimiser's tolerance: observed 1.1e-6.
    np.testing.assert_allclose(
        rk.abilities[:3] - rk.abilities[3], [0.7138340, -1.9049541, -2.7638980], atol=2e-6
    )
    assert rk.llf == pytest.approx(-480.42147, abs=6e-6)  # five decimals are given; observed 4e-6
    assert rk.fit is not None and rk.fit.params["tie"] == pytest.approx(0.2006731, abs=2e-6)
    assert found["davidson"].llf == pytest.approx(-475.7726, abs=6e-5)
    assert np.isnan(found["half"].llf) and np.isnan(found["drop"].aic)
    # Davidson's score equation of the tie parameter: observed 1e-15.
    assert found["davidson"].fitted == pytest.approx(found["davidson"].observed, abs=1e-10)
    assert rk.fitted != pytest.approx(rk.observed, abs=1e-4)


def test_a_scale_is_tested_against_davidson() -> None:
    found = pairproof.compare_ties(dras(), treatments=["davidson", "davidson-scale"])
    one = found["davidson-scale"]
    assert found["davidson"].fit is not None and one.fit is not None
    test = one.fit.compare(found["davidson"].fit)
    assert (one.lr, one.df, one.p) == (pytest.approx(test.statistic), test.df, pytest.approx(test.p))


def test_an_infinite_supremum_is_told() -> None:
    found = pairproof.compare_ties(with_ties(), order_effect=True)
    assert "infinite tie-shift" in found["davidson-shift"].reason
    assert "davidson-shift: no estimate: the likelihood still grows" in found.summary()
    assert np.isnan(found["davidson-shift"].abilities).all()


def changing() -> pairproof.Comparisons:
    """B beats A more often; counting A's many ties with the strong C as half wins turns the order."""
    return pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [30, 0, 12], [0, 60, 0], [34, 4, 48])


def test_a_changed_conclusion_is_noted() -> None:
    found = pairproof.compare_ties(changing(), treatments=["davidson", "half", "drop"])
    assert found.changes_a_conclusion
    assert found.notes[0].startswith("the rank order depends on the treatment: ")
    assert "A is above B by davidson, half, below by drop" in found.notes
    often = pairproof.Comparisons.build("AB", [0], [1], [15], [60], [4])
    # Of 19 decided comparisons log(15/4) has z 2.35; with 30 half wins each way log(45/34) has 1.23.
    notes = pairproof.compare_ties(often, treatments=["davidson", "half", "drop"]).notes
    assert notes == ("A - B differs from 0 at 0.05 by davidson (z 2.35), drop (z 2.35), not by half (1.23)",)
    z = {t.name: t for t in found.treatments}
    assert np.sign(z["drop"].abilities[1]) != np.sign(z["half"].abilities[1])
    calm = pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35])
    assert not pairproof.compare_ties(calm, treatments=["davidson", "rao-kupper", "half", "drop"]).notes


def test_the_result_has_a_frame_a_text_and_a_json_object() -> None:
    found = pairproof.compare_ties(changing())
    frame = found.to_frame()
    assert list(frame.columns) == ["treatment", "item", "ability", "se", "rank"]
    assert len(frame) == 3 * len(found.treatments) >= 15
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["items"] == ["A", "B", "C"]
    assert str(found) == found.summary() and max(map(len, found.summary().splitlines())) <= 101
    assert list(found.models().columns) == ["llf", "aic", "observed", "fitted", "lr", "df", "p", "without"]


def test_refusals_name_what_was_found() -> None:
    with pytest.raises(InputError, match="no tie among 60 comparisons"):
        pairproof.compare_ties(four_players())
    with pytest.raises(InputError, match="expected some of davidson"):
        pairproof.compare_ties(with_ties(), treatments=["elo"])
    with pytest.raises(InputError, match="link: not an option here"):
        pairproof.compare_ties(with_ties(), link="probit")
    with pytest.raises(InputError, match="no treatment 'half'"):
        pairproof.compare_ties(with_ties(), treatments=["drop"])["half"]
