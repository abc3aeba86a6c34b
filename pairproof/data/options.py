"""Checks of an option's value and of its name, with what is allowed, or what R's name is here, in the message."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from ..errors import InputError

Given = ParamSpec("Given")
Found = TypeVar("Found")

_PATTERN = "of fit_pattern"
#: Arguments of BradleyTerry2, prefmod, psychotools and PlackettLuce, and how the same is said here.  R's dots
#: are underscores (separate_ability for separate.ability).
R_NAMES: Mapping[str, str] = {
    "br": 'reduce_bias="mean" of fit_bradley_terry',
    "refcat": 'reference="ITEM"',
    "ref": 'reference="ITEM"',
    "separate_ability": 'separate=["ITEM"]',
    "family": 'link="probit" (or "cauchit") of fit_bradley_terry; the default is the logit',
    "outcome": "columns= of pairproof.read, which names the columns of wins and losses",
    "player1": 'columns={"first": ...} of pairproof.read',
    "player2": 'columns={"second": ...} of pairproof.read',
    "id": "item: the term of the items themselves in a formula",
    "formel": 'by="..."; C(x) makes a column of numbers categorical, which all of prefmod\'s are',
    "elim": 'cells="...", columns that divide the table further than those of by, which always divide it',
    "eliminate": 'cells="...", columns that divide the table further than those of by, which always divide it',
    "undec": 'ties="davidson" for TRUE, ties="none" for FALSE',
    "undecided": 'ties="davidson" for TRUE, ties="none" for FALSE',
    "ia": f"dependence=True {_PATTERN}",
    "iaT": f"between_times=True {_PATTERN}",
    "NItest": "by=COLUMN, with a column of the table that marks complete answers",
    "NI": f'alpha="none" {_PATTERN}',
    "MIScommon": f'alpha="common" {_PATTERN}',
    "MISalpha": f'alpha="item" {_PATTERN}, with alpha_of for some items ("comparison" for MISmodel = "comp")',
    "MISbeta": f'beta="item" {_PATTERN}, with beta_of for some items ("coded" for what prefmod computes)',
    "MISmodel": f'alpha= and beta= {_PATTERN}: "item" for "obj", "comparison" for "comp"',
    "nitems": "items= of pairproof.read or read_respondents, which counts them itself if possible",
    "objnames": "items= of pairproof.read or read_respondents",
    "obj_names": "items= of pairproof.read or read_respondents",
    "objcovs": "item_data= of pairproof.read or read_respondents, and item_terms= here",
    "cat_scovs": 'by="C(COLUMN)"',
    "num_scovs": 'by="COLUMN"',
    "casewise": 'cells="COLUMN", with the column of the judges',
    "resptype": "layout= of pairproof.read or read_respondents",
    "k": "classes= of fit_latent_classes",
    "npseudo": "pseudo= of fit_plackett_luce",
}


def meant_in_r(name: str) -> str:
    """What R's argument of this name is here, as a part of a message; "" if it is none of R's."""
    found = R_NAMES.get(name.replace(".", "_").replace("-", "_"))
    return f"R's {name} is here {found}" if found else ""


def hints_for_r(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function; an argument that only R has is a TypeError that says what it is called here."""
    known = frozenset(inspect.signature(function).parameters)

    @functools.wraps(function)
    def hinting(*args: Given.args, **options: Given.kwargs) -> Found:
        for name in options:
            if name not in known and (meant := meant_in_r(name)):
                raise TypeError(f"{function.__name__}() has no argument {name!r}: {meant}")
        return function(*args, **options)

    return hinting


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise InputError, naming the option and its allowed values, unless `value` is one of them."""
    if value not in allowed:
        raise InputError(f"{name}={value!r}; expected one of {', '.join(map(repr, allowed))}")


def whole_number(name: str, value: object, least: int = 0) -> int:
    """The value as an int, for seeds and numbers of draws."""
    if hasattr(value, "__index__") and not isinstance(value, bool):
        found = operator.index(value)
        if found >= least:
            return found
    raise InputError(f"{name}={value!r}; expected an integer of {least} or more")
