"""Hopkins and May's baselines, the rules that rank, and the Gaussian model's mode against base R, and their
item-response models against JAGS and MCMCpack, judged by Monte Carlo error.

Native draws and R's are two samples of one posterior: their means share no number of digits, and a difference
counts against the Monte Carlo standard errors of both.  Standard deviations are judged likewise; that of a
standard deviation is about sd sqrt(1 / (2 ess)), as for normal draws.  The paper's own tables need the
rankings of WMT and hours of JAGS; these do not: its Table 2, and comparisons simulated with a fixed seed, the
same that the records were made with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ....bridge.packages import jags
from ....bridge.process.policy import Backend
from ....bridge.records.calls import RResult
from ....data.columns import Factor
from ....data.comparisons import Comparisons
from ....data.judgments import judgments, preference_counts
from ....native.competitions.experiment.preference_models import (
    adjusted_uniform,
    independent_pairs,
    independent_students,
)
from ....native.competitions.irt.categorical_irt import CategoricalFit, fit_irt_categorical
from ....native.competitions.irt.gaussian_gibbs import GaussianModel
from ....native.competitions.irt.gaussian_irt import fit_irt_gaussian, map_irt_gaussian
from ....native.competitions.irt.posterior import Items, Posterior, item_codes
from ....native.competitions.ranking import ranking_rules as shared_task_rules
from ....native.competitions.ranking.ranking_rules import minimum_feedback_arc_set, most_probable_ranking
from ....numerics.arrays import FloatArray
from ....numerics.markov_chains import convergence
from ...verdicts.agreement import Agreement
from .. import asked_of_base_r as base
from ..asked_of_base_r import BaseR
from ..compared_with_r import Answer, Held, Place, agree_sampled, held_beside_r, rows_beside_r, sampled_row

PAPER = "hopkins-may-2013"
#: Claim of the paper whose table this is.
TABLE_2 = Place(PAPER, "ten-comparisons", "Table 2")
BASELINES, RULES, OPTIM = "base R, baselines", "base R, heuristics", "stats::optim"
#: What the columns of R's scores are.
SCORE_NAMES = ("origwmt", "bojar", "expected-wins")
OUTCOMES = ("p_tie", "p_first", "p_second")


def preference_rows(table: Comparisons, backend: Backend) -> list[Agreement]:
    """Probabilities of every baseline, scores and costs of the rules, mode and Laplace deviations."""
    return _baselines(table, backend) + _rules(table, backend) + _mode(table, backend)


def _baselines(table: Comparisons, backend: Backend) -> list[Agreement]:
    counts, n = preference_counts(table), len(table.items)
    first, second = np.array([(i, j) for i in range(n) for j in range(n) if i != j]).T

    def held(of_r: BaseR) -> Iterator[Held]:
        for name, p in own_baselines(counts).items():
            for row, (i, j) in enumerate(zip(first, second)):
                pair = f"{name.replace(', ', '-')}.{table.items[i]}.{table.items[j]}"
                for k, outcome in enumerate(OUTCOMES):
                    yield Held(f"{outcome}.{pair}", float(p[i, j, k]), float(of_r[name][row, k]), BASELINES)

    said = f"probabilities of {len(first)} ordered pairs by every baseline"
    ask = partial(base.baselines, counts, first, second, backend=backend)
    return held_beside_r(TABLE_2, "baselines", BASELINES, said, backend, ask, held)


def own_baselines(counts: FloatArray) -> Mapping[str, FloatArray]:
    """float[n, n, 3] each, by the names of `BASELINE_NAMES`."""
    return {
        "adjusted-uniform": adjusted_uniform(counts),
        "pairs": independent_pairs(counts),
        "students-asymmetric": independent_students(counts, "asymmetric"),
        "students-arithmetic": independent_students(counts, "arithmetic"),
        "students-geometric": independent_students(counts, "geometric"),
        "students-geometric, raw": independent_students(counts, "geometric", raw=True),
    }


def _rules(table: Comparisons, backend: Backend) -> list[Agreement]:
    orders = {"lopez": minimum_feedback_arc_set(table), "most-probable": most_probable_ranking(table)}
    places = [[table.items.index(item) for item in order.ranking] for order in orders.values()]
    counts, rules = preference_counts(table), shared_task_rules
    scores = (rules.orig_wmt(table), rules.bojar(table), rules.expected_wins(table))

    def held(of_r: BaseR) -> list[Held]:
        found = [
            Held(f"score.{name}.{item}", float(own.values[k]), float(of_r["scores"][k, column]), RULES)
            for column, (name, own) in enumerate(zip(SCORE_NAMES, scores))
            for k, item in enumerate(table.items)
        ]
        for k, (name, order) in enumerate(orders.items()):
            found += [
                Held(f"score.{name}.best-of-all-orders", order.cost, float(of_r["cheapest"][k]), RULES),
                Held(f"score.{name}.{'-'.join(order.ranking)}", order.cost, float(of_r["paid"][k]), RULES),
            ]
        return found

    said = "scores and costs by the rules of shared tasks"
    ask = partial(base.heuristics, counts, *places, backend=backend)
    return held_beside_r(TABLE_2, "rules-that-rank", RULES, said, backend, ask, held)


def _mode(table: Comparisons, backend: Backend) -> list[Agreement]:
    def held(of_r: BaseR) -> list[Held]:
        own = map_irt_gaussian(table)
        found = [Held("log_posterior.irt-gaussian-mode", -own.objective, -float(of_r["objective"]), OPTIM)]
        for item, mode, sd, r_mode, r_sd in zip(table.items, own.mode, own.sd, of_r["mode"], of_r["sd"]):
            found += [
                Held(f"estimate.irt-gaussian-mode.{item}", float(mode), float(r_mode), OPTIM, float(sd)),
                Held(f"se.irt-gaussian-mode.{item}", float(sd), float(r_sd), OPTIM),
            ]
        return found

    said = "mode and Laplace standard deviations of IRT-Gaussian, fresh items"
    ask = partial(base.irt_gaussian_mode, preference_counts(table), backend=backend)
    return held_beside_r(TABLE_2, "irt-gaussian-mode", OPTIM, said, backend, ask, held)


HERE = Place(
    PAPER, "samplers", "section 7: the item-response models, beyond the paper compared with JAGS and MCMCpack"
)
#: Native chains and draws of each: a difference of a fifth of a posterior standard deviation is then seen.
CHAINS, DRAWS, SEED = 4, 2000, 1
#: Pairs of systems whose preferences the categorical model is asked for.
PAIRS = ((0, 1), (0, 2), (1, 3), (3, 4))
#: The model that MCMCpack samples: 2 (sa^2 + so^2) = 1, no ties.
WITHOUT_TIES = GaussianModel(sd_ability=1.0, sd_quality=0.5, sd_noise=0.5, radius=0.0)


@dataclass(frozen=True)
class Case:
    """A table, what an item is, and how long R samples it."""

    name: str
    table: Comparisons
    items: Items
    chains: jags.Chains


def cases(table_2: Comparisons) -> tuple[Case, ...]:
    """The paper's example with shared and with fresh items, and a simulated table with shared ones."""
    long = jags.Chains(chains=3, warmup=500, draws=2000, thin=10)
    # JAGS walks over every item of every comparison: 160 comparisons cost what 16 times the iterations on 10
    # do.
    brief = jags.Chains(chains=3, warmup=300, draws=1500, thin=3)
    return (
        Case("Table-2-shared", of_one_segment(table_2), "shared", long),
        Case("Table-2-fresh", table_2, "fresh", long),
        Case("simulated-shared", simulated(7, 160, 5, 25), "shared", brief),
    )


