"""`python -m tests.boards.make_peers rating_systems.py`: what arena-rank, FastChat and evalica say of the votes here.

Where arena-rank 0.1.1 and evalica 0.4.2 are installed; the file is FastChat's `fastchat/serve/monitor/rating_systems.py`.  Each
goes on until it moves no more: by default they stop up to .1 points away.  The test beside this asks them live as well.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.places import TESTS

HERE = TESTS / "boards"
FEATURES = ["length", "headers"]


def votes(n: int = 400, models: int = 6, seed: int = 1, ties: float = 0.25) -> pd.DataFrame:
    """Votes with two features and a judge, some models shown more than others."""
    rng = np.random.default_rng(seed)
    ability, shown = rng.normal(0.0, 0.6, models), rng.dirichlet(np.full(models, 3.0))
    first, second = (rng.choice(models, 2 * n, p=shown) for _ in range(2))
    kept = np.flatnonzero(first != second)[:n]
    first, second = first[kept], second[kept]
    style = np.round(rng.normal(0.3, 1.0, (n, 2)), 2)
    p = 1.0 / (1.0 + np.exp(ability[second] - ability[first] - style @ [0.25, -0.1]))
    winner = np.where(rng.random(n) < p, "model_a", "model_b")
    winner = np.where(rng.random(n) < ties, "tie", winner)
    names = np.array([f"m{k:02d}" for k in rng.permutation(models)])
    frame = pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": winner})
    return frame.assign(length=style[:, 0], headers=style[:, 1], judge=rng.integers(0, max(2, n // 8), n))


def arena_rank(frame: pd.DataFrame, reweighted: bool, reg: float | None = None) -> dict[str, Any]:
    """reg None: without features."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset, PairDataset

    exact = {"ftol": 0.0, "gtol": 1e-13}
    if reg is None:
        data = PairDataset.from_pandas(frame, reweighted=reweighted)
        found = BradleyTerry(data.n_competitors, **exact).compute_ratings_and_cis(data)
    else:
        data = ContextualPairDataset.from_pandas(frame, FEATURES, reweighted=reweighted)
        found = ContextualBradleyTerry(data.n_competitors, 2, reg=reg, **exact).compute_ratings_and_cis(data)
    return {
        name: value if name == "competitors" else np.asarray(value).tolist() for name, value in found.items()
    }


def fastchat(frame: pd.DataFrame, path: Path) -> dict[str, Any]:
    from scipy.optimize import minimize

    sys.modules.setdefault("tqdm", _no_tqdm())
    spec = importlib.util.spec_from_file_location("rating_systems", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["rating_systems"] = module
    spec.loader.exec_module(module)

    def to_the_end(fun: Any, x0: Any, args: Any, jac: Any, method: str, options: Any) -> Any:
        far = {"maxiter": 100_000, "gtol": 1e-14, "ftol": 0.0, "maxcor": 30}
        return minimize(fun, x0, args=args, jac=jac, method=method, options=far)

    module.minimize = to_the_end
    drawn = module.compute_bootstrap_bt(frame, 100, num_cpu=1)
    pairs, outcomes, models = module.preprocess_for_elo(frame)
    x = frame[FEATURES].to_numpy()
    style = module.fit_contextual_bt(pairs, (x - x.mean(axis=0)) / x.std(axis=0), outcomes, models)
    return {
        "competitors": models,
        "ratings": module.compute_bt(frame)[models].tolist(),
        "rating_lower": drawn.quantile(0.025)[models].tolist(),
        "rating_upper": drawn.quantile(0.975)[models].tolist(),
        "variances": drawn.var()[models].tolist(),
        "style_ratings": module.scale_and_offset(style[: len(models)], models).tolist(),
        "style_coeffs": style[len(models) :].tolist(),
    }


def _no_tqdm() -> Any:
    from types import SimpleNamespace

    return SimpleNamespace(tqdm=lambda rows, **_: rows)


def evalica(frame: pd.DataFrame) -> dict[str, Any]:
    import evalica as peer

    known = {"model_a": peer.Winner.X, "model_b": peer.Winner.Y}
    winners = [known.get(word, peer.Winner.Draw) for word in frame["winner"]]
    exact = {"tolerance": 1e-15, "limit": 100_000}
    found: dict[str, Any] = {}
    for method in ("bradley_terry", "newman", "elo", "counting", "average_win_rate", "pagerank"):
        answer = getattr(peer, method)(frame["model_a"], frame["model_b"], winners, **exact)
        found[method] = answer.scores.to_dict()
        if method == "newman":
            found["v"] = answer.v
    return found


CASES = [(False, None), (True, None), (False, 0.0), (False, 1.0), (True, 0.0), (True, 1.0)]


def main() -> None:
    frame = votes()
    document = {
        "made": "python -m tests.boards.make_peers; arena-rank 0.1.1, evalica 0.4.2, FastChat 0e6d3e4b",
        "votes": frame.to_dict("list"),
        "arena-rank": [
            {"reweighted": weighted, "reg": reg, **arena_rank(frame, weighted, reg)}
            for weighted, reg in CASES
        ],
        "fastchat": fastchat(frame, Path(sys.argv[1])),
        "evalica": evalica(frame),
    }
    (HERE / "peers.json").write_text(json.dumps(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
