"""Boards of votes whose truth is known, as chat arenas have them, for every test of a leaderboard.

A vote of judge j between models a (shown first) and b, on a prompt, is drawn in two steps:

    P(both bad)             = expit(c - s (theta_a + theta_b) / 2 + d_a + d_b + h),  h ~ N(0, .5^2) by prompt,
    P(a), P(tie), P(b)      ~ exp(eta / 2), nu, exp(-eta / 2)    (Davidson 1970), else, where
    eta = theta_a - theta_b + u_ja - u_jb + w_qa - w_qb + order + style (log L_a - log L_b),

u ~ N(0, judge_sd^2) by judge and model, w ~ N(0, prompt_sd^2) by prompt and model, d ~ N(0, both_bad_sd^2) by model, L the
lengths of the answers.  Judges are as busy as a Pareto law makes them: of 3,000 the busiest casts some per cent of all
votes.  Models are shown as often as they are popular, and which one is first is drawn.

What half-win ratings converge to is no `theta`, because ties count one half and what judges differ in does not average
out of a logistic curve: `attrs["half"]` is that limit, by Gauss-Hermite quadrature; `attrs["dropped"]` is that without
the votes of both bad.  With style in the model the limit has style held equal,

    (b, c) = argmin over (b, c) of the mean over pairs and z of  log(1 + exp(h)) - s(pair, z) h,   h = b_a - b_b + c z,

z = log L_a - log L_b normal by pair and s the expected score: `attrs["equal"]` and `attrs["coefficient"]`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit, logit

#: Spread of the mean log length by model, of the log length within one, of prompts' difficulty for both bad.
_LENGTHS, _LENGTH, _DIFFICULTY = 0.3, 0.6, 0.5
#: Logit of the share of both-bad votes between average models, and its slope by their mean ability.
_BOTH_BAD, _BOTH_BAD_SLOPE = logit(0.075), 0.6
#: When votes begin (seconds since 1970), how many days they take, and the median seconds between a judge's.
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
    shown: np.ndarray | None = None,
) -> pd.DataFrame:
    """Votes in the order in which they were cast, with the columns of arena files.

    order: log-odds of being shown first.  style: log-odds of a unit of log length.  both_bad: whether judges may say it.
    spread: sd of abilities, unless `truth` gives them.  nu: of ties, about 25 % of all votes with both bad.  verbose: how
    much the mean log length goes with ability, in its units.  pareto: shape of how busy judges are (smaller: heavier).
    shown: how popular each model is, unless `popularity` draws it.

    `attrs`: "truth", the abilities of models, sum 0; "half", the ratings (log-odds) that half wins converge to, "dropped"
    those without votes of both bad, and with style "equal", those at equal style, with their "coefficient".
    """
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, spread, n_models) if truth is None else np.array(truth, float)
    theta -= theta.mean()
    names = np.array([f"model-{k + 1:0{len(str(n_models))}d}" for k in range(n_models)])
    weight = np.exp(rng.normal(0, popularity, n_models))
    if shown is not None:
        weight = np.array(shown, float)
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
    differ = np.sqrt(2 * (judge_sd**2 + prompt_sd**2))
    each, bads = np.outer(weight, weight), _both_bad_shares(theta, bad) if both_bad else np.zeros(1)
    mean_log = _mean_log(mean_length)
    gap = theta + style * mean_log
    score = _scores(gap[:, None] - gap, order, np.hypot(differ, style * np.sqrt(2) * _LENGTH), nu)
    limits = {
        "truth": theta,
        "half": _half_win_ratings(0.5 * bads + (1 - bads) * score, each),
        "dropped": _half_win_ratings(score, each * (1 - bads)),
    }
    frame.attrs = {}
    if style:
        limits["equal"], frame.attrs["coefficient"] = _at_equal_style(
            theta, style, mean_log, order, differ, nu, bads, each
        )
    frame.attrs |= {name: dict(zip(names.tolist(), limit.tolist())) for name, limit in limits.items()}
    return frame


def simulate_counts(
    seed: int, n_votes: int, truth: np.ndarray, shown: np.ndarray, nu: float = 0.5
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Independent votes of a large board by pair, however many: int[m, 2] of pairs, int[m, 3] wins, ties, losses of the
    first of each, the limit of half-win ratings, and the abilities."""
    rng = np.random.default_rng(seed)
    theta = np.array(truth, float) - np.mean(truth)
    first, second = np.triu_indices(len(theta), 1)
    each = np.outer(shown, shown)
    of_pair = each[first, second] / each[first, second].sum()
    eta = theta[first] - theta[second]
    chances = np.stack([np.exp(eta / 2), np.full(len(eta), nu), np.exp(-eta / 2)], axis=1)
    chances *= (of_pair / chances.sum(axis=1))[:, None]
    counts = rng.multinomial(n_votes, chances.ravel()).reshape(-1, 3)
    half = _half_win_ratings(_scores(theta[:, None] - theta, 0.0, 0.0, nu), each)
    return np.stack([first, second], axis=1), counts, half, theta


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


