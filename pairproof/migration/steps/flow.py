"""What the translation of a script knows at each place, and its control flow: loops, choices, own functions, jumps.

A loop is translated in its first turn, and once more in its second: where the two are not written alike, it has no
Python.  A function is written where it is called, with names of its own for what it assigns.  R copies on assignment:
a value that another variable may share is copied where the script changes one of the two in place.
"""

from __future__ import annotations

import ast
import io
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.capture.recorded import NOWHERE, Captured, Place, RecordedCall, Valued
from ...bridge.values.nodes import RVector
from ...files.packaged import packaged_toml
from ...validation.verdicts.agreement import Agreement
from ..translate.python_code import INDENT, Names, comment, one_line
from ..translate.translation import by_package
from .compared import Constants, displayed, show
from .evaluated import RESERVED, CallSite, Scope, at_key, for_now, in_words, key_parts
from .interpreter import Interpreter, Jump
from .python import laid_out, loop_over, name_of, names_of, node, put, text_of
from .translator import Expressions
from .trees import NotTranslated, R, assigned, calls_in, changed, jumps, outer_variables, outside_functions

#: Calls that give a new value, whatever they are given.
_NEW = frozenset(
    "round drop add_prefix sort sort_values mean sum max min cumsum mask array full exp log arange concat zeros"
    " copy".split()
)
#: What a scope keeps when it goes back: names that were given stay given.
_NAMING = ("names", "python", "owners")
#: Functions of the script within one another that are written out.
DEEPEST = 4
#: Characters of R's text in a comment.
MOST_TEXT = 300
#: Lines of a text that a script prints itself; a fit's summary has more.
MOST_LINES = 6
#: Packages all of whose fits are models of comparisons.
OF_FIELD = frozenset("prefmod BradleyTerry2 psychotools psychotree PlackettLuce eba".split())
#: Function, as written without its package -> why it is left out, in words.
_LEFT_OUT = packaged_toml("pairproof.migration.steps", "functions_left_out.toml")
REASONS: Mapping[str, str] = {name: why for why, names in _LEFT_OUT.items() for name in names.split()}
PLOTTING = frozenset("plot barplot dotchart plotworth plot.wmat".split())
PRINTING = frozenset("print show print.default printCoefmat".split())
WRITING = frozenset(["write.csv", "write.table"])


#: A number so many times an estimate is no ratio of it to its standard error, but one of another kind.
MUCH = 200.0
#: Functions whose values are probabilities.
OF_TAILS = frozenset("pchisq pnorm pt pf pbinom".split())
NO_VALUE = Valued(None, False)
#: CallSite -> the Python variables that run over its keys.
Loops = Mapping[str, list[str]]
Sites = Sequence[CallSite]
#: Names of variables of comprehensions.
_WORDS = ("name", "value", "other", *(f"part{k}" for k in range(6)))


@dataclass(frozen=True, eq=False)
class Done:
    """A top-level expression of the script and what became of it.

    state: "translated"; "partly": some of its statements; "comment"; "data": about no model; "call": its call site
    says it all; "nothing": it gives and shows nothing.  lines: of the Python script.  why: why it is a comment; ""
    if it is not.  value: R's of that run, in few words.  inside, of: lines that stand in the loop that makes the
    values of a call site, and its name.  printed: the numbers that Python prints, and summaries those in summaries of
    fits; of_r: others that are R's of that run, as constants or answers, or computed with them.  unlike: R's numbers
    of fits and their tests, of which Python has others.  labels: names in what R printed, whose digits are no numbers.
    said: what its lines printed when they were evaluated.
    """

    task: int
    place: Place
    text: str
    state: str
    lines: tuple[str, ...] = ()
    why: str = ""
    value: str = ""
    rows: tuple[Agreement, ...] = ()
    inside: tuple[str, ...] = ()
    of: str = ""
    printed: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    of_r: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    said: str = ""


@dataclass
class Block:
    """Statements so far, without indentation; what could not be said."""

    lines: list[str] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)
    written: int = 0
    #: Of the fits that its values are made of.
    digits: list[float] = field(default_factory=list)

    def joined(self, inner: Block) -> None:
        """What could not be said within it, and the digits of what was."""
        self.whys += inner.whys
        self.digits += inner.digits


