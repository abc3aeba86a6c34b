"""Model matrices of BradleyTerry2's BTm on the examples of its help pages, with the data that they are of.

`python -m tests.native.comparisons.formula.matrices` asks R for them again and writes matrices.json.  Data that are not ours
to copy (measured animals, answers of students) are in no file: matrices.json has their digest, and R reads them in place.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.bridge.packages.asking import ask, strings
from pairproof.data.columns import Column, Factor
from pairproof.data.comparisons import Comparisons
from tests.read_in_place import in_place as read_in_place

RECORDED = Path(__file__).with_name("matrices.json")


@dataclass(frozen=True)
class Case:
    """A model of BTm.

    Attributes
    ----------
    setup : str
        R code that makes first, second (factors with the same levels), rows (a data frame of contest columns, with
        x_first and x_second for what is given for each player), items (a data frame of players) and m, the model.
    formula : str
        Of pairproof.
    columns : mapping of str to str
        R's name of each column of pairproof; a column of R that is not named is aliased or a free ability.
    separate : tuple of str
    """

    setup: str
    formula: str
    columns: dict[str, str]
    separate: tuple[str, ...] = field(default=())


_CEMS = """
p <- CEMS$preferences; p <- p[!is.na(p$win1.adj), ]; p <- p[seq(1, nrow(p), by = 17), ]
first <- p$school1; second <- p$school2; rows <- CEMS$students[p$student, c("WOR", "DEG", "FRA", "SEX", "SPA")]; items <- CEMS$schools
m <- BTm(cbind(win1.adj, win2.adj), school1, school2, ~ {terms}, data = list(p, CEMS$students, CEMS$schools), x = TRUE)
"""
_HOCKEY = """
h <- icehockey[seq(1, nrow(icehockey), by = 15), ]; first <- h$visitor; second <- h$opponent; items <- NULL
rows <- data.frame(home_first = 0, home_second = as.numeric(h$home.ice), conference = h$conference)
m <- BTm(result, data.frame(team = visitor, home = 0), data.frame(team = opponent, home = as.numeric(home.ice)),
  ~ {terms}, id = "team", data = h, x = TRUE)
"""
_CHAMELEONS = """
d <- chameleons; first <- d$winner$ID; second <- d$loser$ID; items <- d$predictors
rows <- data.frame(prev.wins.2_first = d$winner$prev.wins.2, prev.wins.2_second = d$loser$prev.wins.2)
m <- BTm(player1 = winner, player2 = loser, formula = ~ {terms}, id = "ID", data = d, x = TRUE)
"""
_LIZARDS = """
d <- flatlizards; first <- d$contests$winner; second <- d$contests$loser; items <- d$predictors; rows <- NULL
result <- rep(1, 100); m <- BTm(result, winner, loser, ~ {terms}, data = d, x = TRUE)
"""
_SPRINGALL = """
d <- springall; first <- d$contests$col; second <- d$contests$row; items <- d$predictors
d$contests$z <- seq_len(36) / 7; rows <- d$contests["z"]
m <- BTm(cbind(win.adj, loss.adj), col, row, ~ {terms}, data = d, x = TRUE)
"""
_SOUND = """
d <- sound.fields; first <- d$comparisons$field1; second <- d$comparisons$field2
for (n in c("a", "b", "c")) attr(d$design[[n]], "contrasts") <- NULL
items <- d$design; rows <- d$comparisons["instrument"]
m <- BTm(cbind(win1.adj, win2.adj), field1, field2, ~ {terms}, id = "field", data = d, x = TRUE)
"""
_BASEBALL = """
d <- baseball; d$z <- seq_len(42) / 4; first <- d$home.team; second <- d$away.team; items <- NULL
rows <- data.frame(at.home_first = 1, at.home_second = 0, z = d$z)[rep(1, 42), ]; rows$z <- d$z
d$home.team <- data.frame(team = d$home.team, at.home = 1); d$away.team <- data.frame(team = d$away.team, at.home = 0)
m <- BTm(cbind(home.wins, away.wins), home.team, away.team, ~ {terms}, id = "team", data = d, x = TRUE)
"""
_MADE = """
lev <- letters[1:5]; first <- factor(c("a","a","b","c","d","a","b","e"), lev)
second <- factor(c("b","c","d","d","a","d","c","a"), lev)
items <- data.frame(x = c(1, 2, NA, 4, 8), m = c(3, 1, 4, 1, 5), sex = factor(c("F", "M", "F", "M", NA)), row.names = lev)
rows <- data.frame(judge = factor(c(1, 2, 1, 2, 1, 2, 1, 2)), z = c(.5, 1, 2, 3, 1.5, 2.5, .25, 4))
m <- BTm(rep(1, 8), data.frame(id = first), data.frame(id = second), ~ {terms}, id = "id",
  data = list(rows, items), separate.ability = {separate}, x = TRUE)
