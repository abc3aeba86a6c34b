"""Tables under other names than ours: those that can be read in one way only, and calls that read all others.

Counts and matches have the columns that papers, R's packages and lists of matches give them.  What a column is called says
what it means only where nothing else could be meant, and the reading is then said in a sentence.  Any other table is
refused once, with all that is missing: the message proposes the whole call (or command) as far as the table states it, and
one for each reading where there are several.  Nothing is read by a proposal: whoever pastes it has stated it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd

from ...errors import InputError
from ...text import listed, named
from ..columns import Factor, FloatArray, natural_order
from ..wide import Pairs, lexicographic_pair_order, prefmod_pair_order
from .assemble import Options
from .cells import MISSING_WORDS, NUMBER, canonical, labels, numbers
from .nested import Lists, parts_of
from .pair_columns import NO_PAIRS, all_pairs, named_pairs
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
    told = "the unnamed column numbers the rows and is ignored"
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


@dataclass(frozen=True)
class Way:
    """A way to read a table: arguments beside those that were stated, and what they say of it."""

    arguments: Mapping[str, Any]
    meaning: str

    @property
    def of_items(self) -> bool:
        """Whether these are scores of single items, of :func:`pairproof.campaign.from_scores`."""
        return bool(self.arguments["layout"] == "item-scores")

    @property
    def respondents(self) -> bool:
        """Whether these are whole answers, of :func:`pairproof.read_respondents`."""
        return self.arguments["layout"] in ("ranks", "orders", "ratings", "ranking-text", "paircomp")


class LayoutError(InputError):
    """A table does not say how it is read; `ways` are the calls that would read it."""

    def __init__(self, source: str, found: str, ways: Sequence[Way], stated: Mapping[str, Any]) -> None:
        self.source, self.found, self.ways, self.stated = source, found, ways, _stated(stated)
        super().__init__(self.worded(self._call))

    def worded(self, call: Callable[[Way], str]) -> str:
        """The message, in which `call` writes each way in Python or for the command line."""
        if not self.ways:
            return f"{self.source}: {self.found}"
        asked = "The table does not specify how to read it. If this is right, use it:"
        if len(self.ways) > 1:
            asked = f"There are {len(self.ways)} ways to read this table. Use the right one:"
        shown = [f"\n\n    {call(way)}\n\n  {way.meaning}" for way in self.ways]
        return f"{self.source}: {self.found}. {asked}{''.join(shown)}"

    def _call(self, way: Way) -> str:
        source = self.source if self.source == "table" else repr(self.source)
        arguments = self.arguments(way)
        if way.of_items:
            columns = f", columns={arguments['columns']!r}" if "columns" in arguments else ""
            return f"pairproof.campaign.from_scores('study.db', {source}{columns})"
        said = "".join(f", {name}={value!r}" for name, value in arguments.items())
        return f"pairproof.read{'_respondents' * way.respondents}({source}{said})"

    def arguments(self, way: Way) -> dict[str, Any]:
        """What was stated, and what the way adds."""
        own = {"layout": "", **({} if way.respondents else self.stated)}
        columns = {**own.get("columns", {}), **way.arguments.get("columns", {})}
        return {**own, **_stated({**way.arguments, "columns": columns})}


def _stated(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that have a value; a frame has one."""
    return {
        k: v
        for k, v in arguments.items()
        if v is not None and not (isinstance(v, (str, tuple, dict)) and not v)
    }


def unread(table: Table, stated: Mapping[str, Any], ways: Sequence[Way] | None = None) -> LayoutError:
    """The error about a table that does not say how it is read."""
    own, found = table.own_names, []
    for way in ways_of(table, stated) if ways is None else ways:
        columns = {r: own.get(n, n) for r, n in way.arguments.get("columns", {}).items() if r != n}
        found.append(replace(way, arguments=_stated({**way.arguments, "columns": columns})))
    names = listed(own.get(name, name) for name in table.columns)
    roles = {name: name.strip().casefold() for name in table.columns if name not in ROLES}
    unlike = [f"{name!r} is not exactly {role!r}" for name, role in roles.items() if role in ROLES]
    odd = f"; {named(unlike)}" if unlike else ""
    odd += "" if found else f"; {table.n_rows and _Looks(table, stated).doubt() or _EXPECTED}"
    layout = f"layout {stated['layout']!r}, but " if stated.get("layout") else ""
    return LayoutError(table.source, f"{layout}found the columns {names}{odd}", found, stated)


