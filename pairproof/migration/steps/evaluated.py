"""Values of a script as they are translated: calls with Python code, names in a scope, expressions evaluated in it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import reduce
from typing import Any, Union

import numpy as np
import pandas as pd

from ...bridge.capture.recorded import RecordedCall
from ...bridge.values.nodes import RList, RValue, RVector
from ...fit.fit import Fit
from ..translate.python_code import OWN, WIDTH, Names, identifier
from ..translate.translation import Step
from . import views
from .compared import numbers_of_r
from .interpreter import MODULES, Interpreter
from .python import by_rule, dict_of, kind_of, name_of, names_of, node, put, text_of, tuple_of
from .trees import NotTranslated, R, own_variables

RESERVED = (*OWN, *MODULES, "show", "using", "Backend", "Records", "x", "v")
#: Functions that only set something up in R.
SETTINGS = frozenset(
    "library require requireNamespace suppressPackageStartupMessages set.seed options setwd rm source attach detach par"
    " layout sink pdf png jpeg svg dev.off graphics.off Sys.setenv Sys.setlocale theme_set gc flush.console data".split()
)
#: A view that is longer gets a name of its own.
LONG = 46
#: The mark of R's value of that run in the script.
OF_RUN = "R's value of that run"
#: Columns of R's quasi variances.
QUASI = ("estimate", "SE", "quasiSE", "quasiVar")
#: Longest vector of the run that stands in the script as a constant.
MOST_CONSTANT = 60


#: What is written of a fit; whether the fits of its place leave out different parameters.
View = Callable[[Step, bool], ast.expr]
#: Values of names in a turn of a loop; R's variables in Python.
Turn = Mapping[str, Any]
Variables = Mapping[str, ast.expr]
#: A loop variable's value, or several of nested loops, or 1, 2, ...
Key = Union[str, int, float, tuple[Union[str, int, float], ...]]


@dataclass(frozen=True, eq=False)
class CallSite:
    """A call of the script that has Python code, its evaluations, and keys of their values' dict (() for one)."""

    name: str
    steps: tuple[Step, ...]
    keys: tuple[Key, ...]
    loop_names: tuple[str, ...]
    variable: str
    task: int
    where: str = ""

    @property
    def call(self) -> RecordedCall:
        """Its first evaluation."""
        return self.steps[0].call

    @property
    def many(self) -> bool:
        """Whether it was evaluated several times, so that its value is a dict."""
        return bool(self.keys)


def key_parts(key: Key) -> tuple[Union[str, int, float], ...]:
    """The values of the loop variables."""
    return key if isinstance(key, tuple) else (key,)


def at_key(site: CallSite, parts: Sequence[Union[ast.expr, str, int, float]]) -> ast.expr:
    """`fits[r]`, `fits[v, l]`."""
    return put("x[k]", x=name_of(site.name), k=tuple_of([node(part) for part in parts]))


def loop_names(found: Sequence[CallSite]) -> dict[str, list[str]]:
    """CallSite -> the Python variables that run over its keys; the same for a loop variable wherever it is used."""
    names, known, named = Names(site.name for site in found), dict[str, str](), dict[str, list[str]]()
    for site in (s for s in found if s.many):
        words = site.loop_names or ("i",) * len(key_parts(site.keys[0]))
        for word in words:
            if word not in known:
                known[word] = names.name(word, "key")
        named[site.name] = [known[w] for w in words]
    return named


@dataclass(frozen=True)
class Lacking:
    """A vector of coefficients, or a table of a row each, that lacks some of R's.

    names: R's, by which places are found.  missing: those that Python does not have.  na: whether they are NA in R.
    """

    names: tuple[str, ...]
    missing: tuple[str, ...]
    na: bool

    def moved(self, whole: list[Any], now: list[Any]) -> tuple[str, ...]:
        """R's names in another order, with NA last; () where it is not known."""
        back = dict(zip(whole, (n for n in self.names if n not in self.missing)))
        known = self.na and {*now} <= {*back}
        return (*(back[n] for n in now), *self.missing) if known else ()

    def __str__(self) -> str:
        some = ", ".join(self.missing[:3]) + (", ..." if len(self.missing) > 3 else "")
        return f"R has {'NA for ' if self.na else ''}{some} in the vector, and Python does not"


