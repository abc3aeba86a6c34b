"""The block on pattnpml.fit of "prefmod -> pairproof": its mixture of cells by both, and classes of persons beside it.

prefmod's mixture is over the cells of the table of patterns (:mod:`pairproof.native.prefmod_defects.defects_of_models`); the
classes of persons that the data are about are those of :func:`pairproof.fit_latent_classes`.  Classes are put in the
order of their shares of persons in all three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.special import gammaln

import pairproof
from pairproof.bridge import backend, package_data
from pairproof.native.answers.patterns.class_mixture import LatentClasses, fit_classes
from pairproof.native.prefmod_defects.defects_of_models import PoissonCells, mixture_of_cells
from pairproof.validation.verdicts.digits import digits_of_agreement

from .prefmod_cases import DAT4_READ, TRDEL_READ, case, given, run
from .tables import block, certified_fit, example, kept, markdown, shown, ten

Numbers = dict[str, float]
EURO_ITEMS = ("TV", "RAD", "NEWSP", "SCIMAG", "WWW", "EDINST")
#: The EM of euro55.2 ends at R's default; fewer starts than usual reach the same maximum, which is named in
#: the table.
EURO_STARTS = 6

#: R's own defaults are 500 and .001; steps that end so end up to 3e-3 short of the maximum.
EM = {"EMmaxit": 5000, "EMdev_change": 1e-10}
#: R: the fit without its posteriors, which the design would be needed to read.
REDUCED = """
fit <- {call}
said <- summary(fit)$lastglmsumm
b <- stats::coef(fit)
b <- b[!is.na(b)]
V <- said$cov.scaled[names(b), names(b)]
y <- {design}$y
list(names = names(b), coef = as.numeric(b), vcov = unname(V), masses = as.numeric(fit$masses),
     persons = as.numeric(colSums(fit$post.prob * y) / sum(y)), disparity = fit$disparity, deviance = fit$deviance,
     df = attr(stats::logLik(fit), "df"), aic = stats::AIC(fit), bic = stats::BIC(fit), steps = fit$EMiter)
"""


# -- prefmod's numbers ---------------------------------------------------------------------------------------


def _asked(name: str) -> dict[str, Any]:
    """R's answer; its coefficients by name."""
    source = case(name).design_source()
    call = ", ".join(given({**EM, **case(name).arguments, "design": source}))
    code = REDUCED.replace("{call}", f"prefmod::pattnpml.fit({call})").replace("{design}", source)
    value = backend().call(code=code, needs=("prefmod",), label="docs prefmod::pattnpml.fit").as_list()
    found = {k: value.vector(k).values for k in ("names", "coef", "masses", "persons")}
    found |= {
        k: float(value.vector(k).floats().ravel()[0])
        for k in ("disparity", "deviance", "df", "aic", "bic", "steps")
    }
    found["vcov"] = value.vector("vcov").floats()
    return found


def _common(measures: Mapping[str, Any], masses: Any, persons: Any) -> tuple[Numbers, list[int]]:
    """What both examples have of the mixture of cells, and the classes, the largest share of persons first."""
    order = [int(k) for k in np.argsort(-np.asarray(persons, float))]
    numbers: Numbers = {"disparity (-2 log L of the cells)": float(measures["disparity"])}
    numbers |= {k: float(measures[k]) for k in ("deviance", "aic", "bic")}
    numbers["parameters"] = float(measures["df"])
    for what, of in (("mass {} (share of cells)", masses), ("share of persons in class {}", persons)):
        numbers |= {what.format(k + 1): float(of[c]) for k, c in enumerate(order)}
    return numbers, order


def _worths(names: Sequence[str], values: Sequence[float], k: int) -> Numbers:
    w = np.exp(2.0 * np.array([*values, 0.0]))
    return {f"worth of {item} in class {k}": float(x) for item, x in zip(names, w / w.sum())}


def dat4_r() -> Numbers:
    """prefmod's numbers of dat4."""
    found = _asked("pattnpml-dat4")
    numbers, order = _common(found, found["masses"], found["persons"])
    at = {str(n): k for k, n in enumerate(found["names"])}
    items = ("o1", "o2", "o3")
    named = {"(Intercept)": "(Intercept)"} | {
        f"{item}:class[{k + 1}]": f"{item}:MASS{c + 1}" for k, c in enumerate(order) for item in items
    }
    for ours, theirs in named.items():
        numbers[ours] = float(found["coef"][at[theirs]])
        numbers[f"standard error of {ours}"] = float(np.sqrt(found["vcov"][at[theirs], at[theirs]]))
    for k in range(len(order)):
        numbers |= _worths((*items, "o4"), [numbers[f"{i}:class[{k + 1}]"] for i in items], k + 1)
    return numbers


