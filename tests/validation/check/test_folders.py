"""A paper is a folder: what its claims call stands in it, and it is found without a list of papers."""

from __future__ import annotations

import pytest

from pairproof.validation.check.claims_file import read_paper, shipped_papers
from pairproof.validation.check.recompute import story_of
from pairproof.validation.check.shipped import PAPERS, shipped
from pairproof.validation.statements.registers import COMPUTATIONS, TESTS


@pytest.mark.parametrize("name", shipped_papers())
def test_a_papers_claims_call_what_is_general_or_stands_in_its_own_folder(name: str) -> None:
    folder = f"pairproof.validation.papers.{shipped()[name].parent.name}."
    called = {TESTS[claim.test] for claim in read_paper(name).claims if claim.test}
    called |= {COMPUTATIONS[claim.compute] for claim in read_paper(name).claims if claim.compute}
    # The certified models of contests are in a folder of their own, and papers print numbers of them.
    general = ("pairproof.validation.statements.", "pairproof.validation.papers.contests.", folder)
    assert [f.__module__ for f in called if not f.__module__.startswith(general)] == []


def test_every_story_belongs_to_a_paper_whose_claims_are_in_its_folder() -> None:
    told = {name: story_of(name) for name in shipped_papers()}
    found = {story.__name__ for story in told.values() if story is not None}
    stories = sorted(PAPERS.glob("*/story.py"))
    assert found == {f"pairproof.validation.papers.{path.parent.name}.story" for path in stories}
    assert len(stories) >= 3
    assert story_of("../../papers/dras_2015/dras-2015") is None
