"""Maxima that can be written down, as a check on the iteration: {path: value} in the words of a certified
file.

Two items: one free multinomial, so every estimate is a function of the observed shares and its variance
follows by the delta method.  A chain is a tree of two-item tables.  In a circular triad all abilities are
equal.
"""

from __future__ import annotations

from typing import Any

from mpmath import mp, mpf

Values = dict[str, mpf]


def _wald(name: str, estimate: mpf, variance: mpf) -> Values:
    return {f"params.{name}": estimate, f"bse.{name}": mp.sqrt(variance)}


def two_items_davidson(item: str, a: int, t: int, b: int) -> Values:
    """Lambda scale: lambda = ln(a/b)/2, gamma = ln t - (ln a + ln b)/2 (Dras 2015, section 5); deviance 0 on
    0 df.
    """
    a_, t_, b_ = mpf(a), mpf(t), mpf(b)
    lam = _wald(item, mp.log(a_ / b_) / 2, (1 / a_ + 1 / b_) / 4)
    gamma = _wald("tie", mp.log(t_) - (mp.log(a_) + mp.log(b_)) / 2, 1 / t_ + (1 / a_ + 1 / b_) / 4)
    return {**lam, **gamma, f"cov.{item}.tie": (1 / b_ - 1 / a_) / 4, "deviance": mpf(0)}


def two_items_binary(item: str, wins: mpf, losses: mpf) -> Values:
    """Lambda scale: ln(wins/losses)/2; half wins and dropped ties are this with other counts."""
    return {**_wald(item, mp.log(wins / losses) / 2, (1 / wins + 1 / losses) / 4), "deviance": mpf(0)}


def two_items_rao_kupper(item: str, a: int, t: int, b: int) -> Values:
    """Lambda scale. With f, g the logits of the shares of wins and losses, b = (f - g)/2 and delta = -(f +
    g)/2.
    """
    n = mpf(a + t + b)
    p, q = a / n, b / n
    f, g = mp.log(p / (1 - p)), mp.log(q / (1 - q))
    var_f, var_g, cov = 1 / (n * p * (1 - p)), 1 / (n * q * (1 - q)), -1 / (n * (1 - p) * (1 - q))
    lam = _wald(item, (f - g) / 4, (var_f + var_g - 2 * cov) / 16)
    return {**lam, **_wald("tie", -(f + g) / 2, (var_f + var_g + 2 * cov) / 4), "deviance": mpf(0)}


def two_items_ties_held(item: str, a: int, t: int, b: int) -> Values:
    """Lambda scale, nu = 1: x = e^lambda-difference solves (1 - r) x^2 - r x - (1 + r) = 0, r = (a - b)/n."""
    n = mpf(a + t + b)
    r = (a - b) / n
    x = (r + mp.sqrt(r**2 + 4 * (1 - r**2))) / (2 * (1 - r))
    spread = (x + 1 / x) / (x + 1 + 1 / x) - r**2  # variance of the outcome coded 1, 0, -1
    return _wald(item, mp.log(x), 1 / (n * spread))


def two_items_both_orders(item: str, rows: list[dict[str, Any]]) -> Values:
    """Log-odds of the second item against the first named in row 1; order effect = mean of the two logits."""
    one, two = rows
    f, g = (mp.log(mpf(row["wins"]) / row["losses"]) for row in rows)
    var = sum(1 / mpf(row[side]) for row in (one, two) for side in ("wins", "losses"))
    return {**_wald(item, (g - f) / 2, var / 4), **_wald("order", (f + g) / 2, var / 4), "deviance": mpf(0)}


def chain(rows: list[dict[str, Any]], scale: int) -> Values:
    """Log-odds (scale 1, first item 0) or lambda (scale 2, last item 0) of a chain: sums over its links."""
    links = [
        (mp.log(mpf(row["wins"]) / row["losses"]), 1 / mpf(row["wins"]) + 1 / mpf(row["losses"]))
        for row in rows
    ]
    out: Values = {"deviance": mpf(0)}
    for k, row in enumerate(rows):
        name, part, sign = (row["second"], links[: k + 1], -1) if scale == 1 else (row["first"], links[k:], 1)
        out.update(
            _wald(name, sign * sum(gap for gap, _ in part) / scale, sum(v for _, v in part) / scale**2)
        )
    return out


