"""pairproof's side of the examples of prefmod's help pages: code, and the numbers it gives.

The data sets are prefmod's and stay there: `python -m tools.pages` fetches them from R, runs the code below, and keeps the
numbers in `tools/pages/prefmod_native.json`, from which the page is made on machines without prefmod.  A test with prefmod
runs all of it again.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import pairproof
from pairproof.bridge import package_data
from pairproof.errors import PairproofError, PairproofWarning
from pairproof.fit.fit import Fit

from . import prefmod_classes, prefmod_others
from .prefmod_cases import case

KEPT = Path(__file__).with_name("prefmod_native.json")

_CEMS = """table = read_respondents(data, "pairs", items={items}, pair_order="prefmod",
                         coding={{"first": 0, "tie": 1, "second": 2, "missing": "NA"}}, levels={levels})
"""
_SIX = (
    'pairproof.read(data, layout="prefmod", pair_order="prefmod", items=["lo", "pa", "mi", "sg", "ba", "st"],\n'
    + (
        '                       coding={"first": 0, "tie": 1, "second": 2, "missing": "NA"}, levels={"ENG": [1, 2]}'
    )
)
_THREE = _CEMS.format(items='["o1", "o2", "o3"]', levels='{"SEX": [1, 2]}')
_DATA3 = """table = read_respondents(data, "pairs", items=["o1", "o2", "o3"], pair_order="prefmod",
                         coding={"first": 1, "second": -1, "missing": "NA"}, tie_category=False)
"""
_MUSIC = """table = read_respondents(data, "ratings", items=["jazz", "blue", "folk", "rap"], scale="1-5", best="low")
"""
_INCOMPLETE = 'np.where({}.isna().any(axis=1), "yes", "no")'
_SALAD = 'table = read_respondents(data, "ranks", items=["A", "B", "C", "D"])\n'
_ISSP = """table = read_respondents(data, "ratings", items=["CAR", "IND", "FARM", "WATER", "TEMP", "GENE"],
                         scale="1-5", best="low", levels={"SEX": [1, 2], "EDU": [1, 2]})
"""

_BINARY = """table = read_respondents(data, "pairs", items={items}, pair_order="prefmod",
                         coding={"first": 1, "second": 2}, tie_category=False)
"""
_DAT4 = _BINARY.replace("{items}", '["o1", "o2", "o3", "o4"]').replace(": 2}", ": -1}")
_IMMIG = """table = read_respondents(data, "pairs", items=["crimRate", "position", "socBurd", "culture"],
                         pair_order="prefmod", coding={"first": 1, "tie": 0, "second": -1, "missing": "NA"})
"""
#: The team at home is named first; the design has a row for each winner of a pair, in pairs of rows.
_BASEBALL = """teams, pairs = ["MIL", "DET", "TOR", "NY", "BOS", "CLE", "BAL"], data.iloc[::2][["y", "pos"]].assign(other=data["y"].values[1::2])
one, two = ((data.iloc[::2][teams].values == sign).argmax(axis=1) for sign in (1, -1))
home = pairs["pos"].values == 1
table = pairproof.Comparisons.build(teams, first=np.where(home, one, two), second=np.where(home, two, one),
                                    wins=np.where(home, pairs["y"], pairs["other"]),
                                    ties=None, losses=np.where(home, pairs["other"], pairs["y"]))
