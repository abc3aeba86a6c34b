"""Boards of votes whose truth is known, as chat arenas have them, for every test of a leaderboard.

A vote of judge j between models a (shown first) and b, on a prompt, is drawn in two steps:

    P(both bad)             = expit(c - s (theta_a + theta_b) / 2 + d_a + d_b + h),  h ~ N(0, .5^2) by prompt,
    P(a), P(tie), P(b)      ~ exp(eta / 2), nu, exp(-eta / 2)    (Davidson 1970), else, where
    eta = theta_a - theta_b + u_ja - u_jb + w_qa - w_qb + order + style (log L_a - log L_b),

u ~ N(0, judge_sd^2) by judge and model, w ~ N(0, prompt_sd^2) by prompt and model, d ~ N(0, both_bad_sd^2) by model, L the
lengths of the answers.  Judges are as busy as a Pareto law makes them: of 3,000 the busiest casts some per cent of all
votes.  Models are shown as often as they are popular, and which one is first is drawn.

What half-win ratings converge to is no `theta`, because ties count one half and what judges differ in does not average
out of a logistic curve: `attrs["half"]` is that limit, by Gauss-Hermite quadrature.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit, logit

#: Spread of what is drawn: the mean log length by model, the log length within one, difficulty of prompts for both bad.
_LENGTHS, _LENGTH, _DIFFICULTY = 0.3, 0.6, 0.5
#: Logit of the share of both-bad votes between average models, and its slope by their mean ability.
_BOTH_BAD, _BOTH_BAD_SLOPE = logit(0.075), 0.6
#: The day on which votes begin (seconds since 1970), how many days they take, and the median seconds between two of a judge.
_BEGIN, _DAYS, _PACE = 1_714_521_600.0, 90, 45.0


def simulate(
    seed: int,
    n_votes: int = 20_000,
    n_models: int = 20,
    n_judges: int = 3_000,
    order: float = 0.0,
    judge_sd: float = 0.35,
    style: float = 0.0,
    both_bad: bool = True,
    *,
    spread: float = 0.5,
    nu: float = 0.5,
    prompt_sd: float = 0.2,
    both_bad_sd: float = 0.15,
    verbose: float = 0.0,
    pareto: float = 1.2,
    popularity: float = 0.4,
    truth: np.ndarray | None = None,
) -> pd.DataFrame:
    """Votes in the order in which they were cast, with the columns of arena files.

    order: log-odds of being shown first.  style: log-odds of a unit of log length.  both_bad: whether judges may say it.
    spread: sd of abilities, unless `truth` gives them.  nu: of ties, about 25 % of all votes with both bad.  verbose: how
    much the mean log length goes with ability, in its units.  pareto: shape of how busy judges are (smaller: heavier).

    `attrs`: "truth", the abilities of models, sum 0; "half", the ratings (log-odds) that half wins converge to.
    """
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, spread, n_models) if truth is None else np.array(truth, float)
    theta -= theta.mean()
    names = np.array([f"model-{k + 1:0{len(str(n_models))}d}" for k in range(n_models)])
    weight = np.exp(rng.normal(0, popularity, n_models))
    a, b = _pairs(rng, weight / weight.sum(), n_votes)
    busy = rng.pareto(pareto, n_judges) + 1
    judge = rng.choice(n_judges, n_votes, p=busy / busy.sum())
    asked = rng.pareto(2.0, max(n_votes // 3, 1)) + 1
    prompt = rng.choice(len(asked), n_votes, p=asked / asked.sum())

    mean_length = np.log(300) + rng.normal(0, _LENGTHS, n_models) + verbose * theta
    length_a, length_b = (
        np.ceil(np.exp(rng.normal(mean_length[side], _LENGTH))).astype(int) for side in (a, b)
    )
    bad = rng.normal(0, both_bad_sd, n_models)
    eta = theta[a] - theta[b] + order + style * (np.log(length_a) - np.log(length_b))
    eta += _of_both(rng, judge_sd, judge, a, b, n_models) + _of_both(rng, prompt_sd, prompt, a, b, n_models)
    difficulty = rng.normal(0, _DIFFICULTY, len(asked))
    p_bad = expit(
        _BOTH_BAD - _BOTH_BAD_SLOPE * (theta[a] + theta[b]) / 2 + bad[a] + bad[b] + difficulty[prompt]
    )
    win, lose = np.exp(eta / 2), np.exp(-eta / 2)
    draw = rng.random(n_votes) * (win + nu + lose)
    winner = np.where(draw < win, "model_a", np.where(draw < win + nu, "tie", "model_b")).astype(object)
    if both_bad:
        winner[rng.random(n_votes) < p_bad] = "tie (bothbad)"

    languages = rng.choice(["English", "Chinese", "German", "Russian"], n_judges, p=[0.6, 0.2, 0.1, 0.1])
    frame = pd.DataFrame(
        {
            "model_a": names[a],
            "model_b": names[b],
            "winner": winner,
            "judge": np.char.add("user-", judge.astype(str)),
            "tstamp": _times(rng, judge),
            "language": languages[judge],
            "prompt": np.char.add("prompt-", prompt.astype(str)),
            "length_a": length_a,
            "length_b": length_b,
        }
    ).sort_values("tstamp", ignore_index=True)
    frame.insert(0, "question_id", [f"q{k:07d}" for k in range(n_votes)])
    sd = np.sqrt(2 * (judge_sd**2 + prompt_sd**2 + (style * _LENGTH) ** 2))
    shown = theta + style * mean_length
    share = _scores(shown, order, sd, nu, theta, bad if both_bad else None)
    frame.attrs = {
        "truth": dict(zip(names.tolist(), theta.tolist())),
        "half": dict(zip(names.tolist(), _half_win_ratings(share, np.outer(weight, weight)).tolist())),
    }
    return frame


def _pairs(rng: np.random.Generator, p: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two different models a vote, each as often as it is popular."""
    a, b = rng.choice(len(p), n, p=p), rng.choice(len(p), n, p=p)
    while (same := np.flatnonzero(a == b)).size:
        a[same], b[same] = rng.choice(len(p), same.size, p=p), rng.choice(len(p), same.size, p=p)
    return a, b


