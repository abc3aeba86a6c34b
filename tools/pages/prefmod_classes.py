"""The block on pattnpml.fit of "prefmod -> pairproof": its mixture of cells by both, and classes of persons beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pairproof
from pairproof.validation.verdicts.digits import digits_of_agreement

from .agreement import markdown
from .prefmod_cases import case
from .prefmod_npml import EM, Numbers, dat4_ours, dat4_r, euro_ours, euro_r, of_persons
from .snippets import ROOT

#: Number of classes -> certified fit of trdel.
CERTIFIED = {2: "trdel--pattern-2-classes", 3: "trdel--pattern-3-classes"}

DAT4_CODE = """table = read_respondents(data, "pairs", items=["o1", "o2", "o3", "o4"], pair_order="prefmod",
                         coding={"first": 1, "second": -1}, tie_category=False)
mixture_of_cells(table, 2)      # prefmod's mixture, of pairproof.native.prefmod_defects.defects_of_models
fit_latent_classes(table, 2)    # classes of persons"""
EURO_CODE = """table = read_respondents(data, "ranks", items=["TV", "RAD", "NEWSP", "SCIMAG", "WWW", "EDINST"],    # y renamed `weight`
                         levels={"SEX": [1, 2], "AGE4": [1, 2, 3, 4]})
fit_classes(PoissonCells(design, counts), ...)         # prefmod's mixture, of pairproof.native.answers.patterns
fit_latent_classes(table, 2, by="SEX + AGE4", random=["TV", "RAD", "NEWSP", "SCIMAG", "WWW"], starts=6)
# a design like this one is read as rankings, whose ranks are (7 - score) / 2"""


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _rows(r: Numbers, cells: Numbers, persons: Numbers) -> Iterator[tuple[str, str, str, str, str]]:
    for q in dict.fromkeys([*r, *cells, *persons]):
        a, b, right = r.get(q), cells.get(q), persons.get(q)
        se = cells.get(f"standard error of {q}")
        shared = "" if a is None or b is None else f"{int(shown_digits(a, b, se) * 10) / 10:.1f}"
        yield q, _cell(a), _cell(b), shared, _cell(right)


def shown_digits(r: float, own: float, se: float | None) -> float:
    """Digits that prefmod's number and ours share."""
    return float(digits_of_agreement(own, r) if se is None else digits_of_agreement(own, r, se))


def _section(name: str, code: str, r: Numbers, own: dict[str, Any], said: str) -> str:
    c = case(name)
    call = ", ".join(
        f"{k.replace('_', '.')} = {v}"
        for k, v in {**c.arguments, "design": c.design_source(), **EM_OF[name]}.items()
    ).replace("prefmod::", "")
    heads = ("quantity", "prefmod", "mixture of cells", "digits", "`fit_latent_classes`: persons")
    optima = ", ".join(f"{-2 * llf:.7g} ({n} starts)" for llf, n in own["optima"])
    return (
        f"### {c.page}: `{name}`\n\n```r\npattnpml.fit({call})\n```\n```text\n{code}\n```\n\n{said} Disparities at which our"
        f" starts ended: {optima}.\n\n{markdown(heads, _rows(r, own['cells'], own['persons']))}"
    )


EM_OF = {"pattnpml-dat4": EM, "pattnpml-euro": {"EMmaxit": 5000}}
DAT4_SAID = (
    "A seed is added, and the EM goes on to 1e-10. prefmod's two classes are of 64 patterns: its masses are shares of patterns,"
    " those that nobody gave among them, and all persons with one pattern are in one class. Its standard errors take the classes"
    " as known. `fit_latent_classes` mixes the 100 persons: another likelihood, so that its numbers need not be near. It says"
    " that class 2, 5.7 % of the persons, has collapsed: o1:class[2] is infinite, there are no standard errors, and its"
    " worths in that class are of the other three items; by BIC there is one class, as the second table has it."
)
EURO_SAID = (
    "Marked as not run on the page; a seed is added; prefmod stops at its default of .001, which bounds its digits. prefmod's"
    " coefficients of the last item and class are aliased; here stand the differences that are identified. Persons are 12 216,"
    " cells 5 760. The classes of cells part often given from seldom given orders, those of persons part persons by"
    " what they prefer."
)


