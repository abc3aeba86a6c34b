"""prefmod's layout: one column a pair, one row a respondent.

Nothing here has a default that could be wrong in silence: the items, the order of the pairs and the meaning
of the codes are stated or it is an error.  A row is one respondent, whose comparisons go together: a column
`judge` or `person` says who, else the number of the row does, as `person`.

A header such as `A:B, A:C, A:D, B:C, B:D, C:D` tells which pair each column is.  Read in another order it
gives other numbers and no warning (Dras 2015: 30.646 for 30.455), so a header that contradicts the stated
order is refused.  Names count only if each of them states a different pair in one and the same way: two item
names (or two item numbers, from 1 or from 0) with the same thing between them, after the same beginning:
`A:B`, `A-B`, `AB`, `A vs B`, `A>B`, `1:2`, `12`, `comp12`, `V1_2`, `o1.o2`.  If they can be read in several
ways, it is enough that one fits the stated order.  Other names (V1, V2, V3, ...) are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from math import isqrt
from os.path import commonprefix
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, ItemError, PairOrderError
from ...text import named, plural, quoted
from ..columns import Factor, natural_order
from ..comparisons import Comparisons
from ..wide import Pairs, lexicographic_pair_order, named_pair_order, prefmod_pair_order
from .assemble import Options, assemble, has_tie_category
from .cells import BOTH_BAD, FIRST, MISSING, SECOND, TIE, Coding, CodingLike, labels
from .sources import Table, repeated

#: What stands between the two items of a pair; the longer first, so that " vs " is not read as "v" and
#: blanks.
BETWEEN = (
    " versus ", " vs. ", " vs ", "_vs_", ".vs.", "-vs-", "versus", "vs", " v ", " > ", " : ", " - ", " / ",
    ">", ":", "-", "_", ".", "/", "|", ",", ";", "~", "&", "+", "x", " ", "",
)  # fmt: skip
#: Characters that all names may begin with before the pair, as `comparison_`.
_LONGEST_BEGINNING = 40


def check_pair_names(
    names: Sequence[str], items: Sequence[str], order: Pairs, stated: str | None, source: str
) -> None:
    """Refuse an order that the names of its columns contradict."""
    contradiction: Pairs | None = None
    for found in _readings(names, items):
        if _fits(found, order, stated):
            return
        contradiction = contradiction or found
    if contradiction is not None:
        raise PairOrderError(_refusal(names, items, order, stated, contradiction, source))


def _fits(found: Pairs, order: Pairs, stated: str | None) -> bool:
    if stated is None:
        return all(set(a) == set(b) for a, b in zip(found, order))
    return found == order


def _readings(names: Sequence[str], items: Sequence[str]) -> Iterator[Pairs]:
    """Every way in which all the names are different pairs, the most telling first."""
    beginning = commonprefix(list(names))[:_LONGEST_BEGINNING]
    for vocabulary in _vocabularies(names, items):
        for between in BETWEEN:
            for start in range(len(beginning) + 1):
                found = _read(names, start, between, vocabulary)
                if found is not None:
                    yield found


def _vocabularies(names: Sequence[str], items: Sequence[str]) -> Iterator[Mapping[str, int]]:
    """Label -> position: names, in other case too; numbers from 1 and from 0, also as o1, o2, ..."""
    n = len(items)
    yield {item: k for k, item in enumerate(items)}
    folded = {item.casefold(): k for k, item in enumerate(items)}
    if len(folded) == n and any(item != item.casefold() for item in items):
        yield _AnyCase(folded)
    if n < 3:  # two items have one pair, and no order: a lone "V21" is a column, not a pair
        return
    lettered = re.match(r"([A-Za-z]+)[0-9]", names[0])
    for first in (1, 0):
        for width in (1, len(str(n + first - 1)), 2):
            yield {str(k + first).zfill(width): k for k in range(n)}
        if lettered:
            yield {f"{lettered[1]}{k + first}": k for k in range(n)}


#: Names of pairs without a sign between the items: V1V2, comp1_2, comp12, TeaCoffee, and halves such as AB.
_JOINT = tuple(map(re.compile, (
    r"([A-Za-z]+\d+)([A-Za-z]+\d+)", r"[A-Za-z_. ]*?(\d+)\D(\d+)", r"[A-Za-z_. ]*?(\d)(\d)",
    "([A-Z][a-z]*)([A-Z][a-z]*)", "(.)(.)", "(..)(..)", "(...)(...)",
)))  # fmt: skip


def named_pairs(names: Sequence[str], items: Sequence[str]) -> tuple[list[str], list[str], Pairs] | None:
    """(names that are pairs, their items, the positions of these) if names are all the pairs of some items, or of those
    stated; None if they are not."""
    if items:
        found = next(_readings(names, items), None) if names else None
        return None if found is None else (list(names), list(items), found)
    words = {
        word for name in names for word in re.findall(r"[_. -][^\W\d_]+[_. -]", name)
    }  # tea_against_milk
    signs = [*(sign for sign in BETWEEN if sign.strip() and sign != "x"), *sorted(words)]
    split = [[tuple(name.split(sign)) for name in names] for sign in signs]
    joint = [[match.groups() if (match := form.fullmatch(name)) else () for name in names] for form in _JOINT]
    return next(filter(None, (all_pairs(names, pairs) for pairs in (*split, *joint))), None)


def all_pairs(
    names: Sequence[str], pairs: Sequence[tuple[str, ...]]
) -> tuple[list[str], list[str], Pairs] | None:
    """As :func:`named_pairs`, of what each name says, which is a pair or not."""
    found_at = {k: pair for k, pair in enumerate(pairs) if len({*pair}) == len(pair) == 2 and all(pair)}
    place = {item: k for k, item in enumerate(dict.fromkeys(i for pair in found_at.values() for i in pair))}
    distinct, n = len({*map(frozenset, found_at.values())}), len(place)
    if n < 3 or not distinct == len(found_at) == n * (n - 1) // 2:
        return None
    order = tuple((place[a], place[b]) for a, b in found_at.values())
    return [names[k] for k in found_at], list(place), order


class _AnyCase(dict[str, int]):
    """Labels found in any case."""

    def get(self, label: Any, default: Any = None) -> Any:
        """The position of a label, whatever its case."""
        return super().get(label.casefold(), default)


def _read(names: Sequence[str], start: int, between: str, vocabulary: Mapping[str, int]) -> Pairs | None:
    """The pairs that the names state; None if a name is no pair, has two readings, or repeats a pair."""
    found: dict[frozenset[int], tuple[int, int]] = {}
    for name in names:
        pair = _pair(name[start:], between, vocabulary)
        if pair is None or frozenset(pair) in found:
            return None
        found[frozenset(pair)] = pair
    return tuple(found.values())


def _pair(text: str, between: str, vocabulary: Mapping[str, int]) -> tuple[int, int] | None:
    found: tuple[int, int] | None = None
    at = text.find(between, 1)
    while 0 < at < len(text):
        a, b = vocabulary.get(text[:at]), vocabulary.get(text[at + len(between) :])
        if a is not None and b is not None and a != b:
            if found is not None:
                return None
            found = (a, b)
        at = text.find(between, at + 1)
    return found


def _refusal(
    names: Sequence[str], items: Sequence[str], order: Pairs, stated: str | None, found: Pairs, source: str
) -> str:
    odd = [k for k, (a, b) in enumerate(zip(found, order)) if (a != b if stated else set(a) != set(b))]
    read = f"{'would be' if stated else 'is'} read as"
    shown = [f"{quoted(names[k], 40)} (column {k + 1}) {read} {_words(order[k], items)}" for k in odd[:3]]
    more = f" and {len(odd) - 3:,} more" if len(odd) > 3 else ""
    what = f"pair_order={stated!r}" if stated else "the pairs listed in pair_order"
    return (
        f"{source}: the names of {len(odd)} of the {len(names)} pair columns contradict {what}:"
        f" {'; '.join(shown)}{more}. {_cure(found, order, items, stated)}; if the names mean something"
        " else, use pair_names='ignore' (--pair-names ignore)"
    )


def _cure(found: Pairs, order: Pairs, items: Sequence[str], stated: str | None) -> str:
    n = len(items)
    for name, usual in (("prefmod", prefmod_pair_order), ("lexicographic", lexicographic_pair_order)):
        if len(found) == n * (n - 1) // 2 and found == usual(n):
            return f"The names are in the order pair_order={name!r}: use that"
    if stated and all(set(a) == set(b) for a, b in zip(found, order)):
        return (
            "The names put the other item first, so the code for 'first' would mean a preference"
            " for it: list the pairs in pair_order as intended"
        )
    listed = ", ".join([f"({items[a]!r}, {items[b]!r})" for a, b in found[:3]] + ["..."] * (len(found) > 3))
    return (
        f"The order of the names is {listed}: list the pairs in this order in pair_order, or reorder"
        " the columns"
    )


def _words(pair: tuple[int, int], items: Sequence[str]) -> str:
    return " against ".join(quoted(items[k], 40) for k in pair)


#: "prefmod", "lexicographic", "AB,AC,...", ["AB", "AC", ...] or [("A", "B"), ...].
PairOrderLike = Union[str, Sequence[Union[str, tuple[str, str]]]]
#: Whether the names of the pair columns are held against their order.
PairNames = Literal["check", "ignore"]
#: Roles of a column that holds no responses, wherever it stands.
NO_PAIRS = ("judge", "person", "weight", "source", "order")
#: Characters of a stated pair in which the end of the first name is looked for.
_LONGEST_PAIR = 10_000
#: Between the two names of a stated pair, if anything.
SEPARATORS = ("", "-", ":", "_", " ", "/")


def read_wide(
    table: Table,
    options: Options,
    pair_order: PairOrderLike | None,
    pairs: Sequence[str] | None,
    coding: CodingLike | None,
    pair_names: PairNames | None = None,
) -> Comparisons:
    """Comparisons of a wide table; arguments as in :func:`pairproof.data.reading.from_wide`."""
    names, order, answers = wide_answers(table, options, pair_order, pairs, coding, pair_names)
    made = answers != MISSING
    row_of, pair_of = np.nonzero(made)
    given = answers[made]
    first, second = np.array(order).T
    tied = (answers == TIE).any(axis=1)
    tie_column = names[int(np.argmax((answers == TIE).any(axis=0)))]
    return assemble(
        *(table, options, options.names or (), first[pair_of], second[pair_of]),
        ((given == FIRST).astype(float), (given == TIE).astype(float), (given == SECOND).astype(float)),
        tie_category=has_tie_category(table, options, tied, tie_column),
        used=names,
        row_of=row_of,
        of_persons=True,
    )


def wide_answers(
    table: Table,
    options: Options,
    pair_order: PairOrderLike | None,
    pairs: Sequence[str] | None,
    coding: CodingLike | None,
    pair_names: PairNames | None = None,
) -> tuple[list[str], Pairs, NDArray[np.int8]]:
    """(pair columns, positions of their items, int[n_rows, n_columns] FIRST, TIE, SECOND or MISSING)."""
    items = options.names
    if items is None or pair_order is None or coding is None:
        codes = named(natural_order({v for c in _candidates(table) for v in labels(table, c).levels}), 8)
        raise PairOrderError(
            f"{table.source}: a table with one column per pair needs items=, pair_order= and"
            f" coding= (columns {named(_candidates(table), 6)}; codes {codes})"
        )
    if len(items) < 2 or len(set(items)) != len(items):
        raise ItemError(f"items are {quoted(list(items))}; expected two or more different names")
    names = _stated_columns(table, pairs)
    order = _order(table, items, pair_order, names)
    names = names if names is not None else _candidates(table)[: len(order)]
    if pair_names != "ignore":
        usual = isinstance(pair_order, str) and pair_order in ("prefmod", "lexicographic")
        check_pair_names(names, items, order, str(pair_order) if usual else None, table.source)
    stated = Coding.read(coding)
    stated.refuse(BOTH_BAD, "layouts 'long' and 'votes'; in this layout, code it as a tie")
    if pairs is None:
        _check_rest(table, items, names, stated)
        _check_first(table, names, stated)
    columns = []
    for name, pair in zip(names, order):
        found = _by_words(table, name, [items[k] for k in pair], stated)
        columns.append(stated.answers(table, name, found, may_be_missing=True))
    answers = np.stack(columns, axis=1)
    if not (answers != MISSING).any():
        raise InputError(f"{table.source}: every response is missing; at least one comparison is needed")
    return names, order, answers


def _by_words(table: Table, name: str, pair: Sequence[str], stated: Coding) -> Factor:
    """The labels of a column; where the codes are the words first and second, the names of the two items say the same."""
    found, words = labels(table, name), {}
    if stated.meaning("first") == FIRST and stated.meaning("second") == SECOND:
        words = {item: word for item, word in zip(pair, ("first", "second")) if stated.meaning(item) is None}
    return Factor(found.codes, tuple(words.get(level, level) for level in found.levels)) if words else found


def _candidates(table: Table) -> list[str]:
    """The columns that may hold responses: those that no role says something else of."""
    return [name for name in table.columns if name not in NO_PAIRS]


def _check_first(table: Table, names: list[str], coding: Coding) -> None:
    """Refuse a first column that is no pair, such as a number of the person, before columns that are."""
    n = len(names)
    following = [name for name in _candidates(table) if name != names[0]][:n]
    if len(following) == n and not coding.fits(table, names[0]) and coding.fits(table, following[-1]):
        raise PairOrderError(
            f"{table.source}: the first column, {quoted(names[0])}, does not contain the given codes, but {quoted(following[-1])}"
            f" after the first {n} columns does; if {quoted(names[0])} identifies the person, name it,"
            f" columns={{'person': {quoted(names[0])}}} (--col person={names[0]}; read_respondents: person={quoted(names[0])},"
            f" --person {names[0]}), otherwise name the pair columns, pairs=[...]"
        )


def _check_rest(table: Table, items: Sequence[str], names: list[str], coding: Coding) -> None:
    """Refuse further columns that look like pairs of more items than were stated."""
    of_pairs, n = set(names), len(items)
    rest = (name for name in _candidates(table) if name not in of_pairs)
    total = len(names) + sum(1 for _ in takewhile(lambda name: coding.fits(table, name), rest))
    many = (1 + isqrt(1 + 8 * total)) // 2  # the most items whose pairs these columns can be
    if many > n:
        of_many = many * (many - 1) // 2
        raise PairOrderError(
            f"{table.source}: {of_many} columns contain only the given codes, as for the pairs of {many} items, but {n}"
            f" items were given, with {plural(len(names), 'pair')}; list every item in items=, or, if the columns after"
            f" {quoted(names[-1])} are no pairs, list those that are with pairs=[...]"
        )


def _stated_columns(table: Table, pairs: Sequence[str] | None) -> list[str] | None:
    if pairs is None:
        return None
    names = list(map(str.strip, pairs.split(",")) if isinstance(pairs, str) else map(str, pairs))
    table.need(names, " to be a pair")
    if len(set(names)) != len(names):
        raise InputError(f"{table.source}: a column is named twice in pairs: {named(repeated(names))}")
    return names


def _order(table: Table, items: tuple[str, ...], pair_order: PairOrderLike, names: list[str] | None) -> Pairs:
    """Positions of the items of each pair column, checked against the number of columns."""
    n = len(items)
    expected = n * (n - 1) // 2
    found = _candidates(table)
    columns = f"{len(names)} pair columns" if names is not None else f"{len(table.columns)} columns"
    if isinstance(pair_order, str) and pair_order in ("prefmod", "lexicographic"):
        # A hundred thousand items would have five billion pairs: they are counted before they are listed.
        order = named_pair_order(pair_order, n) if expected <= len(found) else ()
        n_pairs = expected
        why = f"{n} items ({named(items)}) have {expected} pairs"
    else:
        order = _stated_pairs(items, pair_order)
        n_pairs = len(order)
        why = f"pair_order lists {len(order)} pairs"
    roles = named(name for name in table.columns if name in NO_PAIRS)
    of_roles = f" (including {roles}, without responses)" if names is None and roles else ""
    if (len(names) != n_pairs) if names is not None else (len(found) < n_pairs):
        raise PairOrderError(
            f"{table.source}: {columns}{of_roles}, but {why}; list the items that were compared, and"
            " the response columns with pairs=[...]"
        )
    return order


def _stated_pairs(items: tuple[str, ...], pair_order: PairOrderLike) -> Pairs:
    stated = map(str.strip, pair_order.split(",")) if isinstance(pair_order, str) else pair_order
    place = {item: k for k, item in enumerate(items)}
    order: dict[frozenset[int], tuple[int, int]] = {}
    for text in stated:
        pair = _one_pair(place, text)
        if order.setdefault(frozenset(pair), pair) is not pair:
            raise PairOrderError(f"pair_order lists the pair {quoted(text)} twice; each pair has one column")
    return tuple(order.values())


def _one_pair(place: Mapping[str, int], pair: str | tuple[str, str]) -> tuple[int, int]:
    if isinstance(pair, str):
        heads = [(pair[:k], pair[k:]) for k in range(1, min(len(pair), _LONGEST_PAIR)) if pair[:k] in place]
        split = {(a, rest[len(s) :]) for a, rest in heads for s in SEPARATORS if rest.startswith(s)}
        found = {(a, b) for a, b in split if b in place and b != a}
    else:
        a, b = map(str, pair) if isinstance(pair, Sequence) and len(pair) == 2 else ("", "")
        found = {(a, b)} if a in place and b in place and a != b else set()
    if len(found) != 1:
        what = "can be read in more than one way" if found else "is not a pair of the items"
        items = list(place)
        raise PairOrderError(
            f"pair_order has {quoted(pair)}, which {what} ({named(items)}); pass 'prefmod', 'lexicographic', "
            f"or pairs such as ({quoted(items[0])}, {quoted(items[1])})"
        )
    first, second = found.pop()
    return place[first], place[second]
