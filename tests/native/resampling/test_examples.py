"""Examples in the docstrings of the room run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import warnings

import pytest

MODULES = ("intervals", "record", "limits", "result", "bootstrap")


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_a_module_run_and_print_what_they_say(module):
    loaded = importlib.import_module(f"pairproof.native.resampling.{module}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = doctest.testmod(loaded)
    assert found.attempted > 2 and found.failed == 0