class Scope:
    """Variables of the script where a statement stands: R's name -> the expression that it is in Python."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.variables: dict[str, ast.expr] = {}
        self.python: dict[str, str] = {}
        #: Python name -> R's variable.
        self.owners: dict[str, str] = {}
        #: Variables of the functions within which we are.
        self.locals: list[frozenset[str]] = []
        self.values: dict[str, Any] = dict(MODULES)
        #: Whether an R variable is made of fits.
        self.of_models: Callable[[str], bool] = bool
        #: Whether it is of models: Python name -> text of R's value of that run that it is.
        self.constants: dict[bool, dict[str, str]] = {True: {}, False: {}}
        #: R's variables that no Python has, and what R had; None where that was not kept.
        self.of_r: dict[str, RValue | None] = {}
        self.functions: dict[str, R] = {}
        #: Text of a vector that lacks coefficients of R's -> what R's has.
        self.places: dict[str, Lacking] = {}
        #: R's variable -> the summary(m), or logLik(m), that it is.
        self.summaries: dict[str, R] = {}
        #: Python name -> digits of the fits that its value is made of, and the size of their numbers.
        self.quality: dict[str, tuple[float, float]] = {}
        #: Place of a call -> whether its fits leave out different parameters.
        self.varying: dict[tuple[int, int, str], bool] = {}
        #: For each loop around the place: the names that change in it, as they are in its other turns.
        self.turns: list[list[dict[str, Any]]] = []
        #: Names of parameters in Python -> in R.
        self.in_r: dict[str, str] = {}
        #: R's variable within a function of the script that has no Python -> why.
        self.without: dict[str, str] = {}

    def changed(self, name: str) -> None:
        """Forget what a variable, and what was made of it, lacks."""
        word = re.compile(rf"(?<![\w.\"]){re.escape(name)}(?!\w)")
        self.places = {text: lacking for text, lacking in self.places.items() if not word.search(text)}

    def name(self, variable: str) -> str:
        """The Python name that a variable of the script is given."""
        if variable not in self.python:
            self.python[variable] = self.names.name(variable, "value")
            self.owners[self.python[variable]] = variable
        return self.python[variable]

    def parts(self, e: R) -> list[R]:
        """All within an expression, and within the functions of the script that it calls."""
        bodies = [self.functions[p.function] for p in e.walk() if p.function in self.functions]
        return [part for of in (e, *bodies) for part in of.walk()]

    def kept(self) -> dict[str, Any]:
        """All of it as it is now."""
        return {k: deepcopy(v) if k == "names" else copy(v) for k, v in vars(self).items()}

    def restore(self, kept: Mapping[str, Any], but: Sequence[str] = ()) -> None:
        """All of it, except for some, as it was."""
        for name, value in kept.items():
            if name not in but:
                setattr(self, name, deepcopy(value) if name == "names" else copy(value))

    def lexical(self, name: str, function: R) -> None:
        """Refuse a function whose variables are other ones where it is called: R looks where it was made."""
        hidden = frozenset[str]().union(*self.locals)
        if function.body is None:
            return
        own = own_variables(function.body)
        if any(part.symbol in own for _, default in function.arguments for part in default.walk()):
            raise NotTranslated(f"a default of {name}() may depend on what it assigns")
        if name in hidden:
            return
        own |= {n for n, _ in function.arguments}
        if met := sorted(hidden & {part.symbol for part in function.walk()} - own - {""}):
            whose = "another variable in the function that calls it"
            raise NotTranslated(f"{name}() uses {met[0]}, which is {whose}")


@contextmanager
def for_now(of: object, **values: Any) -> Iterator[None]:
    """Attributes that have other values for a while."""
    before = {name: getattr(of, name) for name in values}
    vars(of).update(values)
    try:
        yield
    finally:
        vars(of).update(before)


def in_words(error: Exception) -> str:
    """What stops Python, in words of the script."""
    if isinstance(error, LookupError):
        return "it takes a part that the value does not have in Python"
    return "its values do not go together in Python as they do in R"


class Evaluated:
    """Expressions of Python in a scope, and what they give; the rooms of the vocabulary are made upon it."""

    #: Python of an expression, of a variable of the script, and of what one of its functions gives.
    expression: Callable[[R], ast.expr]
    variable: Callable[[str], ast.expr]
    body: Callable[[R], ast.expr]
    #: A function of each element of a vector with each of another.
    pairs: Callable[[ast.expr, ast.expr, R], ast.expr]

    def __init__(self, scope: Scope, steps: Iterable[Step]) -> None:
        self.scope = scope
        #: id of a value of a recorded call -> its step; the steps keep the values alive.
        self.made = {id(s.value): s for s in steps if s.value is not None}
        #: Text of a recorded call that is evaluated where we are -> its value's expression.
        self.calls: dict[str, ast.expr] = {}
        #: Of one that a function of the script reaches: an expression a time, and those that are taken.
        self.reached: dict[str, list[ast.expr]] = {}
        self.taken: dict[int, ast.expr] = {}
        #: id of an expression -> its value in R, where that was recorded.
        self.of_run: dict[int, RValue] = {}
        self.before: list[str] = []
        self.views: dict[str, ast.expr] = {}
        self.used: list[Step] = []
        self.digits: list[float] = []
        self.leaves: list[float] = []
        #: Call sites of the expression that were evaluated several times.
        self.many: list[CallSite] = []
        self.inline = False
        #: Whether what functions print is written elsewhere.
        self.silent = False
        #: R's variables of the comprehensions around us, and "name" of the names that one goes through.
        self.keyed: dict[str, ast.expr] = {}
        #: Vectors that lack some of R's coefficients among the operands of the call that is being translated.
        self.lacking: list[tuple[ast.expr, Lacking]] = []
        #: Whether the names of a vector of coefficients are lost in what is made of it.
        self.bare = False
        #: Whether a comparison with what is missing, NA in R, may be False here.
        self.na_is_false = False

    def value(self, made: ast.expr) -> Any:
        """What an expression gives now."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return Interpreter(self.scope.values).value(made)
            except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError) as error:
                raise NotTranslated(f"Python cannot compute it: {in_words(error)}") from None

    def kind(self, made: ast.expr) -> str:
        """The kind of its value."""
        return kind_of(self.value(made))

    def by_rule(self, function: str, arguments: Sequence[tuple[str, ast.expr]]) -> ast.expr:
        """Python of a call of a function of the vocabulary."""
        return by_rule(function, arguments, self.value)

    def texts_of(self, x: ast.expr) -> list[str]:
        """The texts of a vector; [] of one of numbers."""
        listed = list(self.value(x)) if self.kind(x) in "vs" else []
        return listed if all(isinstance(v, str) for v in listed) else []

    def as_text(self, x: ast.expr, digits: int) -> ast.expr:
        """Numbers and truth as R writes them, where Python's words are others; texts and whole numbers as they are."""
        value = self.value(x)
        if isinstance(value, (bool, float, np.bool_)):
            return put("written(x)" if digits == 7 else "written(x, 15)", x=x)
        kinds = {type(v) for v in value} if self.kind(x) in "vs" else set()
        if all(issubclass(k, (str, int, np.integer)) and k is not bool for k in kinds):
            return x
        return put("map(written, x)" if digits == 7 else "[written(v, 15) for v in x]", x=x)

    def constant(self, word: str, value: RValue, of_models: bool) -> ast.expr:
        """R's value of that run under a name of its own, marked; a number of models that is computed with it is R's."""
        made, own = constant_of(value), self.scope.name(word)
        self.scope.values[own] = self.value(made)
        self.scope.constants[of_models][own] = ast.unparse(made)
        line = f"{own} = {text_of(made)}  # {OF_RUN}"
        self.before += [line] if line not in self.before else []
        return name_of(own)

    def step(self, made: ast.expr) -> Step | None:
        """The recorded call whose value it is; None if it is another value."""
        with suppress(NotTranslated):
            return self.made.get(id(self.value(made)))
        return None

    def operand(self, e: R) -> ast.expr:
        """An expression in a form in which R's functions go on with it: what a helper gave as R's table."""
        return self.viewed(self.expression(e))

    def viewed(self, made: ast.expr) -> ast.expr:
        """The value as R has it, under a name of its own where that takes many words."""
        step = self.step(made)
        if step is None or not step.call.helper or isinstance(step.value, Fit):
            return made
        in_r: View = lambda s, _: views.as_in_r(made, s.value, s.call.result.get("value"))
        found = self.general(made, step, in_r)
        if (se := self._errors(step)) is not None:
            found = put("x.assign(SE=s)[names]", x=found, s=se, names=list(QUASI))
        named = self.named(found, f"{self.word(made)}_table") if found is not made else made
        gone = _gone(self.value(named))
        if gone and all(v == v for v in numbers_of_r(step.call.result.get("value"))):
            self.scope.places[text_of(named)] = lacking = Lacking((), gone, False)
            self.lacking.append((named, lacking))
        return named

    def _errors(self, step: Step) -> ast.expr | None:
        """The standard errors beside quasi variances: of the abilities that they are of."""
        answer = step.call.result.get("value")
        table = answer["qvframe"] if isinstance(answer, RList) and "qvframe" in answer else None
        of = self.source(step)
        if of is None or not isinstance(table, RList) or table.names != QUASI:
            return None
        if isinstance(self.value(of), Fit):
            return put("m.bse.fillna(0.0)", m=of)
        return None if "se" not in self.value(of) else put('x.set_index("item")["se"]', x=of)

    def source(self, step: Step) -> ast.expr | None:
        """The name of the first value of a recorded call that a helper was given."""
        given = [s.value for s in self.made.values() if s.call.id in step.call.fits.values()]
        names = [n for n, v in self.scope.values.items() if any(v is own for own in given)]
        return name_of(names[0]) if names else None

    def of_random(self, value: RValue | None) -> tuple[ast.expr, Step, RVector] | None:
        """The predicted effects that R keeps, and prints, as an attribute of coefficients; their fit; R's."""
        theirs = value.attributes.get("random") if isinstance(value, RVector) else None
        if not isinstance(theirs, RVector):
            return None
        numbers = theirs.floats().ravel()
        for step in self.made.values():
            own = step.call.vector("effects")
            fit = step.value if isinstance(step.value, Fit) else None
            if fit is not None and own is not None and np.array_equal(own.floats().ravel(), numbers):
                of = {n: v if isinstance(v, dict) else {None: v} for n, v in self.scope.values.items()}
                keys = [(n, k) for n, d in of.items() for k, v in d.items() if v is fit]
                m = [name_of(n) if k is None else put("x[k]", x=name_of(n), k=k) for n, k in keys]
                if m:
                    return put('m.effects().set_index("item")["effect"]', m=m[0]), step, theirs
        return None

    def of_eba(self, word: str, m: ast.expr, step: Step) -> ast.expr | None:
        """A part of one of eba's fits; its estimates, and summary, are worths times the sum that R's search left."""
        found = views.of_eba(word, m, step)
        if found is None and word in ("estimate", "coef", "summary") and views.has_worths(step):
            total = np.array([views.total_of(step)])
            sum_of_r = self.constant(f"sum.{self.word(m)}", RVector(total, np.zeros(1, bool)), True)
            form = "eba_worths(m, c)['estimate']" if word != "summary" else "print(eba_summary(m, c))"
            found = put(form, m=m, c=sum_of_r)
        elif found is not None and word in ("uscale", "cov.u") and isinstance(step.value, Fit):
            worths = views.of_eba("uscale", m, step) or found
            u = self.named(worths, f"worths_{self.word(m)}", 0)
            found = u if word == "uscale" else self.named(views.of_worths(u, m), f"cov_{self.word(m)}", 0)
        if found is not None and word != "summary":
            self.uses([step], found)
        return found

    def uses(self, steps: Sequence[Step], found: ast.expr, digits: float | None = None) -> None:
        """Note that a value is made of fits: of one, or of those of the turns of a loop."""
        self.used += steps
        for step in steps:
            if "coef" in step.call.result and isinstance(step.value, Fit):
                self.scope.in_r.update({own: r for r, own in views.names_of(step)})
        self.digits.append(min(map(views.digits_of, steps)) if digits is None else digits)
        self.leaves.append(views.finite(self.value(found)))

    def varies(self, step: Step) -> bool:
        """Whether the fits of one place leave out different parameters, so that none can be named for all."""
        key = _place(step)
        if key not in self.scope.varying:
            fits = [s.value for s in self.made.values() if _place(s) == key and isinstance(s.value, Fit)]
            self.scope.varying[key] = len({tuple(f.params.index[~(f.bse > 0)]) for f in fits}) > 1
        return self.scope.varying[key]

    def general(self, m: ast.expr, step: Step, view: View, number: str = "") -> ast.expr:
        """A view of a fit that is also that of the fits of the other turns of the loops around it, and is used.

        number: R's function, of a number that stands in the record.
        """
        turns = [turn for turn in self._turns(m) if self._stands(turn, m)]
        if not turns:
            found = view(step, self.varies(step))
            self.uses([step], found, views.digits_of(step, number, self.value(found)))
            return found
        for varies in (self.varies(step), True):
            each = [self._viewed_in(turn, m, view, varies) for turn in ({}, *turns)]
            found = reduce(_with_names, (own for _, own in each))
            if all(self._same_in(turn, found, own) for turn, (_, own) in zip(({}, *turns), each)):
                digits = []
                for turn, (s, _) in zip(({}, *turns), each):
                    with self._during(turn):
                        digits.append(views.digits_of(s, number, self.value(found)))
                self.uses([s for s, _ in each], found, min(digits))
                return found
        raise NotTranslated("no one expression gives it for each fit of the loop")

    def alike(self, m: ast.expr, step: Step) -> bool:
        """Whether R's numbers beside a summary are the same of the fits of the other turns of the loop."""
        with suppress(NotTranslated):
            self.general(m, step, lambda s, _: views.of_summary(m, s, self.value) or ast.Constant(None))
            return True
        return False

    def _turns(self, made: ast.expr) -> list[dict[str, Any]]:
        """The other turns of the loops that a value changes in."""
        names = names_of(made)
        return [turn for loop in self.scope.turns for turn in loop if names & {*turn}]

    def _stands(self, turn: Turn, m: ast.expr) -> bool:
        """Whether a value is there in another turn: not of loops in loops the keys of other turns."""
        with self._during(turn), suppress(NotTranslated):
            self.value(m)
            return True
        return False

    def _viewed_in(self, turn: Turn, m: ast.expr, view: View, varies: bool) -> tuple[Step, ast.expr]:
        """The fit of another turn, and its view."""
        with self._during(turn):
            step = self.step(m)
            if step is None:
                raise NotTranslated("not every value of the loop is a fit that is in Python")
            return step, view(step, varies)

    def _same_in(self, turn: Turn, found: ast.expr, own: ast.expr) -> bool:
        if text_of(found) == text_of(own):
            return True
        with self._during(turn):
            a, b = self.value(found), self.value(own)
            return bool(a.equals(b) if hasattr(a, "equals") else a == b)

    def _during(self, turn: Turn) -> AbstractContextManager[None]:
        """With the values of another turn."""
        return for_now(self.scope, values={**self.scope.values, **turn})

    def in_turns(self, name: str, made: ast.expr) -> None:
        """What a variable is in the other turns of the loop in which it is assigned."""
        for turn in self._turns(made):
            turn[name] = None
            with self._during(turn), suppress(NotTranslated):
                turn[name] = self.value(made)

    def word(self, made: ast.expr) -> str:
        return next((n.id for n in ast.walk(made) if isinstance(n, ast.Name)), "fit")

    def named(self, found: ast.expr, word: str, long: int = LONG) -> ast.expr:
        text = text_of(found)
        if len(text) <= long or self.inline:
            return found
        if text not in self.views:
            name = self.scope.names.name(word, "table")
            self.scope.values[name] = self.value(found)
            if self.digits:
                self.scope.quality[name] = self.digits[-1], self.leaves[-1]
            self.before += in_turn(name, found)
            self.views[text] = name_of(name)
        return self.views[text]

    def keyed_by(self, names: ast.expr, x: ast.expr) -> ast.expr:
        """The parts of a list under names."""
        form = "dict(zip(v, x.values()))" if isinstance(self.value(x), dict) else "dict(zip(v, x))"
        return put(form, x=x, v=names)

    def meant(self, e: R) -> R:
        """The summary(m) that a variable is; else the expression itself."""
        found = self.scope.summaries.get(e.symbol, e)
        return found if found.function == "summary" else e

    def fit(self, e: R) -> tuple[ast.expr, Step] | None:
        """A fit of this run; None if it is another value."""
        with suppress(NotTranslated):
            m = self.expression(e)
            step = self.step(m)
            if step is not None and (isinstance(step.value, Fit) or not step.call.helper):
                return m, step
        return None

    @contextmanager
    def bound(self, variables: Variables) -> Iterator[None]:
        """Variables that mean something else for a while."""
        before = {n: self.scope.variables.get(n) for n in variables}
        summaries = {n: self.scope.summaries.pop(n) for n in variables if n in self.scope.summaries}
        self.scope.variables.update(variables)
        self.scope.locals.append(frozenset(variables))
        try:
            yield
        finally:
            self.scope.locals.pop()
            self.scope.summaries.update(summaries)
            for name, old in before.items():
                if old is None:
                    self.scope.variables.pop(name, None)
                else:
                    self.scope.variables[name] = old

    @contextmanager
    def without(self, *names: str, why: str = "") -> Iterator[None]:
        """Names that have no value for a while, and why."""
        scope = self.scope
        there = {n: v for n, v in scope.variables.items() if n not in names}
        whys = {**scope.without, **(dict.fromkeys(names, why) if why else {})}
        with for_now(scope, variables=there, of_r={**scope.of_r, **dict.fromkeys(names)}, without=whys):
            yield

    def temporary(self, word: str) -> str:
        """A name for a variable of one expression."""
        own = identifier(word)
        taken = not own or own in self.scope.values or own in RESERVED
        return self.scope.names.name(word, "value") if taken else own


