"""The tables of "prefmod -> pairproof": every example of prefmod's help pages by both, number by number.

pairproof's numbers are of prefmod's data, which stay there: they are kept in `prefmod_native.json`, from which the page
is made on machines without prefmod.  A test with prefmod runs all of it again; `python -m tools.pages.prefmod_page`
keeps what it gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from pairproof.bridge import Expr, backend
from pairproof.bridge.packages import prefmod
from pairproof.errors import PairproofError
from pairproof.fit.fit import Fit
from pairproof.validation.verdicts.digits import digits_of_agreement

from . import prefmod_classes, prefmod_immig, prefmod_others
from .prefmod_cases import CASES, FURTHER, IMMIG, Case, case, given, run
from .tables import block, certified_fit, example, keep, kept, markdown, sentence, shown, ten

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


@dataclass(frozen=True)
class Apart:
    """Why quantities of a case differ: those whose names begin with `of`."""

    of: tuple[str, ...]
    why: str


CELLS = "prefmod's table is crossed with SEX and EDU, so that deviance and df are against more cells; ours has those of the model"
NULL = "prefmod's table is crossed with SEX; ours has no such table, and the deviance of one group"
BLOCKS_OF_RANKS = (
    "prefmod's saturated model has a block for each set of items without a rank, within which probabilities add up to 1; ours"
    " has one for each number of ranked items, as the 50-digit value"
)
#: What differs, and why.
DIFFERENT: Mapping[str, Apart] = {
    "llbt-fit-casewise": Apart(
        ("deviance", "df"),
        "prefmod counts the 91 comparisons that were not made as cells, with fitted values above 0 in them",
    ),
    "llbt-worth-latin": Apart(
        ("worth",),
        "prefmod's worths are of the two groups of schools, which add up to 1; ours are of the six schools",
    ),
    "llbt-design-objcovs": Apart(
        ("worth",),
        "prefmod's worths are of schools with equal covariates, four groups that add up to 1; ours are of the six schools",
    ),
    "patt-design-issp": Apart(("deviance", "df"), CELLS),
    "patt-design-issp-sex": Apart(("deviance", "df"), CELLS),
    "carconf-pattern": Apart(("deviance",), BLOCKS_OF_RANKS),
    "carconf4-sex": Apart(("deviance",), BLOCKS_OF_RANKS),
    "pattPC-null": Apart(("deviance",), NULL),
}


# -- pairproof's numbers -------------------------------------------------------------------------------------

NATIVE = "prefmod_native"
#: Models of `immig`, whose deviance between with and without beta is 39.8 in prefmod.
BETAS = {f"immig {beta}".strip(): beta for beta in ("", "coded", "difference", "item", "comparison")}


def _numbers(code: str, data: Any) -> dict[str, Any]:
    """Free parameters with standard errors, likelihood, deviance, df and worths; or the error."""
    try:
        fit: Fit = run(code, data)
    except PairproofError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    free, worth = [n for n, r in zip(fit.names, fit.is_reference) if not r], fit.worth()
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
    found = {c.name: _numbers(c.ours, c.frame()) for c in (*CASES, *FURTHER) if c.ours}
    for name, beta in BETAS.items():
        option = f', beta="{beta}"' if beta else ""
        found[name] = _numbers(
            f'{IMMIG}fit_pattern(table, alpha="item"{option})', case("immig-pattern").frame()
        )
    return found | prefmod_others.computed() | prefmod_classes.computed()


# -- both ----------------------------------------------------------------------------------------------------


def r_call(c: Case) -> str:
    """The call as a user of prefmod types it."""
    if c.function == "fit_design":
        formula, eliminated = c.arguments["formula"], c.arguments.get("eliminate")
        more = f", eliminate = {eliminated}" if eliminated else ""
        how = "gnm" if eliminated else "glm"
        return f"{how}({formula}{more}, family = poisson, data = {c.design_source()})".replace(
            "prefmod::", ""
        )
    parts = [c.table.r] if c.function != "llbt_fit" and c.table.r else []
    call = f"{c.function.replace('_', '.')}({', '.join([*parts, *given(c.arguments)])})"
    return call.replace("prefmod::", "")


def r_numbers(c: Case) -> dict[str, Any]:
    """R's coefficients with standard errors, deviance, df and worths."""
    answer = c.ask(backend())
    coef = answer.estimate if c.function == "llbt_fit" else answer.coef
    known = [k for k, b in enumerate(coef) if not np.isnan(b) and answer.names[k] != "(Intercept)"]
    found: dict[str, Any] = {
        "estimate": {answer.names[k]: float(coef[k]) for k in known},
        "se": {answer.names[k]: float(answer.se[k]) for k in known},
        "deviance": float(answer.deviance),
    }
    if isinstance(answer, prefmod.PatternModel):
        found["llf"] = answer.llf
    else:
        found["df"] = float(answer.df if c.function == "llbt_fit" else answer.df_residual)
    if c.then:
        table = c.worths(answer, backend())
        found["worth"] = [
            [group, item, float(table.values[i, g])]
            for g, group in enumerate(table.groups)
            for i, item in enumerate(table.objects)
        ]
    return found


