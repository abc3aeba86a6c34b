"""The pattern model that a call of patt*.fit asks for, from the values of its arguments.

prefmod's own rules: models of what is missing (NItest, NI, MIScommon, MISalpha, MISbeta) put covariates
aside; MIScommon goes before MISalpha and MISbeta, these before NItest; MISbeta alone brings the same
MISalpha with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....data.wide import prefmod_pair_order
from .....fit.answers.fit import AnswerFit
from .covariates import Covariates, Product
from .table import Given, count, flag, mask, scalar, texts, written_name

#: Function -> what its answers are.
KINDS: dict[str, Literal["pairs", "ranks", "ratings"]] = {
    "pattPC.fit": "pairs",
    "pattR.fit": "ranks",
    "pattL.fit": "ratings",
    "pattRrep.fit": "ranks",
    "pattLrep.fit": "ratings",
}
#: The column that tells complete answers from others, which NItest compares.
INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Asked:
    """A pattern model.

    function: prefmod's, without its package.  ties, dependence, between_times: undec, ia, iaT.
    complete_against_others: NItest.  alpha_of, beta_of: items or comparisons that have one, from 0; `beta_of`
    is empty without beta.
    """

    function: str
    kind: Literal["pairs", "ranks", "ratings"]
    items: tuple[str, ...]
    times: int = 1
    ties: bool = False
    dependence: bool = False
    between_times: bool = False
    complete_against_others: bool = False
    alpha: str = ""
    alpha_of: tuple[int, ...] = ()
    beta_of: tuple[int, ...] = ()
    covariates: Covariates = field(default_factory=Covariates)

    @property
    def of_missing(self) -> bool:
        """Whether it is a model of what is missing, which takes no covariates."""
        return bool(self.alpha) or self.complete_against_others

    @property
    def n_answers(self) -> int:
        """Columns of answers."""
        n = len(self.items)
        return n * (n - 1) // 2 if self.kind == "pairs" else n * self.times

    @property
    def pairs(self) -> list[str]:
        """Comparisons in prefmod's order, as `alpha_of` names them."""
        return [f"{self.items[i]}:{self.items[j]}" for i, j in prefmod_pair_order(len(self.items))]


def asked(call: RecordedCall) -> Asked:
    """The model of a call, but its items' names and its covariates, which the table has."""
    kind = KINDS[call.name]
    n, times = count(call, "nitems"), max(count(call, "tpoints", 1), 1)
    model = Asked(
        call.name,
        kind,
        tuple(f"o{k + 1}" for k in range(n)),
        times,
        ties=kind != "ranks" and flag(call, "undec", True),
        dependence=flag(call, "ia"),
        between_times=flag(call, "iaT"),
        complete_against_others=flag(call, "NItest"),
    )
    return _of_missing(call, model) if call.name == "pattPC.fit" else model


def _of_missing(call: RecordedCall, model: Asked) -> Asked:
    alpha, beta = mask(call, "MISalpha"), mask(call, "MISbeta")
    if flag(call, "MIScommon"):
        return replace(model, alpha="common", complete_against_others=False)
    if alpha or beta:
        of = "comparison" if scalar(call, "MISmodel", "obj") == "comp" else "item"
        return replace(
            model,
            alpha=of,
            complete_against_others=False,
            alpha_of=tuple(int(k) for k in np.flatnonzero(alpha or beta)),
            beta_of=tuple(int(k) for k in np.flatnonzero(beta)),
        )
    if flag(call, "NI") and not model.complete_against_others:
        return replace(model, alpha="none")
    return model


def named_items(call: RecordedCall, model: Asked, table: Given) -> Asked:
    """The model with the names of its items: obj.names, else the columns of ranks and ratings, else o1, o2,
    ...
    """
    n, stated = len(model.items), texts(call, "obj.names")
    if model.kind == "pairs":
        return replace(model, items=stated) if len(stated) == n else model
    names = stated if len(stated) >= n * model.times else table.names[:n]
    return replace(model, items=tuple(names[:n]))


# -- what is written -----------------------------------------------------------------------------------------


def options(model: Asked, tie_category: bool) -> dict[str, Any]:
    """Options of `fit_pattern`; those that are its defaults are left out."""
    found: dict[str, Any] = {}
    if tie_category and not model.ties:
        found["ties"] = "none"
    if model.complete_against_others:
        found["by"] = INCOMPLETE
    elif model.covariates.by and not model.alpha:
        found["by"] = model.covariates.by
    if model.dependence:
        found["dependence"] = True
    if model.between_times:
        found["between_times"] = True
    if model.alpha:
        found["alpha"] = model.alpha
        names = list(model.items) if model.alpha == "item" else model.pairs
        if model.alpha_of and len(model.alpha_of) < len(names):
            found["alpha_of"] = [names[k] for k in model.alpha_of]
        if model.beta_of:
            found["beta"] = "coded" if model.alpha == "item" else "comparison"
            if len(model.beta_of) < len(names):
                found["beta_of"] = [names[k] for k in model.beta_of]
    return found


