"""The stage in which a migration is made, and the way of its files from there to the user's folder.

Tables are written to the stage before anything is computed from them: what is evaluated is read from the very
files that are delivered; only their names may become better later.  The user's folder is touched when all of
it has been shown to work.

`NAME.recorded.json` is the list of what an earlier run wrote, with digests: only such files, unchanged since,
are replaced; those that are not written again are removed.  A list is believed for names of our own kind
only: tables in `data`, records in `recorded/TEST`.

The run of a migration as JSON: what R gave, call by call, what the test asks, which files were written.

==============  =====================================================================================
key             holds
==============  =====================================================================================
``format``      1
``script``      name of the R script; how it ended, how long it took
``r``           R's version, platform, packages, RNGkind
``calls``       one object an evaluation: line, text, function, route, Python name and key, numbers
``numbers``     of a call: quantity, python, r (full precision), digits, floor, verdict, explanation,
                ``test`` (digits that the test asks for; and the place in a value that is no fit),
                ``differs`` (that place, of a number that differs without an explanation)
``shown``       numbers of what the script shows that differ from R's without an explanation
``left_out``    calls without Python code, and why
``files``       name from the folder -> SHA-256 of each file written beside it
``sha256``      of this document without this key, by which a later run knows that nobody changed it
==============  =====================================================================================

Doubles are written by Python's repr; a number that is no finite one is null.

Of a fit the numbers have names, and the test's `agree` compares them.  Of another value (a table, R's own
answer) each number is found again by its place in the value, which the judge that made the row says; what is
computed from the value, and stands nowhere in it, is not compared.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Union

from .. import __version__
from ..bridge.values.convert import csv_text
from ..errors import InputError, PairproofError
from ..files.outputs import AnyPath, check, write
from ..fit.fit import Fit
from ..text import quoted
from ..validation.again import FORMAT, is_printed, numbers_in, still_differs
from ..validation.verdicts.agreement import AGREEING, Agreement
from ..validation.verdicts.digits import MOST, digits_of_agreement
from ..validation.verify import agree
from .call_sites import BySite
from .outcome import differs, finite
from .steps.evaluated import CallSite
from .steps.flow import Done
from .translate.python_code import File, Unique, plain

#: Call id -> what the test asks of each of its rows.
Asked = Mapping[int, Sequence[Union[dict[str, Any], None]]]


def asked(value: Any, rows: Sequence[Agreement]) -> list[dict[str, Any] | None]:
    """What the test asks of each row, {"digits", "place"}: its floor, or what its own counting has; or None."""
    now = {} if isinstance(value, Fit) else numbers_in(value)

    def of(a: Agreement) -> dict[str, Any] | None:
        if a.verdict not in AGREEING or a.native is None or a.r is None:
            return None
        if not isinstance(value, Fit):
            found = now.get(a.place) == a.native
            digits = float(digits_of_agreement(a.native, a.r))
            return {"digits": _fewer(a, digits), "place": a.place} if found else None
        try:  # by `agree`'s own counting, if it knows the quantity
            (row,) = agree(value, {str(a.quantity): a.r}, digits=0.0)
        except (AssertionError, PairproofError):
            return None
        return {"digits": _fewer(a, MOST if row.digits is None else row.digits)}

    return [of(a) for a in rows]


def _fewer(a: Agreement, digits: float) -> float:
    """The row's floor, or the digits there are, rounded down to a tenth."""
    least = MOST if a.floor is None or a.floor != a.floor else min(a.floor, MOST)
    return least if digits >= least or digits != digits else math.floor(digits * 10) / 10


def differing(of: BySite, printed: str) -> list[str]:
    """Names of the numbers that differ without an explanation, as far as a test finds them again."""
    names = []
    for site in of.found:
        for k, step in enumerate(site.steps):
            title = site.name if not site.many else f"{site.name}[{site.keys[k]!r}]"
            own = (a for a in step.rows if differs(a))
            names += [f"{title} {a.quantity}" for a in own if still_differs(step.value, _number(a, None))]
    return names + [n["title"] for n in _shown(of.migration.done) if is_printed(n["python"], printed)]


def _shown(done: Sequence[Done]) -> list[dict[str, Any]]:
    """What the script shows and differs from R's."""
    rows = ((d, a) for d in done for a in d.rows if differs(a) and finite(a.native) is not None)
    return [{"title": f"{d.place} {a.quantity}", "python": a.native, "r": finite(a.r)} for d, a in rows]


MADE_BY = "pairproof migrate"
#: Evaluations of one call whose fits have a record of their own; of all others R's numbers are compared only.
MOST_RECORDED = 20


