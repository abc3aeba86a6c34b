"""Checks of an option's value, with the allowed values in the message."""

from __future__ import annotations

import operator

from ..errors import InputError


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise InputError, naming the option and its allowed values, unless `value` is one of them."""
    if value not in allowed:
        raise InputError(f"{name}={value!r}; expected one of {', '.join(map(repr, allowed))}")


def whole_number(name: str, value: object, least: int = 0) -> int:
    """The value as an int, for seeds and numbers of draws.

    Raises
    ------
    InputError
        Not an integer (2.0 and True are none), or less than `least`.
    """
    if hasattr(value, "__index__") and not isinstance(value, bool):
        found = operator.index(value)
        if found >= least:
            return found
    raise InputError(f"{name}={value!r}; expected an integer of {least} or more")
