"""Links of annotators' pages, and the files of a folder of pages."""

from __future__ import annotations

import csv

import pytest

from pairproof.campaign import open_batch
from pairproof.campaign.page.platforms import links_csv
from pairproof.campaign.storage.records import add_annotator
from pairproof.campaign.storage.store import opened
from pairproof.errors import InputError
from tests.campaign.helpers import campaign


def test_a_link_for_each_page():
    text = links_csv([("=ann", "a b.html"), ("bob", "b.html")], "https://example.org/p")
    assert text.split("\n")[:3] == [
        "annotator,link,guarded",
        "'=ann,https://example.org/p/a%20b.html,1",
        "bob,https://example.org/p/b.html,",
    ]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "example.org", "", "https://a b/", "https://a\n/"]
)
def test_an_address_that_is_none_is_refused_before_a_batch_is_opened(tmp_path, address):
    path = campaign(tmp_path)
    with pytest.raises(InputError, match="expected an address such as https"):
        open_batch(path, tmp_path / "pages/", for_annotators=True, address=address)
    with pytest.raises(InputError, match="name a folder"):
        open_batch(path, tmp_path / "p.html", address="https://example.org")
    with pytest.raises(InputError, match="no batch is open yet"):
        open_batch(path, tmp_path / "p.html", again=True)


def test_a_folder_of_pages_has_the_links_of_its_pages(tmp_path):
    path = campaign(tmp_path)
    with opened(path, write=True) as store:
        for name in ("ann", "bob"):
            add_annotator(store, name)
    for again in (False, True):
        open_batch(path, tmp_path / "pages", for_annotators=True, address="https://example.org/", again=again)
    links = list(csv.DictReader((tmp_path / "pages" / "links-1.csv").open(encoding="utf-8")))
    assert [link["annotator"] for link in links] == ["ann", "bob"]
    for link in links:
        assert (tmp_path / "pages" / link["link"].rpartition("/")[2]).is_file()
        assert link["annotator"] not in link["link"]