def ours_for(c: Case, names: Sequence[str], own: Sequence[str], items: Sequence[str]) -> dict[str, str]:
    """R's name of each of our parameters: by position for patt*.fit, whose order is ours, by name for designs."""
    if c.function.startswith("patt") and len(names) == len(own):
        return dict(zip(names, own))
    return {name: ours for name in names if (ours := _translated(name, items)) in own}


def _translated(name: str, items: Sequence[str]) -> str:
    parts = []
    for part in name.split(":"):
        of_pair = re.fullmatch(r"u(\d)(\d)", part)
        numbered = re.fullmatch(r"o(\d)", part)
        level = re.fullmatch(r"(ENG|SEX|EDU)(\d)", part)
        if part in ("U", "g1"):
            parts.append("tie")
        elif part == "pos":
            parts.append("order")
        elif of_pair:
            parts.append(f"tie:{items[int(of_pair[1]) - 1]}:{items[int(of_pair[2]) - 1]}")
        elif level:
            parts.append(f"{level[1]}[{level[2]}]")
        elif numbered and part not in items:
            parts.append(items[int(numbered[1]) - 1])
        else:
            parts.append(part)
    return ":".join(sorted(parts, key=lambda part: part.endswith("]")))


def rows_of(c: Case) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    """Quantity, prefmod's number, ours, digits shared."""
    r, own = r_numbers(c), kept(NATIVE)[c.name]
    items = list(dict.fromkeys(item for _, item, _ in own["worth"]))
    named = ours_for(c, list(r["estimate"]), list(own["estimate"]), items)
    for name, ours in named.items():
        a, b, se = r["estimate"][name], own["estimate"][ours], own["se"][ours]
        yield f"{ours}", a, b, float(digits_of_agreement(b, a, se))
        yield f"standard error of {ours}", r["se"][name], se, float(digits_of_agreement(se, r["se"][name]))
    for ours in own["estimate"]:
        if ours not in named.values():
            yield ours, None, own["estimate"][ours], None
    for kind in ("llf", "deviance", "df"):
        if kind == "deviance" and "alpha" in str(c.arguments):
            continue  # a joint log-likelihood against one of the answers alone
        a, b = r.get(kind), own[kind]
        yield kind, a, b, None if a is None else float(digits_of_agreement(b, a))
    worths = r.get("worth", [])
    if len(worths) == len(own["worth"]):
        for (_, _, a), (group, item, b) in zip(worths, own["worth"]):
            of = "" if group == "all" else f" ({group})"
            yield f"worth of {item}{of}", a, b, float(digits_of_agreement(b, a))
    else:
        for group, item, a in worths:
            yield f"worth of {item} ({group})", a, None, None


