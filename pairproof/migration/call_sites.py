"""The calls of a script by where they stand: a call site, evaluated once or in a loop, and what is left out.

RecordedCall (line 8, nth 1, 2, 3) + their steps -> CallSite "f" with keys "north", "south", "west"

What the R script prints of its fits, as `print` statements of the Python script.

Which Python expression stands for which R function is decided by the value itself: it is asked for it once, and where
it has none the script says so in a comment instead.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Union

from ..bridge.capture.recorded import Captured, Mentioned, RecordedCall, Shown
from ..errors import PairproofError
from ..fit.fit import Fit
from .outcome import LeftOut, called_in
from .translate.python_code import KINDS, Names, Result, expression, identifier, parts
from .translate.translation import Step

#: A loop variable's value, or several of nested loops, or 1, 2, ...
Key = Union[str, int, float, tuple[Union[str, int, float], ...]]


#: Generic functions, whose methods are called by their names.
_GENERIC = "anova add1 drop1 predict residuals vcov itempar worth qvcalc update step".split()


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


def of_text(left: LeftOut) -> Left:
    """A call outside this field, which stands in the script's text."""
    m = left.mentioned
    return Left(str(m.place), f"{m.function}(...)", f"{left.reason}; left out", 1, m.task, 0)


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
        key = (call.task, place.file, place.line, place.last, call.function, call.text)
        groups.setdefault(key, []).append(call)
    drafts: list[CallSite] = []
    for group in groups.values():
        done = [by_id[c.id] for c in group if c.id in by_id and written(by_id[c.id])]
        if done:
            keys, loop_names = _keys(done, group) if len(group) > 1 else ((), ())
            variables = {c.variable for c in group}
            variable = variables.pop() if len(variables) == 1 else ""
            call = done[0].call
            where = _where(captured, call)
            drafts.append(CallSite("", tuple(done), keys, loop_names, variable, tasks[call.id], where))
    drafts = list(_in_order(drafts))
    return _named(drafts), _left(captured, by_id, tasks)


def _where(captured: Captured, call: RecordedCall) -> str:
    called = called_in(captured, call)
    if not called:
        return str(call.place)
    file = f" of {call.place.file}" if call.place.file not in ("", captured.text.name) else ""
    return f"line {called}, through {call.place}{file}"


# -- names ---------------------------------------------------------------------------------------------------


def _named(drafts: Sequence[CallSite]) -> list[CallSite]:
    """The sites with their Python names; the first that has a variable of the script gets its name."""
    names = Names()
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


def _keys(done: Sequence[Step], group: Sequence[RecordedCall]) -> tuple[tuple[Key, ...], tuple[str, ...]]:
    """Keys of the evaluations: values of a loop variable, texts before counters; of several; 1, 2, ..."""
    common = [n for n in done[0].call.keys if all(n in s.call.keys for s in done)]
    if len(done) == 1 and common:
        return (tuple([done[0].call.keys[common[0]]])), (common[0],)
    columns = {n: [s.call.keys[n] for s in done] for n in common}
    columns = {n: c for n, c in columns.items() if len({type(v) for v in c}) == 1 and all(v == v for v in c)}
    for n in sorted(columns, key=lambda n: not isinstance(columns[n][0], str)):
        if len(set(columns[n])) == len(done):
            return tuple(columns[n]), (n,)
    varying = [n for n in columns if len(set(columns[n])) > 1]
    together = list(zip(*(columns[n] for n in varying)))
    if len(varying) > 1 and len(set(together)) == len(done):
        return tuple(together), tuple(varying)
    place = {call.id: k for k, call in enumerate(group, 1)}
    return tuple(place[s.call.id] for s in done), ()


# -- order ---------------------------------------------------------------------------------------------------


def _in_order(drafts: Sequence[CallSite]) -> Iterator[CallSite]:
    """The sites in the order of first calls; those that need values of each other's round before call by call."""
    drafts = sorted(drafts, key=lambda s: s.call.id)
    home = {step.call.id: k for k, site in enumerate(drafts) for step in site.steps}
    needs = [
        {(home.get(i, k), step.call.id) for step in site.steps for i in _results(step)}
        for k, site in enumerate(drafts)
    ]
    crossing = {
        m for k, found in enumerate(needs) for other, _ in found if other > k for m in range(k, other + 1)
    }
    whole = [site for k, site in enumerate(drafts) if k not in crossing]
    single = [
        replace(site, steps=(step,), keys=(), loop_names=())
        for k, site in enumerate(drafts)
        if k in crossing
        for step in site.steps
    ]
    yield from sorted([*whole, *single], key=lambda s: s.call.id)


