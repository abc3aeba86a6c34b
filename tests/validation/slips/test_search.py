"""The search: all numbers of a claim together, how many readings fit, and nothing where nothing is to be
found.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pairproof.cli.app import app
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims, read_paper
from pairproof.validation.check.explain import explain
from pairproof.validation.slips.catalogue import families
from pairproof.validation.slips.search import count_words, search
from tests.validation.fakes import FIRTH, claims_text
from tests.validation.slips.planted import (
    PLANTED,
    Page,
    altered,
    baseball,
    bradley_terry,
    cems,
    citations,
    dras,
    llbt,
    page,
    printed,
    separated,
    shipped,
    target,
    usual,
    zermelo,
)

# -- Dras (2015) ---------------------------------------------------------------------------------------------


def test_dras_s_deviances_come_out_if_the_columns_are_read_in_prefmod_s_order_and_in_no_other_way() -> None:
    explained = explain(read_paper("dras-2015"))
    (table,) = [f for f in explained.found if "table-1" in f.claims]
    assert table.claims == ("table-1", "table-1-without-ties"), "one reading explains both claims"
    assert [e.names for e in table.explanations] == [("pair-order",)]
    assert table.explanations[0].sentence.startswith("reproduced if the columns are read in prefmod's order")
    assert table.numbers == 4 and table.readings > 500
    assert not [f for f in explained.found if not f.explanations]


def test_one_number_of_dras_alone_fits_many_readings_and_all_together_fit_one() -> None:
    """The more of the page is scored, the fewer readings are left."""
    whole = page(llbt(shipped("dras-2015", "table-1-prefmod-order")))
    fitting = {}
    for numbers in (
        ["estimate.C"],
        ["estimate.C", "se.C"],
        ["estimate.C", "se.C", "estimate.A"],
        list(whole),
    ):
        rounded = {n: f"{float(whole[n]):.2f}" if len(numbers) < 4 else whole[n] for n in numbers}
        (found,) = search([target(llbt(dras()), rounded)]).found
        fitting[len(numbers)] = len(found.explanations)
    assert (
        fitting[1] >= 4
    ), fitting  # a solver that stopped at a step of one's choice is no explanation of one number
    assert fitting[1] > fitting[3] >= 1 and fitting[len(whole)] == 1, fitting


def test_a_deviance_without_the_rest_of_its_table_is_ambiguous_and_says_so() -> None:
    fit = llbt(cems(), ties="drop")
    (found,) = search([target(llbt(cems()), {"deviance": f"{fit.deviance:.0f}"})]).found
    assert len(found.explanations) > 1 and not found.clear
    assert count_words(found).startswith(f"{len(found.explanations)} explanations among ")


def test_the_shipped_papers_are_explained_as_their_claims_files_say() -> None:
    found = {
        f.claims: f
        for name in ("cems", "turner-firth-2012")
        for f in explain(read_paper(name)).found
        if not f.plain
    }
    assert {claims: f.explanations[0].names for claims, f in found.items()} == {
        ("prefmods-numbers-on-the-right-data",): ("one-pair-reversed",),
        ("abilities",): ("se-of-the-step-before",),
    }
    assert all(f.clear for f in found.values())
    assert (
        explain(read_paper("turner-firth-2012")).exit_code == 0
    ), "accepted under the name the file gives it"


# -- two slips, and no more than needed ----------------------------------------------------------------------


def test_two_slips_together_are_found() -> None:
    """The data of 1998 printed as log-odds: what psychotools would give on prefmod's cemspc."""
    fit = bradley_terry(shipped("cems", "cems-1998-erroneous"), reference="Stockholm")
    (found,) = search([target(llbt(cems()), page(fit))]).found
    assert [set(e.names) for e in found.explanations] == [{"one-pair-reversed", "scale"}]
    assert (
        "Barcelona:Stockholm" in found.explanations[0].sentence
        and "log-odds" in found.explanations[0].sentence
    )


