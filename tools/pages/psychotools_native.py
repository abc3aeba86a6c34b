"""pairproof's side of psychotools' examples of paired comparisons; see `bradleyterry2_native`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .bradleyterry2_native import Names, Numbers, Ours, items, named, tests

_SMALL = """data = pd.DataFrame({answers}, columns=["a:b", "a:c", "b:c"])
table = pairproof.read(data, layout="prefmod", items=["a", "b", "c"], pair_order="prefmod", coding={coding})
"""
_YES, _TIE = '{"first": 1, "second": -1}', '{"first": [1, 2], "tie": 0, "second": [-1, -2]}'
_READ = """persons = package_object("psychotools", "{name}", column="preference")
table = persons.to_comparisons()
"""
#: Of a matrix of answers: its data frame has a column `time`, which a table cannot have.
_SOUND = """items = list(dict.fromkeys(name for column in data for name in column.split(":")))
table = pairproof.read(data, layout="prefmod", items=items, pair_order="prefmod", coding={"first": 1, "second": -1})
"""
_FIT = "fit = fit_bradley_terry(table, reference=table.items[-1])\n"


def counts(table: Any, pad: bool = False) -> Numbers:
    """Counts by pair and answer, as psychotools' summary has them."""
    width = max(len(i) for i in table.items) if pad else 0
    found: Numbers = {}
    for k, other in enumerate(table.items):
        for j, one in enumerate(table.items[:k]):
            there, back = (table.first == j) & (table.second == k), (table.first == k) & (table.second == j)
            name = f"{one.ljust(width)} : {other.ljust(width)}"
            found[f"{name}, >"] = float(table.wins[there].sum() + table.losses[back].sum())
            found[f"{name}, <"] = float(table.losses[there].sum() + table.wins[back].sum())
            if table.tie_category:
                found[f"{name}, ="] = float(table.ties[there].sum() + table.ties[back].sum())
    return found


def model(n: Names) -> Numbers:
    """What summary, logLik and deviance of a btmodel give."""
    fit = n["fit"]
    names = items(fit) | ({"(undecided)": "tie"} if "tie" in fit.names else {})
    return named(fit, names) | tests(fit, names) | {"log-likelihood": fit.llf, "deviance": -2 * fit.llf}


def _worth(n: Names) -> Numbers:
    frame = n["fit"].worth()
    found: Numbers = {}
    for item, worth, se in zip(frame["item"], frame["worth"], frame["se"]):
        found |= {
            f"worth of {item}": float(worth),
            f"itempar of {item}": float(worth),
            f"standard error of the worth of {item}": float(se),
        }
    return found


def _log(n: Names) -> Numbers:
    """Abilities less the mean of two, with standard errors."""
    fit, of = n["fit"], ("SPD", "CDU/CSU")
    names = list(fit.items)
    d = np.eye(len(names)) - np.array([[0.5 * (i in of) for i in names]] * len(names))
    cov = np.zeros((len(names), len(names)))
    known = [names.index(name) for name in fit.cov_params().index]
    cov[np.ix_(known, known)] = fit.cov_params()
    values, variances = d @ np.asarray(fit.params[names], float), np.diag(d @ cov @ d.T)
    return {i: float(v) for i, v in zip(names, values)} | {
        f"standard error of {i}": float(np.sqrt(v)) for i, v in zip(names, variances)}  # fmt: skip


def _of(name: str, code: str, take: Callable[[Names], Numbers], read: bool = False) -> Ours:
    """A case on a data set of psychotools, whose reading is shown or not."""
    reading = _READ.format(name=name)
    return Ours(reading + code if read else code, take, unseen="" if read else reading)


def _counts(n: Names) -> Numbers:
    return counts(n["table"], True)


_THREE = "[[1, 1, 1], [1, 1, -1], [1, -1, -1], [1, 1, 1]]"
OURS_PSYCHOTOOLS: dict[str, Ours] = {
    "paircomp": Ours(_SMALL.format(answers=_THREE, coding=_YES) + "table.to_frame()", lambda n: counts(n["table"])),
    "paircomp-labels": Ours(_SMALL.format(answers=_THREE, coding=_YES).replace('items=["a", "b", "c"]', 'items=["ah", "be", "ce"], pair_names="ignore"')
        + 'table.pooled()["ah", "ce"]', lambda n: {
            "ce : ah, >": counts(n["table"])["ah : ce, <"], "ce : ah, <": counts(n["table"])["ah : ce, >"]}),
    "paircomp-scale": Ours(_SMALL.format(answers="[[2, 1, 0], [1, 1, -1], [1, -2, -1], [0, 0, 0]]", coding=_TIE) + "table.to_frame()", lambda n: counts(n["table"])),
    "btmodel": _of("GermanParties2009", _FIT + "fit.summary()", model, read=True),
    "worth": Ours("fit.worth()", _worth, unseen=_READ.format(name="GermanParties2009") + _FIT),
    "itempar-log": Ours('fit.params - fit.params[["SPD", "CDU/CSU"]].mean()', _log, unseen=_READ.format(name="GermanParties2009") + _FIT),
    "GermanParties2009": _of("GermanParties2009", "table.to_frame()", _counts, read=True),
    "FirstNames": _of("FirstNames", "table.to_frame()", _counts, read=True),
    "FirstNames-btmodel": _of("FirstNames", _FIT + "fit.summary()", model),
    "SoundQuality": Ours(_SOUND + "table.to_frame()", _counts, "SoundQuality", package="psychotools"),
    "SoundQuality-btmodel": Ours(_FIT + "fit.summary()", model, "SoundQuality", _SOUND, "psychotools"),
    "paircomp-ties-btmodel": Ours(_SMALL.format(answers="[[1, 1, 0], [1, 1, -1], [1, -1, -1], [-1, 0, 1], [0, 1, 1], [-1, -1, 0]]", coding=_TIE)
        + 'fit = fit_bradley_terry(table, reference="c")\nfit.summary()', model),
}  # fmt: skip