def _results(step: Step) -> Iterator[int]:
    code = step.translation.code
    if isinstance(code, KINDS):
        for part in parts(expression(code)):
            if isinstance(part, Result):
                yield part.call


# -- left out ------------------------------------------------------------------------------------------------


def _left(captured: Captured, by_id: Mapping[int, Step], tasks: Mapping[int, int]) -> list[Left]:
    """Calls without code, those of one line with one reason together."""
    found: dict[tuple[str, str, str], list[RecordedCall]] = {}
    for call in captured.calls:
        step = by_id.get(call.id)
        if step is not None and (written(step) or call.helper and step.by_package):
            continue  # what a package looked up for itself is no call of the script
        key = (str(call.place), f"{call.name}(...)", _reason(step))
        found.setdefault(key, []).append(call)
    return [
        Left(where, function, reason, len(calls), tasks[calls[0].id], calls[0].id)
        for (where, function, reason), calls in found.items()
    ]


def _reason(step: Union[Step, None]) -> str:
    if step is None:
        return "not translated; left out"
    if step.refused:
        return f"Python refuses it: {_sentence(step.refused)}"
    return f"{_sentence(step.translation.reason) or 'no counterpart'}; left out"


def _sentence(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().rstrip(".")


#: R's function -> attribute of a fit; "()" calls it.
OF_A_FIT: Mapping[str, str] = {
    name: shown
    for shown, names in {
        "summary()": "print show summary",
        "params": "coef coefficients fixef",
        "to_frame()": "coef(summary) coefficients(summary)",
        "cov_params()": "vcov",
        "conf_int()": "confint confint.default",
        "deviance": "deviance",
        "null_deviance": "null.deviance",
        "df_resid": "df.residual",
        "llf": "logLik",
        "aic": "AIC",
        "bic": "BIC",
        "contest_residuals()": "fitted fitted.values residuals resid",
        "n_comparisons": "nobs",
    }.items()
    for name in names.split()
}
_OUTER = re.compile(r"[^()]*\((.*)\)", re.DOTALL)
#: Shown by the whole of R's answer.
_WHOLE = ("print", "show", "summary", "ranef", "VarCorr", "coef(summary)")
#: Functions of several fits, that give one number of each.
_OF_SEVERAL = re.compile(r"(?:AIC|BIC)\(([A-Za-z.][\w.]*(?:, [A-Za-z.][\w.]*)+)\)")
#: Quantities whose R value may have other constants, and their names among compared numbers.
_CONSTANTS = {"logLik": "llf", "AIC": "aic", "BIC": "bic"}
#: Relative difference of two log-likelihoods that have the same constants; R's stop where it stops.
_SAME = 1e-6
#: R's function -> attribute of R's answer.
_OF_R = {
    **dict.fromkeys(("coef", "coefficients", "fixef"), "params()"),
    "vcov": "vcov",
    "deviance": "deviance",
    "df.residual": "df_residual",
    "logLik": "loglik",
    "AIC": "aic",
}
#: `s <- summary(m)`: what is then shown of s is shown of m.
_ALIAS = re.compile(r"([A-Za-z.][\w.]*)\(([A-Za-z.][\w.]*)\s*[,)]")
_NAME = re.compile(r"(?<![\w.$@])[A-Za-z.][\w.]*(?!\s*=[^=]|[\w.]|\s*\()")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"")
#: `sapply(l, coef)`: what is shown of each fit of a list.
_APPLIED = re.compile(
    r"(?:print\()?(?:[lsv]apply|map|map_dbl)\((?:X = )?([A-Za-z.][\w.]*), (?:FUN = )?([A-Za-z.][\w.]*)\s*[,)]"
)
#: `sapply(l, function(m) coef(m))`.
_APPLIED_INLINE = re.compile(
    r"(?:print\()?(?:[lsv]apply|map|map_dbl)\((?:X = )?([A-Za-z.][\w.]*), (?:FUN = )?function\((\w+)\) "
    r"(?:as\.numeric\(|round\()?([A-Za-z.][\w.]*)\(\2\)"
)


