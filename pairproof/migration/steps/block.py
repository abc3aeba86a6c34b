"""What the translation of a script knows at each place, and the statements of an expression so far."""

from __future__ import annotations

import ast
import contextlib
import io
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.capture.recorded import Captured, Place, Valued
from ...bridge.values.nodes import RVector
from ...validation.verdicts.agreement import Agreement
from ..translate.python_code import Names, one_line
from .evaluated import RESERVED, CallSite, Scope
from .interpreter import Interpreter, Jump
from .python import laid_out
from .translator import Expressions
from .trees import NotTranslated, R, assigned, changed

#: Characters of R's text in a comment, and of a value of that run.
MOST_TEXT, MOST_VALUE = 300, 100
#: Seconds that the Python of one expression may take.
SECONDS = 30.0
#: Lines of a text that a script prints itself; a fit's summary has more.
MOST_LINES = 6
PLOTTING = frozenset("plot barplot dotchart plotworth plot.wmat plot.wmat".split())
PRINTING = frozenset("print show print.default".split())


#: A number so many times an estimate is no ratio of it to its standard error, but one of another kind.
MUCH = 200.0
#: Functions whose values are probabilities.
OF_TAILS = frozenset("pchisq pnorm pt pf pbinom".split())
NO_VALUE = Valued(None, False)
#: Names of variables of comprehensions.
_WORDS = ("name", "value", "other", *(f"part{k}" for k in range(6)))


@dataclass(frozen=True, eq=False)
class Done:
    """A top-level expression of the script and what became of it.

    state: "translated"; "partly": some of its statements; "comment"; "data": about no model; "call": its call site
    says it all; "nothing": it gives and shows nothing.  lines: of the Python script.  why: why it is a comment; ""
    if it is not.  value: R's of that run, in few words.  inside, of: lines that stand in the loop that makes the
    values of a call site, and its name.
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


@dataclass
class Block:
    """Statements so far, without indentation; what could not be said."""

    lines: list[str] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)
    written: int = 0
    #: Of the fits that its values are made of.
    digits: list[float] = field(default_factory=list)


class State:
    """The script so far."""

    def __init__(
        self, captured: Captured, found: Sequence[CallSite], folder: Path, loops: Mapping[str, list[str]]
    ) -> None:
        self.captured = captured
        self.sites: defaultdict[int, list[CallSite]] = defaultdict(list)
        for site in found:
            self.sites[site.task].append(site)
        self.loops = loops
        names = Names(
            [*RESERVED, *(s.name for s in found), *(v for own in loops.values() for v in own), *_WORDS]
        )
        self.scope = Scope(names)
        self.steps = [step for site in found for step in site.steps]
        self.scope.values |= {"HERE": folder, "show": _show, "print": _print}
        #: Expressions of which not every call was kept -> how many were.
        self.cut = Counter((c.task, c.text) for c in captured.calls if not c.kept)
        self.task = 0
        #: The expression that is being written.
        self.tree: R | None = None
        #: R's variables of which parts are changed in place, and those that `x <- c(x, ...)` makes longer.
        self.in_place: frozenset[str] = frozenset()
        self.grown: frozenset[str] = frozenset()
        #: Depth and variables of a function -> their Python names in it.
        self.own_names: dict[tuple[int, frozenset[str]], dict[str, str]] = {}
        #: R's variables whose values are fits, or made of fits.
        self.of_models: set[str] = set()
        #: Views that have a name at the top of the script.
        self.views: dict[str, ast.expr] = {}

    def _whole(self, site: CallSite) -> bool:
        """Whether every evaluation of its call was recorded."""
        return (site.task, site.call.text) not in self.cut

    def _of_models(self, tree: R) -> bool:
        """Whether it is about a value that the Python script has, or about a model."""
        symbols = {part.symbol for part in tree.walk()}
        return bool(symbols & self.of_models) or tree.kind in ("other", "function")

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
        parts = list(e.walk())
        if not ex.digits or not any(part.function in OF_TAILS for part in parts):
            return digits, size
        of_one = any(p.function == "-" and p.operands[0].value == 1 for p in parts)
        return digits - 3.0, 1e-6 if of_one else 0.0

    def _lost(self, tree: R, valued: Valued = NO_VALUE) -> None:
        """Variables that only R has from there on; its value of that run, if it is one that can be written."""
        if tree.symbol and tree.symbol in self.scope.of_r and valued.value is not None:
            self.scope.of_r[tree.symbol] = valued.value  # a table that R showed as it is now
        for name in changed(tree, self.scope.functions):
            self.scope.variables.pop(name, None)
            self.scope.summaries.pop(name, None)
            self.scope.of_r[name] = None
        for e, name in assigned(tree):
            of_models = self._of_models(e.operands[-1])
            value = valued.value if e is tree and not tree.operands[0].operands else None
            # What a script makes of models is no constant of Python's, unless it is as short as a vector.
            plain = isinstance(value, RVector) and value.values.ndim == 1
            self.scope.of_r[name] = value if plain or not of_models else None
            if of_models:
                self.of_models.add(name)

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
        said = io.StringIO()
        written = ast.parse("\n".join(lines))
        try:
            with contextlib.redirect_stdout(said), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                with contextlib.suppress(Jump):  # of a turn by itself
                    Interpreter(self.scope.values).run(written.body)
        except NotTranslated:
            raise
        except Exception as error:
            raise NotTranslated(
                f"its Python code stopped ({type(error).__name__}: {one_line(str(error), 80)})"
            ) from None
        return said.getvalue()

    def _prints(self, e: R) -> bool:
        return any(part.function in (*PRINTING, "cat") for part in e.walk())

    def _several(self, function: R) -> bool:
        body = function.body
        return body is not None and (body.function == "{" and len(body.operands) > 1 or self._prints(body))


def _print(*values: Any, **words: Any) -> None:
    """`print` of what is compared: not of a fit's summary, whose numbers are those of its call."""
    if not any(isinstance(v, str) and v.count("\n") > MOST_LINES for v in values):
        print(*values, **words)


def _show(value: Any) -> None:
    """`show` of what is compared: numbers without their labels, which may have digits in them; a line a row."""
    rows = value.to_frame().T if isinstance(value, pd.Series) else value
    if not isinstance(rows, pd.DataFrame):
        print(*np.atleast_1d(value))
        return
    for row in rows.select_dtypes("number").to_numpy().tolist() if len(rows) else []:
        print(*row)
