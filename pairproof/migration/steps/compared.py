"""What Python printed or gave beside what R did: values number by number, printed lines by their numbers.

A value is compared at full precision, with as many digits as the fits have that it is made of.  What `cat` and `print`
wrote is known as text only: it is compared with what R printed at the same statement, the words of `cat` too, and its
numbers are held to the digits that both show.

Which numbers that Python prints are R's own values of that run, or computed with them, is no agreement of two programs: a
statement that has no Python leaves its value as a constant, where it is short.  Statements that use one are run once more
with NaN in its place; what they then print otherwise, or assign, depends on it.  Of models all that depends on a constant
is R's, of the data the constant's own numbers.
"""

from __future__ import annotations

import ast
import copy
import io
import math
import re
import warnings
from bisect import bisect_left, bisect_right
from collections import ChainMap, Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.capture.recorded import RecordedCall
from ...bridge.values.nodes import RList, RValue, RVector
from ...fit.fit import Fit
from ...validation.verdicts.agreement import Agreement
from ..translate.python_code import one_line
from ..translate.rows import Beside
from .interpreter import Interpreter, Jump
from .trees import NotTranslated
from .views import ALSO

#: A number that stands by itself: no part of a word or a name (claude-3-opus, gemini-1-5), and not R's "[1]".
NUMBER = re.compile(
    r"(?<![\w.\[:])(?<![^\W\d]-)(?<![^\W\d]-\d-)[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w\]]|\.\d|-[^\W\d])"
)
#: How many of R's numbers further on the next line is looked for.
FAR = 4000
#: Numbers below it are 0 but for rounding, such as the deviance of a fit to which nothing is left.
NOTHING = 1e-14
#: Characters of a number from which on its last digits may be noise of the fit, which R's are not.
FEW = 9
#: What is compared text by text, if all its parts are texts.
_LISTED = (list, np.ndarray, pd.Series, dict)
#: Share of the numbers of a line that must agree for the others to be taken for the same line's.
MOSTLY = 0.5


def show(value: Any) -> None:
    """`show` of what is compared: cells without their labels, which may have digits in them; a line a row."""
    rows = value.to_frame().T if isinstance(value, pd.Series) else value
    if not isinstance(rows, pd.DataFrame):
        print(*np.atleast_1d(value))
        return
    for row in rows.astype(object).to_numpy().tolist() if len(rows) else []:
        print(*row)


def displayed(value: Any) -> str:
    """What `show` of the written script prints."""
    if hasattr(value, "to_string"):
        return str(value.to_string())
    return " ".join(f"{v:.7g}" if isinstance(v, float) else str(v) for v in np.atleast_1d(value))


Labelled = Sequence[tuple[str, float]]


def numbers_of(value: Any) -> Labelled | None:
    """Numbers of a Python value by label, as R lists them: a table by columns; None if it has no plain numbers."""
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return [("", float(value))]
    if isinstance(value, pd.Series):
        return [(str(n), float(v)) for n, v in value.items()] if value.dtype.kind in "fib" else []
    if isinstance(value, pd.DataFrame):
        kept = [c for c in range(value.shape[1]) if value.dtypes.iloc[c].kind in "fib"]
        labels = [(str(r), str(value.columns[c])) for c in kept for r in value.index]
        found = [float(v) for c in kept for v in value.iloc[:, c].tolist()]
        return [(f"{r}.{c}", v) for (r, c), v in zip(labels, found)]
    if isinstance(value, np.ndarray):
        numeric = value.dtype.kind in "fib"
        return [(str(k), float(v)) for k, v in enumerate(value.T.ravel(), 1)] if numeric else []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, range)):
        parts = [numbers_of(v) for v in value]
        if any(p is None for p in parts):
            return None
        return [(f"{k}.{n}" if n else str(k), v) for k, p in enumerate(parts, 1) for n, v in p or ()]
    return None if isinstance(value, Fit) else []


