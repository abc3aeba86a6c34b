"""Standard errors and tests of R's programs are recognised in claims, and wrong numbers are not excused."""

from __future__ import annotations

import pytest

from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.verdicts.definitions import wald_p
from tests.places import DATA

TEXT = (DATA / "contests_claims.toml").read_text(encoding="utf-8")
CITATIONS = """
[[claim]]
id = "%s"
where = "BTm(..., family = binomial(link = \\"%s\\"))"
data = "citations"
model = { family = "bradley-terry", ties = "none", reference = "Biometrika", link = "%s" }
se = { "Comm Statist" = "%s", JASA = "%s", "JRSS-B" = "%s" }
"""


def said(text: str, claim: str) -> dict[str, tuple[str, str, str]]:
    paper = parse_claims(text, source="x.claims.toml")
    rows = Checker(paper, backend="none").claim(paper.claim(claim))
    return {a.quantity: (a.verdict, a.code, a.explanation) for a in rows if a.printed}


def with_p(claim: str, p: str) -> str:
    head, _, tail = TEXT.partition(f'id = "{claim}"')
    return head + f'id = "{claim}"' + tail.replace("stat = { ", f'stat = {{ "sigma_p.item" = "{p}", ', 1)


def test_the_vignette_s_p_of_sigma_is_wald_s() -> None:
    # Section 3.1: sigma 1.126 (.261), z 4.314, p 1.6e-05; both from all digits. Observed 1e-16.
    assert wald_p(1.1259889623453596, 0.2610152787972625) == pytest.approx(1.6041300771615087e-05, rel=1e-12)


def test_wald_s_p_of_sigma_is_explained_and_another_one_is_not() -> None:
    # z = .864170689763 / .512193456923 = 1.687: p .0916, whatever the method has for a test.
    found = said(with_p("players-pql", ".0916"), "players-pql")
    assert found["sigma_p.item"][:2] == ("agrees-other-definition", "wald-sigma")
    assert "z = 1.687" in found["sigma_p.item"][2] and "ours: no p" in found["sigma_p.item"][2]
    assert {v[0] for q, v in found.items() if q != "sigma_p.item"} == {"agrees"}
    assert said(with_p("players-pql", ".0926"), "players-pql")["sigma_p.item"][0] == "not-estimable"
    laplace = TEXT.replace('"sigma_p.item" = ".006556270"', '"sigma_p.item" = "0.066913"')
    assert said(laplace, "players-laplace")["sigma_p.item"][:2] == ("agrees-other-definition", "wald-sigma")


# Standard errors of BTm(cbind(win1, win2), player1, player2, data = cited, family = binomial(link = ...),
# epsilon = 1e-14) in R 4.2.2; by the observed information .050672 .036392 .043089, .46747 .054955 .061414.
R_S = {"probit": (".050667", ".036365", ".043154"), "cauchit": (".466", ".054723", ".061366")}


@pytest.mark.parametrize("link", R_S)
def test_glm_s_standard_errors_of_other_links_are_those_of_the_expected_information(link: str) -> None:
    found = said(TEXT + CITATIONS % ("links", link, link, *R_S[link]), "links")
    assert {v[:2] for v in found.values()} == {("agrees-other-definition", "expected-information")}
    assert "R's glm uses for standard errors" in found["se.JASA"][2]
    one_off = (R_S[link][0], ".036999", R_S[link][2])
    found = said(TEXT + CITATIONS % ("links", link, link, *one_off), "links")
    assert found["se.JASA"][0] == "differs" and {v[0] for v in found.values()} <= {"differs", "immaterial"}


def test_standard_errors_of_the_observed_information_need_no_explanation() -> None:
    found = said(TEXT + CITATIONS % ("links", "probit", "probit", ".050672", ".036392", ".043089"), "links")
    assert {v[0] for v in found.values()} == {"agrees"}
