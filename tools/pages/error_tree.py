"""The tree of errors as a table, from the classes themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from pairproof import errors

from .tables import markdown


def error_tree() -> str:
    """Each class under its base, with the first sentence of its docstring."""
    rows = []

    def walk(cls: type, depth: int) -> None:
        said = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
        rows.append((f"{'&nbsp;' * 4 * depth}`{cls.__name__}`", said))
        for child in cls.__subclasses__():
            if child.__module__ == errors.__name__:
                walk(child, depth + 1)

    for root in (errors.PairproofError, errors.PairproofWarning):
        walk(root, 0)
    return markdown(("error", "when"), rows, 9)


BLOCKS: Mapping[str, Callable[[], str]] = {"errors": error_tree}
