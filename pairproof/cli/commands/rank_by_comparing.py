"""`pairproof rank-by-comparing`: choose which two systems to compare next, until they are ranked (merge
insertion).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...text import label
from ..options.reading import names
from ..state import KEPT, READ, State, choice, echo, options, sectioned, shared_options

if TYPE_CHECKING:
    from ...native.competitions.ranking.merge_insertion import Plan
    from ...report.blocks import Page


@sectioned("rank-by-comparing")
@click.argument("systems", metavar="[SYSTEMS]", required=False, type=READ)
@options(
    "Plan",
    {
        "--answer NAME|first|second|tie": "Answer to the next question; repeatable, in the order asked.",
        "--undo": "Take back the last answer of --resume first.",
        "--resume PLAN": ("Continue from this file if it exists, and save every answer in it.", KEPT),
        "--tie-rule": "Refuse a tie, or count the system listed earlier in SYSTEMS as better (default: refuse, or"
        " the rule saved by --resume).",
    },
    answer={"name": "answers", "multiple": True},
    tie_rule=choice("refuse", "listed"),
)
@shared_options
def command(
    state: State, systems: str | None, answers: tuple[str, ...], undo: bool, resume: Any, tie_rule: Any
) -> None:
    """Rank SYSTEMS with as few comparisons as merge insertion needs: it proposes which two to compare next and reads the answer.

    SYSTEMS is A,B,C,... or a file with one name per line; leave it out to continue a plan saved by --resume. Answers
    come from --answer, or else from standard input, one per line: the better system's name, first, second or tie.

    \b
    pairproof rank-by-comparing A,B,C,D,E                                   asks
    pairproof rank-by-comparing A,B,C,D,E --resume plan.json --json         what to compare next
    pairproof rank-by-comparing --resume plan.json --answer B --json        an answer, and what to compare next
    """
    resume = None if resume is None else Path(resume)
    state.no_junit("a plan has")
    plan = _start(systems, resume, tie_rule)
    if undo:
        plan = _without_last(plan, resume)
    for answer in answers:
        plan = plan.answer(answer.strip())
    _save(plan, resume)
    if not answers and not undo and not state.json:
        plan = _ask(state, plan, resume)
    state.give(lambda: _page(plan), plan.to_dict, terminal=lambda: _text(plan))


def _start(systems: str | None, resume: Path | None, tie_rule: Any) -> Plan:
    from ...errors import InputError
    from ...native.competitions.ranking.merge_insertion import Plan

    given = None if systems is None else _systems(systems)
    if resume is None or not resume.exists():
        if given is None:
            more = f", and {resume} does not exist yet." if resume else "; for example A,B,C,D,E."
            raise click.UsageError(f"SYSTEMS is missing{more}")
        return Plan(given, (), tie_rule or "refuse")
    saved = _text_of(resume)
    try:
        plan = Plan.from_json(saved)
    except RecursionError as trouble:
        raise InputError(
            f"{resume}: not a saved ranking: its brackets are nested too deeply; start again, or"
            " name the right file"
        ) from trouble
    except InputError as trouble:
        raise InputError(f"{resume}: {trouble}") from trouble
    if given is not None and given != plan.systems:
        raise InputError(
            f"{resume} ranks {', '.join(plan.systems)}, but SYSTEMS are {', '.join(given)}; leave SYSTEMS"
            " out to continue, or name another file"
        )
    # The rule decided how the ties answered so far count, so it cannot change any more.
    if tie_rule is not None and tie_rule != plan.tie_rule:
        if plan.ties:
            raise InputError(
                f"{resume} has ties that were decided by the rule {plan.tie_rule!r}; --tie-rule {tie_rule}"
                " would change answers already given, so omit it"
            )
        plan = replace(plan, tie_rule=tie_rule)
    return plan


def _systems(text: str) -> tuple[str, ...]:
    """The names of the systems, read from a file if `text` is the name of one."""
    path = Path(text)
    if path.is_file():
        # Not splitlines: a form feed or U+2028 ends no line of a file.
        return tuple(line.strip() for line in _text_of(path).split("\n") if line.strip())
    found = names(text)
    if len(found) == 1:
        raise click.BadParameter(
            f"{text!r} is a single name, not a file; expected names separated by commas, or a file with"
            " one name per line"
        )
    try:
        text.encode()
    except UnicodeEncodeError as trouble:
        raise click.BadParameter(
            f"{text!r} is not text in the terminal's encoding; put the names into a UTF-8 file, one per line"
        ) from trouble
    return tuple(name.strip() for name in found)


def _text_of(path: Path) -> str:
    """A file's text, with line ends as one newline and without a byte order mark."""
    from ...errors import InputError
    from ...files.inputs import read_file

    raw = read_file(path, "a text file")
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as trouble:
        raise InputError(
            f"{path}, byte {trouble.start + 1}: 0x{raw[trouble.start]:02x} is not UTF-8; save the file as"
            " UTF-8 text"
        ) from trouble
    if "\0" in text:
        raise InputError(
            f"{path}, byte {raw.index(0) + 1}: a zero byte, so it is not UTF-8 text; save the file as UTF-8"
            " text"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without_last(plan: Plan, resume: Path | None) -> Plan:
    if resume is None:
        raise click.UsageError("--undo takes back an answer of --resume; name the file.")
    if not plan.answers:
        raise click.UsageError(f"--undo: {resume} has no answer yet.")
    return replace(plan, answers=plan.answers[:-1])


def _save(plan: Plan, resume: Path | None) -> None:
    """Save the plan completely or not at all: the old file stays until the new one is on the disk."""
    if resume is None:
        return
    from ...files.outputs import write

    # Overwriting is safe: the old file was read before, and was a plan.
    write(resume, plan.to_json() + "\n", force=True, again=True)


def _ask(state: State, plan: Plan, resume: Path | None) -> Plan:
    """Ask on standard error and read answers from standard input; a terminal is asked again after an invalid
    answer.
    """
    from ...errors import InputError

    person = sys.stdin.isatty()
    while plan.next is not None:
        a, b = plan.next
        if person:
            question = f"{plan.asked + 1} of at most {plan.at_most}: {label(a)} or {label(b)}? "
            echo(question, err=True, nl=False)
        line = sys.stdin.readline().lstrip("\ufeff")  # some editors and shells begin with a byte order mark
        if not line:
            if person:
                echo("", err=True)
            break
        if not line.strip():
            continue
        try:
            plan = plan.answer(line.strip())
        except InputError as trouble:
            if not person:
                raise
            echo(f"{trouble}", err=True)
            continue
        _save(plan, resume)
    return plan


def _text(plan: Plan) -> str:
    if plan.ranking is not None:
        tied = ", ".join(f"{a} and {b}" for a, b in plan.ties)
        ties = f" ({tied} tied and were decided by list order)" if tied else ""
        ranking = f"{' > '.join(plan.ranking)}{ties}"
        return f"Best first, after {plan.asked} comparisons (at most {plan.at_most}): {ranking}"
    assert plan.next is not None
    done = f"{plan.asked} comparisons done, at most {plan.at_most} in all"
    return f"Compare next: {plan.next[0]} and {plan.next[1]} ({done})"


def _page(plan: Plan) -> Page:
    """The next comparison or the final ranking, and the answers so far."""
    from ...report.blocks import Bullets, Column, Page, Table

    header = (Column(""), *(Column(title, "left") for title in ("first", "second", "better")))
    rows = tuple((str(k), *answer) for k, answer in enumerate(plan.answers, 1))
    return Page("Ranking by comparing", [Bullets((_text(plan),)), Table(header, rows)])
