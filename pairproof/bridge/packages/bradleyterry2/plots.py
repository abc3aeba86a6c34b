"""plotProportions: observed shares of wins, and of ties, against fitted probabilities, in bins of contests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.convert import data_frame
from ..answers import Floats, RAnswer, ask, asks, optional, reals
from .arguments import NEEDS

PLOT = """
call <- list(quote(BradleyTerry2::plotProportions), win = quote(win), loss = quote(loss), player1 = quote(player1), player2 = quote(player2),
             abilities = quote(abilities), data = quote(data), bin.size = bin.size)
if (!is.null(data$tie)) call$tie <- quote(tie)
if (!is.null(data$at.home1)) { call$at.home1 <- quote(at.home1); call$at.home2 <- quote(at.home2) }
for (name in names(parameters)) call[[name]] <- parameters[[name]]
found <- eval(as.call(call))
list(win = as.numeric(found$win$prop.win), win_bin = as.numeric(found$win$bin.win),
     tie = if (!is.null(found$tie.prop.tie)) as.numeric(found$tie.prop.tie) else numeric(),
     tie_bin = if (!is.null(found$tie.bin.tie)) as.numeric(found$tie.bin.tie) else numeric())
"""


@dataclass(frozen=True, eq=False)
class Proportions(RAnswer):
    """The bins that ``plotProportions`` draws; the plot itself goes nowhere.

    win, win_bin float[bins]: share won of the contests without ties in a bin, and the middle of the bin's
    fitted probabilities.  tie, tie_bin float[bins]: share of ties, in bins of all contests; empty without
    ties.
    """

    win: Floats
    win_bin: Floats
    tie: Floats
    tie_bin: Floats


@asks(*NEEDS)
def plotProportions(
    win: Sequence[bool],
    tie: Sequence[bool] | None,
    loss: Sequence[bool],
    player1: Sequence[str],
    player2: Sequence[str],
    abilities: Mapping[str, float],
    home_adv: float | None = None,
    tie_max: float | None = None,
    tie_scale: float | None = None,
    tie_mode: float | None = None,
    at_home1: Sequence[bool] | None = None,
    at_home2: Sequence[bool] | None = None,
    subset: Sequence[bool] | None = None,
    bin_size: int = 20,
    *,
    backend: BackendLike = None,
) -> Proportions:
    """R's ``BradleyTerry2::plotProportions``: the bins that it returns.

    Parameters
    ----------
    win, tie, loss : bool[contests]
        `tie` may be None.
    player1, player2 : str[contests]
    abilities : mapping of player to float
        On the log-odds scale.
    home_adv, tie_max, tie_scale, tie_mode : float, optional
        Of a generalised Davidson model. The last three only draw R's curve: no bin depends on them.
    at_home1, at_home2 : bool[contests], optional
        Needed with `home_adv`; R then leaves out contests on neutral ground, and turns those at home for player 2.
    subset : bool[contests], optional
    bin_size : int
        Fewest contests in a bin.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Proportions

    Raises
    ------
    InputError, RError
        Players without an ability, columns of other lengths; R's own.

    Examples
    --------
    >>> plotProportions(won, None, lost, first, second, {"A": 0.0, "B": 1.2}).win  # doctest: +SKIP
    """
    n = len(win)
    given = {"loss": loss, "player1": player1, "player2": player2, "tie": tie, "at_home1": at_home1, "at_home2": at_home2, "subset": subset}  # fmt: skip
    wrong = {k: len(v) for k, v in given.items() if v is not None and len(v) != n}
    if wrong:
        raise InputError(f"win has {n} contests, but {wrong}")
    absent = sorted({*player1, *player2} - set(abilities))
    if absent:
        raise InputError(f"{absent[:5]} have no ability; abilities are of {list(abilities)[:20]}")
    if (at_home1 is None) != (at_home2 is None):
        raise InputError("at_home1 and at_home2 belong together")
    kept = np.ones(n, bool) if subset is None else np.asarray(subset, bool)

    def chosen(values: Any, kind: type) -> Any:
        return np.asarray(values, kind)[kept]

    columns: dict[str, Any] = {"win": chosen(win, bool), "loss": chosen(loss, bool)}
    columns |= {"tie": chosen(tie, bool)} if tie is not None else {}
    columns |= {
        "player1": [p for p, k in zip(player1, kept) if k],
        "player2": [p for p, k in zip(player2, kept) if k],
    }
    if at_home1 is not None:
        columns |= {"at.home1": chosen(at_home1, bool), "at.home2": chosen(at_home2, bool)}
    terms = {"home.adv": home_adv, "tie.max": tie_max, "tie.scale": tie_scale, "tie.mode": tie_mode}
    arguments = {
        "data": data_frame(columns),
        "parameters": {k: float(v) for k, v in terms.items() if v is not None} or None,
        "bin.size": int(bin_size),
        "values": reals(list(abilities.values())),
        "players": list(abilities),
    }
    code = "abilities <- stats::setNames(values, players)\n" + PLOT
    return Proportions.read(ask(backend, "BradleyTerry2::plotProportions", code, arguments, NEEDS))
