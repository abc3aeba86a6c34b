"""All differences of systems together: p-values of t, Holm's and single-step ones beside multcomp's.

R starts from the means and covariance in the claims file, which are pairproof's to ten digits: an answer can only
be kept if its question is the same on every machine. Single-step p-values are integrals by random points on both
sides, judged by their errors.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ....bridge.packages import multcomp
from ....native.annotation.models.systems_together import contrasts_together
from ...claims.data import table_of
from ..compared_with_r import Answer, Held, Place, bounded_row, digits_rows, rows_beside_r
from .numbers import Scores, systems_fit

if TYPE_CHECKING:
    from ....bridge.packages.multcomp import ManyComparisons
    from ....bridge.process.policy import Backend
    from ....fit.many.result import Contrasts
    from ....native.annotation.models.systems_model import SystemsModel
    from ...check import Checker
    from ...verdicts.agreement import Agreement

PAPER, GLHT = "annotation", "multcomp::glht, means of systems"
#: Error of native's p-values in units of theirs: four standard errors of 1e5 points; of critical values.
OF_POINTS, OF_CRITICAL = 1e-3, 5e-3


def rows(checker: Checker, backend: Backend) -> list[Agreement]:
    """Six differences of four systems, with and without annotator:system."""
    found: list[Agreement] = []
    scores = Scores.of(table_of(checker.paper, "cases"))
    for way in ("with", "without"):
        model = systems_fit(scores, way)
        table = table_of(checker.paper, f"systems-{way}")
        names = tuple(str(name) for name in table["system"])
        mean = table["mean"].to_numpy(float)
        covariance = table[list(names)].to_numpy(float)
        own = contrasts_together(model, df="common")
        place = Place(PAPER, f"cases, systems-{way} together", f"6 differences, t on {model.df:g} df")

        held = partial(_held, model, own, place)
        pairs = multcomp.all_pairs(names)
        ask = partial(multcomp.glht, mean, covariance, pairs, int(model.df), backend=backend)
        what = {f"systems-{way}-together": None}
        found += rows_beside_r(place, what, GLHT, "6 differences of systems", backend, ask, held)
    return found


def _held(
    model: SystemsModel, own: Contrasts, place: Place, answer: Answer[ManyComparisons]
) -> list[Agreement]:
    r, held = answer.value, []
    names = [f"{c.first}-{c.second}" for c in model.contrasts]
    for k, c in enumerate(model.contrasts):
        held.append(Held(f"test_p.{names[k]}", c.p, float(r.separate[k]), GLHT))
        held.append(Held(f"test_p.holm.{names[k]}", c.p_holm, float(r.holm[k]), GLHT))
    made = digits_rows(place, held, answer.result)
    bound = r.error + OF_POINTS
    said = f"single-step, judged by the errors of both integrals (mvtnorm's own bound {r.error:.1g})"
    for k, name in enumerate(names):
        adjusted, of_r = float(own.adjusted[k]), float(r.single_step[k])
        row = (f"test_p.single-step.{name}", adjusted, of_r, bound, GLHT, answer.result, said)
        made.append(bounded_row(place, *row))
    said = "critical value of the largest of 6, judged by the errors of both integrals"
    critical = (own.critical, r.critical, OF_CRITICAL)
    return [*made, bounded_row(place, "test_statistic.critical", *critical, GLHT, answer.result, said)]
