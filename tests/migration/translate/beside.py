"""The script beside a test module, migrated once with a live R."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import pairproof
from pairproof.migration.outcome import Migration
from pairproof.migration.translate.translation import Step

#: A migration, and the folder with what was written.
Migrated = tuple[Migration, Path]


def migrated_in(factory: pytest.TempPathFactory, name: str, beside: str = __file__) -> Migrated:
    """The migration of NAME.R, which stands beside a module."""
    home = factory.mktemp(name)
    shutil.copy(Path(beside).with_name(f"{name}.R"), home)
    return pairproof.migrate(home / f"{name}.R"), home


def step(migrated: Migrated, variable: str) -> Step:
    """The step of the call that a variable of the script is."""
    return next(s for s in migrated[0].steps if s.call.variable == variable)


def assert_no_number_differs(migrated: Migrated) -> None:
    """Every number agrees, every call was recorded, and the exit code is 0."""
    found, _ = migrated
    assert [(str(a.quantity), a.explanation) for a in found.agreements if a.verdict != "agrees"] == []
    assert (found.exit_code, found.captured.lost) == (0, 0)
