"""Records of a fit's numbers beside one's own tests, and the `recorded` fixture, which compares with them.

A record is one JSON file, `recorded/MODULE/TEST.json` beside the test's module, with every quantity at full
precision (Python's repr; null where there is no number).  A quantity that the fit has lost fails, and so does
one that is new.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ...errors import InputError
from ...files.outputs import write as write_file
from ...fit.fit import Fit
from ...text import quoted, safe
from ..claims.quantities import KINDS, kind_of, names, quantity, scale_of
from ..verdicts.digits import MOST, digits_of_agreement
from . import CHANGED, USED

if TYPE_CHECKING:
    import pytest


FORMAT = 1
#: Digits that another machine's linear algebra leaves, by kind; a count is equal or wrong.
RULES: Mapping[str, float] = {
    "estimate": 9.0,
    "se": 9.0,
    "z": 9.0,
    "p": 7.0,
    "deviance": 10.0,
    "df_resid": MOST,
    "llf": 10.0,
    "aic": 10.0,
    "bic": 10.0,
    "n_comparisons": 12.0,
    "worth": 9.0,
    "worth_se": 9.0,
}
#: Changes shown at most; the rest is counted.
MOST_SHOWN = 40
#: Digits by quantity or kind; None leaves it out of the record altogether.
Rules = Mapping[str, Union[float, None]]
Numbers = Mapping[str, Union[float, None]]


@dataclass(frozen=True)
class Change:
    """Difference of one quantity from its record."""

    quantity: str
    before: float | None
    now: float | None
    digits: float
    asked: float
    what: str

    def __str__(self) -> str:
        if self.what == "lost":
            return f"{self.quantity}: lost, was {self.before!r}"
        if self.what == "new":
            return f"{self.quantity}: new, {self.now!r}"
        return (
            f"{self.quantity}: {self.before!r} -> {self.now!r} ({self.digits:.1f} digits,"
            f" {self.asked:g} asked for)"
        )


def numbers_of(fit: Fit, rules: Rules | None = None) -> dict[str, float | None]:
    """A fit's quantities by name, without those whose rule is None."""
    known = checked(rules)
    found = {name: quantity(fit, name) for name in names(fit) if digits_asked(name, known) is not None}
    return {name: None if math.isnan(v) else v for name, v in found.items()}


def checked(rules: Rules | None) -> dict[str, float | None]:
    """The rules, each of a known kind and of 0 to 16 digits."""
    given = dict(rules or {})
    for name, digits in given.items():
        if kind_of(name) not in KINDS:
            raise InputError(
                f"rules: no quantity {name!r}; a rule is for a quantity (estimate.A) or a kind:"
                f" {', '.join(RULES)}"
            )
        if digits is not None and not 0 <= digits <= MOST:
            raise InputError(
                f"rules: {name} = {digits!r}; expected digits from 0 to {MOST:g}, or None to leave it out"
            )
    return given


def digits_asked(name: str, rules: Rules) -> float | None:
    """Digits of a quantity: its own rule, else its kind's, else the default."""
    kind = kind_of(name)
    return (
        rules[name] if name in rules else rules[kind] if kind in rules else RULES.get(kind, RULES["estimate"])
    )


def changes(before: Numbers, now: Numbers, fit: Fit, rules: Rules | None = None) -> list[Change]:
    """What is not as recorded: differing numbers, worst first, then lost and new ones."""
    known = checked(rules)
    differ, lost = [], []
    for name, old in before.items():
        asked = digits_asked(name, known)
        if asked is None:
            continue
        if name not in now:
            lost.append(Change(name, old, None, 0.0, 0.0, "lost"))
            continue
        new = now[name]
        a, b = (math.nan if v is None else v for v in (new, old))
        digits = float(digits_of_agreement(a, b, scale_of(name, fit)))
        if digits < asked:  # nan, where neither has a number, is not
            differ.append(Change(name, old, new, digits, asked, "differs"))
    differ.sort(key=lambda c: (c.digits, c.quantity))
    return differ + lost + [Change(n, None, now[n], 0.0, 0.0, "new") for n in now if n not in before]


@dataclass(frozen=True)
class Record:
    """The numbers of a fit as a test once found them."""

    test: str
    numbers: Numbers
    about: Mapping[str, Any]


def place(module: Path, test: str, name: str = "") -> Path:
    """The file of a test's record: `recorded/MODULE/TEST[.NAME].json` beside the module."""
    plain = re.sub(r"[^A-Za-z0-9_.=-]+", "-", test + (f".{name}" if name else "")).strip("-")
    return module.parent / "recorded" / module.stem / f"{plain}.json"