def sampled_rows(table_2: Comparisons, backend: Backend) -> list[Agreement]:
    """Rows of IRT-Gaussian and IRT-Categorical for each case, and of the special case without ties."""
    found: list[Agreement] = []
    for case in cases(table_2):
        found += _gaussian(case, backend) + _categorical(case, backend)
    return found + _without_ties(backend)


# -- the models ----------------------------------------------------------------------------------------------


#: Length of native's chains, and their seed.
_OWN: Mapping[str, Any] = {"chains": CHAINS, "draws": DRAWS, "seed": SEED, "warn": False}


def _gaussian(case: Case, backend: Backend) -> list[Agreement]:
    name = f"irt-gaussian.{case.name}"

    def ask() -> jags.Sampled:
        return jags.irt_gaussian(compared(case.table, case.items), chains=case.chains, backend=backend)[0]

    def rows(answer: Answer[jags.Sampled]) -> list[Agreement]:
        return _abilities(name, fit_irt_gaussian(case.table, items=case.items, **_OWN), answer.value)

    r_call, said = "rjags::coda.samples, irt-gaussian", "posterior abilities against those of JAGS"
    return rows_beside_r(HERE, {name: None}, r_call, said, backend, ask, rows)


def _categorical(case: Case, backend: Backend) -> list[Agreement]:
    name = f"irt-categorical.{case.name}"

    def ask() -> Sequence[jags.Sampled]:
        table = compared(case.table, case.items)
        return jags.irt_categorical(table, PAIRS, chains=case.chains, backend=backend)

    def rows(answer: Answer[Sequence[jags.Sampled]]) -> list[Agreement]:
        own = fit_irt_categorical(case.table, items=case.items, **_OWN)
        draws = preference_draws(own)
        pairs = [f"{own.items[a]}, {own.items[b]}" for a, b in PAIRS]
        names = [f"P({outcome} | {pair})" for outcome in ("tie", "first", "second") for pair in pairs]
        means, errors = (np.concatenate([getattr(s, of) for s in answer.value]) for of in ("mean", "mcse"))
        agreement = agree_sampled(names, draws.mean(axis=(0, 1)), convergence(draws).mcse, means, errors)
        what = f"{len(names)} probabilities of {len(PAIRS)} pairs"
        return [sampled_row(HERE, f"{name}.preferences", agreement, answer.result, what)]

    def result(found: Sequence[jags.Sampled]) -> RResult:
        return found[0].result

    r_call, said = "rjags::coda.samples, irt-categorical", "preferences for new items against those of JAGS"
    return rows_beside_r(HERE, {name: None}, r_call, said, backend, ask, rows, result)