def of_others(captured: Captured) -> set[str]:
    """The functions of the text that REASONS names, and whose calls R did not record."""
    return {m.function for m in captured.text.mentioned} & {*REASONS} - {c.name for c in captured.calls}


class State:
    """The script so far."""

    def __init__(self, captured: Captured, found: Sequence[CallSite], folder: Path, loops: Loops) -> None:
        self.captured, self.loops = captured, loops
        self.sites: defaultdict[int, list[CallSite]] = defaultdict(list)
        for site in found:
            self.sites[site.task].append(site)
        #: The calls of each expression that fit a model of any kind, whether they have Python or not.
        self.fitted = defaultdict[int, list[RecordedCall]](list)
        for call in captured.calls:
            if not call.helper and (call.package in OF_FIELD or not by_package(call)):
                self.fitted[call.task].append(call)
        self.scope = Scope(Names([*RESERVED, *(s.name for s in found), *chain(*loops.values()), *_WORDS]))
        self.steps = [step for site in found for step in site.steps]
        self.scope.values |= {"HERE": folder, "show": self._shows, "print": self._printed}
        #: Expressions of which not every call was kept -> how many were.
        self.cut = Counter((c.task, c.text) for c in captured.calls if not c.kept)
        self.task, self.place = 0, NOWHERE
        #: R's variables that a statement took their Python, and its place; the first reason of a statement.
        self.gone, self.reasons = dict[str, str](), dict[tuple[int, str], str]()
        #: What the statements that ran last print in the script.
        self.said = io.StringIO()
        #: The expression that is being written.
        self.tree: R | None = None
        #: R's variables of which parts are changed in place, those that are filled by `x[k] <- value`
        #: alone, and those that `x <- c(x, ...)` makes longer.
        self.in_place: frozenset[str] = frozenset()
        self.filled: frozenset[str] = frozenset()
        self.grown: frozenset[str] = frozenset()
        #: Depth and variables of a function -> their Python names in it.
        self.own_names: dict[tuple[int, frozenset[str]], dict[str, str]] = {}
        #: R's variables whose values are fits, or made of fits; functions that fit or test, and are left out.
        self.of_models = of_others(captured)
        self.scope.of_models = self.of_models.__contains__
        self.constants = (Constants(True), Constants(False))
        #: Views that have a name at the top of the script.
        self.views: dict[str, ast.expr] = {}

    def _whole(self, site: CallSite) -> bool:
        """Whether every evaluation of its call was recorded."""
        return (site.task, site.call.text) not in self.cut

    def _of_models(self, tree: R) -> bool:
        """Whether it is about a value that the Python script has, or about a model."""
        symbols = {part.symbol for part in tree.walk()}
        # get() is of a variable by its name, whatever it is.
        return bool(symbols & {"get", *self.of_models}) or tree.kind in ("other", "function")

    def _fits(self, e: R) -> bool:
        """Whether it makes a fit of its expression, by its own call, or where a package or a function makes it."""
        calls = [*(s.call for s in self.sites.get(self.task, [])), *self.fitted.get(self.task, [])]
        parts = map(self.scope.parts, (self.tree or e, e))
        here, own = ({p.value for p in within if p.kind == "call"} for within in parts)
        return any(call.text in own or call.text not in here for call in calls)

    def _quality(self, e: R, ex: Expressions) -> tuple[float, float]:
        """Digits that a value has which is made of fits, and the size of what cancels in it.

        Beside something much larger, a deviance, estimates of few digits leave the sum as many as their own size
        allows; a factor of 10 for what multiplies them.  A probability in the tail has as many digits less as its
        statistic has before the point; what is 1 less another has none below 1e-14.
        """
        digits, size = min(ex.digits, default=9.0), max(ex.leaves, default=0.0)
        if size > MUCH * max((s for d, s in zip(ex.digits, ex.leaves) if d == digits), default=size):
            own = (d + math.log10(size / s) for d, s in zip(ex.digits, ex.leaves) if s)
            digits = max(digits, min(own) - 1.0)
        parts = self.scope.parts(e)
        if not ex.digits or not any(part.function in OF_TAILS for part in parts):
            return digits, size
        of_one = any(p.function == "-" and p.operands[0].value == 1 for p in parts)
        return digits - 3.0, 1e-6 if of_one else 0.0

    def _lost(self, tree: R, valued: Valued = NO_VALUE) -> None:
        """Variables that only R has from there on; its value of that run, if it is one that can be written."""
        if tree.symbol and tree.symbol in self.scope.of_r and valued.value is not None:
            self.scope.of_r[tree.symbol] = valued.value  # a table that R showed as it is now
        for name in changed(tree, self.scope.functions):
            if self.scope.variables.pop(name, None) is not None:
                self.gone[name] = str(self.place)
            self.scope.summaries.pop(name, None)
            self.scope.of_r[name] = None
        for part in outside_functions(tree):
            if part.function == "for" and self._of_models(part.operands[1]):
                self.of_models.add(part.operands[0].symbol)
        for e, name in assigned(tree):
            function = e.operands[-1].kind == "function" and not {p.symbol for p in e.walk()} & self.of_models
            of_models = not function and self._of_models(e.operands[-1]) or self._fits(e.operands[-1])
            value = valued.value if e is tree and not tree.operands[0].operands else None
            # What a script makes of models is no constant of Python's, unless it is as short as a vector.
            plain = isinstance(value, RVector) and value.values.ndim == 1
            self.scope.of_r[name] = value if plain or not of_models else None
            if of_models:
                self.of_models.add(name)
        self._changed_outside(tree)

    def _changed_outside(self, tree: R) -> None:
        """The variables that functions of the script change outside themselves are of what they are called with."""
        if self.sites.get(self.task) or self._of_models(tree):
            self.of_models |= outer_variables(tree, self.scope.functions)

    def _before(self, ex: Expressions, block: Block) -> None:
        """What an expression needs before it."""
        block.lines += [line for text in ex.before for line in laid_out(text)]
        ex.before.clear()

    def _emit(self, ex: Expressions, block: Block, *lines: str) -> None:
        """Statements, with what they need before them."""
        self._before(ex, block)
        block.digits += ex.digits
        for text in lines:
            block.lines += text.split("\n") if "\n" in text else laid_out(text)
        block.written += 1

    def _execute(self, lines: Sequence[str]) -> str:
        """Run statements in the script's names; what they print."""
        said, self.said = io.StringIO(), io.StringIO()
        written = ast.parse("\n".join(lines))
        try:
            with redirect_stdout(said), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                with suppress(Jump):  # of a turn by itself
                    Interpreter(self.scope.values).run(written.body)
        except NotTranslated:
            raise
        except Exception as error:
            raise NotTranslated(f"its Python stops: {in_words(error)}") from None
        return said.getvalue()

    def _printed(self, *values: Any, **words: Any) -> None:
        """`print` of what is compared; between form feeds a fit's summary, whose numbers are those of its call."""
        if "file" not in words:
            print(*values, **words, file=self.said)
        if any(isinstance(v, str) and v.count("\n") > MOST_LINES for v in values):
            print("\f", *values, "\f")
        elif "file" not in words:
            print(*values, **words)

    def _shows(self, value: Any) -> None:
        """`show` of what is compared."""
        print(displayed(value), file=self.said)
        show(value)

    def _prints(self, e: R) -> bool:
        return any(part.function in (*PRINTING, "cat") for part in e.walk())

    def _several(self, function: R) -> bool:
        body = function.body
        return body is not None and (body.function == "{" and len(body.operands) > 1 or self._prints(body))


