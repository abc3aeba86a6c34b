"""One browser for all tests of the page: its start takes most of their time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.campaign.page import browser
from tests.campaign.page.browser import Browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    reason = browser.missing()
    if reason:
        pytest.skip(f"{reason}; 'make browser' brings them")
    with Browser(tmp_path_factory.mktemp("downloads")) as started:
        yield started


@pytest.fixture
def web(chromium: Browser) -> Iterator[Browser]:
    """The browser on an ordinary screen; nothing may go wrong on a page unnoticed."""
    for left in chromium.downloads.iterdir():
        left.unlink()
    chromium.look_like()
    chromium.log("browser"), chromium.log("performance")
    yield chromium
    errors = [entry for entry in chromium.log("browser") if entry["level"] == "SEVERE"]
    assert not errors, errors
