"""A data set and a model -> the certified document: maximum, covariance, deviance, worths, as 50-digit
text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp, mpf

from tests.certified.answers import alternatives as alt
from tests.certified.answers.choices import Derivatives, Said, Statistics, likelihood, maximise, sparse
from tests.certified.answers.mixture import mixture, shares_of
from tests.certified.answers.models import Model, parameter_names, reference
from tests.certified.answers.saturated import possible, saturated
from tests.certified.answers.starts import START
from tests.certified.document import text
from tests.certified.quasi import quasi_variances

Row = dict[str, Any]
#: Weight, answer, covariate value.
Person = tuple[int, tuple[int | None, ...], Any]
HOW = (
    "Newton's method in mpmath at 100 digits on patterns, orders or sets that are written out one by one,"
    " until every component of the gradient is below 1e-80; rounded to 50 significant digits. See README.md."
)


def persons(rows: Sequence[Row], model: Model) -> list[Person]:
    """The rows; the covariate is None where the model has none."""
    return [(r["weight"], tuple(r["answers"]), r[model.by] if model.by else None) for r in rows]


def levels_of(said: Sequence[Person]) -> list[Any]:
    return sorted({group for _, _, group in said})


def pattern_model(
    said: Sequence[Person], model: Model, layout: str, n_items: int
) -> tuple[list[list[Statistics]], list[Said]]:
    """One choice between all patterns for each covariate group."""
    levels = levels_of(said)
    rows = [tuple(int(k == 0 or k == g) for k in range(len(levels))) for g in range(len(levels))]
    if layout == "pairs":
        every = alt.all_patterns(n_items, model.ties)
        places, agree = every, alt.agreeing_patterns
    elif layout == "ranks":
        places, agree = alt.orders(n_items), alt.agreeing_orders
        every = [alt.comparisons_of(p) for p in places]
    else:
        places, agree = alt.weak_orders(n_items, model.categories or n_items), alt.agreeing_places
        every = [alt.comparisons_of(p) for p in places]
    choices = [
        [sparse(alt.statistics(y, n_items, model.ties, model.dependence, x)) for y in every] for x in rows
    ]
    known: dict[Any, tuple[int, ...]] = {}
    found: list[Said] = []
    for weight, answer, group in said:
        if answer not in known:
            known[answer] = agree(answer, places)
        found.append((weight, levels.index(group), known[answer]))
    return choices, found


def derivatives(data: dict[str, Any], rows: Sequence[Row], model: Model) -> tuple[Derivatives, int]:
    """The likelihood, and the number of its parameters."""
    said, n_items = persons(rows, model), len(data["items"])
    levels = levels_of(said)
    if model.family == "plackett-luce":
        of_group = {g: tuple(int(k == 0 or k == i) for k in range(len(levels))) for i, g in enumerate(levels)}
        answers = [(w, a, of_group[g]) for w, a, g in said]
        choices, found = alt.stages(answers, n_items, model.tie_orders, data["unranked"] == "below")
    elif model.alpha:
        joint, found = alt.with_gaps(
            [(w, a) for w, a, _ in said], n_items, model.ties, model.alpha, model.beta
        )
        choices = [joint]
    elif model.times > 1:
        chain, found = alt.chains(
            [(w, a) for w, a, _ in said], n_items, model.categories or n_items, model.times
        )
        choices = [chain]
    else:
        choices, found = pattern_model(said, model, data["layout"], n_items)
    if model.classes > 1:
        p = n_items - 1
        return mixture(choices[0], found, p, model.classes), model.classes * p + model.classes - 1
    p = len(parameter_names(model, data["items"], levels))
    return likelihood(choices, found, p), p


def certify(data: dict[str, Any], rows: Sequence[Row], model: Model) -> dict[str, Any]:
    """The document of a model of a data set; `rows` are the data, also where the data set itself may not show
    them."""
    identity = f"{data['id']}--{model.slug()}"
    at, p = derivatives(data, rows, model)
    best = maximise(at, [mpf(x) for x in START.get(identity, ["0"] * p)])
    said = persons(rows, model)
    names = parameter_names(model, data["items"], levels_of(said))
    full, contrasts = saturated(said, model, data["layout"], data["unranked"])
    n = sum(w for w, a, _ in said if possible(a, model, data["layout"], data["unranked"])[1] > 1)
    covariance = [[best.covariance[i, j] for j in range(p)] for i in range(p)]
    document: dict[str, Any] = {"id": identity, "what": data["what"], "source": data["source"]}
    document["model"] = {**model.document(), "reference": reference(model, data["items"])}
    document.update(items=data["items"], layout=data["layout"], unranked=data["unranked"])
    document["params"] = {name: text(x) for name, x in zip(names, best.phi)}
    document["bse"] = {name: text(mp.sqrt(covariance[k][k])) for k, name in enumerate(names)}
    own = len(names)
    document["cov_params"] = {
        "names": names,
        "rows": [[text(v) for v in row[:own]] for row in covariance[:own]],
    }
    if model.classes > 1:
        document.update(_shares(best.phi[own:], best.covariance, own))
    document.update(
        llf=text(best.llf), deviance=text(2 * (full - best.llf)), df_resid=contrasts - p, n_params=p
    )
    document.update(n_persons=n, aic=text(2 * p - 2 * best.llf), bic=text(p * mp.log(n) - 2 * best.llf))
    if model.classes == 1 and model.times == 1:
        document.update(
            _worths(document["model"], data["items"], levels_of(said), names, best.phi, best.covariance)
        )
    document.update(data=f"data/{data['id']}.json", how=HOW)
    return document


def _shares(ratios: Sequence[mpf], covariance: mp.matrix, first: int) -> dict[str, list[str]]:
    """Shares of the classes and their standard errors by the delta method."""
    shares = shares_of(ratios)
    free = range(len(shares) - 1)
    errors = []
    for k, share in enumerate(shares):
        slope = [share * ((1 if k == l else 0) - shares[l]) for l in free]
        errors.append(
            mp.sqrt(
                mp.fsum(slope[a] * slope[b] * covariance[first + a, first + b] for a in free for b in free)
            )
        )
    return {"shares": [text(s) for s in shares], "share_errors": [text(e) for e in errors]}


def _worths(
    model: dict[str, Any],
    items: Sequence[str],
    levels: Sequence[Any],
    names: Sequence[str],
    phi: Sequence[mpf],
    covariance: mp.matrix,
) -> dict[str, Any]:
    """Worths (adding up to 1) with standard errors, centred log worths' errors, quasi-variances of log worth;
    by group."""
    scale = 1 if model["family"] == "plackett-luce" else 2
    out: dict[str, Any] = {"worth": {}, "worth_se": {}, "centred_se": {}, "quasi_variances": {}}
    n = len(items)
    for level in levels:
        group = "all" if level is None else f"{model['by']}={level}"
        m = mp.matrix(n, len(phi))
        for i, item in enumerate(items):
            for name in (item, f"{item}:{model['by']}[{level}]"):
                if name in names:
                    m[i, names.index(name)] = scale
        log_worth = m * mp.matrix(phi)
        weights = [mp.exp(v) for v in log_worth]
        worth = [w / mp.fsum(weights) for w in weights]
        v = m * covariance * m.T
        slope, centre = mp.matrix(n, n), mp.matrix(n, n)
        for i in range(n):
            for j in range(n):
                slope[i, j] = worth[i] * ((1 if i == j else 0) - worth[j])
                centre[i, j] = (1 if i == j else 0) - mpf(1) / n
        errors, centred = slope * v * slope.T, centre * v * centre.T
        quasi = quasi_variances(v)
        out["worth"][group] = {item: text(worth[i], False) for i, item in enumerate(items)}
        out["worth_se"][group] = {item: text(mp.sqrt(errors[i, i]), False) for i, item in enumerate(items)}
        out["centred_se"][group] = {item: text(mp.sqrt(centred[i, i]), False) for i, item in enumerate(items)}
        out["quasi_variances"][group] = quasi and {item: text(quasi[i]) for i, item in enumerate(items)}
    return out
