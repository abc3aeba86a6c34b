"""`pairproof claims new TABLE`: start a claims file from a table of comparisons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...fit.estimates.specification import ANSWER_FAMILIES, FAMILIES
from ..options.modelling import contest_options, model_options, stated
from ..options.reading import Reading, mapping_of, names_or_none
from ..options.respondents import check, either_options
from ..state import KEPT, NOT_NEGATIVE, READ, SectionedCommand, State, choice, options, shared_options

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...data.respondents.respondents import Respondents
    from ...validation.claims.paper import ModelClaim


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
    """Claims files: start one from a table, and have an editor check it."""
    if context.invoked_subcommand is None:
        raise click.UsageError("claims needs a subcommand: pairproof claims new TABLE.", context)


@command.command("new", cls=SectionedCommand, short_help="Start a claims file from a table of comparisons.")
@click.argument("table", metavar="TABLE", type=READ)
@options(
    "Claims file",
    {
        "--out FILE.claims.toml": ("Write there (default: standard output).", KEPT),
        "--id ID": ("Id of the paper, such as firth-2005 (default: the file's name).", {"name": "paper"}),
        "--title": ("Title of the paper.", ""),
        "--from FILE": "The printed numbers: a table (CSV, LaTeX, HTML, Markdown, text) or the output of a program.",
        "--heading KIND=HEADING": "With --from, the heading of a kind of number (estimate, se, z, p, worth, low, high,"
        " ...), if it is ambiguous; repeatable.",
    },
    from_={"type": READ, "name": "printed"},
    heading={"multiple": True, "callback": mapping_of("estimate=Ability")},
)
@options(
    "Model",
    {
        "--model": "llbt (default), bradley-terry: for comparisons, as in 'pairproof fit'. plackett-luce, pattern: for"
        " rankings and response patterns, as in 'pairproof fit-answers' (no default; see 'pairproof check').",
        "--by FORMULA": ("Subject covariates.", ""),
        "--cells COL,...|row": ("Finer table for deviance and df.", {"callback": names_or_none}),
        "--npseudo N": ("plackett-luce: pseudo-rankings (R: 0.5).", NOT_NEGATIVE),
    },
    model=choice(*FAMILIES, *ANSWER_FAMILIES, name="family"),
)
@model_options
@contest_options
@either_options
@shared_options
def new(
    state: State,
    table: str,
    out: Any,
    paper: str | None,
    title: str,
    reading: Reading[Any],
    printed: str | None,
    heading: dict[str, str] | None,
    **model: Any,
) -> None:
    """Start a claims file from the comparisons or rankings in TABLE (CSV, TSV, Parquet, Arrow; - for standard input).

    The file names the data and the model, and has a place for every number that a paper may print. Fill in the
    printed numbers, then run 'pairproof check' on the file. With --from they are filled in from a printed table or
    output of R, Stata or SAS, and the parts of the model that are not stated are inferred from them.

    \b
    pairproof claims new votes.csv --out mine.claims.toml
    pairproof claims new --from printed.txt counts.csv --out mine.claims.toml
    pairproof claims new counts.csv --model bradley-terry --reference Baltimore --out firth.claims.toml
    pairproof claims new salad.csv --model plackett-luce --layout ranks --items A,B,C,D --out salad.claims.toml
    """
    from ...data.comparisons import Comparisons
    from ...validation.check.draft import draft
    from ...validation.claims import SUFFIX
    from ...validation.claims.paper import ModelClaim
    from ...validation.printed.beside import claims_of, read_pages

    state.no_report("verdicts, which 'pairproof check' gives; 'claims new' writes to --out.")
    out = None if out is None else Path(out)
    if out is not None and not out.name.endswith(SUFFIX):
        raise click.UsageError(
            f"--out {out}: the name of a claims file must end in {SUFFIX}, so that pytest recognises it."
        )
    name = paper or (out.name[: -len(SUFFIX)] if out else Path(table).stem if table != "-" else "paper")
    votes = _of_one_track(table, reading, model["by"])
    if not printed:
        model["family"] = model["family"] or ("llbt" if isinstance(votes, Comparisons) else "")
    keys: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in stated(model).items()}
    claim = ModelClaim(**keys)
    for message, key, *_ in claim.faults():
        raise click.UsageError(f"--{key.replace('_', '-')}: {message}.")
    _check_levels_used(reading, votes, claim)
    if heading and not printed:
        raise click.UsageError("--heading is for a printed table; add --from FILE.")
    if printed:
        pages = read_pages(printed, votes, keys, heading or {})
        for sentence in (sentence for page in pages for sentence in page.sentences):
            state.say(sentence)
        found = claims_of(pages, votes, name, title)
    else:
        found = draft(votes, claim, name, title)
    files = {} if out is None else {out: found.claims}
    if out is not None and found.csv:
        files[out.parent / found.csv_name] = found.csv
    if out is None and found.csv:
        raise click.UsageError(
            f"{table} is too long to be copied into a claims file; --out FILE{SUFFIX} writes its"
            " counts to a file next to it."
        )
    there = [str(path) for path in files if path.exists()]
    if there and not state.force:
        raise click.UsageError(
            f"{', '.join(there)} already exists; choose another --out, or --force to overwrite it."
        )
    for path, text in files.items():
        state.write(path, text)
    names = [*map(str, files)]
    then = f"{found.n_numbers} {'numbers read' if printed else 'parameters to fill in'}; then pairproof check {out}"
    words = found.claims.rstrip("\n") if out is None else f"{', '.join(names)}: {then}"
    claims = None if files else found.claims
    state.show(words, {"files": names, "parameters": found.n_numbers, "claims": claims})


def _of_one_track(file: str, reading: Reading[Any], by: str) -> Comparisons | Respondents:
    """The table of the claims, rankings as they are; a claims file has no tracks."""
    import pairproof

    from ...data.comparisons import Comparisons
    from ...data.judgments import check_one_track

    table: Comparisons | Respondents = reading.of(file)
    if isinstance(table, Comparisons) and table.ranked_together and "layout" not in reading.stated:
        if file == "-":
            raise click.UsageError("these are rankings, which are read as they are: use --layout rankings.")
        check("rankings", {name: value for name, value in reading.stated.items() if name != "where"}, file)
        table = pairproof.read_respondents(file, layout="rankings", **reading.stated)
    check_one_track(table, by, each=False)
    return table


@command.command("schema", cls=SectionedCommand, short_help="Write the JSON schema of claims files.")
@options("Claims file", {"--out FILE": "Write there (default: standard output)."}, out=KEPT)
@shared_options
def schema(state: State, out: Any) -> None:
    """Write the JSON schema of claims files, with which an editor completes keys and marks mistakes.

    The first line of a claims file names it: #:schema ./claims.schema.json

    \b
    pairproof claims schema --out claims.schema.json
    """
    from ...files.packaged import packaged_json, packaged_text

    at = ("pairproof.validation.claims", "claims.schema.json")
    state.no_report("verdicts, which 'pairproof check' gives; 'claims schema' writes to --out.")
    if out is not None:
        state.write(Path(out), packaged_text(*at))
    state.show(packaged_text(*at).rstrip() if out is None else f"{out}: written", packaged_json(*at))


def _check_levels_used(reading: Reading[Any], table: Comparisons | Respondents, model: ModelClaim) -> None:
    """Refuse --levels of a column that is not written, where it would have no effect."""
    said = " ".join((model.by, model.formula, *model.cells, *model.comparison_terms, *model.item_terms))
    for name in reading.stated.get("levels", {}):
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) and name not in table.item_data:
            raise click.UsageError(f"--levels {name}=... has no effect: the model does not use {name}.")
