"""The `recorded` fixture: a fit's numbers held against the record of the test that asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...text import safe
from . import snapshots

if TYPE_CHECKING:
    import pytest

    from ...fit.fit import Fit

USED, CHANGED = "pairproof-used", "pairproof-changed"
#: Changes shown at most; the rest is counted.
MOST = 40


class Recorded:
    """Called with a fit: fails with what is not as recorded, or writes the record if that was asked for."""

    def __init__(self, node: pytest.Item, update: bool) -> None:
        self._node = node
        self._update = update

    def __call__(self, fit: Fit, name: str = "", rules: Mapping[str, float | None] | None = None) -> None:
        """Hold a fit against its record.

        Parameters
        ----------
        fit : Fit
        name : str
            Where a test records more than one fit.
        rules : mapping of quantity or kind to digits, optional
            Default `snapshots.RULES`; None leaves a quantity out of the record.

        Raises
        ------
        AssertionError
            With every quantity that differs, is lost or is new; or that there is no record yet.
        """
        __tracebackhide__ = True
        test = self._node.nodeid.partition("::")[2]
        path = snapshots.place(self._node.path, test.replace("::", "."), name)
        self._node.user_properties.append((USED, str(path)))
        now = snapshots.numbers_of(fit, rules)
        before = snapshots.read(path)
        if before is None and not self._update:
            raise AssertionError(
                f"no record {path}; make it with pytest --pairproof-update, look at it, and keep it"
            )
        found = [] if before is None else snapshots.changes(before.numbers, now, fit, rules)
        if self._update:
            if before is None or found:
                snapshots.write(path, test, fit, now)
                said = f"  new record, {len(now)} numbers" if before is None else _listed(found)
                self._node.user_properties.append((CHANGED, f"{path}\n{said}"))
        elif found:
            raise AssertionError(
                f"{len(found)} of {len(now)} numbers of {fit.title} are not as recorded in"
                f" {path}:\n{_listed(found)}\nIf that is meant, write the record anew with pytest"
                " --pairproof-update"
            )


def _listed(found: list[snapshots.Change]) -> str:
    more = [f"  ... and {len(found) - MOST} more"] if len(found) > MOST else []
    return safe("\n".join([*(f"  {change}" for change in found[:MOST]), *more]))
