"""Runs a migrated script again, and finds its values and R's numbers for its test.

    CALLS = Again(Path(__file__).with_name("analysis.py"))
    fit = CALLS["m"].value(request)        # skipped, as "not run", where the script needs R and there is none
    agree(fit, CALLS["m"].r, digits=CALLS["m"].digits)

The script is the user's own and runs unchanged, once, statement by statement.  What needs R but cannot have
it is omitted, with everything that depends on it; the rest is tested.  `analysis.recorded.json` is read as data.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pandas as pd

from ..errors import InputError, PairproofError, RUnavailable
from ..files.inputs import read_file
from ..fit.fit import Fit
from ..text import label, quoted
from .pytest import NOT_RUN
from .pytest.snapshots import numbers_of, place, write
from .verdicts.digits import digits_of_agreement
from .verify import agree

if TYPE_CHECKING:
    import pytest


#: Numbers of a value that are looked at.
MOST_NUMBERS = 200_000
_DEEP = 6


def numbers_in(value: Any) -> dict[str, float]:
    """The numbers of a value by their places: "estimate / A", "vcov / 3"."""
    found = list(islice(_walk(value, (), _DEEP), MOST_NUMBERS))
    return dict(zip(distinct(" / ".join(place) for place, _ in found), (number for _, number in found)))


def _walk(value: Any, at: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, (bool, np.bool_)) or value is None or isinstance(value, str) or deep < 0:
        return
    if isinstance(value, (int, float, np.integer, np.floating)):
        yield at, float(value)
    elif isinstance(value, pd.DataFrame):
        for k, column in enumerate(value.columns):
            yield from _walk(value.iloc[:, k], (*at, str(column)), deep - 1)
    elif isinstance(value, pd.Series):
        if pd.api.types.is_numeric_dtype(value.dtype) or value.dtype == object:
            for label, v in zip(value.index.tolist(), value.tolist()):
                yield from _walk(v, (*at, str(label)), min(deep, 0))
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "iuf":
            for k, v in enumerate(value.ravel().tolist()):
                yield (*at, str(k)), float(v)
    else:
        for label, part in _parts(value):
            yield from _walk(part, (*at, label), deep - 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Entries of a mapping or a sequence, fields of an object; what is private or computed again is not looked
    at."""
    if isinstance(value, Mapping):
        yield from ((str(k), v) for k, v in value.items())
    elif hasattr(value, "_fields"):
        yield from ((name, getattr(value, name)) for name in value._fields)
    elif isinstance(value, (list, tuple)):
        yield from ((str(k), v) for k, v in enumerate(value))
    elif is_dataclass(value):
        yield from ((f.name, getattr(value, f.name)) for f in fields(value) if f.name[:1] != "_")


FORMAT = 1


#: Digits that Python's own numbers must share with those of the run: another machine's linear algebra changes
#: estimates in the last places (:mod:`pairproof.validation.pytest.snapshots` asks as many of estimates).
OWN_DIGITS = 9.0
#: Most bytes of a run; one of 2,000 calls of 200 numbers has a tenth of it.
_MOST_BYTES = 512 * 1024**2