def _gone(value: Any) -> tuple[str, ...]:
    """The rows of a table or vector in which a number is missing."""
    if not isinstance(value, (pd.Series, pd.DataFrame)):
        return ()
    missing = pd.isna(value) if value.ndim == 1 else pd.isna(value).any(axis=1)
    return tuple(map(str, value.index[missing]))


def _with_names(found: ast.expr, other: ast.expr) -> ast.expr:
    """The expression with what the same of another fit renames, too."""
    own, theirs = ([n for n in ast.walk(e) if isinstance(n, ast.Dict)] for e in (found, other))
    for a, b in zip(own, theirs):
        there = {text_of(k) for k in a.keys if k is not None}
        new = [(k, v) for k, v in zip(b.keys, b.values) if k is not None and text_of(k) not in there]
        a.keys, a.values = [*a.keys, *(k for k, _ in new)], [*a.values, *(v for _, v in new)]
    return found


def _place(step: Step) -> tuple[int, int, str]:
    return step.call.task, step.call.place.line, step.call.text


def in_turn(name: str, found: ast.expr) -> list[str]:
    """An assignment; of a long chain one for each of its links."""
    text, own = f"{name} = {text_of(found)}", name_of(name)
    match found:
        case ast.Subscript(value=(ast.Call() | ast.Subscript()) as inner, slice=key):
            last: ast.expr = ast.Subscript(own, key, ast.Load())
        case ast.Call(ast.Attribute((ast.Call() | ast.Subscript()) as inner, method), given, words):
            last = ast.Call(ast.Attribute(own, method, ast.Load()), given, words)
        case _:
            return [text]
    return [text] if len(text) <= WIDTH else [*in_turn(name, inner), f"{name} = {text_of(last)}"]


