"""What Sakaguchi and Van Durme (2018) say of scalar annotation, each with a test that computes its verdict.

Their annotators' judgments are not published, so what they found cannot be recomputed from data.  What can be asked is
whether the method does it: the experiments are simulated with annotators who agree as far as theirs did, once with noise
that does not depend on the other items of a HIT, once with noise that the context makes smaller.  A claim that comes out
only in the second case is called misleading: it holds of the presentation, and random HITs show it as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from ..native import beta, trueskill
from ..native.annotation_simulation import Annotators, Experiment, Simulation, sd_for_agreement, simulate, spread, truth_of
from ..native.easl import Method
from .statements import Context, Finding, statement_test
from .statements import _holds as holds

#: Noise inside a HIT over noise of an item alone, in the second case.
HELPFUL = 0.7
#: Iterations, replicates and items: those of the paper, and as many repetitions as give the third decimal.
ITEMS, BUDGET, REPLICATES = 150, 10, 20


@lru_cache(maxsize=8)
def _experiment(truth: str, agreement: float, context: float) -> Simulation:
    kind: Any = truth
    true = truth_of(kind, ITEMS, np.random.default_rng(2018))
    noise = Annotators(sd_for_agreement(true, agreement), context)
    return simulate(Experiment(true, noise, ("da", "random", "easl", "ra"), BUDGET, REPLICATES, seed=2018))


@statement_test("annotation-gain")
def annotation_gain(context: Context, *, truth: str, agreement: str, method: Method, fewer: int, more: int) -> Finding:
    """After `fewer` annotations a method is nearer to direct assessment after `more` than to it after `fewer`."""
    alone, helped = (_experiment(truth, float(agreement), c) for c in (1.0, HELPFUL))

    def said(s: Simulation, name: Method) -> str:
        return f"{'random HITs' if name == 'random' else name} {s.curve(name, resamples=1).mean[fewer - 1]:.3f}"

    da = alone.curve("da", resamples=1).mean
    gains = [s.gain(method, fewer, more) for s in (alone, helped)]
    text = (f"simulated with annotators who agree at {agreement}, Spearman's rho after {fewer}: {said(alone, method)}, "
            f"{said(alone, 'random')}, da {da[fewer - 1]:.3f} (after {more}: {da[more - 1]:.3f}) where noise does not depend on the HIT")
    if gains[0] > 0.5:
        return Finding("agrees", text, gains[0])
    if gains[1] > 0.5:
        text += (f"; it comes out if noise inside a HIT is {HELPFUL} times as large ({said(helped, method)}), and then without it too "
                 f"({said(helped, 'random')}): a property of showing items together, not of choosing them")
        return Finding("differs-conclusion", f"misleading: not reproduced as it stands: {text}", gains[0])
    return Finding("differs-conclusion", f"false: not reproduced: {text}; nor if noise inside a HIT is {HELPFUL} times as large ({said(helped, method)})", gains[0])


@statement_test("annotation-range")
def annotation_range(context: Context, *, truth: str, agreement: str, narrow: Sequence[Method], fitting: Sequence[Method]) -> Finding:
    """Some methods end in a narrower range than the truth, others within a fifth of its standard deviation."""
    s = _experiment(truth, float(agreement), 1.0)
    true = spread(s.experiment.truth)[0]
    ends = {m: spread(s.final[m])[0] for m in (*narrow, *fitting)}
    text = f"simulated standard deviations of the scores at the end: {', '.join(f'{m} {v:.3f}' for m, v in ends.items())}; of the truth {true:.3f}"
    true_of_all = all(ends[m] < 0.75 * true for m in narrow) and all(abs(ends[m] / true - 1) < 0.2 for m in fitting)
    return holds(true_of_all, text, native=ends[narrow[0]])


@statement_test("match-quality-map")
def match_quality_map(context: Context, *, truth: str, agreement: str, shape: Literal["uniform", "diagonal"]) -> Finding:
    """Before iteration 0 all pairs have one match quality; later neighbours have more than the rest, increasingly."""
    maps = _experiment(truth, float(agreement), 1.0).maps
    if shape == "uniform":
        low, high = float(maps[0].min()), float(maps[0].max())
        return holds(high - low < 1e-12, f"match quality before iteration 0 lies between {low:.4f} and {high:.4f}", native=low)
    ratios = []
    for t in (3, 6, 9):
        apart = np.abs(np.subtract.outer(np.arange(len(maps[t])), np.arange(len(maps[t]))))
        ratios.append(float(maps[t][apart <= 3].mean() / maps[t][apart > len(maps[t]) // 2].mean()))
    text = "match quality near the diagonal over that far from it before iterations 3, 6, 9: " + ", ".join(f"{r:.2f}" for r in ratios)
    return holds(1 < ratios[0] < ratios[1] < ratios[2], text, native=ratios[-1])


#: A grid of beta distributions and of margins on which statements about every update are tried.
GRID = (1.0, 1.3, 2.0, 4.0, 9.0, 30.0)


@statement_test("bounded-update")
def bounded_update(context: Context, *, property: Literal["parameters-grow", "variance-falls"]) -> Finding:
    """What every update of the bounded model does, tried on a grid of pairs and outcomes, and EASL's on the same."""
    tried, broken = 0, []
    for pair in (beta.Pair(a, b, c, d) for a in GRID for b in GRID for c in GRID for d in GRID):
        for outcome in ("win", "tie"):
            after = beta.update_pair(pair, outcome)  # type: ignore[arg-type]  # two of the Literal's words
            tried += 1
            grew = all(x >= y for x, y in zip(after, pair))
            fell = bool(beta.variance(after.alpha_i, after.beta_i) <= beta.variance(pair.alpha_i, pair.beta_i))
            if not (grew if property == "parameters-grow" else fell):
                broken.append((pair.alpha_i, pair.beta_i, after.alpha_i, after.beta_i))
    text = f"{tried - len(broken)} of {tried} updates do"
    if broken:
        a, b, c, d = broken[0]
        example = f"B(1, 4) has variance {beta.variance(1, 4):.6f}, B(2, 4) {beta.variance(2, 4):.6f}"
        text += f"; a win of B({a:g}, {b:g}) gives B({c:.3f}, {d:.3f}) and raises its variance; {example}"
    return holds(not broken, text, native=len(broken) / tried)


