"""The Python script: its blocks in the order of the R script, what that printed, and a line for what is left out."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec

import pairproof

from ....bridge.capture.recorded import Captured
from ...verdicts.agreement import AGREEING
from ..code.expressions import Call, expression, parts
from .blocks import Writer, key_source
from .comments import beside, comment, docstring
from .prints import Print
from .sites import CallSite, Left

HEAD = """
from pathlib import Path

{imports}

HERE = Path(__file__).parent
"""


def script_text(
    captured: Captured,
    found: Sequence[CallSite],
    left: Sequence[Left],
    shown: Sequence[Print],
    writer: Writer,
    test: str,
) -> str:
    """The script's source.

    test: name of its test; "" if there is none.
    """
    head = HEAD.format(imports="\n".join(f"import {module}" for module in modules(found)))
    lines = [*docstring(_about(captured, found, test)), *head.rstrip("\n").split("\n")]
    for _, block in sorted(_blocks(found, left, shown, writer), key=lambda b: b[0]):
        # A print stands right below the statement that it belongs to, anything else apart.
        below = block[0].startswith("print(") and lines[-1][:1] not in ("#", " ")
        lines += block if below else ["", *block]
    if captured.ending != "done":
        lines += ["", *comment(f"The R script ended here: {captured.message}")]
    return "\n".join(lines) + "\n"


def modules(found: Sequence[CallSite]) -> list[str]:
    """Modules that the script imports: the package, and rooms of it that it does not load by itself."""
    needed = {"pairproof"}
    for site in found:
        for step in site.steps:
            for part in parts(expression(step.translation.code)):
                if isinstance(part, Call):
                    needed.add(_module(part.function))
    return sorted(needed)


@lru_cache(maxsize=None)
def _module(function: str) -> str:
    """The module that has to be imported for a function's dotted path."""
    names = function.split(".")
    if names[1] in pairproof.__all__:
        return "pairproof"
    for n in range(len(names) - 1, 1, -1):
        with contextlib.suppress(ModuleNotFoundError):
            if find_spec(".".join(names[:n])) is not None:
                return ".".join(names[:n])
    return "pairproof"


def _about(captured: Captured, found: Sequence[CallSite], test: str) -> list[str]:
    name = captured.text.name
    about = [f"{name} in Python, written by pairproof migrate."]
    if not found:
        return [*about, f"R {captured.r_version} ran {name}; none of its calls has a counterpart here."]
    held = f" ({test})" if test else ""
    about.append(
        f"R {captured.r_version} ran {name}, and each number was held against R's of that run{held}:"
        f" {_counted(found)}."
    )
    bridged = [s for s in found if any(step.translation.route == "bridge" for step in s.steps)]
    if bridged:
        where = "1 call stays" if len(bridged) == 1 else f"{len(bridged)} calls stay"
        about.append(f"{where} in R, through pairproof.bridge: for {_them(bridged)} R must be installed.")
    return about


def _them(bridged: Sequence[CallSite]) -> str:
    names = ", ".join(s.name for s in bridged[:8])
    return names if len(bridged) <= 8 else f"{names} and {len(bridged) - 8} more"


def _counted(found: Sequence[CallSite]) -> str:
    verdicts = Counter(
        "agree" if a.verdict in AGREEING else a.verdict
        for site in found
        for step in site.steps
        for a in step.rows
    )
    words = {
        "agree": "agree",
        "explained": "differ and are explained",
        "differs": "differ without explanation",
        "not-estimable": "not estimable, whatever R gives",
        "not-checkable": "cannot be checked, since R stopped before the maximum",
    }
    said = [f"{verdicts.pop(v):,} {text}" for v, text in words.items() if v in verdicts]
    said += [f"{n:,} {v}" for v, n in verdicts.items()]
    return ", ".join(said) or "none was compared"


def _blocks(
    found: Sequence[CallSite], left: Sequence[Left], shown: Sequence[Print], writer: Writer
) -> Iterator[tuple[tuple[int, int, int, int], list[str]]]:
    """Lines, and their place: the expression that ran, then calls in their order, then prints by line."""
    inside: dict[str, list[tuple[str, str]]] = {}
    for p in shown:
        if p.inside and p.expression is not None:
            inside.setdefault(p.of.name, []).append((p.expression, p.text))
    for site in found:
        yield (site.task, 0, site.call.id, 0), list(writer.block(site, inside.get(site.name, [])))
    for k, entry in enumerate(left):
        # A call that is only mentioned has no number; it stands at its line.
        yield (entry.task, 0 if entry.first else 1, entry.first or k, 1), list(comment(str(entry)))
    said = {(entry.where, entry.function) for entry in left}
    for k, p in enumerate(shown):
        if p.inside and p.expression is not None:
            continue
        where, _, call = p.text.partition(": ")
        head = call.partition("(")[0]
        if p.expression is None and any(w == where and f.startswith(head) for w, f in said):
            continue  # it is in the list of what is left out, with the reason
        yield (p.task, 1, p.line, k + 2), list(_printed(p, writer))


def _printed(p: Print, writer: Writer) -> Iterator[str]:
    if p.expression is None:
        yield from comment(p.text)
    elif not p.of.many:
        yield from beside(f"print({p.of.name}{p.expression})", p.text)
    elif p.key is not None:
        yield from beside(f"print({p.of.name}[{key_source(p.key)}]{p.expression})", p.text)
    else:
        variables = writer.loop_variables(p.of)
        yield from comment(p.text)
        yield f"for {', '.join(variables)} in {p.of.name}:"
        yield f"    print({p.of.name}[{', '.join(variables)}]{p.expression})"
