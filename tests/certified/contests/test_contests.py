"""The 50-digit files of contests: what their code makes, proved from the definition, other models and print.

Nothing of pairproof takes part here; tests/native/comparisons/rows/test_structured_certified.py, and the files of that name in
bias_reduced, random_effects and ties_general, hold native against these values.
"""

from __future__ import annotations

import copy
import csv
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mpmath", reason="the certified values are made and read with mpmath")

from mpmath import mp, mpf  # noqa: E402

from tests.certified import load as of_pairs, printed as of_print  # noqa: E402
from tests.certified.contests import load, make_contests, printed, proof, quadrature  # noqa: E402
from tests.certified.contests.data_sets import NAMES, OWN, read, stored  # noqa: E402
from tests.certified.contests.document import certify  # noqa: E402
from tests.certified.contests.models import CERTIFIED, Model  # noqa: E402
from tests.certified.definition import matching_digits  # noqa: E402
from tests.certified.test_files import imported  # noqa: E402

HERE = Path(load.__file__).resolve().parent
FITS = {f"{data}--{model.slug()}": (data, model) for data, models in CERTIFIED.items() for model in models}
IN_R = {"flatlizards"}
#: A second or two each, one of every kind of model.
AGAIN = [
    "citations--cauchit",
    "four-offset--probit-covariates-offset",
    "missing-covariate--logit-covariates",
    "homes-and-ties--general-home-shift-scale",
    "separated--logit-median",
    "separated--probit-mean",
    "separated--cauchit-jeffreys",
    "unbalanced-ties--davidson-jeffreys",
    "three-players--logit-covariates-random-item",
    "ten-judges--logit-group-random-item-by-judge",
]
#: Those that take longer to prove: the second program of eight judges takes a minute, and derivatives of 42
#: rows or 77 effects a few seconds; make_contests proves them.
SLOW = [
    "eight-judges--logit-random-item-by-judge",
    "baseball-1987--logit-mean-home",
    "baseball-1987--probit-home",
    "flatlizards--logit-covariates-random-item-laplace",
]


def marked(names: list[str]) -> list[Any]:
    """Those whose data are R's have their marker."""
    return [
        pytest.param(name, marks=[pytest.mark.r("BradleyTerry2")] if name.split("--")[0] in IN_R else [])
        for name in names
    ]


def test_the_code_that_certifies_imports_only_the_standard_library_and_mpmath() -> None:
    paths = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))
    assert len(paths) > 10
    for path in paths:
        foreign = imported(path) - set(sys.stdlib_module_names) - {"mpmath", "tests.certified"}
        assert not foreign, f"{path.name} imports {sorted(foreign)}"


def test_the_proof_shares_no_code_with_what_it_proves() -> None:
    makes = {"designs", "estimate", "lattice", "likelihood", "mixed"}
    for name in ("definition", "quadrature"):
        text = (HERE / f"{name}.py").read_text("utf-8")
        assert not [other for other in makes if f"contests.{other} import" in text]


def test_there_is_one_file_for_each_model_and_no_other() -> None:
    assert sorted(path.stem for path in (HERE / "fits").glob("*.json")) == sorted(FITS)
    assert sorted(path.stem for path in (HERE / "data").glob("*.json")) == sorted(NAMES)


def test_there_are_five_structured_four_bias_reduced_and_four_random_effects_data_sets_and_more() -> None:
    def sets(wanted: Any) -> set[str]:
        return {data for data, model in FITS.values() if wanted(model)}

    assert len(sets(lambda m: m.estimator == "ml" and not m.random)) >= 5
    assert len(sets(lambda m: m.estimator != "ml")) >= 4
    assert len(sets(lambda m: m.random)) >= 4
    assert len([m for _, m in FITS.values() if m.estimator != "ml"]) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_a_data_file_is_what_the_code_says(name: str) -> None:
    assert (HERE / "data" / f"{name}.json").read_text("utf-8") == make_contests.layout(stored(name))


def test_what_may_not_be_copied_is_named_and_has_no_rows_in_the_repository() -> None:
    data = json.loads((HERE / "data" / "flatlizards.json").read_text("utf-8"))
    assert (
        data["rows"] is None and len(data["sha256"]) == 64 and data["in_place"].startswith("BradleyTerry2::")
    )
    for fit in load.load_all(as_text=True):
        assert ("rows" in fit) == (fit["id"].split("--")[0] not in IN_R)