def numbers_of_r(value: RValue) -> list[float]:
    """R's numbers in the same order; factors and texts have none."""
    if isinstance(value, RVector):
        numeric = value.levels is None and value.values.dtype.kind in "fib"
        return value.floats().T.ravel().tolist() if numeric else []
    return [v for part in value.values for v in numbers_of_r(part)] if isinstance(value, RList) else []


def _in_r(label: str, in_r: Mapping[str, str]) -> str:
    """A label with R's name of the parameter in it."""
    row, dot, column = label.rpartition(".")
    return in_r.get(label) or (f"{in_r[row]}{dot}{column}" if row in in_r else label)


def _by_label(r: RValue) -> dict[str, float]:
    """Numbers of R's vector, matrix or data frame by name, or by row and column."""
    if isinstance(r, RList) and (labels := r.row_names) is not None and r.names is not None:
        parts = ((n, v) for n, v in zip(r.names, r.values) if isinstance(v, RVector) and v.levels is None)
        kept = ((n, v.floats().tolist()) for n, v in parts if v.values.dtype.kind in "fi")
        rows = labels.values.tolist()
        rows = range(1, abs(rows[-1]) + 1) if labels.na.any() else rows  # R's short form of 1, 2, ...
        return {f"{row}.{n}": x for n, own in kept for row, x in zip(rows, own)}
    if not isinstance(r, RVector) or r.levels is not None or r.values.dtype.kind not in "fi":
        return {}
    if r.names is not None:
        return dict(zip(r.names, r.floats().tolist()))
    rows, columns = (r.margin(0), r.margin(1)) if r.values.ndim == 2 else ((), ())
    cells = ((i, a, j, ALSO.get(b, b)) for i, a in enumerate(rows) for j, b in enumerate(columns))
    return {f"{a}.{b}": float(r.floats()[i, j]) for i, a, j, b in cells}


def _texts(value: Any) -> list[str]:
    """Texts of a value by place; of a table those of its columns of texts."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, pd.DataFrame):
        return [text for c in range(value.shape[1]) for text in _texts(value.iloc[:, c])]
    listed = list(value.values() if isinstance(value, dict) else value) if isinstance(value, _LISTED) else []
    return listed if all(isinstance(v, str) for v in listed) else []


def _texts_of_r(value: RValue) -> list[str]:
    """R's texts in the same order; of factors their levels."""
    if isinstance(value, RList):
        return [text for part in value.values for text in _texts_of_r(part)] if value.row_names else []
    if not isinstance(value, RVector):
        return []
    gone = value.na.T.ravel().tolist()
    found: list[Any] = [None if m else v for v, m in zip(value.values.T.ravel().tolist(), gone)]
    if value.levels is not None:
        found = [None if v is None else value.levels[int(v) - 1] for v in found]
    elif value.values.dtype != object:
        return []
    return ["NA" if v is None else str(v) for v in found]


def _said_alike(ours: str, theirs: str, least: float) -> bool:
    """Whether two texts are one but for blanks, and digits of their numbers that the fits do not have."""
    words, others = NUMBER.findall(ours), NUMBER.findall(theirs)
    if NUMBER.sub("#", ours).split() != NUMBER.sub("#", theirs).split() or len(words) != len(others):
        return False
    near = (abs(float(a) - float(b)) <= 10.0**-least * abs(float(b)) for a, b in zip(words, others))
    return all(_of_one_form(a, b) and (same(a, b) or close) for a, b, close in zip(words, others, near))


def _of_one_form(ours: str, theirs: str) -> bool:
    """Whether two numbers are written alike: with decimals or a power, as 38.0 is and 38 is not; few digits as many."""
    forms = [("." in w, "e" in w.lower(), len(w) if len(w) < FEW else 0) for w in (ours, theirs)]
    return forms[0] == forms[1]


