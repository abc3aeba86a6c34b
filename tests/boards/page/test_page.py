"""The page of a board: one file that fetches nothing, whose only script is ours, and whose pictures say what the rows say."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.boards.board import leaderboard
from pairproof.boards.over_time import history
from pairproof.boards.page.board_page import MOST_DRAWN, board_page, references, who_may_be_best
from pairproof.boards.page.pictures import MOST_WRITTEN, shares, ticks
from pairproof.boards.result import Board
from pairproof.report.output import render_html
from tests.boards.simulated import simulate
from tests.campaign.page import browser
from tests.campaign.page.browser import Browser

EVIL = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b \u202e {{ 7 * 7 }}")
VOID = {"meta", "img", "br", "hr", "input", "link"}


class Tags(HTMLParser):
    """Tags with their attributes, and what stands in each script; every tag that opens closes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    frame = simulate(5, n_votes=4_000, n_models=8, n_judges=300, pareto=2.0)
    names = dict(zip(sorted({*frame["model_a"], *frame["model_b"]}), EVIL))
    return frame.assign(model_a=frame["model_a"].replace(names), model_b=frame["model_b"].replace(names))


@pytest.fixture(scope="module")
def board(votes: pd.DataFrame) -> Board:
    newcomer = pd.DataFrame(
        {"model_a": ["new"] * 4, "model_b": votes["model_b"][:4], "winner": ["model_b"] * 4}
    )
    return leaderboard(pd.concat([votes, newcomer], ignore_index=True))


@pytest.fixture(scope="module")
def html(board: Board, votes: pd.DataFrame) -> str:
    dated = votes.assign(day=pd.date_range("2025-01-01", periods=len(votes), freq="10min").astype(str))
    over_time = history(pairproof.read(dated), "day", "week")
    return render_html(board_page(replace(board, history=over_time), True, beside=True))


def test_the_only_script_is_the_one_whose_hash_the_policy_names(html):
    tags = Tags(html)
    policy = next(a["content"] for t, a in tags.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert len(tags.scripts) == 1
    digest = base64.b64encode(hashlib.sha256(tags.scripts[0].encode()).digest()).decode()
    assert "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy
    assert policy.count("script-src") == 1 and "'unsafe-inline'" not in policy.partition("script-src")[2]


def test_nothing_is_fetched_and_no_name_is_more_than_text(html):
    tags = Tags(html)
    for tag, attributes in tags.tags:
        assert not {"src", "href", "srcset", "action", "onclick", "onerror"} & attributes.keys(), (
            tag,
            attributes,
        )
    assert not re.search(r"https?://|url\(|@import", html.replace("http://www.w3.org/", ""))
    assert "img" not in {tag for tag, _ in tags.tags} and "&lt;script&gt;alert(1)" in html
    assert "{{ 7 * 7 }}" in html and "\u202e" not in html


def test_a_page_without_a_table_to_sort_has_no_script(board):
    page = board_page(board, True)
    plain = [block for block in page.blocks if not getattr(block, "sortable", False)]
    text = render_html(type(page)("A", plain))
    assert "<script" not in text and "script-src" not in text


def test_every_model_has_a_row_with_its_numbers_to_sort_by(html, board):
    table = re.search(r'<table class="sortable">.*?</table>', html, re.DOTALL)
    assert table is not None
    rows = [
        Tags(f"<table>{row}</table>").tags for row in re.findall(r"<tr>.*?</tr>", table[0], re.DOTALL)[1:]
    ]
    assert len(rows) == len(board.rows)
    for tags, row in zip(rows, board.rows):
        heads = [a for t, a in tags if t == "th"]
        assert [a["scope"] for a in heads] == ["row"] and len(heads[0]["title"]) >= len(row.model)
        values = [a.get("data-value") for t, a in tags if t == "td"]
        assert values[1] == (None if row.rating is None else repr(row.rating))


def test_what_a_page_shows_of_a_model_without_a_rating_is_said_in_words(html, board):
    (row,) = [row for row in board.rows if row.rating is None]
    assert row.status == "below-all" and "lost to all" in html and "below-all" in html


def test_the_shares_are_those_of_the_votes_beside_those_of_the_model(board):
    models = [row.model for row in board.rows]
    n, share, expected = shares(board, models)
    pooled, fit = board.table.pooled(), board.fit
    for (a, b), (won, tied, lost) in pooled.items():
        i, j = models.index(a), models.index(b)
        assert n[i, j] == n[j, i] == won + tied + lost
        # A sum and a quotient; observed 1e-16.
        assert share[i, j] == pytest.approx((won + tied / 2) / (won + tied + lost), abs=1e-15)
        assert share[i, j] + share[j, i] == pytest.approx(1.0, abs=1e-15)
    rated = [row for row in board.rows if row.rating is not None]
    for a, b in zip(rated, rated[1:]):
        p = 1 / (1 + 10 ** ((b.rating - a.rating) / 400))
        assert expected[models.index(a.model), models.index(b.model)] == pytest.approx(
            p, abs=1e-12
        )  # observed 1e-15
    assert np.nansum(share * n, axis=1).sum() == pytest.approx(fit.n_comparisons, rel=1e-12)  # observed 1e-16


def test_the_references_are_those_of_what_was_done(votes, board):
    assert any("Bell" in text for text in references(board)) and any(
        "Pustejovsky" in t for t in references(board)
    )
    assert not any("Davidson" in text or "White" in text for text in references(board))
    by_vote = references(leaderboard(votes, cluster=None, ties="davidson"))
    assert any("Davidson" in text for text in by_vote) and any("White" in text for text in by_vote)
    assert not any("Bell" in text for text in by_vote)


def test_the_page_says_how_it_is_checked_and_that_r_was_not_asked(html, board):
    assert board.data.digest in html and f"pairproof {pairproof.__version__}" in html
    assert "pairproof check leaderboard.toml" in html and "--cluster judge,prompt" in html
    assert "No number on this page was compared with R" in html


def test_boards_side_by_side_have_their_references_and_how_to_check_them_once(votes):
    boards = leaderboard(votes, by="language")
    text = boards.to_html()
    assert text.count("How to check this page") == text.count(">References<") == 1
    assert all(f"{level}: {board.data.digest}" in text for level, board in boards.boards.items())


def test_a_name_of_300_characters_is_whole_in_the_table_and_short_in_pictures():
    rows = {"model_a": ["L" * 300, "B", "C"], "model_b": ["B", "C", "L" * 300], "winner": ["model_a"] * 3}
    assert leaderboard(pd.DataFrame(rows)).to_html().count(">" + "L" * 300 + "<") == 1


def test_who_may_be_best_are_those_whose_rank_may_be_1(board):
    best = [row.model for row in board.rows if row.rank_low == 1]
    assert str(len(best)) in who_may_be_best(board) or "is shown to be the best" in who_may_be_best(board)


def test_markdown_and_text_have_no_picture_and_the_same_rows(board):
    assert "<svg" not in board.to_markdown() and len(board.to_markdown().splitlines()) > len(board.rows)
    assert "Who beats whom" not in str(board)


def test_a_page_of_a_hundred_models_is_below_a_megabyte_and_shows_a_map_of_all():
    frame = simulate(3, n_votes=30_000, n_models=100, n_judges=2_000)
    text = leaderboard(frame, cluster=None).to_html()
    assert len(text.encode()) < 1_000_000  # 0.41 MB
    assert f"The first {MOST_WRITTEN} of 100 models" in text and "Shares of wins between 100 models" in text
    assert MOST_DRAWN >= 100


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (893.2, 1092.7), (-3.0, 1e4), (999.99, 1000.01)])
def test_ticks_are_few_round_and_inside(low, high):
    found = ticks(low, high)
    assert 2 <= len(found) <= 6 and low <= found[0] and found[-1] <= high
    assert np.diff(found) == pytest.approx(found[1] - found[0])