def section(c: Case) -> str:
    """A case: both calls, what to know, and the table."""
    head = example(f"{c.page}: `{c.name}`", r_call(c), c.ours)
    said = sentence(c.note)
    if error := kept(NATIVE)[c.name].get("error"):
        r = r_numbers(c)
        found = [(name, ten(b), ten(r["se"][name])) for name, b in r["estimate"].items()]
        return f"{head}\n{said}{markdown(('parameter', 'prefmod', 'standard error'), found)}\npairproof: {error}.\n"
    apart = DIFFERENT.get(c.name)
    if apart:
        said += f"Different: {apart.why}.\n\n"
    exact = certified(c)
    table = markdown(
        ("quantity", "prefmod", "pairproof", "digits", *(["50-digit value, its first 20"] if exact else [])),
        [
            (q, ten(a), ten(b), shown(d), *([exact.get(q, "")[:22]] if exact else []))
            for q, a, b, d in rows_of(c)
        ],
    )
    return f"{head}\n{said}{table}"


def certified(c: Case) -> dict[str, str]:
    """The 50-digit values of a case's quantities, as text; empty where its model has none."""
    if c.name == "baseball":
        return _baseball()
    if not c.certified:
        return {}
    found = certified_fit(f"answers/fits/{c.certified}")
    return {
        **found["params"],
        **{f"standard error of {name}": value for name, value in found["bse"].items()},
        "llf": found["llf"],
        "deviance": found["deviance"],
        **{
            f"worth of {item}{'' if group == 'all' else f' ({group})'}": value
            for group, worths in found.get("worth", {}).items()
            for item, value in worths.items()
        },
    }


def _baseball() -> dict[str, str]:
    """Of the 50-digit fit of single games, whose reference is Toronto: differences from Baltimore."""
    found = certified_fit("fits/baseball-1987--llbt-none-order")
    names = found["cov_params"]["names"]
    exact = {"llf": found["llf"], "deviance": found["deviance"], "order": found["params"]["order"]}
    exact["standard error of order"] = found["bse"]["order"]
    with localcontext() as context:
        context.prec = 50
        value = {name: Decimal(x) for name, x in found["params"].items()} | {"Toronto": Decimal(0)}
        rows = [[Decimal(x) for x in row] for row in found["cov_params"]["rows"]]
        cov = {(a, b): rows[i][j] for i, a in enumerate(names) for j, b in enumerate(names)}
        last = TEAMS["BAL"]
        for short, team in list(TEAMS.items())[:-1]:
            exact[short] = str(value[team] - value[last])
            variance = (
                cov.get((team, team), Decimal(0)) + cov[last, last] - 2 * cov.get((team, last), Decimal(0))
            )
            exact[f"standard error of {short}"] = str(variance.sqrt())
    return exact | {f"worth of {short}": found["worth"]["all"][team] for short, team in TEAMS.items()}


def unexplained(c: Case) -> list[str]:
    """Quantities in fewer digits than ENOUGH, for which nothing is said."""
    if "error" in kept(NATIVE)[c.name]:
        return []
    apart = DIFFERENT.get(c.name, Apart((), ""))
    return [
        q
        for q, _, _, d in rows_of(c)
        if d is not None and d < ENOUGH and not q.startswith(apart.of or ("\0",))
    ]


def examples() -> str:
    """All cases that have a counterpart with numbers."""
    return block(section(c) for c in CASES if c.ours)


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


def exact() -> str:
    """The models of prefmod's data sets that are in the 50-digit set."""
    return block(section(c) for c in FURTHER if c.certified)


BLOCKS = {
    "prefmod-examples": examples,
    "prefmod-immig": immig,
    "prefmod-classes": prefmod_classes.classes,
    "prefmod-others": prefmod_others.others,
    "prefmod-certified": exact,
}


if __name__ == "__main__":
    keep(NATIVE, computed())
