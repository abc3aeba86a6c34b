"""Tables of counts and matches under the names that papers, R's packages and lists of matches give their columns.

What a column is called says what it means only where nothing else could be meant: a table that can be read in two ways
is refused with the option for each.  Every reading is told in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...errors import InputError
from ...text import listed, named
from ..columns import FloatArray
from .assemble import Options
from .cells import numbers
from .sources import ROLES, Table, check_names

#: Names of the two sides, of their wins, of ties, of their scores, and of how often a row stands; neither
#: blanks, dots, lines nor case matter.
_NOUNS = ("player", "item", "team", "object", "stimulus", "candidate", "treatment")
_SIDES = (
    *((noun + a, noun + b) for noun in _NOUNS for a, b in ("12", "ab")),
    ("home", "away"), ("hometeam", "awayteam"), ("home", "visitor"), ("left", "right"), ("first", "second"),
)  # fmt: skip
_WINS = (
    ("win1", "win2"), ("wins1", "wins2"), ("winsa", "winsb"), ("wina", "winb"), ("homewins", "awaywins"),
    ("homewin", "awaywin"), ("wins", "losses"), ("win", "loss"), ("won", "lost"), ("winsfirst", "winssecond"),
)  # fmt: skip
_TIES = ("ties", "tie", "tied", "draws", "draw", "drawn")
_SCORES = (
    ("homegoals", "awaygoals"), ("homescore", "awayscore"), ("homepoints", "awaypoints"), ("fthg", "ftag"),
    ("score1", "score2"), ("goals1", "goals2"), ("scorea", "scoreb"), ("goalshome", "goalsaway"),
)  # fmt: skip
_SCORE = ("score", "result")
_TIMES = ("count", "counts", "n", "freq", "frequency", "times", "wins")
_EXPECTED = {
    "scores": "two sides (home, away; team1, team2; ...) and score, or home_goals, away_goals, or score_1, score_2, ...",
    "winners": "winner, loser, and one of count, n, freq or times where a row stands for several",
}
#: Sides of which the first may have an advantage, having been at home.
_AT_HOME = ("home", "hometeam")
_ONE_SCORE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*[-:\u2012-\u2015\u2212]\s*([0-9]+(?:\.[0-9]+)?)\s*")


def without_row_names(table: Table) -> Table:
    """The table without a first column that has no name, if it numbers the rows as R prints them."""
    first = next(iter(table.columns), "-")
    if first.strip():
        return table
    cells = [str(cell) for cell in table.columns[first]] if table.lines else []
    if not cells or not all(map(str.isdigit, cells)) or len({*cells}) < len(cells):
        check_names(list(table.columns), table.source, nameless=False)
    told = "the column without a name numbers the rows, and was left out"
    return replace(table.without([first]), told=(*table.told, told))


@dataclass(frozen=True)
class Form:
    """A way in which the columns of a table can be read.  columns: what they are -> their names in the file."""

    layout: str
    columns: Mapping[str, str]


def forms_of(names: Sequence[str], layout: str | None = None) -> list[Form]:
    """The ways in which columns of these names can be read."""
    own: dict[str, str] = {}
    for name in names:
        own.setdefault(re.sub("[^a-z0-9]", "", name.lower()), name)
    return [form for form in _forms(own) if layout in (None, form.layout)]


def _forms(own: Mapping[str, str]) -> Iterator[Form]:
    def there(pairs: Sequence[tuple[str, str]], role: tuple[str, str] = ("", "")) -> list[tuple[str, str]]:
        found = [(own[a], own[b]) for a, b in pairs if a in own and b in own]
        return [role] if role in found else found  # what is said (columns=) goes before what is called so

    ties = {"ties": own[name] for name in _TIES if name in own}
    for first, second in there(_SIDES, ("first", "second")):
        sides = {"first": first, "second": second}
        for wins, losses in there(_WINS, ("wins", "losses")):
            yield Form("counts", {**sides, "wins": wins, "losses": losses, **ties})
        for a, b in there(_SCORES):
            yield Form("scores", {**sides, "score_first": a, "score_second": b})
        for name in _SCORE:
            if name in own:
                yield Form("scores", {**sides, "score": own[name]})
    for winner, loser in there([("winner", "loser")]):
        beaten = {"first": winner, "second": loser}
        times = ["weight"] if "weight" in own else [own[name] for name in _TIMES if name in own]
        yield from (Form("winners", {**beaten, "weight": name}) for name in times)
        if not times:
            yield Form("winners", beaten)


def _said(form: Form, forms: Sequence[Form]) -> str:
    """The options that choose this form among several."""
    alike = [other.columns for other in forms if other.layout == form.layout]
    roles = [role for role, name in form.columns.items() if any(other.get(role) != name for other in alike)]
    chosen = {role: form.columns[role] for role in roles if role in ROLES}
    more = f", columns={chosen}" if chosen else ""
    return f"layout={form.layout!r}{more} (of {listed(list(form.columns.values()))})"


def as_counts(table: Table, layout: str | None, options: Options) -> Table | None:
    """The table with the columns of layout `counts`, if it can be read so in one way; None if in none."""
    forms = forms_of(list(table.columns), layout)
    if len(forms) > 1:
        raise InputError(
            f"{table.source}: can be read in {len(forms)} ways: {'; or '.join(_said(form, forms) for form in forms)}. Say which,"
            " or remove the columns that are not meant"
        )
    if not forms and layout in ("scores", "winners"):
        raise InputError(
            f"{table.source}: found the columns {listed(table.columns)}; layout {layout!r} needs"
            f" {_EXPECTED[layout]}; rename them, or say which is which, as columns={{'first': ...}}"
        )
    if not forms:
        return None
    form = forms[0]
    roles = {role: name for role, name in form.columns.items() if not role.startswith("score")}
    renamed = {role: name for role, name in roles.items() if role != name}
    found = replace(table.with_roles(renamed), own_names={**table.own_names, **renamed})
    first, second = form.columns["first"], form.columns["second"]
    if form.layout == "counts":
        tied = f", {form.columns['ties']} neither" if "ties" in form.columns else ""
        told = f"{form.columns['wins']} counts how often {first} won, {form.columns['losses']} how often {second} did{tied}"
    elif form.layout == "winners":
        nothing = pd.Series(np.zeros(table.n_rows))
        added = {"wins": nothing + 1, "losses": nothing}
        # Who is named first has won, so that no row tells anything of an advantage of being named first.
        added |= {"order": nothing} if "order" not in found.columns else {}
        times = form.columns.get("weight")
        told = f"{first} beat {second} once a row" + (f", or as often as {times} says" if times else "")
        found = found.adding(added)
    else:
        found, told = _of_scores(found, form, options)
    if first.lower().replace("_", "").replace(".", "") in _AT_HOME:
        told += f"; {first} stands first, so that an order effect is its advantage"
    return replace(found, told=(*table.told, f"read as {form.layout}: {told}"))


def _of_scores(table: Table, form: Form, options: Options) -> tuple[Table, str]:
    """A match a row: who scored more has won."""
    names = [name for role, name in form.columns.items() if role.startswith("score")]
    if len(names) == 1:
        parts = [_ONE_SCORE.fullmatch(cell) for cell in table.columns[names[0]].astype(str)]
        bad = np.array([part is None for part in parts])
        cure = "expected two numbers, as 3-1 or 3:1; remove a match without one"
        table.check(bad, names[0], "the score is {cell}", cure)
        scores = [np.array([float(part[k]) for part in parts if part]) for k in (1, 2)]
    else:
        scores = [_scores(table, name) for name in names]
    ahead = scores[0] - scores[1]
    results = {"wins": ahead > 0, "losses": ahead < 0}
    n_tied = int((ahead == 0).sum())
    if n_tied or options.tie_category:
        results["ties"] = ahead == 0
    equal = f"; equal scores, of which there are {n_tied}, are ties" if n_tied else ""
    columns = {name: pd.Series(marks * 1.0) for name, marks in results.items()}
    return (
        table.without(names).adding(columns),
        f"a match a row, won by who has more in {named(names)}{equal}",
    )


def _scores(table: Table, name: str) -> FloatArray:
    values, wrong = numbers(table, name)
    bad = wrong | ~np.isfinite(values)
    table.check(bad, name, "the score is {cell}", "expected a number; remove a match without one")
    return values