def euro_r() -> Numbers:
    """prefmod's numbers of euro55.2.des; R has the second class as reference, ours is turned to it."""
    found = _asked("pattnpml-euro")
    numbers, order = _common(found, found["masses"], found["persons"])
    coef = {str(n): (float(b), k) for k, (n, b) in enumerate(zip(found["names"], found["coef"]))}
    sign = 1.0 if order == [0, 1] else -1.0
    V = found["vcov"]
    for s, a in product("12", "1234"):
        numbers |= _with_error(f"SEX{s}:AGE4{a}", coef, V, {f"SEX{s}:AGE4{a}": 1.0})
    for item in EURO_ITEMS[:-1]:
        difference = {f"{item}:MASS1": sign}
        numbers |= _with_error(f"{item}: class 1 less class 2", coef, V, difference)
        numbers |= _with_error(f"{item}:SEX[2]", coef, V, {f"SEX2:{item}": 1.0, f"SEX1:{item}": -1.0})
        for a in "234":
            numbers |= _with_error(f"{item}:AGE4[{a}]", coef, V, {f"AGE4{a}:{item}": 1.0})
        first = {f"SEX1:{item}": 1.0} | ({f"{item}:MASS1": 1.0} if sign > 0 else {})
        numbers |= _with_error(f"{item}:class[1]", coef, V, first)
    return numbers


def _with_error(name: str, coef: dict[str, tuple[float, int]], V: Any, weights: dict[str, float]) -> Numbers:
    value = sum(w * coef[n][0] for n, w in weights.items())
    at = [coef[n][1] for n in weights]
    w = np.array(list(weights.values()))
    return {name: float(value), f"standard error of {name}": float(np.sqrt(w @ V[np.ix_(at, at)] @ w))}


# -- pairproof's numbers -------------------------------------------------------------------------------------


def _of_cells(found: LatentClasses, counts: Any, persons: Any, n_params: int) -> tuple[Numbers, list[int]]:
    """The same of pairproof's mixture of cells."""
    disparity = -2.0 * found.llf
    full = (
        np.where(counts > 0, counts * np.log(np.maximum(counts, 1.0)), 0.0) - counts - gammaln(counts + 1.0)
    )
    measures = {
        "disparity": disparity,
        "deviance": disparity + 2.0 * float(full.sum()),
        "aic": disparity + 2.0 * n_params,
        "bic": disparity + np.log(float(counts.sum())) * n_params,
        "df": n_params,
    }
    return _common(measures, found.shares, persons)


def of_persons(fit: Any, worths: bool) -> Numbers:
    numbers: Numbers = {
        "parameters": float(fit.rank),
        "aic": fit.aic,
        "bic": fit.bic,
        "deviance": fit.deviance,
    }
    for k, (label, share) in enumerate(fit.shares.items()):
        numbers[f"share of persons in class {k + 1}"] = float(share)
        numbers[f"standard error of share {k + 1}"] = float(fit.share_errors[label])
    for name, reference in zip(fit.names, fit.is_reference):
        if not reference:
            numbers[name] = float(fit.params[name])
            numbers[f"standard error of {name}"] = float(fit.bse[name])
    if worths:
        for group, item, worth in zip(*(fit.worth()[c] for c in ("group", "item", "worth"))):
            numbers[f"worth of {item} in class {str(group).rpartition('=')[2]}"] = float(worth)
    # What is infinite, or has an infinite error, has no number.
    return {name: value for name, value in numbers.items() if not np.isnan(value)}


def dat4_ours(data: Any) -> dict[str, Any]:
    """pairproof's numbers of dat4: "cells", "persons", and the table of the number of classes."""
    table = run(DAT4_READ + "table", data)
    found = mixture_of_cells(table, 2)
    counts = np.zeros(2**6)
    place = {answer: k for k, answer in enumerate(product((1, -1), repeat=6))}
    for answer, weight in zip(table.once.tolist(), table.weights):
        counts[place[tuple(answer)]] += weight
    cells, order = _of_cells(found.fit, counts, found.person_shares, 8)
    names = ("constant", "o1", "o2", "o3")
    cells["(Intercept)"] = float(found.fit.phi[0, 0])
    cells["standard error of (Intercept)"] = float(found.standard_errors[0, 0])
    for k, c in enumerate(order):
        for j, item in enumerate(names[1:], 1):
            cells[f"{item}:class[{k + 1}]"] = float(found.fit.phi[c, j])
            cells[f"standard error of {item}:class[{k + 1}]"] = float(found.standard_errors[c, j])
        cells |= _worths((*names[1:], "o4"), found.fit.phi[c, 1:], k + 1)
    persons = of_persons(pairproof.fit_latent_classes(table, 2), True)
    chosen = pairproof.tabulate_latent_classes(table, 3)
    columns = ["classes", "llf", "parameters", "aic", "bic", "smallest_share", "starts_at_best"]
    return {
        "cells": cells,
        "persons": persons,
        "optima": [[float(a), int(n)] for a, n in found.fit.optima],
        "classes": [[float(x) for x in row] for row in chosen[columns].to_numpy()],
    }


