"""Python calls that may have the model of a recorded BTm, the most readable first.

Free abilities are `fit_bradley_terry(table)`, with `order_effect=True` where each player named first is at home.  Any
other formula is written in pairproof's words (:mod:`.words`); where it has none, or another parameterisation than R's
contrasts, the columns of R's own model matrix stand in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....native.comparisons.formula.expressions import Name
from ..python_code import Call, File, table_call, whole_numbers
from ..translation import StaysInR
from .recorded_btm import TAKEN, Contests, FloatArray, Words, in_words, random_effect

MATRIX = (
    "The formula has no counterpart in pairproof's words: the columns of R's model matrix stand in the table, under"
    " R's names."
)
PQL = (
    "method=\"pql\" is BradleyTerry2's penalised quasi-likelihood, so that the numbers are R's; for single wins and losses"
    " it is badly biased, and without it the likelihood is approximated by Laplace's method."
)
HELD_AT_0 = "Random effects whose variance is held at 0 are none: this is the model without them."
HALF = "Contests that count half for each player are ties that count as half wins."


@dataclass(frozen=True, eq=False)
class Candidate:
    """A call that may have R's model; any_contrasts: R's coefficients may combine its parameters."""

    code: Call
    any_contrasts: bool = False
    notes: tuple[str, ...] = ()


def candidates(call: RecordedCall, contests: Contests, scopes: Sequence[str] = ()) -> Iterator[Candidate]:
    """Calls of `fit_bradley_terry` to be tried in turn; scopes: later terms, whose covariates are needed."""
    options = _options(call)
    random = random_effect(call, contests)
    notes: tuple[str, ...] = ()
    if random and held_sigma(call) == 0.0:
        random, notes = False, (HELD_AT_0,)
    if random:
        if held_sigma(call) is not None:
            raise StaysInR("fit_bradley_terry has no random effects with a variance that is held fixed")
        options["method"] = "pql"
        notes = (PQL,)
    free, others = free_columns(contests)
    reference = reference_of(contests) if free else ""
    named = {"reference": reference} if free and reference != contests.players[0] else {}
    more_data = in_words(call, contests, (), scopes)
    if free and not random and not others:
        yield Candidate(_with_words(call, contests, more_data, named | options), True, notes)
        return
    if free and not random and len(others) == 1 and (contests.x[:, others[0]] == 1).all():
        yield Candidate(
            _with_words(call, contests, more_data, named | options | {"order_effect": True}), True, notes
        )
        return
    own = [p for p in call.strings("separate") if p in contests.players]
    more = {"separate": own} if own else {}
    for terms in (None, estimated_terms(call, contests)):
        if terms is None and _terms_without_number(call):
            continue
        try:
            words = in_words(call, contests, terms, scopes)
        except StaysInR:
            break
        if random:
            words.formula = " + ".join(part for part in (words.formula, "(1 | item)") if part)
        yield Candidate(_with_words(call, contests, words, named | more | options), False, notes)
    if random and _with_own_ability(call, contests):
        raise StaysInR(
            "players with an ability of their own beside random effects, in a formula of no other words"
        )
    yield Candidate(
        _with_matrix(call, contests, named | options, free, others, random), False, (*notes, MATRIX)
    )


def fit_call(
    call: RecordedCall,
    contests: Contests,
    options: dict[str, Any],
    columns: dict[str, list[Any]] | None = None,
    **reading: Any,
) -> Call:
    """`pairproof.fit_bradley_terry(pairproof.read("data/m.csv", ...), ...)`."""
    table = rows_of_table(contests) | (columns or {})
    more: dict[str, Any] = {}
    if "ties" in table:
        more["ties"] = "half"
    if contests.offset is not None and contests.offset.any():
        table["offset"] = [float(v) for v in contests.offset]
        more["offset"] = "offset"
    order = {} if _in_default_order(contests) else {"items": list(contests.players)}
    read = table_call(table, call.variable, layout="counts", **order, **reading)
    if "method" not in options:  # penalised quasi-likelihood has no deviance
        more["cells"] = "row"
    return Call("pairproof.fit_bradley_terry", (read,), options | more)


def _in_default_order(contests: Contests) -> bool:
    """Whether `pairproof.read` finds the players in R's order: by number if all are whole ones, else by code point."""
    found = {contests.players[k] for side in (contests.first, contests.second) for k in side}
    if all(re.fullmatch(r"[0-9]+", name) for name in found):
        return list(contests.players) == sorted(found, key=int)
    return list(contests.players) == sorted(found)


def rows_of_table(contests: Contests) -> dict[str, list[Any]]:
    """Players and counts; a contest that counts half for each is a tie where every fraction is one of such."""
    wins, losses = contests.wins, contests.losses
    tied = (wins == 0.5) & (losses == 0.5)
    table: dict[str, list[Any]] = {
        "first": [contests.players[k] for k in contests.first],
        "second": [contests.players[k] for k in contests.second],
    }
    if tied.any() and (((wins % 1 == 0) & (losses % 1 == 0)) | tied).all():
        ties = tied.astype(float)
        wins, losses = np.where(tied, 0.0, wins), np.where(tied, 0.0, losses)
        return table | {"wins": _whole(wins), "losses": _whole(losses), "ties": _whole(ties)}
    return table | {"wins": _whole(wins), "losses": _whole(losses)}


