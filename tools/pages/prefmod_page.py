"""The tables of "prefmod -> pairproof": every example of prefmod's help pages by both, number by number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from pairproof.bridge import Expr, backend
from pairproof.bridge.packages import prefmod
from pairproof.validation.verdicts.digits import digits_of_agreement

from . import prefmod_classes, prefmod_immig, prefmod_others
from .agreement import markdown
from .prefmod_cases import CASES, FURTHER, Case, case, in_r
from .prefmod_native import BETAS, CODE, kept
from .snippets import ROOT

#: Digits below which a row must have an explanation.  Observed on the examples: 2.8 and more, for standard
#: errors of llbt.fit, which stops at a relative change of the deviance of 1e-4, and of nlm's numeric Hessian
#: with alpha and beta.
ENOUGH = 2.5

#: Cases whose model and data are in the certified set.
CERTIFIED = {
    "pattR-salad": "salad--pattern",
    "pattR-salad-glm": "salad--pattern",
    "dat4-pattern": "dat4--pattern",
    "dat4-dependence": "dat4--pattern-dependence",
    "immig-pattern": "immig--pattern",
    "immig-dependence": "immig--pattern-dependence",
    "trdel-pattern": "trdel--pattern",
    "trdel4-sex": "trdel4--pattern-by-sex",
    "issp2000-4-pattern": "issp2000-4--pattern",
    "issp2000-4-dependence": "issp2000-4--pattern-dependence",
    "music4-pattern": "music4--pattern",
    "music3x2-dependence": "music3x2--pattern-dependence",
    "carconf-pattern": "carconf--pattern",
    "carconf4-sex": "carconf4--pattern-by-sex",
}
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


def r_call(c: Case) -> str:
    """The call as a user of prefmod types it."""
    name = c.function.replace("_", ".")
    given = {k: v for k, v in c.arguments.items()}
    if c.function == "fit_design":
        eliminated = f", eliminate = {given['eliminate']}" if "eliminate" in given else ""
        how = "gnm" if eliminated else "glm"
        return f"{how}({given['formula']}{eliminated}, family = poisson, data = {c.design_source()})".replace(
            "prefmod::", ""
        )
    parts = [c.table.r] if c.function != "llbt_fit" and c.table.r else []
    for key, value in given.items():
        text = str(value.code) if isinstance(value, Expr) else value if _bare(key, value) else in_r(value)
        parts.append(f"{key.replace('_', '.')} = {text}")
    return f"{name}({', '.join(parts)})".replace("prefmod::", "")


def _bare(key: str, value: object) -> bool:
    return key in ("formel", "elim", "y", "Xmodel", "random", "formula") and isinstance(value, str)


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
    r, own = r_numbers(c), kept()[c.name]
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


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def section(c: Case) -> str:
    """A case: both calls, what to know, and the table."""
    head = f"### {c.page}: `{c.name}`\n\n```r\n{r_call(c)}\n```\n```text\n{CODE[c.name]}\n```\n"
    said = f"{c.note[0].upper()}{c.note[1:]}.\n\n" if c.note else ""
    own = kept()[c.name]
    if "error" in own:
        r = r_numbers(c)
        rows = [(name, _cell(b), _cell(r["se"][name])) for name, b in r["estimate"].items()]
        return f"{head}\n{said}{markdown(('parameter', 'prefmod', 'standard error'), rows)}\npairproof: {own['error']}.\n"
    rows = list(rows_of(c))
    apart = DIFFERENT.get(c.name)
    if apart:
        said += f"Different: {apart.why}.\n\n"
    exact = certified(c)
    table = markdown(
        ("quantity", "prefmod", "pairproof", "digits", *(["50-digit value, its first 20"] if exact else [])),
        [
            (
                q,
                _cell(a),
                _cell(b),
                "" if d is None else f"{int(d * 10) / 10:.1f}",
                *([exact.get(q, "")[:22]] if exact else []),
            )
            for q, a, b, d in rows
        ],
    )
    return f"{head}\n{said}{table}"


def certified(c: Case) -> dict[str, str]:
    """The 50-digit values of a case's quantities, as text; empty where its model has none."""
    if c.name == "baseball":
        return _baseball()
    if c.name not in CERTIFIED:
        return {}
    path = ROOT / "tests" / "certified" / "answers" / "fits" / f"{CERTIFIED[c.name]}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
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
    path = ROOT / "tests" / "certified" / "fits" / "baseball-1987--llbt-none-order.json"
    found = json.loads(path.read_text(encoding="utf-8"))
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
    if "error" in kept()[c.name]:
        return []
    apart = DIFFERENT.get(c.name, Apart((), ""))
    return [
        q
        for q, _, _, d in rows_of(c)
        if d is not None and d < ENOUGH and not q.startswith(apart.of or ("\0",))
    ]


def examples() -> str:
    """All cases that have a counterpart with numbers."""
    return "\n" + "\n".join(section(c) for c in CASES if c.name in CODE) + "\n"


def immig() -> str:
    """The likelihood-ratio of beta: prefmod's, as it computes it and as its help page and the book define it."""
    masks = {"MISalpha": [True] * 4}
    data = Expr("prefmod::immig")
    without = prefmod.pattPC_fit(data, 4, **masks, backend=backend())
    with_beta = prefmod.pattPC_fit(data, 4, **masks, MISbeta=[True] * 4, backend=backend())
    own, sure = kept(), prefmod_immig.exact()
    none = own["immig"]["llf"]
    rows = [
        ("alpha alone", f"{without.llf:.10g}", f"{none:.10g}", sure["alpha"]["llf"][:22], ""),
        (
            'MISbeta, `beta="coded"`',
            f"{with_beta.llf:.10g}",
            f"{own['immig coded']['llf']:.10g}",
            sure["coded"]["llf"][:22],
            f"{2 * (own['immig coded']['llf'] - none):.6f}",
        ),
    ]
    for beta in BETAS[2:]:
        error = own[f"immig {beta}"]["error"]
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
            _cell(r),
            _cell(here[name]),
            f"{int(digits_of_agreement(here[name], r) * 10) / 10:.1f}",
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
    return "\n" + "\n".join(section(c) for c in FURTHER if c.name in CERTIFIED) + "\n"


BLOCKS = {
    "prefmod-examples": examples,
    "prefmod-immig": immig,
    "prefmod-classes": prefmod_classes.classes,
    "prefmod-others": prefmod_others.others,
    "prefmod-certified": exact,
}


def shown(name: str) -> str:
    """One section, for a reader of this module."""
    return section(case(name))
