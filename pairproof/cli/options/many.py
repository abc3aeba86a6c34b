"""`pairproof check` of several papers or a folder of them, and the attachment for a referee's report of one."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..state import COUNT, WRITTEN, State, options, progress_bar
from .verifying import check_papers

if TYPE_CHECKING:
    from ...validation.report.index import Index
    from ...validation.report.verification import Verification

OF_MANY = ("out", "workers", "attachment")
many_options = options(
    "Papers",
    {
        "--out FOLDER": "Write an index (index.html, index.csv), and a page and a JSON of each paper, as they are done;"
        " what is there of the same claims, data, options and version is taken over, so that the same command goes on"
        " after an interruption. --force checks all anew.",
        "--workers N": "Number of processes for several papers (default: one a processor).",
        "--attachment FILE": "One page for a referee's report on one paper (.html, .md): each finding in a neutral"
        " sentence, what was not checked, and how to make it again.",
    },
    workers=COUNT,
    attachment=WRITTEN,
)


def check_files(
    state: State, files: tuple[str, ...], out: str | None, workers: int | None, attachment: str | None, **asked: Any
) -> int:
    """Check one paper as ever; several, a folder, or one for `out`, with a line a paper."""
    one = len(files) == 1 and not os.path.isdir(files[0])
    if attachment is not None:
        if not one or out is not None:
            raise click.UsageError("--attachment is of one paper; name one claims file, without --out.")
        if Path(attachment).suffix.lower() not in (".html", ".md"):
            raise click.UsageError(f"--attachment {attachment}: expected a name that ends in .html or .md.")
        after = partial(_attach, state, files[0], attachment, asked=asked)
        return check_papers(state, files, **asked, after=after)
    if one and out is None:
        return check_papers(state, files, **asked)
    return _check_many(state, files, out, workers or os.cpu_count() or 1, **asked)


def _check_many(
    state: State, names: tuple[str, ...], out: str | None, workers: int, require_r: bool, full: bool, **asked: Any
) -> int:
    from ...validation.check.many import Task, checked, claims_files, planned
    from ...validation.report.index import CheckedPaper, Index

    if out is not None:
        Path(out).mkdir(exist_ok=True)
    files, notes = claims_files(names)
    plan = planned(files, asked, out or "", state.force)
    tasks = [task for task in plan if isinstance(task, Task)]
    done = {paper.file: paper for paper in plan if isinstance(paper, CheckedPaper)}
    quiet = state.quiet or not sys.stderr.isatty()
    interrupted = False
    try:
        with contextlib.nullcontext() if quiet else progress_bar("papers") as advance:
            for paper in checked(tasks, workers):
                done[paper.file] = paper
                if advance is not None:
                    advance(len(done), len(plan), paper.paper)
    except KeyboardInterrupt:
        interrupted = True
    papers = tuple(done[file] for file in files if file in done)
    found = Index(papers, tuple(notes), len(files) - len(papers), require_r)
    if out is not None:
        _write_index(state, Path(out), found)
    state.give_output(found.output(full), found.document)
    if not interrupted:
        return found.exit_code
    kept = f"are kept in {out}; the same command goes on" if out else "are above; --out FOLDER keeps them and goes on"
    state.say(f"interrupted: {len(papers)} of {len(files)} papers {kept}")
    return 130


def _write_index(state: State, out: Path, found: Index) -> None:
    from ...files.outputs import write
    from ...report.output import render_html

    header = found.csv().partition("\n")[0].removesuffix(",guarded").encode()
    write(out / "index.html", render_html(found.page(linked=True)), force=state.force)
    write(out / "index.csv", found.csv(), force=state.force, known=lambda there: there.startswith(header))
    state.say(f"index: {out / 'index.html'}")


def _attach(state: State, file: str, attachment: str, found: Verification, asked: dict[str, Any]) -> None:
    import hashlib

    from ...report.output import render_html, render_markdown
    from ...validation.check.claims_file import read_paper
    from ...validation.claims.data import data_from, digests
    from ...validation.report import attachment as page

    paper = data_from(read_paper(file), asked["data"], asked["data_limit"])
    hashes = {"": hashlib.sha256(Path(paper.source).read_bytes()).hexdigest(), **digests(paper)}
    again = shlex.join(("pairproof", "check", *state.typed))
    made = page.attachment(paper, found, hashes, found.context.versions, again)
    render = render_html if attachment.lower().endswith(".html") else render_markdown
    state.write(Path(attachment), render(made))
    state.say(f"attachment: {attachment}")
