"""The examples in the docstrings of `pairproof.validation` run, and give what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = ("check.recompute", "verify")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_of_this_module_give_what_they_show(name: str) -> None:
    module = importlib.import_module(f"pairproof.validation.{name}")
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0 and found.failed == 0
