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
from typing import Any

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
from .claims_file import read_paper
from .recompute import run
from .shipped import shipped

#: Claims files in a folder; more are asked for in parts.  Bytes of kept numbers: the largest paper has 3 MB.
MOST_FILES, MOST_KEPT = 10_000, 256 * 1024**2
_KEPT = ("title", "searched", "by_chance", "warned", "page")
_FIELDS = {f.name for f in fields(Agreement)}


@dataclass(frozen=True)
class Task:
    """A claims file to be checked: what it is made from, and where its numbers are kept (None for nowhere)."""

    file: str
    paper: str
    made_from: str
    kept: Path | None
    options: Mapping[str, Any]
    force: bool


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
            paths = [os.path.join(folder, file) for file in sorted(files) if file.endswith(SUFFIX)]
            out = [p for p in paths if os.path.commonpath([top, os.path.realpath(p)]) != top]
            out += [path for f in folders if os.path.islink(path := os.path.join(folder, f))]
            found += [path for path in paths if path not in out]
            left += [f"{path}: a symbolic link, not followed" for path in out]
        if not 0 < len(found) - before <= MOST_FILES:
            raise InputError(f"{name}: {len(found) - before:,} files *{SUFFIX}; expected 1 to {MOST_FILES:,}")
    return list(dict.fromkeys(found)), left


def planned(
    files: Sequence[str], options: Mapping[str, Any], out: Path | None = None, force: bool = False
) -> list[Task | CheckedPaper]:
    """Of each file what is to be done, or why it cannot be: it is not understood, or its paper is another's too."""
    made = [_planned(file, options, out, force) for file in files]
    tasks = [task for task in made if isinstance(task, Task)]
    plan: list[Task | CheckedPaper] = []
    for task in made:
        same = [t.file for t in tasks if t.paper == task.paper] if isinstance(task, Task) else []
        why = f"{' and '.join(same)} have the same id {task.paper!r}; ids must be distinct"
        plan.append(CheckedPaper.refused(task.file, task.paper, why) if len(same) > 1 else task)
    return plan


def _planned(file: str, options: Mapping[str, Any], out: Path | None, force: bool) -> Task | CheckedPaper:
    import pairproof

    try:
        paper = data_from(read_paper(file), options.get("data"), options.get("data_limit"))
        digest = hashlib.sha256(read_file(paper.source)).hexdigest()
        r = shutil.which("R") if options.get("r") not in ("none", "recorded") else None
        known = [digest, digests(paper), pairproof.__version__, r, sorted(options.items())]
    except (PairproofError, OSError) as error:
        return CheckedPaper.refused(file, os.path.basename(file).removesuffix(SUFFIX), str(error))
    made_from = hashlib.sha256(json.dumps(known, default=str).encode()).hexdigest()
    kept = None if out is None else out / f"{_file_name(paper.id)}.json"
    return Task(file, paper.id, made_from, kept, options, force)


def _file_name(paper: str) -> str:
    """The id as the name of a file: as it is, or what is plain of it and a few digits that distinguish it from
    others."""
    if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,79}", paper) and paper != "index":
        return paper
    plain = re.sub(r"[^A-Za-z0-9]+", "-", paper)[:60].strip("-")
    return f"{plain}-{hashlib.sha256(paper.encode()).hexdigest()[:8]}"


def checked(tasks: Sequence[Task], workers: int) -> Iterator[CheckedPaper]:
    """The papers as they are done, kept ones first; a page and a JSON of each are written at once."""
    todo = []
    for task in tasks:
        kept = _taken_over(task)
        if kept is None:
            todo.append(task)
        else:
            yield kept
    if workers == 1 or len(todo) == 1:
        yield from map(_checked, todo)
        return
    why = "its process ended early: the system may have stopped it because memory ran out"
    for task, paper in as_they_come(_checked, todo, workers):
        yield paper or CheckedPaper.refused(task.file, task.paper, why, "native-not-run")


def _checked(task: Task) -> CheckedPaper:
    try:
        return _kept(task)
    except (InputError, OSError) as error:
        return CheckedPaper.refused(task.file, task.paper, str(error))
    except PairproofError as error:
        why = str(error)
    except MemoryError:
        why = "out of memory"
    except Exception as error:
        said = " ".join(str(error).split())
        why = f"a bug in pairproof, not in this file: {type(error).__name__}: {said}"
    return CheckedPaper.refused(task.file, task.paper, why, "native-not-run")


def _kept(task: Task) -> CheckedPaper:
    """The paper, checked, and its page and numbers kept."""
    with warnings.catch_warnings(record=True) as caught:
        found = run(task.file, **task.options)
    if found.interrupted:
        raise KeyboardInterrupt
    of_100 = [getattr(f, "chance_of_100", math.nan) for f in found.found if f.explanations and not f.plain]
    chances = [chance / 100 for chance in of_100 if not math.isnan(chance)]
    warned = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, PairproofWarning))
    title = found.context.subtitle
    of_search = (len(chances), math.fsum(chances), tuple(warned))
    paper = CheckedPaper(task.file, task.paper, title, tuple(found), "", *of_search)
    if task.kept is None:
        return paper
    page = task.kept.with_suffix(".html")
    paper = replace(paper, page=page.name)
    context = replace(found.context, command=f"pairproof check {task.file}")
    output(paper.rows, context).write(page, force=task.force)
    document = to_document(paper.rows) | {"paper": paper.paper, "made_from": task.made_from}
    document |= {name: getattr(paper, name) for name in _KEPT}
    write(task.kept, json_text(document) + "\n", force=task.force)
    return paper


def _taken_over(task: Task) -> CheckedPaper | None:
    """What is kept of this paper, if it was made from the same; None also if it is not as it was written."""
    file = task.kept
    if file is None or task.force or not file.is_file() or not file.with_suffix(".html").is_file():
        return None
    try:
        kept = parsed(read_file(file, most=MOST_KEPT).decode(), str(file))
        rows = tuple(Agreement(**{n: v for n, v in a.items() if n in _FIELDS}) for a in kept["agreements"])
        paper = CheckedPaper(task.file, task.paper, rows=rows, taken_over=True, **{n: kept[n] for n in _KEPT})
        return paper if kept["made_from"] == task.made_from else None
    except (PairproofError, ValueError, KeyError, TypeError, AttributeError):
        return None
