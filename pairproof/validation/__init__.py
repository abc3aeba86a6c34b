"""Proof, number by number, that native, R and the printed page agree, or why they do not.

The flow of data: a claims file -> `check` -> a list of `Agreement` -> a report.  There is no second path
to a number: every report is a view of that list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .again import Again as Again
    from .check.recompute import run as run
    from .report.verification import Verification as Verification
    from .verify import agree as agree

#: Name -> module; loaded when first asked for, so that importing a part costs no more than that part.
_HOME = {"Again": "again", "Verification": "report.verification", "agree": "verify", "run": "check.recompute"}
__all__ = ["Again", "Verification", "agree", "run"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(
            f"module 'pairproof.validation' has no attribute {name!r}; it has {', '.join(_HOME)}"
        )
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return value