@pytest.mark.nightly
@pytest.mark.parametrize("name", AGAIN)
def test_the_file_comes_out_again_to_the_last_digit_at_another_working_precision(name: str) -> None:
    data, model = FITS[name]
    with mp.workdps(115):  # the files were made at 100
        made = make_contests.layout(certify(read(data), model))
    assert made == (HERE / "fits" / f"{name}.json").read_text("utf-8")


@pytest.mark.nightly
@pytest.mark.parametrize("name", marked([name for name in FITS if name not in SLOW]))
def test_the_printed_digits_are_proved_by_the_definition_of_the_model(name: str) -> None:
    data = FITS[name][0]
    proof.verify(load.load(name, as_text=True), read(data), thorough=False)


@pytest.mark.parametrize("name", [n for n in AGAIN if FITS[n][1].random])
def test_another_lattice_of_shorter_step_and_larger_radius_gives_the_printed_digits(name: str) -> None:
    data, model = FITS[name]
    with mp.workdps(100):
        assert proof.lattice_digits(load.load(name, as_text=True), read(data), model) >= proof.LATTICE_FLOOR


@pytest.mark.parametrize(
    ("fit", "path", "caught_by"),
    [
        ("citations--probit", ("params", "JASA"), "maximum"),
        ("citations--probit", ("cov_params", "rows", 0, 1), "covariance"),
        ("citations--probit", ("bse", "JASA"), "se"),
        ("citations--probit", ("bse_expected", "JASA"), "expected"),
        ("citations--probit", ("llf",), "llf"),
        ("citations--probit", ("deviance",), "deviance"),
        ("citations--probit", ("log_coefficients",), "coefficients"),
        ("citations--probit", ("df_resid",), "df"),
        ("separated--logit-median", ("params", "3"), "maximum"),
        ("separated--probit-mean", ("params", "3"), "maximum"),
        ("separated--probit-jeffreys", ("params", "3"), "maximum"),
        ("separated--probit-jeffreys", ("penalised",), "penalised"),
        ("unbalanced-ties--davidson-jeffreys", ("params", "tie"), "maximum"),
        ("homes-and-ties--general-home-shift-scale", ("params", "tie-scale"), "maximum"),
    ],
)
def test_the_proof_fails_when_one_printed_digit_is_wrong(
    fit: str, path: tuple[Any, ...], caught_by: str
) -> None:
    document = copy.deepcopy(load.load(fit, as_text=True))
    _change(document, path, "1e-46")
    with pytest.raises(ArithmeticError, match=caught_by):
        proof.verify(document, read(FITS[fit][0]))


def _change(document: dict[str, Any], path: tuple[Any, ...], by: str) -> None:
    node = document
    for key in path[:-1]:
        node = node[key]
    value = node[path[-1]]
    with mp.workdps(60):
        node[path[-1]] = value + 1 if isinstance(value, int) else mp.nstr(mpf(value) * (1 + mpf(by)), 50)


@pytest.mark.parametrize(
    ("path", "caught_by"),
    [
        (("params", "group"), "maximum"),
        (("sigma",), "maximum"),
        (("llf",), "llf"),
        (("effects", "3:A"), "effects"),
        (("null", "params", "B"), "null"),
        (("p",), "lr"),
    ],
)
def test_the_proof_of_random_effects_fails_when_a_number_is_wrong(
    path: tuple[Any, ...], caught_by: str
) -> None:
    document = copy.deepcopy(load.load("ten-judges--logit-group-random-item-by-judge", as_text=True))
    _change(document, path, "1e-4")
    with pytest.raises(ArithmeticError, match=caught_by):
        proof.verify(document, read("ten-judges"), thorough=False)


# -- identities ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("citations--logit", "citations--bradley-terry-none"),
        ("baseball-1987--logit-home", "baseball-1987--bradley-terry-none-order"),
    ],
)
def test_a_logit_without_more_is_the_bradley_terry_model_of_the_other_files(name: str, other: str) -> None:
    mine, theirs = load.load(name, as_text=True), of_pairs.load(other, as_text=True)
    names = {key: "order" if key == "home" else key for key in mine["params"]}
    for key, of_other in names.items():
        assert mine["params"][key] == theirs["params"][of_other]
        assert mine["bse"][key] == theirs["bse"][of_other]
    assert mine["llf"] == theirs["llf"]


