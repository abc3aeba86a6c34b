"""The top-level expressions of a script one after the other: each becomes statements, or a comment that says why not.

    trees of R + call sites with their values -> lines of Python, rows of what it prints beside what R printed

A recorded call stands in the script as its call site writes it; here it is the name of its value.  What a statement
cannot say in Python is a comment in its place, in a loop as at the top, and what depends on it follows it there.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

from ...bridge.capture.recorded import NOWHERE, Place, RecordedCall, Valued
from ...bridge.values.nodes import RList, RValue, RVector
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from ..translate.python_code import INDENT, comment, one_line
from ..translate.translation import OutOfTime, Step, within
from . import compared, views
from .compared import EARLY, NUMBER, without_numbers
from .evaluated import CallSite
from .flow import MOST_TEXT, NO_VALUE, OF_TAILS, PLOTTING, PRINTING, WRITING, Block, Done, last_of
from .interpreter import Interpreter
from .python import name_of, put, text_of
from .statements import Statements
from .translator import Expressions
from .trees import NotTranslated, R, assigned, changed, node_of, outside_functions, parts_changed

#: Seconds that the Python of one expression may take.
SECONDS = 30.0
#: Characters of a value of that run in a comment.
MOST_VALUE = 100


class ScriptSteps(Statements):
    """All expressions of a script."""

    #: The expression that is being written, with what it prints in Python.
    done: Done
    #: Names with digits of the script so far.
    names: frozenset[str] = frozenset()
    #: R's numbers in the rows of fits that Python has otherwise, for a reason that is known.
    unlike: tuple[str, ...] = ()

    def all(self) -> list[Done]:
        """What became of each expression, in order."""
        found = []
        trees = [node_of(tree.tree) for tree in self.captured.text.trees]
        self.in_place, self.filled, self.grown = parts_changed(trees)
        self.names = self._named(str(p.value) for tree in trees for p in tree.walk() if p.kind == "str")
        rows = (a for s in self.steps for a in s.rows if a.verdict in ("explained", "not-checkable"))
        self.unlike = tuple(repr(a.r) for a in rows if None not in (a.r, a.native))
        for k, tree in enumerate(self.captured.text.trees, 1):
            if tree.text:
                found.append(self._expression(k, tree.text, trees[k - 1]))
            else:  # made by hand, in a test
                self._make(self.sites.get(k, []))
                self._bind_sites(self.sites.get(k, []), None)
        return [self._of_use(d, found) for d in found]

    def _of_use(self, done: Done, all: Sequence[Done]) -> Done:
        """The expression; data of R that no other statement uses stay in R's files, and are not written twice."""
        match ast.parse("\n".join(done.lines)).body:
            case [ast.Assign(targets=[ast.Name(id=name)])] if done.state == "translated":
                others = "\n".join(line for d in all if d is not done for line in (*d.lines, *d.inside))
                variable = {own: r for r, own in self.scope.python.items()}.get(name, name)
                if variable not in self.of_models and not re.search(rf"(?<!\w){name}(?!\w)", others):
                    state = "call" if self.sites.get(done.task) else "data"
                    return replace(done, state=state, lines=(), rows=())
        return done

    # -- an expression -----------------------------------------------------------------------------------

    def _expression(self, task: int, text: str, tree: R) -> Done:
        self.task, self.tree = task, tree
        place = next(iter(self.captured.text.expressions[task - 1 : task]), NOWHERE)
        self.place, valued = place, self.captured.values.get(task, NO_VALUE)
        sites = self.sites.get(task, [])
        self._make(sites)
        of_data = not (self._of_models(tree) or sites or self.fitted.get(task))
        labels = [*compared.labels_of(valued.value, of_data)]
        labels += [n for s in sites for step in s.steps for n in compared.labels_of(step.call.vector("coef"))]
        self.names |= self._named(labels)
        own = self.names | {n for n in labels if valued.visible and NUMBER.fullmatch(n)}
        self.done = done = Done(task, place, text, "comment", value=said_of(valued), labels=own)
        before = dict(self.scope.values), dict(self.scope.variables)
        ex = self._expressions(sites)
        if valued.value is not None:
            ex.of_run = {id(tree.operands[-1] if tree.function in ("<-", "=") else tree): valued.value}
        block = Block()
        try:
            if not all(map(self._whole, sites)):
                n = sum(n for (t, _), n in self.cut.items() if t == task)
                lost = f"{n:,} evaluations of its call were counted but not kept"
                raise NotTranslated(f"{lost}, and a result computed from all of them is R's")
            with within(SECONDS):
                random = ex.of_random(valued.value) if valued.visible else None
                try:
                    self._statement(tree, ex, block, valued.visible)
                except NotTranslated as error:
                    if random is None:
                        raise
                    self._not_written(text, self._reason(str(error), tree), block)
                if random is not None:  # R prints the attribute of coefficients with them
                    self._emit(ex, block, text_of(put("show(x)", x=random[0])))
                if ex.before:  # a constant that was looked up and is of use later
                    self._emit(ex, block)
                # Once more from the values before: `x <- c(x, 0)` was evaluated as it was translated.
                self.scope.values = dict(before[0]) if block.lines else self.scope.values
                rows = self._run(block, ex, place, tree, valued)
                rows += self._of_random(random, place) if random is not None else []
                # R's numbers that agree to the digits of their fits, and are printed otherwise for that.
                also = (repr(a.r) for a in rows if a.verdict == "agrees" and _is_far(a))
                self.done = replace(self.done, printed=(*self.done.printed, *also))
            self.views = ex.views
            self._as_before(tree, before[1])
        except (Exception, OutOfTime) as error:  # a defect of ours loses this expression and no other
            self.scope.values, self.scope.variables = before
            self.of_models |= {s.variable.partition("$")[0] for s in sites} - {""}
            reason = self._reason(str(error), tree)
            self._lost(tree, valued)
            self._bind_sites(sites, tree)
            said = f"{type(error).__name__}: {one_line(str(error), 80)}"
            defect = f"its translation failed ({said}), a defect of pairproof"
            why = reason if isinstance(error, NotTranslated) else defect
            function = tree.function in _ASSIGNING and tree.operands[-1].kind == "function"
            about = self._of_models(tree) or sites or self.fitted.get(task) or function
            return replace(done, why=why, state="comment" if about else "data")
        self._changed_outside(tree)
        if not block.lines:
            return replace(done, state="call" if sites else "nothing")
        state = "translated" if not block.whys else "partly" if block.written else "comment"
        merged = self._merged(tree, sites, block)
        known = block.whys or any(r.verdict == "differs" for r in rows)
        more = () if known else self._also_in_r(valued.value if valued.visible else None)
        return replace(
            self.done,
            state=state,
            why="; ".join(dict.fromkeys(block.whys)),
            rows=tuple(
                r for r in rows if r.verdict != "agrees" or r.native not in {*map(float, self.done.of_r)}
            ),
            unlike=self.unlike,
            lines=() if merged else (*block.lines, *more),
            inside=(*merged, *more) if merged else (),
            of=sites[-1].name if merged else "",
        )

    def _named(self, texts: Iterable[str]) -> frozenset[str]:
        """Those within which there are numbers."""
        return frozenset(t for t in texts if NUMBER.search(t) and not NUMBER.fullmatch(t.strip()))

    def _masked(self, text: str) -> str:
        return compared.masked(text, self.done.labels)

    def _also_in_r(self, value: RValue | None) -> tuple[str, ...]:
        """What R printed of the expression that its Python does not print, as a comment."""
        output = self._masked(self.captured.outputs.get(self.task, ""))
        ours = [*self.done.printed, *self.done.of_r]
        lost = compared.unshown(output, value, ours, self.done.summaries)
        return tuple(comment(f"R also printed here: {lost}", lines=3)) if lost else ()

    def _make(self, sites: Sequence[CallSite]) -> None:
        """The values of recorded calls under their names; the answers of those that stay in R are R's."""
        for site in sites:
            values = dict(zip(site.keys, (s.value for s in site.steps)))
            self.scope.values[site.name] = values if site.many else site.steps[0].value
            if any(s.state == "bridge" for s in site.steps):
                other = [without_numbers(s.value) if s.state == "bridge" else s.value for s in site.steps]
                self.constants[0].values[site.name] = dict(zip(site.keys, other)) if site.many else other[0]

    def _expressions(self, sites: Sequence[CallSite]) -> Expressions:
        ex = Expressions(self.scope, self.steps)
        ex.views = dict(self.views)
        ex.many = [site for site in sites if site.many]
        for site in sites:
            if not site.many:
                ex.calls[site.call.text] = name_of(site.name)
                ex.reached.setdefault(site.call.text, []).append(ex.calls[site.call.text])
        return ex

    def _as_before(self, tree: R, before: Mapping[str, ast.expr]) -> None:
        """What an expression does not assign at its top means what it meant; what it may not have assigned, nothing."""
        scope, own = self.scope, changed(tree, self.scope.functions)
        kept = {n: v for n, v in before.items() if n not in own}
        new = {n: v for n, v in scope.variables.items() if n in own or n[0] == " " or scope.of_r.get(n)}
        gone = {*scope.owners} - {*scope.values}
        lost = {n for n, v in (new | kept).items() if isinstance(v, ast.Name) and v.id in gone}
        scope.variables = {n: v for n, v in (new | kept).items() if n not in lost}

    def _bind_sites(self, sites: Sequence[CallSite], tree: R | None) -> None:
        """The variables that values of recorded calls reach, where the expression itself could not be written."""
        found = None if tree is None else {name for _, name in assigned(tree)}
        loops = tree is not None and any(p.function == "for" for p in outside_functions(tree))
        for site in sites:
            bound = site.variable and "$" not in site.variable and self._whole(site)
            if bound and (found is None or site.variable in found):
                made = last_of(site) if loops and site.many else name_of(site.name)
                self.scope.variables[site.variable] = made
                self.of_models.add(site.variable)

    def _run(self, block: Block, ex: Expressions, place: Place, tree: R, valued: Valued) -> list[Agreement]:
        """Run the statements, and hold what they print or give against R's."""
        if not block.lines:
            return []
        names, known = self.scope.values, self.scope.constants
        without = [c.printed_without(block.lines, names, known) for c in self.constants]
        without = [text and self._masked(text) for text in without]
        whole = self._masked(self._execute(block.lines))
        printed = re.sub("\f[^\f]*\f", "", whole)
        of_fits, beside = bool(block.digits), zip(self.constants, without)
        of_r = reduce(or_, (Counter(c.of_r(whole, other, of_fits)) for c, other in beside))
        here, every = (Counter(NUMBER.findall(text)) for text in (printed, whole))
        counts = (here - of_r, every - here - (of_r - here), of_r)
        own, summaries, theirs = (tuple(found.elements()) for found in counts)
        said = self.said.getvalue()
        self.done = replace(self.done, printed=own, summaries=summaries, of_r=theirs, said=said)
        outer = tree.function if re.fullmatch(r"[\w.]+", tree.function) else "print"
        text = one_line(str(tree.value), MOST_TEXT)
        call = RecordedCall(0, f"base::{outer}", text, place, self.task, helper=True)
        if isinstance(valued.value, (RVector, RList)) and block.written and not block.whys:
            value = self._value_of(tree, ex, valued.visible)
            if value is not _NONE:
                quality = self._quality(tree, ex)
                rows = compared.value_rows(call, value, valued.value, *quality, self.scope.in_r)
                if rows is None:
                    raise NotTranslated("Python's value has a different shape from R's")
                if self.constants[0].values.keys() & _names(block.lines):  # R's own answer, which lacks it
                    rows = [r for r in rows if r.native is not None]
                shown = (valued.visible or tree.function in PRINTING) and bool(ex.digits)
                return rows if shown else [r for r in rows if r.verdict != "agrees"]
        own_function = tree.function in self.scope.functions
        prints = tree.function in ("for", "cat", "print", "if", "{", "invisible", "lapply", "sapply")
        if not own_function and (valued.visible or not prints):
            return []
        if tree.function in PRINTING and self._raw(tree, ex) is not None:
            return []  # the numbers are those of its call
        output = self.captured.outputs.get(self.task)
        texts = output is not None and self._only_texts(tree)
        output = output and self._masked(output)
        if valued.visible:  # R prints what a function gives after its own lines
            output, ended = (output or "").removesuffix("NULL\n"), output
            texts = texts and output != ended
        digits = min(block.digits, default=9.0)
        digits -= 3.0 * any(part.function in OF_TAILS for part in self.scope.parts(tree))
        rows = list(compared.printed_rows(call, printed, output or "", texts, bool(block.whys), digits))
        return rows if block.digits else [r for r in rows if r.verdict != "agrees"]

    def _only_texts(self, tree: R) -> bool:
        """Whether it prints by `cat` alone, in the functions of the script too."""
        used = {part.function for part in self.scope.parts(tree)}
        return "cat" in used and not used & {*PRINTING, "writeLines"}

    def _of_random(self, random: tuple[ast.expr, Step, RVector], place: Place) -> list[Agreement]:
        """The predicted effects beside the attribute of R's coefficients."""
        made, step, theirs = random
        call = RecordedCall(0, "base::attr", 'attr(, "random")', place, self.task, helper=True)
        value = Interpreter(self.scope.values).value(made)
        return compared.value_rows(call, value, theirs, views.digits_of(step), 0.0) or []

    def _value_of(self, tree: R, ex: Expressions, visible: bool) -> Any:
        """The value that R's is compared with: of what is shown, or assigned."""
        if tree.function in (*_ASSIGNING, "("):
            inner = tree.operands[0] if tree.function != "(" else (tree.operands[0].operands or (tree,))[0]
            if not inner.symbol or inner.symbol not in self.scope.variables:
                return _NONE
            value = ex.value(self.scope.variables[inner.symbol])
            return _NONE if isinstance(value, Fit) or id(value) in ex.made else value
        while tree.function in PRINTING and tree.operands:
            tree = tree.operands[0]
        unlike = (*PLOTTING, "for", "if", "{", "cat", "invisible", *WRITING)
        if tree.function in unlike or self._raw(tree, ex) is not None:
            return _NONE
        if tree.function in self.scope.functions and self._several(self.scope.functions[tree.function]):
            return _NONE
        return ex.value(ex.operand(tree))

    # -- loops of call sites -----------------------------------------------------------------------------

    def _merged(self, tree: R, sites: Sequence[CallSite], block: Block) -> tuple[str, ...]:
        """The body of a loop that can stand in the loop of its only site; () where it stands by itself."""
        many = [s for s in sites if s.many]
        if tree.function != "for" or len(sites) != 1 or not many or not block.lines:
            return ()
        head = f"for {self.loops[many[0].name][0]} in {many[0].name}:"
        if block.lines[0] != head or any(not line.startswith(INDENT) and line for line in block.lines[1:]):
            return ()
        return tuple(line[len(INDENT) :] for line in block.lines[1:] if line != f"{INDENT}pass")


_NONE = object()
_ASSIGNING = ("<-", "=", "<<-")


def _names(lines: Sequence[str]) -> set[str]:
    return {part.id for part in ast.walk(ast.parse("\n".join(lines))) if isinstance(part, ast.Name)}


def _is_far(row: Agreement) -> bool:
    """Whether R's number is further from Python's than a text of both would show as one."""
    return row.r is not None and row.native is not None and abs(row.r - row.native) > EARLY * abs(row.r)


def said_of(valued: Valued) -> str:
    """R's value of that run, where it is short and was printed."""
    value = valued.value
    if not isinstance(value, RVector) or value.values.size > 12 or not valued.visible:
        return ""
    cells = zip(value.values.ravel().tolist(), value.na.ravel().tolist())
    parts = ["NA" if m else f"{v:.7g}" if isinstance(v, float) else str(v) for v, m in cells]
    if value.names is not None:
        parts = [f"{n} {p}" for n, p in zip(value.names, parts)]
    text = ", ".join(parts)
    return text if len(text) <= MOST_VALUE else ""