def circular_triad(ties: str, a: int, t: int, b: int) -> Values:
    """Lambda scale: every ability 0. Each pair's information about u is k, so var(b_i - b_j) = 2/(3 k).

    k = n p(1 - p) for two outcomes; for three, with u/2 in the exponents, k = (share of decisions) n / 4.
    nu = 2 t/(a + b) for Davidson; theta = (n + t)/(n - t) for Rao-Kupper, whose p = (1 - s)/2, s = t/n.
    """
    n = mpf(a + t + b)
    tie: Values = {}
    if ties in ("half", "drop"):
        wins, losses = (a + mpf(t) / 2, b + mpf(t) / 2) if ties == "half" else (mpf(a), mpf(b))
        k = (wins + losses) / 4
        cells = [(wins, (wins + losses) / 2), (losses, (wins + losses) / 2)]
    elif ties == "none":
        k = n * 2 / 3 / 4
        cells = [(mpf(count), n / 3) for count in (a, t, b)]
    else:
        cells = [(mpf(a), (n - t) / 2), (mpf(t), mpf(t)), (mpf(b), (n - t) / 2)]
        s = t / n
        if ties == "davidson":
            k = n * (1 - s) / 4
            # of gamma = ln t - ln(n - t) + ln 2, over three pairs
            tie = _wald("tie", mp.log(2 * t / (n - t)), 1 / (3 * n * s * (1 - s)))
        else:
            p = (1 - s) / 2
            k = (n + t) * p * (1 - p)  # (W + T) and (L + T) terms, each p (1 - p)
            # delta = ln((1 + s)/(1 - s)), d delta / d s = 2/(1 - s^2), var(s) = s(1 - s)/(3 n)
            tie = _wald("tie", mp.log((1 + s) / (1 - s)), 4 * s * (1 - s) / (3 * n * (1 - s**2) ** 2))
    variance = mpf(2) / (3 * k) / 4
    deviance = 3 * 2 * mp.fsum(y * mp.log(y / m) for y, m in cells)
    return {
        **_wald("A", mpf(0), variance),
        **_wald("B", mpf(0), variance),
        **tie,
        "deviance": deviance,
        "worth.all.A": mpf(1) / 3,
    }


def expected(data: dict[str, dict[str, Any]]) -> dict[str, Values]:
    """Fit id -> closed-form values, for every fit that has them; `data` holds the data sets by id."""
    out: dict[str, Values] = {}
    for name in ("modpref-dras", "collins-dras"):
        row = data[name]["rows"][0]
        a, t, b = row["wins"], row["ties"], row["losses"]
        out[f"{name}--llbt-davidson"] = two_items_davidson("o1", a, t, b)
        out[f"{name}--llbt-rao-kupper"] = two_items_rao_kupper("o1", a, t, b)
        out[f"{name}--llbt-none"] = two_items_ties_held("o1", a, t, b)
        out[f"{name}--llbt-half"] = two_items_binary("o1", a + mpf(t) / 2, b + mpf(t) / 2)
        out[f"{name}--llbt-drop"] = two_items_binary("o1", mpf(a), mpf(b))
    both = data["two-items-both-orders"]["rows"]
    out["two-items-both-orders--bradley-terry-none-order"] = two_items_both_orders("B", both)
    out["chain-1e6--bradley-terry-none"] = chain(data["chain-1e6"]["rows"], 1)
    out["chain-1e6--llbt-none"] = chain(data["chain-1e6"]["rows"], 2)
    for ties in ("davidson", "none", "rao-kupper", "half", "drop"):
        out[f"circular-triad--llbt-{ties}"] = circular_triad(ties, 7, 2, 3)
    return out