@statement_test("trueskill-variance-falls")
def trueskill_variance_falls(context: Context) -> Finding:
    """w lies between 0 and 1 for wins and ties, so that every update lowers the variance."""
    values = [f(float(t), e).w for f in (trueskill.win, trueskill.tie) for t in np.linspace(-30, 30, 241) for e in (0.0, 0.1, 0.5, 2.0, 5.0)]
    return holds(0 <= min(values) and max(values) <= 1, f"w lies between {min(values):.3g} and {max(values):.16g} at {len(values)} points", native=max(values))


@statement_test("surprise-grows-exponentially")
def surprise_grows_exponentially(context: Context, *, epsilon: str) -> Finding:
    """v of a win, as its argument falls by 1 each time, grows by a constant factor."""
    v = [trueskill.win(-float(t), float(epsilon)).v for t in (10, 20, 40, 80)]
    text = f"v at t = -10, -20, -40, -80 is {', '.join(f'{x:.3f}' for x in v)}: it grows by 1 where t falls by 1, linearly"
    return holds(v[1] / v[0] < 0.5 * v[3] / v[2], text, "erratum", native=v[0], verdict="differs")


@statement_test("chance-at-one-gamma")
def chance_at_one_gamma(context: Context, *, chance: str) -> Finding:
    """A difference of gamma wins with this chance."""
    found = trueskill.chance_to_win(1.0, 1.0)
    low, high = 0.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if trueskill.chance_to_win(middle, 1.0) < float(chance) else (low, middle)
    text = f"at a difference of gamma the better one wins with {found:.4f}; {chance} needs {low:.3f} gamma"
    return holds(round(found, len(chance.partition(".")[2])) == float(chance), text, "erratum", native=found, verdict="differs")


@statement_test("mean-nearer-to-the-middle")
def mean_nearer_to_the_middle(context: Context) -> Finding:
    """In a beta distribution with parameters above 1 the mean is nearer to 1/2 than the mode."""
    grid = [(a, b) for a in GRID[1:] for b in GRID[1:] if a != b]
    nearer = [abs(a / (a + b) - 0.5) < abs(float(beta.mode(a, b)) - 0.5) for a, b in grid]
    return holds(all(nearer), f"so for {sum(nearer)} of {len(grid)} pairs of parameters (equal where alpha = beta)", native=float(np.mean(nearer)))


@statement_test("product")
def product(context: Context, *, factors: Sequence[str], equals: str, of: str) -> Finding:
    """A number that the page's other numbers multiply to."""
    found = math.prod(map(float, factors))
    text = f"{' x '.join(factors)} = {found:g} {of}, against {equals}"
    return holds(math.isclose(found, float(equals), rel_tol=1e-9), text, "erratum", native=found, verdict="differs")


@statement_test("drawn-without-replacement")
def drawn_without_replacement(context: Context, *, drawn: str, factors: Sequence[str]) -> Finding:
    """A sample without replacement is no larger than what it is drawn from."""
    there = math.prod(map(float, factors))
    return holds(float(drawn) <= there, f"{drawn} drawn from {' x '.join(factors)} = {there:g}", "erratum", native=there, verdict="differs")
