"""The options of `easl init` that say what annotators see and who judges what, and `easl texts`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ..options.sections import COUNT, POSITIVE, SectionedCommand, option, stacked
from ..state import READ, State, shared_options

if TYPE_CHECKING:
    from ...campaign.page.texts import Texts

_page, _design = option("What annotators see"), option("Design")
ON_REPEAT = click.Choice(["first", "last", "both"])


def texts_of_options(
    question: str,
    anchors: str,
    instructions: str | None,
    examples: str | None,
    words: str | None,
    lang: str,
    dir: Any,
) -> Texts:
    """The texts of the page from the options; files are read here."""
    from ...campaign.page.text_files import read_examples, read_instructions
    from ...campaign.page.texts import texts_of
    from ...campaign.page.words import read_words

    return texts_of(
        question,
        anchors,
        read_instructions(instructions) if instructions else "",
        read_examples(examples) if examples else (),
        lang,
        dir,
        read_words(words) if words else None,
    )


_text_options = stacked(
    _page("--question", default="", metavar="TEXT", help="Question about each item, such as 'How fluent?'."),
    _page(
        "--anchors",
        default="",
        metavar="LABELS",
        help="Labels of places on the line: '0=nonsense; 50=half of it; 100=all of it'.",
    ),
    _page("--instructions", type=READ, metavar="FILE", help="Text file; blank lines part paragraphs."),
    _page("--examples", type=READ, metavar="FILE", help="CSV of scored examples: text, score, why."),
    _page("--words", type=READ, metavar="FILE", help="JSON of the page's own words in your language."),
    _page("--lang", default="", metavar="TAG", help="Language of these texts, such as de or ar-EG."),
    _page(
        "--dir",
        type=click.Choice(["auto", "ltr", "rtl"]),
        default="auto",
        help="Direction of writing (auto: that of the language).",
    ),
)

_design_options = stacked(
    _page("--text", "text", metavar="COLUMN", help="Column that holds the item's text (default: sent)."),
    _page(
        "--show",
        multiple=True,
        metavar="COLUMN",
        help="Another column that annotators see; repeatable. Nothing else is shown to them.",
    ),
    _design(
        "--design",
        "arrange",
        type=click.Choice(["any", "same-source"]),
        default="any",
        help="same-source: a HIT holds the outputs of one source (column source).",
    ),
    _design("--judgments", type=COUNT, default=1, help="Different annotators for each HIT."),
    _design("--repeats", type=float, default=0.0, metavar="SHARE", help="Share of slots judged again."),
    _design(
        "--degraded", type=float, default=0.0, metavar="SHARE", help="Share of slots for degraded items."
    ),
    _design(
        "--gold",
        metavar="SHARE",
        help="Share of slots for items of role gold; or the COLUMN that holds known scores (default: gold).",
    ),
    _design("--systems", metavar="COLUMN", help="Column that names each item's system (default: system)."),
    _design(
        "--col",
        multiple=True,
        metavar="NAME=COLUMN",
        help="Column that stands for role, of, source, system or gold; nothing after the sign: none does.",
    ),
    _design(
        "--qualify",
        default="",
        metavar="RULE",
        help="What an annotator must reach in the qualification batch, such as 'spearman>=.5'.",
    ),
    _design(
        "--on-repeat",
        type=ON_REPEAT,
        default="first",
        help="Which answers count if an annotator answers a HIT more than once.",
    ),
    _design("--pay-hour", type=POSITIVE, metavar="AMOUNT", help="Pay of an hour; 'status' reckons the cost."),
    _design("--partial", is_flag=True, help="Annotators may leave items of a HIT unanswered."),
)


def with_design(function: Any) -> Any:
    """Gather the options of the design into the arguments `design` and `texts` of the command."""

    @_text_options
    @_design_options
    @functools.wraps(function)
    def gathered(
        *args: Any,
        text: str | None,
        gold: str | None,
        systems: str | None,
        col: tuple[str, ...],
        question: str,
        anchors: str,
        instructions: str | None,
        examples: str | None,
        words: str | None,
        lang: str,
        dir: str,
        **options: Any,
    ) -> Any:
        from ...campaign.storage.design import Design

        columns = _columns(col, systems)
        share = _share(gold)
        if gold is not None and share is None:
            columns["gold"] = gold
        named = ("show", "arrange", "judgments", "repeats", "degraded", "qualify", "on_repeat", "pay_hour")
        chosen = {name: options.pop(name) for name in (*named, "partial")}
        design = Design(text=text or Design().text, gold=share or 0.0, columns=columns, **chosen)
        design.shown()  # a hidden column is refused before any file is read
        texts = texts_of_options(question, anchors, instructions, examples, words, lang, dir)
        return function(*args, design=design, texts=texts, **options)

    return gathered


def _share(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _columns(given: tuple[str, ...], systems: str | None) -> dict[str, str]:
    columns = {} if systems is None else {"system": systems}
    for pair in given:
        name, sign, column = pair.partition("=")
        if not sign:
            raise InputError(f"--col {pair}: expected NAME=COLUMN, such as system=engine")
        columns[name.strip()] = column.strip()
    return columns


@click.command("texts", cls=SectionedCommand)
@click.argument("campaign", metavar="CAMPAIGN.db", type=READ)
@_text_options
@shared_options
def texts(state: State, campaign: str, **asked: Any) -> int:
    """Show what annotators read beside the items; with options, replace the texts of one language.

    A campaign can have its texts in several languages; 'easl next --lang' says which a page has.
    """
    from ...campaign.texts import change_texts

    state.no_report("'easl status'; 'easl texts' shows the texts of the pages.")
    given = texts_of_options(**asked)
    changes = any(asked[name] for name in ("question", "anchors", "instructions", "examples", "words"))
    rows = change_texts(campaign, given if changes else None)
    lines = [f"{name} ({lang or 'no language'}, {way}): {body}" for name, lang, way, body in rows]
    state.show("\n".join(lines) or f"{campaign}: no texts", [list(row) for row in rows])
    return 0