def test_the_fit_without_random_effects_and_with_them_share_the_covariates_model() -> None:
    """Fitted totals of x are the observed ones at sigma = 0; with effects, x is orthogonal to their means."""
    for name in ("four-players", "three-players"):
        fit = load.load(f"{name}--logit-covariates-random-item")
        x = OWN[name]["item_data"]["x"]
        with mp.workdps(60):
            along = mp.fsum(mpf(x[item]) * mean for item, mean in fit["effects"].items())
            # d log L / d beta = x'E(u) / sigma^2, and the means sum to 0.
            assert abs(along) < mpf("1e-38") and abs(mp.fsum(fit["effects"].values())) < mpf("1e-38")


def test_posterior_means_of_judges_sum_to_0_and_along_every_ability_too() -> None:
    fit = load.load("eight-judges--logit-random-item-by-judge")
    with mp.workdps(60):
        for judge in range(1, 9):
            assert abs(mp.fsum(fit["effects"][f"{judge}:{item}"] for item in "123")) < mpf("1e-38")
        for item in "123":
            assert abs(mp.fsum(fit["effects"][f"{judge}:{item}"] for judge in range(1, 9))) < mpf("1e-38")


def test_two_items_have_closed_forms_for_every_link_and_for_bias_reduction() -> None:
    rows = [{"first": "A", "second": "B", "wins": 7, "losses": 3}]
    data = {"id": "two", "what": "", "source": "", "items": ["A", "B"], "rows": rows}
    with mp.workdps(100):
        p = mpf(7) / 10
        expected = {
            Model(reference="B"): mp.log(p / (1 - p)),
            Model(link="probit", reference="B"): mp.sqrt(2) * mp.erfinv(2 * p - 1),
            Model(link="cauchit", reference="B"): mp.tan(mp.pi * (p - mpf(1) / 2)),
            # Half a win and half a loss more (Firth 1993, section 3.1).
            Model("mean", reference="B"): mp.log(mpf("7.5") / mpf("3.5")),
        }
        for model, value in expected.items():
            fit = certify(data, model)
            assert matching_digits(mpf(fit["params"]["A"]), value, abs(value)) >= 49
            assert proof.proof(fit, data)["maximum"] >= 49


@pytest.mark.nightly
def test_the_integral_over_one_difference_is_that_of_a_general_rule() -> None:
    """mpmath's own quadrature of one judge's integral, written out."""
    fit = load.load("ten-judges--logit-group-random-item-by-judge", as_text=True)
    with mp.workdps(45):
        sigma, b, group = (mpf(v) for v in (fit["sigma"], fit["params"]["B"], fit["params"]["group"]))
        total = mpf(0)
        for row in fit["rows"]:

            def density(d: mpf) -> mpf:
                p = 1 / (1 + mp.exp(b - group * row["group"] - d))
                normal = mp.exp(-((d / sigma) ** 2) / 4) / (2 * sigma * mp.sqrt(mp.pi))
                return normal * p ** row["wins"] * (1 - p) ** row["losses"]

            total += mp.log(mp.quad(density, list(range(-30, 31, 3))))
        assert matching_digits(total, mpf(fit["llf"]), mpf(1)) >= 36  # the file has 40: observed 39.1


def test_gauss_and_legendres_rule_is_exact_for_polynomials() -> None:
    nodes, weights = quadrature.gauss_legendre(20, 30)
    with mp.workdps(40):
        for power in (0, 2, 38):
            found = mp.fsum(w * x**power for x, w in zip(nodes, weights))
            assert abs(found - mpf(2) / (power + 1)) < mpf("1e-33")


# -- print and index -------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", printed.every_line(), ids=lambda c: f"{c.fit}-{c.quantity}-{c.printed}")
def test_a_value_prints_as_it_was_printed_unless_a_reason_says_why_not(check: of_print.Check) -> None:
    value = printed.value_of(check, load.load(check.fit))
    assert of_print.prints_as(value, check.printed) != bool(check.reason), mp.nstr(value, 25)


def test_the_index_is_made_from_the_files_as_they_are_with_their_hashes() -> None:
    text = (HERE / "index.csv").read_text("utf-8")
    assert (
        text == make_contests.index()
    ), "python -m tests.certified.contests.make_contests --write makes it anew"
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["fit"] for row in rows} == set(FITS) and len(rows) == len(FITS)
    for row in rows:
        for kind in ("data", "fit"):
            content = (HERE / row[f"{kind}_file"]).read_bytes()
            assert hashlib.sha256(content).hexdigest() == row[f"{kind}_sha256"]


def test_the_readme_describes_every_data_set() -> None:
    readme = (HERE.parent / "README.md").read_text("utf-8")
    assert [name for name in NAMES if f"`{name}`" not in readme] == []
    assert f"{len(NAMES)} data sets and {len(FITS)} fits of contests" in readme
