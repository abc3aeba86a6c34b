"""The fewest digits that a run shows under each floor, and `floors.toml` written anew with them.

`python -m tests.validation.verdicts.observed PAPER...` runs these papers on this machine and prints a line of JSON a
floor, for the values by machine that stand beside the floors.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pairproof.validation.claims.quantities import kind_of
from pairproof.validation.verdicts.agreement import Agreement
from pairproof.validation.verdicts.digits import CERTIFIED, Floor, floor, shipped


@dataclass(frozen=True)
class Observed:
    """Fewest digits seen under a floor in a run.

    Attributes
    ----------
    floor : Floor
    digits : float
    claim, quantity, r_call : str
        Where they were seen.
    """

    floor: Floor
    digits: float
    claim: str
    quantity: str
    r_call: str


def observed(agreements: Iterable[Agreement], floors: Sequence[Floor] | None = None) -> tuple[Observed, ...]:
    """The fewest digits a run shows for each floor it uses."""
    least: dict[tuple[str, str], Observed] = {}
    for a in agreements:
        # An R that stopped before its maximum is held to no floor.
        pairs: list[tuple[str, float | None]] = (
            [] if a.r is None or a.r_call is None or not a.r_arrived else [(a.r_call, a.digits)]
        )
        if a.certified is not None:
            pairs.append((CERTIFIED, a.certified_digits))
        for call, d in pairs:
            if d is None or math.isnan(d):
                continue
            f = _exact(a, floors) if call == CERTIFIED else floor(a.quantity, call, floors)
            now = least.get((f.quantity, f.r_call))
            if now is None or d < now.digits:
                least[(f.quantity, f.r_call)] = Observed(f, d, a.claim, a.quantity, call)
    return tuple(least.values())


def _exact(a: Agreement, floors: Sequence[Floor] | None) -> Floor:
    """The floor beside 50 digits; models of other families have one of their own, which a row has as a number."""
    if a.certified_floor is None:
        return floor(a.quantity, CERTIFIED, floors)
    own = [
        f for f in floors or shipped() if f.quantity == kind_of(a.quantity) and f.r_call.startswith(CERTIFIED)
    ]
    return next(f for f in reversed(own) if f.digits == a.certified_floor)


def update_observed(agreements: Iterable[Agreement], floors: Sequence[Floor] | None = None) -> str:
    """The text of `floors.toml` with the digits that this run observed; floors it did not use stay as they are.

    A comment names the claim and the quantity of each minimum, and how far the floor lies below it.
    """
    seen = {(o.floor.quantity, o.floor.r_call): o for o in observed(agreements, floors)}
    blocks = []
    for f in shipped() if floors is None else floors:
        o = seen.get((f.quantity, f.r_call))
        comment = (
            "not used in this run"
            if o is None
            else f"{o.claim} {o.quantity}, {o.r_call}; slack {o.digits - f.digits:.1f}"
        )
        value = f.observed if o is None else math.floor(o.digits * 10) / 10
        why = f.why.replace("\\", "\\\\").replace('"', '\\"')
        blocks.append(
            f'[[floor]]\nquantity = "{f.quantity}"\nr_call = "{f.r_call}"\ndigits = {f.digits:g}\n'
            f'observed = {value:g}  # {comment}\nwhy = "{why}"\n'
        )
    return "\n".join(blocks)


def main(papers: Sequence[str]) -> None:
    from pairproof.validation import run

    rows = [a for paper in papers for a in run(paper)]
    for o in observed(rows):
        found = {"quantity": o.floor.quantity, "r_call": o.floor.r_call, "floor": o.floor.digits}
        print(json.dumps({**found, "digits": o.digits, "at": f"{o.claim} {o.quantity}"}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
