"""Blocks of `docs/boards-compared.md`, from the record that `python -m benchmarks.boards` keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from .snippets import ROOT
from .tables import markdown

RECORD = ROOT / "docs" / "records" / "boards" / "boards.json"
#: What is asked: mean absolute bias in Elo, the worst model in Monte Carlo errors, coverage, rank sets.
MOST_BIAS, MOST_ERRORS, COVERAGE, RANKS = 1.0, 3.5, (0.93, 0.97), 0.95
PEERS = ("arena-rank", "FastChat", "evalica")
#: Methods that are tried beside what `leaderboard` does by default, and what each is called.
NAMES = {
    "pairproof": "pairproof, the whole board",
    "pairproof, style": "pairproof, the whole board with style and without",
    "by judge and prompt": "pairproof, by judge and prompt",
    "by judge": "pairproof, by judge",
    "by vote": "pairproof, by vote",
    "style, by judge and prompt": "pairproof, style held equal, by judge and prompt",
    "style, by judge": "pairproof, style held equal, by judge",
    "Davidson, by vote": "pairproof, Davidson's ties, by vote",
    "arena-rank": "arena-rank",
    "arena-rank, style": "arena-rank, style, as it comes (reg=1)",
    "arena-rank, style, reg=0": "arena-rank, style, reg=0",
    "FastChat": "FastChat",
    "FastChat, style": "FastChat, style",
    "evalica": "evalica",
}
Found = Mapping[str, Any]


@lru_cache
def record() -> Found:
    found: Found = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def is_peer(method: str) -> bool:
    return method.partition(",")[0] in PEERS


def lines() -> Iterator[tuple[Found, str, Found]]:
    """Each design, method and what it came to."""
    for design in record()["designs"]:
        for method, one in design["methods"].items():
            yield design, method, one


def _bold(text: str, good: bool) -> str:
    return text if good else f"**{text}**"


def misses(one: Found) -> list[str]:
    """Which of the four bounds a method misses, in words."""
    out = []
    if one["bias"] >= MOST_BIAS:
        out.append(f"mean absolute bias {one['bias']:.2f} Elo")
    if one["worst_bias"]["errors"] > MOST_ERRORS:
        out.append(
            f"a model {one['worst_bias']['errors']:.1f} Monte Carlo errors off ({one['worst_bias']['elo']:+.1f} Elo)"
        )
    if not COVERAGE[0] <= one["coverage"] <= COVERAGE[1]:
        out.append(f"coverage {one['coverage']:.3f}")
    if "ranks" in one and one["ranks"]["hold"] < RANKS:
        out.append(f"ranks {one['ranks']['hold']:.3f}")
    return out


def whole() -> str:
    """The table: a row a design and method; bold what misses a bound."""
    rows = []
    for design, method, one in lines():
        ranks = one.get("ranks")
        rows.append(
            (
                design["name"],
                NAMES[method],
                _bold(f"{one['bias']:.2f}", one["bias"] < MOST_BIAS) + f" ({one['bias_by_chance']:.2f})",
                _bold(f"{one['worst_bias']['errors']:.1f}", one["worst_bias"]["errors"] <= MOST_ERRORS)
                + f" ({one['worst_bias']['elo']:+.1f})",
                _bold(f"{one['coverage']:.3f}", COVERAGE[0] <= one["coverage"] <= COVERAGE[1])
                + f" ({round(1000 * one['coverage_error'])})",
                f"{one['worst_coverage']['rate']:.3f}",
                "" if ranks is None else _bold(f"{ranks['hold']:.3f}", ranks["hold"] >= RANKS),
                f"{one['half_width']:.1f}",
                str(one["replications"]),
            )
        )
    heads = (
        "design", "method", "mean absolute bias (by chance)", "worst model, MC errors (Elo)", "coverage, mean",
        "worst model", "ranks, all at once", "half width", "replications",
    )  # fmt: skip
    return markdown(heads, rows, right=2)


def designs() -> str:
    """What each design is."""
    return "".join(f"- **{one['name']}**: {one['said']}.\n" for one in record()["designs"])


def newcomers() -> str:
    rows = [
        (
            design["name"], NAMES[method], f"{n['bias']:+.1f} ({n['bias_error']:.1f})",
            _bold(f"{n['coverage']:.3f}", abs(n["coverage"] - 0.95) <= 2 * (0.95 * 0.05 / one["replications"]) ** 0.5),
            f"{n['half_width']:.1f}", str(one["replications"]),
        )
        for design, method, one in lines()
        if (n := one.get("newcomer"))
    ]  # fmt: skip
    return markdown(
        ("design", "method", "bias (MC error)", "coverage", "half width", "replications"), rows, right=2
    )


def effects() -> str:
    rows = [
        (NAMES[method], f"{e['mean']:.4f}", f"{e['limit']:.4f}", f"{e['bias']:+.4f} ({e['bias_error']:.4f})")
        for _, method, one in lines()
        if (e := one.get("effect"))
    ]
    return markdown(("method", "mean estimate", "limit", "bias (MC error)"), rows)


def packages() -> str:
    rows = [
        (
            NAMES.get(one["method"], one["method"]), one["design"],
            f"{one['rating']:.2g}" if "rating" in one else "", f"{one['limits']:.2g}" if "rating" in one else "",
            f"{one['seconds']:.1f}",
        )
        for one in record()["itself"]
    ]  # fmt: skip
    return markdown(
        ("package", "design", "ratings differ by, Elo", "limits differ by, Elo", "CPU seconds"), rows, 2
    )


def findings() -> str:
    """What holds and what does not, by the bounds."""
    ours = [(d, m, one) for d, m, one in lines() if not is_peer(m)]
    default = [(d, m, one) for d, m, one in ours if m == next(iter(d["methods"]))]
    out = [_said("What `leaderboard` does by default, in each design", default)]
    other = [line for line in ours if line not in default]
    out.append(_said("pairproof's other standard errors", other))
    for peer in PEERS:
        out.append(_said(peer, [(d, m, one) for d, m, one in lines() if m.partition(",")[0] == peer]))
    return "".join(out)


def _said(who: str, found: list[tuple[Found, str, Found]]) -> str:
    missed = [(d, m, words) for d, m, one in found if (words := misses(one))]
    head = f"- **{who}** ({len(found)} lines): {len(found) - len(missed)} within all bounds"
    if not missed:
        return head + ".\n"
    each = "; ".join(f"{d['name']}{_how(m, who)}: {', '.join(words)}" for d, m, words in missed)
    return f"{head}; not {each}.\n"


def _how(method: str, who: str) -> str:
    return "" if who.startswith("What") or method == who else f" ({method})"


def why() -> str:
    """Reasons, with the numbers that they are of."""
    of = {design["name"]: design["methods"] for design in record()["designs"]}

    def coverage(design: str, method: str) -> str:
        return f"{of[design][method]['coverage']:.3f}"

    style, users, heavy = of["style goes with ability"], "users differ", "one user with many votes"
    both, ub = "by judge and prompt", of["equal models"]["FastChat"]["ranks"]["hold"]
    quantiles = [coverage(d, "FastChat") for d in of if d != heavy and "FastChat" in of[d]]
    new, ridge = of["a newcomer on a large board"]["arena-rank"]["newcomer"], 1e-5 * 5_000_000
    reasons = (
        f"**Only arena-rank's ratings are biased**, with style at its default, by {style['arena-rank, style']['largest_bias']:.0f}"
        " Elo for one model: its penalty is on the *mean* loss, so little of the style effect is estimated, and the rest stays"
        f" in the ratings. With `reg=0` the largest bias is {style['arena-rank, style, reg=0']['largest_bias']:.1f} which is within chance.",
        "**FastChat's limits are the quantiles .025 and .975 of 100 samples**, and evalica's are here. The lower one lies"
        " between the third and fourth of 100 (2.475 of 0 to 99), on average at the quantile 3.475 / 101 = .034, which gives a"
        f" coverage of {1 - 2 * 3.475 / 101:.3f}. Observed is {coverage('independent', 'FastChat')} for independent votes, compared"
        f" with {coverage('independent', 'by vote')}, for a sandwich, and {min(quantiles)} to {max(quantiles)} in all designs but '{heavy}', partly"
        " because users differ. More samples correct only the former.",
        f"**Users.** If no user has more than about 1 % of the votes, clusters matter little ({coverage(users, both)} by judge and"
        f" prompt, {coverage(users, 'by vote')} by vote); if one user has many votes, only clustering helps ({coverage(heavy, both)},"
        f" {coverage(heavy, 'by vote')}).",
        "**Ranks.** pairproof tests all differences jointly, at a level that is reached if models"
        f" are equal ({of['equal models'][both]['ranks']['hold']:.3f}); otherwise sets hold more often. FastChat's rank (UB) counts"
        " limits that do not overlap, without adjustment for the 190 pairs: with 20 equal models it ranks some below"
        f" others in {100 * (1 - ub):.0f} of 100 boards.",
        f"**A newcomer.** arena-rank adds 1e-5 times all votes, {ridge:.0f}, to the information on each model,"
        f" while 300 votes carry less than 75: its limits have a half width of {new['half_width']:.0f} Elo and cover {new['coverage']:.3f}.",
    )
    return "".join(f"- {reason}\n" for reason in reasons)


def made() -> str:
    """Versions, days and seconds."""
    designs_ = record()["designs"]
    versions = sorted(
        {f"{name} {v}" for d in designs_ for name, v in d["made_with"].items() if name != "date"}
    )
    days = sorted({d["made_with"]["date"] for d in designs_})
    return (
        f"Simulated on {', '.join(days)} with {', '.join(versions)}; {sum(d['cpu_seconds'] for d in designs_) / 60:.0f}"
        " minutes of processor time in all.\n"
    )


BLOCKS: Mapping[str, Callable[[], str]] = {
    "boards-designs": designs,
    "boards-findings": findings,
    "boards-why": why,
    "boards-table": whole,
    "boards-newcomers": newcomers,
    "boards-effects": effects,
    "boards-packages": packages,
    "boards-made": made,
}