def document(
    of: BySite, tests: Mapping[str, str], records: Mapping[int, str], files: Mapping[str, str], asked: Asked
) -> dict[str, Any]:
    """The document."""
    captured = of.migration.captured
    of_run = {name: getattr(captured, name) for name in ("ending", "message", "exit_code", "sandboxed")}
    text, of_left = captured.text, ("where", "function", "reason", "count")
    script = {"name": text.name, "kind": text.kind, "lines": len(text.lines)}
    turns = ((site, k, step.call.id) for site in of.found for k, step in enumerate(site.steps))
    calls = [_call(s, k, tests.get(s.name, ""), records.get(id), asked) for s, k, id in turns]
    of_r = {"version": captured.r_version, "platform": captured.platform}
    content: dict[str, Any] = {
        "format": FORMAT,
        "made_by": MADE_BY,
        "pairproof": __version__,
        "script": {**script, "seconds": round(captured.seconds, 3), **of_run},
        "r": {**of_r, "packages": dict(sorted(captured.packages.items())), "rng": list(captured.kind)},
        "calls": calls,
        "shown": _shown(of.migration.done),
        "left_out": [{name: getattr(e, name) for name in of_left} for e in of.left],
        "files": dict(files),
    }
    return {**content, "sha256": digest_of(content)}


def text_of(content: Mapping[str, Any]) -> str:
    """The document as it is written."""
    return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its own digest."""
    plain = {k: v for k, v in content.items() if k != "sha256"}
    return digest(json.dumps(plain, sort_keys=True, ensure_ascii=True).encode())


def _call(site: CallSite, k: int, test: str, record: str | None, asked: Asked) -> dict[str, Any]:
    step = site.steps[k]
    call, translation, key = step.call, step.translation, site.keys[k] if site.many else None
    return {
        "id": call.id,
        **asdict(call.place),
        "nth": call.nth,
        "text": call.text,
        "function": call.function,
        "route": translation.route,
        "reason": translation.reason,
        "python": translation.shown,
        "name": site.name,
        **({} if key is None else {"key": list(key) if isinstance(key, tuple) else key}),
        "test": test,
        **({} if record is None else {"record": record}),
        "notes": list(translation.notes),
        "warnings": [message for message, _ in call.warnings],
        "seconds": {"r": round(call.seconds, 4), "python": round(step.seconds, 4)},
        "numbers": [_number(a, test) for a, test in zip(step.rows, asked[call.id])],
    }


def _number(a: Agreement, test: Mapping[str, Any] | None) -> dict[str, Any]:
    numbers = {"python": a.native, "r": a.r, "digits": a.digits, "floor": a.floor}
    found: dict[str, Any] = {"quantity": str(a.quantity), **{name: finite(v) for name, v in numbers.items()}}
    found |= {"verdict": a.verdict, "explanation": a.explanation, "code": a.code}
    found |= {} if test is None else {"test": dict(test)}
    return found | ({"differs": a.place} if differs(a) else {})


#: Folder of the tables, beside the script.
DATA = "data"


class Stage:
    """CSV files in a folder of their own; equal tables are one file."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._names = Unique()
        self._paths: dict[str, Path] = {}
        self._digests: dict[File, str] = {}

    def place(self, file: File) -> Path:
        """Where the table is, `FOLDER/data/NAME.csv`; it is written if no equal one has been."""
        digest = self.digest(file)
        if digest not in self._paths:
            path = self.folder / DATA / f"{self._names.name(plain(file.stem))}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_content(file))
            self._paths[digest] = path
        return self._paths[digest]

    @property
    def answers(self) -> Path:
        """Where R's answers of bridged calls are kept."""
        return self.folder / "of_r"

    def path_of(self, digest: str) -> Path:
        """Where the table of that digest is."""
        return self._paths[digest]

    def digest(self, file: File) -> str:
        """SHA-256 of the table's CSV text, by which equal tables are found."""
        if file not in self._digests:
            self._digests[file] = digest(_content(file))
        return self._digests[file]


def _content(file: File) -> bytes:
    """The table as bytes of a CSV file, read back and compared."""
    text = csv_text(file.columns)
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = text[error.start : error.start + 20]
        raise InputError(f"table {quoted(file.stem)}: {bad!a} cannot be encoded as UTF-8") from None
    lines = list(csv.reader(io.StringIO(text, newline="")))
    expected = [list(file.columns), *(list(map(_field, row)) for row in zip(*file.columns.values()))]
    for n, (found, wanted) in enumerate(zip(lines, expected), 1):
        if found != wanted:
            said = f"line {n}: {quoted(wanted)} is read back from a CSV file as {quoted(found)}"
            raise InputError(f"table {quoted(file.stem)}, {said}; CSV cannot store such text")
    if len(lines) != len(expected):
        said = f"{len(expected)} lines are read back from a CSV file as {len(lines)}"
        raise InputError(f"table {quoted(file.stem)}: {said}")
    return raw