def value_rows(
    call: RecordedCall, value: Any, r: RValue, digits: float, scale: float, in_r: Mapping[str, str] = {}
) -> list[Agreement] | None:
    """A row for each number of a value; None if R's has another shape. scale: the size of what cancels in it."""
    ours, theirs = numbers_of(value), numbers_of_r(r)
    words, said = _texts(value), _texts_of_r(r)
    formatted = isinstance(value, pd.DataFrame) and bool(said) and not theirs
    if formatted:  # format() makes texts of numbers in R
        cells = [v for c in range(value.shape[1]) for v in value.iloc[:, c]]
        words, ours = ["NA" if v != v else str(v) for v in cells], []
    if ours is not None and len(ours) < len(theirs):
        theirs = [v for v in theirs if v == v]  # a parameter that R keeps as NA is none of ours
    if ours is not None and len(ours) != len(theirs) and isinstance(value, (pd.Series, pd.DataFrame)):
        # A fit has no number for what the data do not determine, and no constants of contests; R gives them.
        known, labels = _by_label(r), {_in_r(n, in_r) for n, v in ours if v == v}
        parameters = {*in_r.values()}
        lost = [n for n in {*known} - labels if n in parameters or n.rpartition(".")[0] in parameters]
        if lost or not labels or not labels <= {*known}:
            return None
        ours = [(n, v) for n, v in ours if _in_r(n, in_r) in known]
        theirs = [known[_in_r(n, in_r)] for n, _ in ours]
    if ours is None or len(ours) != len(theirs) or len(words) != len(said):
        return None
    least = min(max(digits, 1.0), 11.0)
    for word, text in zip(words, said):
        numbers = formatted and NUMBER.fullmatch(text.strip()) and NUMBER.fullmatch(word)
        if not (same(word, text) if numbers else _said_alike(word, text, least)):
            raise NotTranslated(f"R has the text {one_line(text, 40)!r} and Python {one_line(word, 40)!r}")
    sizes = _sizes(value, ours, theirs, scale)
    beside = Beside(call, least, "as many as the fits it is computed from have")
    rows = []
    for (label, own), other, size in zip(ours, theirs, sizes):
        less, more = sorted((abs(own), abs(other)))
        nothing = more < NOTHING and less < 1e-3 * more  # not two small probabilities
        whole = own != other and own.is_integer() and other.is_integer()  # counts
        near = nothing or abs(own - other) <= 10.0**-least * size and not whole
        name = f"shown.{label}" if label else "shown"
        if near and own != other:
            rows.append(_exact(beside.row(name, other, other), own, other, 1.0 if nothing else size))
        else:
            rows.append(beside.row(name, own, other))
    return rows


def _sizes(value: Any, ours: Labelled, theirs: Sequence[float], scale: float) -> list[float]:
    """The size of what each number is held against: the largest of its column, without counts that are equal."""
    columns = list(map(str, value.columns)) if isinstance(value, pd.DataFrame) else [""]
    of = [next((c for c in columns if c and n.endswith(f".{c}")), "") for n, _ in ours]
    found: dict[str, float] = {}
    for (_, own), other, column in zip(ours, theirs, of):
        if math.isfinite(own) and not (own == other and own.is_integer()):
            found[column] = max(abs(own), found.get(column, 0.0))
    return [max(scale, found.get(column, 0.0)) for column in of]


def _exact(row: Agreement, own: float, other: float, size: float) -> Agreement:
    gap = abs(own - other) / size if size else 0.0
    return replace(row, native=own, digits=min(16.0, -math.log10(gap)) if gap else 16.0)


# -- labels --------------------------------------------------------------------------------------------------

#: Letters that no script has, for the digits of labels, and back.
_DIGITS, _OTHERS = "0123456789", "ａｂｃｄｅｆｇｈｉｊ"
_LETTERS, _BACK = str.maketrans(_DIGITS, _OTHERS), str.maketrans(_OTHERS, _DIGITS)


def labels_of(value: RValue | None, texts: bool = False) -> Iterator[str]:
    """Names in R's value, of its rows, columns and levels; texts: and the texts that it consists of."""
    if isinstance(value, RList):
        rows = value.row_names
        yield from (*(value.names or ()), *(map(str, rows.values.tolist()) if rows is not None else ()))
        for part in value.values:
            yield from labels_of(part, texts)
    elif isinstance(value, RVector):
        margins = (value.margin(k) for k in range(value.values.ndim)) if value.values.ndim > 1 else ()
        yield from (*(value.names or ()), *(value.levels or ()), *chain.from_iterable(margins))
        yield from _texts_of_r(value) if texts else ()


