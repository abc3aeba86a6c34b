"""One browser for all tests of the page: its start takes most of their time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.campaign.page import browser
from tests.campaign.page.browser import Browser

#: What it does in `make test`: a batch by keyboard, one by mouse, hostile texts; the rest is nightly.
ALWAYS = (
    "test_a_batch_answered_by_keyboard_is_saved_and_taken_in",
    "test_a_batch_answered_by_mouse_in_two_sittings_counts_each_judgment_once",
    "test_hostile_texts_are_shown_letter_by_letter_and_do_nothing",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        name = getattr(item, "originalname", item.name)
        if "web" in getattr(item, "fixturenames", ()) and name not in ALWAYS:
            item.add_marker(pytest.mark.nightly)


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