@dataclass(frozen=True)
class Loop:
    """A loop of Python: its variable, what it runs over, and the values of its turns."""

    name: str
    over: ast.expr
    turns: tuple[Any, ...]
    #: Whether R's variable runs over the same values.
    own: bool
    #: Whether it runs over the keys of fits, and the texts of the calls that are evaluated in each turn.
    keyed: bool = False
    calls: frozenset[str] = frozenset()


class Flow(State):
    """Loops, choices and functions."""

    #: Writes a statement: the expression, and whether R shows what it gives.
    _statement: Callable[[R, Expressions, Block, bool], None]
    #: The loop that is being written, where `next` and `break` mean it.
    loop: Loop | None = None
    #: Whether a statement may be run less often or more often than once.
    choosing = False
    inlined = 0

    def _try(self, e: R, ex: Expressions, block: Block, visible: bool) -> None:
        """A statement among others: a comment where it cannot be said; one that leaves takes the whole with it."""
        kept = list(block.lines), block.written, dict(self.scope.variables), dict(ex.views)
        try:
            self._statement(e, ex, block, visible)
        except NotTranslated as why:
            block.lines, block.written, self.scope.variables, ex.views = kept
            ex.before.clear()
            said = self._reason(str(why), e)
            self._lost(e)
            if self.inlined:
                self.scope.without |= {name: said for _, name in assigned(e)}
            if jumps(e):
                raise
            if e.function in ("<-", "=") and not self._of_models(e) and not self._fits(e):
                block.lines += comment(f"data of R: {one_line(str(e.value), MOST_TEXT)}")
            elif not self._is_of_sites(e):
                text = e.value if e.kind in ("call", "other") else ""
                self._not_written(str(text), said, block)

    def _reason(self, why: str, e: R) -> str:
        """Why an expression has no Python, with what else is known of it where it stands."""
        if why.endswith("may use"):  # the interpreter's word for Python that it does not run
            return "its Python would be of a form that is not supported"
        name = why.removeprefix("the Python script has no value for ")
        if name in self.scope.functions:
            return f"{name}() is a function of the script, and this use of it is not supported"
        if name in self.gone:
            return f"{why} after {self.gone[name]}, which changes it"
        for site in self.sites.get(self.task, []):
            if site.many and why == f"{site.call.name}() is not supported":
                return f"{site.call.name}() is called {len(site.steps)} times in it, which is not supported"
        there = {n for n, v in self.scope.of_r.items() if v is not None} - {*self.scope.variables}
        names = sorted(there & {part.symbol for part in e.walk()})
        return why.replace("a value that", f"{', '.join(names)}, which") if names else why

    def _not_written(self, text: str, why: str, block: Block) -> None:
        # A later turn of a loop lacks what this one lost.
        why = self.reasons.setdefault((self.task, text), why)
        block.lines += comment(f"not translated: {one_line(text, MOST_TEXT)}: {why}")
        block.whys.append(why)

    def _is_of_sites(self, e: R) -> bool:
        """Whether it makes values that the call sites write."""
        return any(site.call.text in calls_in(e) for site in self.sites.get(self.task, []))

    def _several_statements(self, e: R, ex: Expressions, block: Block, visible: bool) -> None:
        for k, part in enumerate(e.operands):
            after = e.operands[k + 1 :]
            if self.loop and jumps(part) and self.loop.calls & calls_in(*after):
                # The loop runs over the turns that come to the call, in none of which this was taken.
                if block.written:
                    also = "R printed or assigned in other turns too"
                    raise NotTranslated(f"the loop runs over its fits, and {also}")
                why = "the loop runs over the turns in which a fit is made"
                self._not_written(str(part.value), why, block)
            else:
                self._try(part, ex, block, visible and not after)

    def _jump(self, e: R, ex: Expressions, block: Block) -> None:
        if self.loop is None:
            raise NotTranslated(f"{e.function} leaves a loop that is not written")
        self._emit(ex, block, "continue" if e.function == "next" else "break")

    # -- values that are shared ------------------------------------------------------------------------------

    def _apart(self, made: ast.expr, ex: Expressions, always: bool) -> ast.expr:
        """A value that is no other variable's: a copy, where it may be and one of the two is changed in place."""
        match made:
            case ast.Dict(keys=keys, values=values):
                return ast.Dict(keys, [self._apart(v, ex, False) for v in values])
            case ast.List(elts=parts):
                return ast.List([self._apart(v, ex, False) for v in parts], ast.Load())
            case ast.IfExp(test=test, body=yes, orelse=no):
                return ast.IfExp(test, self._apart(yes, ex, always), self._apart(no, ex, always))
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
                owners = {self.scope.owners.get(n) for n in names_of(made)}
                shared = always or bool(owners & self.in_place)
                if shared and not _is_new(made) and _is_changeable(ex.value(made)):
                    return put("x.copy()", x=made)
        return made

    def _own_name(self, symbol: str, made: ast.expr, ex: Expressions, block: Block) -> ast.Name:
        """A variable under a name that is no other's, for a value that will be changed or replaced."""
        name = self.scope.name(symbol)
        if isinstance(made, ast.Name) and made.id == name:
            return made
        made = self._apart(made, ex, symbol in self.in_place)
        self._emit(ex, block, f"{name} = {text_of(made)}")
        self.scope.values[name] = ex.value(made)
        self.scope.variables[symbol] = own = name_of(name)
        return own

    def _settle(self, e: R, ex: Expressions, block: Block) -> None:
        """Give what a loop or a choice may change a name before it; of what it binds to fits no turn knows the last."""
        scope, sites = self.scope, self.sites.get(self.task, [])
        of_sites = {s.variable.partition("$")[0] for s in sites} - {""}
        for symbol in sorted(changed(e, scope.functions)):
            scope.summaries.pop(symbol, None)
            if symbol in of_sites:
                continue
            if symbol not in scope.variables and scope.of_r.get(symbol) is not None:
                with suppress(NotTranslated):
                    ex.variable(symbol)
            if symbol in scope.variables:
                self._own_name(symbol, scope.variables[symbol], ex, block)

    # -- loops -----------------------------------------------------------------------------------------------

    def _turns(self, e: R, sites: Sites, ex: Expressions) -> Loop:
        """What a loop runs over: the keys of its fits, else R's values."""
        variable, over, _ = e.operands
        named = [s for s in sites if variable.symbol in s.loop_names]
        site = min(named, key=lambda s: len(s.loop_names), default=None)
        if site is not None and len(site.loop_names) > 1:
            return self._of_several(site, variable.symbol, over, ex)
        keys = site or next((s for s in sites if not s.loop_names and s.call.text in calls_in(e)), None)
        if keys is not None:
            turns = tuple(key_parts(k)[0] for k in keys.keys)
            calls = frozenset(s.call.text for s in sites if len(s.keys) == len(turns))
            over_keys = name_of(keys.name)
            return Loop(self.loops[keys.name][0], over_keys, turns, site is not None, True, calls)
        made = ex.operand(over)
        if ex.kind(made) == "d":
            raise NotTranslated("a loop over the columns of a table is not supported")
        made = put("x.values()", x=made) if isinstance(ex.value(made), dict) else self._apart(made, ex, False)
        turns = tuple(ex.value(made))
        if not turns:
            raise NotTranslated("it loops over nothing")
        return Loop("", made, turns, True)

    def _of_several(self, site: CallSite, symbol: str, over: R, ex: Expressions) -> Loop:
        """One of several loops around a fit: it runs over the keys that are in this turn of the loops around it."""
        at, words = site.loop_names.index(symbol), self.loops[site.name]
        outer = [k for k, w in enumerate(words) if k != at and w in self.scope.values]
        keys = [key_parts(key) for key in site.keys]
        now = [key for key in keys if all(key[k] == self.scope.values[words[k]] for k in outer)]
        turns = tuple(dict.fromkeys(key[at] for key in now))
        made: ast.expr = node(list(turns))
        if outer:
            loop = loop_over(put("key"), name_of(site.name))
            loop.ifs = [put("key[k] == w", k=k, w=name_of(words[k])) for k in outer]
            listed = ast.ListComp(put("key[k]", k=at), [loop])
            made = listed if len(outer) == len(words) - 1 else put("dict.fromkeys(x)", x=listed)
        else:
            with suppress(NotTranslated):
                found = ex.operand(over)
                made = found if tuple(ex.value(found)) == turns else made
        return Loop(words[at], made, turns, True, True, frozenset({site.call.text}))

    def _for(self, e: R, ex: Expressions, block: Block, loop: Loop | None = None) -> None:
        variable, over, turn = e.operands
        if self._of_models(over):
            self.of_models.add(variable.symbol)
        sites = [s for s in self.sites.get(self.task, []) if s.many]
        loop = loop or self._turns(e, sites, ex)
        loop = loop if loop.keyed else replace(loop, name=self.scope.name(variable.symbol))
        self._all_turns(e, loop, ex)
        self._settle(turn, ex, block)
        own = {s.variable.partition("$")[0] for s in sites} & changed(turn, self.scope.functions)
        for symbol in own - {variable.symbol}:
            self.scope.variables.pop(symbol, None)
        inner, listed = self._body(turn, variable.symbol, loop, sites)
        block.joined(inner)
        head = [*laid_out(f"for {loop.name} in {text_of(loop.over)}:")]
        body = [INDENT + line if line else "" for line in inner.lines]
        if not inner.written:
            self._after_loop(e, loop, sites, listed, False)
            if block.whys and not loop.keyed:
                raise NotTranslated("; ".join(dict.fromkeys(inner.whys)))
            if inner.lines:
                block.lines += [*head, *body, f"{INDENT}pass"]
            return
        self._emit(ex, block)
        lines = [*head, *body]
        block.lines += lines
        block.written += 1
        self._after_loop(e, loop, sites, listed, True)
        if e is not self.tree:  # statements of the expression go on with what it gave
            self._run_apart(lines)

    def _body(self, body: R, symbol: str, loop: Loop, sites: Sites) -> tuple[Block, Sites]:
        """The statements of a turn, which are those of every turn."""
        start = self.scope.kept()
        variables, whys = changed(body, self.scope.functions), list[str]()
        while True:
            inner = self._turn_of(body, symbol, loop, sites, loop.turns[0])
            lost = {n for n in start["variables"] if n in variables and n not in self.scope.variables}
            if not lost:
                break
            # What a turn loses, the turns after it do not have from their beginning on.
            self.scope.restore(start)
            whys += inner.whys
            for name in lost:
                self.scope.variables.pop(name)
                self.scope.of_r[name] = None
            start = self.scope.kept()
        inner.whys[:0] = whys
        listed = [s for s in sites if s.variable and self._is_its_list(s)]
        end = self.scope.kept()
        known = variables | {*start["variables"]}
        end["variables"] = {n: v for n, v in end["variables"].items() if n in known}
        begin = {"values": start["values"]}
        if len(loop.turns) > 1 and inner.written:
            first = self._tried(inner.lines, loop, {**end, **begin, "names": start["names"]})
            later = self._turn_of(body, symbol, loop, sites, loop.turns[1])
            if later.lines != inner.lines:
                inner, end = later, self.scope.kept()
                # It names parameters that the first turn's fit lacks; there it says the same.
                if self._tried(inner.lines, loop, {**end, **begin}) != first:
                    raise NotTranslated("a later turn of the loop is written otherwise than its first")
        self.scope.restore({**end, **begin})
        return inner, listed

    def _tried(self, lines: Sequence[str], loop: Loop, scope: Mapping[str, Any]) -> tuple[str, list[str]]:
        """Run the first turn from there; what it prints and gives."""
        self.scope.restore(scope)
        self.scope.values[loop.name] = loop.turns[0]
        said = self._run_apart(lines)
        assigned = sorted({*self.scope.owners} & {*self.scope.values})
        return said, [repr(self.scope.values[name]) for name in assigned]

    def _run_apart(self, lines: Sequence[str]) -> str:
        """Run statements that will be run once more, on copies of what they change in place."""
        values = self.scope.values
        for name, owner in self.scope.owners.items():
            if owner in self.in_place and _is_changeable(values.get(name)):
                values[name] = values[name].copy()
        return self._execute(lines)

    def _turn_of(self, body: R, symbol: str, loop: Loop, sites: Sites, value: Any) -> Block:
        """The statements of a turn with this value of its variable."""
        scope = self.scope
        scope.values[loop.name] = value
        scope.variables.pop(symbol, None)
        scope.of_r[symbol] = None
        if loop.own:
            scope.variables[symbol] = name_of(loop.name)
        own = Expressions(scope, self.steps)
        for s in sites:
            if (turn := self._turn(s)) is not None:
                own.calls[s.call.text] = turn
                own.reached.setdefault(s.call.text, []).append(turn)
            elif len(s.loop_names) > 1:
                own.many.append(s)
        inner = Block()
        scope.turns.append([{loop.name: other} for other in loop.turns if other is not value])
        with for_now(self, loop=loop, choosing=True):
            self._try(body, own, inner, False)
        scope.turns.pop()
        return inner

    def _turn(self, site: CallSite) -> ast.expr | None:
        """`fit_r[r]`, where the loop over its keys runs."""
        words = self.loops[site.name]
        there = all(w in self.scope.values for w in words)
        return at_key(site, [name_of(w) for w in words]) if there else None

    def _all_turns(self, e: R, loop: Loop, ex: Expressions) -> None:
        """Refuse a loop over fits that are not made in every turn, as its other statements are."""
        choices = (p for p in outside_functions(e.operands[2]) if p.function in ("if", "switch", "while"))
        if not loop.calls & calls_in(*choices):
            return
        with suppress(NotTranslated):
            if len(ex.value(ex.operand(e.operands[1]))) == len(loop.turns):
                return
        raise NotTranslated("its fits may not be made in every turn of the loop")

    def _is_its_list(self, site: CallSite) -> bool:
        """Whether its variable is now the list that the loop fills."""
        made = self.scope.variables.get(site.variable.partition("$")[0])
        return made is not None and text_of(made) == site.name

    def _is_own(self, variable: str) -> bool:
        """Whether it has a name of its own: what a statement made of fits, and no fit."""
        made = self.scope.variables.get(variable)
        return isinstance(made, ast.Name) and self.scope.owners.get(made.id) == variable

    def _after_loop(self, e: R, loop: Loop, sites: Sites, lists: Sites, written: bool) -> None:
        """What a loop's variables mean after it: the list that it filled, else the last fit; its own the last value."""
        variables, symbol = {name for _, name in assigned(e)}, e.operands[0].symbol
        for name in variables:
            self.scope.summaries.pop(name, None)
        for site in sites:
            variable = site.variable.partition("$")[0]
            if variable in variables and not self._is_own(variable):
                made: ast.expr = name_of(site.name)
                self.scope.variables[variable] = made if site in lists else last_of(site)
        if symbol in variables:
            return
        used = {part.function for part in outside_functions(e.operands[2])}
        last, leaves = loop.turns[-1], bool(used & {"next", "break"})
        if written and not loop.keyed:
            self.scope.values[loop.name] = last
            self.scope.variables[symbol] = name_of(loop.name)
        elif loop.own and isinstance(last, (str, int, float)) and not leaves:
            self.scope.variables[symbol] = node(last)
        else:
            self.scope.variables.pop(symbol, None)

    # -- choices ---------------------------------------------------------------------------------------------

    def _if(self, e: R, ex: Expressions, block: Block, visible: bool) -> None:
        test, *parts = e.operands
        condition = ex.operand(test)
        for part in parts:
            self._settle(part, ex, block)
        self._before(ex, block)
        taken = bool(ex.value(put("bool(x)", x=condition)))
        scope, start, views = self.scope, self.scope.kept(), dict(ex.views)
        branches, ends = [], []
        for part in (*parts, R("empty"))[:2]:
            inner = Block()
            if part.kind != "empty":
                with for_now(self, choosing=True):
                    self._statement(part, ex, inner, visible)
            branches.append(inner)
            block.joined(inner)
            ends.append(scope.kept())
            # What has a name in one branch only has none after it.
            ex.views = dict(views)
            scope.restore(start, but=_NAMING)
        known, variables = start["variables"], changed(e, scope.functions)
        lost = {n for end in ends for n in known if n not in end["variables"]}
        found = {n: v for end in ends for n, v in end["variables"].items() if n in variables or n in known}
        scope.restore(ends[0 if taken else 1], but=_NAMING)
        scope.variables = {n: v for n, v in found.items() if n not in lost}
        scope.of_r.update(dict.fromkeys(lost))
        for symbol in variables:
            scope.summaries.pop(symbol, None)
        block.written += 1
        for word, inner in zip((f"if {text_of(condition)}:", "else:"), branches[: len(parts)]):
            block.lines += [*laid_out(word), *(INDENT + line for line in inner.lines or ["pass"])]


def last_of(site: CallSite) -> ast.expr:
    """The last value of a call site."""
    return at_key(site, key_parts(site.keys[-1]))


def _is_changeable(value: Any) -> bool:
    return isinstance(value, (pd.Series, pd.DataFrame, np.ndarray, list, dict))


def _is_new(made: ast.expr) -> bool:
    """`x.round(3)`, `pd.Series({...})`: a value that was made there."""
    if not isinstance(made, ast.Call):
        return isinstance(made, (ast.Dict, ast.List, ast.DictComp, ast.ListComp, ast.BinOp))
    of = made.func.attr if isinstance(made.func, ast.Attribute) else ""
    return of in _NEW or of in ("Series", "DataFrame") and (not made.args or _is_new(made.args[0]))