def masked(text: str, labels: Collection[str]) -> str:
    """A text in which labels have letters for their digits; those that are numbers at the beginning of lines only."""
    words = sorted((w for w in labels if not NUMBER.fullmatch(w)), key=len, reverse=True)
    if words:
        found = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, words))})(?!\w|\.\d)")
        text = found.sub(lambda m: m[0].translate(_LETTERS), text)
    lines = text.splitlines(keepends=True) if len(words) < len(labels) else []
    for k, line in enumerate(lines):  # a row, or the names above a vector or the columns of a table
        first, *rest = line.split() or [""]
        if first in labels:
            names = line if set(filter(NUMBER.fullmatch, rest)) <= {*labels} else first
            lines[k] = line.replace(names, names.translate(_LETTERS), 1)
    return "".join(lines) or text


# -- printed text --------------------------------------------------------------------------------------------


def printed_rows(
    call: RecordedCall, ours: str, theirs: str, only_texts: bool, partly: bool, digits: float
) -> Iterator[Agreement]:
    """A row for each number that Python printed at a statement, beside the one at its place in what R printed there.

    Lines whose words are the same are compared number by number.  only_texts: both print nothing but texts of the
    script's own, so that other words, or more or fewer lines, are another meaning, and nothing is written; partly: R's
    has lines of statements that Python has not.  digits: of the fits that the numbers are made of.
    """
    own, rest = lines_of(ours), lines_of(theirs)
    pairs = _paired(own, rest, partly)
    alike = (_of_one_form(a, b) for mine, other in pairs or () for a, b in zip(mine[1], other[1]))
    if only_texts and (pairs is None or not all(alike)):
        raise NotTranslated("Python would print other words than R")
    if pairs is not None:
        for mine, other in pairs:
            yield from (_number(call, a, b, digits) for a, b in zip(mine[1], other[1]))
        return
    at, words = 0, [word for _, numbers in rest for word in numbers]
    for numbers in (found for _, found in own if found):
        place = _place(numbers, words, at)
        if place < 0:
            yield from (_not_found(call, word) for word in numbers)
        else:
            yield from (_number(call, a, b, digits) for a, b in zip(numbers, words[place:]))
            at = place + len(numbers)


#: The words of a line, with a mark for each of its numbers, and these.
_Line = tuple[str, list[str]]


def lines_of(text: str) -> list[_Line]:
    """The lines of a text that are not empty."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [(NUMBER.sub("\0", line), NUMBER.findall(line)) for line in lines if line]


def _paired(own: list[_Line], rest: list[_Line], partly: bool) -> list[tuple[_Line, _Line]] | None:
    """Each line with R's line of the same words; None if there is none, or if R has more lines and not only `partly`."""
    if not partly:
        same_words = [w for w, _ in own] == [w for w, _ in rest]
        return list(zip(own, rest)) if same_words else None
    pairs, at = [], 0
    for line in own:
        places = [k for k in range(at, len(rest)) if rest[k][0] == line[0]]
        if not places:
            return None
        exact = (k for k in places if all(map(same, line[1], rest[k][1])))
        at = next(exact, places[0]) + 1
        pairs.append((line, rest[at - 1]))
    return pairs


def _place(words: Sequence[str], theirs: Sequence[str], at: int) -> int:
    """Where R printed them: the first place at which all agree, else the one where most do; -1 if none."""
    best, found = -1, 0
    for start in range(at, min(at + FAR, len(theirs) - len(words) + 1)):
        if not same(words[0], theirs[start]) and len(words) < 3:
            continue
        equal = sum(map(same, words, theirs[start:]))
        if equal == len(words):
            return start
        if equal > max(found, MOSTLY * len(words)):
            best, found = start, equal
    return best


