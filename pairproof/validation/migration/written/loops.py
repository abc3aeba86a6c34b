"""Several evaluations of one call as one call with variables: what they share is written once.

    fit(read("data/f_north.csv"), reference="A"), fit(read("data/f_south.csv"), reference="B")
        -> fit(read(<0>), reference=<1>), [["data/f_north.csv", "A"], ["data/f_south.csv", "B"]]

Two expressions are walked side by side; where they part, a variable stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..code.expressions import Call, Constant, File, Method, Result, expression

#: Columns of values beside the key, above which a loop is harder to read than its calls one by one.
MOST_COLUMNS = 2


@dataclass(frozen=True, eq=False)
class Hole(Result):
    """Where the evaluations differ; as an expression a result, so that it is written by its name.

    call: below 0: column -1 - call.
    """


@dataclass(eq=False)
class Column:
    """What stands at one place, an expression for each evaluation.

    word: name of the argument that it is.
    """

    values: list[Any]
    word: str


@dataclass(eq=False)
class Common:
    """What evaluations share.

    template: with a :class:`Hole` for each column.
    """

    template: Any = None
    columns: list[Column] = field(default_factory=list)


def common(codes: Sequence[Any], same_file: Callable[[File], str]) -> Common:
    """The evaluations as one expression with holes.

    codes: at least one.  same_file: equal for equal tables.  Returns Common: `template` is a hole itself if
    nothing is shared.
    """
    found = Common()
    seen: dict[tuple[str, ...], Hole] = {}

    def text(value: Any) -> str:
        """A word that is equal for equal leaves only."""
        value = expression(value)
        if isinstance(value, Result):
            return f"result {value.call}"
        if isinstance(value, File):
            return "file " + same_file(value)
        if isinstance(value, Constant):
            return "constant " + _inside(value.value, text)
        keywords = ", ".join(f"{k}={text(v)}" for k, v in value.keywords.items())
        arguments = (
            None if value.arguments is None else ", ".join(map(text, value.arguments)) + "; " + keywords
        )
        if isinstance(value, Call):
            return f"call {value.function}({arguments})"
        return f"method ({text(value.of)}).{value.name}({arguments})"

    def hole(values: list[Any], word: str) -> Hole:
        key = tuple(map(text, values))
        if key not in seen:
            seen[key] = Hole(-1 - len(found.columns))
            found.columns.append(Column(values, word))
        return seen[key]

    def merge(values: list[Any], word: str) -> Any:
        values = [expression(v) for v in values]
        one = values[0]
        if len(set(map(text, values))) == 1:
            return one
        if len({type(v) for v in values}) > 1 or not isinstance(one, (Call, Method)):
            return hole(values, word)
        shapes = {
            (
                v.function if isinstance(v, Call) else v.name,
                None if v.arguments is None else len(v.arguments),
                tuple(v.keywords),
            )
            for v in values
        }
        if len(shapes) > 1:
            return hole(values, word)
        arguments = None
        if one.arguments is not None:
            arguments = tuple(
                merge([v.arguments[k] for v in values], word) for k in range(len(one.arguments))
            )
        keywords = {k: merge([v.keywords[k] for v in values], k) for k in one.keywords}
        if isinstance(one, Call):
            assert arguments is not None
            return Call(one.function, arguments, keywords)
        return Method(merge([v.of for v in values], word), one.name, arguments, keywords)

    found.template = merge(list(codes), "value")
    return found


def _inside(value: Any, text: Callable[[Any], str]) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_inside(v, text)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}[{', '.join(_inside(v, text) for v in value)}]"
    if isinstance(value, (Constant, Result, File, Call, Method)):
        return text(value)
    return f"{type(value).__name__} {value!r}"