def classes() -> str:
    """Both examples of pattnpml.fit, the number of classes of dat4, and the certified classes of trdel."""
    from .prefmod_native import kept

    own = kept()
    dat4 = own["classes pattnpml-dat4"]
    heads = ("classes", "llf", "parameters", "AIC", "BIC", "smallest share", "starts that ended there")
    chosen = markdown(heads, [tuple(f"{x:.7g}" for x in row) for row in dat4["classes"]])
    parts = [
        _section("pattnpml-dat4", DAT4_CODE, dat4_r(), dat4, DAT4_SAID),
        f"`tabulate_latent_classes(table, 3)`:\n\n{chosen}",
        _section("pattnpml-euro", EURO_CODE, euro_r(), own["classes pattnpml-euro"], EURO_SAID),
        trdel(),
    ]
    return "\n" + "\n".join(parts) + "\n"


def trdel() -> str:
    """Classes of persons of trdel beside their 50-digit values."""
    from .prefmod_native import kept

    text = [
        "### trdel: classes of persons and their 50-digit values\n\n```text\n"
        'table = read_respondents(data, "pairs", items=["CO", "TV", "PA", "AU", "CL"], pair_order="prefmod",\n'
        '                         coding={"first": 1, "second": 2}, tie_category=False)\n'
        "fit_latent_classes(table, 2)\nfit_latent_classes(table, 3)\n```\n\nprefmod has no such model.\n"
    ]
    for k, name in CERTIFIED.items():
        numbers = kept()[f"classes trdel {k}"]["numbers"]
        exact = exact_classes(name)
        rows = [
            (
                q,
                _cell(value),
                f"{int(shown_digits(float(exact[q]), value, None) * 10) / 10:.1f}",
                exact[q][:22],
            )
            for q, value in numbers.items()
            if q in exact
        ]
        heads = (f"quantity, {k} classes", "pairproof", "digits", "50-digit value, its first 20")
        text.append(markdown(heads, rows))
    return "\n".join(text)


def exact_classes(name: str) -> dict[str, str]:
    """The 50-digit values of a certified mixture, as text."""
    path = ROOT / "tests" / "certified" / "answers" / "fits" / f"{name}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    order = sorted(range(len(found["shares"])), key=lambda c: -float(found["shares"][c]))
    place = {f"class[{c + 1}]": f"class[{k + 1}]" for k, c in enumerate(order)}

    def own(parameter: str) -> str:
        item, _, label = parameter.partition(":")
        return f"{item}:{place[label]}"

    exact = {"llf": found["llf"], "deviance": found["deviance"], "aic": found["aic"], "bic": found["bic"]}
    for k, c in enumerate(order):
        exact[f"share of persons in class {k + 1}"] = found["shares"][c]
        exact[f"standard error of share {k + 1}"] = found["share_errors"][c]
    for parameter, value in found["params"].items():
        exact[own(parameter)] = value
        exact[f"standard error of {own(parameter)}"] = found["bse"][parameter]
    return exact


def trdel_ours(data: Any, k: int) -> dict[str, Any]:
    """Numbers of k classes of persons of trdel."""
    items = ["CO", "TV", "PA", "AU", "CL"]
    table = pairproof.read_respondents(
        data, "pairs", items=items, pair_order="prefmod", coding={"first": 1, "second": 2}, tie_category=False
    )
    fit = pairproof.fit_latent_classes(table, k)
    return {"numbers": {"llf": fit.llf, **of_persons(fit, items, False)}}


def computed() -> dict[str, Any]:
    """pairproof's numbers of all of them, from live data."""
    found: dict[str, Any] = {
        "classes pattnpml-dat4": dat4_ours(case("pattnpml-dat4").table.frame("live")),
        "classes pattnpml-euro": euro_ours(case("pattnpml-euro").table.frame("live")),
    }
    data = case("trdel-pattern").table.frame("live").reset_index(drop=True)
    return found | {f"classes trdel {k}": trdel_ours(data, k) for k in CERTIFIED}