"""


def _case(setup: str, terms: str, *rest: Any) -> Case:
    return Case(setup.replace("{terms}", terms), *rest)


_FOUR = ("throat.PC1", "throat.PC3", "head.length", "SVL")
_FIVE = ("flav", "gel", "flav.2", "gel.2", "flav.gel")
_B = _MADE.replace("{separate}", "'b'")
_NOBODY = _MADE.replace("{separate}", "NULL")
CASES = {
    "made, an item without x, which is in an interaction only": _case(
        _NOBODY, "m[id] + x[id]:z", "m + x:z", {"m": "m[id]", "x:z": "x[id]:z"}
    ),
    "made, an item without x and judges": _case(
        _NOBODY,
        "m[id] + x[id]:judge",
        "m + x:judge",
        {"m": "m[id]", "x:judge[1]": "x[id]:judge1", "x:judge[2]": "x[id]:judge2"},
    ),
    "made, an item without a sex": _case(
        _NOBODY,
        "m[id] + sex[id] + sex[id]:z",
        "m + sex + sex:z",
        {"m": "m[id]", "sex[M]": "sex[id]M", "sex[M]:z": "sex[id]M:z"},
    ),
    "made, a separate item": _case(
        _B,
        "m[id] + m[id]:judge",
        "m*judge",
        # R codes m:judge by all judges; with both, one column of the three is aliased.
        {"m": "m[id]", "m:judge[2]": "m[id]:judge2"},
        ("b",),
    ),
    "flatlizards, Whiting et al. (2006)": _case(
        _LIZARDS, " + ".join(f"{x}[..]" for x in _FOUR), " + ".join(_FOUR), {x: f"{x}[..]" for x in _FOUR}
    ),
    "flatlizards, products and squares": _case(
        _LIZARDS,
        "(throat.PC1[..] + SVL[..]) * head.height[..] + I(SVL[..]^2) + abs(head.height[..])",
        "(throat.PC1 + SVL)*head.height + I(SVL^2) + abs(head.height)",
        {
            "throat.PC1": "throat.PC1[..]",
            "SVL": "SVL[..]",
            "head.height": "head.height[..]",
            "I(SVL^2)": "I(SVL[..]^2)",
            "abs(head.height)": "abs(head.height[..])",
            "throat.PC1:head.height": "throat.PC1[..]:head.height[..]",
            "SVL:head.height": "SVL[..]:head.height[..]",
        },
    ),
    "flatlizards, a factor without values": _case(
        _LIZARDS,
        "repro.tactic[..] * SVL[..]",
        "repro.tactic*SVL",
        {
            "repro.tactic[floater]": "repro.tactic[..]floater",
            "SVL": "SVL[..]",
            "repro.tactic[floater]:SVL": "repro.tactic[..]floater:SVL[..]",
        },
    ),
    "chameleons, table 3": _case(
        _CHAMELEONS,
        "prev.wins.2 + ch.res[ID] + prop.main[ID]",
        "prev.wins.2 + ch.res + prop.main + (1 | item)",
        {"prev.wins.2": "prev.wins.2", "ch.res": "ch.res[ID]", "prop.main": "prop.main[ID]"},
    ),
    "chameleons, experience and size": _case(
        _CHAMELEONS,
        "prev.wins.2 * SVL[ID] + I(prev.wins.2^2) + log(SVL[ID]) + exp(ch.res[ID]/2)",
        "prev.wins.2*SVL + I(prev.wins.2^2) + log(SVL) + exp(ch.res/2)",
        {
            "prev.wins.2": "prev.wins.2",
            "SVL": "SVL[ID]",
            "prev.wins.2:SVL": "prev.wins.2:SVL[ID]",
            "I(prev.wins.2^2)": "I(prev.wins.2^2)",
            "log(SVL)": "log(SVL[ID])",
            "exp(ch.res / 2)": "exp(ch.res[ID]/2)",
        },
    ),
    "springall, response surface": _case(
        _SPRINGALL,
        " + ".join(f"{x}[..]" for x in _FIVE),
        " + ".join(_FIVE) + " + (1 | item)",
        {x: f"{x}[..]" for x in _FIVE},
    ),
    "springall, by polynomials and a contest covariate": _case(
        _SPRINGALL,
        "poly(flav, 2)[.., ] + scale(gel)[..] * z + poly(flav, 2)[.., ]:z",
        "poly(flav, 2) + scale(gel)*z + poly(flav, 2):z",
        {
            "poly(flav, 2)[1]": "poly(flav, 2)[.., ]1",
            "poly(flav, 2)[2]": "poly(flav, 2)[.., ]2",
            "scale(gel)": "scale(gel)[..]",
            "scale(gel):z": "scale(gel)[..]:z",
            "poly(flav, 2)[1]:z": "poly(flav, 2)[.., ]1:z",
            "poly(flav, 2)[2]:z": "poly(flav, 2)[.., ]2:z",
        },
    ),
    "sound fields, factorial effects": _case(
        _SOUND,
        "a[field] * b[field] * c[field]",
        "a*b*c",
        {
            ":".join(f"{x}[1]" for x in s): ":".join(f"{x}[field]1" for x in s)
            for s in ("a", "b", "c", "ab", "ac", "bc", "abc")
        },
    ),
    "sound fields, by instrument": _case(
        _SOUND,
        "a[field] + a[field]:instrument + b[field]:instrument",
        "a + a:instrument + b:instrument",
        # R codes a:instrument by all levels of a, which add up to the instrument, so that half of its columns
        # are aliased; with level 1 alone they are those of the model.
        {
            "a[1]": "a[field]1",
            "a[1]:instrument[flute]": "a[field]1:instrumentflute",
            "a[1]:instrument[violin]": "a[field]1:instrumentviolin",
            "b[1]:instrument[cello]": "instrumentcello:b[field]1",
            "b[1]:instrument[flute]": "instrumentflute:b[field]1",
            "b[1]:instrument[violin]": "instrumentviolin:b[field]1",
        },
    ),
    "CEMS, table 6": _case(
        _CEMS,
        ".. + WOR[student] * Paris[..] + DEG[student] * St.Gallen[..] + FRA[student] * London[..]"
        " + SEX[student] * Milano[..]",
        "item + WOR:Paris + DEG:St.Gallen + FRA:London + SEX:Milano",
        {
            "WOR[yes]:Paris": "WOR[student]yes:Paris[..]",
            "DEG[yes]:St.Gallen": "DEG[student]yes:St.Gallen[..]",
            "FRA[poor]:London": "FRA[student]poor:London[..]",
            "SEX[male]:Milano": "SEX[student]male:Milano[..]",
        },
    ),
    "CEMS, abilities by degree": _case(
        _CEMS,
        ".. + ..:WOR[student] + LAT[..]:SPA[student]",
        "item + item:WOR + LAT:SPA",
        {
            **{
                f"{school}:WOR[yes]": f"..{school}:WOR[student]yes"
                for school in ("London", "Milano", "Paris", "St.Gallen", "Stockholm")
            },
            "LAT:SPA[poor]": "LAT[..]:SPA[student]poor",
        },
    ),
    "ice hockey, home ice": _case(_HOCKEY, "team + home", "item + home", {"home": "home"}),
    "baseball, at home": _case(_BASEBALL, "team + at.home", "item + at.home", {"at.home": "at.home"}),
    "baseball, at home by team and date": _case(
        _BASEBALL,
        "team * at.home + at.home:z",
        "item*at.home + at.home:z",
        {
            "at.home": "at.home",
            **{
                f"{team}:at.home": f"team{team}:at.home"
                for team in ("Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto")
            },
            "at.home:z": "at.home:z",
        },
    ),
}


def from_r(case: Case) -> dict[str, Any]:
    """The data of a case and R's matrix, as lists of numbers and texts."""
    code = f"""
    suppressMessages(suppressWarnings(library(BradleyTerry2)))
    data(baseball, CEMS, chameleons, flatlizards, icehockey, springall, sound.fields, package = "BradleyTerry2")
    suppressWarnings({{{case.setup}}})
    out <- list(items = levels(first), first = as.numeric(first) - 1, second = as.numeric(second) - 1,
      x = as.numeric(m$x), names = if (ncol(m$x) > 1) substring(colnames(m$x), 2) else attr(terms(m$formula), "term.labels"))
    add <- function(out, where, frame) {{
      out[[where]] <- c("", names(frame))
      for (n in names(frame)) {{
        v <- frame[[n]]
        out[[paste0(where, ".", n)]] <- if (is.factor(v)) ifelse(is.na(v), 0, as.numeric(v)) - 1 else as.numeric(v)
        out[[paste0(where, ".", n, ".levels")]] <- c("", if (is.factor(v)) levels(v))
      }}
      out
    }}
    add(add(out, "rows", rows), "of_items", items)
    """
    answer = ask("live", "BradleyTerry2 matrices", code, {}, ("BradleyTerry2",)).as_list()

    def texts(name: str) -> list[str]:
        return list(strings(answer.vector(name)))

    def numbers(name: str) -> list[float | None]:
        found = (float(v) for v in answer.vector(name).floats())
        return [None if np.isnan(v) else int(v) if v.is_integer() else v for v in found]

    out: dict[str, Any] = {k: texts(k) for k in ("items", "names")}
    out.update({k: numbers(k) for k in ("first", "second", "x")})
    for where in ("rows", "of_items"):
        out[where] = {
            n: [numbers(f"{where}.{n}"), texts(f"{where}.{n}.levels")[1:]] for n in texts(where) if n
        }
    return out