def _errors_of_known_classes(
    members: PoissonCells, found: LatentClasses, order: Sequence[int], differs: Any
) -> Numbers:
    """prefmod's standard errors: of column j in class 1, and "j less" of its difference from class 2."""
    common, own = np.flatnonzero(~differs), np.flatnonzero(differs)
    size = len(common) + 2 * len(own)
    place = {int(j): k for k, j in enumerate(common)}
    information = np.zeros((size, size))
    for k, c in enumerate(order):
        at = np.array(
            [place.get(j, len(common) + k * len(own) + int((own < j).sum())) for j in range(len(differs))]
        )
        information[np.ix_(at, at)] += members.at(found.phi[c]).information(found.posterior[:, c])
    V = np.linalg.inv(information)
    errors: Numbers = {str(j): float(np.sqrt(V[k, k])) for j, k in place.items()}
    for n, j in enumerate(own):
        a, b = len(common) + n, len(common) + len(own) + n
        errors[str(j)] = float(np.sqrt(V[a, a]))
        errors[f"{j} less"] = float(np.sqrt(V[a, a] + V[b, b] - 2 * V[a, b]))
    return errors


def euro_ours(data: Any) -> dict[str, Any]:
    """pairproof's numbers of euro55.2.des, a design of rankings with counts."""
    items = list(EURO_ITEMS)
    scores = data[items].to_numpy(float)
    sex, age = (data[name].astype(int).to_numpy() for name in ("SEX", "AGE4"))
    counts = data["y"].to_numpy(float)
    x = scores[:, :-1]
    cell = (sex - 1) * 4 + age - 1
    columns = [np.eye(8)[cell], x, x * (sex == 2)[:, None], *(x * (age == a)[:, None] for a in (2, 3, 4))]
    names = [f"SEX{s}:AGE4{a}" for s, a in product("12", "1234")]
    names += [*items[:-1], *(f"{i}:SEX[2]" for i in items[:-1])]
    names += [f"{i}:AGE4[{a}]" for a in (2, 3, 4) for i in items[:-1]]
    members = PoissonCells(np.hstack(columns), counts)
    differs = np.array([name in items for name in names])
    found = fit_classes(members, np.ones(len(counts)), names, 2, differs, EURO_STARTS, 0, members.maximum())
    persons = counts @ found.posterior / counts.sum()
    cells, order = _of_cells(found, counts, persons, 39)
    one, two = found.phi[order[0]], found.phi[order[1]]
    errors = _errors_of_known_classes(members, found, order, differs)
    for j, name in enumerate(names):
        if name in items:
            cells[f"{name}: class 1 less class 2"] = float(one[j] - two[j])
            cells[f"standard error of {name}: class 1 less class 2"] = errors[f"{j} less"]
            cells[f"{name}:class[1]"] = float(one[j])
            cells[f"standard error of {name}:class[1]"] = errors[f"{j}"]
        else:
            cells[name] = float(one[j])
            cells[f"standard error of {name}"] = errors[f"{j}"]
    ranks = data[["y", "SEX", "AGE4"]].copy()
    for k, item in enumerate(items):  # wins less losses 5, 3, ..., -5 are ranks 1, 2, ..., 6
        ranks[item] = ((len(items) + 1 - scores[:, k]) / 2).astype(int)
    ranks = ranks[ranks["y"] > 0].astype(int).rename(columns={"y": "weight"}).reset_index(drop=True)
    table = pairproof.read_respondents(
        ranks, "ranks", items=items, levels={"SEX": [1, 2], "AGE4": [1, 2, 3, 4]}
    )
    fit = pairproof.fit_latent_classes(table, 2, by="SEX + AGE4", random=items[:-1], starts=EURO_STARTS)
    own = of_persons(fit, False)
    for item in items[:-1]:
        own[f"{item}: class 1 less class 2"] = own[f"{item}:class[1]"] - own[f"{item}:class[2]"]
    return {"cells": cells, "persons": own, "optima": [[float(a), int(n)] for a, n in found.optima]}


# -- the block ----------------------------------------------------------------------------------------------

#: Number of classes -> certified fit of trdel.
CERTIFIED = {2: "trdel--pattern-2-classes", 3: "trdel--pattern-3-classes"}

