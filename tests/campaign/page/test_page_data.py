"""What a page holds: the item's text and the columns that are shown, and nothing that could name a system."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import pytest

from pairproof.campaign import create, open_batch
from pairproof.campaign.page.batch_page import PageData, page_html
from pairproof.campaign.page.texts import ENGLISH, Example, texts_of
from tests.campaign.page.pages import json_of, page_data, write_page

HOSTILE = [
    "</script><script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "<!--<script>",
    "]]>{{DATA}}{{SCRIPT}}/*STYLE*/${1+1} {page} `$(x)` %s",
    "\u2028\u2029 line\u202e separators \u0000\u001b[2J",
    '=HYPERLINK("http://x")',
]


class Tags(HTMLParser):
    """The elements of a page with their attributes, and the text of each script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.within: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.within.append("")

    def handle_data(self, data):
        self.within[-1:] = [self.within[-1] + data] if self.within else []


def hostile_data() -> PageData:
    texts = texts_of(HOSTILE[0], "0=" + HOSTILE[1] + ";100=" + HOSTILE[3], "\n\n".join(HOSTILE),
                     [Example(HOSTILE[0], 50, HOSTILE[2])], words={"title": HOSTILE[0], "next": HOSTILE[1]})  # fmt: skip
    return page_data(HOSTILE, 3, ("</script>",), texts=texts, annotator=HOSTILE[0], token="</script>")


def test_the_page_holds_nothing_but_what_is_shown(tmp_path):
    items = tmp_path / "items.csv"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [["id", "sent", "producer", "truth"],
             *([f"online-B:{k}", f"text {k}", "online-B", f"0.12345{k}"] for k in range(6))]
        )  # fmt: skip
    create(tmp_path / "C.db", items, per_hit=3, seed=3)
    open_batch(tmp_path / "C.db", tmp_path / "batch.html")
    page = (tmp_path / "batch.html").read_text(encoding="utf-8")
    for hidden in ("online-B", "producer", "truth", "0.12345"):
        assert hidden not in page, hidden
    hits = json_of(tmp_path / "batch.html")["hits"]
    assert [hit["ids"] for hit in hits] == [["h1s1", "h1s2", "h1s3"], ["h2s1", "h2s2", "h2s3"]]
    assert sorted(slot["text"] for hit in hits for slot in hit["slots"]) == [f"text {k}" for k in range(6)]
    assert all(slot["shown"] == [] for hit in hits for slot in hit["slots"])
    assert re.findall("<title>(.*?)</title>", page) == ["Annotation"]


def test_columns_that_are_shown_come_with_their_names(tmp_path):
    page = write_page(tmp_path, page_data(["a", "b"], 2, ("source", "context")))
    found = json_of(page)
    assert found["show"] == ["source", "context"]
    assert found["hits"][0]["slots"][1] == {"text": "b", "shown": ["source of b", "context of b"]}


def test_no_text_becomes_markup(tmp_path):
    plain, hostile = page_html(page_data()), page_html(hostile_data())
    # The same elements, whatever the texts hold; titles and data are where they belong.
    assert [tag for tag, _ in Tags(hostile).tags] == [tag for tag, _ in Tags(plain).tags]
    assert f"<title>{html.escape(HOSTILE[0])}</title>" in hostile
    found = json_of(write_page(tmp_path, hostile_data()))
    assert [slot["text"] for hit in found["hits"] for slot in hit["slots"]] == HOSTILE
    assert found["annotator"] == HOSTILE[0] and found["words"]["next"] == HOSTILE[1]
    assert not re.search("[\u2028\u2029]", hostile)


@pytest.mark.parametrize("texts", [texts_of(), texts_of(lang="ar")])
def test_the_policy_forbids_every_connection_and_names_the_page_s_own_script_and_style(texts):
    page = page_html(page_data(texts=texts))
    tags = Tags(page)
    policy = next(a["content"] for t, a in tags.tags if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    own = {
        tag: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
        for tag, text in re.findall(r"<(script|style)>(.*?)</\1>", page, re.DOTALL)
    }
    assert rules == {"default-src": "'none'", "style-src": own["style"], "script-src": own["script"],
                     "base-uri": "'none'", "form-action": "'none'"}  # fmt: skip
    assert not [a for _, a in tags.tags if {"src", "href", "style", "onclick"} & set(a)]
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|innerHTML|https?:", page)


def test_every_word_of_the_page_is_used_and_none_is_missing():
    page = page_html(page_data())
    script = re.sub(r'<script id="data".*?</script>', "", page, flags=re.DOTALL)
    used = set(re.findall(r'data-word="(\w+)"', page)) | set(re.findall(r'"(\w+)"', script))
    assert set(ENGLISH) - used == {"title"}  # which the page is written with
    asked = set(re.findall(r'(?:word|say|fill\([^,]+,)\(?\s*"(\w+)"', script)) | set(
        re.findall(r'data-word="(\w+)"', page)
    )
    assert len(asked) > 30 and asked - set(ENGLISH) == set()


def test_the_language_and_direction_of_the_page_are_those_of_its_texts():
    assert '<html lang="ar-EG" dir="rtl">' in page_html(page_data(texts=texts_of(lang="ar-EG")))
    assert '<html lang="en" dir="ltr">' in page_html(page_data())


def test_the_same_data_give_the_same_bytes():
    data = page_data()
    assert page_html(data) == page_html(dataclasses.replace(data))
    assert json.dumps(data.hits[0].slots[0].text) in page_html(data)
