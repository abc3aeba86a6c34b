"""Tables of BradleyTerry2's help pages, from the record of its model matrices or from the package itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

import pairproof
from tests.native.comparisons.formula.matrices import made, table_of

#: Wins of the first and of the second, by table: `baseball` and `springall`, as R has them.
COUNTS = json.loads(Path(__file__).with_name("counts.json").read_text(encoding="utf-8"))
LIZARDS = "throat.PC1 + throat.PC3 + head.length + SVL"


def example(name: str) -> pairproof.Comparisons:
    """A table with the counts of the help page; where none are recorded, the first item won."""
    table = table_of(made(name))
    one = np.ones(table.n_rows)
    wins, losses = (np.array(y, float) for y in COUNTS.get(name, (one, 0.0 * one)))
    return replace(table, wins=wins, losses=losses)


def baseball() -> pairproof.Comparisons:
    """Home and away results of seven teams, with at.home for each side."""
    return example("baseball, at home")


def chameleons() -> pairproof.Comparisons:
    """106 contests of chameleons, with prev.wins.2 for each side."""
    return example("chameleons, table 3")


def lizards() -> pairproof.Comparisons:
    """100 contests of 77 lizards."""
    return example("flatlizards, Whiting et al. (2006)")