@dataclass(frozen=True)
class Print:
    """A print statement, or the comment that there is none.

    expression: what follows the value's name: ".params"; None: nothing is printed.  text: "line 7: coef(m)",
    and why nothing is printed.  task: number of the top-level expression.  inside: whether it belongs into
    the loop that makes the values.  key: of the one value of the dict that is printed; None: of all.
    """

    of: CallSite
    expression: str | None
    text: str
    task: int
    line: int
    inside: bool
    key: Key | None = None


def prints(captured: Captured, found: Sequence[CallSite]) -> list[Print]:
    """What the script prints of each site, in the order of the script."""
    return _Prints(captured, found).all()


class _Prints:
    def __init__(self, captured: Captured, found: Sequence[CallSite]) -> None:
        self.shown = captured.text.shown
        self.spans = captured.text.expressions
        self.sites = found
        self.by_variable: defaultdict[str, list[CallSite]] = defaultdict(list)
        self.by_task: defaultdict[int, list[CallSite]] = defaultdict(list)
        for site in found:
            self.by_task[site.task].append(site)
            # `fits$a`, and print(fits)
            for name in {site.variable, site.variable.partition("$")[0]} - {""}:
                self.by_variable[name].append(site)
        self.assigned: defaultdict[str, list[Mentioned]] = defaultdict(list)
        for mention in captured.text.mentioned:
            self.assigned[mention.variable].append(mention)
        self.lines = {site.call.place.line for site in found}

    def all(self) -> list[Print]:
        done: dict[tuple[str, str, int], Print] = {}
        for shown in self.shown:
            if shown.printed:
                for made in self._of(shown) or self._element(shown) or self._unwritten(shown):
                    # `print(m)` and `m` on one line are printed once; the same on two lines is printed twice.
                    done.setdefault((made.of.name, str(made.expression) + made.text, made.line), made)
        return sorted(done.values(), key=lambda p: (p.task, p.line))

    def _of(self, shown: Shown) -> list[Print]:
        function, variable = shown.function, shown.variable
        if not function:
            return []
        here = [s for s in self.by_task[shown.task] if not s.variable]
        head = function.partition("(")[0]
        called = [s for s in here if s.call.helper]
        helpers = [s for s in called if head in (s.call.name, s.call.name.partition(".")[0])]
        if not helpers and function not in OF_A_FIT:
            helpers = called  # a function that calls it: worth() calls itempar()
        if helpers:
            return [self._print(s, shown, "print") for s in helpers]
        for text, several in ((_APPLIED.match(shown.text), True), (_ALIAS.match(shown.text), False)):
            # `sapply(l, coef)`; `confint.default(m)` where nothing is known of the function.
            if text and not variable and text[1 + several] in OF_A_FIT:
                found = self._newest(text[2 - several], shown)
                return [self._print(s, shown, text[1 + several]) for s in found if s.many or not several]
        inline = _APPLIED_INLINE.match(shown.text)
        if inline and not variable and inline[3] in OF_A_FIT:
            return [self._print(s, shown, inline[3]) for s in self._newest(inline[1], shown)]
        if not variable:
            if function != "print":  # summary(m <- BTm(...))
                here = here or self.by_task[shown.task]
            fits = [s for s in here if not s.call.helper] or here
            return [self._print(s, shown, function) for s in fits[-1:]]
        several_fits = _OF_SEVERAL.fullmatch(shown.text)
        names = several_fits[1].split(", ") if several_fits else [variable]
        found = [s for name in names for s in self._newest(name, shown)]
        return [self._print(s, shown, function) for s in found] or self._alias(variable, shown)

    def _element(self, shown: Shown) -> list[Print]:
        """`fits$north`, `fits[[2]]`: one value of a dict."""
        base, _, element = shown.variable.partition("$")
        if not element:
            return []
        for site in self._newest(base, shown):
            known = {str(key): key for key in site.keys}
            if element.isdecimal() and element not in known and 1 <= int(element) <= len(site.keys):
                known[element] = site.keys[int(element) - 1]
            if element in known:
                step = site.steps[site.keys.index(known[element])]
                one = replace(site, steps=(step,), keys=())
                made = self._print(one, shown, shown.function)
                return [replace(made, of=site, key=known[element])]
        return []

    def _unwritten(self, shown: Shown) -> list[Print]:
        """That something which names a fit is printed by R, and nothing here."""
        for name in _NAME.findall(_TEXT.sub("", shown.text)):
            for site in self._newest(name, shown)[:1]:
                said = f"{shown.place}: {shown.text} is not written here"
                return [Print(site, None, said, max(shown.task, site.task), shown.place.line, False)]
        return []

    def _alias(self, variable: str, shown: Shown) -> list[Print]:
        """`s <- summary(m)`, and then s."""
        whole = shown.function in ("print", "summary")
        for mention in reversed(self.assigned[variable] if whole else []):
            alias = _ALIAS.match(mention.text)
            if alias and mention.task <= shown.task and alias[1] in OF_A_FIT:
                return [self._print(s, shown, alias[1]) for s in self._newest(alias[2], shown)]
        return []

    def _newest(self, variable: str, shown: Shown) -> list[CallSite]:
        """The sites that the variable means there: the last that was assigned to it before."""
        known = self.by_variable[variable]
        before = [s for s in known if s.task <= shown.task]
        if not before and shown.inside_loop and 1 <= shown.task <= len(self.spans):
            # In a function defined there and called later.
            span = self.spans[shown.task - 1]
            before = [s for s in known if span.line <= s.call.place.line <= span.last]
        if not before:
            return []
        exact = [s for s in before if s.variable == variable]
        last = (exact or before)[-1]
        for mention in self.assigned[variable]:
            if last.task < mention.task < shown.task and mention.place.line not in self.lines:
                return []  # something else has been assigned to it since
        return [last] if exact else before

    def _print(self, site: CallSite, shown: Shown, function: str) -> Print:
        said = f"{shown.place}: {shown.text}"
        made, remark = expression_of(site.steps, function)
        inside = site.many and shown.inside_loop
        return Print(site, made, said + remark, max(shown.task, site.task), shown.place.line, inside)


