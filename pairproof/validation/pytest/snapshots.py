"""Records of numbers beside one's own tests, and the `recorded` fixture, which compares with them.

A record is one JSON file, `recorded/MODULE/TEST.json` beside the test's module, with every number at full
precision (Python's repr; null where there is none), by its key.  A number that is lost fails, and so does one that
is new.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ...errors import InputError
from ...files.outputs import write as write_file
from ...fit.fit import Fit
from ...text import named, plural, quoted, safe
from ..claims.quantities import KINDS, kind_of, names, quantity, scale_of
from ..verdicts.digits import MOST, digits_of_agreement
from . import CHANGED, USED

if TYPE_CHECKING:
    import pandas as pd
    import pytest


FORMAT = 1
#: Digits that another machine's linear algebra leaves, by kind; a count is equal or wrong.
RULES: Mapping[str, float] = {
    **dict.fromkeys(("estimate", "se", "z"), 9.0),
    "p": 7.0,
    **{"deviance": 10.0, "df_resid": MOST, "llf": 10.0, "aic": 10.0, "bic": 10.0},
    "n_comparisons": 12.0,
    **dict.fromkeys(("worth", "worth_se"), 9.0),
}
#: Digits of numbers that are no fit's.
DIGITS = 9.0
DIGIT = (
    "n digits in common: found and recorded differ by at most 10^-n of the recorded number (of its standard error,"
    " where a fit has one that is larger); 16 if they are equal"
)
LARGEST = sys.float_info.max
#: Changes shown at most; the rest is counted.
MOST_SHOWN = 40
#: Digits by key or kind; None leaves it out of the record altogether.
Rules = Mapping[str, Union[float, None]]
Value = Union[float, str, None]
Numbers = Mapping[str, Value]


@dataclass(frozen=True)
class Change:
    """Difference of one number from its record."""

    quantity: str
    before: Value
    now: Value
    digits: float
    asked: float
    what: str

    def __str__(self) -> str:
        if self.what == "lost":
            return f"{self.quantity}: recorded {_shown(self.before)}, no longer found"
        if self.what == "new":
            return f"{self.quantity}: found {_shown(self.now)}, not recorded"
        # Truncated, not rounded: 8.96 digits are less than the 9.0 required.
        common = f"{math.floor(10 * self.digits) / 10} digits in common, {self.asked:g} required"
        texts = isinstance(self.before, str) or isinstance(self.now, str)
        how = "texts must be equal" if texts else common
        return f"{self.quantity}: recorded {_shown(self.before)}, found {_shown(self.now)} ({how})"


def _shown(value: Value) -> str:
    return "null" if value is None else repr(value)


def numbers_of(value: Any, rules: Rules | None = None) -> dict[str, Value]:
    """A fit's quantities, or the numbers and texts inside a value, by name, without those whose rule is None."""
    if isinstance(value, Fit):
        known = checked(rules)
        there = (name for name in names(value) if digits_asked(name, known) is not None)
        found = {name: quantity(value, name) for name in there}
        return {name: None if math.isnan(v) else v for name, v in found.items()}
    own: dict[str, Value] = {}
    for key, part in _parts(value):
        if key in own:
            cure = "rename one of them, or its row or column"
            raise InputError(f"recorded: two values have the key {key!r}; {cure}")
        own[key] = part
    if not own:
        raise InputError(f"recorded({quoted(value)}): it is empty; expected at least one number or text")
    known = checked(rules, own)
    kept = {key: part for key, part in own.items() if digits_asked(key, known) is not None}
    if not kept:
        raise InputError(
            f"rules of None for {named(known)}: nothing of {plural(len(own), 'value')} would be recorded"
        )
    return kept


def _parts(value: Any, key: str = "") -> Iterator[tuple[str, Value]]:
    """The numbers and texts inside a value with their keys: `mean.north`, `scores[2]`, `column[row]`."""
    table = hasattr(value, "items")  # a mapping, a data frame by column, a Series by label
    if not table and hasattr(value, "tolist"):
        value = value.tolist()
    elif not table and hasattr(value, "to_frame"):
        value, table = _by_name(value.to_frame()), True
    if value is None or isinstance(value, str):
        yield key or "value", value
    elif isinstance(value, float) and math.isnan(value):
        yield key or "value", None
    elif isinstance(value, (int, float, Fraction, Decimal)) and -LARGEST <= value <= LARGEST:
        yield key or "value", float(value)
    elif isinstance(value, date):  # a time, too
        yield key or "value", value.isoformat()
    elif table or isinstance(value, (list, tuple)):
        labelled = isinstance(value, (list, tuple)) or hasattr(value, "tolist")
        for name, part in value.items() if table else enumerate(value):
            yield from _parts(part, f"{key}[{name}]" if labelled else f"{key}.{name}" if key else str(name))
    else:
        where = f"{key} is" if key else "found"
        raise InputError(
            f"recorded: {where} {quoted(value)}, of type {type(value).__name__}; expected a fit, a leaderboard, or finite"
            " numbers and texts in dicts, lists, numpy arrays, Series and data frames"
        )


