"""The test of a migrated script: one function a call site, which asks for the numbers of the run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from ....bridge.capture.recorded import Captured
from ....fit.fit import Fit
from ...verdicts.agreement import AGREEING
from ..code.source import INDENT, text_literal
from .blocks import key_text
from .comments import comment, docstring
from .file_names import Unique, plain
from .held import Asked
from .run_file import MOST_RECORDED
from .sites import CallSite

HEAD = """
from pathlib import Path

from pairproof.validation import Again{agree}

CALLS = Again(Path(__file__).with_name({script}))
"""
AGREE = ", agree"


def names_of_tests(found: Sequence[CallSite], asked: Asked) -> dict[str, str]:
    """CallSite -> name of its test, for sites of which a number is compared or a fit is recorded."""
    names = Unique()
    made = {}
    for site in found:
        if _all_fits(site) or any(any(asked[s.call.id]) for s in site.steps):
            line = site.call.place.line
            where = f"test_line_{line}_" if line else "test_"
            made[site.name] = names.name(where + plain(site.name, "value").replace("-", "_"))
    return made


def record_names(found: Sequence[CallSite]) -> dict[int, str]:
    """Call id -> what its record is called within its test: "" where the test has one."""
    made = {}
    for site in found:
        if not _all_fits(site):
            continue
        names = Unique()
        for k, step in enumerate(site.steps[:MOST_RECORDED]):
            made[step.call.id] = names.name(plain(key_text(site.keys[k]), "key")) if site.many else ""
    return made


def text_of_test(
    captured: Captured, found: Sequence[CallSite], tests: Mapping[str, str], script: str, asked: Asked
) -> str:
    """The test's source.

    script: file name of the Python script.
    """
    name = captured.text.name
    stem = PurePath(script).stem
    lines = list(
        docstring(
            [
                f"Tests of {script}: each fit gives the numbers that it gave when it was written, and those of R.",
                f"R's numbers are those of its run of {name}, in {stem}.recorded.json; they are held to the digits"
                " asked for there. What needs R is not run where R is not.",
            ]
        )
    )
    functions = [line for s in found if s.name in tests for line in ("", "", *_test(s, tests[s.name], asked))]
    needed = any(line.lstrip().startswith("agree(") for line in functions)
    head = HEAD.format(agree=AGREE if needed else "", script=text_literal(script))
    lines += [*head.rstrip("\n").split("\n"), *functions]
    return "\n".join(lines) + "\n"


def _test(site: CallSite, name: str, asked: Asked) -> Iterator[str]:
    fits = _all_fits(site)
    yield f"def {name}({'recorded, ' if fits else ''}request):"
    before = f"{site.variable} <- " if site.variable else ""
    yield from comment(f"{site.call.place}: {before}{site.call.text}", INDENT, 2)
    for said in _not_compared(site, asked):
        yield from comment(said, INDENT, 4)
    own = text_literal(site.name)
    if site.many:
        yield f"{INDENT}for call in CALLS.all({own}):"
    else:
        yield f"{INDENT}call = CALLS[{own}]"
    inner = INDENT * 2 if site.many else INDENT
    if not fits:
        yield f"{inner}call.compare(call.value(request))"
        return
    yield f"{inner}fit = call.value(request)"
    if not site.many:
        yield f"{inner}recorded(fit)"
    elif len(site.steps) <= MOST_RECORDED:
        yield f"{inner}recorded(fit, call.record)"
    else:
        yield f"{inner}if call.has_record:  # the first {MOST_RECORDED}"
        yield f"{inner}{INDENT}recorded(fit, call.record)"
    compared = [any(asked[s.call.id]) for s in site.steps]
    if all(compared):
        yield f"{inner}agree(fit, call.r, digits=call.digits)"
    elif any(compared):
        yield f"{inner}if call.r:"
        yield f"{inner}{INDENT}agree(fit, call.r, digits=call.digits)"


def _not_compared(site: CallSite, asked: Asked) -> Iterator[str]:
    """What R gave and the test does not compare, and why."""
    found = Counter(
        "are explained"
        if a.verdict == "explained"
        else "DIFFER"
        if a.verdict.startswith("differs")
        else f"are {a.verdict}"
        for step in site.steps
        for a in step.rows
        if a.verdict not in AGREEING
    )
    for verdict, n in found.items():
        yield f"{n:,} of R's numbers {verdict}, and are not compared here."
    lost = sum(
        a.verdict in AGREEING and a.r is not None and test is None
        for step in site.steps
        for a, test in zip(step.rows, asked[step.call.id])
    )
    if lost:
        yield f"{lost:,} numbers agreed that are computed from this value and not in it; they are not compared here."


def _all_fits(site: CallSite) -> bool:
    return all(isinstance(step.value, Fit) for step in site.steps)
