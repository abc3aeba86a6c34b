"""`pairproof claims new TABLE`: start a claims file from a table of comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...fit.estimates.specification import FAMILIES, TIES_IN_WORDS
from ..options.reading import Reading, mapping_of, reader_options_of_all_tracks
from ..state import KEPT, READ, SectionedCommand, State, choice, options, shared_options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons


HELP = """Start a claims file from the comparisons in TABLE (CSV, TSV, Parquet, Arrow; - for standard input).

The file names the data and the model, and has a place for every number that a paper may print. Fill in the printed
numbers, then run 'pairproof check' on the file. With --from the numbers of a printed table, or of what R, Stata or SAS
print, stand in it, and what is not stated of the model is found from them.

\b
pairproof claims new votes.csv --out mine.claims.toml
pairproof claims new --from printed.txt counts.csv --out mine.claims.toml
pairproof claims new counts.csv --model bradley-terry --reference Baltimore --out firth.claims.toml
"""


EPILOG = """\b
pairproof claims new votes.csv --out mine.claims.toml

It takes --json, --report, --seed, --quiet and --debug like every command; see
pairproof claims new --help."""


@click.group(
    "claims",
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.pass_context
def command(context: click.Context) -> None:
    """Claims files: start one from a table."""
    if context.invoked_subcommand is None:
        raise click.UsageError("claims needs a subcommand: pairproof claims new TABLE.", context)


@command.command(
    "new", cls=SectionedCommand, help=HELP, short_help="Start a claims file from a table of comparisons."
)
@click.argument("table", metavar="TABLE", type=READ)
@options(
    "Claims file",
    {
        "--out FILE.claims.toml": "Write there (default: standard output).",
        "--id ID": "Id of the paper, such as firth-2005 (default: the file's name).",
        "--title": "Title of the paper.",
        "--from FILE": "The printed numbers: a table (CSV, LaTeX, HTML, Markdown, text) or the output of a program.",
        "--column KIND=HEADING": "With --from, the heading of a kind of number (estimate, se, z, p, worth, low, high,"
        " ...), where two could be it; repeatable.",
    },
    out=KEPT,
    id={"name": "paper"},
    title="",
    from_={"type": READ, "name": "printed"},
    column={"multiple": True, "callback": mapping_of("estimate=Ability")},
)
@options(
    "Model",
    {
        "--model": "As in 'pairproof fit' (default: llbt; with --from found from the numbers).",
        "--ties": "Default: davidson where there is a tie category, else none.",
        "--by FORMULA": "Subject covariates.",
        "--reference ITEM|sum": "The item whose ability is 0, or sum.",
        "--order-effect": "Add a parameter for the advantage of the item named first.",
        "--cells COL,...|row": "Finer table for deviance and df.",
    },
    model=choice(*FAMILIES, name="family"),
    ties=choice(*TIES_IN_WORDS),
    by="",
    reference="",
    cells="",
)
@reader_options_of_all_tracks
@shared_options
def new(
    state: State,
    table: str,
    out: Any,
    paper: str | None,
    title: str,
    reading: Reading[Comparisons],
    cells: str,
    printed: str | None,
    column: dict[str, str] | None,
    **model: Any,
) -> None:
    from ...validation.check.draft import draft
    from ...validation.claims import SUFFIX
    from ...validation.claims.paper import ModelClaim
    from ...validation.printed.beside import claims_of, read_pages

    state.no_report("verdicts, which 'pairproof check' gives; 'claims new' writes to --out.")
    out = None if out is None else Path(out)
    if out is not None and not out.name.endswith(SUFFIX):
        raise click.UsageError(
            f"--out {out}: the name of a claims file must end in {SUFFIX}, by which pytest recognises it."
        )
    name = paper or (out.name[: -len(SUFFIX)] if out else Path(table).stem if table != "-" else "paper")
    data = _of_one_track(table, reading, model["by"])
    model["cells"] = tuple(c for c in cells.split(",") if c)
    if printed:
        stated = {key: value for key, value in model.items() if value not in (None, "", (), False)}
        pages = read_pages(printed, data, stated, column or {})
        for sentence in (sentence for page in pages for sentence in page.sentences):
            state.say(sentence)
        found = claims_of(pages, data, name, title)
    elif column:
        raise click.UsageError("--column is of a printed table; add --from FILE.")
    else:
        found = draft(data, ModelClaim(**{**model, "family": model["family"] or "llbt"}), name, title)
    files = {} if out is None else {out: found.claims}
    if out is not None and found.csv:
        files[out.parent / found.csv_name] = found.csv
    if out is None and found.csv:
        raise click.UsageError(
            f"{table} is too long to be copied into a claims file; --out FILE{SUFFIX} writes its counts to a"
            " file beside it."
        )
    there = [str(path) for path in files if path.exists()]
    if there and not state.force:
        raise click.UsageError(
            f"{', '.join(there)} exists already; choose another --out, or --force to overwrite it."
        )
    for path, text in files.items():
        state.write(path, text)
    names = [*map(str, files)]
    then = f"{found.n_numbers} {'numbers read' if printed else 'parameters to fill in'}; then pairproof check {out}"
    words = found.claims.rstrip("\n") if out is None else f"{', '.join(names)}: {then}"
    claims = None if files else found.claims
    state.show(words, {"files": names, "parameters": found.n_numbers, "claims": claims})


def _of_one_track(file: str, reading: Reading[Comparisons], by: str) -> Comparisons:
    """The table of the claims; a claims file has no tracks."""
    from ...data.judgments import check_one_track

    table = reading.of(file)
    check_one_track(table, by, each=False)
    return table
