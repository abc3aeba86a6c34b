"""Calls of the script with Python code and their keys; its top-level expressions and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from ...bridge.capture.recorded import Place, RecordedCall
from ...validation.verdicts.agreement import Agreement
from ..translate.python_code import Names
from ..translate.translation import Step

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


def loop_names(found: Sequence[CallSite]) -> dict[str, list[str]]:
    """CallSite -> the Python variables that run over its keys; the same for a loop variable wherever it is used."""
    names, known = Names(site.name for site in found), dict[str, str]()
    for site in found:
        for word in (site.loop_names or ("i",) * len(key_parts(site.keys[0]))) if site.many else ():
            if word not in known:
                known[word] = names.name(word, "key")
    return {
        site.name: [known[w] for w in site.loop_names or ("i",) * len(key_parts(site.keys[0]))]
        for site in found
        if site.many
    }


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