def test_two_pairs_reversed_are_found() -> None:
    d = altered(
        baseball(),
        lambda k, w, t, l: (
            (l, t, w)
            if {int(baseball().first[k]), int(baseball().second[k])} in ({0, 1}, {2, 5})
            else (w, t, l)
        ),
    )
    fit = bradley_terry(baseball(), reference="Baltimore")
    (found,) = search([target(fit, page(bradley_terry(d, reference="Baltimore")))]).found
    assert [e.names for e in found.explanations] == [("one-pair-reversed", "one-pair-reversed")]


def test_a_slip_of_data_and_a_misprint_are_found_together() -> None:
    numbers = page(llbt(shipped("cems", "cems-1998-erroneous")))
    numbers["estimate.London"] = numbers["estimate.London"].replace("79", "97")
    (found,) = search([target(llbt(cems()), numbers)]).found
    assert [e.names for e in found.explanations] == [("one-pair-reversed", "digits-transposed")]


def test_no_explanation_merely_adds_to_another() -> None:
    fit = llbt(cems(), ties="drop")
    (found,) = search([target(llbt(cems()), printed(fit, ["deviance"], 0))]).found
    sets = [frozenset(s.key for s in e.slips) for e in found.explanations]
    assert len(sets) > 1 and not any(a < b for a in sets for b in sets)


def test_readings_that_give_the_same_numbers_are_one_explanation() -> None:
    """With the outcomes reversed every estimate has the other sign: no printed estimate can tell."""
    back = altered(citations(), lambda k, w, t, l: (l, t, w))
    (found,) = search([target(bradley_terry(citations()), page(bradley_terry(back)))]).found
    assert len(found.explanations) == 1
    assert "small estimates belong to preferred items" in found.explanations[0].sentence


# -- nothing is found where nothing is -----------------------------------------------------------------------


def _wrong_digit(rng: np.random.Generator, numbers: Page) -> Page:
    name = str(
        rng.choice([n for n in numbers if not n.startswith("df")])
    )  # another df is always "counted otherwise"
    text = numbers[name]
    places = [k for k, c in enumerate(text) if c.isdigit()][1 if text.lstrip("-").startswith("0.") else 0 :]
    k = int(rng.choice(places))
    return {**numbers, name: f"{text[:k]}{(int(text[k]) + int(rng.integers(1, 10))) % 10}{text[k + 1:]}"}


def _noise(rng: np.random.Generator, numbers: Page, units: int) -> Page:
    return {
        n: t if n.startswith("df") else f"{float(t) + int(rng.integers(-units, units + 1)) * 1e-4:.4f}"
        for n, t in numbers.items()
    }


@pytest.mark.nightly
def test_random_perturbations_are_explained_by_nothing() -> None:
    """30 pages with a wrong digit, with two, with noise in the last places, of the estimates alone, or of
    another table.
    """
    rng = np.random.default_rng(20150612)
    explained, pages, readings = [], 0, 0
    for fit in (llbt(dras()), bradley_terry(citations()), llbt(cems())):
        right = page(fit)
        estimates = {n: t for n, t in right.items() if n.startswith("estimate")}
        for _ in range(2):
            shuffled = rng.permutation(fit.data.n_rows)
            other = altered(fit.data, lambda k, w, t, l: tuple(float(x[shuffled[k]]) for x in (fit.data.wins, fit.data.ties, fit.data.losses)))  # type: ignore[arg-type,return-value]
            foreign = printed((llbt if fit.model == "llbt" else bradley_terry)(other), usual(fit))
            for numbers in (
                _wrong_digit(rng, right),
                _wrong_digit(rng, _wrong_digit(rng, right)),
                _noise(rng, right, 5),
                _noise(rng, estimates, 30),
                foreign,
            ):
                if numbers == right:
                    continue
                searched = search([target(fit, numbers)])
                pages, readings = pages + 1, readings + searched.readings
                explained += [(numbers, e.sentence) for f in searched.found for e in f.explanations]
    assert pages >= 28 and readings > 100_000
    assert (
        not explained
    ), f"{len(explained)} of {pages} random pages were explained in {readings} readings: {explained[:3]}"


