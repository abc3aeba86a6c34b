"""The R script of a fit is run by Rscript and prints the fit's numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import pairproof
from pairproof.bridge.programs import r_script as script, r_source as literals
from pairproof.bridge.programs.r_script import to_r
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.verdicts.digits import digits_of_agreement
from tests.certified.load import load
from tests.native.comparisons.counts.cems import cems
from tests.native.comparisons.counts.certified_cases import native, table
from tests.places import DATA

pytestmark = pytest.mark.r("gnm", "MASS")
#: Observed fewest digits over the scripts below: estimates 14.0, standard errors 14.3, deviance 13.6,
#: log-likelihood 14.9; slack for another BLAS and another R.
FLOORS = {"estimate": 12.0, "se": 12.0, "deviance": 11.0, "df_resid": 16.0, "llf": 13.0}


def run(script: str, tmp_path) -> dict[str, tuple[float, ...]]:
    """What the script prints, by name; Rscript as anybody has it."""
    rscript_ = shutil.which("Rscript")
    assert rscript_, "R was found, but no Rscript beside it"
    path = tmp_path / "fit.R"
    path.write_text(script, encoding="ascii")
    done = subprocess.run([rscript_, "--vanilla", str(path)], capture_output=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode("utf-8").splitlines()
    assert lines[0] == "name\testimate\tse"
    rows = [line.rsplit("\t", 2 if line.count("\t") > 1 else 1) for line in lines[1:]]
    return {name: tuple(float("nan") if v == "NA" else float(v) for v in values) for name, *values in rows}


def reproduced(fit: Fit, printed: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """Fewest digits by kind; every parameter must be there, and nothing that is not estimable may have a
    number.
    """
    printed = dict(printed)
    least = dict.fromkeys(FLOORS, 16.0)
    for name in ("deviance", "df_resid", "llf"):
        (value,) = printed.pop(name)
        scale = 1.0 if name == "deviance" and fit.df_resid == 0 else 0.0
        least[name] = float(digits_of_agreement(getattr(fit, name), value, scale))
    assert set(printed) == {n for n, r in zip(fit.names, fit.is_reference) if not r}
    for name, (estimate, se) in printed.items():
        assert np.isnan(estimate) == (name in fit.not_estimable)
        if name not in fit.not_estimable:
            least["estimate"] = min(
                least["estimate"], float(digits_of_agreement(fit.params[name], estimate, se))
            )
            least["se"] = min(least["se"], float(digits_of_agreement(fit.bse[name], se)))
    return least


def check(fit: Fit, tmp_path) -> None:
    least = reproduced(fit, run(to_r(fit), tmp_path))
    assert all(least[kind] >= floor for kind, floor in FLOORS.items()), least


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    [
        "dras-table1--llbt-davidson",
        "dras-table1--llbt-none",
        "dras-table1--llbt-davidson-by-judge",
        "dras-table1--llbt-davidson-by-judge-ref-sum",
        "dras-table1--llbt-davidson-by-judge-tie-judge",
        "dras-table1--llbt-davidson-cells-judge",
        "dras-table1--bradley-terry-half",
        "dras-table1--bradley-terry-drop",
        "dras-table1-prefmod-order--llbt-davidson",
        "dras-table1-covariates--llbt-davidson-by-age",
        "modpref-dras--llbt-davidson",
        "collins-dras--llbt-davidson",
        "modpref-dras--llbt-drop",
        "baseball-1987--bradley-terry-none-order",
        "order-and-neutral--llbt-davidson-order-cells-row",
        "citations-origin-missing--bradley-terry-none-items-by-covariate",
        "citations--bradley-terry-none-items-by-covariate",
        "dras-table1-zero-ties--llbt-davidson",
        "dras-table1--bradley-terry-rao-kupper-ref-d",
        "dras-table1--llbt-rao-kupper-by-judge",
        "dras-table1-covariates--llbt-rao-kupper-by-age",
        "order-and-neutral--bradley-terry-rao-kupper-order",
    ],
)
def test_the_script_prints_the_fits_numbers(name, tmp_path):
    check(native(load(name)), tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "dras-table1--llbt-davidson-by-judge",
        "dras-table1--bradley-terry-half",
        "dras-table1--llbt-davidson-ref-sum",
    ],
)
def test_with_many_constants_gnm_eliminates_them(name, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "MOST_CONSTANTS", 3)
    fit = native(load(name))
    assert 'needed <- c(gnm = "1.1-3")' in to_r(fit) and "library(gnm)" in to_r(fit)
    check(fit, tmp_path)


def test_rao_kupper_with_a_tie_parameter_for_each_judge_needs_no_polr(tmp_path):
    fit = fit_llbt(table(load("dras-table1--llbt-davidson")), ties="rao-kupper", by="judge + tie:judge")
    assert fit.params["tie:judge[3]"] != 0
    check(fit, tmp_path)


def test_interactions_of_two_covariates_have_the_fits_names(tmp_path):
    data = table(load("dras-table1-covariates--llbt-davidson-by-expert"))
    fit = fit_llbt(data, by="expert*age")
    assert "A:expert[yes]:age" in fit.names
    check(fit, tmp_path)


SEPARATED = Comparisons.build(
    list("ABCD"),
    [0, 0, 0, 1, 1, 2],
    [1, 2, 3, 2, 3, 3],
    [10, 9, 7, 6, 5, 3],
    [0, 0, 0, 1, 2, 1],
    [0, 0, 0, 4, 5, 6],
)
APART = Comparisons.build(list("ABCD"), [0, 2], [1, 3], [10, 7], [2, 1], [3, 3])
#: The last item lost to everybody: the sum runs over the others.
NEWCOMER = Comparisons.build(
    list("ABCN"), [0, 1, 0, 3], [1, 2, 2, 0], [10, 7, 4, 0], [1, 0, 2, 0], [5, 8, 9, 12]
)


@pytest.mark.parametrize(
    ("fitter", "options"),
    [
        (fit_llbt, dict(by="Paris:ENG", reference="Paris")),
        (fit_bradley_terry, dict(by="LAT:ENG + London:ENG", reference="sum")),
        (fit_llbt, dict(item_terms=["LAT", "EC"], by="LAT:ENG")),
        (fit_bradley_terry, dict(comparison_terms="x*ENG", by="Milano:ENG", order_effect=True)),
        (fit_llbt, dict(comparison_terms=["x", "ENG"], ties="rao-kupper", by="LAT:ENG")),
        (fit_bradley_terry, dict(comparison_terms="x", ties="drop", by="ENG + LAT:x", reference="sum")),
    ],
)
def test_selective_terms_and_terms_of_the_comparison_have_the_fits_names(fitter, options, tmp_path):
    table = cems()
    x = np.arange(table.n_rows) % 5 - 1.5
    table = Comparisons.build(
        table.items,
        table.first,
        table.second,
        table.wins,
        table.ties,
        table.losses,
        columns={**table.columns, "x": x},
        item_data=table.item_data,
    )
    check(fitter(table, **options), tmp_path)


@pytest.mark.parametrize(
    "data", [SEPARATED, APART, NEWCOMER], ids=["separated", "not connected", "a newcomer that lost all"]
)
@pytest.mark.parametrize(
    "options", [{}, {"reference": "sum"}, {"ties": "drop"}, {"ties": "rao-kupper"}], ids=str
)
def test_what_is_not_estimable_is_printed_as_na_and_the_rest_is_right(data, options, tmp_path):
    fit = fit_bradley_terry(data, **options)
    assert fit.not_estimable
    check(fit, tmp_path)


def test_rao_kupper_without_a_tie_is_at_its_boundary(tmp_path):
    data = Comparisons.build(list("ABC"), [0, 0, 1], [1, 2, 2], [5, 4, 6], [0, 0, 0], [3, 5, 2])
    check(fit_llbt(data, ties="rao-kupper"), tmp_path)


ODD = ('\u00c4 "x"', "b\\n#", "\u65e5\u672c\U0001f600", "d'e;`")


def test_names_and_comments_cannot_break_out_of_the_script(tmp_path):
    data = table(load("dras-table1--llbt-davidson-by-judge"))
    odd = replace(
        data,
        items=ODD,
        source="votes\n# and system('false') \u2713",
        columns={"judge": Factor(data.columns["judge"].codes, ('1"', "2\\", "\u00e93", "4]"))},
    )
    fit = fit_llbt(odd, by="judge", reference="sum")
    script = to_r(fit)
    assert script.isascii()
    assert not any(
        line.startswith("# and system") or line.startswith("system") for line in script.splitlines()
    )
    check(fit, tmp_path)


def test_fractional_numbers_reach_r_with_every_bit(tmp_path):
    data = table(load("dras-table1-covariates--llbt-davidson-by-age"))
    rng = np.random.default_rng(1)
    exact = 25 + 27 * rng.random(4)
    of = np.unique(data.columns["age"], return_inverse=True)[1]
    fit = fit_llbt(replace(data, columns={**data.columns, "age": exact[of]}), by="age")
    assert any(float(v).hex() in to_r(fit) for v in exact)
    check(fit, tmp_path)


def test_the_script_needs_nothing_but_r_and_holds_no_path():
    script = to_r(fit_llbt(table(load("dras-table1--llbt-davidson"))))
    assert "library(" not in script and not re.search(r"/\w+/", script)


def test_the_fit_and_the_package_offer_it_by_name():
    fit = native(load("modpref-dras--llbt-davidson"))
    assert fit.to_r() == pairproof.to_r(fit) == to_r(fit)


def test_the_script_of_a_clustered_fit_says_that_its_errors_are_not_by_cluster(tmp_path):
    fit = fit_llbt(pairproof.read(DATA / "inference_d24.csv"))
    written = to_r(fit.clustered("judge"))
    assert (
        "# The fit's standard errors are CR2 by judge (24 clusters). Those of this script are the model's"
        in written
    )
    assert "by cluster" not in to_r(fit)
    assert run(written, tmp_path)["A"][1] == pytest.approx(fit.bse["A"], rel=1e-12)  # seen: 1e-15


@pytest.mark.parametrize(("packages", "least", "named", "line"), [
    (["noSuchPackage"], {}, "noSuchPackage", 'install.packages("noSuchPackage")'),
    (["noSuchPackage", "stats"], {}, "noSuchPackage", 'install.packages("noSuchPackage")'),
    (["noSuchPackage", "norThis"], {}, "noSuchPackage, norThis", 'install.packages(c("noSuchPackage", "norThis"))'),
    (["stats"], {"stats": "99.1"}, "stats >= 99.1", 'install.packages("stats")'),
])  # fmt: skip
def test_a_script_that_lacks_a_package_ends_with_the_line_that_installs_it(
    packages, least, named, line, tmp_path, monkeypatch
):
    monkeypatch.setattr(literals, "LEAST", least)
    (tmp_path / "fit.R").write_text(literals.needed(packages) + 'cat("went on")\n', "ascii")
    ran = subprocess.run(["Rscript", "--vanilla", "fit.R"], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 1 and ran.stdout == ""
    assert f"not installed here, or too old: {named}. In R:\n  {line}\n" in ran.stderr


def test_a_script_that_has_its_packages_goes_on(tmp_path):
    (tmp_path / "fit.R").write_text(literals.needed(["stats", "utils"]) + 'cat("went on")\n', "ascii")
    ran = subprocess.run(["Rscript", "--vanilla", "fit.R"], capture_output=True, text=True, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "went on"), ran.stderr