fit_llbt(table, order_effect=True)"""

#: Case -> code whose last line is the fit, or a table of numbers.  `data` is the table of the case.
CODE: dict[str, str] = {
    "checkMIS-pattPC": _DATA3 + 'fit_pattern(table, alpha="item", alpha_of=["o2", "o3"])',
    "llbt-design-no-ties": f'table = {_SIX})\nfit_llbt(table, ties="none", by="ENG")',
    "llbt-design": f'table = {_SIX})\nfit_llbt(table, ties="davidson", by="ENG")',
    "llbt-design-objcovs": f"table = {_SIX},\n                       item_data=schools)\n"
    'fit_llbt(table, ties="davidson", item_terms=["LAT", "EC"], by="LAT:ENG")',
    "llbt-fit-casewise": f'data["judge"] = np.arange(len(data))\ntable = {_SIX})\nfit_llbt(table, ties="davidson", cells=["judge"])',
    "llbt-fit-eng": f'table = {_SIX})\nfit_llbt(table, ties="davidson", by="ENG")',
    "llbt-worth-pc": _THREE + 'fit_llbt(table.to_comparisons(), ties="davidson", by="SEX")',
    "llbt-worth-gnm": _THREE + 'fit_llbt(table.to_comparisons(), ties="davidson", by="SEX")',
    "llbt-worth-latin": f"table = {_SIX},\n                       item_data=schools)\n"
    'fit_llbt(table, ties="davidson", item_terms=["LAT"])',
    "llbtPC-null": f'table = {_SIX})\nfit_llbt(table, ties="davidson", cells=["ENG"])',
    "llbtPC-eng": f'table = {_SIX})\nfit_llbt(table, ties="davidson", by="ENG")',
    "patt-design-issp": _ISSP + 'fit_pattern(table, ties="by-pair")',
    "patt-design-issp-sex": _ISSP + 'fit_pattern(table, ties="by-pair", by="SEX")',
    "patt-worth": _THREE + 'fit_pattern(table, by="SEX")',
    "pattL-music": _MUSIC + "fit_pattern(table)",
    "pattL-music-ia": _MUSIC + "fit_pattern(table, dependence=True)",
    "pattL-music-NItest": f'data["gaps"] = {_INCOMPLETE.format("data")}\n'
    + _MUSIC
    + 'fit_pattern(table, by="gaps")',
    "pattLrep": 'table = read_respondents(data, "ratings", times=["1", "2"], items=["A", "B", "C"],\n'
    '                         answers=["V1", "V2", "V3", "V4", "V5", "V6"], scale="1-5", best="low")\nfit_pattern(table, between_times=True)',
    "pattRrep": 'table = read_respondents(data, "ranks", times=["1", "2"], items=["A", "B", "C"],\n'
    '                         answers=["X1", "X2", "X3", "X1.1", "X2.1", "X3.1"])\nfit_pattern(table, between_times=True)',
    "pattRrep-as-the-page-has-it": 'table = read_respondents(data, "ratings", items=["A", "B", "C"],\n'
    '                         times=["1", "2"], answers=["X1", "X2", "X3", "X1.1", "X2.1", "X3.1"], scale="1-3", best="low")\n'
    "fit_pattern(table, between_times=True)",
    "pattPC": _THREE + "fit_pattern(table)",
    "pattPC-NItest": f'data["gaps"] = {_INCOMPLETE.format("data.iloc[:, :3]")}\n'
    + _CEMS.format(items='["o1", "o2", "o3"]', levels='{"gaps": ["no", "yes"]}')
    + 'fit_pattern(table, by="gaps")',
    "pattPC-null": _THREE + "fit_pattern(table)",
    "pattPC-alpha-beta": _DATA3
    + 'fit_pattern(table, alpha="item", beta="coded", alpha_of=["o2", "o3"], beta_of=["o2", "o3"])',
    "pattR-salad": _SALAD + "fit_pattern(table)",
    "pattR-salad-glm": _SALAD + "fit_pattern(table)",
    "salad-objcovs": 'table = read_respondents(data, "ranks", items=["A", "B", "C", "D"],\n'
    '                         item_data={"item": ["A", "B", "C", "D"], "acetic": [0.5, 0.5, 1, 0],'
    ' "gluconic": [0, 10, 0, 10]})\n'
    'fit_pattern(table, item_terms=["acetic", "gluconic"])',
}
_MODES = _BINARY.replace("{items}", '["CO", "TV", "PA", "AU", "CL"]')
_CARS = """table = read_respondents(data, "ranks", items={items}, unranked="below"{more})
"""
_RATED = """table = read_respondents(data, "ratings", items={items},
                         scale="1-5", best="low")
"""
#: The same of models of which no help page has a fit.
CODE = {
    **CODE,
    "baseball": _BASEBALL,
    "xmpl-glm": """table = read_respondents(data, "ratings", items=["I1", "I2", "I3"], scale="1-5", best="low",
                         levels={"SEX": [1, 2]})
