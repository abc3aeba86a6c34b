"""`pairproof check` of several papers or a folder of them, and the attachment for a referee's report of one."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..state import COUNT, WRITTEN, State, options, watched_work
from .verifying import check_papers, of_run

if TYPE_CHECKING:
    from ...validation.report.verification import Verification

OF_MANY = ("out", "workers", "attachment")
many_options = options(
    "Papers",
    {
        "--out FOLDER": "Write an index (index.html, index.csv), and a page and a JSON file for each paper when it"
        " is done. Results with the same claims, data, options and version are reused, so the same command continues after"
        " an interruption; --force checks everything again.",
        "--workers N": "Number of processes for several papers (default: one per processor).",
        "--attachment FILE": "One page for a referee's report on one paper (.html, .md): each finding in a"
        " neutral sentence, what was not checked, and how to reproduce it.",
    },
    workers=COUNT,
    attachment=WRITTEN,
)


def check_files(
    state: State,
    files: tuple[str, ...],
    out: str | None,
    workers: int | None,
    attachment: str | None,
    **asked: Any,
) -> int:
    """Check one paper as ever; several, a folder, or one for `out`, with a line a paper."""
    one = len(files) == 1 and not os.path.isdir(files[0]) and out is None
    if attachment is not None and not one:
        raise click.UsageError("--attachment is for one paper; name one claims file, without --out.")
    if attachment is not None and Path(attachment).suffix.lower() not in (".html", ".md"):
        raise click.UsageError(f"--attachment {attachment}: expected a name that ends in .html or .md.")
    if one:
        after = None if attachment is None else partial(_attach, state, files[0], attachment, asked)
        return check_papers(state, files, **asked, after=after)
    folder = None if out is None else Path(out)
    if folder is not None:
        folder.mkdir(exist_ok=True)
    return _check_many(state, files, folder, workers or os.cpu_count() or 1, **asked)


def _check_many(
    state: State,
    names: tuple[str, ...],
    out: Path | None,
    workers: int,
    require_r: bool,
    full: bool,
    **asked: Any,
) -> int:
    from ...validation.check.many import Task, checked, claims_files, planned
    from ...validation.report.index import context_of, index_screen
    from ...validation.report.rendering import output, render_text
    from ...validation.verdicts.agreement import exit_code, to_document

    files, notes = claims_files(names)
    plan = planned(files, of_run(**asked), out, state.force)
    done = {paper.file: paper for paper in plan if not isinstance(paper, Task)}
    interrupted = False
    try:
        # On a terminal only: elsewhere the estimate of a duration would be another line of standard error.
        with watched_work(state if sys.stderr.isatty() else State(quiet=True), "papers") as advance:
            for paper in checked([task for task in plan if isinstance(task, Task)], workers):
                done[paper.file] = paper
                advance(len(done), len(plan))
    except KeyboardInterrupt:
        interrupted = True
        kept = (
            f"are saved in {out}; run the same command to continue"
            if out
            else "are shown; use --out FOLDER to save them"
        )
        notes.append(f"interrupted: {len(done)} of {len(files)} papers {kept}")
    papers = [done[file] for file in files if file in done]
    if out is not None:
        _write_index(state, out, papers, notes)
    rows = [a for paper in papers for a in paper.rows]
    found = output(rows, context_of(papers, notes))
    screen = (
        partial(render_text, rows, context_of(papers, notes))
        if full
        else partial(index_screen, papers, notes)
    )
    document = to_document(rows) | {"papers": [paper.line for paper in papers]}
    state.give_beside(found, document, screen)
    if interrupted:
        state.say(notes[-1])
        return 130
    return exit_code(rows, require_r)


def _write_index(state: State, out: Path, papers: Any, notes: list[str]) -> None:
    from ...files.outputs import write
    from ...report.output import render_html
    from ...validation.report.index import index_csv, index_page

    csv, header = index_csv(papers), index_csv(()).strip().encode()
    write(out / "index.html", render_html(index_page(papers, notes, True)), force=state.force)
    write(out / "index.csv", csv, force=state.force, known=lambda there: there.startswith(header))
    state.say(f"index: {out / 'index.html'}")


def _attach(state: State, file: str, attachment: str, asked: dict[str, Any], found: Verification) -> None:
    import hashlib

    from ...report.output import Output
    from ...validation.check.claims_file import read_paper
    from ...validation.claims.data import data_from, digests
    from ...validation.report import attachment as page

    paper = data_from(read_paper(file), asked["data"], asked["data_limit"])
    hashes = {"": hashlib.sha256(Path(paper.source).read_bytes()).hexdigest(), **digests(paper)}
    made = page.attachment(paper, found, hashes, found.context.versions, state.again)
    Output(lambda: made, lambda: "").write(Path(attachment), force=state.force)
    state.say(f"attachment: {attachment}")