def test_a_single_wrong_number_is_not_called_stopping_early() -> None:
    """-2.9499 for -2.9491: near enough in likelihood, but one number only."""
    numbers = page(bradley_terry(citations()))
    assert numbers["estimate.Comm Statist"] == "-2.9491"
    (found,) = search(
        [target(bradley_terry(citations()), {**numbers, "estimate.Comm Statist": "-2.9499"})]
    ).found
    assert found.explanations == ()


def test_stopping_early_is_not_assumed_where_the_likelihood_is_too_low() -> None:
    """Estimates shrunk by a tenth lie on the way to the maximum and much too far from it."""
    fit = bradley_terry(baseball(), reference="sum")
    (found,) = search([target(fit, {f"estimate.{i}": f"{0.9 * fit.params[i]:.4f}" for i in fit.items})]).found
    assert found.explanations == ()


def test_the_proof_of_stopping_early_is_told_with_its_numbers() -> None:
    make = next(m for name, words, m in PLANTED if name == "stopped-early" and "likelihood" in words)
    (found,) = search([make()]).found
    assert "is 1.4e-05 below its maximum of -172.248" in found.explanations[0].sentence


def test_a_worth_after_seven_steps_is_told_from_one_after_eight() -> None:
    fit = bradley_terry(citations())
    for steps in (7, 8):
        worths = {f"worth.all.{i}": f"{w:.4f}" for i, w in zip(fit.items, zermelo(citations(), steps))}
        (found,) = search([target(fit, worths)]).found
        assert f"stops after {steps} steps" in found.explanations[0].sentence


def test_nobody_is_accused() -> None:
    words = " ".join(f"{f.what} {f.seen}" for f in families().values()) + " ".join(
        e.sentence
        for make in (PLANTED[0][2], PLANTED[3][2])
        for f in search([make()]).found
        for e in f.explanations
    )
    for word in ("author made", "mistake", "error by", "wrong", "fraud", "careless"):
        assert word not in words


# -- awkward tables ------------------------------------------------------------------------------------------


def _small(rows: list[tuple[int, int, int, int]], ties: bool = False, items: str = "ABCD") -> Comparisons:
    i, j, w, l = np.array(rows).T
    return Comparisons.build(
        tuple(items), i, j, w.astype(float), np.zeros(len(rows)) if ties else None, l.astype(float)
    )


def _with_columns() -> Comparisons:
    rng, d = np.random.default_rng(3), dras()
    more = {"age": rng.normal(40, 10, d.n_rows), "order": rng.integers(0, 2, d.n_rows).astype(float)}
    return Comparisons.build(
        d.items, d.first, d.second, d.wins, d.ties, d.losses, columns={**d.columns, **more}
    )


