"""The tables of "prefmod -> pairproof": the examples of prefmod's help pages as migrate has them, number by
number, and beside them what it does not translate.

pairproof's numbers of the latter are of prefmod's data, which stay there: they are kept in `prefmod_native.json`,
from which the page is made on machines without prefmod.  A test with prefmod runs all of it again;
`python -m tools.pages.prefmod_page` keeps what it gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any

from pairproof.bridge import Expr, backend, package_data
from pairproof.bridge.packages import prefmod
from pairproof.errors import PairproofError
from pairproof.fit.fit import Fit
from pairproof.validation.verdicts.digits import digits_of_agreement

from . import prefmod_classes, prefmod_immig, prefmod_others
from .migrated import Call, in_r, listed, of_group, sections
from .prefmod_cases import IMMIG, run
from .snippets import ROOT
from .tables import certified_fit, keep, kept, markdown, shown, ten

#: Digits below which a row must have an explanation.  Observed on the examples: 2.8 and more, for standard
#: errors of llbt.fit, which stops at a relative change of the deviance of 1e-4, and of nlm's numeric Hessian
#: with alpha and beta.
ENOUGH = 2.5

#: The teams of Agresti's table as the certified set of single comparisons names them.
TEAMS = {
    "MIL": "Milwaukee",
    "DET": "Detroit",
    "TOR": "Toronto",
    "NY": "New York",
    "BOS": "Boston",
    "CLE": "Cleveland",
    "BAL": "Baltimore",
}


#: R function, or page and name, of a call -> what is said of it.
NOTES: Mapping[str, str] = {
    "llbt.fit: llbt.fit": (
        "Of single persons, prefmod counts the 91 comparisons that were not made as cells, with fitted values"
        " above 0 in them: its deviance and df are of more cells than there are data"
    )
}

# -- pairproof's numbers of what migrate does not translate --------------------------------------------------

NATIVE = "prefmod_native"
#: Models of `immig`, whose deviance between with and without beta is 39.8 in prefmod.
BETAS = {f"immig {beta}".strip(): beta for beta in ("", "coded", "difference", "item", "comparison")}


def _numbers(code: str, data: Any) -> dict[str, Any]:
    """Free parameters with standard errors, and likelihood; or the error."""
    try:
        fit: Fit = run(code, data)
    except PairproofError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    free = [n for n, r in zip(fit.names, fit.is_reference) if not r]
    return {
        "estimate": {n: float(fit.params[n]) for n in free},
        "se": {n: float(fit.bse[n]) for n in free},
        "llf": fit.llf,
    }


def computed() -> dict[str, Any]:
    """All numbers of pairproof's side, from live data."""
    found, data = {}, package_data("prefmod", "immig", backend="live").iloc[:, :6].reset_index(drop=True)
    for name, beta in BETAS.items():
        option = f', beta="{beta}"' if beta else ""
        found[name] = _numbers(f'{IMMIG}fit_pattern(table, alpha="item"{option})', data)
    return found | prefmod_others.computed() | prefmod_classes.computed()


# -- 50-digit values -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _certified() -> Mapping[str, str]:
    """The certified fits by the name of an R variable: "dat4.pattern" is dat4--pattern."""
    folder = ROOT / "tests" / "certified" / "answers" / "fits"
    return {re.sub(r"\W+", ".", path.stem): f"answers/fits/{path.stem}" for path in folder.glob("*.json")}


def certified(c: Call) -> dict[str, str]:
    """The 50-digit values of a call's quantities, as text; of a model that has none, nothing."""
    if "baseball" in c.pages and c.function.startswith("gnm"):
        return _baseball()
    if c.pages[0] == "pattR.fit" and c.function == "prefmod::pattR.fit":
        return certified(replace(c, name="salad.pattern", pages=("",)))
    # patt.worth of a fit stands on it.
    name = next((n for n in (c.name, *re.findall(r"\(([\w.]+)\)", c.r)) if n in _certified()), "")
    if not name:
        return {}
    found = certified_fit(_certified()[name])
    return {
        **{f"estimate.{name}": value for name, value in found["params"].items()},
        **{f"se.{name}": value for name, value in found["bse"].items()},
        **{kind: found[kind] for kind in ("llf", "deviance")},
        **{
            f"worth.{group}.{item}": value
            for group, worths in found.get("worth", {}).items()
            for item, value in worths.items()
        },
    }


