"""Independent proof of a certified document: its printed text, the data, and probabilities as their authors
define them.

Nothing here shares a line with the code that made the values.  Comparisons without dependence are products of
Davidson's probabilities; with it, products of factors over all patterns.  Ratings go over ordered set
partitions, orders by a recursion over the items that are left, times by passing weights from one to the next,
Plackett and Luce stage by stage with worths, not logarithms.  `proof.py` takes differences of it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

from mpmath import mp, mpf

Values = dict[str, mpf]
Row = dict[str, Any]


class Definition:
    """The log-likelihood of a document's model of its data, as a function of the named parameters."""

    def __init__(self, document: dict[str, Any], rows: Sequence[Row]) -> None:
        self.document, self.model, self.items = document, document["model"], document["items"]
        self.n = len(self.items)
        self.pairs = [(i, j) for j in range(self.n) for i in range(j)]
        counts: Counter[tuple[Any, tuple[int | None, ...]]] = Counter()
        for row in rows:
            counts[row.get(self.model["by"]), tuple(row["answers"])] += row["weight"]
        self.counts = counts
        self._possible: dict[Any, tuple[int, ...]] = {}

    def log_likelihood(self, params: Values, shares: Sequence[mpf] = ()) -> mpf:
        """Sum of weight x log probability."""
        total = mpf(0)
        for group in {g for g, _ in self.counts}:
            own = {answer: w for (g, answer), w in self.counts.items() if g == group}
            chance = self._chances(params, group, shares)
            total += mp.fsum(w * mp.log(chance(answer)) for answer, w in own.items())
        return total

    def _chances(self, params: Values, group: Any, shares: Sequence[mpf]) -> Any:
        layout, model = self.document["layout"], self.model
        if model["classes"] > 1:
            parts = [
                self._independent(self.worths(params, f":class[{k + 1}]"), mpf(0)) for k in range(len(shares))
            ]
            return lambda answer: mp.fsum(pi * p(answer) for pi, p in zip(shares, parts))
        if model["times"] > 1:
            return self._over_times(params)
        own = self.worths(params, "", group)
        if model["family"] == "plackett-luce":
            return self._by_stages(own, {d: mp.exp(params[f"tie{d}"]) for d in model["tie_orders"]})
        nu = mp.exp(params["tie"]) if model["ties"] else mpf(0)
        if model["alpha"]:
            return self._with_gaps(own, nu, params)
        if layout == "pairs" and not model["dependence"]:
            return self._independent(own, nu)
        if layout == "ranks":
            return self._orders(own)
        every = self._weak_orders() if layout == "ratings" else self._patterns()
        weight = self._weights(every, own, nu, params)
        total = mp.fsum(weight)
        return lambda answer: mp.fsum(weight[k] for k in self._compatible(answer, every)) / total

    # -- parts of the models ---------------------------------------------------------------------------------

    def worths(self, params: Values, suffix: str = "", group: Any = None) -> list[mpf]:
        """e^(2 lambda), or e^(log worth) of Plackett and Luce."""
        scale = 1 if self.model["family"] == "plackett-luce" else 2
        found = []
        for item in self.items:
            value = params.get(f"{item}{suffix}", mpf(0)) + params.get(
                f"{item}:{self.model['by']}[{group}]", mpf(0)
            )
            found.append(mp.exp(scale * value))
        return found

    def _independent(self, worth: list[mpf], nu: mpf) -> Any:
        """Davidson (1970): a : nu sqrt(a b) : b, comparison by comparison."""
        table = []
        for i, j in self.pairs:
            a, b, both = worth[i], worth[j], nu * mp.sqrt(worth[i] * worth[j])
            table.append({1: a / (a + b + both), 0: both / (a + b + both), -1: b / (a + b + both)})
        return lambda answer: mp.fprod(table[c][y] for c, y in enumerate(answer) if y is not None)

    def _with_gaps(self, worth: list[mpf], nu: mpf, params: Values) -> Any:
        """Answers and which of them are missing: comparison by comparison, or over all of both as prefmod
        codes it."""
        rate = [
            mp.exp(
                params.get("alpha", mpf(0))
                + mp.fsum(params.get(f"alpha:{self.items[i]}", mpf(0)) for i in pair)
            )
            for pair in self.pairs
        ]
        beta = [mp.exp(params.get(f"beta:{item}", mpf(0))) for item in self.items]
        if self.model["beta"] == "coded":
            return self._as_coded(worth, rate, beta)
        table = []
        for (i, j), lost in zip(self.pairs, rate):
            told = {
                1: worth[i],
                -1: worth[j],
                **({0: nu * mp.sqrt(worth[i] * worth[j])} if self.model["ties"] else {}),
            }
            silent = lost * mp.fsum(w * (beta[i] / beta[j]) ** y for y, w in told.items())
            total = silent + mp.fsum(told.values())
            table.append({None: silent / total, **{y: w / total for y, w in told.items()}})
        return lambda answer: mp.fprod(table[c][y] for c, y in enumerate(answer))

    def _as_coded(self, worth: list[mpf], rate: list[mpf], beta: list[mpf]) -> Any:
        """The i-th comparison's answer carries beta_i as often as comparisons of item i are missing."""
        every = self._patterns()
        own = self._weights(every, worth, mpf(0), {})

        def weight(gaps: tuple[bool, ...], which: Sequence[int]) -> mpf:
            odds = mp.fprod(f for f, lost in zip(rate, gaps) if lost)
            lost = [sum(g for g, pair in zip(gaps, self.pairs) if i in pair) for i in range(self.n)]
            grown = [{1: b**n, -1: 1 / b**n} for b, n in zip(beta, lost)]
            return odds * mp.fsum(
                own[k] * mp.fprod(g[every[k][i]] for i, g in enumerate(grown)) for k in which
            )

        everything = range(len(every))
        total = mp.fsum(
            weight(gaps, everything) for gaps in itertools.product((False, True), repeat=len(self.pairs))
        )
        return (
            lambda answer: weight(tuple(a is None for a in answer), self._compatible(answer, every)) / total
        )

    def _weights(
        self, every: Sequence[tuple[int, ...]], worth: list[mpf], nu: mpf, params: Values, suffix: str = ""
    ) -> list[mpf]:
        """Weights of patterns: a factor for each comparison, and one for each two that share an item."""
        single = []
        for i, j in self.pairs:
            odds = mp.sqrt(worth[i] / worth[j])
            single.append({1: odds, 0: nu, -1: 1 / odds})
        double = []
        if self.model["dependence"]:
            for one, two in itertools.combinations(range(len(self.pairs)), 2):
                if set(self.pairs[one]) & set(self.pairs[two]):
                    named = (":".join(self.items[i] for i in self.pairs[c]) for c in (one, two))
                    factor = mp.exp(params["*".join(named) + suffix])
                    double.append((one, two, {1: factor, 0: mpf(1), -1: 1 / factor}))
        return [
            mp.fprod(f[v] for f, v in zip(single, y)) * mp.fprod(f[y[one] * y[two]] for one, two, f in double)
            for y in every
        ]

    def _patterns(self) -> list[tuple[int, ...]]:
        return list(itertools.product((1, 0, -1) if self.model["ties"] else (1, -1), repeat=len(self.pairs)))

    def _weak_orders(self) -> list[tuple[int, ...]]:
        """Patterns of the ordered partitions of the items into at most as many sets as the scale has
        points."""
        return [
            self._signs(p) for p in self._places(list(range(self.n)), min(self.n, self.model["categories"]))
        ]

    def _places(self, items: list[int], most: int) -> Iterator[dict[int, int]]:
        if not items:
            yield {}
            return
        if most == 0:
            return
        for size in range(1, len(items) + 1):
            for first in itertools.combinations(items, size):
                for rest in self._places([i for i in items if i not in first], most - 1):
                    yield {**{i: 0 for i in first}, **{i: p + 1 for i, p in rest.items()}}

    def _signs(self, place: dict[int, int]) -> tuple[int, ...]:
        return tuple((place[j] > place[i]) - (place[j] < place[i]) for i, j in self.pairs)

    def _compatible(self, answer: Sequence[int | None], every: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """Numbers of the patterns that an answer leaves possible."""
        key = len(every), tuple(answer)
        if key not in self._possible:
            wanted = list(answer)
            if self.document["layout"] != "pairs":
                given = [(answer[i], answer[j]) for i, j in self.pairs]
                wanted = [None if a is None or b is None else (b > a) - (b < a) for a, b in given]
            agree = [all(a is None or a == b for a, b in zip(wanted, y)) for y in every]
            self._possible[key] = tuple(k for k, yes in enumerate(agree) if yes)
        return self._possible[key]

    def _orders(self, worth: list[mpf]) -> Any:
        """P(order) is proportional to prod worth^(J - place); sums over what is left by recursion over its
        subsets."""
        known: dict[frozenset[int], mpf] = {frozenset(): mpf(1)}

        def rest(left: frozenset[int]) -> mpf:
            if left not in known:
                known[left] = mp.fsum(worth[i] ** (len(left) - 1) * rest(left - {i}) for i in left)
            return known[left]

        whole = frozenset(range(self.n))

        def chance(ranks: Sequence[int | None]) -> mpf:
            left, found = whole, mpf(1)
            for _, i in sorted((r, i) for i, r in enumerate(ranks) if r is not None):
                found *= worth[i] ** (len(left) - 1)
                left = left - {i}
            return found * rest(left) / rest(whole)

        return chance

    def _by_stages(self, worth: list[mpf], delta: dict[int, mpf]) -> Any:
        """Turner et al. (2020): delta_|S| (prod of worths in S)^(1/|S|) over its sum, stage by stage."""
        below = self.document["unranked"] == "below"
        known: dict[tuple[int, ...], mpf] = {}

        def strength(chosen: Sequence[int]) -> mpf:
            size = len(chosen)
            return delta.get(size, mpf(1)) * mp.root(mp.fprod(worth[i] for i in chosen), size)

        def total(left: tuple[int, ...]) -> mpf:
            if left not in known:
                known[left] = mp.fsum(
                    strength(s) for d in (1, *delta) for s in itertools.combinations(left, d)
                )
            return known[left]

        def chance(ranks: Sequence[int | None]) -> mpf:
            left = tuple(i for i, r in enumerate(ranks) if below or r is not None)
            found = mpf(1)
            for place in sorted({r for r in ranks if r is not None}):
                if len(left) == 1:
                    break
                chosen = [i for i in left if ranks[i] == place]
                found *= strength(chosen) / total(left)
                left = tuple(i for i in left if i not in chosen)
            return found

        return chance

    def _over_times(self, params: Values) -> Any:
        """Weights of all answers so far by the last one, passed on from time to time."""
        every, times = self._weak_orders(), self.model["times"]
        weights = []
        for t in range(times):
            at = f":time[{t + 1}]"
            nu = mp.exp(params[f"tie{at}"])
            own = self.worths(params, at)
            weights.append(self._weights(every, own, nu, params, at))
        links = []
        for t in range(times - 1):
            theta = [
                mp.exp(params[f"{self.items[i]}:{self.items[j]}:time[{t + 1}]*time[{t + 2}]"])
                for i, j in self.pairs
            ]
            links.append(
                [[mp.fprod(f ** (a * b) for f, a, b in zip(theta, y, z)) for z in every] for y in every]
            )

        def passed(allowed: Sequence[Sequence[int]]) -> mpf:
            ahead = {k: weights[0][k] for k in allowed[0]}
            for t in range(1, times):
                ahead = {
                    k: weights[t][k] * mp.fsum(w * links[t - 1][l][k] for l, w in ahead.items())
                    for k in allowed[t]
                }
            return mp.fsum(ahead.values())

        total = passed([range(len(every))] * times)

        def chance(answer: Sequence[int | None]) -> mpf:
            blocks = [answer[t * self.n : (t + 1) * self.n] for t in range(times)]
            return passed([self._compatible(block, every) for block in blocks]) / total

        return chance

    # -- deviance --------------------------------------------------------------------------------------------

    def saturated(self) -> tuple[mpf, int]:
        """Log-likelihood of free probabilities in each block, and the number of free ones, by formulas."""
        cells: Counter[Any] = Counter()
        blocks: Counter[Any] = Counter()
        for (group, answer), w in self.counts.items():
            said, block = self._block(answer)
            cells[group, block, said] += w
            blocks[group, block] += w
        llf = mp.fsum(n * mp.log(mpf(n) / blocks[g, b]) for (g, b, _), n in cells.items())
        return llf, sum(number - 1 for _, (_, number) in blocks)

    def _block(self, answer: tuple[int | None, ...]) -> tuple[Any, tuple[Any, int]]:
        layout, there = self.document["layout"], tuple(a is not None for a in answer)
        if self.model["alpha"]:
            return answer, ((), (4 if self.model["ties"] else 3) ** len(answer))
        if layout == "pairs":
            return answer, (there, (3 if self.model["ties"] else 2) ** sum(there))
        if layout == "ranks":
            return self._ranked(answer)
        said, number = [], 1
        for t in range(self.model["times"]):
            block = answer[t * self.n : (t + 1) * self.n]
            rated = sorted({a for a in block if a is not None})
            said.append(tuple(None if a is None else rated.index(a) for a in block))
            m = sum(a is not None for a in block)
            number *= fubini(m, min(self.n, self.model["categories"])) if m > 1 else 1
        return tuple(said), (there, number)

    def _ranked(self, answer: tuple[int | None, ...]) -> tuple[Any, tuple[Any, int]]:
        below = self.document["unranked"] == "below"
        groups = [
            frozenset(i for i, r in enumerate(answer) if r == p)
            for p in sorted({r for r in answer if r is not None})
        ]
        left = frozenset(i for i, r in enumerate(answer) if r is None)
        if below and len(left) == 1:
            groups, left = [*groups, left], frozenset()
        ranked = sum(map(len, groups))
        there = self.n if below else ranked
        sizes = {1, *self.model["tie_orders"]}
        key = (ranked, frozenset(range(self.n)) if below else frozenset().union(*groups))
        return tuple(groups), (key, comb(there, ranked) * sequences(ranked, sizes))


def fubini(items: int, most: int) -> int:
    """Ordered partitions of so many items into at most `most` sets: sums of surjections."""
    return sum(
        sum((-1) ** k * comb(m, k) * (m - k) ** items for k in range(m + 1))
        for m in range(1, min(items, most) + 1)
    )


def sequences(items: int, sizes: set[int]) -> int:
    """Ordered partitions into sets of these sizes."""
    found = [1]
    for n in range(1, items + 1):
        found.append(sum(comb(n, d) * found[n - d] for d in sizes if d <= n))
    return found[items]