def _by_name(frame: pd.DataFrame) -> pd.DataFrame:
    """The table of a result, with rows named by their first column if it names them, as in a leaderboard."""
    first = frame.iloc[:, 0]
    named = len(frame) > 0 and first.is_unique and all(isinstance(cell, str) for cell in first)
    return frame.set_index(frame.columns[0]) if named else frame


def checked(rules: Rules | None, own: Numbers | None = None) -> dict[str, float | None]:
    """The rules, each of 0 to 16 digits and of a known kind, or of numbers that are no fit's."""
    given = dict(rules or {})
    for name, digits in given.items():
        if own is None and kind_of(name) not in KINDS:
            what = f"a rule is for a quantity (estimate.A) or a kind: {', '.join(RULES)}"
            raise InputError(f"rules: no quantity {name!r}; {what}")
        if own is not None and not any(name in _stems(key) for key in own):
            raise InputError(
                f"rules: no number {name!r}; expected a key or the beginning of one: {named(own)}"
            )
        if digits is not None and not (isinstance(digits, Real) and 0 <= digits <= MOST):
            allowed = f"expected digits from 0 to {MOST:g}, or None to leave it out"
            raise InputError(f"rules: {name} = {digits!r}; {allowed}")
    return given


def _stems(key: str) -> list[str]:
    """The key and what it begins with, the longest first: `a.b[2]`, `a.b`, `a`."""
    return [key[:k] for k in range(len(key), 0, -1) if key[k : k + 1] in ("", ".", "[")]


def digits_asked(name: str, rules: Rules, digits: float | None = None) -> float | None:
    """Digits of a number: of its own rule, else of what it is in, else `digits`, else the default of its kind."""
    for stem in _stems(name):
        if stem in rules:
            return rules[stem]
    return RULES.get(kind_of(name), RULES["estimate"]) if digits is None else digits


def changes(
    before: Numbers, now: Numbers, value: Any, rules: Rules | None = None, digits: float | None = None
) -> list[Change]:
    """What is not as recorded: differing numbers, then lost and new ones; of a fit estimates first and p-values last, since
    the digits of a tiny p say least, and worst first among those of a kind."""
    differ, lost = [], []
    for name, old in before.items():
        asked = digits_asked(name, rules or {}, digits)
        if asked is None:
            continue
        if name not in now:
            lost.append(Change(name, old, None, 0.0, 0.0, "lost"))
            continue
        new = now[name]
        if isinstance(old, str) or isinstance(new, str):
            common = MOST if old == new else -1.0
        else:
            a, b = (math.nan if v is None else v for v in (new, old))
            scale = scale_of(name, value) if isinstance(value, Fit) else 0.0
            common = float(digits_of_agreement(a, b, scale))
        if common < asked:  # nan, where neither has a number, is not
            differ.append(Change(name, old, new, common, asked, "differs"))
    kinds = [kind for kind in RULES if kind != "p"] if isinstance(value, Fit) else []
    at = {kind: k - len(kinds) for k, kind in enumerate(kinds)}
    differ.sort(key=lambda c: (at.get(kind_of(c.quantity), 0), c.digits, c.quantity))
    return differ + lost + [Change(n, None, now[n], 0.0, 0.0, "new") for n in now if n not in before]


@dataclass(frozen=True)
class Record:
    """Numbers as a test once found them."""

    test: str
    numbers: Numbers
    about: Mapping[str, Any]


def place(module: Path, test: str, name: str = "") -> Path:
    """The file of a test's record: `recorded/MODULE/TEST[.NAME].json` beside the module.

    A name that is too long for a file, or whose file is another test's ("a/b" and "a b" are spelt alike), ends in a digest.
    """
    asked = test.replace("::", ".") + (f".{name}" if name else "")
    spelt = re.sub(r"[^A-Za-z0-9_.=-]+", "-", asked).strip("-")
    folder = module.parent / "recorded" / module.stem
    own = folder / f"{spelt[:200]}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}.json"
    if len(spelt) > 240 or own.exists():
        return own
    plain = folder / f"{spelt}.json"
    known = read(plain)
    return plain if known is None or known.test == test else own


