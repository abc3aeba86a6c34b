"""The R script of a fit of contests is run by Rscript and prints the fit's numbers."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.validation.claims.quantities import of_effects
from tests.bridge.programs.models import FITS, four
from tests.bridge.test_script import run

#: The function that a script calls, and the fewest digits that its numbers share with the fit: observed
#: 12.4 for gnm, 13 and more for BTm and brglm2; glmer stops where its own search does (7.5 of sigma, 5.3 of
#: its standard error).
CALLS = {
    "probit": ("do.call(BTm, arguments)", 12.0),
    "cauchit with an offset": ("do.call(BTm, arguments)", 11.0),
    "weights and offset": ("do.call(BTm, arguments)", 12.0),
    "probit of covariates, one player its own": ("do.call(BTm, arguments)", 11.0),
    "separated": ("glm.fit(X, cbind(wins, losses)", 11.0),
    "mean": ('method = "brglmFit"', 11.0),
    "median of the probit": ('method = "brglmFit"', 11.0),
    "jeffreys of the cauchit": ('method = "brglmFit"', 11.0),
    "mean with ties": ("log det(I) / 2", 12.0),
    "ties shifted": ("GenDavidson(result == 1", 10.0),
    "ties scaled": ("GenDavidson(result == 1", 10.0),
    "pql": ("do.call(BTm, arguments)", 11.0),
    "laplace": ("mkGlmerDevfun(", 4.0),
    "quadrature": ("the trapezoidal rule", 11.0),
    "judges by pql": ("do.call(glmmPQL", 11.0),
    "judges by laplace": ("mkGlmerDevfun(", 4.0),
    "judges by quadrature": ("the trapezoidal rule", 11.0),
    "two items by judge": ("the trapezoidal rule", 8.0),
}


def _digits(mine: float, value: float) -> float:
    """Digits that two numbers share; -1 where one alone has none."""
    if math.isnan(mine) or math.isnan(value):
        return 16.0 if math.isnan(mine) and math.isnan(value) else -1.0
    return 16.0 if mine == value else min(16.0, -math.log10(abs(mine - value) / max(abs(mine), 1e-3)))


#: The packages that a program calls, by what it calls of them.
PACKAGES = {
    "do.call(BTm": ["BradleyTerry2"],
    "do.call(glmmPQL": ["BradleyTerry2"],
    "GenDavidson(": ["gnm", "BradleyTerry2"],
    "brglmFit": ["brglm2"],
    "mkGlmerDevfun(": ["lme4"],
}


def _packages(name: str) -> list[str]:
    return next((needed for call, needed in PACKAGES.items() if call in CALLS[name][0]), [])


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.r(*_packages(name))) for name in CALLS]
)
def test_rscript_prints_the_numbers_of_the_fit(name: str, tmp_path) -> None:
    fit, (call, least) = FITS[name](), CALLS[name]
    source = pairproof.to_r(fit)
    assert source.isascii() and call in source
    found: dict[str, float] = {}
    for of, numbers in run(source, tmp_path).items():
        if of in ("deviance", "df_resid", "llf"):
            mine = [float(getattr(fit, of))]
        elif fit.random_effects is not None and of.startswith("sigma."):
            mine = [fit.sigma, fit.sigma_se]
        elif fit.random_effects is not None and of.startswith("effect."):
            mine = [of_effects(fit, "effect", of[7:])]
        else:
            mine = [float(fit.params[of]), float(fit.bse[of])]
        found[of] = min(_digits(a, b) for a, b in zip(mine, numbers))
    free = [n for n, reference in zip(fit.names, fit.is_reference) if not reference]
    assert {*free, "deviance", "df_resid", "llf"} <= set(found)
    assert {of: d for of, d in found.items() if d < least} == {}


@pytest.mark.r()
def test_a_name_reaches_r_as_text(tmp_path) -> None:
    items = ['"); quit(); c("', "B C", "ä\\"]
    table = pairproof.Comparisons.build(items, [0, 0, 1], [1, 2, 2], [3, 4, 5], None, [2, 5, 1])
    source = pairproof.to_r(pairproof.fit_bradley_terry(table, link="probit"))
    assert source.isascii() and re.search(r"^quit", source, re.MULTILINE) is None
    assert 'items <- c("\\"); quit(); c(\\"", "B C"' in source
    assert {"B C", "ä\\", "deviance"} < set(run(source, tmp_path))


def test_two_components_of_variance_have_no_script() -> None:
    table = FITS["judges by quadrature"]().data
    fit = pairproof.fit_bradley_terry(table, random=("item", "item:judge"), method="laplace")
    with pytest.raises(InputError, match="no R script: .* two components of variance were not written for R"):
        pairproof.to_r(fit)


@pytest.mark.parametrize("name", CALLS)
def test_every_package_that_a_script_loads_is_looked_for_first(name: str) -> None:
    source = pairproof.to_r(FITS[name]())
    loaded = set(re.findall(r"library\((\w+)\)", source)) - {"Matrix"}  # which comes with lme4
    assert loaded == set(_packages(name))
    header, _, rest = source.partition("# ---- the contests")
    assert "library(" not in header and "library(" in rest or not loaded
    needed = re.search(r"^needed <- c\((.*)\)$", header, re.MULTILINE)
    assert set(re.findall(r"(\w+) = ", needed[1]) if needed else []) == loaded


def test_a_script_says_what_it_needs() -> None:
    lines = pairproof.to_r(pairproof.fit_bradley_terry(four(), reduce_bias="mean")).splitlines()
    assert lines[0].startswith(
        "# Bradley-Terry, mean bias reduced: 60 comparisons of 4 items from four players"
    )
    assert lines[2].endswith("THIS-FILE (needs brglm2)")
    assert np.array(["library(brglm2)" in line for line in lines]).any()