_EXPECTED = (
    "expected first, second, outcome; first, second, wins, losses; model_a, model_b, winner; winner, loser; home, away,"
    " score; system1, rank1, system2, rank2, ...; system, rank; one column per pair or per item; or a square of wins. Assign columns"
    " to roles, for example columns={'first': 'left'} (--col first=left); scores of single items: pairproof easl import"
)
#: Codes that may be those for first, tie and second, or first and second, in this order.
_CODINGS = (
    "1 -1", "1 0 -1", "1 2", "1 0", "0 1", "1 0.5 0", "0 0.5 1", "1 2 3", "1 3 2", "1 0 2", "0 1 2", "A C B"
)  # fmt: skip
#: As :func:`_plain` writes them.
_WORDS = {
    "first": "first a left l modela optiona assistanta responsea 1st win won",
    "tie": "tie t draw d equal same both neither none nopreference tied = unentschieden",
    "second": "second b right r modelb optionb assistantb responseb 2nd loss lost",
    "both_bad": "bothbad tiebothbad botharebad",
}
_MEANT = {
    "first": "the first item is preferred",
    "tie": "neither",
    "second": "the second",
    "both_bad": "both are bad",
    "missing": "no answer",
}
_ANSWER_NAMES = re.compile("winner|outcome|choice|chosen|prefer|answer|vote|result|label|better", re.I)
_JUDGE_NAMES = re.compile(
    "judge|rater|annotator|user|worker|participant|subject|respondent|voter|richter|juror|assessor|evaluator",
    re.I,
)
_COUNT_NAMES = re.compile("wins|won|votes|count|freq|times|weight|^n$", re.I)
#: Further names of who scores single items; names of a column of such scores, and of one of these items.
_SCORER_NAMES = re.compile(f"{_JUDGE_NAMES.pattern}|^who$|coder|person", re.I)
_SCORE_NAMES = re.compile("score|rating|points|grade|mark|slider", re.I)
_SYSTEM_NAMES = re.compile("system|model", re.I)
_ITEM_NAMES = re.compile("item|sentence|segment|text|story|document|stimulus|output|^id$", re.I)
_POINT = re.compile(r"\s*(?:[0-9]|10)(?:\.0*)?\s*|" + "|".join(MISSING_WORDS))
#: How a column that names the winners writes a tie, plain.
_TIED = {"tie", *_WORDS["both_bad"].split()[:2]}
#: Values up to which a column may say who won, and the share of cells that may be slips of the pen.
_MOST_ANSWERS, _MOST_STRAY = 5, 0.02
_BLANKS = {"": "", "absent": "; a blank was not presented", "below": "; a blank is below all others"}
#: Columns and rows that are looked at.
_MOST_COLUMNS, _MOST_ROWS = 60, 5000


#: What codes may mean, and which cells have none of them, in words.
Codings = tuple[list[Any], str]


def _plain(text: str) -> str:
    """A code without case, blanks and marks."""
    return re.sub(r"[\W_]+", "", text.casefold()) or text.strip()