def _without_ties(backend: Backend) -> list[Agreement]:
    name = "irt-gaussian.simulated-without-ties"
    table = simulated(8, 80, 4, 60, ties=False)
    single = judgments(table)
    system = np.array(table.items)
    first, second = system[single.first], system[single.second]
    choice = np.where(single.outcome == 1, first, second)

    def ask() -> jags.Sampled:
        pairs = (first.tolist(), second.tolist(), choice.tolist())
        return jags.pair_compare(*pairs, table.items, chains=jags.Chains(3, 500, 3000, 2), backend=backend)

    def rows(answer: Answer[jags.Sampled]) -> list[Agreement]:
        own = fit_irt_gaussian(table, model=WITHOUT_TIES, items="fresh", **_OWN)
        return _abilities(name, own, answer.value)

    r_call, said = "MCMCpack::MCMCpaircompare", "posterior abilities against those of MCMCpack"
    return rows_beside_r(HERE, {name: None}, r_call, said, backend, ask, rows)


def _abilities(name: str, own: Posterior, of_r: jags.Sampled) -> list[Agreement]:
    """Two rows: means and standard deviations of centred abilities."""
    n = len(own.items)
    means = agree_sampled(own.items, own.mean, own.diagnostics.mcse, of_r.mean, of_r.mcse)
    share = float(np.max(means.visible / own.sd))
    errors, of_r_errors = own.sd * np.sqrt(0.5 / own.diagnostics.ess), of_r.sd * np.sqrt(0.5 / of_r.ess)
    spreads = agree_sampled(own.items, own.sd, errors, of_r.sd, of_r_errors)
    what, seen = f"of {n} abilities", f"at most {share:.2f} posterior sd"
    return [
        sampled_row(HERE, f"{name}.means", means, of_r.result, f"posterior means {what}", seen),
        sampled_row(HERE, f"{name}.sds", spreads, of_r.result, f"posterior standard deviations {what}"),
    ]


def preference_draws(own: CategoricalFit) -> FloatArray:
    """float[chains, draws, 3 len(PAIRS)]: Q(outcome | pair); outcomes tie, first, second, pairs within."""
    theta, kernel = own.theta, own.model.likelihood
    cases = [(kernel[p], theta[:, :, a], theta[:, :, b]) for p in range(3) for a, b in PAIRS]
    return np.stack([np.einsum("cdl,lm,cdm->cd", a, p, b) for p, a, b in cases], axis=-1)


# -- the tables ----------------------------------------------------------------------------------------------


def compared(table: Comparisons, items: Items) -> jags.Compared:
    """A table's judgments as R takes them, with native's rule of what an item is."""
    single = judgments(table)
    n = len(single)
    if items == "fresh":
        author = np.concatenate([single.first, single.second])
        return jags.Compared(len(table.items), author, np.arange(n), n + np.arange(n), single.outcome)
    author, _, item = item_codes(table, single.first, single.second, single.row)
    return jags.Compared(len(table.items), author, item[:n], item[n:], single.outcome)


def of_one_segment(table: Comparisons) -> Comparisons:
    """The table with a column `source` of one value: a system has one output, seen several times."""
    source = Factor(np.zeros(table.n_rows, np.int64), ("one",))
    return replace(table, columns={"source": source})


def simulated(seed: int, n: int, n_systems: int, n_segments: int, ties: bool = True) -> Comparisons:
    """Systems with standard normal abilities, a judge with noise 1.58 and radius 0.4 (0 without ties)."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n_systems)
    first = rng.integers(0, n_systems, n)
    second = (first + rng.integers(1, n_systems, n)) % n_systems
    gap = ability[first] - ability[second] + 1.58 * rng.normal(size=n)
    radius = 0.4 if ties else 0.0
    won, lost = gap > radius, gap < -radius
    segment = rng.integers(0, n_segments, n)
    labels = tuple(dict.fromkeys(map(str, segment.tolist())))
    codes = np.array([labels.index(str(s)) for s in segment.tolist()])
    tied = (~won & ~lost).astype(np.float64) if ties else None
    counts = (won.astype(np.float64), tied, lost.astype(np.float64))
    columns, said = {"source": Factor(codes, labels)}, f"{n} simulated comparisons, seed {seed}"
    items = [f"s{k}" for k in range(n_systems)]
    return Comparisons.build(items, first, second, *counts, columns=columns, source=said)
