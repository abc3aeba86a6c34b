"""The models of BradleyTerry2's help pages and of its vignette, asked of R live or replayed from the records."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.bridge import Backend, Expr
from pairproof.bridge.packages import bradleyterry2 as bt
from pairproof.bridge.packages.asking import ask, strings
from tests.read_in_place import in_place

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
COVARIATES = "~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..] + (1|..)"
CITATIONS = Expr('local({ d <- BradleyTerry2::countsToBinomial(BradleyTerry2::citations); names(d)[1:2] <- c("journal1", "journal2"); d })')  # fmt: skip
TABLE_6 = " + ".join(
    f"{student}[student] * {school}[..]"
    for student, school in (
        ("WOR", "Paris"), ("WOR", "Milano"), ("WOR", "Barcelona"), ("DEG", "St.Gallen"), ("STUD", "Paris"), ("STUD", "St.Gallen"),
        ("ENG", "St.Gallen"), ("FRA", "London"), ("FRA", "Paris"), ("SPA", "Barcelona"), ("ITA", "London"), ("ITA", "Milano"), ("SEX", "Milano"),
    )
)  # fmt: skip


def data(name: str) -> Expr:
    """A data set of BradleyTerry2, which stays in R."""
    return Expr(f"BradleyTerry2::{name}")


def backend() -> Backend:
    """Recorded answers, or live ones that are recorded anew."""
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


def _citations(**options: Any) -> Callable[[Backend], bt.ContestModel]:
    return lambda b: bt.BTm("cbind(win1, win2)", "journal1", "journal2", data=CITATIONS, backend=b, **options)


def _lizards(formula: str, **options: Any) -> Callable[[Backend], bt.ContestModel]:
    return lambda b: bt.BTm(1, "winner", "loser", formula, data=data("flatlizards"), backend=b, **options)


def _baseball(home: bool, formula: str | None = None, **options: Any) -> Callable[[Backend], bt.ContestModel]:
    sides: list[Any] = ["home.team", "away.team"]
    if home:
        sides = [{"team": side, "at.home": at} for side, at in zip(sides, (1, 0))]
    return lambda b: bt.BTm("cbind(home.wins, away.wins)", *sides, formula, id="team", data=data("baseball"), backend=b, **options)  # fmt: skip


def _hockey(level: bool) -> Callable[[Backend], bt.ContestModel]:
    sides: list[Any] = ["visitor", "opponent"]
    if level:
        sides = [{"team": side, "home.ice": at} for side, at in zip(sides, (0, "home.ice"))]
    return lambda b: bt.BTm("result", *sides, "~ team + home.ice" if level else None, id="team", data=data("icehockey"), backend=b)  # fmt: skip


def _sounds(formula: str) -> Callable[[Backend], bt.ContestModel]:
    flute = Expr('instrument == "flute"')
    return lambda b: bt.BTm("cbind(win1.adj, win2.adj)", "field1", "field2", formula, id="field", subset=flute, data=data("sound.fields"), backend=b)  # fmt: skip


def _cems(formula: str) -> Callable[[Backend], bt.ContestModel]:
    return lambda b: bt.BTm("cbind(win1.adj, win2.adj)", "school1", "school2", formula, refcat="Stockholm", data=data("CEMS"), backend=b)  # fmt: skip


def _chameleons(b: Backend) -> bt.ContestModel:
    formula = "~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1|ID)"
    return bt.BTm(1, "winner", "loser", formula, id="ID", data=data("chameleons"), backend=b)


def _springall(b: Backend) -> bt.ContestModel:
    formula = "~ flav[..] + gel[..] + flav.2[..] + gel.2[..] + flav.gel[..] + (1 | ..)"
    return bt.BTm("cbind(win.adj, loss.adj)", "col", "row", formula, data=data("springall"), backend=b)


def _seeds(formula: str, **options: Any) -> Callable[[Backend], bt.ContestModel]:
    return lambda b: bt.glmmPQL(formula, np.eye(21), data=data("seeds"), backend=b, **options)


#: Name -> the model. "tight" are fits where R is asked for all its digits.
MODELS: dict[str, Callable[[Backend], bt.ContestModel]] = {
    "citations": _citations(id="journal"),
    "citations JASA": _citations(id="journal", refcat="JASA"),
    "citations br": _citations(id="journal", br=True, refcat="Biometrika"),
    "citations br tight": _citations(id="journal", br=True, epsilon=1e-13, maxit=100),
    "citations probit": _citations(id="journal", link="probit", refit=True),
    "citations cauchit": _citations(id="journal", link="cauchit", refit=True),
    "citations sum": _citations(id="journal", contrasts={"journal": "contr.sum"}),
    "lizards br": _lizards("~ ..", br=True),
    "lizards 3.1": _lizards("~ SVL[..] + (1|..)"),
    "lizards 3.1 tight": _lizards("~ SVL[..] + (1|..)", control=bt.glmmPQL_control(tol=1e-14)),
    "lizards 3.2": _lizards(COVARIATES),
    "lizards no error": _lizards(COVARIATES.replace(" + (1|..)", "")),
    "lizards no error by PQL": _lizards(COVARIATES, sigma=0.0, sigma_fixed=True),
    "lizards probit": _lizards(COVARIATES, link="probit"),
    "lizards add1": _lizards(
        "~ throat.PC1[..] + throat.PC3[..] + (1|..)", control=bt.glmmPQL_control(tol=1e-4), sigma=2
    ),
    "baseball": _baseball(False),
    "baseball home": _baseball(True, "~ team + at.home"),
    "baseball home tight": _baseball(True, "~ team + at.home", refit=True),
    "baseball with home to add": _baseball(True, "~ team"),
    "chameleons": _chameleons,
    "springall": _springall,
    "icehockey": _hockey(False),
    "icehockey level": _hockey(True),
    "sound fields": _sounds("~ field"),
    "sound fields factors": _sounds("~ a[field] * b[field] * c[field]"),
    "CEMS table 3": _cems("~ .."),
    "CEMS table 6": _cems(f"~ .. + {TABLE_6}"),
    "seeds": _seeds("cbind(r, n - r) ~ seed + extract"),
    "seeds interaction": _seeds("cbind(r, n - r) ~ seed * extract"),
    "seeds tight": _seeds("cbind(r, n - r) ~ seed + extract", control=bt.glmmPQL_control(tol=1e-14)),
}


@lru_cache(maxsize=None)
def model(name: str) -> bt.ContestModel:
    """A model of `MODELS`, asked once."""
    return MODELS[name](backend())


FOOTBALL = """
f <- droplevels(subset(BradleyTerry2::football, season == "2008-9"))
list(home = as.character(f$home), away = as.character(f$away), result = as.numeric(f$result))
"""
TERMS = {"Davidson": {}, "scaled": {"tie_scale": True}, "scaled and shifted": {"tie_scale": True, "tie_mode": True}}  # fmt: skip


def football() -> tuple[list[str], list[str], Any]:
    """Home team, away team, result (1 home, 0 tie, -1 away) of the season 2008-9."""
    place, needs = "BradleyTerry2::football 2008-9", ("BradleyTerry2",)
    found = in_place("BradleyTerry2", lambda: ask("live", place, FOOTBALL, {}, needs)).as_list()
    home, away = (list(strings(found.vector(k))) for k in ("home", "away"))
    return home, away, found.vector("result").floats()


def davidson(name: str, b: Backend) -> bt.GenDavidsonModel:
    """A generalised Davidson model of that season."""
    home, away, result = football()
    counts = [(result == r).astype(float) for r in (1, 0, -1)]
    return bt.GenDavidson(home, away, *counts, at_home=np.ones(len(home)), home_adv=True, backend=b, **TERMS[name])  # fmt: skip


def vignette(section: str) -> dict[str, float]:
    """Quantity -> R's number of a section of the vignette, from the specification."""
    with (Path(__file__).parent / "vignette.csv").open(encoding="utf-8", newline="") as file:
        return {row["quantity"]: float(row["r"]) for row in csv.DictReader(file) if row["section"] == section}
