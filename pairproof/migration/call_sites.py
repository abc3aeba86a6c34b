"""The calls of a script by where they stand: a call site, evaluated once or in a loop, and what is left out.

RecordedCall (line 8, nth 1, 2, 3) + their steps -> CallSite "f" with keys "north", "south", "west"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..bridge.capture.recorded import Captured, RecordedCall
from .outcome import Migration, called_in
from .steps.evaluated import CallSite, Key
from .steps.interpreter import MODULES
from .steps.translator import PASSING
from .steps.trees import node_of
from .translate.python_code import KINDS, Names, Result, identifier, parts
from .translate.translation import Step

#: Generic functions, whose methods are called by their names.
_GENERIC = "anova add1 drop1 predict residuals vcov itempar worth qvcalc update step".split()


@dataclass(frozen=True)
class Left:
    """Calls without Python code; for their order the top-level expression, and the `id` of the first."""

    where: str
    function: str
    reason: str
    count: int
    task: int
    first: int

    def __str__(self) -> str:
        times = f" ({self.count:,} calls)" if self.count > 1 else ""
        return f"{self.where}: {self.function}{times} -> {self.reason}"


def written(step: Step) -> bool:
    """Whether a step has code that gave a value."""
    return step.translation.code is not None and step.state in ("native", "bridge")


@dataclass(frozen=True, eq=False)
class BySite:
    """A migration by the calls of its script; left: those without Python code, and those that only its text has."""

    migration: Migration
    found: list[CallSite]
    left: list[Left]


def by_site(migration: Migration) -> BySite:
    """The migration by the calls of its script."""
    found, left = sites(migration.captured, migration.steps)
    for only in migration.left_out:
        m, why = only.mentioned, f"{only.reason}; left out"
        left.append(Left(str(m.place), f"{m.function}(...)", why, 1, m.task, 0))
    return BySite(migration, found, left)


def running_tasks(calls: Iterable[RecordedCall]) -> dict[int, int]:
    """Call id -> number of the top-level expression; that of the call before where R's is unknown."""
    found, now = {}, 0
    for call in sorted(calls, key=lambda c: c.id):
        now = max(now, call.task)
        found[call.id] = call.task or now
    return found


def sites(captured: Captured, steps: Sequence[Step]) -> tuple[list[CallSite], list[Left]]:
    """The call sites with code in the order of their first evaluations, and what is left out."""
    by_id = {step.call.id: step for step in steps}
    tasks = running_tasks(captured.calls)
    groups: dict[tuple[object, ...], list[RecordedCall]] = {}
    for call in captured.calls:
        place = call.place
        key = (call.task, place.file, place.line, place.last, call.function, call.text, call.variable)
        groups.setdefault(key, []).append(call)
    drafts: list[CallSite] = []
    for group in (turn for found in groups.values() for turn in _turns(found)):
        done = [by_id[c.id] for c in group if written(by_id[c.id])]
        if done:
            call, variables = done[0].call, {c.variable for c in group}
            alone = len(group) == 1 or call.helper and len({str(s.translation.code) for s in done}) == 1
            keys, loop_names = ((), ()) if alone else _keys(done, group, _loops(captured, call))
            variable = variables.pop() if len(variables) == 1 and _is_assigned(captured, call) else ""
            where = _where(captured, call)
            drafts.append(CallSite("", tuple(done), keys, loop_names, variable, tasks[call.id], where))
    drafts = list(_in_order(drafts))
    return _named(drafts), _left(captured, by_id, tasks)


def _is_assigned(captured: Captured, call: RecordedCall) -> bool:
    """Whether a helper's value is what its expression assigns: not that of resid(m) in `s <- tapply(resid(m), ...)`."""
    trees = captured.text.trees
    if not call.helper or not 0 < call.task <= len(trees) or not trees[call.task - 1].text:
        return True
    e = node_of(trees[call.task - 1].tree)
    values = [part.operands[-1] for part in e.walk() if part.function in ("<-", "=", "<<-") and part.operands]
    # The innermost assignment that it stands in: `for (k in m) { s <- sum(resid(m[[k]])) }` assigns a sum.
    value = next((v for v in reversed(values) if any(p.value == call.text for p in v.walk())), e)
    while value.function in PASSING and value.operands:
        value = value.operands[0]
    inside = (part for part in value.walk() if part is not value and part.kind == "call")
    return not any(part.value == call.text for part in inside)


def _where(captured: Captured, call: RecordedCall) -> str:
    called = called_in(captured, call)
    if not called:
        return str(call.place)
    file = f" of {call.place.file}" if call.place.file not in ("", captured.text.name) else ""
    return f"line {called}, through {call.place}{file}"


def _turns(group: list[RecordedCall]) -> list[list[RecordedCall]]:
    """A place that a function of the script reaches several times in each turn of a loop: each time by itself."""
    names = [n for n in group[0].keys if all(n in c.keys for c in group)]
    if len({tuple(c.keys[n] for n in names) for c in group}) == len(group):
        return [group]
    for own in (names, *([n] for n in names)):
        column = [tuple(c.keys[n] for n in own) for c in group]
        times = Counter(column)
        k = times[column[0]]
        if len(times) > 1 and column == [v for v in times for _ in range(k)]:
            return [group[j::k] for j in range(k)]
    return [group]


