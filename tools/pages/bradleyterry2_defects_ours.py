"""pairproof's side of docs/bradleyterry2-defects.md: code, the numbers it gives, and what it says.

    python -m tools.pages.bradleyterry2_defects_ours
"""

from __future__ import annotations

import json
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pairproof
from pairproof.errors import PairproofError
from pairproof.fit.fit import Fit

from .bradleyterry2_native import (
    BASEBALL,
    CEMS,
    CHAMELEONS,
    CITATIONS,
    FOUR,
    LIZARDS,
    Names,
    Numbers,
    Ours,
    data_of,
    items,
    named,
    namespace,
    sigma,
)

KEPT = Path(__file__).with_name("bradleyterry2_defects.json")

_HOME = 'home = fit_bradley_terry(table, order_effect=True, cells="row")\n'
_WINNER = """table = pairproof.read({"first": list("AAABBC"), "second": list("BCDCDD"), "wins": [5, 5, 5, 3, 4, 2], "losses": [0, 0, 0, 2, 1, 3]})
"""
_BOTH = (
    'table = pairproof.read({"first": ["A", "C"], "second": ["B", "D"], "wins": [6, 3], "losses": [2, 5]})\n'
)
_THREE = (
    'rows = {"first": ["A", "A", "B"], "second": ["B", "C", "C"], "wins": [6, 8, 5], "losses": [4, 2, 5]}\n'
)
_FOUR = """table = pairproof.read({"first": list("111223"), "second": list("234344"), "wins": [3, 6, 1, 8, 2, 1], "losses": [7, 4, 9, 2, 8, 9]},
                       item_data={"item": list("1234"), "x": [0, 1, 2, 4]})
"""
_EXTRA = ("jl.res", "tl.res", "mass.res")
_PQL = f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", method="pql")\n'


def _twice(numbers: Numbers, *before: str) -> Numbers:
    """The same numbers under several names."""
    return {f"{b}{k}": v for b in before for k, v in numbers.items()}


def _likelihood_ratio(row: Any, n: Names) -> Numbers:
    """Of a row of add1; of two fits where there is none."""
    if row is not None:
        return {"likelihood ratio": float(row["statistic"]), "df": float(row["df"]), "p": float(row["p"])}
    test = n["home"].compare(n["fit"])
    return {"likelihood ratio": test.statistic, "df": float(test.df), "p": test.p}


def _fit(n: Names) -> Numbers:
    return named(n["fit"], items(n["fit"], ".."))


def _simulated(n: Names) -> Numbers:
    found: Numbers = {}
    for (players, true, method), of in n["found"].items():
        sigmas, betas = np.mean(of, axis=0)
        found[f"{players} players, {method}, mean of sigma (true {true:g})"] = float(sigmas)
        found[f"{players} players, {method}, mean of beta (true 0.7)"] = float(betas)
    return found


def _pooled(table: Any, one: str, other: str) -> Sequence[float]:
    a, b = table.items.index(one), table.items.index(other)
    there, back = (table.first == a) & (table.second == b), (table.first == b) & (table.second == a)
    return [
        float(table.wins[there].sum() + table.losses[back].sum()),
        float(table.ties[there | back].sum()),
        float(table.losses[there].sum() + table.wins[back].sum()),
    ]


def _pair(n: Names) -> Numbers:
    found: Numbers = {}
    for source in ("cemspc", "CEMS"):
        counts = _pooled(n[source], "Barcelona", "Stockholm")
        found |= {
            f"{source}, {answer}": v for answer, v in zip(("Barcelona", "no preference", "Stockholm"), counts)
        }
    return found


_CEMSPC = """cemspc = pairproof.read(package_data("prefmod", "cemspc"), layout="prefmod", pair_order="prefmod", pair_names="ignore",
                        items=["London", "Paris", "Milano", "St.Gallen", "Barcelona", "Stockholm"],
                        coding={"first": 0, "tie": 1, "second": 2, "missing": "NA"})
"""
_CEMS_TIES = """rows = data["preferences"].dropna()
CEMS = pairproof.read(rows, layout="counts", columns={"first": "school1", "second": "school2", "wins": "win1", "ties": "tied", "losses": "win2"})
"""


def _school(n: Names) -> Numbers:
    found = {"labels of their columns, London": float(n["cemspc_fit"].params["London"])}
    return found | {"BradleyTerry2's CEMS, London": float(n["CEMS_fit"].params["London"])}