def read(path: Path) -> Record | None:
    """The record, or None if there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']!r}, expected {FORMAT}")
        given = content["numbers"].items()
        numbers = {str(k): v if v is None or isinstance(v, str) else float(v) for k, v in given}
        return Record(content["test"], numbers, content["about"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        cure = "delete it and write it again with --pairproof-update"
        raise InputError(f"{path}: not a record ({type(error).__name__}: {error}); {cure}") from error


def write(path: Path, test: str, value: Any, numbers: Numbers) -> None:
    """Write the record in one step."""
    import pairproof

    about = {"pairproof": pairproof.__version__}
    if isinstance(value, Fit):
        source = Path(value.data.source).name
        about = {"model": value.title, "engine": value.engine, "source": source, **about}
    content = {"format": FORMAT, "test": test, "about": about, "digits": DIGIT, "numbers": dict(numbers)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


class Recorded:
    """The `recorded` fixture: called with a fit or other numbers, it fails if they differ from the record.

    Parameters
    ----------
    node : pytest.Item
        The test that uses the fixture; its module and name are those of the record.
    update : bool
        Whether ``--pairproof-update`` was given: records are written, and the summary shows what changed.

    Notes
    -----
    The record is `recorded/MODULE/TEST.json` next to the test's module, a JSON file with all numbers at full
    precision; keep it under version control.  A parametrized test has one record per parameter set.  After a
    complete run, the summary names records that no test used.

    Two numbers have n digits in common if they differ by at most 10^-n of the recorded number: with 6 digits
    0.7273 may become 0.7273004 but not 0.727301.  For an estimate, the standard error replaces the recorded
    number if it is larger.  Equal numbers have 16 digits in common.

    Examples
    --------
    A test without a record fails and says how to create it; then it passes while the numbers stay the same.

    >>> import pathlib, subprocess, sys, tempfile
    >>> test = '''
    ... import pairproof
    ...
    ... def test_drinks(recorded):
    ...     table = pairproof.read({"first": ["tea"], "second": ["water"], "wins": [9], "losses": [3]})
    ...     recorded(pairproof.fit_llbt(table), rules={"se": 6, "p": None})
    ...
    ... def test_means(recorded):
    ...     recorded({"mean": {"tea": 0.75, "water": 0.25}, "best": "tea"}, digits=6)
    ... '''
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test_drinks.py").write_text(test)
    >>> run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    >>> [subprocess.run([*run, *more], cwd=folder, capture_output=True).returncode
    ...  for more in ((), ("--pairproof-update",), ())]
    [1, 0, 0]
    >>> sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))
    ['recorded/test_drinks/test_drinks.json', 'recorded/test_drinks/test_means.json']
    """

    def __init__(self, node: pytest.Item, update: bool) -> None:
        self._node = node
        self._update = update
        self._asked: set[Path] = set()

    def __call__(
        self, value: Any, name: str = "", rules: Rules | None = None, digits: float | None = None
    ) -> None:
        """Compare a fit, or other numbers and texts, with their record.

        Parameters
        ----------
        value : Fit, Board, or numbers and texts in any nesting of dict, list, array, Series and DataFrame
            A fit as :func:`pairproof.fit_llbt` and the others return it, a leaderboard or another result with
            `to_frame`, or finite numbers and texts.  Their keys are `mean.north` in dicts, `scores[2]` in lists and
            arrays, `score[north]` for the row north of the column score.  Texts must be equal; None and NaN are
            recorded as null, and must stay so.
        name : str
            Needed for a second call in one test: the record is `TEST.NAME.json`.
        rules : mapping of key or kind to float or None, optional
            Required digits, 0 to 16, by key ("estimate.A", "scores[2]") or by the beginning of keys ("se",
            "scores"); None leaves these numbers out of the record.
        digits : float, optional
            Required digits of all other numbers.  Default: for a fit :data:`RULES`, which allow for another
            machine's linear algebra; otherwise 9.

        Returns
        -------
        None

        Raises
        ------
        AssertionError
            There is no record, a number differs, or a number is missing or new.
        InputError
            `value` contains more than finite numbers and texts, a rule matches no number or has digits
            outside 0 to 16, or the file is not a record.
        """
        __tracebackhide__ = True
        own = None if isinstance(value, Fit) else DIGITS
        if digits is not None and not (isinstance(digits, Real) and 0 <= digits <= MOST):
            raise InputError(f"recorded: digits = {digits!r}; expected a number from 0 to {MOST:g}")
        test = self._node.nodeid.partition("::")[2]
        path = place(self._node.path, test, name)
        if path in self._asked:
            cure = "give the second record a name: recorded(value, 'second')"
            raise InputError(f"recorded: {test} uses the record {path.name} twice; {cure}")
        self._asked.add(path)
        self._node.user_properties.append((USED, str(path)))
        now = numbers_of(value, rules)
        before, shown = read(path), os.path.relpath(path, self._node.config.rootpath)
        if before is None and not self._update:
            cure = "create it with pytest --pairproof-update, inspect it, and keep it"
            raise AssertionError(f"no record {shown}; {cure}")
        wanted = own if digits is None else digits
        found = [] if before is None else changes(before.numbers, now, value, rules, wanted)
        if self._update:
            if before is None or found:
                write(path, test, value, now)
                said = f"  new record, {plural(len(now), 'number')}" if before is None else _listed(found)
                self._node.user_properties.append((CHANGED, f"{path}\n{said}"))
        elif found:
            of = f" of {value.title}" if isinstance(value, Fit) else ""
            n = len({*now, *(change.quantity for change in found)})  # lost ones are not in `now`
            raise AssertionError(
                f"{_listed(found).lstrip()}\n{len(found)} of {plural(n, 'number')}{of} differ{'s' * (len(found) == 1)} from the record {shown}\n"
                f"{DIGIT}\nIf the change is intended, update the record: pytest --pairproof-update"
            )


def _listed(found: list[Change]) -> str:
    more = [f"  ... and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []
    return safe("\n".join([*(f"  {change}" for change in found[:MOST_SHOWN]), *more]))
