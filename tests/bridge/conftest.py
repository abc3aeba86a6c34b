"""Sessions for the bridge's tests, and Dras's Table 1 in the shapes R's functions take."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pairproof.bridge.process.session import RSession, session
from tests import places

CERTIFIED = places.CERTIFIED / "fits"

#: Dras (2015), Table 1: judge, x, y, x preferred, tie, y preferred. Artificial data, factual numbers.
TABLE_1 = """\
J1,A,B,38,0,2
J1,A,C,36,1,3
J1,A,D,37,1,2
J1,B,C,39,1,0
J1,B,D,0,2,38
J1,C,D,3,0,37
J2,A,B,37,2,1
J2,A,C,36,3,1
J2,A,D,38,1,1
J2,B,C,37,2,1
J2,B,D,2,2,36
J2,C,D,1,0,39
J3,A,B,33,4,3
J3,A,C,33,3,4
J3,A,D,3,3,34
J3,B,C,4,4,32
J3,B,D,2,4,34
J3,C,D,1,0,39
J4,A,B,37,2,1
J4,A,C,39,0,1
J4,A,D,35,3,2
J4,B,C,34,2,4
J4,B,D,2,2,36
J4,C,D,3,1,36
"""
ITEMS = ["A", "B", "C", "D"]
#: What prefmod takes columns AB AC AD BC BD CD for: (12)(13)(23)(14)(24)(34).
PREFMOD_READS = {("A", "D"): ("B", "C"), ("B", "C"): ("A", "D")}


class Counts:
    """Columns of counts, from the first item's side."""

    def __init__(self, rows):
        self.judge, self.first, self.second, self.wins, self.ties, self.losses = map(list, zip(*rows))

    @property
    def half_wins(self):
        return (
            [w + t / 2 for w, t in zip(self.wins, self.ties)],
            [x + t / 2 for x, t in zip(self.losses, self.ties)],
        )

    def pooled(self):
        total = {}
        for x, y, *n in zip(self.first, self.second, self.wins, self.ties, self.losses):
            total[x, y] = [a + b for a, b in zip(total.get((x, y), [0, 0, 0]), n)]
        return Counts([["all", x, y, *n] for (x, y), n in total.items()])

    def read_as_prefmod(self):
        """The same columns, taken in prefmod's order: AD and BC change places."""
        names = [PREFMOD_READS.get(pair, pair) for pair in zip(self.first, self.second)]
        return Counts(
            [
                [j, x, y, w, t, n]
                for j, (x, y), w, t, n in zip(self.judge, names, self.wins, self.ties, self.losses)
            ]
        )

    def wide(self):
        """One row a comparison and judge, pair columns in prefmod's order; 0 first, 1 tie, 2 second; judge 1
        to 4.
        """
        order = [("A", "B"), ("A", "C"), ("B", "C"), ("A", "D"), ("B", "D"), ("C", "D")]
        blocks = []
        for number, judge in enumerate(sorted(set(self.judge)), start=1):
            columns = {}
            for j, x, y, w, t, n in zip(
                self.judge, self.first, self.second, self.wins, self.ties, self.losses
            ):
                if j == judge:
                    columns[x, y] = [0] * w + [1] * t + [2] * n
            blocks.append(
                np.column_stack(
                    [*(columns[pair] for pair in order), [number] * 40 * (4 if judge == "all" else 1)]
                )
            )
        table = np.vstack(blocks).astype(float)
        return {name: table[:, k] for k, name in enumerate(["AB", "AC", "BC", "AD", "BD", "CD", "SUBJ"])}


@pytest.fixture(scope="session")
def dras():
    rows = [[j, x, y, int(w), int(t), int(n)] for j, x, y, w, t, n in csv.reader(TABLE_1.splitlines())]
    return Counts(rows)


@pytest.fixture(scope="session", params=["right order", "prefmod order"])
def dras_either(request, dras):
    """Table 1 in the paper's column order and as prefmod reads the same columns, with the name of its
    certified data.
    """
    if request.param == "right order":
        return dras, "dras-table1"
    return dras.read_as_prefmod(), "dras-table1-prefmod-order"


@pytest.fixture(scope="session")
def certified():
    """A fit certified to 50 digits, as doubles: params, bse, deviance, llf, ..."""

    def read(name):
        def numbers(value):
            if isinstance(value, str):
                return float(value)
            return {k: numbers(v) for k, v in value.items()} if isinstance(value, dict) else value

        fit = json.loads((CERTIFIED / f"{name}.json").read_text("utf-8"))
        return {
            k: numbers(fit[k]) for k in ("params", "bse", "deviance", "llf", "worth", "worth_se", "df_resid")
        }

    return read


@pytest.fixture(scope="session")
def r():
    """This process's own session."""
    return session()


@pytest.fixture
def fresh():
    """A session of the test's own, which it may crash."""
    with RSession() as one:
        yield one


def digits(found, true, scale=0.0):
    """Decimal digits of agreement, at most 16: of |difference| / max(|true|, scale)."""
    gap = abs(found - true)
    return 16.0 if gap == 0 else min(16.0, -np.log10(gap / max(abs(true), scale, 1e-300)))