def _residual(n: Names) -> Numbers:
    first = n["residuals"].iloc[0]
    return {"deviance residual": float(first["deviance"]), "Pearson residual": float(first["pearson"])}


def _row_order(n: Names) -> Numbers:
    one, other = (
        t.tests().query("node == 1 and covariate == 'age'").iloc[0] for t in (n["tree"], n["other"])
    )
    return {
        "age, statistic": float(one["statistic"]),
        "age, statistic, rows turned round": float(other["statistic"]),
        "age, p": float(one["p_adjusted"]),
    }


def _laplace(n: Names) -> Numbers:
    fit = n["fit"]
    return (
        {"x[..]": float(fit.params["x"]), "standard error of x[..]": float(fit.bse["x"])}
        | sigma(fit)
        | {"p of sigma": fit.p_sigma}
    )


OURS_DEFECTS: dict[str, Ours] = {
    "add1": Ours(BASEBALL + 'fit = fit_bradley_terry(table, cells="row")\npairproof.add1(fit, "order")\n' + _HOME + "home.compare(fit)", lambda n: {
        f"{of}, {name}": value for of, frame in (("add1", pairproof.add1(n["fit"], "order").loc["order"]), ("anova", None))
        for name, value in _likelihood_ratio(frame, n).items()}, "baseball"),
    "add1-chameleons": Ours(CHAMELEONS + 'fit = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main")\npairproof.add1(fit, "jl.res + tl.res + mass.res")',
        lambda n: _twice({x: float(pairproof.add1(n["fit"], " + ".join(_EXTRA)).loc[x, "statistic"]) for x in _EXTRA}, "add1, ", "two fits, "), "chameleons"),
    "subset": Ours(CITATIONS + 'fit = fit_bradley_terry(table, subset=[0, 1, 2, 3])',
        lambda n: _twice(_fit(n) | {"deviance": n["fit"].deviance, "df": float(n["fit"].df_resid)}, "1:4, ", "logical, "), "citations"),
    "predict": Ours(BASEBALL + 'pairproof.predict(fit_bradley_terry(table), {"first": ["Boston"], "second": ["Detroit"]})',
        lambda n: _twice({"": float(pairproof.predict(pairproof.fit_bradley_terry(n["table"]), {"first": ["Boston"], "second": ["Detroit"]})["eta"][0])}, "levels in use", "all levels"), "baseball"),
    "row-order": Ours(_THREE + """table = pairproof.read(rows, item_data={"item": ["A", "B", "C"], "x": [0, 1, 3]})
turned = pairproof.read(rows, item_data={"item": ["C", "B", "A"], "x": [3, 1, 0]})
fit, other = fit_bradley_terry(table, formula="x"), fit_bradley_terry(turned, formula="x")""",
        lambda n: {"x in the order of the levels": float(n["fit"].params["x"]), "rows turned round": float(n["other"].params["x"])}),
    "separated": Ours(_WINNER + "fit = fit_bradley_terry(table)", _fit),
    "separated-br": Ours('fit = fit_bradley_terry(table, reduce_bias="mean")', _fit, unseen=_WINNER),
    "components": Ours(_BOTH + 'fit = fit_bradley_terry(table)\nfit.contrast("C", "D").estimate', lambda n: _fit(n) | {"C - D": n["fit"].contrast("C", "D").estimate}),
    "flatlizards-components": Ours(LIZARDS + 'fit = fit_bradley_terry(table, reduce_bias="mean")\nfit.contrast("lizard024", "lizard053").estimate',
        lambda n: {"estimates": float(n["fit"].params.notna().sum() - 1), "not estimated": float(n["fit"].params.isna().sum()), "024 - 053": n["fit"].contrast("lizard024", "lizard053").estimate}, "flatlizards"),
    "factor-outcome": Ours("""table = pairproof.read({"first": list("AABBACC"), "second": list("BCCABAB"),
                        "outcome": ["first", "tie", "second", "tie", "tie", "first", "second"]})
fit = fit_bradley_terry(table)""", lambda n: {"..B": float(n["fit"].params["B"]), "..C": float(n["fit"].params["C"]), "ties": float(n["table"].ties.sum())}),
    "random-subset": Ours(LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)", method="pql", subset=range(80))',
        lambda n: {"SVL": float(n["fit"].params["SVL"])} | sigma(n["fit"]), "flatlizards"),
    "random-only": Ours('fit = fit_bradley_terry(table, random="item", method="pql")', lambda n: sigma(n["fit"]), "flatlizards", LIZARDS),
    "wide": Ours(_CEMSPC + 'cemspc_fit = fit_bradley_terry(cemspc, ties="half", reference="Stockholm")\n' + _CEMS_TIES + 'CEMS_fit = fit_bradley_terry(CEMS, ties="half", reference="Stockholm")', _school, "CEMS"),
    "cems-pair": Ours("cemspc.pooled(), CEMS.pooled()", _pair, "CEMS", _CEMSPC + _CEMS_TIES),
    "residuals": Ours(LIZARDS + _PQL + "residuals = pairproof.contest_residuals(fit)", _residual, "flatlizards"),
    "vcov": Ours(CHAMELEONS + 'fit = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main")',
        lambda n: named(n["fit"], {"prev.wins.2": "prev.wins.2", "ch.res[ID]": "ch.res", "prop.main[ID]": "prop.main"}), "chameleons"),
    "self": Ours(_THREE + """pairproof.read({"first": rows["first"] + ["A"], "second": rows["second"] + ["A"], "wins": rows["wins"] + [5],
                "losses": rows["losses"] + [1]})""", lambda n: {}),
    "unused-reference": Ours('table = pairproof.read(rows, items=["X", "A", "B", "C"])\nfit = fit_bradley_terry(table)\nfit.contrast("A", "C").estimate',
        lambda n: {"A - C": n["fit"].contrast("A", "C").estimate}, unseen=_THREE),
    "two-players": Ours('fit = fit_bradley_terry(pairproof.read({"first": ["A"], "second": ["B"], "wins": [6], "losses": [4]}))', _fit),
    "separate-unknown": Ours('table = pairproof.read(rows, item_data={"item": ["A", "B", "C"], "x": [0, 1, 3]})\nfit_bradley_terry(table, formula="x", separate=["Z"])', lambda n: {}, unseen=_THREE),
    "contest-main": Ours('table = pairproof.read({**rows, "home": [1, 2, 3]})\nfit = fit_bradley_terry(table, formula="item + home")', _fit, unseen=_THREE),
    "epsilon": Ours('fit_bradley_terry(table, formula="item + Paris")', lambda n: {}, "CEMS", CEMS),
    "not-square": Ours('pairproof.read(pd.DataFrame([[1, 3, 5], [2, 4, 6]], index=["A", "B"], columns=["A", "B", "C"]), layout="matrix", winner="rows")', lambda n: {}),
    "maxiter": Ours(LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)", method="pql")', lambda n: {"sigma": n["fit"].sigma}, "flatlizards"),
    "sigma-start": Ours(_FOUR.replace("[0, 1, 2, 4]", "[0, 1, None, None]") + 'fit = fit_bradley_terry(table, formula="x + (1 | item)", method="pql")', lambda n: named(n["fit"], {"..3": "3", "..4": "4", "x[..]": "x"}) | sigma(n["fit"])),
    "sigma-wald": Ours(_FOUR + 'fit = fit_bradley_terry(table, formula="x + (1 | item)")\nfit.p_sigma', _laplace),
    "pql": Ours("""found = {}
for players, contests, sigma in ((40, 400, 1.0), (77, 100, 1.1)):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=players)
        ability = 0.7 * x + sigma * rng.normal(size=players)
        pairs = np.array([rng.choice(players, 2, replace=False) for _ in range(contests)])
        won = rng.random(contests) < 1 / (1 + np.exp(ability[pairs[:, 1]] - ability[pairs[:, 0]]))
        table = pairproof.Comparisons.build([f"player {k}" for k in range(players)], pairs[:, 0], pairs[:, 1], won, None, ~won,
                                            item_data={"x": x})
        for method in ("pql", "laplace"):
            fit = fit_bradley_terry(table, formula="x + (1 | item)", method=method)
            found.setdefault((players, sigma, method), []).append([fit.sigma, fit.params["x"]])""", _simulated),
    "glmer": Ours(LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)")', lambda n: {
        "sigma": n["fit"].sigma, "SVL": float(n["fit"].params["SVL"]), "-2 log L": -2 * n["fit"].llf}, "flatlizards"),
    "brglm-stop": Ours('fit = fit_bradley_terry(table, reduce_bias="mean")',
        lambda n: {f"..{k}": float(n["fit"].params[k]) for k in n["fit"].items[1:11] if k != "lizard011"}, "flatlizards", LIZARDS),
    "btmodel-separated": Ours("""answers = pd.DataFrame([[1, 1, 1], [1, 1, -1], [1, 1, 1], [1, 1, -1], [1, 1, 1]])
table = pairproof.read(answers, layout="prefmod", items=["a", "b", "c"], pair_order="prefmod", coding={"first": 1, "second": -1})
fit = fit_bradley_terry(table, reference="c")""", lambda n: named(n["fit"], items(n["fit"]))),
    "btmodel-deviance": Ours("""answers = pd.DataFrame([[1, 1, 1], [1, 1, -1], [1, -1, -1], [-1, 1, 1]])
table = pairproof.read(answers, layout="prefmod", items=["a", "b", "c"], pair_order="prefmod", coding={"first": 1, "second": -1})
fit = fit_bradley_terry(table, reference="c")""", lambda n: {"deviance": n["fit"].deviance, "-2 log-likelihood": -2 * n["fit"].llf}),
    "bttree-order": Ours("""items = ["Barbara", "Anni", "Hana", "Fiona", "Mandy", "Anja"]
persons, turned = (pairproof.read_respondents(table, "pairs", items=items, pair_order="prefmod", coding={"first": 1, "second": -1},
                                              levels={"gender": ["male", "female"], **{q: ["yes", "no"] for q in ("q1", "q2", "q3")}})
                   for table in (data, data.iloc[::-1]))
tree, other = (pairproof.fit_tree(of, minimum=5, reference="Barbara") for of in (persons, turned))
tree.tests(), other.tests()""", _row_order, "Topmodel2007", package="psychotree"),
}  # fmt: skip

