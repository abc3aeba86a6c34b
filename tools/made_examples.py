"""`python -m tools.made_examples`: write the simulated tables of pairproof/examples anew, from their seeds.

The others are counts and texts that publications print, copied by hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parents[1] / "pairproof" / "examples"
MODELS = dict(
    zip("aspen birch cedar elm hazel larch maple rowan".split(), (1.1, 0.8, 0.75, 0.4, 0.1, -0.3, -0.6, -1.4))
)
SYSTEMS = dict(
    zip(
        "online-A online-B kestrel lapwing merlin osprey reference".split(),
        (0.5, 0.2, 0.1, -0.1, -0.5, -0.9, 1.6),
    )
)


def votes(n: int = 1500) -> pd.DataFrame:
    """Votes of 60 judges on 90 prompts: Davidson's ties, a third of them "both bad", and a small advantage of model_a."""
    rng = np.random.default_rng(20261128)
    names = list(MODELS)
    a = rng.integers(0, len(names), n)
    b = (a + rng.integers(1, len(names), n)) % len(names)
    judge, prompt = rng.integers(0, 60, n), rng.integers(0, 90, n)
    of_judge = rng.normal(0.0, 0.5, (60, len(names)))
    strength = np.array(list(MODELS.values()))
    u = strength[a] - strength[b] + of_judge[judge, a] - of_judge[judge, b] + 0.15
    weights = np.stack([np.exp(u / 2), np.full(n, 0.45), np.exp(-u / 2)], axis=1)
    drawn = (weights.cumsum(axis=1) < rng.random((n, 1)) * weights.sum(axis=1, keepdims=True)).sum(axis=1)
    winner = np.array(["model_a", "tie", "model_b"])[drawn]
    winner = np.where((winner == "tie") & (rng.random(n) < 1 / 3), "tie (bothbad)", winner)
    of_prompt = np.array(["code", "maths", "writing"])[rng.integers(0, 3, 90)]
    name = np.array(names)
    return pd.DataFrame(
        {
            "model_a": name[a],
            "model_b": name[b],
            "winner": winner,
            "judge": [f"j{k + 1:02d}" for k in judge],
            "prompt": [f"p{k + 1:02d}" for k in prompt],
            "topic": of_prompt[prompt],
        }
    )


def rankings(n: int = 150) -> pd.DataFrame:
    """Rankings of five of seven systems by eight judges, as in the shared tasks of machine translation."""
    rng = np.random.default_rng(20261129)
    names, strength = np.array(list(SYSTEMS)), np.array(list(SYSTEMS.values()))
    rows = []
    for k in range(n):
        shown = rng.choice(len(names), 5, replace=False)
        noisy = strength[shown] + rng.gumbel(0.0, 1.0, 5)
        order = np.argsort(-noisy)
        rank = np.empty(5, int)
        rank[order] = np.arange(1, 6)
        for first, second in zip(order, order[1:]):  # neighbours that are close are tied
            if noisy[first] - noisy[second] < 0.25:
                rank[second] = rank[first]
        row: dict[str, object] = {"source": f"s{rng.integers(1, 61):02d}", "judge": f"j{1 + k % 8}"}
        for place in range(5):
            row[f"system{place + 1}"], row[f"rank{place + 1}"] = names[shown[place]], rank[place]
        rows.append(row)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    votes().to_csv(FOLDER / "votes.csv", index=False)
    rankings().to_csv(FOLDER / "rankings.csv", index=False)