def _nodes(n: int = 41) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights for the mean over a standard normal variable."""
    x, weight = np.polynomial.hermite_e.hermegauss(n)
    return x, weight / weight.sum()


def _mean_log(mean_length: np.ndarray) -> np.ndarray:
    """The mean log of lengths, which are whole numbers, rounded up: to 1e-5 that of the length and a half."""
    x, weight = _nodes()
    return np.log(np.exp(mean_length[:, None] + _LENGTH * x) + 0.5) @ weight


def _both_bad_shares(theta: np.ndarray, bad: np.ndarray) -> np.ndarray:
    """float[n, n]: how often both of a pair are called bad."""
    x, weight = _nodes()
    level = _BOTH_BAD - _BOTH_BAD_SLOPE * (theta[:, None] + theta) / 2 + bad[:, None] + bad
    return expit(level[..., None] + _DIFFICULTY * x) @ weight


def _scores(gap: np.ndarray, order: float, sd: float, nu: float) -> np.ndarray:
    """Expected scores at differences, ties half, in either order as often; sd: of what is added to each difference."""
    x, weight = _nodes()
    eta = np.stack([gap + order, gap - order])[..., None] + sd * x
    return ((np.exp(eta / 2) + nu / 2) / (2 * np.cosh(eta / 2) + nu) @ weight).mean(0)


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


def _at_equal_style(
    theta: np.ndarray, style: float, mean_log: np.ndarray, order: float, differ: float, nu: float,
    bads: np.ndarray, shown: np.ndarray,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """The ratings, sum 0, and the coefficient of the difference of log lengths that the votes of all pairs converge to."""
    n = len(theta)
    x, w = _nodes(21)
    first, second = np.triu_indices(n, 1)
    z = (mean_log[first] - mean_log[second])[:, None] + np.sqrt(2) * _LENGTH * x
    score = _scores((theta[first] - theta[second])[:, None] + style * z, order, differ, nu)
    if bads.size > 1:
        share = bads[first, second][:, None]
        score = 0.5 * share + (1 - share) * score
    weight = shown[first, second][:, None] * w / shown[first, second].sum()
    of_models = np.zeros((len(first), n))
    of_models[np.arange(len(first)), first], of_models[np.arange(len(first)), second] = 1.0, -1.0
    design = np.concatenate([np.repeat(of_models[:, None], len(x), 1), z[..., None]], 2).reshape(-1, n + 1)
    weight, score = weight.ravel(), score.ravel()
    beta, centred = np.zeros(n + 1), np.r_[np.ones(n), 0.0][:, None]
    for _ in range(30):
        p = expit(design @ beta)
        information = (design * (weight * p * (1 - p))[:, None]).T @ design + centred * centred.T / n
        beta += np.linalg.solve(information, design.T @ (weight * (score - p)))
    return beta[:n] - beta[:n].mean(), float(beta[n])