# -- in a browser ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    reason = browser.missing()
    if reason:
        pytest.skip(f"{reason}; 'make browser' brings them")
    with Browser(tmp_path_factory.mktemp("downloads")) as started:
        yield started


def _column(web: Browser, k: int) -> list[str]:
    rows = "document.querySelector('table.sortable').tBodies[0].rows"
    return web.run(f"return Array.from({rows}).map(row => row.cells[{k}].textContent.trim())")


@pytest.mark.nightly
def test_a_reader_sorts_the_board_by_its_headings_and_nothing_is_refused(web, html, board, tmp_path: Path):
    page = tmp_path / "board.html"
    page.write_text(html, encoding="utf-8")
    web.look_like()
    web.open(page)
    models = _column(web, 1)
    assert [len(name) for name in models] == [
        len(row.model.replace("\u202e", "\\u202e")) for row in board.rows
    ]
    click = "document.querySelectorAll('table.sortable thead button')[{}].click()"
    web.run(click.format(2))
    ratings = [float(text) for text in _column(web, 2) if text != "-"]
    assert ratings == sorted(ratings, reverse=True) and _column(web, 2)[-1] == "-"
    web.run(click.format(2))
    ratings = [float(text) for text in _column(web, 2) if text != "-"]
    assert ratings == sorted(ratings) and _column(web, 2)[-1] == "-"
    assert web.run("return document.querySelectorAll('th[aria-sort]').length") == 1
    web.run(click.format(0))
    assert _column(web, 1) == models
    assert not [entry for entry in web.log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.nightly
def test_on_a_telephone_nothing_but_tables_is_wider_than_the_screen(web, html, tmp_path: Path):
    page = tmp_path / "board.html"
    page.write_text(html, encoding="utf-8")
    for scheme in ("light", "dark"):
        web.look_like(375, prefers_color_scheme=scheme)
        web.open(page)
        assert web.run("return document.documentElement.scrollWidth") <= 375
        small = "return Math.min(...[...document.querySelectorAll('text,td,th,p,li')].filter(e => e.textContent.trim())"
        # 0.7 rem, the number of votes in the matrix, is the smallest.
        assert web.run(small + ".map(e => parseFloat(getComputedStyle(e).fontSize)))") >= 11
