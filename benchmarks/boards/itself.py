"""The packages themselves, beside the formulae of :mod:`benchmarks.boards.methods`, and how long each takes.

FastChat is in no package index: `--fastchat FILE` names its `fastchat/serve/monitor/rating_systems.py`.
"""

from __future__ import annotations

import multiprocessing.dummy
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from pairproof.boards.board import leaderboard
from pairproof.boards.result import Board

from .designs import COLUMNS, STYLE, Design, Draw
from .methods import METHODS, Answer

Run = Callable[[Draw], Answer]


def beside(designs: dict[str, Design], n: int, fastchat: Path | None) -> list[dict[str, Any]]:
    """Largest differences in n replications, and the median of their CPU seconds, the first left out."""
    out = []
    for method, (design, run) in _runs(designs, fastchat).items():
        seconds, ratings, limits = [], [], []
        for k in range(n + 1):
            draw = design.draw(k)
            begin = time.process_time()
            theirs = run(draw)
            seconds.append(time.process_time() - begin)
            if method in METHODS:
                ours = METHODS[method](draw, draw.limits["half"], False)
                ratings.append(np.abs(ours.rating - theirs.rating).max())
                limits.append(max(np.abs(ours.low - theirs.low).max(), np.abs(ours.high - theirs.high).max()))
        one: dict[str, Any] = {
            "method": method,
            "design": design.name,
            "seconds": round(median(seconds[1:]), 2),
        }
        if ratings:
            one |= {"rating": float(f"{max(ratings):.2g}"), "limits": float(f"{max(limits):.2g}")}
        out.append(one)
    return out


def _runs(designs: dict[str, Design], fastchat: Path | None) -> dict[str, tuple[Design, Run]]:
    users, style = designs["users differ"], designs["style goes with ability"]
    out: dict[str, tuple[Design, Run]] = {
        "pairproof": (users, _board),
        "pairproof, style": (style, _board_style),
    }
    if _there("arena_rank"):
        out["arena-rank"] = users, _arena_rank
        out["arena-rank, style"] = style, _arena_rank_style
    if _there("evalica"):
        out["evalica"] = users, _evalica
    if fastchat is not None:
        out["FastChat"] = users, lambda draw: _fastchat(draw, fastchat)
    return out


def _there(package: str) -> bool:
    try:
        __import__(package)
    except ImportError:
        return False
    return True


def _frame(draw: Draw) -> pd.DataFrame:
    assert draw.frame is not None
    return draw.frame


def _board(draw: Draw, **how: Any) -> Answer:
    board = leaderboard(_frame(draw)[[*COLUMNS, *how.get("style", ())]], **how)
    assert isinstance(board, Board)
    of = {row.model: row for row in board.rows}
    rating, low, high = (
        np.array([getattr(of[m], key) for m in draw.names]) for key in ("rating", "low", "high")
    )
    return Answer(rating, low, high)


def _board_style(draw: Draw) -> Answer:
    return _board(draw, style=(STYLE,))


def _arena(answer: dict[str, Any], draw: Draw) -> Answer:
    place = [list(answer["competitors"]).index(name) for name in draw.names]
    rating, low, high = (
        np.asarray(answer[key])[place] for key in ("ratings", "rating_lower", "rating_upper")
    )
    return Answer(rating, low, high)


def _arena_rank(draw: Draw) -> Answer:
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    data = PairDataset.from_pandas(_frame(draw))
    return _arena(BradleyTerry(n_competitors=len(draw.names)).compute_ratings_and_cis(data), draw)


def _arena_rank_style(draw: Draw) -> Answer:
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset

    data = ContextualPairDataset.from_pandas(_frame(draw), feature_cols=[STYLE])
    model = ContextualBradleyTerry(n_competitors=len(draw.names), n_features=1)
    return _arena(model.compute_ratings_and_cis(data), draw)


def _evalica(draw: Draw) -> Answer:
    """`bootstrap` of rows, percentiles of 100 samples: its own draws, so that only the ratings are compared closely."""
    import evalica

    frame = _frame(draw)
    to = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    winners = [to.get(w, evalica.Winner.Draw) for w in frame["winner"]]
    found = evalica.bootstrap(
        evalica.bradley_terry, frame["model_a"].tolist(), frame["model_b"].tolist(), winners,
        n_resamples=100, bootstrap_method="percentile", random_state=0,
    )  # fmt: skip
    scores, low, high = (s.reindex(draw.names) for s in (found.result.scores, found.low, found.high))
    mean = np.log(scores).mean()
    return Answer(*(1000 + 400 / np.log(10) * (np.log(s) - mean).to_numpy() for s in (scores, low, high)))


def _fastchat(draw: Draw, file: Path) -> Answer:
    """`compute_bootstrap_bt` with 100 rounds, in one thread of this process, so that its seconds are counted."""
    module = types.ModuleType("rating_systems")
    if not _there("tqdm"):
        bar = types.ModuleType("tqdm")
        bar.__dict__["tqdm"] = lambda x, **_: x
        sys.modules["tqdm"] = bar
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)
    module.__dict__["mp"] = multiprocessing.dummy
    frame = _frame(draw)
    draws = module.compute_bootstrap_bt(frame, num_round=100, num_cpu=1)[draw.names]
    rating = module.compute_bt(frame)
    low, high = (draws.quantile(q).to_numpy() for q in (0.025, 0.975))
    return Answer(rating[draw.names].to_numpy(), low, high)