def column(made: list[Any]) -> Column:
    """A column of the record."""
    values, levels = made
    numbers = np.array([np.nan if v is None else v for v in values], float)
    return Factor(numbers.astype(np.int64), tuple(levels)) if levels else numbers


def table_of(made: dict[str, Any]) -> Comparisons:
    """The table of the record; its counts are of no importance here."""
    first = np.array(made["first"], np.int64)
    return Comparisons.build(
        made["items"],
        first,
        np.array(made["second"], np.int64),
        np.ones(len(first)),
        None,
        np.ones(len(first)),
        columns={k: column(v) for k, v in made["rows"].items()},
        item_data={k: column(v) for k, v in made["of_items"].items()},
    )


def in_place(case: Case) -> bool:
    """Whether the data of a case are read where R has them."""
    return any(name in case.setup for name in ("CEMS", "chameleons", "flatlizards"))


def digest(made: dict[str, Any]) -> str:
    """The SHA-256 of a case's data, without R's matrix of them."""
    data = {k: v for k, v in made.items() if k != "x"}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=None)
def recorded(name: str) -> dict[str, Any]:
    """A case's data and R's matrix, or the digest of what R has."""
    found: dict[str, dict[str, Any]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found[name]


@lru_cache(maxsize=None)
def made(name: str) -> dict[str, Any]:
    """A case's data and R's matrix: from the record, or by R where the data are read in place."""
    if not in_place(CASES[name]):
        return recorded(name)
    return read_in_place("BradleyTerry2", lambda: from_r(CASES[name]))


if __name__ == "__main__":
    asked = {name: from_r(case) for name, case in CASES.items()}
    kept = {n: {"sha256": digest(m)} if in_place(CASES[n]) else m for n, m in asked.items()}
    RECORDED.write_text(json.dumps(kept) + "\n", encoding="utf-8")