def _known(function: str) -> str:
    """R's function, or the one of which a part is shown: "coef" of `coef(m)[["first"]]`."""
    while function not in OF_A_FIT and (inner := _OUTER.fullmatch(function)):
        function = inner[1]
    return function


def expression_of(steps: Sequence[Step], function: str) -> tuple[str | None, str]:
    """(what follows the value's name in `print(...)`, a remark); (None, why) if there is nothing."""
    values = [s.value for s in steps]
    function = _known(function)
    if not all(isinstance(v, Fit) for v in values):
        if function in _WHOLE:
            return "", ""
        name = _OF_R.get(function, "")
        found = name and all(_has(v, name) for v in values)
        return (f".{name}", "") if found else (None, " has no counterpart here")
    name = OF_A_FIT.get(function, "")
    if name and all(_has(v, name) for v in values):
        return f".{name}", _remark(steps, function)
    return None, " has no counterpart here"


def _has(value: Any, name: str) -> bool:
    plain = name.removesuffix("()")
    try:
        found = getattr(value, plain)
        if name != plain:
            found()
    except (PairproofError, AttributeError, TypeError, NotImplementedError):
        return False
    return True


def _remark(steps: Sequence[Step], function: str) -> str:
    """That R's number, as R prints it, has other constants: it was compared without them, or not at all."""
    kind = _CONSTANTS.get(function)
    if kind is None:
        return ""
    if not all(any(a.quantity == kind and a.verdict == "agrees" for a in s.rows) for s in steps):
        return "; here without the constants of the likelihood that R may count"
    printed = [s.call.number(_OF_R.get(function, "loglik")) for s in steps]
    ours = [float(getattr(s.value, kind if function in _OF_R else "llf")) for s in steps]
    if all(r is None or abs(r - own) <= _SAME * max(1.0, abs(r)) for r, own in zip(printed, ours)):
        return ""
    of_r = f"R's {printed[0]:.7g}" if len(steps) == 1 and function in _OF_R else "R's number"
    return f"; {of_r} has the binomial coefficients of the rows in it, ours is of single comparisons"
