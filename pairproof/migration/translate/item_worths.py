"""itempar of psychotools and of PlackettLuce: worths, or log worths around their mean or less one item's.

A fit of Python has them as `m.worth()` and `m.with_reference(...).params`; worths relative to chosen items, and those
of models that R fitted, are R's through the bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.plackettluce import ItemParameters as OfRankings
from ...bridge.packages.psychotools import ItemParameters as OfPairs
from ...bridge.values.nodes import RVector
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from .python_code import Call, Method, Result, attribute
from .rows import Beside, at, by_item, named
from .translation import Step, Translation, outside

CHOSEN = "worths relative to chosen items have no name in Python; m.worth() and m.contrast() have what they are made of"


@dataclass(frozen=True)
class Package:
    """The package of R whose models itempar is of, its module in the bridge, and what its models are of.

    again: R's call of a model that was fitted in Python; None if its data were not recorded.  fitted, asked: R's
    function in rows of fits and of R's own answers.  errors: rows of standard errors of worths.
    """

    name: str
    data: str
    kind: type
    again: Callable[[RecordedCall], Call | None]
    fitted: str
    asked: str
    least: float
    why: str
    scaled: bool
    log_worths_in_test: bool
    errors: Callable[[RecordedCall, Step, RVector, Any], list[Agreement]]
    one_alone: bool = False


def worths(call: RecordedCall, made: Step, found: RVector, package: Package) -> Translation:
    """Of a fit in Python, or R's; `found` is R's answer, with names."""
    log, chosen = call.flag("log"), chosen_items(call, found.names or ())
    fit = Result(made.call.id)
    if not isinstance(made.value, Fit) or (chosen is not None and not (log and len(chosen) == 1)):
        return _bridged(call, made, found, package, log, chosen)
    if not log:
        judge = partial(_of_table, call, made, found, package)
        return Translation("native", Method(fit, "worth"), judge=judge)
    code = attribute(Method(fit, "with_reference", ("sum" if chosen is None else chosen[0],)), "params")
    return Translation("native", code, judge=partial(_log_worths, call, found, package))


def chosen_items(call: RecordedCall, items: Sequence[str]) -> tuple[str, ...] | None:
    """Items given as `ref`, by name or number; None: all."""
    given = call.argument("ref")
    if given is None:
        return None
    known = [v if isinstance(v, str) else items[int(v) - 1] for v in given.values.ravel().tolist()]
    return None if set(known) == set(items) else tuple(known)


def _rows(
    call: RecordedCall,
    package: Package,
    kind: str,
    ours: Mapping[str, float],
    found: RVector,
    places: Mapping[str, str],
) -> list[Agreement]:
    r, beside = named(found), Beside(call, package.least, package.why, package.fitted)
    size = max((abs(v) for v in r.values()), default=0.0) if kind == "estimate" or package.scaled else 0.0
    none = float("nan")
    return [beside.row(f"{kind}.{n}", float(ours.get(n, none)), r[n], size, places.get(n, "")) for n in r]


def _log_worths(call: RecordedCall, found: RVector, package: Package, params: Any) -> Sequence[Agreement]:
    places = {str(n): str(n) for n in params.index} if package.log_worths_in_test else {}
    return _rows(call, package, "estimate", dict(params), found, places)


def _of_table(
    call: RecordedCall, made: Step, found: RVector, package: Package, table: Any
) -> Sequence[Agreement]:
    ours = dict(zip(table["item"].tolist(), table["worth"].tolist()))
    rows = _rows(call, package, "worth", ours, found, by_item(table, "worth"))
    return rows + package.errors(call, made, found, table)


def _bridged(
    call: RecordedCall, made: Step, found: RVector, package: Package, log: bool, chosen: Sequence[str] | None
) -> Translation:
    model: Any = Result(made.call.id)
    why = "its model was fitted through the bridge"
    if not isinstance(made.value, package.kind):
        model, why = package.again(made.call), CHOSEN
        if model is None:
            return outside(f"the {package.data} of its model were not recorded")
    options: dict[str, Any] = {}
    if chosen is not None:
        options["ref"] = chosen[0] if package.one_alone and len(chosen) == 1 else list(chosen)
    if log:
        options["log"] = True
    code = Call(f"pairproof.bridge.{package.name}.itempar", (model,), options)

    def judge(value: OfPairs | OfRankings) -> Sequence[Agreement]:
        ours = dict(zip(value.items, value.estimate.tolist()))
        beside = Beside(call, function=package.asked)
        return beside.named("estimate" if log else "worth", ours, named(found), at("estimate", value.items))

    return Translation("bridge", code, why, judge=judge)