AWKWARD: dict[str, Callable[[], Fit]] = {
    "two items, saturated": lambda: llbt(shipped("dras-2015", "modpref")),
    "one item never won": lambda: bradley_terry(separated(), reference="A"),
    "not connected": lambda: bradley_terry(_small([(0, 1, 3, 2), (2, 3, 4, 5)])),
    "an item that was never compared": lambda: bradley_terry(
        _small([(0, 1, 3, 2), (1, 2, 4, 5), (0, 2, 2, 2)])
    ),
    "a tie category without a tie": lambda: llbt(
        _small([(0, 1, 3, 2), (1, 2, 4, 5), (0, 2, 2, 2)], True, "ABC")
    ),
    "Rao and Kupper without a tie": lambda: llbt(
        _small([(0, 1, 3, 2), (1, 2, 4, 5), (0, 2, 2, 2)], True, "ABC"), ties="rao-kupper"
    ),
    "item covariates": lambda: Checker(read_paper("firth-2005")).fit("origin-missing"),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_an_awkward_table_is_searched_and_nothing_is_made_up(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = AWKWARD[name]()
        right = page(fit)
        first = next(n for n in right if n.startswith("estimate") and right[n] != "nan")
        assert search([target(fit, {n: t for n, t in right.items() if t != "nan"})]).found[0].plain
        off = {n: t for n, t in right.items() if t != "nan"} | {
            first: f"{1.37 * float(right[first]) + 0.1234:.4f}",
            "deviance": f"{fit.deviance + 0.777:.4f}",
        }
        (found,) = search([target(fit, off)]).found
    assert found.readings > 500 and found.explanations == ()


@pytest.mark.parametrize(
    "model",
    [
        lambda d: llbt(d, by="age"),
        lambda d: llbt(d, order_effect=True),
        lambda d: bradley_terry(d, order_effect=True, cells="row"),
        lambda d: bradley_terry(d, ties="half", by="judge"),
    ],
    ids=["slope", "neutral ground", "rows", "half wins by judge"],
)
def test_a_reversed_pair_is_found_under_covariates_and_order_effects(
    model: Callable[[Comparisons], Fit]
) -> None:
    d = _with_columns()
    back = altered(d, lambda k, w, t, l: (l, t, w) if (d.first[k], d.second[k]) == (0, 3) else (w, t, l))
    (found,) = search([target(model(d), page(model(back)))]).found
    assert [e.names for e in found.explanations] == [("one-pair-reversed",)]
    assert "A:D" in found.explanations[0].sentence


# -- size ----------------------------------------------------------------------------------------------------


def test_fifteen_thousand_readings_take_seconds() -> None:
    """Seven teams, 29 numbers: 2 s on one idle core; the limit leaves room for a busy machine."""
    paper = parse_claims(claims_text(FIRTH.replace('"1.1077"', '"1.1177"')))
    start = time.process_time()
    explained = explain(paper)
    assert explained.readings > 15_000 and explained.fitting == 0
    assert time.process_time() - start < 60


def test_a_cap_on_readings_is_said() -> None:
    numbers = page(llbt(shipped("cems", "cems-1998-erroneous")))
    (found,) = search([target(llbt(cems()), numbers)], most=200).found
    assert found.skipped > 100 and "further readings were not tried" in count_words(found)
    assert found.explanations[0].names == ("one-pair-reversed",), "single slips come first"


# -- claims files and the command ----------------------------------------------------------------------------


def run(tmp_path: Path, claim: str, *options: str, data: str = "") -> tuple[int, str]:
    file = tmp_path / "x.claims.toml"
    file.write_text(claims_text(claim, data))
    out = CliRunner().invoke(app, ["explain", str(file), *options], standalone_mode=False, obj=None)
    assert out.exception is None, out.exception
    return int(out.return_value), out.stdout


REVERSED = """
[[claim]]
id = "reversed"
data = "baseball"
model = { family = "bradley-terry", reference = "Baltimore" }
estimate = { %s }
deviance = "%s on 15"
%s
"""


def reversed_claim(accept: str = "") -> str:
    d = shipped("firth-2005", "baseball")
    at = {d.items.index("Boston"), d.items.index("Detroit")}
    fit = bradley_terry(
        altered(d, lambda k, w, t, l: (l, t, w) if {int(d.first[k]), int(d.second[k])} == at else (w, t, l)),
        reference="Baltimore",
    )
    estimates = ", ".join(f'"{i}" = "{fit.params[i]:.4f}"' for i in fit.items if i != "Baltimore")
    return REVERSED % (estimates, f"{fit.deviance:.3f}", accept)


def test_the_json_has_these_keys_and_no_other(tmp_path: Path) -> None:
    code, out = run(tmp_path, reversed_claim(), "--json")
    document = json.loads(out)
    assert set(document) == {"readings", "fitting", "explanations", "found"}
    assert document["fitting"] == 1 and document["readings"] > 1000
    assert document["explanations"] == [
        {
            "slips": ["one-pair-reversed"],
            "numbers": 8,
            "sentence": "reproduced if the pair Boston:Detroit is read in reverse",
            "evidence": True,
        }
    ]
    assert code == 1, "explained is not accepted"


def test_an_explanation_that_a_person_accepted_ends_well_and_another_does_not(tmp_path: Path) -> None:
    assert run(tmp_path, reversed_claim('accept = ["one-pair-reversed"]'))[0] == 0
    assert run(tmp_path, reversed_claim('accept = ["pair-order"]'))[0] == 1


def test_an_honest_file_needs_no_slip(tmp_path: Path) -> None:
    code, out = run(tmp_path, FIRTH)
    assert code == 0 and "no slip needed" in out and "1 reproduced as printed" in out


def test_what_no_reading_explains_is_said_plainly(tmp_path: Path) -> None:
    code, out = run(tmp_path, FIRTH.replace('"15.737 on 15"', '"16.737 on 15"'))
    assert code == 1 and "reproduced by none of" in out


def test_claims_on_one_table_that_need_different_slips_are_told_apart(tmp_path: Path) -> None:
    by_row = """
[[claim]]
id = "doubled"
data = "baseball"
model = { family = "bradley-terry", reference = "Baltimore" }
estimate = { Boston = "2.2154", Cleveland = "1.3677", Detroit = "2.8728", Milwaukee = "3.1627" }
"""
    code, out = run(tmp_path, FIRTH + reversed_claim() + by_row, "--json")
    found = {tuple(e["slips"]): e["sentence"] for e in json.loads(out)["explanations"]}
    assert code == 1 and set(found) == {(), ("one-pair-reversed",), ("scale",)}
    assert found["scale",].startswith("doubled: reproduced if ")


def test_a_reading_of_the_claims_file_itself_is_tried_too(tmp_path: Path) -> None:
    data = (
        '[data.half]\nkind = "counts"\ncolumns = ["first", "second", "wins", "losses"]\nrows = [["Boston",'
        ' "Detroit", 3, 5], ["Boston", "Toronto", 4, 4], ["Detroit", "Toronto", 2, 6]]'
    )
    claim = (
        FIRTH
        + """
[[claim]]
id = "other"
data = "baseball"
model = { family = "bradley-terry", reference = "Baltimore" }
stat = { n_comparisons = "24" }
[[claim.reading]]
name = "three-teams"
sentence = "only three teams are counted"
data = "half"
model = { family = "bradley-terry" }
"""
    )
    code, out = run(tmp_path, claim, "--json", data=data)
    last = json.loads(out)["explanations"][-1]
    assert last == {
        "slips": ["three-teams"],
        "sentence": "other: reproduced if only three teams are counted",
        "numbers": 1,
        "evidence": True,
    }


def test_what_cannot_be_searched_is_listed_with_its_reason(tmp_path: Path) -> None:
    only_r = FIRTH.replace('id = "baseball"', 'id = "in-r"') + 'engines = ["R:BradleyTerry2"]\n'
    pearson = (
        '[[claim]]\nid = "chi"\ndata = "baseball"\nmodel = { family = "bradley-terry" }\nstat = { pearson ='
        ' "14.9" }'
    )
    code, out = run(tmp_path, FIRTH + only_r + pearson)
    assert (
        "in-r: only R is requested for it" in out
        and "chi: pearson: the search cannot vary this quantity" in out
    )
    assert "2 not searched" in out


def test_the_report_holds_the_explanation_and_every_number(tmp_path: Path) -> None:
    report = tmp_path / "r.html"
    run(
        tmp_path,
        reversed_claim(),
        "--report",
        str(report),
        "--report",
        str(tmp_path / "r.json"),
        "--report",
        str(tmp_path / "r.xml"),
    )
    text = report.read_text()
    assert "the pair Boston:Detroit is read in reverse" in text and "1 explanation among" in text
    assert "does not say what the authors did" in text
    assert set(json.loads((tmp_path / "r.json").read_text())) == {
        "readings",
        "fitting",
        "explanations",
        "found",
    }


def test_the_slips_that_are_known_can_be_listed() -> None:
    out = CliRunner().invoke(app, ["explain", "--slips"])
    assert all(name in out.stdout for name in families())
    assert "prefmod's cemspc" in out.stdout


def test_an_unknown_paper_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no paper 'nobody'"):
        CliRunner().invoke(app, ["explain", "nobody"], catch_exceptions=False, standalone_mode=False)
