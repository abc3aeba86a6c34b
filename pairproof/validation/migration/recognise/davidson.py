"""Davidson's model by gnm and BradleyTerry2's GenDavidson, from the local design of the fit.

    log m(1 wins) = mu + a_1 + h_1 adv,   log m(2 wins) = mu + a_2 + h_2 adv,
    log m(tie)    = mu + tie.max + log 2 + the mean of the two,   without tie.mode and tie.scale

(Davidson 1970, JASA 65, 317-328; the general form: Turner and Firth, BradleyTerry2).  The derivative of a
row's predictor by an ability is 1 where that player won and 0 where the other did, in every form of the
model, which tells the rows of a match apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .block import EXACT
from .contests import Contests
from .covariates import Variable
from .decide import Design, Not, usable

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: gnm's names of the terms, which GenDavidson gives them, and ours.
OURS = {"home.adv": "order", "tie.max": "tie", "tie.mode": "tie-shift", "tie.scale": "tie-scale"}


@dataclass(frozen=True, eq=False)
class Davidson:
    """A GenDavidson of free abilities.

    contests: the player at home first.  order float[n] or None: 1 where the first is at home, 0 on neutral
    ground; None without a home advantage.  coefficients: R's, in the order of the columns of the map.  names:
    ours, with the first item as the reference.  map float[n_names, p]: tie is that of R plus log 2 besides.
    players: columns of the data; "first" and "second" where none has the players' names.
    """

    items: tuple[str, ...]
    contests: Contests
    order: FloatArray | None
    coefficients: tuple[str, ...]
    names: tuple[str, ...]
    map: FloatArray
    players: tuple[str, str]

    @property
    def general(self) -> bool:
        """Whether ties are shifted or scaled."""
        return "tie-shift" in self.names or "tie-scale" in self.names


def recognise_davidson(design: Design, counts: FloatArray, groups: IntArray) -> Davidson | Not:
    """A GenDavidson of which each ability, the home advantage and the terms of ties are one number each.

    design: local: the derivatives of the predictors at the estimates.  counts float[n].  groups int[n]:
    matches, from 0.
    """
    special = [n for n in design.names if n in OURS]
    items = tuple(n for n in design.names if n not in OURS)
    if set(np.bincount(groups).tolist()) != {3}:
        return Not("its matches do not have three rows each, won, tied and lost", True)
    rows = np.argsort(groups, kind="stable").reshape(-1, 3)
    place = {n: k for k, n in enumerate(design.names)}
    met = _met(design, rows, np.array([place[n] for n in items], dtype=np.int64))
    if met is None or "tie.max" not in special:
        return Not(
            "its GenDavidson has more than one number for the home advantage, a term of ties or a player's ability",
            True,
        )
    one, two = met
    of_one = design.x[rows, one[:, None]]
    of_two = design.x[rows, two[:, None]]
    won = (np.abs(of_one - 1) < EXACT) & (np.abs(of_two) < EXACT)
    lost = (np.abs(of_two - 1) < EXACT) & (np.abs(of_one) < EXACT)
    if (won.sum(axis=1) != 1).any() or (lost.sum(axis=1) != 1).any():
        return Not("the rows of a match are not won, tied and lost", True)
    tied = ~(won | lost)
    ordered = np.stack([rows[won], rows[lost], rows[tied]], axis=1)
    position = {n: k for k, n in enumerate(items)}
    first = np.array([position[design.names[k]] for k in one], dtype=np.int64)
    second = np.array([position[design.names[k]] for k in two], dtype=np.int64)
    x = design.x[ordered]
    contests = Contests(
        first,
        second,
        counts[ordered[:, 0]],
        counts[ordered[:, 1]],
        counts[ordered[:, 2]],
        x[:, 0] - x[:, 1],
        x[:, 2] - (x[:, 0] + x[:, 1]) / 2,
        ordered,
    )
    order = None
    if "home.adv" in place:
        home = contests.logit[:, place["home.adv"]]
        if not set(np.round(home, 9).tolist()) <= {-1.0, 0.0, 1.0}:
            return Not("its players are at home by other numbers than 1 and 0", True)
        contests = contests.turned(home < 0)
        order = np.abs(home).round()
    elif "tie.mode" in special:
        return Not("its GenDavidson has tie.mode without a home advantage", True)
    shown = tuple(usable(n) for n in items)
    if len(set(shown)) != len(shown):
        return Not("two of its players have one name once what stands for something else is replaced", True)
    names = (*shown[1:], *(OURS[n] for n in special))
    to = np.zeros((len(names), len(design.names)))
    for k, item in enumerate(items[1:]):
        to[k, place[item]], to[k, place[items[0]]] = 1.0, -1.0
    for k, n in enumerate(special):
        to[len(items) - 1 + k, place[n]] = 1.0
    return Davidson(shown, contests, order, design.names, names, to, _columns(design, items))


def _met(design: Design, rows: IntArray, at: IntArray) -> tuple[IntArray, IntArray] | None:
    """Columns of the two players of each match, by the abilities that move its rows; None where it is not two.

    The players may be levels of a factor, or of several together (a team in a season).
    """
    moves = (np.abs(design.x[rows][:, :, at]) > EXACT).any(axis=1)
    if (moves.sum(axis=1) != 2).any():
        return None
    _, players = np.nonzero(moves)
    one, two = players.reshape(-1, 2).T
    # Where the data name them, the player of the first column comes first.
    named = _factors(design, tuple(design.names[k] for k in at))
    if named:
        place = {str(design.names[k]): i for i, k in enumerate(at)}
        said = np.array([place[str(v)] for v in named[0].values], dtype=np.int64)[rows[:, 0]]
        one, two = np.where(said == two, two, one), np.where(said == two, one, two)
    return at[one], at[two]


def _factors(design: Design, items: tuple[str, ...]) -> list[Variable]:
    """The two columns of the data whose levels are the players; [] if there are none."""
    met = [v for v in design.factors.values() if v.levels and set(v.levels) == set(items)]
    return met if len(met) == 2 else []


def _columns(design: Design, items: tuple[str, ...]) -> tuple[str, str]:
    met = _factors(design, items)
    return (met[0].name, met[1].name) if met else ("first", "second")
