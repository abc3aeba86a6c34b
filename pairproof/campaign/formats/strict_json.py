"""JSON from other tools and from logs, read strictly: no NaN or Infinity, no name twice, no endless nesting.

Python's own reader accepts NaN, Infinity and repeated names (the last one wins), and ends in a RecursionError
when values are nested too deep.  All of these are errors here, with the place where they stand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...text import listed, quoted, shortened

#: Most levels of nesting.  Label Studio's exports have 6.
MOST_LEVELS = 40


def decoded(raw: bytes, source: str) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source}: byte number {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from error


def parsed(text: str, where: str) -> Any:
    """The value of a JSON text.

    where: the beginning of an error message, such as "log.jsonl, line 3".
    """
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_each_name_once,
        )
    except RecursionError:
        raise _too_deep(where) from None
    except _Refused as error:
        raise InputError(f"{where}: {error}") from None
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({shortened(str(error))})") from error
    _check_levels(value, where)
    if "\\ud" in text.lower():
        _check_characters(value, where)
    return value


def _check_characters(value: Any, where: str) -> None:
    """Refuse half of a pair of surrogates, which is no character and cannot be stored."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where}: \\u{ord(error.object[error.start]):04x} is half of a character; expected pairs of them"
        ) from None


class _Refused(Exception):
    """What strict JSON does not allow; ValueError would be mixed up with a mistake of syntax."""


def _no_constant(name: str) -> Any:
    raise _Refused(f"{name} is not a number in JSON; expected a number or null")


def _whole(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise _Refused(f"{shortened(text, 20)} is beyond the range of whole numbers (64 bits)")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused(f"{shortened(text, 20)} is beyond the range of numbers")
    return value


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"the name {quoted(twice)} stands twice in one object; keep one")
    return found


def _too_deep(where: str) -> InputError:
    return InputError(
        f"{where}: JSON nested more than {MOST_LEVELS} levels deep; no tool's export is, so the file is"
        " damaged or of another kind"
    )


def _check_levels(value: Any, where: str) -> None:
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [
            part
            for whole in level
            if isinstance(whole, (dict, list))
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, (dict, list))
        ]
        if not level:
            return
    raise _too_deep(where)


_KINDS = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"
}  # fmt: skip


def kind_of(value: Any) -> str:
    """'a list', 'a number', ...: what a JSON value is, for messages."""
    return "null" if value is None else _KINDS.get(type(value), "a value")


def of_kind(value: Any, kinds: type | tuple[type, ...], where: str, what: str) -> Any:
    """The value, which must be of one of these Python types.

    `bool` is an `int` in Python, but true is no number in JSON: it passes only where `bool` is asked for.
    """
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if type(value) in wanted or value is None and type(None) in wanted:
        return value
    names = " or ".join(dict.fromkeys(_KINDS.get(k, "null") for k in wanted))
    raise InputError(f"{where}: {what} is {kind_of(value)}; expected {names}")


def member(
    record: Mapping[str, Any], name: str, kinds: type | tuple[type, ...], where: str, default: Any = ...
) -> Any:
    """A member of an object, of one of these types; `default` if it is absent."""
    if name not in record:
        if default is not ...:
            return default
        raise InputError(f"{where}: no member {name!r}; found {listed(record, 8)}")
    return of_kind(record[name], kinds, where, f"{name!r}")


def exactly(
    record: Mapping[str, Any], needed: tuple[str, ...], where: str, optional: tuple[str, ...] = ()
) -> None:
    """Check that an object has these members and no others."""
    absent = [name for name in needed if name not in record]
    strange = [name for name in record if name not in needed and name not in optional]
    if absent:
        raise InputError(f"{where}: no member {listed(absent)}; expected {listed(needed, 30)}")
    if strange:
        raise InputError(
            f"{where}: unknown member {listed(strange)}; expected {listed(needed + optional, 30)}"
        )