def _number(call: RecordedCall, word: str, other: str, digits: float) -> Agreement:
    """A printed number beside R's: the same so far as both show it, and as far as the fits agree that it is made of."""
    own, r = float(word), float(other)
    if same(word, other) or abs(own - r) <= 10.0 ** -min(max(digits, 1.0), 11.0) * max(abs(own), abs(r)):
        row = Beside(call, 0.0, "as many as both print", "base::cat").row("shown", r, r)
        return _exact(row, own, r, max(abs(own), abs(r), unit(word)))
    return Beside(call, 16.0, "R printed another number", "base::cat").row("shown", own, r)


def same(ours: str, theirs: str, coarser: bool = False) -> bool:
    """Whether Python's printed number is R's, so far as R shows it; coarser: or so far as Python does."""
    a, b = float(ours), float(theirs)
    return abs(a - b) <= 0.5001 * max(unit(theirs), unit(ours) * coarser) + 1e-12 * abs(b)


def unit(word: str) -> float:
    """The last digit's unit; of a whole number nothing, because whole numbers are counts ("5499." of a tibble is none)."""
    mantissa, _, exponent = word.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.0 if "." not in mantissa and not exponent else 10.0 ** (int(exponent or 0) - decimals)


def _not_found(call: RecordedCall, word: str) -> Agreement:
    row = Beside(call, 0.0, "as many as both print", "base::cat").row("shown", float(word), math.nan)
    why = "R's output of this statement does not have these numbers in sequence; it may print them in another form"
    return replace(row, verdict="not-checkable", code="not-found", explanation=why, r=None, digits=None)


# -- what R printed ----------------------------------------------------------------------------------------

#: What R prints of its fits and is no number of them: the call, the legend of the stars, quantiles of
#: residuals, levels of limits, and the bound of a p-value.
_NO_NUMBERS = re.compile(
    r"^Signif\. codes:.*$|^Deviance Residuals: *\n.*\n.*$|^Call:(.*\n)+?\n|[\d.]+ ?%|< ?[\d.]+(e-\d+)?",
    re.MULTILINE,
)


def counted(text: str) -> list[str]:
    """The numbers in what R printed of its fits: with decimals, or of three digits and more."""
    words = NUMBER.findall(_NO_NUMBERS.sub("", text))
    return [w for w in words if "." in w or "e" in w.lower() or len(w.strip("+-")) > 2]


#: How far R's searches that stop early leave a number of a model: prefmod's by 2.3e-6, a p-value of glm's
#: by 2.2e-5.
#: Which number is meant is all that it decides; the rows of a statement hold each to the digits of its fits.
EARLY = 5e-5


def not_among(theirs: Sequence[str], ours: Sequence[str], coarser: bool = False) -> list[str]:
    """R's numbers that are none of ours, so far as R shows them, and its searches go; each of ours is taken once.

    coarser: or so far as ours show, as in a summary, whose numbers were compared at the fit's call.
    """
    left = sorted(ours, key=float)
    values, lost = list(map(float, left)), []
    for word in theirs:
        value = float(word)
        near = max(unit(word), 0.01 * abs(value))  # one of ours with fewer than two digits is no match
        places = range(bisect_left(values, value - near), bisect_right(values, value + near))
        k = min(places, key=lambda k: abs(values[k] - value), default=-1)
        if k >= 0 and (same(left[k], word, coarser) or abs(values[k] - value) <= EARLY * abs(value)):
            del left[k], values[k]
        else:
            lost.append(word)
    return lost


def unshown(text: str, r: object, ours: Sequence[str], summaries: Sequence[str]) -> str:
    """What R printed, or whole columns of its table, that is none of ours: each with the words before it; "" if nothing."""
    parts, lost = list[str](), not_among(not_among(counted(text), ours), summaries, True)
    columns = zip(r.names or (), r.values) if isinstance(r, RList) and "data.frame" in r.rclass else ()
    for name, column in columns:
        words = [f"{v:.15g}" for v in numbers_of_r(column) if v == v]
        if len(words) > 1 and not_among(words, ours) == words:
            lost = not_among(lost, words)
            parts.append(f"{name} {' '.join(f'{float(w):.7g}' for w in words)}")
    left = Counter(lost)
    for line in _NO_NUMBERS.sub("", text).splitlines():
        own = [w for w in NUMBER.findall(line) if left[w] > 0]
        left.subtract(own)
        before = " ".join(re.split(r"\s-?[\d.]", line)[0].split()).rstrip(":=, ")
        parts += [f"{before} {' '.join(own)}".strip()] if own else []
    return "; ".join(parts).translate(_BACK)