fit_pattern(table, ties="by-pair", by="SEX")""",
    "dat4-pattern": _DAT4 + "fit_pattern(table)",
    "dat4-dependence": _DAT4 + "fit_pattern(table, dependence=True)",
    "immig-pattern": _IMMIG + "fit_pattern(table)",
    "immig-dependence": _IMMIG + "fit_pattern(table, dependence=True)",
    "trdel-pattern": _MODES + "fit_pattern(table)",
    "trdel4-sex": _BINARY.replace("{items}", '["CO", "TV", "PA", "AU"]').replace(
        "tie_category=False", 'tie_category=False,\n                         levels={"sex": [1, 2]}'
    )
    + 'fit_pattern(table, by="sex")',
    "issp2000-4-pattern": _RATED.replace("{items}", '["CAR", "IND", "FARM", "WATER"]') + "fit_pattern(table)",
    "issp2000-4-dependence": _RATED.replace("{items}", '["CAR", "IND", "FARM", "WATER"]')
    + "fit_pattern(table, dependence=True)",
    "music4-pattern": _RATED.replace("{items}", '["bigb", "blug", "coun", "blue"]') + "fit_pattern(table)",
    "music3x2-dependence": """table = read_respondents(data, "ratings", times=["1", "2"], items=["bigb", "blug", "coun"],
                         answers=["bigb", "blug", "coun", "blue", "musi", "clas"], scale="1-5", best="low")
fit_pattern(table, dependence=True, between_times=True)""",
    "carconf-pattern": _CARS.format(
        items='["price", "exterior", "brand", "tech.equip", "country", "interior"]', more=""
    )
    + "fit_pattern(table)",
    "carconf4-sex": _CARS.format(
        items='["price", "exterior", "brand", "tech.equip"]', more=', levels={"sex": [1, 2]}'
    )
    + 'fit_pattern(table, by="sex")',
}
#: Models of `immig`, whose deviance between with and without beta is 39.8 in prefmod.
IMMIG = """table = read_respondents(data, "pairs", items=["o1", "o2", "o3", "o4"], pair_order="prefmod",
                         coding={"first": 1, "tie": 0, "second": -1, "missing": "NA"})
"""
BETAS = ("", "coded", "difference", "item", "comparison")
SCHOOLS = {
    "item": ["lo", "pa", "mi", "sg", "ba", "st"],
    "LAT": [0.0, 1, 1, 0, 1, 0],
    "EC": [1.0, 0, 1, 0, 0, 1],
}


def run(code: str, data: Any) -> Any:
    """What the last line of the code gives."""
    names = {
        "data": data.copy(),
        "np": np,
        "pairproof": pairproof,
        "schools": SCHOOLS,
        **{n: getattr(pairproof, n) for n in ("read_respondents", "fit_pattern", "fit_llbt")},
    }
    body, _, last = code.strip().rpartition("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PairproofWarning)
        exec(body, names)
        return eval(last, names)


def data_of(name: str) -> Any:
    """The table of a case, as pandas has it; prefmod's columns only, those of the answers first."""
    data = case(name).table.frame("live").reset_index(drop=True)
    if name.startswith("patt-design-issp"):
        return data[["CAR", "IND", "FARM", "WATER", "TEMP", "GENE", "SEX", "EDU"]]
    given = case(name).arguments.get("nitems") or case(name).design.get("nitems")
    if case(name).table.data == "cemspc" and given == 3:
        return data[["V1", "V2", "V3", "SEX"]]
    return data


def numbers(fit: Fit) -> dict[str, Any]:
    """Free parameters with standard errors, likelihood, deviance, df and worths."""
    free = [n for n, r in zip(fit.names, fit.is_reference) if not r]
    worth = fit.worth()
    return {
        "estimate": {n: float(fit.params[n]) for n in free},
        "se": {n: float(fit.bse[n]) for n in free},
        "llf": fit.llf,
        "deviance": fit.deviance,
        "df": fit.df_resid,
        "worth": [
            [str(g), str(i), float(w)] for g, i, w in zip(worth["group"], worth["item"], worth["worth"])
        ],
    }


def computed() -> dict[str, Any]:
    """All numbers of pairproof's side, from live data."""
    found: dict[str, Any] = {}
    for name, code in CODE.items():
        try:
            found[name] = numbers(run(code, data_of(name)))
        except PairproofError as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"}
    data = package_data("prefmod", "immig", backend="live").iloc[:, :6].reset_index(drop=True)
    for beta in BETAS:
        option = f', beta="{beta}"' if beta else ""
        try:
            found[f"immig {beta}".strip()] = numbers(
                run(f'{IMMIG}fit_pattern(table, alpha="item"{option})', data)
            )
        except PairproofError as error:
            found[f"immig {beta}".strip()] = {"error": f"{type(error).__name__}: {error}"}
    return found | prefmod_others.computed() | prefmod_classes.computed()


def kept() -> dict[str, Any]:
    """The numbers that are kept."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    KEPT.write_text(json.dumps(computed(), indent=1) + "\n", encoding="utf-8")
