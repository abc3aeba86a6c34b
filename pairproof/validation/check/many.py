"""Many claims files: found in folders, checked by several processes, kept as they are done, and taken over later.

A folder may be a stranger's.  Its claims files are data: nothing in it is run, only `*.claims.toml` are read, within
bounds, and no link is followed that leads out of the folder.

A paper's numbers are kept in FOLDER/ID.json beside its page.  `made_from` there is the SHA-256 of all that they
depend on: the claims file, the data files as they are now, the version of pairproof, the options, and whether there is
an R; where it has not changed they are taken over.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError, PairproofError, PairproofWarning
from ...files.inputs import parsed, read_file
from ...files.outputs import write
from ...numerics.processes import as_they_come
from ...report.json_text import json_text
from ..claims import SUFFIX
from ..claims.data import data_from, digests
from ..report.index import CheckedPaper
from ..report.rendering import output
from ..verdicts.agreement import Agreement, to_document
from .claims_file import MOST_CLAIMS, read_paper
from .recompute import run
from .shipped import shipped

if TYPE_CHECKING:
    from ..report.verification import Verification

#: Claims files in a folder; more are asked for in parts.
MOST_FILES = 10_000
#: Bytes of kept numbers: of the largest paper that ships they are 3 MB.
MOST_KEPT = 256 * 1024**2
_KEPT = ("title", "by_chance", "searched", "versions", "warned", "page")
_FIELDS = {f.name: f.default for f in fields(Agreement)}


@dataclass(frozen=True)
class Task:
    """A claims file to be checked: what it is made from, and where its numbers are kept ("" for nowhere)."""

    file: str
    paper: str
    title: str
    made_from: str
    kept: str
    options: Mapping[str, Any]
    force: bool = False


def claims_files(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Claims files and shipped papers, those of folders in the order of their names; and what was left out."""
    found: list[str] = []
    left: list[str] = []
    for name in names:
        if name in shipped() or not os.path.isdir(name):
            found.append(name)
            continue
        top, before = os.path.realpath(name), len(found)
        for folder, folders, files in os.walk(name):
            folders.sort()
            for file in sorted(f for f in files if f.endswith(SUFFIX)):
                path = os.path.join(folder, file)
                inside = os.path.commonpath([top, os.path.realpath(path)]) == top
                (found if inside else left).append(path if inside else f"{path}: a link out of {name}; not followed")
            left += [
                f"{os.path.join(folder, f)}: a link to a folder; not followed"
                for f in folders
                if os.path.islink(os.path.join(folder, f))
            ]
            if len(found) - before > MOST_FILES:
                raise InputError(f"{name}: more than {MOST_FILES:,} files *{SUFFIX}; name its folders one by one")
        if len(found) == before:
            raise InputError(f"{name}: no file *{SUFFIX} in this folder or below it; expected claims files")
    return list(dict.fromkeys(found)), left


def planned(
    files: Sequence[str], options: Mapping[str, Any], out: str = "", force: bool = False
) -> list[Task | CheckedPaper]:
    """Of each file what is to be done, or why it cannot be: it is not understood, or its paper is another's too."""
    made = [_planned(file, options, out, force) for file in files]
    by_id: dict[str, list[str]] = {}
    for task in made:
        if isinstance(task, Task):
            by_id.setdefault(task.paper, []).append(task.file)
    return [
        CheckedPaper.refused(
            t.file, t.paper, f"the id {t.paper!r} is that of {' and of '.join(by_id[t.paper])}; give each its own"
        )
        if isinstance(t, Task) and len(by_id[t.paper]) > 1
        else t
        for t in made
    ]


def _planned(file: str, options: Mapping[str, Any], out: str, force: bool) -> Task | CheckedPaper:
    import pairproof

    try:
        paper = data_from(read_paper(file), options.get("data"), options.get("data_limit"))
        claims = read_file(shipped().get(file, Path(file)), "a claims file", most=MOST_CLAIMS)
        r = shutil.which("R") if options.get("r") not in ("none", "recorded") else None
        known = [hashlib.sha256(claims).hexdigest(), digests(paper), pairproof.__version__, r, sorted(options.items())]
        made_from = hashlib.sha256(json.dumps(known, default=str).encode()).hexdigest()
    except (PairproofError, OSError) as error:
        return CheckedPaper.refused(file, os.path.basename(file).removesuffix(SUFFIX), str(error))
    kept = os.path.join(out, f"{_file_name(paper.id)}.json") if out else ""
    return Task(file, paper.id, paper.title, made_from, kept, options, force)


