"""Every conditional the samplers draw from, exactly: a wrong variance, exponent or radius of any size fails
here.

A long run only finds an error that is large beside its Monte Carlo error (a noise variance 5 % off passes all
of them). So the random numbers are taken away.  With noise 0 a step must give the conditional mean, and its
answers to noise in one place after another, the columns of B, must have B B' = the conditional covariance,
both from a dense precision matrix that is built here from the model's formula.  Discrete draws are inverted:
the quality must change exactly where u passes the cumulative probability.  One run of the whole categorical
sampler against enumeration shows that the parts make a chain with the right distribution.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest
from scipy.special import gammaln, ndtr
from scipy.stats import truncnorm

from pairproof.data.judgments import HAT, judgments, preference_counts
from pairproof.native.competitions.irt import gaussian_gibbs
from pairproof.native.competitions.irt.categorical_irt import (
    CategoricalModel,
    FreshCells,
    SweepChain,
    fit_irt_categorical,
)
from pairproof.native.competitions.irt.gaussian_gibbs import (
    FreshChain,
    GaussianModel,
    OptionChain,
    SegmentChain,
    oriented,
    restricted_differences,
    segment_blocks,
)
from pairproof.native.competitions.irt.posterior import item_codes
from tests.native.translation import check_mean, random_table, table

#: No two constants alike, none 1, none the default.
MODEL = GaussianModel(sd_ability=1.3, sd_quality=0.7, sd_noise=0.45, radius=0.31)
#: Two ways to invert a matrix of condition 50; observed 4e-15.
EXACT = 1e-12


class Given:
    """Stands in for a random generator: hands out normals that were laid in, then zeros."""

    def __init__(self) -> None:
        self.normals: list[np.ndarray | float] = []

    def standard_normal(self, size=None):
        if self.normals:
            value = self.normals.pop(0)
            assert np.shape(value) == (() if size is None else (size,))
            return np.copy(value)
        return 0.0 if size is None else np.zeros(size)


# -- the Gaussian model --------------------------------------------------------------------------------------


class Tiny:
    """A small table with ties, items that are seen often, once, and segments of different sizes; and its
    chains' inputs.
    """

    def __init__(self, monkeypatch) -> None:
        rows = random_table(11, n=24, n_systems=4, n_segments=6)
        self.data = oriented(rows, MODEL)
        self.n, self.systems = len(self.data.up), 4
        self.author, self.segment, self.item = item_codes(rows, self.data.up, self.data.down, self.data.row)
        self.items = len(self.author)
        self.delta = np.random.default_rng(1).normal(size=self.n)
        self.rng = Given()
        self.asked: list[tuple] = []
        monkeypatch.setattr(gaussian_gibbs, "restricted_differences", self._differences)

    def _differences(self, gap, n_decided, d, sd, rng):
        self.asked.append((np.copy(gap), n_decided, d, sd))
        return np.copy(self.delta)

    def incidence(self, codes):
        """float[n, codes]: +1 at what was preferred, -1 at the other."""
        rows = np.zeros((self.n, codes.max() + 1))
        rows[np.arange(self.n), codes[: self.n]] += 1
        rows[np.arange(self.n), codes[self.n :]] -= 1
        return rows

    def joint_prior(self):
        """Precision of (mu, q): mu_s ~ N(0, s0^2), q_i ~ N(mu_a(i), sa^2)."""
        s, q = self.systems, self.items
        precision = np.zeros((s + q, s + q))
        precision[:s, :s] = np.eye(s) / MODEL.sd_ability**2
        for i, a in enumerate(self.author):
            of = np.zeros(s + q)
            of[s + i], of[a] = 1, -1
            precision += np.outer(of, of) / MODEL.sd_quality**2
        return precision

    def answers(self, chain, sizes):
        """float[mu and q, noise]: where a step from the origin goes for one unit of noise in each place;
        delta is 0.
        """
        self.delta[:] = 0
        columns = []
        for place in range(sum(sizes)):
            unit = np.split(np.eye(sum(sizes))[place], np.cumsum(sizes)[:-1])
            chain.q = np.zeros(self.items)
            self.rng.normals = list(unit)
            mu = chain.step()
            columns.append(np.concatenate([mu, chain.q]))
        return np.array(columns).T


@pytest.fixture
def tiny(monkeypatch):
    return Tiny(monkeypatch)


def same(a, b):
    assert np.abs(np.asarray(a) - b).max() < EXACT


def test_an_item_is_a_system_in_a_segment(tiny):
    source = random_table(11, n=24, n_systems=4, n_segments=6).columns["source"].codes[tiny.data.row]
    assert tiny.author[tiny.item].tolist() == [*tiny.data.up, *tiny.data.down]
    assert tiny.segment[tiny.item].tolist() == [*source, *source]
    assert len(set(zip(tiny.author, tiny.segment))) == tiny.items
    assert (
        len(set(np.bincount(tiny.segment))) > 1
        and len(set(np.bincount(tiny.item))) > 2
        and 0 < tiny.data.n_decided < tiny.n
    )


def segment_chain(tiny):
    blocks = segment_blocks(tiny.data, tiny.author, tiny.segment, tiny.item, MODEL)
    return SegmentChain(tiny.data, tiny.author, tiny.item, blocks, MODEL, tiny.rng)


def test_a_step_of_segments_has_the_exact_mean_and_covariance(tiny):
    """(mu, q) given the differences, each with variance 2 so^2."""
    chain = segment_chain(tiny)
    seen = np.hstack([np.zeros((tiny.n, tiny.systems)), tiny.incidence(tiny.item)])
    precision = tiny.joint_prior() + seen.T @ seen / (2 * MODEL.sd_noise**2)
    mu = chain.step()
    same(
        np.concatenate([mu, chain.q]),
        np.linalg.solve(precision, seen.T @ tiny.delta / (2 * MODEL.sd_noise**2)),
    )
    b = tiny.answers(chain, [tiny.systems, tiny.items])
    same(b @ b.T, np.linalg.inv(precision))


def option_chain(tiny, shift=False):
    return OptionChain(tiny.data, tiny.author, tiny.item, MODEL, tiny.rng, shift)


def test_a_step_of_options_has_the_exact_mean_and_covariance(tiny):
    """o_up + o_down is N(q_up + q_down, 2 so^2) whatever their difference; (mu, q) given both, each with
    variance so^2.
    """
    chain = option_chain(tiny)
    rng = np.random.default_rng(2)
    q, noise = rng.normal(size=tiny.items), rng.normal(size=tiny.n)
    up, down = tiny.item[: tiny.n], tiny.item[tiny.n :]
    total = q[up] + q[down] + np.sqrt(2) * MODEL.sd_noise * noise
    o = np.concatenate([(total + tiny.delta) / 2, (total - tiny.delta) / 2])
    seen = np.zeros((2 * tiny.n, tiny.systems + tiny.items))
    seen[np.arange(2 * tiny.n), tiny.systems + tiny.item] = 1
    precision = tiny.joint_prior() + seen.T @ seen / MODEL.sd_noise**2
    chain.q, tiny.rng.normals = q.copy(), [noise]
    mu = chain.step()
    same(np.concatenate([mu, chain.q]), np.linalg.solve(precision, seen.T @ o / MODEL.sd_noise**2))
    # From the origin and with no noise in what is seen, o is 0.
    b = tiny.answers(chain, [tiny.n, tiny.systems, tiny.items])[:, tiny.n :]
    same(b @ b.T, np.linalg.inv(precision))


def test_the_level_is_moved_to_a_draw_of_its_own_distribution_and_nothing_else_moves(tiny):
    """mean(mu) = s0 z / sqrt(S); qualities move with the abilities."""
    rng = np.random.default_rng(3)
    q = rng.normal(size=tiny.items)
    normals = [rng.normal(size=size) for size in (tiny.n, tiny.systems, tiny.items)]
    found = []
    for shift in (False, True):
        chain = option_chain(tiny, shift)
        chain.q, tiny.rng.normals = q.copy(), [*normals, *([1.7] if shift else [])]
        found.append(np.concatenate([chain.step(), chain.q]))
    still, moved = found
    assert moved[: tiny.systems].mean() == pytest.approx(1.7 * MODEL.sd_ability / 2, rel=EXACT)
    same(moved - still, (moved - still).mean())


def test_a_step_of_fresh_items_has_the_exact_mean_and_covariance(tiny):
    """mu given differences with variance tau^2 = 2 (sa^2 + so^2)."""
    chain = FreshChain(tiny.data, MODEL, tiny.rng)
    tau2 = 2 * (MODEL.sd_quality**2 + MODEL.sd_noise**2)
    seen = tiny.incidence(np.concatenate([tiny.data.up, tiny.data.down]))
    precision = np.eye(tiny.systems) / MODEL.sd_ability**2 + seen.T @ seen / tau2
    same(chain.step(), np.linalg.solve(precision, seen.T @ tiny.delta / tau2))
    tiny.delta[:] = 0
    columns = []
    for unit in np.eye(tiny.systems):
        tiny.rng.normals = [unit]
        columns.append(np.copy(chain.step()))
    same(np.array(columns).T @ np.array(columns), np.linalg.inv(precision))


@pytest.mark.parametrize("make", [segment_chain, option_chain])
def test_differences_of_shared_items_are_asked_for_about_the_qualities_with_the_noise_alone(tiny, make):
    chain = make(tiny)
    chain.q = np.random.default_rng(4).normal(size=tiny.items)
    gap = tiny.incidence(tiny.item) @ chain.q
    chain.step()
    ((asked, n_decided, d, sd),) = tiny.asked
    same(asked, gap)
    assert sd == pytest.approx(np.sqrt(2) * MODEL.sd_noise, rel=1e-15) and (n_decided, d) == (
        tiny.data.n_decided,
        MODEL.radius,
    )


def test_differences_of_fresh_items_are_asked_for_about_the_abilities_with_noise_and_quality(tiny):
    chain = FreshChain(tiny.data, MODEL, tiny.rng)
    chain.mu = np.random.default_rng(4).normal(size=tiny.systems)
    gap = tiny.incidence(np.concatenate([tiny.data.up, tiny.data.down])) @ chain.mu
    chain.step()
    ((asked, n_decided, d, sd),) = tiny.asked
    same(asked, gap)
    assert sd == pytest.approx(np.sqrt(2 * (MODEL.sd_quality**2 + MODEL.sd_noise**2)), rel=1e-15)
    assert (n_decided, d) == (tiny.data.n_decided, MODEL.radius)


@pytest.mark.parametrize("chain", ["segment", "option"])
def test_a_chain_starts_with_qualities_from_the_prior(tiny, chain):
    """mu ~ N(0, s0^2), q ~ N(mu, sa^2): what one unit of noise in the first system and in the first item
    moves.
    """
    tiny.rng.normals = [np.eye(tiny.systems)[0], np.eye(tiny.items)[0]]
    started = (segment_chain if chain == "segment" else option_chain)(tiny).q
    same(started, MODEL.sd_ability * (tiny.author == 0) + MODEL.sd_quality * np.eye(tiny.items)[0])


def test_restricted_differences_are_the_quantiles_of_the_truncated_normal():
    """By scipy's distribution function; a draw for u is the u- or the (1-u)-quantile.  Observed: within
    3e-15.
    """
    rng = np.random.default_rng(5)
    n, n_decided, d, sd = 400, 250, 0.31, 1.37
    gap, u = rng.normal(scale=1.5, size=n), rng.random(n)

    class Fixed:
        def random(self, size):
            assert size == n
            return u.copy()

    delta = restricted_differences(gap, n_decided, d, sd, Fixed())
    won, tied = slice(0, n_decided), slice(n_decided, n)
    share = np.empty(n)
    share[won] = truncnorm.sf(delta[won], (d - gap[won]) / sd, np.inf, gap[won], sd)
    share[tied] = truncnorm.cdf(delta[tied], (-d - gap[tied]) / sd, (d - gap[tied]) / sd, gap[tied], sd)
    turned = gap[tied] < 0
    share[tied] = np.where(turned, 1 - share[tied], share[tied])
    assert np.abs(share - u).max() < 1e-11 and turned.any() and not turned.all()


def test_the_models_probabilities_are_those_of_the_same_differences():
    """P(first) = P(N(gap, tau^2) >= d); the radius enters nowhere else."""
    gap = np.linspace(-3, 3, 13)
    tau = np.sqrt(2 * (0.7**2 + 0.45**2))
    tie = ndtr((0.31 - gap) / tau) - ndtr((-0.31 - gap) / tau)
    same(MODEL.preferences(gap), np.stack([tie, ndtr((gap - 0.31) / tau), ndtr((-gap - 0.31) / tau)], axis=1))


# -- the categorical model -----------------------------------------------------------------------------------

CATEGORICAL = CategoricalModel(levels=4, sd_noise=0.8, concentration=0.6, radius=1)


def likelihood_by_hand(model):
    """K[outcome, l1, l2] by adding up what is seen of both options."""
    size = model.levels
    seen = np.array(
        [[np.exp(-(((o - level) / model.sd_noise) ** 2) / 2) for o in range(size)] for level in range(size)]
    )
    seen /= seen.sum(axis=1, keepdims=True)
    k = np.zeros((3, size, size))
    for a, b, o1, o2 in itertools.product(range(size), repeat=4):
        outcome = 0 if abs(o1 - o2) <= model.radius else 1 if o1 > o2 else 2
        k[outcome, a, b] += seen[a, o1] * seen[b, o2]
    return k


def test_the_likelihood_is_the_sum_over_what_is_seen():
    same(CATEGORICAL.likelihood, likelihood_by_hand(CATEGORICAL))


class Dice:
    """Stands in for a random generator: uniforms by item for the sweeps, and the shapes that gammas are asked
    for.
    """

    def __init__(self) -> None:
        self.u: list[np.ndarray] = []
        self.shapes: list[np.ndarray] = []
        self.cells: list[tuple[np.ndarray, np.ndarray]] = []
        self.pairs = np.empty(0)

    def integers(self, low, high, size):
        return np.zeros(size, np.int64)

    def random(self, size):
        u = self.u.pop(0)
        assert size == (len(u), 1)
        return u[:, None].copy()

    def standard_gamma(self, shape):
        self.shapes.append(shape.copy())
        return np.cos(np.arange(shape.size).reshape(shape.shape)) + 1.5  # any positive numbers

    def multinomial(self, times, p):
        self.cells.append((times.copy(), p.copy()))
        return self.pairs


def counted(author, quality, n_systems, size):
    counts = np.zeros((n_systems, size))
    for a, l in zip(author, quality):
        counts[a, l] += 1
    return counts


class Sweep:
    """A categorical chain on a small table, and its conditionals by the model's formula, judgment by
    judgment.
    """

    def __init__(self) -> None:
        rows = random_table(3, n=20, n_systems=4, n_segments=3)
        self.single = judgments(rows)
        self.author, segment, item = item_codes(rows, self.single.first, self.single.second, self.single.row)
        self.k = likelihood_by_hand(CATEGORICAL)
        self.dice = Dice()
        self.chain = SweepChain(self.single, self.author, segment, item, CATEGORICAL, self.dice)
        rng = np.random.default_rng(8)
        self.start = rng.integers(0, 4, len(self.author))
        self.theta = rng.dirichlet([0.7] * 4, 4)
        self.of = defaultdict(list)
        for j in range(len(self.single)):
            first, second, outcome = item[j], item[len(self.single) + j], self.single.outcome[j]
            self.of[first].append((second, outcome))
            self.of[second].append((first, HAT[outcome]))

    def cumulative(self, i, quality):
        """P(quality of item i <= l | all others)."""
        p = self.theta[self.author[i]].copy()
        for other, outcome in self.of[i]:
            p *= self.k[outcome, :, quality[other]]
        return np.cumsum(p / p.sum())

    def expected(self, u):
        quality = self.start.copy()
        for turn in self.chain.turns:
            for i in turn.items:
                quality[i] = (self.cumulative(i, quality)[:-1] < u[i]).sum()
        return quality

    def drawn(self, u):
        self.chain.quality, self.chain.theta = self.start.copy(), self.theta.copy()
        self.dice.u = [u[turn.items] for turn in self.chain.turns]
        theta = self.chain.step()
        return self.chain.quality, theta


def test_every_item_has_one_turn_and_never_with_one_it_is_compared_to():
    sweep = Sweep()
    assert sorted(i for turn in sweep.chain.turns for i in turn.items) == list(range(len(sweep.author)))
    for turn in sweep.chain.turns:
        assert not any(other in turn.items for i in turn.items for other, _ in sweep.of[i])


def test_a_quality_is_drawn_with_exactly_its_conditional_probability():
    """Theta times the product of K over the item's comparisons: u a billionth below and above each step of
    the cumulative probability of each item, the others at .37."""
    sweep, steps = Sweep(), 0
    everywhere = np.full(len(sweep.author), 0.37)
    settled = sweep.expected(everywhere)
    for turn_number, turn in enumerate(sweep.chain.turns):
        before = sweep.start.copy()
        for earlier in sweep.chain.turns[:turn_number]:
            before[earlier.items] = settled[earlier.items]
        for i in turn.items:
            for level, step in enumerate(sweep.cumulative(i, before)[:-1]):
                for u, new in ((step - 1e-9, level), (step + 1e-9, level + 1)):
                    at = everywhere.copy()
                    at[i] = u
                    quality, _ = sweep.drawn(at)
                    assert quality[i] == new and (quality == sweep.expected(at)).all()
                    steps += 1
    assert steps == len(sweep.author) * 3 * 2


def test_theta_of_shared_items_is_drawn_with_the_prior_and_the_counts_of_qualities():
    sweep = Sweep()
    u = np.random.default_rng(9).random(len(sweep.author))
    quality, theta = sweep.drawn(u)
    shape = sweep.dice.shapes[-1]
    assert (shape == CATEGORICAL.concentration + counted(sweep.author, quality, 4, 4)).all() and len(
        np.unique(shape)
    ) > 2
    gamma = Dice().standard_gamma(shape)
    same(theta, gamma / gamma.sum(axis=1, keepdims=True))


def test_fresh_items_are_drawn_with_exactly_their_joint_probabilities():
    """Cells theta_1,l1 theta_2,l2 K, one multinomial for the comparisons of a pair with one outcome; then
    theta by counts.
    """
    rows = [("A", "B", 1), ("B", "A", 1), ("A", "B", 1), ("C", "B", 0), ("A", "C", 2), ("C", "A", 2)]
    counts, dice = preference_counts(table(rows, "ABC")), Dice()
    chain = FreshCells(counts, CATEGORICAL, dice)
    theta = chain.theta = np.random.default_rng(1).dirichlet([0.7] * 4, 3)
    kinds = [
        (0, 1, 1, 2),
        (0, 1, 2, 1),
        (0, 2, 1, 1),
        (0, 2, 2, 1),
        (1, 2, 0, 1),
    ]  # first < second, outcome, how often
    rng = np.random.default_rng(2)
    dice.pairs = np.stack([rng.multinomial(times, np.full(16, 1 / 16)) for *_, times in kinds])
    new = chain.step()
    ((times, p),) = dice.cells
    assert times.tolist() == [k[3] for k in kinds]
    k = likelihood_by_hand(CATEGORICAL)
    expected = np.stack([(np.outer(theta[i], theta[j]) * k[outcome]).ravel() for i, j, outcome, _ in kinds])
    same(p, expected / expected.sum(axis=1, keepdims=True))
    shape = np.full((3, 4), CATEGORICAL.concentration)
    for (i, j, _, _), pairs in zip(kinds, dice.pairs):
        for cell, n in enumerate(pairs):
            shape[i, cell // 4] += n
            shape[j, cell % 4] += n
    same(dice.shapes[-1], shape)
    gamma = Dice().standard_gamma(shape)
    same(new, gamma / gamma.sum(axis=1, keepdims=True))


# -- the whole chain -----------------------------------------------------------------------------------------


def every_quality(rows, names, model):
    """E[theta_a' K_p theta_b | comparisons], float[n, n, 3], by adding up all qualities of all items.

    Given the qualities theta_s is Dirichlet(aa + counts), integrated out; of a system with itself, E[theta
    theta'] is its second moment.
    """
    author = {}
    for a, b, x, _ in rows:
        author[a, x], author[b, x] = names.index(a), names.index(b)
    items, k = list(author), likelihood_by_hand(model)
    quality = np.array(list(itertools.product(range(model.levels), repeat=len(items))))
    log_weight = np.zeros(len(quality))
    for a, b, x, outcome in rows:
        log_weight += np.log(k[outcome, quality[:, items.index((a, x))], quality[:, items.index((b, x))]])
    shape = np.full((len(quality), len(names), model.levels), model.concentration)
    for place, item in enumerate(items):
        shape[np.arange(len(quality)), author[item], quality[:, place]] += 1
    log_weight += gammaln(shape).sum(axis=(1, 2))
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    total = shape.sum(axis=2, keepdims=True)
    mean = shape / total
    found = np.einsum("c,cal,plm,cbm->abp", weight, mean, k, mean, optimize=True)
    for s in range(len(names)):
        own = np.einsum("c,cl,cm->lm", weight, mean[:, s], shape[:, s] / (total[:, s] + 1))
        own += np.diag(weight @ (mean[:, s] / (total[:, s] + 1)))
        found[s, s] = np.einsum("plm,lm->p", k, own)
    return found


#: Eight segments, two of them judged twice: what theta learns from many items, and hands on to them.
MANY_ITEMS = [*(("A", "B", x, 1 if x % 3 else 2) for x in range(8)), ("A", "B", 2, 1), ("B", "A", 5, 0)]
#: Three segments of all three systems, each item in four comparisons.
MANY_COMPARISONS = [
    (a, b, x, o)
    for x in range(3)
    for a, b, o in (
        ("A", "B", 1),
        ("A", "B", 1),
        ("B", "C", 0),
        ("A", "C", 1),
        ("B", "C", 1),
        ("A", "C", 0 if x == 1 else 1),
    )
]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rows", "names", "model", "draws", "of_one", "of_two"),
    [
        (
            MANY_ITEMS,
            "AB",
            CategoricalModel(levels=2, concentration=0.3),
            10_000,
            0.0002,
            0.002,
        ),  # 2^16 qualities
        (
            MANY_COMPARISONS,
            "ABC",
            CategoricalModel(levels=3, sd_noise=0.6, concentration=0.3),
            5000,
            0.0019,
            0.0045,
        ),  # 3^9
    ],
    ids=["many items", "many comparisons"],
)
def test_shared_items_have_the_exact_posterior_of_all_qualities(rows, names, model, draws, of_one, of_two):
    """Theta to the power .9 moves the ties of two new items of one system ("many items") by 13 to 15 standard
    errors of these runs, to the power .95 by 6; those of two systems by 2."""
    exact = every_quality(rows, names, model)
    data = table([(a, b, o) for a, b, _, o in rows], names, [x for *_, x, _ in rows])
    theta = fit_irt_categorical(data, model=model, draws=draws, seed=4, workers=1, warn=False).theta
    for i, j in itertools.combinations_with_replacement(range(len(names)), 2):
        for outcome in range(3):
            found = np.einsum("cdl,lm,cdm->cd", theta[:, :, i], model.likelihood[outcome], theta[:, :, j])
            check_mean(found, exact[i, j, outcome], of_one if i == j else of_two)
