"""Slips of scale, of inference and of print: the fit is right, but its numbers are given in another form."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..claims.printed import Printed
from ..claims.quantities import kind_of
from .constants import constants
from .registry import Draft, SettingChange, Situation

#: Elo's scale: 400 points are odds of 10.
ELO = 400.0 / math.log(10.0)


def setting(**fields: Any) -> SettingChange:
    """Change these fields of the setting."""
    return lambda s: replace(s, **fields)


# -- scale ---------------------------------------------------------------------------------------------------


def scale(s: Situation) -> Iterator[Draft]:
    lam = s.fit.scale == "lambda"
    # Lambda is half the log-odds.
    to_log_odds = 2.0 if lam else 1.0
    yield Draft(
        "estimates are log-odds, twice lambda" if lam else "estimates are lambda, half the log-odds",
        change=setting(factor=2.0 if lam else 0.5),
    )
    yield Draft(
        "estimates are half as large once more (lambda halved)" if lam else "estimates are log-odds doubled",
        change=setting(factor=0.5 if lam else 2.0),
        cost=2,
    )
    yield Draft("estimates are log-odds divided by 1.75", change=setting(factor=to_log_odds / 1.75), cost=2)
    yield Draft(
        "estimates are log-odds divided by 1.702, the normal ogive's constant",
        change=setting(factor=to_log_odds / 1.702),
        cost=2,
    )
    yield Draft("estimates are Elo points", change=setting(factor=to_log_odds * ELO), cost=2)
    for centre in (1000.0, 1500.0):
        yield Draft(
            f"estimates are Elo points with mean {centre:g}",
            change=setting(factor=to_log_odds * ELO, offset=centre, reference="sum"),
            cost=2,
        )


def reference(s: Situation) -> Iterator[Draft]:
    if s.fit.spec.item_terms:
        return
    for item in (*s.fit.items, "sum"):
        if item != s.setting.reference:
            yield Draft(
                "the items sum to zero" if item == "sum" else f"{item} is the reference",
                change=setting(reference=item),
            )


def sign(s: Situation) -> Iterator[Draft]:
    yield Draft("a small estimate is a preferred item", change=setting(factor=-1.0))


def worth_scale(s: Situation) -> Iterator[Draft]:
    yield Draft("worths and odds are exp(lambda), not exp(2 lambda)", change=setting(worth_factor=0.5))
    yield Draft("worths and odds are exp(2 x log-odds)", change=setting(worth_factor=2.0))


def tie_parameter(s: Situation) -> Iterator[Draft]:
    tie = [t.name for t in s.fit.terms if t.kind == "tie"]
    if any(q.kind in ("estimate", "low", "high") and q.name in tie for q, _ in s.numbers):
        yield Draft("the tie parameter is nu, not its logarithm", change=setting(tie="nu"))
        yield Draft("the tie parameter is log nu less log 2", change=setting(tie="tie.max"))


def order_coding(s: Situation) -> Iterator[Draft]:
    if s.fit.spec.order_effect:
        yield Draft("the order effect is coded +1 and -1", change=setting(order_factor=0.5))
        yield Draft("the order effect is given for half a comparison", change=setting(order_factor=2.0))


# -- inference -----------------------------------------------------------------------------------------------


def one_sided(s: Situation) -> Iterator[Draft]:
    other = 1 if s.setting.sided == 2 else 2
    yield Draft(f"p-values are {'one' if other == 1 else 'two'}-sided", change=setting(sided=other))


def t_for_z(s: Situation) -> Iterator[Draft]:
    yield Draft("p-values are from t with the residual degrees of freedom", change=setting(t=True))


def deviance_is_log_likelihood(s: Situation) -> Iterator[Draft]:
    yield Draft("what is called deviance is minus twice the log-likelihood", change=setting(deviance="llf"))


def aic_constant(s: Situation) -> Iterator[Draft]:
    own = "aic_glm" not in s.kinds
    yield Draft(
        (
            "AIC has the constants of R's glm"
            if own
            else "AIC is -2 log L + 2k without the constants of R's glm"
        ),
        change=setting(aic="other"),
    )
    yield Draft("AIC is deviance + 2k", change=setting(aic="deviance"))
    yield Draft("AIC counts one parameter more", change=setting(aic="k+1"), cost=2)
    yield Draft("AIC is divided by the number of comparisons", change=setting(aic="per-n"), cost=2)


def df(s: Situation) -> Iterator[Draft]:
    if not {"df_resid", "df_null", "gof_p", "aic_glm"} & s.kinds:
        return
    if float(constants(s.model, [s.rows], s.setting.solver).empty[0]) > 0:
        yield Draft(
            "degrees of freedom count empty cells (prefmod's defect B11-empty-cells-counted)",
            change=setting(df="all-cells"),
        )
    if not {"df_resid", "df_null", "gof_p"} & s.kinds:
        return
    yield Draft("degrees of freedom count every outcome of every cell", change=setting(df="all-counts"))
    yield Draft("degrees of freedom are one more (a parameter is not counted)", change=setting(df="+1"))
    yield Draft("degrees of freedom are one fewer (the reference is counted)", change=setting(df="-1"))


# -- print ---------------------------------------------------------------------------------------------------


def digits_transposed(s: Situation) -> Iterator[Draft]:
    for quantity, printed in s.numbers:
        for text in transposed(printed):
            yield Draft(
                f"{quantity} is {text} and two of its digits changed places in print",
                quantity=quantity,
                alternative=Printed.parse(text),
            )


def sign_lost(s: Situation) -> Iterator[Draft]:
    for quantity, printed in s.numbers:
        kind = kind_of(quantity)
        if (
            kind in ("estimate", "z", "low", "high", "contrast", "contrast_z", "llf")
            and not printed.is_bound
            and printed.value
        ):
            text = _plain(printed)
            text = text[1:] if text.startswith("-") else f"-{text}"
            yield Draft(
                f"{quantity} is {text} and its sign was lost in print",
                quantity=quantity,
                alternative=Printed.parse(text),
            )


def _plain(printed: Printed) -> str:
    """The number without marks, degrees of freedom, and Unicode signs."""
    text = printed.text.partition(" on ")[0].replace("\u2212", "-").replace("\u2013", "-").strip()
    found = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text)
    return found[0] if found else ""


def transposed(printed: Printed) -> list[str]:
    """Exchange two neighbouring digits of a number, in every way that gives another number of the same form."""
    if printed.is_bound:
        return []
    text = _plain(printed)
    mantissa = re.split("[eE]", text)[0]
    digits = [k for k, c in enumerate(mantissa) if c.isdigit()]
    if mantissa.lstrip("+-").startswith("0."):
        digits = digits[1:]  # the zero before the decimal point is not exchanged
    found = []
    for a, b in zip(digits, digits[1:]):
        if text[a] != text[b] and not (
            a == digits[0] and text[b] == "0" and "." not in text[a:b] and mantissa.lstrip("+-")[0] != "0"
        ):
            swapped = list(text)
            swapped[a], swapped[b] = text[b], text[a]
            found.append("".join(swapped))
    return found