# -- names ---------------------------------------------------------------------------------------------------


def _named(drafts: Sequence[CallSite]) -> list[CallSite]:
    """The sites with their Python names; the first that has a variable of the script gets its name."""
    names = Names(MODULES)
    first: dict[int, str] = {}
    seen = set()
    for k, site in enumerate(drafts):
        if identifier(site.variable) and site.variable not in seen:
            seen.add(site.variable)
            first[k] = names.name(site.variable, "fit")
    return [replace(site, name=first.get(k) or names.name(*_words(site))) for k, site in enumerate(drafts)]


def _words(site: CallSite) -> tuple[str, str]:
    """The variable's name, else the line's."""
    call = site.call
    head, dot, _ = call.name.partition(".")
    method = head if dot and head in _GENERIC else call.name  # anova.gnm is what anova() called
    base = (identifier(method) or "value") if call.helper else "fit"
    place = str(call.place.line) if call.place.line else f"call_{call.id}"
    return (site.variable if identifier(site.variable) else f"{base}_{place}"), f"{base}_{place}"


# -- keys ----------------------------------------------------------------------------------------------------


def _loops(captured: Captured, call: RecordedCall) -> set[str]:
    """The variables of the loops, and of functions that are applied, in the expression of a call."""
    trees = captured.text.trees
    parts = list(node_of(trees[call.task - 1].tree).walk()) if 0 < call.task <= len(trees) else []
    found = {p.operands[0].symbol if p.function == "for" else "" for p in parts if p.operands}
    return found | {n for p in parts for f in p.operands if f.kind == "function" for n, _ in f.arguments}


def _keys(
    done: Sequence[Step], group: Sequence[RecordedCall], around: Container[str]
) -> tuple[tuple[Key, ...], tuple[str, ...]]:
    """Keys of the evaluations: values of a loop variable, texts before counters; of several; 1, 2, ..."""
    common = [n for n in done[0].call.keys if all(n in s.call.keys for s in done)]
    if len(done) == 1 and common:
        return (done[0].call.keys[common[0]],), (common[0],)
    columns = {n: [s.call.keys[n] for s in done] for n in common}
    columns = {n: c for n, c in columns.items() if len({type(v) for v in c}) == 1 and all(v == v for v in c)}
    for n in sorted(columns, key=lambda n: not isinstance(columns[n][0], str)):
        if len(set(columns[n])) == len(done):
            outer = [m for m in columns if m in around and 1 <= _changes(columns[m]) < len(done) - 1]
            if not outer or n in outer:
                return tuple(columns[n]), (n,)
            break  # of loops in loops all
    varying = sorted((n for n in columns if len(set(columns[n])) > 1), key=lambda n: _changes(columns[n]))
    together = list(zip(*(columns[n] for n in varying)))
    if len(varying) > 1 and len(set(together)) == len(done):
        return tuple(together), tuple(varying)
    place = {call.id: k for k, call in enumerate(group, 1)}
    return tuple(place[s.call.id] for s in done), ()


def _changes(column: Sequence[object]) -> int:
    """How often a loop's variable changes: that of the outermost loop the least."""
    return sum(a != b for a, b in zip(column, column[1:]))


# -- order ---------------------------------------------------------------------------------------------------


def _in_order(drafts: Sequence[CallSite]) -> Iterator[CallSite]:
    """The sites in the order of first calls; those that need values of each other's round before call by call."""
    drafts = sorted(drafts, key=lambda s: s.call.id)
    home = {step.call.id: k for k, site in enumerate(drafts) for step in site.steps}
    crossing = set[int]()
    for k, site in enumerate(drafts):
        for other in (home.get(i, k) for step in site.steps for i in _results(step)):
            crossing.update(range(k, other + 1) if other > k else ())
    whole = [site for k, site in enumerate(drafts) if k not in crossing]
    apart = ((site, step) for k, site in enumerate(drafts) if k in crossing for step in site.steps)
    single = [replace(site, steps=(step,), keys=(), loop_names=()) for site, step in apart]
    yield from sorted([*whole, *single], key=lambda s: s.call.id)


def _results(step: Step) -> Iterator[int]:
    code = step.translation.code
    found = parts(code) if isinstance(code, KINDS) else ()
    return (part.call for part in found if isinstance(part, Result))


# -- left out ------------------------------------------------------------------------------------------------


def _left(captured: Captured, by_id: Mapping[int, Step], tasks: Mapping[int, int]) -> list[Left]:
    """Calls without code, those of one line with one reason together."""
    found: dict[tuple[str, str, str], list[RecordedCall]] = {}
    for call in captured.calls:
        step = by_id[call.id]
        if written(step) or call.helper and step.by_package:
            continue  # what a package looked up for itself is no call of the script
        key = (str(call.place), f"{call.name}(...)", _reason(step))
        found.setdefault(key, []).append(call)
    return [Left(*key, len(calls), tasks[calls[0].id], calls[0].id) for key, calls in found.items()]


def _reason(step: Step) -> str:
    if step.refused:
        return f"Python refuses it: {_sentence(step.refused)}"
    return f"{_sentence(step.translation.reason) or 'no counterpart'}; left out"


def _sentence(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().rstrip(".")