def _baseball() -> dict[str, str]:
    """Of the 50-digit fit of single games, whose reference is Toronto: differences from Baltimore."""
    found = certified_fit("fits/baseball-1987--llbt-none-order")
    names = found["cov_params"]["names"]
    exact = {"llf": found["llf"], "deviance": found["deviance"], "estimate.order": found["params"]["order"]}
    exact["se.order"] = found["bse"]["order"]
    with localcontext() as context:
        context.prec = 50
        value = {name: Decimal(x) for name, x in found["params"].items()} | {"Toronto": Decimal(0)}
        rows = [[Decimal(x) for x in row] for row in found["cov_params"]["rows"]]
        cov = {(a, b): rows[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}
        last = TEAMS["BAL"]
        for short, team in list(TEAMS.items())[:-1]:
            exact[f"estimate.{short}"] = str(value[team] - value[last])
            variance = (
                cov.get((team, team), Decimal(0)) + cov[last, last] - 2 * cov.get((team, last), Decimal(0))
            )
            exact[f"se.{short}"] = str(variance.sqrt())
    return exact


# -- the blocks ----------------------------------------------------------------------------------------------


def examples() -> str:
    """The examples of the help pages."""
    return sections(of_group("prefmod", more=False), certified, NOTES)


def beside() -> str:
    """What no help page runs: the models of prefmod's data sets that are in the 50-digit set, and a few more."""
    return sections(of_group("prefmod", more=True), certified, NOTES)


def immig() -> str:
    """The likelihood-ratio of beta: prefmod's, as it computes it and as its help page and the book define it."""
    masks = {"MISalpha": [True] * 4}
    data = Expr("prefmod::immig")
    without = prefmod.pattPC_fit(data, 4, **masks, backend=backend())
    with_beta = prefmod.pattPC_fit(data, 4, **masks, MISbeta=[True] * 4, backend=backend())
    own, sure = kept(NATIVE), prefmod_immig.exact()
    none = own["immig"]["llf"]
    rows = [
        ("alpha alone", ten(without.llf), ten(none), sure["alpha"]["llf"][:22], ""),
        (
            'MISbeta, `beta="coded"`',
            ten(with_beta.llf),
            ten(own["immig coded"]["llf"]),
            sure["coded"]["llf"][:22],
            f"{2 * (own['immig coded']['llf'] - none):.6f}",
        ),
    ]
    for name, beta in list(BETAS.items())[2:]:
        error = own[name]["error"]
        told = re.search(r"maximum \((-[\d.]+)\)", error)
        if told is None:
            raise ValueError(f"the refusal of beta={beta!r} names no maximum: {error}")
        most = float(told[1])
        rows.append(
            (
                f'`beta="{beta}"`, as documented',
                "",
                f"{most:.9g}, not identified",
                sure["free rates"][:22],
                f"{2 * (most - none):.6f}",
            )
        )
    heads = (
        "model",
        "prefmod's llf",
        "pairproof's llf",
        "50-digit llf, its first 20",
        "twice the gain over alpha alone",
    )
    parameters = [
        (
            f"{head}, {of}{name}",
            ten(r),
            ten(here[name]),
            shown(float(digits_of_agreement(here[name], r))),
            true[:22],
        )
        for model, head, answer in (("alpha", "alpha alone", without), ("coded", "with beta", with_beta))
        for fit in [own["immig" if model == "alpha" else "immig coded"]]
        for key, of, here, theirs in (
            ("params", "", fit["estimate"], answer.coef),
            ("bse", "standard error of ", fit["se"], answer.se),
        )
        for (name, true), r in zip(sure[model][key].items(), theirs)
    ]
    more = markdown(
        ("parameter", "prefmod", "pairproof", "digits", "50-digit value, its first 20"), parameters
    )
    return f"\n{markdown(heads, rows)}\n{more}\n"


BLOCKS = {
    "prefmod-examples": lambda: listed(of_group("prefmod", more=False)),
    "prefmod-in-r": lambda: in_r("prefmod"),
    "prefmod-immig": immig,
    "prefmod-classes": prefmod_classes.classes,
    "prefmod-others": prefmod_others.others,
    "prefmod-certified": lambda: listed(of_group("prefmod", more=True)),
}


if __name__ == "__main__":
    keep(NATIVE, computed())