def _of_both(
    rng: np.random.Generator, sd: float, group: np.ndarray, a: np.ndarray, b: np.ndarray, n: int
) -> np.ndarray:
    """A random effect of each group and model that occur, for a less that for b."""
    if not sd:
        return np.zeros(len(a))
    _, place = np.unique(np.concatenate([group * n + a, group * n + b]), return_inverse=True)
    effect = rng.normal(0, sd, place.max() + 1)[place.ravel()]
    return effect[: len(a)] - effect[len(a) :]


def _times(rng: np.random.Generator, judge: np.ndarray) -> np.ndarray:
    """Seconds: each judge votes in sittings, at a pace of its own."""
    place = np.argsort(judge, kind="stable")
    of = judge[place]
    begins = np.r_[True, of[1:] != of[:-1]] | (rng.random(len(of)) < 0.15)
    pace = _PACE * np.exp(rng.normal(0, 0.3, judge.max() + 1))[of]
    passed = np.cumsum(pace * np.exp(rng.normal(0, 0.8, len(of))))
    sitting = np.cumsum(begins) - 1
    start = rng.uniform(0, _DAYS * 86_400, sitting[-1] + 1) - passed[begins]
    seconds = np.empty(len(of))
    seconds[place] = _BEGIN + start[sitting] + passed
    return np.round(seconds, 3)


def _scores(
    shown: np.ndarray, order: float, sd: float, nu: float, theta: np.ndarray, bad: np.ndarray | None
) -> np.ndarray:
    """float[n, n]: the expected score of each model against each other one, ties half, in either order as often."""
    x, weight = np.polynomial.hermite_e.hermegauss(41)
    weight = weight / weight.sum()
    gap = shown[:, None] - shown[None, :]
    eta = np.stack([gap + order, gap - order])[..., None] + sd * x
    mean = (np.exp(eta / 2) + nu / 2) / (2 * np.cosh(eta / 2) + nu) @ weight
    if bad is None:
        return mean.mean(0)
    level = _BOTH_BAD - _BOTH_BAD_SLOPE * (theta[:, None] + theta) / 2 + bad[:, None] + bad
    p_bad = expit(level[..., None] + _DIFFICULTY * x) @ weight
    return 0.5 * p_bad + (1 - p_bad) * mean.mean(0)


def _half_win_ratings(share: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """The ratings, sum 0, at which expected scores are those of these shares; shown: how often each pair is."""
    n = len(share)
    weight = shown * (1 - np.eye(n))
    beta = np.zeros(n)
    for _ in range(50):
        p = expit(beta[:, None] - beta)
        v = weight * p * (1 - p)
        step = np.linalg.solve(np.diag(v.sum(1)) - v + 1 / n, (weight * (share - p)).sum(1))
        beta += step - step.mean()
    return beta
