"""Where the answers of prefmod come from in these tests: from the records that ship with the package, or, with
PAIRPROOF_RECORD=all in the environment, from R, which writes the records anew."""

from __future__ import annotations

import os

import pytest

from pairproof.bridge import Backend


@pytest.fixture(scope="package")
def policy():
    record = os.environ.get("PAIRPROOF_RECORD") or None
    return Backend("live", record=record) if record else Backend("recorded")
