"""Agreements of a claim whose numbers come from a computation and not from a model."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..errors import InputError, PairproofError
from .claims.paper import Claim, PrintedQuantity
from .native_and_r import RowMaker
from .statements.catalogue import COMPUTATIONS
from .statements.computations import Computed, Request
from .verdicts.agreement import Agreement, value_or_none
from .verdicts.digits import digits_of_agreement
from .verdicts.verdict import judge_print

#: Digits in which native and R must agree where a computation asks both: sums and tails of few terms carry 13
#: and more.
FLOOR = 12.0


def computed_rows(row: RowMaker, source: str, claim: Claim, request: Request) -> list[Agreement]:
    """One row for each printed number; and one that says so where native has no such model.

    source: the claims file or the paper, for messages.
    """
    try:
        found = COMPUTATIONS[claim.compute](request)
    except InputError as error:
        raise InputError(f"{_place(source, claim)}: {error}") from error
    except PairproofError as error:
        said = " ".join(str(error).split())
        call = None if "native" in claim.engines else ", ".join(claim.engines)
        return [
            row(
                q.quantity,
                "not-run",
                f"{claim.compute} did not run: {said}",
                "computation-not-run",
                printed=q.printed.text,
                r_call=call,
            )
            for q in claim.numbers
        ]
    rows = [_number(row, source, claim, q, found) for q in claim.numbers]
    if found.lacks:
        rows.append(
            row(
                "fit",
                "not-run",
                (
                    f"no-native-model: native has no {found.lacks}; the numbers of this claim are "
                    f"{found.r_call}'s alone"
                ),
                "no-native-model",
                about="native-r",
            )
        )
    return rows


def _place(source: str, claim: Claim) -> str:
    return f"{source}, line {claim.line}, claim {claim.id!r}"


def _number(row: RowMaker, source: str, claim: Claim, q: PrintedQuantity, found: Computed) -> Agreement:
    native, r = found.native.get(q.quantity, math.nan), found.r.get(q.quantity, math.nan)
    if q.quantity not in found.native and q.quantity not in found.r:
        raise InputError(
            f"{source}, line {q.line}, claim {claim.id!r}: {claim.compute} gives no "
            f"{q.quantity!r}; it gives {_listed({**found.native, **found.r})}"
        )
    judged = judge_print(q, native if q.quantity in found.native else r, float(claim.alpha))
    verdict, note, code = judged.verdict, judged.note, judged.code
    digits = float(digits_of_agreement(native, r, 0.0)) if found.native and found.r else math.nan
    if digits < FLOOR:
        verdict, code = "differs", "few-digits"
        note = f"native and {found.r_call} agree to {digits:.1f} digits, fewer than {FLOOR:g}"
    elif q.quantity in found.remarks:
        verdict, (code, text) = "explained", found.remarks[q.quantity]
        note = f"{code}: {text}" + ("" if judged.comes_out else f"; here {judged.note}")
    return row(
        q.quantity,
        verdict,
        note,
        code,
        printed=q.printed.text,
        native=value_or_none(native),
        r=value_or_none(r),
        r_call=found.r_call or None,
        r_source=found.r_source,
        digits=value_or_none(digits),
    )


def _listed(names: Mapping[str, float]) -> str:
    shown = sorted(names)
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12} more" if len(shown) > 12 else "")