def _codings(levels: set[str], blank: bool, sides: tuple[str, str]) -> list[dict[str, Any]]:
    """What codes may mean, by those that are known; none where one is not.  sides: names of the columns of items."""
    codes = {canonical(level).strip() for level in levels}
    gone = codes & {*MISSING_WORDS, ".", *(("9", "99", "-9", "-99") if len(codes) > 2 else ())}
    codes, gone = codes - gone, gone | ({"NA"} if blank else set())
    missing = {"missing": sorted(gone)} if gone else {}
    answers = ("first", "tie", "second")
    if found := [way.split() for way in _CODINGS if {*way.split()} == codes]:
        return [{**dict(zip(answers[:: 4 - len(way)], way)), **missing} for way in found]
    own = zip(_WORDS.items(), (sides[0], "", sides[1], ""))
    words = {answer: {*known.split(), _plain(side)} for (answer, known), side in own}
    meant = {answer: sorted(code for code in codes if _plain(code) in words[answer]) for answer in words}
    if not (meant["first"] and meant["second"]) or sum(map(len, meant.values())) < len(codes):
        return []
    return [{**{answer: own[0] if len(own) == 1 else own for answer, own in meant.items() if own}, **missing}]


def _but_strays(table: Table, cells: Mapping[str, Factor], sides: tuple[str, str] = ("", "")) -> Codings:
    """What the codes may mean, but for a few cells that have none of them; and which cells these are."""
    seen = (dict(zip(("", *f.levels), np.bincount(f.codes + 1).tolist())) for f in cells.values())
    times = sum(map(Counter, seen), Counter[str]())
    levels = sorted({*times} - {""}, key=times.__getitem__)
    for k in range(min(len(levels), 4)):
        stray, n = levels[:k], sum(map(times.__getitem__, levels[:k]))
        if n <= max(1, _MOST_STRAY * sum(times.values())) and (
            found := _codings({*levels[k:]}, times[""] > 0, sides)
        ):
            name = next((name for name, factor in cells.items() if {*stray} & {*factor.levels}), "")
            row = int(table.columns[name].astype(str).isin(stray).to_numpy().argmax()) if name else 0
            are = f"{n} cells are" if n > 1 else "one cell is"
            return found, name and f"{are} none of these: {listed(stray)} ({table.where(row, name)})"
    return [], ""


def _in_words(coding: Any) -> str:
    """What the codes mean; a coding that was stated stays as it is."""
    parts = coding.items() if isinstance(coding, Mapping) else ()
    said = ", ".join(f"{named(c) if isinstance(c, list) else c}: {_MEANT[a]}" for a, c in parts)
    return said or str(coding)


def ways_of(table: Table, stated: Mapping[str, Any]) -> list[Way]:
    """The calls that would read a table, as far as it states them; none where it is a header alone."""
    looks = _Looks(table, stated) if table.n_rows else None
    layout = stated.get("layout")
    known = (looks.at_texts, looks.at_pairs, looks.at_sides, looks.at_scores, looks.at_items) if looks else ()
    for look in known:
        possible = (way for way in look() if not _contradicts(table, way.arguments.get("columns", {})))
        own = ((way, way.arguments["layout"]) for way in possible)
        found = [way for way, its in own if layout in (None, its, _AS_PERSONS.get(its))]
        if found:
            return found[:4]
    return []


def ways_of_scores(table: Table) -> list[Way]:
    """The way to read a table of scores of single items, a row each."""
    return list(_Looks(table, {}).at_scores()) if table.n_rows else []


def _contradicts(table: Table, columns: Mapping[str, str]) -> bool:
    """Whether columns are given other roles than were stated, or roles that other columns have."""
    given = ((role, name) for role, name in columns.items() if role != name)
    return any(role in table.columns or name in table.own_names for role, name in given)


def ways_of_codes(table: Table, answer: str, sides: tuple[str, str] = ("", ""), **more: Any) -> list[Way]:
    """What the codes of a column of answers may mean; rows without one of them are to be left out, as is said."""
    factor, name = labels(table, answer), table.own_names.get(answer, answer)
    known, stray = _but_strays(table, {answer: factor}, sides)
    gone = {level for coding in known for level in coding.pop("missing", ())}
    blank = np.array([*(level in gone for level in factor.levels), True])[factor.codes]
    if n := int(blank.sum()):
        such = f" and {n - 1:,} more" * (n > 1)
        stray += f"{'; ' * bool(stray)}no answer in {table.where(int(blank.argmax()), answer)}{such}"
    told = f" Rows that are no comparison are left out, and counted: {stray}." if stray else ""
    more |= {"drop": "bad"} if stray else {}
    return [Way({**more, "coding": each}, f"{name}, {_in_words(each)}.{told}") for each in known]