def free_columns(contests: Contests) -> tuple[bool, list[int]]:
    """Whether all but one a player are sums of the players' indicators, and the places of the others."""
    d = contests.indicators
    of_items = [
        k
        for k in range(contests.x.shape[1])
        if contests.names[k].startswith(contests.id) and _of(d, contests.x[:, k])
    ]
    free = len(of_items) == len(contests.players) - 1
    return free, [k for k in range(contests.x.shape[1]) if k not in of_items]


def reference_of(contests: Contests) -> str:
    """The player at 0 in R's columns of free abilities: the one without a column; "sum" under other contrasts."""
    d = contests.indicators
    having = [
        any(np.array_equal(d[:, k], contests.x[:, j]) for j in range(contests.x.shape[1]))
        for k in range(d.shape[1])
    ]
    without = [p for p, has in zip(contests.players, having) if not has]
    return without[0] if len(without) == 1 else "sum"


def held_sigma(call: RecordedCall) -> float | None:
    """The standard deviation of the random effects where it was held fixed; None where it was estimated."""
    return call.real("sigma", 0.1) if call.flag("sigma.fixed") else None  # 0.1 is glmmPQL's own start


def estimated_terms(call: RecordedCall, contests: Contests) -> list[str]:
    """R's labels of the terms that have a coefficient with a number; what R gives NA for throughout is aliased."""
    without = _terms_without_number(call)
    return [label for label in call.strings("terms") if label not in without]


def bias_reduced(call: RecordedCall) -> bool:
    """Whether brglm fitted it."""
    return "brglm" in call.strings("class")


def _terms_without_number(call: RecordedCall) -> set[str]:
    labels, assign, coef = call.strings("terms"), call.vector("assign"), call.vector("coef")
    if assign is None or coef is None or len(assign) != len(coef):
        return set()
    of, values = assign.floats().astype(int), coef.floats().ravel()
    if not len(of) or of.max() > len(labels):
        return set()
    return {label for k, label in enumerate(labels, 1) if (of == k).any() and np.isnan(values[of == k]).all()}


def _with_words(call: RecordedCall, contests: Contests, words: Words, options: dict[str, Any]) -> Call:
    reading: dict[str, Any] = {}
    if words.item_data:
        items = File({"item": list(contests.players), **words.item_data}, f"{call.variable or 'BTm'}_items")
        reading["item_data"] = items
    if words.levels:
        reading["levels"] = words.levels
    formula = {"formula": words.formula} if words.formula else {}
    return fit_call(call, contests, formula | options, words.columns, **reading)


def _with_own_ability(call: RecordedCall, contests: Contests) -> bool:
    return any(name.startswith(contests.id) for name in contests.names)


def _with_matrix(
    call: RecordedCall,
    contests: Contests,
    options: dict[str, Any],
    free: bool,
    others: list[int],
    random: bool,
) -> Call:
    """The columns of R's model matrix that have a coefficient, in favour of the player named first."""
    coef = call.vector("coef")
    assert coef is not None
    known = ~np.isnan(coef.floats().ravel())
    names, columns = [], {}
    for k in others if free else range(contests.x.shape[1]):
        if not known[k]:
            continue
        name = contests.names[k].replace("`", "'")
        while name in TAKEN or name in columns:
            name += "_"
        names.append(Name(name).text)
        if free:
            columns[name] = _whole(contests.x[:, k])
        else:
            columns[f"{name}_first"] = _whole(contests.x[:, k])
            columns[f"{name}_second"] = [0] * len(contests.first)
    if free:
        return fit_call(call, contests, {"comparison_terms": names} | options, columns)
    formula = " + ".join([*names, *(["(1 | item)"] if random else [])])
    return fit_call(call, contests, {"formula": formula} | options, columns)


def _of(d: FloatArray, column: FloatArray) -> bool:
    """Whether a column is a sum of the players' indicators."""
    solved = np.linalg.lstsq(d, column, rcond=None)[0]
    return bool(np.abs(d @ solved - column).max(initial=0.0) <= 1e-9)


def _options(call: RecordedCall) -> dict[str, Any]:
    """Link and reduced bias; what is R's default and ours is left out."""
    found: dict[str, Any] = {}
    link = (call.strings("family") or ("binomial", "logit"))[-1]
    if link not in ("logit", "probit", "cauchit"):
        raise StaysInR(f"fit_bradley_terry has no link {link!r}")
    if link != "logit":
        found["link"] = link
    if bias_reduced(call):
        found["reduce_bias"] = "mean"
    return found


def _whole(values: FloatArray) -> list[Any]:
    return whole_numbers(values, np.inf)
