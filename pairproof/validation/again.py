"""Runs a migrated script again, and finds its values and R's numbers for its test.

    CALLS = Again(Path(__file__).with_name("analysis.py"))
    fit = CALLS["m"].value(request)        # skipped, as "not run", where the script needs R and there is none
    agree(fit, CALLS["m"].r, digits=CALLS["m"].digits)

The script is the user's own and runs unchanged, once, statement by statement.  What needs R but cannot have
it is omitted, with everything that depends on it; the rest is tested.  `analysis.recorded.json` is read as data.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import islice, zip_longest
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
from .verdicts.digits import MOST, digits_of_agreement
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
        run = read_run(self.script.with_name(f"{self.script.stem}.recorded.json"))
        #: Numbers of what the script shows that differ from R's: {"title", "python"}.
        self.shown: list[Mapping[str, Any]] = run.get("shown", [])
        for entry in run["calls"]:
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
    def _all(self) -> tuple[dict[str, Any], dict[str, str], str]:
        return _run(self.script)

    @property
    def ran(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Names of the script and their values; names without a value, and why."""
        return self._all[:2]

    def compare_printed(self, request: pytest.FixtureRequest, kept: str) -> None:
        """Compare what the script prints with what it printed when it was migrated, words and numbers.

        Parameters
        ----------
        request : FixtureRequest
            As for :meth:`Held.value`.
        kept : str
            The file with its lines, from the script's folder.

        Raises
        ------
        AssertionError
            With the lines that differ.
        """
        __tracebackhide__ = True
        _, missing, printed = self._all
        _skipped(request, next(iter(missing.values()), ""))
        path = self.script.parent / kept
        was = json.loads(read_file(path, "what the script printed when it was migrated", most=_MOST_BYTES))
        wrong = changed_lines(printed, "\n".join(was))
        if wrong:
            lines = [f"  {a!r}, was {b!r}" for a, b in wrong[:20]]
            more = [f"  ... and {len(wrong) - 20} more"] if len(wrong) > 20 else []
            said = f"{self.script.name} prints something else than when it was migrated:"
            raise AssertionError("\n".join([said, *lines, *more]))

    def differing(self, request: pytest.FixtureRequest) -> list[str]:
        """The numbers in which Python and R differed in the run, as far as they differ, or are printed, now."""
        values, missing, printed = self._all
        held = [h for calls in self.calls.values() for h in calls]
        wrong = [(h, n) for h in held for n in h.entry["numbers"] if "differs" in n]
        _skipped(request, next((missing[h.name] for h, _ in wrong if h.name in missing), ""))
        own = [f"{h.title} {n['quantity']}" for h, n in wrong if still_differs(h.found(values), n)]
        return own + [str(n["title"]) for n in self.shown if is_printed(float(n["python"]), printed)]


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
        _skipped(request, missing.get(self.name, ""))
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


def _skipped(request: pytest.FixtureRequest, why: str) -> None:
    """Skip a test as "not run" where there is a reason."""
    __tracebackhide__ = True
    if why:
        import pytest

        reason = label(why)
        if request.config.getoption("require_r", default=False):
            pytest.fail(f"--require-r: {reason}", pytrace=False)
        request.node.user_properties.append((NOT_RUN, reason))
        pytest.skip(f"not run: {reason}")


def still_differs(value: Any, number: Mapping[str, Any]) -> bool:
    """Whether a number of a value shares fewer digits with R's than R's function is required to deliver."""
    if number["r"] is None:
        return True
    if isinstance(value, Fit):
        try:
            agree(value, {number["quantity"]: number["r"]}, digits=number["floor"] or 0.0)
        except (AssertionError, PairproofError):
            return True
        return False
    now = numbers_in(value).get(number["differs"])
    return now is None or float(digits_of_agreement(now, number["r"])) < (number["floor"] or MOST)


#: Lines of a summary that say how a fit was reached: versions, and steps that differ between machines.
_HOW = re.compile(r"^(?:Engine|Stopping) .*\n(?: {13}.*\n)*", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")
#: How far a printed number may be from that of the run, as a share: p-values far in the tail and differences
#: of deviances lose four of the nine digits that estimates have on another machine.  Below the second: 0.
PRINTED, NOTHING = 1e-5, 1e-14


def changed_lines(printed: str, was: str) -> list[tuple[str, str]]:
    """Lines that are other words, or have another number, and those of the run."""
    texts = (_HOW.sub("", f"{text}\n").rstrip().splitlines() for text in (printed, was))
    pairs = [(" ".join(a.split()), " ".join(b.split())) for a, b in zip_longest(*texts, fillvalue="")]
    return [(a, b) for a, b in pairs if a != b and not _same_line(a, b)]


def _same_line(line: str, was: str) -> bool:
    numbers = [[float(word) for word in _NUMBER.findall(text)] for text in (line, was)]
    return _NUMBER.sub("#", line) == _NUMBER.sub("#", was) and all(
        abs(a - b) <= max(PRINTED * max(abs(a), abs(b)), NOTHING) for a, b in zip(*numbers)
    )


def is_printed(number: float, text: str) -> bool:
    """Whether a text has a number, so far as it shows it."""
    words = {word: float(word) for word in _NUMBER.findall(text)}
    return any(abs(v - number) <= 0.5001 * _unit(word) + 1e-9 * abs(v) for word, v in words.items())


def _unit(word: str) -> float:
    """The last digit's unit; of a whole number nothing."""
    mantissa, _, exponent = word.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals) if decimals or exponent else 0.0


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


def _run(script: Path) -> tuple[dict[str, Any], dict[str, str], str]:
    """A script's names and values, and what it prints; a statement that needs R, where there is none, gives its names a reason."""
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(script)}
    missing: dict[str, str] = {}
    tree, printed = ast.parse(script.read_bytes(), str(script)), io.StringIO()
    for statement in tree.body:
        if not isinstance(statement, ast.stmt):
            continue
        code = compile(ast.Module([statement], []), str(script), "exec")
        try:
            with contextlib.redirect_stdout(printed), _as_wide():
                exec(code, names)  # the user's own script, run as `python analysis.py` would
        except RUnavailable as error:
            missing.update(dict.fromkeys(_assigned(statement), str(error)))
        except (NameError, KeyError):
            lacking = sorted(_used(statement) & missing.keys())
            if not lacking:
                raise
            missing.update({name: missing[lacking[0]] for name in _assigned(statement)})
    return names, missing, printed.getvalue()


#: Columns in which a script prints when it is tried out and tested: pandas asks how wide the window is.
COLUMNS = "80"


@contextlib.contextmanager
def _as_wide() -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = COLUMNS
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


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
