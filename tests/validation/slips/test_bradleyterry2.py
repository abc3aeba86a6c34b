"""BradleyTerry2's slips are offered where BTm has the model, and give R's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.bridge.packages.asking import ask
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.validation.slips.catalogue import first_named_wins, slips_for, twice
from pairproof.validation.slips.search import search
from pairproof.validation.slips.variants import rows_of
from tests.validation.slips.planted import bradley_terry, citations, dras, llbt, printed, target


def offered(fit: Fit) -> set[str]:
    claim = target(fit, printed(fit, [f"estimate.{fit.items[1]}"]))
    return {s.name for s in slips_for(claim.situation()) if "BradleyTerry2" in s.sentence}


def test_they_are_offered_where_btm_has_the_model() -> None:
    assert offered(bradley_terry(citations())) == {"counted-twice"}
    both = {"counted-twice", "bradleyterry2-ties-as-wins"}
    assert offered(bradley_terry(dras(), ties="drop")) == offered(bradley_terry(dras(), ties="half")) == both
    assert offered(bradley_terry(dras())) == offered(llbt(dras())) == set()


def test_a_tie_goes_to_whoever_was_named_first() -> None:
    table = Comparisons.build("ABC", [0, 1, 2], [1, 0, 0], [5, 4, 3], [2, 1, 4], [3, 6, 2])
    rows = rows_of(bradley_terry(table, ties="drop"))[0]
    # A:B named (A, B) 5 2 3 and (B, A) 4 1 6; A:C named (C, A) 3 4 2.
    found = {(int(p), int(s)): y.tolist() for p, s, y in zip(rows.pair, rows.sign, first_named_wins(rows).y)}
    assert found == {(0, 1): [7.0, 0.0, 3.0], (0, -1): [6.0, 0.0, 5.0], (1, -1): [2.0, 0.0, 7.0]}
    assert float(twice(rows).counts.sum()) == 2 * float(rows.counts.sum())


def test_a_table_on_rows_is_doubled_too() -> None:
    """Two rows a pair, deviance by row: the doubled table has 12 rows for 6."""
    d = Comparisons.build(
        "ABC", [0, 0, 0, 0, 1, 1], [1, 1, 2, 2, 2, 2], [9, 5, 8, 6, 7, 2], None, [3, 6, 5, 6, 4, 8]
    )
    twice_over = Comparisons.build(
        "ABC", np.tile(d.first, 2), np.tile(d.second, 2), np.tile(d.wins, 2), None, np.tile(d.losses, 2)
    )
    names = ["estimate.B", "se.B", "se.C", "deviance", "df_resid", "null_deviance", "df_null"]
    numbers = printed(bradley_terry(twice_over, cells="row"), names)
    assert numbers["df_null"] == "12"
    (found,) = search([target(bradley_terry(d, cells="row"), numbers)]).found
    assert [e.names for e in found.explanations] == [("counted-twice",)]


@pytest.mark.r("BradleyTerry2")
def test_a_factor_of_three_levels_is_recognised_in_r_s_own_numbers() -> None:
    first, second = [0, 0, 1, 1, 2, 2, 0, 1], [1, 2, 0, 2, 0, 1, 2, 2]
    wins, ties, losses = [5, 4, 3, 6, 2, 1, 7, 4], [2, 3, 1, 2, 4, 3, 2, 1], [4, 3, 5, 2, 6, 5, 3, 4]
    code = """suppressMessages(library(BradleyTerry2))
    side <- function(k) factor(rep(rep(LETTERS[k + 1], 3), c(w, t, l)), levels = LETTERS[1:3])
    d <- data.frame(outcome = factor(rep(c("win", "tie", "loss"), c(sum(w), sum(t), sum(l))), levels = c("loss", "tie", "win")))
    d$one <- side(f); d$two <- side(s)
    m <- summary(BTm(outcome, one, two, data = d))$coefficients
    list(values = as.numeric(m[, 1:2]))"""
    args = {"f": first, "s": second, "w": wins, "t": ties, "l": losses}
    args = {k: [float(v) for v in values] for k, values in args.items()}
    values = ask("live", "three levels", code, args, ("BradleyTerry2",)).as_list().vector("values").floats()
    names = ["estimate.B", "estimate.C", "se.B", "se.C"]
    numbers = {n: f"{v:.4f}" for n, v in zip(names, values)}
    table = Comparisons.build("ABC", first, second, wins, ties, losses)
    (found,) = search([target(bradley_terry(table, ties="drop"), numbers)]).found
    assert [e.names for e in found.explanations] == [("bradleyterry2-ties-as-wins",)]
