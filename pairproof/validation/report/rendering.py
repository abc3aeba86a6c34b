"""Reports of agreements in every form: a page, text, JSON and JUnit.

No number is computed here but counts and minima; what a report says of a number, its `Agreement` says.  In
JUnit XML an agreement is a testcase; what did not run, or R did not converge for, is skipped with its reason;
what differs fails.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from ...report.output import FORMATS as FORMATS, Output, render_text as _text_of
from ...text import safe
from ..verdicts.agreement import Agreement, to_document
from . import notation as numbers
from .context import ReportContext as ReportContext, Story as Story, opening
from .page import page
from .terminal import full_page

#: What XML 1.0 cannot hold, and the rarer ends of a line.
_NOT_TEXT = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]")


def render_junit(agreements: Sequence[Agreement], context: ReportContext) -> str:
    """One testsuite a claim; printed, native, R and digits are properties of the testcase."""
    root = ElementTree.Element("testsuites", {"name": _clean(context.title), **_counts(agreements)})
    claims = dict.fromkeys((a.paper, a.claim) for a in agreements)
    for k, (paper, claim) in enumerate(claims):
        rows = [a for a in agreements if (a.paper, a.claim) == (paper, claim)]
        name = _clean(".".join(filter(None, (paper, claim))) or "fit")
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, **_counts(rows)})
        if k == 0:
            properties = ElementTree.SubElement(suite, "properties")
            for n, line in enumerate(opening(agreements, context), 1):
                ElementTree.SubElement(properties, "property", name=f"line-{n}", value=_clean(line))
        for row in rows:
            _testcase(suite, row)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _testcase(suite: ElementTree.Element, a: Agreement) -> None:
    # The name must be unique: the same quantity is compared with several R calls.
    name = a.quantity if a.about != "native-r" else f"{a.quantity} [{a.r_call or '50-digit value'}]"
    place = _clean(".".join(filter(None, ("pairproof", a.paper, a.claim))))
    case = ElementTree.SubElement(suite, "testcase", classname=place, name=_clean(name), time="0")
    properties = ElementTree.SubElement(case, "properties")
    for key, value in a.to_dict().items():
        if value is not None and value != "" and key not in ("paper", "claim", "quantity"):
            ElementTree.SubElement(properties, "property", name=key, value=_clean(str(value)))
    message = _clean(f"{numbers.verdict(a)}: {a.explanation}" if a.explanation else numbers.verdict(a))
    if a.verdict == "not-run" or not a.r_arrived and a.passes:
        ElementTree.SubElement(case, "skipped", message=message)
    elif not a.passes:
        failure = ElementTree.SubElement(case, "failure", type=a.verdict, message=message)
        who = numbers.source(a) or "not asked"
        failure.text = _clean(f"printed {a.printed}, native {a.native!r}, R {a.r!r} ({who})")


def _counts(rows: Iterable[Agreement]) -> dict[str, str]:
    members = list(rows)
    skipped = sum(a.verdict == "not-run" or not a.r_arrived and a.passes for a in members)
    failed = sum(not a.passes and a.verdict != "not-run" for a in members)
    return {"tests": str(len(members)), "failures": str(failed), "errors": "0", "skipped": str(skipped)}


def _clean(text: str) -> str:
    """Text without control characters: each becomes the sign for a character that cannot be shown, those of
    writing direction are spelt out.
    """
    return safe(_NOT_TEXT.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n"))


def output(agreements: Sequence[Agreement], context: ReportContext) -> Output:
    """The agreements in every form."""
    return Output(
        page=lambda: page(agreements, context),
        json=lambda: render_json(agreements),
        junit=lambda: render_junit(agreements, context),
        terminal=lambda: render_text(agreements, context),
    )


def render(agreements: Sequence[Agreement], context: ReportContext, suffix: str) -> str:
    """A report's text; `suffix` is one of `FORMATS`."""
    return output(agreements, context).render(suffix)


def render_json(agreements: Sequence[Agreement]) -> str:
    """`{"summary": {verdict: count}, "agreements": [...]}`; numbers keep every digit, no value is null."""
    return json.dumps(to_document(agreements), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def render_text(
    agreements: Sequence[Agreement], context: ReportContext = ReportContext(), *, width: int | None = None
) -> str:
    """Agreements as text."""
    return _text_of(
        full_page(agreements, context), width=width or shutil.get_terminal_size((100, 24)).columns
    )