class _Looks:
    """What the columns of a table may be, by their names and their cells."""

    def __init__(self, table: Table, stated: Mapping[str, Any]) -> None:
        lists = {name for name, column in parts_of(table.columns).items() if isinstance(column, Lists)}
        names = [name for name in table.columns if name not in lists][:_MOST_COLUMNS]
        self.table, self.stated = table, _stated(stated)
        self.cells = {name: labels(table, name) for name in names}
        self.texts = {name: table.columns[name].astype(str) for name in names}

    def at_texts(self) -> Iterator[Way]:
        """Whole answers in one column of text."""
        for name, factor in self.cells.items():
            if factor.levels and all(text.startswith("{") for text in factor.levels):
                said = f"{name} contains all comparisons of one person."
                yield Way({"layout": "paircomp", "column": name}, said)
            elif sum(" > " in text for text in factor.levels) * 2 > len(factor.levels):
                yield Way({"layout": "ranking-text", "column": name}, f"{name} has one ranking per row.")

    def at_pairs(self) -> Iterator[Way]:
        """One column per pair of items, as the names of the columns or the stated items say."""
        items = [*map(str, self.stated.get("items", ()))]
        names = [*self.stated.get("pairs", ())] or [name for name in self.cells if name not in NO_PAIRS]
        if (
            items
            and "pairs" not in self.stated
            and (found := named_pairs(names, []))
            and {*found[1]} == {*items}
        ):
            names = found[0]
        names = names[: len(items) * (len(items) - 1) // 2] if items else names
        if found := named_pairs(names, items) or (None if items else self._pairs_in_cells(names)):
            yield from self._by_pairs(*found)
        elif items and len(names) == len(items) * (len(items) - 1) // 2:
            yield from self._by_pairs(names, items)

    def _pairs_in_cells(self, names: Sequence[str]) -> tuple[list[str], list[str], Pairs] | None:
        """As :func:`named_pairs`, of columns whose cells name the two items."""
        two = {name: natural_order(self._items_in(name)) for name in names if not _numeric(self.cells[name])}
        times = Counter(item for pair in two.values() for item in pair)
        two = {name: p for name, p in two.items() if len(p) == 2 and min(times[item] for item in p) > 1}
        return all_pairs([*two], [*two.values()])

    def _items_in(self, name: str) -> set[str]:
        """The codes of a column that are no word for a tie, nor for no answer."""
        return {v for v in self.cells[name].levels if _plain(v) not in _WORDS["tie"].split()} - MISSING_WORDS

    def _codings_of_pairs(self, names: list[str], items: list[str], order: Pairs | None) -> Codings:
        """What the codes of columns of pairs mean, which may be the names of the two items; and which cells have none."""
        if "coding" in self.stated:
            return [self.stated["coding"]], ""
        cells = {name: self.cells[name] for name in names}
        levels = {v for factor in cells.values() for v in factor.levels}
        by_name = (self._items_in(name) <= {items[a], items[b]} for name, (a, b) in zip(names, order or ()))
        if order and len(levels & {*items}) > 2 and all(by_name):
            blank = ["NA"] * any((factor.codes < 0).any() for factor in cells.values())
            ties, gone = sorted(levels - {*items} - MISSING_WORDS), sorted(levels & MISSING_WORDS) or blank
            own = {"first": "first", "second": "second", "tie": ties, "missing": gone}
            coding = {answer: codes for answer, codes in own.items() if codes}
            return [coding], " Each cell names the item that is preferred."
        found, stray = _but_strays(self.table, cells)
        return [each for each in found if "both_bad" not in each], stray and f" But {stray}: correct it."

    def _by_pairs(self, names: list[str], items: list[str], order: Pairs | None = None) -> Iterator[Way]:
        stated, columns, n = self.stated, [*self.table.columns], len(items)
        usual = {"prefmod": prefmod_pair_order(n), "lexicographic": lexicographic_pair_order(n)}
        orders: list[Any] = [name for name, pairs in usual.items() if order in (None, pairs)]
        orders = orders[: 1 if n < 4 else 2] or [[(items[a], items[b]) for a, b in order or ()]]
        known: dict[str, Any] = {"layout": "prefmod", "items": items}
        others = [name for name in columns if name not in (*names, *NO_PAIRS)]
        if columns[0] in others and len(self.cells[columns[0]].levels) == self.table.n_rows > 1:
            known["columns"] = {"person": columns[0]}
            others = others[1:]
        total = len(names) + len(others)
        as_pairs = any(k * (k - 1) // 2 == total for k in range(n + 1, total + 1))
        if as_pairs or [name for name in columns if name in (*names, *others)][: len(names)] != names:
            known["pairs"] = names
        codings, more = self._codings_of_pairs(names, items, order)
        invented = not order and "items" not in stated
        if invented or all(re.fullmatch("[A-Za-z]?[0-9]+", item) for item in items):
            more += f" The table does not name the items: replace {','.join(items)} with their names."
        for way, coding in product([stated.get("pair_order")] if "pair_order" in stated else orders, codings):
            pairs = usual.get(way, ()) if isinstance(way, str) else order or ()
            shown = " ".join(f"{items[a]}:{items[b]}" for a, b in pairs[:6]) + " and so on" * (len(pairs) > 6)
            told = f"One row per person, one column per pair: {shown}. {_in_words(coding)}.{more}"
            yield Way({**known, "pair_order": way, "coding": coding}, told)

    def _numbered(self) -> Iterator[Way]:
        """As many columns V1, V2, ... as some items have pairs."""
        alike: dict[str, list[str]] = {}
        for name in self.cells:
            alike.setdefault(name.rstrip("0123456789") if name[-1:].isdigit() else "", []).append(name)
        names = max((own for prefix, own in alike.items() if prefix), key=len, default=[])
        items = next((ascii_uppercase[:n] for n in range(3, 27) if n * (n - 1) // 2 == len(names)), "")
        yield from self._by_pairs(names, [*items]) if items and "items" not in self.stated else ()

    def at_sides(self) -> Iterator[Way]:
        """Two columns of items, and what came of each comparison."""
        if not (pair := self._sides()):
            return
        (a, b), texts = pair, self.texts
        judge = {"judge": name for name in texts if name not in pair and _JUDGE_NAMES.search(name)}
        others = [name for name in texts if name not in (*pair, *judge.values())]
        stated = [name for name in others if name in ("outcome", "winner") and name in self.table.own_names]
        for name in stated or others:
            named_so = self._names_a_side(name, pair)
            beside = sorted({*texts[name][~named_so]} - MISSING_WORDS)
            words = {*map(_plain, beside)}
            told = f"{name} names the winner, {a} or {b}"
            votes = {"layout": "votes", "columns": {"model_a": a, "model_b": b, "winner": name, **judge}}
            by_side = {"modela", "modelb"} <= words and [word.lower() for word in beside] == beside
            if words <= {*_TIED, "modela", "modelb"} and (named_so.any() or by_side):
                yield Way(votes, f"{told}.")
                return
            if named_so.mean() > 0.3 and (len(words) == 1 or words <= {*_WORDS["tie"].split()}):
                coding = {"first": "model_a", "tie": beside if beside[1:] else beside[0], "second": "model_b"}
                yield Way({**votes, "coding": coding}, f"{told}; {named(beside)}: neither.")
                return
        sides, own = {"first": a, "second": b, **judge}, self.table.own_names
        roles, layout = ("first", "second", "outcome"), "long"
        if "winner" in stated or not stated and re.search("model", own.get(a, a), re.I):
            roles, layout = ("model_a", "model_b", "winner"), "votes"
        codes = {name: ways_of_codes(self.table, name, (own.get(a, a), own.get(b, b))) for name in others}
        answers = stated or [name for name in others if codes[name] and not _COUNT_NAMES.search(name)]
        for name in list(filter(_ANSWER_NAMES.search, answers)) or answers:
            known = {"layout": layout, "columns": {**dict(zip(roles, (a, b, name))), **judge}}
            yield from (replace(way, arguments={**known, **way.arguments}) for way in codes[name])
        if stated or any(map(_ANSWER_NAMES.search, answers)):
            return
        counts = [name for name in others if _numeric(self.cells[name]) and name not in answers]
        ties = {"ties": name for name in counts if re.search("tie|draw", name, re.I)}
        wins = [name for name in counts if name not in ties.values()]
        wins = wins if len(wins) < 3 else [name for name in wins if _COUNT_NAMES.search(name)]
        if len(wins) == 2:
            columns = {**sides, "wins": wins[0], "losses": wins[1], **ties}
            told = f"{wins[0]} counts how often {a} won, {wins[1]} how often {b} did."
            yield Way({"layout": "counts", "columns": columns}, told)
        places = [name for name in texts if not _numeric(self.cells[name])]
        places = [name for name in places if name in pair or self._names_a_side(name, pair).mean() < 0.3]
        places = [name for name in places if len({*self.cells[name].levels} & {*self.cells[a].levels}) > 1]
        if len(places) > 2:
            told = f"One column per place, with the item at that place; {places[0]} is the best place, {places[-1]} the last."
            yield Way({"layout": "orders", "places": places}, told)
            return
        wins = list(filter(_COUNT_NAMES.search, wins))
        if answers or len(wins) > 1 or self._undecided(pair, wins):
            return
        for winner, loser in (pair, pair[::-1]):
            columns = {"winner": winner, "loser": loser, **{"weight": name for name in wins}, **judge}
            yield Way({"layout": "winners", "columns": columns}, f"{winner} beat {loser}.")

    def _sides(self) -> tuple[str, str] | None:
        """The two columns that have the items of a comparison."""
        pair = max(combinations(self.cells, 2), key=lambda pair: self._alike(*pair), default=None)
        return pair if pair and self._alike(*pair) >= 0.3 else None

    def _undecided(self, pair: tuple[str, str], known: Sequence[str] = ()) -> list[str]:
        """Columns beside two sides that may say who won: of few values, or that name one of the two."""
        names = [name for name in self.cells if not (name in (*pair, *known) or _JUDGE_NAMES.search(name))]
        few = {name for name in names if 1 < len(self.cells[name].levels) <= _MOST_ANSWERS}
        return [name for name in names if name in few or self._names_a_side(name, pair).mean() > 0.3]

    def _names_a_side(self, name: str, pair: tuple[str, str]) -> Any:
        """bool[n_rows]: where the column has the item of one of the two sides."""
        a, b = (self.texts[side] for side in pair)
        return (self.texts[name] == a) | (self.texts[name] == b)

    def doubt(self) -> str:
        """What may be meant where no call can be proposed, as nothing says what the values of a column mean."""
        pair = self._sides()
        if not pair or not (undecided := self._undecided(pair)):
            return ""
        first, second, answer = (self.table.own_names.get(name, name) for name in (*pair, undecided[0]))
        values = listed(natural_order(self.cells[undecided[0]].levels), _MOST_ANSWERS + 1)
        columns = {"first": first, "second": second, "outcome": answer}
        beaten = {"winner": first, "loser": second}
        return (
            f"{answer!r} ({values}) may say which of {first!r} and {second!r} won, and nothing is guessed. If it does, state"
            f" columns={columns!r}, and what each value means, coding={{'first': ..., 'tie': ..., 'second': ...}}"
            f" (if it names the winner, write each tie as 'tie'); if {first!r} always won, columns={beaten!r}"
        )

    def _alike(self, a: str, b: str) -> float:
        """How many items two columns share, 0 to 1, if they may be the two sides of a comparison."""
        one, two = ({*self.cells[name].levels} - MISSING_WORDS for name in (a, b))
        left, right = re.compile("1|a$|left|first", re.I), re.compile("2|b$|right|second", re.I)
        sides = left.sub("*", a) == right.sub("*", b) and len(a) > 1  # A and B may be items
        numeric = _numeric(self.cells[a]) or _numeric(self.cells[b])
        if not one & two or len(one | two) < 2 or numeric and not sides:
            return 0.0
        # One row that compares an item with itself is a slip, which is named when the table is read.
        n_same, n = int((self.texts[a] == self.texts[b]).sum()), self.table.n_rows
        less = 0.25 if numeric else 0.5  # two columns of numbers may say something of the two that have names
        return (
            (len(one & two) / min(len(one), len(two)) + sides) * less
            if n_same < max(2 if n > 4 else 1, 0.05 * n)
            else 0.0
        )

    def at_scores(self) -> Iterator[Way]:
        """A row per score: who gave it, to which item, and the score from 0 to 100."""
        own = {name: factor for name, factor in self.cells.items() if factor.levels}
        who = [name for name in own if _SCORER_NAMES.search(name)]
        score = [name for name in own if name not in who and _SCORE_NAMES.search(name)]
        score = [name for name in score if _numeric(own[name])]
        rest = [name for name in own if name not in (*who, *score)]
        system = [name for name in rest if _SYSTEM_NAMES.search(name) and not _numeric(own[name])][:1]
        rest = [name for name in rest if name not in system]
        item = [name for name in rest if _ITEM_NAMES.search(name)]
        # Of a document and its segments the finer one is what was scored.
        item.sort(key=lambda name: len(own[name].levels), reverse=True)
        item += [name for name in rest if not _numeric(own[name])] + system
        given = numbers(self.table, score[0])[0] if who and item and score else np.zeros(0)
        if len(given) and 0 <= np.nanmin(given) < np.nanmax(given) <= 100:
            columns = {"annotator": who[0], "item": item[0], "score": score[0]}
            if system and item[0] not in system:
                columns |= {"system": system[0]}
            span = f"from {np.nanmin(given):g} to {np.nanmax(given):g}"
            of = f" of {columns['system']}" if "system" in columns else ""
            told = f"One row per score: {who[0]} gave {item[0]}{of} a {score[0]}, here {span}."
            keys = [self.cells[name].codes for role, name in columns.items() if role != "score"]
            if again := self.table.n_rows - len({*zip(*(key.tolist() for key in keys))}):
                told += f" But rows repeat what the same {who[0]} had scored before, {again} of them: remove these first."
            yield Way({"layout": "item-scores", "columns": columns}, told)

    def _numbers_rows(self, name: str) -> bool:
        """Whether a column numbers the persons of the rows."""
        texts = self.texts[name].tolist()
        return bool(_SCORER_NAMES.search(name)) or texts == [str(k + 1) for k in range(len(texts))]

    def at_items(self) -> Iterator[Way]:
        """One column per item, with its rank or its rating; or per place, with the number of the item."""
        own = {name: factor for name, factor in self.cells.items() if name not in NO_PAIRS and factor.levels}
        whole = [name for name, factor in own.items() if all(map(_POINT.fullmatch, factor.levels))]
        values = {name: numbers(self.table, name)[0][:_MOST_ROWS] for name in whole}
        windows = [(n, k) for n in range(len(whole), 2, -1) for k in range(len(whole) - n + 1)]
        for tied, (size, start) in product((False, True), windows):
            names = whole[start : start + size]
            rows = [sorted(v for v in row if v == v) for row in zip(*(values[name] for name in names))]
            if all(_are_ranks(row, tied) for row in rows):
                for blank in ("absent", "below") if any(len(row) < size for row in rows) else ("",):
                    ranks = _stated({"layout": "ranks", "items": names, "unranked": blank})
                    yield Way(ranks, f"One column per item, with its rank; 1 is the best{_BLANKS[blank]}.")
                    if names[0][-1:].isdigit() and not tied:
                        items = [str(k) for k in range(1, size + 1)]
                        orders = {"layout": "orders", "places": names, "items": items, "cells": "numbers"}
                        told = "One column per place, the best first, with the number of the item"
                        yield Way(_stated({**orders, "unranked": blank}), f"{told}{_BLANKS[blank]}.")
                if not tied:
                    return
                break
        else:
            names = []
        if numbered := list(self._numbered()):
            yield from numbered
            return
        several = [name for name in names or whole if len(self.cells[name].levels) > 2]
        names = names if names and several else [name for name in several if not self._numbers_rows(name)]
        points = [v for name in names for v in values[name] if v == v]
        for best in ("high", "low") if len(names) > 1 else ():
            scale = f"{min(points):g}-{max(points):g}"
            told = f"One column per item, with its rating from {scale} (all points of the scale, used or not); {best} is best."
            yield Way({"layout": "ratings", "items": names, "scale": scale, "best": best}, told)


def _are_ranks(row: Sequence[float], tied: bool) -> bool:
    """Whether sorted numbers are 1 to as many as there are; tied: or the best is 1, and none is above that."""
    return [*row] == [*range(1, len(row) + 1)] or tied and row[0] == 1 and row[-1] <= len(row)


def _numeric(factor: Factor) -> bool:
    return all(NUMBER.fullmatch(level.strip()) or level in MISSING_WORDS for level in factor.levels)


#: A layout of comparisons -> the same of whole answers.
_AS_PERSONS = {"prefmod": "pairs"}


def _way(form: Form, forms: Sequence[Form]) -> Way:
    """The call that chooses this form among several."""
    alike = [other.columns for other in forms if other.layout == form.layout]
    roles = [role for role, name in form.columns.items() if any(other.get(role) != name for other in alike)]
    chosen = {role: form.columns[role] for role in roles if role in ROLES}
    columns = {"columns": chosen} if chosen else {}
    return Way({"layout": form.layout, **columns}, f"The columns are {listed(list(form.columns.values()))}.")


def as_counts(table: Table, layout: str | None, options: Options, stated: Mapping[str, Any]) -> Table | None:
    """The table with the columns of layout `counts`, if it can be read so in one way; None if in none."""
    forms = forms_of(list(table.columns), layout)
    if len(forms) > 1:
        raise unread(table, {**stated, "layout": layout}, [_way(form, forms) for form in forms])
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
        told = f"{first} beat {second} once per row" + (f", or as often as {times} states" if times else "")
        found = found.adding(added)
    else:
        found, told = _of_scores(found, form, options)
    if first.lower().replace("_", "").replace(".", "") in _AT_HOME:
        told += f"; {first} comes first, so an order effect is its advantage"
    return replace(found, told=(*table.told, f"read as {form.layout}: {told}"))


def _of_scores(table: Table, form: Form, options: Options) -> tuple[Table, str]:
    """A match a row: who scored more has won."""
    names = [name for role, name in form.columns.items() if role.startswith("score")]
    if len(names) == 1:
        parts = [_ONE_SCORE.fullmatch(cell) for cell in table.columns[names[0]].astype(str)]
        bad = np.array([part is None for part in parts])
        cure = "expected two numbers, such as 3-1 or 3:1; remove matches without a score"
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
    found = table.without(names).adding({name: pd.Series(marks * 1.0) for name, marks in results.items()})
    return found, f"one match per row, won by the side with more in {named(names)}{equal}"


def _scores(table: Table, name: str) -> FloatArray:
    values, wrong = numbers(table, name)
    bad = wrong | ~np.isfinite(values)
    table.check(bad, name, "the score is {cell}", "expected a number; remove matches without a score")
    return values
