"""`easl init`, `import` and `texts`: make a campaign, and say what annotators see and who judges what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options.reading import mapping_of, taken
from ..state import COUNT, KEPT, POSITIVE, READ, SHARED, State, choice, gathered, options, stacked
from .judgments import ON_REPEAT, REJECTED, UNTERMINATED_FROM, counts, easl_command, warn

if TYPE_CHECKING:
    from ...campaign.page.texts import Texts


def texts_of_options(asked: dict[str, Any]) -> Texts:
    """The texts of the page from the options; files are read here."""
    from ...campaign.page.texts import read_examples, read_instructions, read_words, texts_of

    readers: dict[str, Callable[[str], Any]] = {
        "instructions": read_instructions,
        "examples": read_examples,
        "words": read_words,
    }
    given: dict[str, Any] = {name: read(asked[name]) for name, read in readers.items() if asked[name]}
    return texts_of(asked["question"], asked["anchors"], lang=asked["lang"], dir=asked["dir"], **given)


_text_options = options(
    "What annotators see",
    {
        "--question TEXT": ("Question about each item, such as 'How fluent?'.", ""),
        "--anchors LABELS": ("Labels of places on the line: '0=nonsense; 50=half of it; 100=all of it'.", ""),
        "--instructions FILE": ("Text file; blank lines separate paragraphs.", READ),
        "--examples FILE": ("CSV of scored examples: text, score, why.", READ),
        "--words FILE": ("JSON file with the page's own texts in your language.", READ),
        "--lang TAG": ("Language of these texts, such as de or ar-EG.", ""),
        "--dir": "Text direction (auto: that of the language).",
    },
    dir=choice("auto", "ltr", "rtl", default="auto"),
)

_design_options = stacked(
    options(
        "What annotators see",
        {
            "--text COLUMN": "Column of the item's text (default: sent).",
            "--show COLUMN": "Another column that annotators see; repeatable. Nothing else is shown to them.",
        },
        show={"multiple": True},
    ),
    options(
        "Design",
        {
            "--design": "same-source: a HIT contains the outputs of one source (column source).",
            "--judgments": ("Different annotators per HIT.", {"type": COUNT, "default": 1}),
            "--repeats SHARE": ("Share of slots that are repeats.", 0.0),
            "--degraded SHARE": ("Share of slots for degraded items.", 0.0),
            "--gold SHARE": "Share of slots for items of role gold; or the COLUMN of known scores (default: gold).",
            "--systems COLUMN": "Column that names each item's system (default: system).",
            "--col NAME=COLUMN": "Column used as role, of, source, system or gold; leave COLUMN empty for none.",
            "--qualify RULE": ("Required result in the qualification batch, such as 'spearman>=.5'.", ""),
            "--on-repeat": "Which answers count if an annotator answers a HIT more than once.",
            "--pay-hour AMOUNT": ("Pay per hour; 'status' computes the cost.", POSITIVE),
            "--partial": "Annotators may leave items of a HIT unanswered.",
        },
        design=choice("any", "same-source", name="arrange", default="any"),
        col={"multiple": True, "callback": mapping_of("system=engine", blank=True)},
        on_repeat={"type": ON_REPEAT, "default": "first"},
    ),
)


def _designed(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets the options of the design, and of texts, as `design` and `texts`."""
    from ...campaign.storage.design import Design

    written = taken(given, ("question", "anchors", "instructions", "examples", "words", "lang", "dir"))
    asked = taken(given, [f.name for f in fields(Design) if f.name in given])
    systems, gold = given.pop("systems"), asked.pop("gold")
    columns = {**({} if systems is None else {"system": systems}), **(given.pop("col") or {})}
    try:
        share = 0.0 if gold is None else float(gold)
    except ValueError:
        share, columns["gold"] = 0.0, gold
    text = asked.pop("text") or Design().text
    design = Design(text=text, gold=share, columns=columns, **asked)
    design.shown()  # a hidden column is refused before any file is read
    return command(design=design, texts=texts_of_options(written), **given)


design_options = gathered((_text_options, _design_options), _designed)


@easl_command("texts", "'easl status'; 'easl texts' shows the texts of the pages.", _text_options)
def texts(state: State, campaign: str, **asked: Any) -> None:
    """Show what annotators read beside the items; with options, replace the texts of one language.

    A campaign can have its texts in several languages; 'easl next --lang' says which a page has.
    """
    from ...campaign.page.texts import change_texts

    given = texts_of_options(asked)
    changes = any(asked[name] for name in ("question", "anchors", "instructions", "examples", "words"))
    rows = change_texts(campaign, given if changes else None)
    lines = [f"{name} ({lang or 'no language'}, {way}): {body}" for name, lang, way, body in rows]
    state.show("\n".join(lines) or f"{campaign}: no texts", [list(row) for row in rows])