# -- constants of R ----------------------------------------------------------------------------------------

_NUMBER = re.compile(rf"{NUMBER.pattern}|\b[nN]a[nN]\b")


class Constants:
    """Values of the script's names without what R's constants, of models or of the data, are in them."""

    def __init__(self, of_models: bool) -> None:
        self.of_models = of_models
        self.values: dict[str, Any] = {}
        self.numbers = set[float]()

    def printed_without(
        self, lines: Sequence[str], values: Mapping[str, Any], known: Mapping[bool, Mapping[str, str]]
    ) -> str | None:
        """What statements print without R's constants; None where they use none; "" where they stop without them.

        values: of the names before the statements.  known: whether it is of models: Python name -> its constant.
        """
        tree = ast.parse("\n".join(lines))
        constants, assigned, filled = set[str](), set[str](), set[str]()
        own = known[self.of_models]
        for part in ast.walk(tree):
            match part:
                case ast.Assign(targets=[ast.Name(id=name)], value=e) if own.get(name) == ast.unparse(e):
                    constant = Interpreter(dict(values)).value(e)
                    self.numbers |= {v for _, v in numbers_of(constant) or ()}
                    self.values[name] = without_numbers(constant)
                    constants.add(name)
                case ast.Assign(targets=[ast.Name(id=name)]):
                    assigned.add(name)
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                    filled.add(name)
        read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if not constants and not read & {*self.values}:
            for name in assigned:
                self.values.pop(name, None)
            return None
        self.values.update({n: copy.copy(values[n]) for n in filled & {*values} - {*self.values}})
        said = io.StringIO()
        try:
            with redirect_stdout(said), warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Jump):
                warnings.simplefilter("ignore")
                Interpreter(ChainMap(self.values, dict(values))).run(_Rest(constants).visit(tree).body)
        except Exception:  # whatever stops without a number needs it
            self.values.update(dict.fromkeys(assigned | filled))
            return ""
        return said.getvalue()

    def of_r(self, printed: str, without: str | None, of_fits: bool) -> list[str]:
        """The numbers of a text that are R's, beside the text without R's constants; of_fits: Python's are in it too."""
        words = NUMBER.findall(printed)
        rest = words if without is None else _NUMBER.findall(without)
        other = [a for a, b in zip(words, rest) if a != b] if len(words) == len(rest) else words
        if self.of_models or not of_fits:
            return other
        return [w for w in other if any(abs(float(w) - v) <= 0.5001 * unit(w) for v in self.numbers)]


class _Rest(ast.NodeTransformer):
    """Statements without the constants, and without those that write files."""

    def __init__(self, constants: set[str]) -> None:
        self.constants = constants

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        constant = isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.constants
        return ast.Pass() if constant else node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        return ast.Pass() if isinstance(called, ast.Attribute) else node


def without_numbers(value: Any, depth: int = 6) -> Any:
    """A value with NaN for its numbers; an object of ours with those of its parts."""
    if isinstance(value, pd.DataFrame):
        return value.apply(without_numbers)
    if isinstance(value, (int, float, np.ndarray, pd.Series)) and np.asarray(value).dtype.kind in "iuf":
        return value * np.nan
    if isinstance(value, dict) and depth:
        return {k: without_numbers(v, depth - 1) for k, v in value.items()}
    if type(value) in (list, tuple) and depth:
        return type(value)(without_numbers(v, depth - 1) for v in value)
    if type(value).__module__.startswith("pairproof.") and hasattr(value, "__dict__") and depth:
        made = copy.copy(value)
        for name, part in vars(value).items():
            object.__setattr__(made, name, without_numbers(part, depth - 1))
        return made
    return value