def read(path: Path) -> Record | None:
    """The record, or None if there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']!r}, expected {FORMAT}")
        numbers = {str(k): None if v is None else float(v) for k, v in content["numbers"].items()}
        return Record(content["test"], numbers, content["about"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: not a record of a fit ({type(error).__name__}: {error}); delete it and make it anew"
            " with --pairproof-update"
        ) from error


def write(path: Path, test: str, fit: Fit, numbers: Numbers) -> None:
    """Write the record in one step."""
    import pairproof

    about = {
        "model": fit.title,
        "engine": fit.engine,
        "source": Path(fit.data.source).name,
        "pairproof": pairproof.__version__,
    }
    content = {"format": FORMAT, "test": test, "about": about, "numbers": dict(numbers)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


class Recorded:
    """The `recorded` fixture: called with a fit, it fails with what differs from the record, or writes it.

    Parameters
    ----------
    node : pytest.Item
        The test that asks; its module and name are those of the record.
    update : bool
        Whether ``--pairproof-update`` was given: records are then written, and the summary shows what changed.

    Notes
    -----
    The record is `recorded/MODULE/TEST.json` beside the test's module, one JSON file with every quantity at full
    precision; keep it under version control.  A parametrized test has a record for each of its parameters.  After a
    whole run the summary names records that no test used.

    Examples
    --------
    A test without a record fails, and says how to make it; after that it passes as long as the numbers stay.

    >>> import pathlib, subprocess, sys, tempfile
    >>> test = '''
    ... import pairproof
    ...
    ... def test_drinks(recorded):
    ...     table = pairproof.read({"first": ["tea"], "second": ["water"], "wins": [9], "losses": [3]})
    ...     recorded(pairproof.fit_llbt(table), rules={"se": 6, "p": None})
    ... '''
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test_drinks.py").write_text(test)
    >>> run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    >>> [subprocess.run([*run, *more], cwd=folder, capture_output=True).returncode
    ...  for more in ((), ("--pairproof-update",), ())]
    [1, 0, 0]
    >>> [path.relative_to(folder).as_posix() for path in folder.rglob("*.json")]
    ['recorded/test_drinks/test_drinks.json']
    """

    def __init__(self, node: pytest.Item, update: bool) -> None:
        self._node = node
        self._update = update

    def __call__(self, fit: Fit, name: str = "", rules: Mapping[str, float | None] | None = None) -> None:
        """Compare a fit with its record.

        Parameters
        ----------
        fit : Fit
            As :func:`pairproof.fit_llbt` and the others return it.
        name : str
            Tells several fits of one test apart: the record is `TEST.NAME.json`.
        rules : mapping of quantity or kind to float or None, optional
            Digits asked for, 0 to 16, by quantity ("estimate.A") or kind ("se"); None leaves it out of the record.
            Default: :data:`RULES`, digits that another machine's linear algebra leaves.

        Returns
        -------
        None

        Raises
        ------
        AssertionError
            There is no record, a number differs, a quantity of the record is lost, or one is new.
        InputError
            `fit` is no fit, a rule is for no quantity or has no digits from 0 to 16, or the file is no record.
        """
        __tracebackhide__ = True
        if not isinstance(fit, Fit):
            raise InputError(
                f"recorded({quoted(fit)}): found a {type(fit).__name__}; expected a fit, as fit_llbt and the others"
                " return it; numbers of your own are held with pytest.approx"
            )
        test = self._node.nodeid.partition("::")[2]
        path = place(self._node.path, test.replace("::", "."), name)
        self._node.user_properties.append((USED, str(path)))
        now = numbers_of(fit, rules)
        before = read(path)
        if before is None and not self._update:
            raise AssertionError(
                f"no record {path}; make it with pytest --pairproof-update, look at it, and keep it"
            )
        found = [] if before is None else changes(before.numbers, now, fit, rules)
        if self._update:
            if before is None or found:
                write(path, test, fit, now)
                said = f"  new record, {len(now)} numbers" if before is None else _listed(found)
                self._node.user_properties.append((CHANGED, f"{path}\n{said}"))
        elif found:
            raise AssertionError(
                f"{len(found)} of {len(now)} numbers of {fit.title} are not as recorded in"
                f" {path}:\n{_listed(found)}\nIf that is meant, write the record anew with pytest"
                " --pairproof-update"
            )


def _listed(found: list[Change]) -> str:
    more = [f"  ... and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []
    return safe("\n".join([*(f"  {change}" for change in found[:MOST_SHOWN]), *more]))
