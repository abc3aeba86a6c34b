"""Sakaguchi and Van Durme's experiments, simulated: every claim with the verdict the specification found,
computed and not typed.
"""

from __future__ import annotations

import pytest

from pairproof.validation.check import Checker
from pairproof.validation.claims.paper import Claim, Paper
from pairproof.validation.claims.reader import read_paper
from pairproof.validation.verdicts.agreement import Agreement, exit_code

PAPER = read_paper("sakaguchi-2018")

#: Claim -> its verdict and the word its explanation begins with.
VERDICTS = {
    "parameters-never-decrease": ("agrees", ""), "lexical-efficiency": ("differs-conclusion", "misleading"),
    "lexical-ranking-efficiency": ("differs-conclusion", "false"), "match-quality-later": ("agrees", ""),
    "political-efficiency": ("differs-conclusion", "misleading"), "political-ranking-efficiency": ("differs-conclusion", "false"),
    "narrow-range": ("agrees", ""), "system-ranking-efficiency": ("not-checkable", ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def rows() -> dict[str, Agreement]:
    return {a.claim: a for a in Checker(PAPER).all()}


def test_every_claim_has_its_verdict(rows: dict[str, Agreement]) -> None:
    assert {c.id for c in PAPER.claims} == set(rows) == set(VERDICTS)
    for name, (verdict, word) in VERDICTS.items():
        assert (name, rows[name].verdict) == (name, verdict)
        assert rows[name].explanation.startswith(f"{word}: " if word else "")
    assert exit_code(list(rows.values())) == 0


def test_only_one_verdict_is_stated_and_all_others_are_computed() -> None:
    assert [c.id for c in PAPER.claims if not c.test] == ["system-ranking-efficiency"]


def test_what_does_not_reproduce_says_under_which_assumption_it_would(rows: dict[str, Agreement]) -> None:
    for claim in ("lexical-efficiency", "political-efficiency"):
        text = rows[claim].explanation
        assert (
            "it comes out if noise inside a HIT is 0.7 times as large" in text
            and "a property of showing items together" in text
        )
        assert text.count("random HITs") == 2


def judged(test: str, **args: object) -> Agreement:
    claim = Claim("mine", statement="S.", test=test, test_args=args)
    return Checker(Paper("p", "t", claims=(claim,))).claim(claim)[-1]


@pytest.mark.parametrize(("test", "args", "verdict"), [
    ("annotation-range", {"truth": "political", "agreement": "0.67", "narrow": ["easl"], "fitting": ["da"]}, "differs-conclusion"),
    ("annotation-range", {"truth": "political", "agreement": "0.67", "narrow": ["ra"], "fitting": ["ra"]}, "differs-conclusion"),
    ("annotation-gain", {"truth": "lexical", "agreement": "0.37", "method": "da", "fewer": 3, "more": 3 + 1}, "differs-conclusion"),
])  # fmt: skip
def test_another_statement_gets_another_verdict(test: str, args: dict[str, object], verdict: str) -> None:
    assert judged(test, **args).verdict == verdict
