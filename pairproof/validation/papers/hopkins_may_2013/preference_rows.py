"""Hopkins and May's baselines, the rules that rank, and the Gaussian model's mode, on the paper's Table 2,
against base R.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....bridge.oracles import competitions
from ....data.judgments import preference_counts
from ....native.experiment.baselines import adjusted_uniform, independent_pairs, independent_students
from ....native.irt.gaussian_collapsed import map_irt_gaussian
from ....native.ranking import shared_task_rules
from ....native.ranking.feedback_arc import minimum_feedback_arc_set, most_probable_ranking
from ..compared_with_r import Answer, Held, Place, digits_rows, rows_beside_r

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend
    from ....bridge.records.result import RResult
    from ....data.comparisons import Comparisons
    from ...verdicts.agreement import Agreement

FloatArray = NDArray[np.float64]

PAPER = "hopkins-may-2013"
#: Claim of the paper whose table this is.
TABLE_2 = Place(PAPER, "ten-comparisons", "Table 2")
BASELINES, RULES, OPTIM = "base R, baselines", "base R, heuristics", "stats::optim"
OUTCOMES = ("p_tie", "p_first", "p_second")


def preference_rows(table: Comparisons, backend: Backend) -> list[Agreement]:
    """Every probability of every baseline, scores and costs of the rules, mode and Laplace standard
    deviations.
    """
    return _baselines(table, backend) + _rules(table, backend) + _mode(table, backend)


def _baselines(table: Comparisons, backend: Backend) -> list[Agreement]:
    counts, n = preference_counts(table), len(table.items)
    first, second = np.array([(i, j) for i in range(n) for j in range(n) if i != j]).T

    def rows(answer: Answer[tuple[dict[str, FloatArray], RResult]]) -> list[Agreement]:
        held = (
            Held(
                f"{outcome}.{name.replace(', ', '-')}.{table.items[i]}.{table.items[j]}",
                float(p[i, j, k]),
                float(answer.value[0][name][row, k]),
                BASELINES,
            )
            for name, p in own_baselines(counts).items()
            for row, (i, j) in enumerate(zip(first, second))
            for k, outcome in enumerate(OUTCOMES)
        )
        return digits_rows(TABLE_2, held, answer.result)

    said = f"probabilities of {len(first)} ordered pairs by every baseline"
    return rows_beside_r(
        TABLE_2,
        {"baselines": None},
        BASELINES,
        said,
        backend,
        lambda: competitions.baselines(counts, first, second, backend=backend),
        rows,
        _result_of,
    )


def _result_of(found: tuple[dict[str, FloatArray], RResult]) -> RResult:
    return found[1]


def own_baselines(counts: FloatArray) -> Mapping[str, FloatArray]:
    """float[n, n, 3] each, by the names of `competitions.BASELINE_NAMES`."""
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

    def rows(answer: Answer[competitions.RHeuristics]) -> list[Agreement]:
        of_r = answer.value
        held = [
            Held(f"score.{name}.{item}", float(own.values[k]), float(of_r.scores[k, column]), RULES)
            for column, (name, own) in enumerate(zip(competitions.SCORE_NAMES, scores))
            for k, item in enumerate(table.items)
        ]
        for k, (name, order) in enumerate(orders.items()):
            held += [
                Held(f"score.{name}.best-of-all-orders", order.cost, float(of_r.cheapest[k]), RULES),
                Held(f"score.{name}.{'-'.join(order.ranking)}", order.cost, float(of_r.paid[k]), RULES),
            ]
        return digits_rows(TABLE_2, held, answer.result)

    said = "scores and costs by the rules of shared tasks"
    ask = partial(competitions.heuristics, counts, *places, backend=backend)
    return rows_beside_r(TABLE_2, {"rules-that-rank": None}, RULES, said, backend, ask, rows)


def _mode(table: Comparisons, backend: Backend) -> list[Agreement]:
    def rows(answer: Answer[competitions.RMode]) -> list[Agreement]:
        own, of_r = map_irt_gaussian(table), answer.value
        held = [Held("log_posterior.irt-gaussian-mode", -own.objective, -of_r.objective, OPTIM)]
        for item, mode, sd, r_mode, r_sd in zip(table.items, own.mode, own.sd, of_r.mode, of_r.sd):
            held += [
                Held(f"estimate.irt-gaussian-mode.{item}", float(mode), float(r_mode), OPTIM, float(sd)),
                Held(f"se.irt-gaussian-mode.{item}", float(sd), float(r_sd), OPTIM),
            ]
        return digits_rows(TABLE_2, held, answer.result)

    said = "mode and Laplace standard deviations of IRT-Gaussian, fresh items"
    ask = partial(competitions.irt_gaussian_mode, preference_counts(table), backend=backend)
    return rows_beside_r(TABLE_2, {"irt-gaussian-mode": None}, OPTIM, said, backend, ask, rows)