#: What is tried with input that is not right: title, code.
AWKWARD: dict[str, str] = {
    "a reference that is no player": _THREE + 'fit_bradley_terry(pairproof.read(rows), reference="Z")',
    "a negative count": _THREE + 'pairproof.read({**rows, "wins": [-6, 8, 5]})',
    "an outcome of 2": 'pairproof.read({"first": ["A"], "second": ["B"], "wins": [2], "losses": [-1]})',
    "negative weights": _THREE + "fit_bradley_terry(pairproof.read(rows), weights=[-1.0, 1, 1])",
    "a covariate table that is too short": _THREE
    + 'pairproof.read(rows, item_data={"item": ["A", "B"], "x": [0, 1]})',
    "players as text, with other levels": _THREE + "fit = fit_bradley_terry(pairproof.read(rows))",
    "an effect of the judge alone": _THREE
    + 'fit_bradley_terry(pairproof.read({**rows, "judge": ["J1", "J2", "J3"]}), random="judge")',
    "a pair that was never played (0:0)": 'fit = fit_bradley_terry(pairproof.read({"first": list("AAB"), "second": list("BCC"), "wins": [6, 8, 0], "losses": [4, 2, 0]}))',
}


def said(names: Names) -> list[str]:
    """Warnings of the fit that the code left."""
    fit = names.get("fit")
    return [w.text for w in fit.warnings] if isinstance(fit, Fit) else []


def answer(ours: Ours) -> dict[str, Any]:
    """Numbers, warnings, or the error."""
    names = namespace(data_of(ours))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(textwrap.dedent(ours.unseen + ours.code), names)
        except PairproofError as error:
            return {"error": f"{type(error).__name__}: {error}"}
        numbers = {q: float(v) for q, v in ours.take(names).items()}
    # JSON has no infinity and no NaN.
    found: dict[str, Any] = {"numbers": {q: v if np.isfinite(v) else str(v) for q, v in numbers.items()}}
    return {**found, "said": said(names)}


def computed(only: Sequence[str] = ()) -> dict[str, Any]:
    """All of them, or those of `only`."""
    cases = {**OURS_DEFECTS, **{title: Ours(code, lambda n: {}) for title, code in AWKWARD.items()}}
    return {name: answer(ours) for name, ours in cases.items() if not only or name in only}


def kept() -> dict[str, Any]:
    """What is kept, numbers as numbers."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    for of in found.values():
        of["numbers"] = {q: float(v) for q, v in of.get("numbers", {}).items()}
    return found


if __name__ == "__main__":
    KEPT.write_text(json.dumps(computed(), indent=1) + "\n", encoding="utf-8")