#: Classes of packages whose brackets and length are not those of numbers.
_NO_NUMBERS = frozenset("rankings grouped_rankings aggregated_rankings paircomp".split())


def constant_of(value: RValue) -> ast.expr:
    """A short vector, matrix or data frame of R as a constant."""
    if isinstance(value, RList) and "data.frame" in value.rclass and value.values:
        columns = [(n, v) for n, v in zip(value.names or (), value.values) if isinstance(v, RVector)]
        if len(columns) == len(value) and len(columns) * len(columns[0][1]) <= MOST_CONSTANT:
            return put("pd.DataFrame(x)", x=dict_of([(n, constant_of(v)) for n, v in columns]))
    plain = isinstance(value, RVector) and value.values.dtype.kind in "fibO" and value.values.ndim < 3
    if not isinstance(value, RVector) or not plain or value.values.size > MOST_CONSTANT:
        raise NotTranslated("it uses a value that only R has")
    if _NO_NUMBERS & {*value.rclass}:  # whose brackets and length are others
        raise NotTranslated(f"it uses R's {value.rclass[0]}, which Python has as a table of answers only")
    if value.values.ndim == 2:
        if value.na.any():
            raise NotTranslated("it uses an R matrix with missing values")
        rows: list[Any] = [list(map(node, row)) for row in value.values.tolist()]
        margins = [list(map(node, value.margin(k))) or None for k in (0, 1)]
        return put("pd.DataFrame(x, i, j)", x=rows, i=margins[0], j=margins[1])
    values: list[Any] = [None if m else v for v, m in zip(value.values.tolist(), value.na.tolist())]
    if value.levels is not None:
        values = [None if v is None else value.levels[int(v) - 1] for v in values]
    values = [int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 1e9 else v for v in values]
    if any(v is None or v != v for v in values):
        raise NotTranslated("it uses an R vector with missing values")
    parts = [node(v) for v in values]
    names = value.names or value.margin(0)
    if names and len(set(names)) == len(values):
        return put("pd.Series(x)", x=dict_of(list(zip(names, parts))))
    if len(parts) == 1:
        return parts[0]
    listed = ast.List(parts, ast.Load())
    return listed if not values or isinstance(values[0], str) else put("np.array(x)", x=listed)
