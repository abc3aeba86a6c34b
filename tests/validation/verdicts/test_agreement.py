"""Verdicts, how a command ends, and the JSON others script against."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pairproof.errors import InputError
from pairproof.validation.report.rendering import render_json
from pairproof.validation.verdicts.agreement import VERDICTS, Agreement, exit_code, summary, to_document


def agreement(verdict: str = "agrees", **fields: Any) -> Agreement:
    base: dict[str, Any] = dict(
        paper="p",
        claim="c",
        quantity="estimate.A",
        printed="0.28",
        native=0.2778,
        r=0.2778,
        r_call="gnm::gnm",
        r_source="live",
        certified=None,
        digits=12.0,
        verdict=verdict,
    )
    return Agreement(**{**base, **fields})


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([agreement()], 0),
        (
            [
                agreement(),
                agreement("agrees-truncated"),
                agreement("agrees-k-of-m"),
                agreement("not-checkable", printed=None),
            ],
            0,
        ),
        ([agreement("differs")], 1),
        ([agreement("differs-conclusion")], 1),
        ([agreement("explained")], 1),
        ([agreement("ambiguous")], 1),
        ([agreement("explained", accepted=True)], 0),
        ([agreement("differs", accepted=True)], 0),
        ([agreement("not-estimable")], 1),
        ([agreement("not-estimable", printed=None)], 0),
        (
            [agreement(), agreement("not-run", r=None, r_source=None)],
            0,
        ),  # an R call that did not run, and was not required
        (
            [agreement(), agreement("not-run", r=None, r_source=None, r_call=None)],
            2,
        ),  # native itself did not run
        ([agreement("differs"), agreement("not-run", r_call=None)], 1),
    ],
)
def test_how_a_command_ends(rows: list[Agreement], code: int) -> None:
    assert exit_code(rows) == code


def test_requiring_r_fails_where_anything_of_r_did_not_run() -> None:
    assert exit_code([agreement(), agreement("not-run", r=None)], require_r=True) == 2


def test_requiring_r_fails_where_r_was_never_asked() -> None:
    assert exit_code([agreement(r=None, r_call=None, r_source=None)], require_r=True) == 2
    assert exit_code([], require_r=True) == 2


def test_not_run_never_passes() -> None:
    assert not agreement("not-run").passes
    assert "not-run" in VERDICTS


def test_the_summary_counts_every_verdict_once() -> None:
    rows = [agreement(v) for v in VERDICTS] + [agreement()]
    assert summary(rows) == {**dict.fromkeys(VERDICTS, 1), "agrees": 2}


def test_a_verdict_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of 'agrees'"):
        agreement("fine")


def test_the_json_has_the_agreed_keys_first_and_every_digit() -> None:
    document = to_document([agreement(native=0.1 + 0.2)])
    assert list(document) == ["summary", "agreements"]
    agreed = [
        "paper",
        "claim",
        "quantity",
        "printed",
        "native",
        "r",
        "r_call",
        "r_source",
        "certified",
        "digits",
        "verdict",
        "explanation",
    ]
    assert list(document["agreements"][0])[: len(agreed)] == agreed
    assert (
        json.loads(render_json([agreement(native=0.1 + 0.2)]))["agreements"][0]["native"]
        == 0.30000000000000004
    )


def test_what_has_no_value_is_null_in_json() -> None:
    row = json.loads(render_json([agreement("not-estimable", native=None, r=float("inf"), digits=None)]))[
        "agreements"
    ][0]
    assert (row["native"], row["r"], row["digits"]) == (None, None, None)


def test_no_report_names_the_type_of_a_number() -> None:
    row = Agreement("p", "c", "deviance", native=np.float64(0.5), r=np.float64(0.25), digits=np.float64(3.5))
    assert [repr(v) for v in (row.native, row.r, row.digits)] == ["0.5", "0.25", "3.5"]
    assert "np." not in repr(row) and "np." not in repr(row.to_dict())