def _file_name(paper: str) -> str:
    """The id as the name of a file: as it is, or what is plain of it and a few digits that tell it from others."""
    if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,79}", paper) and paper != "index":
        return paper
    plain = re.sub(r"[^A-Za-z0-9]+", "-", paper)[:60].strip("-")
    return f"{plain or 'paper'}-{hashlib.sha256(paper.encode()).hexdigest()[:8]}"


def checked(tasks: Sequence[Task], workers: int) -> Iterator[CheckedPaper]:
    """The papers as they are done, kept ones first; a page and a JSON of each are written at once."""
    todo = []
    for task in tasks:
        kept = None if task.force else _taken_over(task)
        if kept is None:
            todo.append(task)
        else:
            yield kept
    if workers == 1 or len(todo) == 1:
        yield from map(_checked, todo)
        return
    for task, paper in as_they_come(_checked, todo, workers):
        why = "its process ended before its work did: the system may have killed it for want of memory"
        yield paper or CheckedPaper.refused(task.file, task.paper, why)


def _checked(task: Task) -> CheckedPaper:
    try:
        with warnings.catch_warnings(record=True) as caught:
            found = run(task.file, **task.options)
        warned = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, PairproofWarning))
        paper = replace(_of_run(task, found), warned=tuple(warned))
        if task.kept:
            _keep(task, paper, found)
        return paper
    except (PairproofError, OSError) as error:
        why = str(error)
    except MemoryError:
        why = "out of memory"
    except Exception as error:
        why = f"a defect of pairproof, not of this file: {type(error).__name__}: {' '.join(str(error).split())}"
    return CheckedPaper.refused(task.file, task.paper, why)


def _of_run(task: Task, found: Verification) -> CheckedPaper:
    explained = [f for f in getattr(found, "found", ()) if f.explanations and not f.plain]
    chances = [f.chance_of_100 / 100 for f in explained if not math.isnan(f.chance_of_100)]
    rows, versions = tuple(found), dict(found.context.versions)
    page = Path(task.kept).with_suffix(".html").name if task.kept else ""
    of_search = {"by_chance": math.fsum(chances), "searched": len(chances)}
    return CheckedPaper(task.file, task.paper, task.title, rows, versions=versions, page=page, **of_search)


def _keep(task: Task, paper: CheckedPaper, found: Verification) -> None:
    beside = Path(task.kept)
    context = replace(found.context, command=f"pairproof check {task.file}")
    output(paper.rows, context).write(beside.with_suffix(".html"), force=task.force)
    entries = [
        a.to_dict() | {n: v for n, v in vars(a).items() if n not in a.to_dict() and v != _FIELDS[n]}
        for a in paper.rows
    ]
    document = to_document(paper.rows) | {"agreements": entries, "paper": paper.paper}
    document |= {n: getattr(paper, n) for n in _KEPT} | {"made_from": task.made_from}
    write(beside, json_text(document) + "\n", force=task.force)


def _taken_over(task: Task) -> CheckedPaper | None:
    """What is kept of this paper, if it was made from the same; None also if it is not as it was written."""
    file = Path(task.kept)
    if not task.kept or not file.is_file() or not file.with_suffix(".html").is_file():
        return None
    try:
        kept = parsed(read_file(file, most=MOST_KEPT).decode(), task.kept)
        if kept["made_from"] != task.made_from:
            return None
        rows = tuple(Agreement(**{n: v for n, v in entry.items() if n in _FIELDS}) for entry in kept["agreements"])
        return CheckedPaper(task.file, task.paper, rows=rows, taken_over=True, **{n: kept[n] for n in _KEPT})
    except (PairproofError, ValueError, KeyError, TypeError, AttributeError):
        return None