# -- names of parameters -------------------------------------------------------------------------------------


def r_blocks(covariates: Covariates, table: Given) -> list[tuple[tuple[str, int], ...]]:
    """The columns of prefmod's covariate design after its constant: main effects in the order of their
    names, then interactions, the first covariate's levels changing fastest.
    """
    in_order: list[Product] = sorted((tuple(sorted(p)) for p in covariates.formel), key=lambda p: (len(p), p))
    found: list[tuple[tuple[str, int], ...]] = []
    for product in in_order:
        cells: list[tuple[tuple[str, int], ...]] = [()]
        for name in product:
            levels = range(2, int(np.nanmax(table.column(name))) + 1)
            cells = [(*cell, (name, level)) for level in levels for cell in cells]
        found += cells
    return found


def parameters_in_order(fit: AnswerFit, model: Asked, table: Given) -> list[tuple[str, str]]:
    """prefmod's parameters in its own order: the name that it prints, and the fit's."""
    of_item = {(t.item, frozenset(t.by)): t.name for t in fit.terms if t.kind == "item"}
    times = fit.respondents.times
    blocks: list[tuple[tuple[str, int], ...]] = [()]
    blocks += [] if model.of_missing else r_blocks(model.covariates, table)
    found: list[tuple[str, str]] = []

    def items(block: tuple[tuple[str, int], ...], extra: tuple[tuple[str, str], ...], prefix: str) -> None:
        own = tuple((written_name(n), str(level)) for n, level in block) + extra
        suffix = "".join(f":{part}" for part in [":".join(f"{n}{level}" for n, level in block)] if part)
        for t in range(model.times):
            when = (("time", times[t]),) if model.times > 1 else ()
            for k, item in enumerate(model.items[:-1]):
                shown = _shown(model, table, t, k)
                found.append((f"{prefix}{shown}{suffix}", of_item[item, frozenset((*own, *when))]))

    for block in blocks:
        items(block, (), "")
    if model.complete_against_others:
        items((), ((INCOMPLETE, "yes"),), "mis.")
    names = {t.name for t in fit.terms}
    of_missing = list(model.items) if model.alpha == "item" else model.pairs
    for what, of in (("alpha", model.alpha_of), ("beta", model.beta_of)):
        found += [(f"mis.{what}{k + 1}", f"{what}:{of_missing[k]}") for k in of]
    if model.alpha == "common":
        found.append(("mis.alpha.common", next(t.name for t in fit.terms if t.kind == "missing")))
    found += _of_ties(model, fit)
    found += _of_dependence(model, fit)
    lacking = [own for _, own in found if own not in names]
    if lacking:
        raise KeyError(lacking[0])
    return found


def _shown(model: Asked, table: Given, time: int, item: int) -> str:
    if model.times == 1:
        return model.items[item]
    return table.names[time * len(model.items) + item]


def _of_ties(model: Asked, fit: AnswerFit) -> list[tuple[str, str]]:
    """U, or UT1, UT2, ..."""
    ties = [t for t in fit.terms if t.kind == "tie"]
    if not model.ties or not ties:
        return []
    if model.times == 1:
        return [("U", t.name) for t in ties]
    times = fit.respondents.times
    at = {next((str(level) for name, level in t.by if name == "time"), times[0]): t.name for t in ties}
    return [(f"UT{k + 1}", at[time]) for k, time in enumerate(times)]


def _of_dependence(model: Asked, fit: AnswerFit) -> list[tuple[str, str]]:
    """I12.13: for each item, the comparisons with it, two and two; then Comp1:IT12, a comparison at
    successive times.
    """
    n, times = len(model.items), fit.respondents.times
    terms = {_unordered(t.name): t.name for t in fit.terms}
    found = []
    for t in range(model.times if model.dependence else 0):
        for common in range(n):
            for a, b in combinations([k for k in range(n) if k != common], 2):
                pairs = [tuple(sorted((common, other))) for other in (a, b)]
                label = "I" + ".".join(f"{i + 1}{j + 1}" for i, j in pairs)
                own = "*".join(f"{model.items[i]}:{model.items[j]}" for i, j in pairs)
                when = f":time[{times[t]}]" if model.times > 1 else ""
                shown = f"T{t + 1}:{label}" if model.times > 1 else label
                found.append((shown, terms.get(_unordered(own + when), own + when)))
    if model.between_times:
        for t, (now, then) in enumerate(zip(times, times[1:]), 1):
            for k, pair in enumerate(model.pairs, 1):
                found.append((f"Comp{k}:IT{t}{t + 1}", f"{pair}:time[{now}]*time[{then}]"))
    return found


def _unordered(name: str) -> str:
    """A dependence of two comparisons with these in one order, whichever is named first."""
    head, _, time = name.partition(":time[")
    return "*".join(sorted(head.split("*"))) + time if "*" in head else name
