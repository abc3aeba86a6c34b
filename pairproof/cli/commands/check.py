"""`pairproof check`: claims files, the user's own or those that come with the package, one or many, and printed tables
beside their data; and the attachment for a referee's report of one paper.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...fit.estimates.specification import FAMILIES, TIES_IN_WORDS
from ..options.reading import (
    DROP,
    LAYOUTS,
    ORDERS,
    STYLES,
    Reading,
    cluster_options,
    comparisons,
    mapping_of,
    parsed,
    rating_of,
    read_as,
    reading_options,
    taken,
    where_option,
)
from ..options.verifying import (
    check_papers,
    give_verdicts,
    of_run,
    paper_options,
    stated,
    verdict_options,
    watched,
)
from ..state import COUNT, READ, SHARE, WRITTEN, State, choice, options, sectioned, watched_work

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...validation.report.verification import Verification

_READING = {
    "layout": "Layout of the votes; default: recognised from their columns.",
    "columns": "Name of a column in the votes, for example winner=verdict; repeatable.",
    "items": "Order of the items (default: numeric if all are numbers, else by code point).",
    "rename": "Another name for a model of the votes; repeatable.",
    "tie_category": "Whether judges could answer 'no preference' (default: depends on the layout).",
    "pair_order": f"Layout prefmod: {ORDERS}",
    "pairs": "Layout prefmod: the columns that are pairs.",
    "coding": "The codes for first, tie, second and both_bad.",
    "winner": "Layout matrix: whether the row or the column won.",
    "record": "Layout matrix: what the three numbers of a cell such as 14-2-7 are.",
    "encoding": "Encoding of a text file, such as latin-1 (default: UTF-8).",
    "drop": DROP,
}
_OF_TABLE = (
    *("family", "ties", "reference", "scale", "heading", "order_effect", "cluster", "kind"),
    *("anchor", "mean", "expected", "style", "level", "sided"),
)
#: Endings of files that are no claims files.
_TABLES = (".csv", ".tsv", ".txt", ".tex", ".html", ".htm", ".md")


OF_MANY = ("out", "workers", "attachment")
many_options = options(
    "Papers",
    {
        "--out FOLDER": "Write an index (index.html, index.csv), and a page and a JSON file for each paper when it"
        " is done. Results with the same claims, data, options and version are reused, so the same command continues after"
        " an interruption; --force checks everything again.",
        "--workers N": ("Number of processes for several papers (default: one per processor).", COUNT),
        "--attachment FILE": "One page for a referee's report on one paper (.html, .md): each finding in a"
        " neutral sentence, what was not checked, and how to reproduce it.",
    },
    attachment=WRITTEN,
)


@sectioned("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=READ)
@options(
    "A printed table",
    {
        "--votes FILE": ("The comparisons of the table in FILE, whose numbers are then checked.", READ),
        "--model": "As in 'pairproof fit' (default: inferred from the numbers, as are ties, reference and scale).",
        "--ties": ("How it treats ties (default for a board: half).", choice(*TIES_IN_WORDS)),
        "--reference ITEM|sum": ("The item whose ability is 0, or sum.", ""),
        "--scale": "Scale of its numbers; elo: ratings in points; any: a free factor and constant.",
        "--heading KIND=HEADING": "The heading of a kind of number (estimate, se, z, p, worth, low, high,"
        " ...), if ambiguous; repeatable.",
        "--anchor MODEL=RATING": "Board: the model whose rating is fixed (default: the mean of all ratings is 1000).",
        "--mean POINTS": ("Board: the mean of the ratings, without an anchor (default: 1000).", float),
        "--expected": "Board: ratings from abilities (default), or from expected scores.",
        "--order-effect": "The table adjusts for which answer was shown first.",
        "--style COL[,COL]": "Board: covariates of the two answers that it adjusts for, as in pairproof leaderboard.",
        "--sided": ("Sides of its p-values (default: as their heading says, else 2).", choice("1", "2")),
        "--level": (
            "Board: the level of limits and rank sets (default: 0.95); for other limits the usual levels are tried.",
            SHARE,
        ),
    },
    model=choice(*FAMILIES, name="family"),
    scale=choice("lambda", "log-odds", "elo", "any"),
    heading={"multiple": True, "callback": mapping_of("estimate=Ability")},
    anchor={"callback": parsed(rating_of)},
    expected=choice("ability", "score"),
    style=STYLES,
)
@cluster_options("A printed table", "Clusters of its standard errors (default, and none: single votes).")
@reading_options("Reading the votes", LAYOUTS, _READING)
@where_option
@many_options
@verdict_options
@paper_options
def command(state: State, files: tuple[str, ...], votes: str | None, **asked: Any) -> int:
    """Check claims files: do the paper's data reproduce its printed numbers, and does R agree?

    If a number is not reproduced, known slips of reading, model, scale and print are tried, and one that reproduces
    all numbers of the claim is named (pairproof explain lists them all).

    Each FILE is a claims file (*.claims.toml), a folder of them, or the name of a paper that comes with pairproof.
    Several papers give one line each; one that cannot be read does not stop the others (exit code 3). With --votes,
    FILE is a printed table or leaderboard (CSV, LaTeX, HTML, Markdown, text) or output of R, Stata or SAS. Each
    number gets a verdict; a model that is not stated is inferred from the numbers.

    \b
    pairproof check my-paper.claims.toml
    pairproof check my-paper.claims.toml --attachment for-the-editor.html
    pairproof check papers/ --out checked/
    pairproof check firth-2005.claims.toml --r none --json
    pairproof check table.tex --votes wins.csv
    pairproof check leaderboard.csv --votes votes.parquet --anchor mixtral-8x7b=1114 --cluster judge
    """
    of_votes = read_as(asked, (*_READING, "where"))
    of_table = taken(asked, _OF_TABLE)
    if votes is None:
        stray = [
            f"--{name.replace('_', '-')}" for name, value in of_table.items() if value and name != "kind"
        ]
        if stray or any(of_votes.values()):
            raise click.UsageError(
                f"{(*stray, 'options of reading')[0]} is for a printed table; add --votes FILE."
            )
        if tables := [file for file in files if file.lower().endswith(_TABLES)]:
            raise click.UsageError(
                f"{tables[0]} is not a claims file; for a printed table add --votes FILE, or check only"
                f" its numbers: pairproof check-numbers {tables[0]}"
            )
        return _check_files(state, files, **asked)
    if given := next((name for name in OF_MANY if asked.pop(name)), ""):
        raise click.UsageError(f"--{given} is for claims files; omit --{given} or --votes.")
    if len(files) != 1 or files[0].endswith(".toml"):
        raise click.UsageError("--votes is for one printed table; claims files name their data.")
    if of_table["anchor"] and of_table["mean"] is not None:
        raise click.UsageError("--anchor and --mean contradict each other; omit one.")
    table = Reading(comparisons, of_votes).of(votes)
    if of_table["cluster"] == ("none",) and "none" not in table.columns:
        of_table["cluster"] = ()
    return _check_printed(state, files[0], table, of_table, asked)


def _check_printed(
    state: State, file: str, votes: Comparisons, of_table: dict[str, Any], asked: dict[str, Any]
) -> int:
    from ...boards.votes import Votes, styled
    from ...validation.printed.beside import check_printed

    anchor, at = of_table["anchor"] or (None, of_table["mean"])
    with_style = styled(Votes(votes), of_table["style"])
    given = {key: of_table[key] for key in ("family", "ties", "reference", "order_effect", "cluster")}
    of_board = {
        **{"anchor": anchor, "at": at, "expected": of_table["expected"]},
        "level": f"{of_table['level']:.15g}" if of_table["level"] else None,
        "comparison_terms": with_style.terms,
    }
    on_points = any(value not in (None, ()) for key, value in of_board.items() if key != "level")
    given |= {**of_board, "scale": of_table["scale"] or ("elo" if on_points else None)}
    given["cluster_kind"] = of_table["kind"] if of_table["cluster"] else None
    with watched(state) as progress:
        found = check_printed(
            file,
            with_style.table,
            {key: value for key, value in given.items() if value not in ("", None, (), False)},
            of_table["heading"] or {},
            r=asked["r"],
            progress=progress,
            explain=not asked["no_explain"],
            sided=int(of_table["sided"] or 0),
            **stated(immaterial=asked["immaterial"]),
        )
    for sentence in found.context.first_lines if state.json else ():
        state.say(sentence)
    return give_verdicts(state, found, asked["require_r"], asked["full"])


# -- claims files, a folder of them, or one with an attachment -----------------------------------------------


def _check_files(
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