DAT4_CODE = f"""{DAT4_READ}mixture_of_cells(table, 2)      # prefmod's mixture, of pairproof.native.prefmod_defects.defects_of_models
fit_latent_classes(table, 2)    # classes of persons"""
EURO_CODE = """table = read_respondents(data, "ranks", items=["TV", "RAD", "NEWSP", "SCIMAG", "WWW", "EDINST"],    # y renamed `weight`
                         levels={"SEX": [1, 2], "AGE4": [1, 2, 3, 4]})
fit_classes(PoissonCells(design, counts), ...)         # prefmod's mixture, of pairproof.native.answers.patterns
fit_latent_classes(table, 2, by="SEX + AGE4", random=["TV", "RAD", "NEWSP", "SCIMAG", "WWW"], starts=6)
# a design like this one is read as rankings, whose ranks are (7 - score) / 2"""


def _rows(r: Numbers, cells: Numbers, persons: Numbers) -> Iterator[tuple[str, str, str, str, str]]:
    for q in dict.fromkeys([*r, *cells, *persons]):
        a, b, right = r.get(q), cells.get(q), persons.get(q)
        se = cells.get(f"standard error of {q}")
        digits = None if a is None or b is None else float(digits_of_agreement(b, a, *_known(se)))
        yield q, ten(a), ten(b), shown(digits), ten(right)


def _known(se: float | None) -> tuple[float, ...]:
    return () if se is None else (se,)


def _section(name: str, code: str, r: Numbers, own: dict[str, Any], said: str) -> str:
    c = case(name)
    call = ", ".join(given({**c.arguments, "design": c.design_source(), **EM_OF[name]}))
    head = example(f"{c.page}: `{name}`", f"pattnpml.fit({call})".replace("prefmod::", ""), code)
    heads = ("quantity", "prefmod", "mixture of cells", "digits", "`fit_latent_classes`: persons")
    optima = ", ".join(f"{-2 * llf:.7g} ({n} starts)" for llf, n in own["optima"])
    return (
        f"{head}\n{said} Disparities at which our starts ended: {optima}.\n\n"
        f"{markdown(heads, _rows(r, own['cells'], own['persons']))}"
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
    own = kept("prefmod_native")
    dat4 = own["classes pattnpml-dat4"]
    heads = ("classes", "llf", "parameters", "AIC", "BIC", "smallest share", "starts that ended there")
    chosen = markdown(heads, [tuple(f"{x:.7g}" for x in row) for row in dat4["classes"]])
    parts = [
        _section("pattnpml-dat4", DAT4_CODE, dat4_r(), dat4, DAT4_SAID),
        f"`tabulate_latent_classes(table, 3)`:\n\n{chosen}",
        _section("pattnpml-euro", EURO_CODE, euro_r(), own["classes pattnpml-euro"], EURO_SAID),
        trdel(),
    ]
    return block(parts)


def trdel() -> str:
    """Classes of persons of trdel beside their 50-digit values."""
    text = [
        f"### trdel: classes of persons and their 50-digit values\n\n```text\n{TRDEL_READ}"
        "fit_latent_classes(table, 2)\nfit_latent_classes(table, 3)\n```\n\nprefmod has no such model.\n"
    ]
    for k, name in CERTIFIED.items():
        numbers = kept("prefmod_native")[f"classes trdel {k}"]["numbers"]
        exact = exact_classes(name)
        rows = [
            (q, ten(value), shown(float(digits_of_agreement(value, float(exact[q])))), exact[q][:22])
            for q, value in numbers.items()
            if q in exact
        ]
        heads = (f"quantity, {k} classes", "pairproof", "digits", "50-digit value, its first 20")
        text.append(markdown(heads, rows))
    return "\n".join(text)


def exact_classes(name: str) -> dict[str, str]:
    """The 50-digit values of a certified mixture, as text."""
    found = certified_fit(f"answers/fits/{name}")
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
    fit = run(f"{TRDEL_READ}fit_latent_classes(table, {k})", data)
    return {"numbers": {"llf": fit.llf, **of_persons(fit, False)}}


def computed() -> dict[str, Any]:
    """pairproof's numbers of all of them, from live data."""
    found: dict[str, Any] = {
        "classes pattnpml-dat4": dat4_ours(case("pattnpml-dat4").frame()),
        "classes pattnpml-euro": euro_ours(case("pattnpml-euro").frame()),
    }
    data = package_data("prefmod", "trdel", backend="live").iloc[:, :10].reset_index(drop=True)
    return found | {f"classes trdel {k}": trdel_ours(data, k) for k in CERTIFIED}