METHODS = ("easl", "da", "ra", "trueskill", "random")
POOLS = ("paper", "keisks", "cjmay")


def _with_settings(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets how scores are computed as one argument, `settings`."""
    from ...native.annotation.methods import Settings

    return command(settings=Settings(**taken(given, ("gamma", "epsilon", "tie_within"))), **given)


_METHOD_OPTIONS = (
    options(
        "Method",
        {
            "--gamma": ("Skill-chain parameter of match quality, ra and trueskill.", 0.1),
            "--epsilon": ("Tie rate of ra and trueskill.", 0.1),
            "--tie-within": ("Two scores (0 to 1) are a tie if they differ by no more than this.", 0.0),
            "--pool": "Partners are chosen from the items that do not anchor a HIT (paper; keisks, which"
            " orders equal variances by id) or from all items (cjmay).",
        },
        pool=choice(*POOLS, default="paper"),
    ),
    options("Files", {"--encoding NAME": "Encoding of text files, such as latin-1 (default: UTF-8)."}),
)
_method_options = gathered(_METHOD_OPTIONS, _with_settings)


@easl_command(
    "init",
    "'easl status'; 'easl init' only writes the campaign.",
    click.argument("items", metavar="ITEMS.csv", type=READ),
    options(
        "Method",
        {
            "--method": "easl: efficient annotation of scalar labels; ra: bounded ranking; trueskill: unbounded;"
            " da: direct assessment; random: EASL's update with items chosen at random.",
            "--per-hit": ("Items in a HIT (the paper's da shows 1).", {"type": COUNT, "default": 5}),
            "--seconds": "Time per item, used for the hours and cost shown.",
        },
        method=choice(*METHODS, default="easl"),
        seconds={"type": POSITIVE, "default": 5.0},
    ),
    _method_options,
    design_options,
    campaign=KEPT,
)
def init(
    state: State, campaign: str, items: str, method: Any, per_hit: int, seconds: float, **asked: Any
) -> None:
    """Create CAMPAIGN.db from ITEMS.csv (columns id, sent and any others), and show what it will cost.

    Annotators see the text alone (--show adds columns). Columns role, of, source, system and gold of the
    items file say what an item is for; annotators never see these.
    """
    from ...campaign.creation import create, forecast

    made = create(campaign, items, method, per_hit, seed=state.seed, **asked)
    found = forecast(campaign, seconds)
    text = made.design.text
    taken_from = "" if text == "sent" else f"; annotators are shown the column {text!r}"
    state.show(
        f"{campaign}: campaign {made.id}, method {made.method}, {per_hit} items per HIT{taken_from}\n{found.sentences}",
        {"campaign": made.id, "method": made.method, "per_hit": per_hit, "seed": made.seed, **vars(found)},
    )


@easl_command(
    "import",
    "'easl status'; 'easl import' only writes the campaign.",
    click.argument("file", metavar="FILE", type=READ),
    click.argument("results", metavar="[RESULTS]...", nargs=-1, type=READ),
    options(
        "Method",
        {
            "--method": "Default: da for scores; for a model file easl (alpha and beta) or trueskill (mu and sigma)."
            " With easl, alpha and beta start from the imported scores, and 'easl next' continues from them.",
            "--per-hit": ("Items in a HIT (default: as in the results, otherwise 5).", COUNT),
        },
        method=choice(*METHODS),
    ),
    options(
        "Table of scores",
        {
            "--col NAME=COLUMN": "Column of a table used as annotator, item or score, or optionally as system, segment,"
            " text, hit or seconds; repeatable.",
            "--scale LOW HIGH": "Scale of the scores in a table, such as 1 5 (scores from 0 to 100 need none).",
            "--items ITEMS.csv": ("Texts of the items (columns id, sent); may contain further items.", READ),
            "--pair SRC-TRG": "Language pair of a table of scores that has several.",
        },
        col={"multiple": True, "callback": mapping_of("item=story", blank=True), "name": "columns"},
        scale={"type": float, "nargs": 2},
    ),
    options(
        "Files",
        {
            "--model-is": "Whether the model is from before or after the results (default: recognised by adding them).",
            "--unescape": "Undo HTML escapes in a model file, as written by one public EASL implementation.",
        },
        model_is=choice("before", "after"),
    ),
    REJECTED,
    UNTERMINATED_FROM,
    _method_options,
    campaign=KEPT,
)
def import_(state: State, campaign: str, file: str, results: tuple[str, ...], **asked: Any) -> None:
    """Create CAMPAIGN.db from FILE, whose content says what it is.

    \b
    a log that 'easl export --what log' wrote: the same campaign again
    a model file of an older tool, with the RESULTS that led to it
    scores that Appraise exported, or direct assessment scores of WMT
    any table with one row per score (annotator, item, score from 0 to 100)

    \b
    pairproof easl import C.db mine.csv --col annotator=who --col item=story --col score=points
    """
    from ...campaign.formats.campaign_files import kind_of_file
    from ...files.inputs import read_file

    kind = kind_of_file(read_file(file, "a log, a model file or a table of scores"), file)
    scores = kind.name.endswith("scores") if kind else _holds_scores(file, asked["encoding"])
    name = (
        "scores" if scores or asked["columns"] else "log" if kind is not None and kind.name == "log" else ""
    )
    _refuse_odd(results, name, kind.what if kind else f"a {'table of scores' if name else 'model file'}")
    of_scores = taken(asked, _OF_SCORES)
    if name == "log":
        _import_log(state, campaign, file)
    elif name == "scores":
        _import_scores(state, campaign, file, {**of_scores, **taken(asked, _OF_BOTH)})
    else:
        _import_model(state, campaign, file, results, asked)


#: Options of `import` for tables of scores, and those for model files too.
_OF_SCORES, _OF_BOTH = ("columns", "scale", "items", "pair"), ("method", "per_hit", "encoding")


def _holds_scores(file: str, encoding: str | None) -> bool:
    """Whether a file of unknown kind is a table of scores rather than a model file."""
    from ...data.reading.forms import ways_of_scores
    from ...data.reading.sources import load

    table = load(file, encoding)
    return "id" not in table.columns or bool(ways_of_scores(table))


def _refuse_odd(results: tuple[str, ...], name: str, what: str) -> None:
    """Refuse options that have no meaning for this kind of file."""
    context = click.get_current_context()
    asked = click.core.ParameterSource.COMMANDLINE
    known = {"log": (), "scores": (*_OF_SCORES, *_OF_BOTH)}
    for option in context.command.params:
        typed = context.get_parameter_source(str(option.name)) is asked
        fits = option.name in known[name] if name else option.name not in _OF_SCORES
        if typed and not fits and getattr(option, "section", SHARED) != SHARED:
            of = "tables of scores" if option.name in _OF_SCORES else "model files"
            raise click.UsageError(f"{option.opts[0]} is for {of}, but FILE is {what}.")
    if results and name:
        raise click.UsageError(f"RESULTS are for model files, but FILE is {what}.")


def _import_log(state: State, campaign: str, file: str) -> None:
    from ...campaign.rebuilding import from_log

    if state.seed is not None:
        raise click.UsageError("--seed: a log contains the seed of its campaign.")
    found = from_log(campaign, file)
    a, n = found.about, found.judgments
    said = f"{campaign}: campaign {a.id}, {found.items} items, method {a.method}, {n} judgments"
    state.show(said, {"campaign": a.id, "items": found.items, "method": a.method, "judgments": n})


def _import_scores(state: State, campaign: str, file: str, asked: dict[str, Any]) -> None:
    from ...campaign.formats.score_tables import from_scores

    found = from_scores(campaign, file, seed=state.seed, **{**asked, "method": asked["method"] or "da"})
    if found.documents:
        state.say(f"{file}: {found.documents} scores of whole documents left out")
    a, numbers = found.about, {name: vars(found)[name] for name in ("judgments", "annotators", "documents")}
    state.show(
        f"{campaign}: campaign {a.id}, {found.items} items, {found.judgments} judgments of"
        f" {found.annotators} annotators, method {a.method}, {a.per_hit} per HIT",
        {"campaign": a.id, "items": found.items, "method": a.method, "per_hit": a.per_hit, **numbers},
    )


def _import_model(
    state: State, campaign: str, file: str, results: tuple[str, ...], asked: dict[str, Any]
) -> None:
    from ...campaign.creation import take_over

    if asked["model_is"] and not results:
        says = "--model-is states whether the model is from before or after the results"
        raise click.UsageError(f"{says}, but no results file is given.")
    found = take_over(Path(campaign), file, results, seed=state.seed, **asked)
    for name, own in zip(results, found.taken):
        warn(state, name, own)
        state.say(f"{name}: {counts(own)}")
    warned = f"Warning: {file}:"
    if found.recomputed:
        state.say(f"{warned} its mode or var do not follow from its alpha and beta; they were recomputed")
    if found.escaped:
        cells = f"{found.escaped} cells contain HTML escapes, such as &lt;, which annotators would see"
        state.say(f"{warned} {cells}; --unescape undoes them")
    if found.model_is == "after":
        state.say("The results, added to the initial state, give the model; they are stored as its history.")
    a, results_in = found.about, [vars(t) for t in found.taken]
    made = {"campaign": a.id, "items": found.items, "method": a.method, "per_hit": a.per_hit}
    state.show(
        f"{campaign}: campaign {a.id}, {found.items} items, method {a.method}, {a.per_hit} per HIT",
        {**made, "model_is": found.model_is, "results": results_in},
    )