class Again:
    """A migrated script, run once when its first value is needed.

    Parameters
    ----------
    script : path
        The Python script; its run is `NAME.recorded.json` next to it.

    Raises
    ------
    InputError
        There is no such run, or the file is not a run.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from pairproof.validation import Again
    >>> number = {"quantity": "half", "python": 0.5, "r": 0.5, "test": {"digits": 11.0, "place": "half"}}
    >>> run = {"format": 1, "calls": [{"name": "m", "numbers": [number]}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "analysis.recorded.json").write_text(json.dumps(run))
    ...     _ = Path(folder, "analysis.py").write_text("m = {'half': 1 / 2}")
    ...     calls = Again(Path(folder, "analysis.py"))
    ...     values, missing = calls.ran
    >>> calls["m"].r, values["m"]
    ({'half': 0.5}, {'half': 0.5})
    """

    def __init__(self, script: Union[str, Path]) -> None:
        self.script = Path(script)
        self.calls: dict[str, list[Held]] = {}
        for entry in read_run(self.script.with_name(f"{self.script.stem}.recorded.json"))["calls"]:
            held = Held(self, entry)
            self.calls.setdefault(held.name, []).append(held)

    def __getitem__(self, name: str) -> Held:
        """The call whose value has this name in the script."""
        return self.all(name)[0]

    def all(self, name: str) -> Sequence[Held]:
        """All evaluations of a call, whose values are a dict of this name.

        Raises
        ------
        InputError
            There is none.
        """
        if name not in self.calls:
            raise InputError(f"{self.script.name} has no {name!r} in its run; migrate again to write both")
        return self.calls[name]

    @cached_property
    def ran(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Names of the script and their values; names without a value, and why."""
        return _run(self.script)


@dataclass(frozen=True, eq=False)
class Held:
    """One evaluation of a call, and R's numbers of it.

    Attributes
    ----------
    of : Again
    entry : mapping
        Of the run's `calls`.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from pairproof.validation import Again
    >>> number = {"quantity": "half", "python": 0.5, "r": 0.5, "test": {"digits": 11.0, "place": "half"}}
    >>> run = {"format": 1, "calls": [{"name": "m", "numbers": [number]}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "analysis.recorded.json").write_text(json.dumps(run))
    ...     _ = Path(folder, "analysis.py").write_text("m = {'half': 1 / 2}")
    ...     calls = Again(Path(folder, "analysis.py"))
    ...     values, missing = calls.ran
    >>> held = calls["m"]
    >>> held.title, held.digits
    ('m', {'half': 11.0})
    >>> held.compare(held.found(values))
    """

    of: Again
    entry: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of the value, or of the dict of values, in the script."""
        return str(self.entry["name"])

    @property
    def record(self) -> str:
        """What `recorded(fit, name)` calls its record; "" where the test has one fit."""
        return str(self.entry.get("record") or "")

    @property
    def has_record(self) -> bool:
        """Whether the fit has a record of its own."""
        return "record" in self.entry

    @property
    def r(self) -> dict[str, float]:
        """R's numbers that the test compares, by quantity."""
        return {n["quantity"]: float(n["r"]) for n in self.entry["numbers"] if "test" in n}

    @property
    def digits(self) -> dict[str, float]:
        """Digits that each of them must share."""
        return {n["quantity"]: float(n["test"]["digits"]) for n in self.entry["numbers"] if "test" in n}

    @property
    def key(self) -> Any:
        """Key in the dict; None if the call was evaluated once."""
        found = self.entry.get("key")
        return tuple(found) if isinstance(found, list) else found

    @property
    def title(self) -> str:
        """ "m", or "f['north']"."""
        return self.name if self.key is None else f"{self.name}[{self.key!r}]"

    def value(self, request: pytest.FixtureRequest) -> Any:
        """The value that the script computes.

        Parameters
        ----------
        request : FixtureRequest
            The test that asks; it is skipped as "not run" where the value needs R and R is not there, and fails with
            --require-r.
        """
        __tracebackhide__ = True
        values, missing = self.of.ran
        if self.name in missing:
            import pytest

            reason = label(missing[self.name])
            if request.config.getoption("require_r", default=False):
                pytest.fail(f"--require-r: {reason}", pytrace=False)
            request.node.user_properties.append((NOT_RUN, reason))
            pytest.skip(f"not run: {reason}")
        return self.found(values)

    def found(self, values: Mapping[str, Any]) -> Any:
        """The value among the script's names.

        Raises
        ------
        AssertionError
            The script has no such name or key any more.
        """
        try:
            found = values[self.name]
            return found if self.key is None else found[self.key]
        except (KeyError, TypeError):
            raise AssertionError(f"{self.of.script.name} no longer has {self.title}") from None

    def compare(self, value: Any) -> None:
        """Compare the numbers of a value: those of a fit with R's, others with those of the run and with R's.

        Raises
        ------
        AssertionError
            With each number that differs.
        """
        __tracebackhide__ = True
        if isinstance(value, Fit):
            if self.r:
                agree(value, self.r, digits=self.digits)
            return
        now = numbers_in(value)
        wrong = []
        for number in self.entry["numbers"]:
            if "place" not in number.get("test", {}):
                continue
            name = f"{number['quantity']} ({number['test']['place']})"
            if number["test"]["place"] not in now:
                wrong.append(f"  {name}: lost, was {number['python']!r}")
                continue
            found, of_r = now[number["test"]["place"]], ("in R", number["r"], number["test"]["digits"])
            for against, other, least in (("in the run", number["python"], OWN_DIGITS), of_r):
                digits = float(digits_of_agreement(found, other))
                if not (found == other or digits >= least):
                    few = f"{digits:.1f} digits, {least:g} required"
                    wrong.append(f"  {name}: {found!r}, {against} {other!r} ({few})")
        if wrong:
            more = [f"  ... and {len(wrong) - 40} more"] if len(wrong) > 40 else []
            raise AssertionError("\n".join([f"{self.title}: numbers that changed", *wrong[:40], *more]))


def read_run(path: Path) -> dict[str, Any]:
    """The run of a migration."""
    try:
        content = json.loads(read_file(path, "the run of a migration (NAME.recorded.json)", most=_MOST_BYTES))
        if content["format"] != FORMAT or not isinstance(content["calls"], list):
            raise ValueError(f"format {quoted(content['format'])}, expected {FORMAT}")
        for entry in content["calls"]:
            for number in entry["numbers"]:
                if "test" in number:
                    float(number["r"]), float(number["python"]), float(number["test"]["digits"])
            str(entry["name"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, PairproofError):
            raise
        why = f"{type(error).__name__}: {quoted(str(error))}"
        cure = "write it again with pairproof migrate"
        raise InputError(f"{path.name}: not the run of a migration ({why}); {cure}") from None
    return dict(content)


# -- running -------------------------------------------------------------------------------------------------


def _run(script: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """A script's names and values; a statement that needs R, where there is none, gives its names a reason instead."""
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(script)}
    missing: dict[str, str] = {}
    tree = ast.parse(script.read_bytes(), str(script))
    for statement in tree.body:
        if not isinstance(statement, ast.stmt):
            continue
        code = compile(ast.Module([statement], []), str(script), "exec")
        try:
            exec(code, names)  # the user's own script, run as `python analysis.py` would
        except RUnavailable as error:
            missing.update(dict.fromkeys(_assigned(statement), str(error)))
        except (NameError, KeyError):
            lacking = sorted(_used(statement) & missing.keys())
            if not lacking:
                raise
            missing.update({name: missing[lacking[0]] for name in _assigned(statement)})
    return names, missing


def _assigned(statement: ast.stmt) -> set[str]:
    """Names that a statement gives a value, or a value in a dict."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Name, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            inner: ast.AST = node
            while isinstance(inner, ast.Subscript):
                inner = inner.value
            if isinstance(inner, ast.Name):
                found.add(inner.id)
    return found


def _used(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}


# -- checked once, when it is written ------------------------------------------------------------------------


def check(values: Mapping[str, Any], script: Path, test: Path) -> int:
    """Compare each number of a new script with the run, and write the records of its fits."""
    wrong = []
    for held in (h for calls in Again(script).calls.values() for h in calls):
        try:
            value = held.found(values)
            held.compare(value)
        except (AssertionError, PairproofError) as error:
            wrong.append(f"{held.title}: {error}")
            continue
        if held.has_record and isinstance(value, Fit):
            name = str(held.entry["test"])
            write(place(test, name, held.record), name, value, numbers_of(value))
    sys.stderr.write("".join(f"{line}\n" for line in wrong[:20]))
    return len(wrong)


def distinct(places: Iterable[str]) -> Iterator[str]:
    """Places as they are, and "place (2)" where one occurs again."""
    seen: Counter[str] = Counter()
    for place in places:
        seen[place] += 1
        yield place if seen[place] == 1 else f"{place} ({seen[place]})"
