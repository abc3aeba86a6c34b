"""The examples of psychotools' help pages on paired comparisons that fit nothing, or that `pairproof migrate` leaves in R,
as they are typed there, and pairproof's code of each.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .bradleyterry2_ours import Names, Numbers, Ours, covariance
from .bradleyterry2_r import Example

PC = "pc <- paircomp(rbind(c(1, 1, 1), c(1, 1, -1), c(1, -1, -1), c(1, 1, 1)))\n"
#: Counts of a summary of comparisons, by pair and answer.
_COUNTS = (
    "s <- summary({x}); named(s, paste0(rep(rownames(s), ncol(s)), ', ', rep(colnames(s), each = nrow(s))))"
)


def _data(name: str) -> str:
    return f'data("{name}", package = "psychotools")\n'


_PARTIES = _data("GermanParties2009") + "bt <- btmodel(GermanParties2009$preference)"

# -- pairproof's side ----------------------------------------------------------------------------------------

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
_OURS = "fit = fit_bradley_terry(table, reference=table.items[-1])\n"


def counts(table: Any, pad: bool = False) -> Numbers:
    """Counts by pair and answer, as psychotools' summary has them."""
    width = max(len(i) for i in table.items) if pad else 0
    found, pooled = {}, table.pooled()
    for k, other in enumerate(table.items):
        for one in table.items[:k]:
            wins, ties, losses = pooled.get((one, other), (0.0, 0.0, 0.0))
            name = f"{one.ljust(width)} : {other.ljust(width)}"
            found |= {f"{name}, >": wins, f"{name}, <": losses}
            found |= {f"{name}, =": ties} if table.tie_category else {}
    return found


def _log(n: Names) -> Numbers:
    """Abilities less the mean of two, with standard errors."""
    fit, of = n["fit"], ("SPD", "CDU/CSU")
    names = list(fit.items)
    d = np.eye(len(names)) - np.array([[0.5 * (i in of) for i in names]] * len(names))
    cov = covariance(fit, names)
    values, variances = d @ np.asarray(fit.params[names], float), np.diag(d @ cov @ d.T)
    return {i: float(v) for i, v in zip(names, values)} | {
        f"standard error of {i}": float(np.sqrt(v)) for i, v in zip(names, variances)}  # fmt: skip


def _counts(n: Names) -> Numbers:
    return counts(n["table"], True)


_THREE = "[[1, 1, 1], [1, 1, -1], [1, -1, -1], [1, 1, 1]]"

_case = partial(Example, needs=("psychotools",))
PSYCHOTOOLS: tuple[Example, ...] = (
    _case("paircomp", "paircomp, labels, mscale", PC + "summary(pc)", _COUNTS.format(x="pc"), again=False,
          ours=Ours(_SMALL.format(answers=_THREE, coding=_YES) + "table.to_frame()", lambda n: counts(n["table"]))),
    _case("paircomp-labels", "paircomp, subset.paircomp", PC + 'labels(pc) <- c("ah", "be", "ce")\nsummary(reorder(pc, c("ce", "ah")))',
          _COUNTS.format(x='reorder(pc, c("ce", "ah"))'), again=False,
          ours=Ours(_SMALL.format(answers=_THREE, coding=_YES).replace('items=["a", "b", "c"]', 'items=["ah", "be", "ce"], pair_names="ignore"')
                   + 'table.pooled()["ah", "ce"]', lambda n: {
              "ce : ah, >": counts(n["table"])["ah : ce, <"], "ce : ah, <": counts(n["table"])["ah : ce, >"]})),
    _case("paircomp-scale", "mscale", """pc <- paircomp(rbind(c(2, 1, 0), c(1, 1, -1), c(1, -2, -1), c(0, 0, 0)))
mscale(pc) <- sign(mscale(pc))
summary(pc)""", _COUNTS.format(x="pc"), again=False,
          ours=Ours(_SMALL.format(answers="[[2, 1, 0], [1, 1, -1], [1, -2, -1], [0, 0, 0]]", coding=_TIE) + "table.to_frame()", lambda n: counts(n["table"]))),
    _case("itempar-log", "itempar", "itempar(bt, ref = c(\"SPD\", \"CDU/CSU\"), log = TRUE)",
          'i <- itempar(bt, ref = c("SPD", "CDU/CSU"), log = TRUE); c(named(i, names(i)), named(sqrt(diag(vcov(i))), names(i), "standard error of "))',
          unseen=_PARTIES,
          ours=Ours(_READ.format(name="GermanParties2009") + _OURS + 'fit.params - fit.params[["SPD", "CDU/CSU"]].mean()', _log)),
    _case("GermanParties2009", "GermanParties2009, plot.paircomp", _data("GermanParties2009") + "summary(GermanParties2009$preference)",
          _COUNTS.format(x="GermanParties2009$preference"), again=False,
          ours=Ours(_READ.format(name="GermanParties2009") + "table.to_frame()", _counts)),
    _case("FirstNames", "FirstNames", _data("FirstNames") + "summary(FirstNames$preference)",
          _COUNTS.format(x="FirstNames$preference"), again=False,
          ours=Ours(_READ.format(name="FirstNames") + "table.to_frame()", _counts)),
    _case("SoundQuality", "SoundQuality", _data("SoundQuality") + "summary(SoundQuality$preference)",
          _COUNTS.format(x="SoundQuality$preference"), again=False,
          ours=Ours(_SOUND + "table.to_frame()", _counts, "SoundQuality", package="psychotools")),
)  # fmt: skip