def _field(value: object) -> str:
    """A value as a field of the file; a missing one is empty."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


_MOST_BYTES = 512 * 1024**2


def digest(content: bytes) -> str:
    """SHA-256."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Earlier:
    """What an earlier run wrote beside its script; `run` is its JSON file."""

    folder: Path
    run: str
    files: Mapping[str, str] = field(default_factory=dict)

    def ours(self, name: str) -> bool:
        """Whether the file is as that run wrote it."""
        path, wanted = self.folder / name, self.files.get(name)
        with contextlib.suppress(OSError):
            there = wanted is not None and not path.is_symlink() and path.is_file()
            return there and digest(path.read_bytes()) == wanted
        return False

    def taken(self) -> list[str]:
        """Names of tables, without suffix, that are not free: files that this run did not write, or changed ones."""
        try:
            there = sorted(os.listdir(self.folder / DATA))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise InputError(f"{self.folder / DATA}: cannot be read ({error.strerror})") from None
        tables = (name for name in there if name.lower().endswith(".csv"))
        return [name[:-4] for name in tables if not self.ours(f"{DATA}/{name}")]


def earlier(folder: Path, run: str, test_stem: str) -> Earlier:
    """What the run of that name wrote; nothing if there is none, or if somebody has changed its list."""
    content = _run_found(folder / run)
    if content is None:
        return Earlier(folder, run)
    own = {run.removesuffix(".recorded.json") + ".py", f"{test_stem}.py"}
    known = re.compile(
        rf"{DATA}/[A-Za-z0-9_-]{{1,80}}\.csv"
        rf"|recorded/({re.escape(test_stem)}|of_r)/[A-Za-z0-9_.=-]{{1,200}}\.json"
        rf"|recorded/printed/{re.escape(test_stem)}\.json"
    )
    files = content.get("files")
    listed = files.items() if isinstance(files, dict) else ()
    ours = {n: v for n, v in listed if isinstance(v, str) and (n in own or known.fullmatch(n))}
    return Earlier(folder, run, ours)


def _run_found(path: Path) -> dict[str, object] | None:
    """A run that is as it was written; None for anything else."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        content = json.loads(path.read_bytes())
        if isinstance(content, dict) and (content.get("made_by"), content.get("format")) == (MADE_BY, FORMAT):
            return content if content.get("sha256") == digest_of(content) else None
    return None


def ready(before: Earlier, names: Iterable[str], reads: Iterable[AnyPath], force: bool) -> None:
    """Whether files of these names may be written, so far as it can be known before there is anything to write."""
    read = list(reads)
    for name in names:
        ours = _known(before, name)
        check(before.folder / name, reads=read, force=force or ours, again=ours)


def _known(before: Earlier, name: str) -> bool:
    return before.ours(name) or name == before.run and _run_found(before.folder / name) is not None


def deliver(
    stage: Path, names: Iterable[str], before: Earlier, reads: Iterable[AnyPath], force: bool
) -> list[Path]:
    """Write a stage where an earlier run wrote, remove what only that wrote; `force` is never for tables."""
    wanted, read = list(names), list(reads)
    contents = {name: (stage / name).read_bytes() for name in wanted}
    ready(before, [name for name in wanted if "/" not in name], read, force)
    for folder in sorted({(before.folder / name).parent for name in wanted} - {before.folder}):
        made_folder(folder)

    def forced(name: str) -> dict[str, Any]:
        ours = _known(before, name)
        return {"reads": read, "force": (force and "/" not in name) or ours, "again": ours}

    # Everything that could be refused is asked before anything is written.
    for name in wanted:
        check(before.folder / name, content=contents[name], **forced(name))
    for name in wanted:
        write(before.folder / name, contents[name], **forced(name))
    _remove(before, set(wanted))
    return [before.folder / name for name in wanted]


def made_folder(folder: Path) -> None:
    """Make a folder, if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        lost = f"cannot create the folder {quoted(folder.name)} here ({error.strerror})"
        cure = "remove the file of this name, or write to another folder"
        raise InputError(f"{folder}: {lost}; {cure}") from None


def _remove(before: Earlier, kept: set[str]) -> None:
    """Tables and records of the earlier run that are of no use any more."""
    for name in before.files:
        if "/" in name and name not in kept and before.ours(name):
            with contextlib.suppress(OSError):
                os.unlink(before.folder / name)
