"""GenDavidson whose players are levels of two factors together, run by R now."""

from __future__ import annotations

from pathlib import Path

import pytest

from pairproof.migration.translate.python_code import Call

SCRIPT = """library(BradleyTerry2)
library(gnm)
set.seed(4)
teams <- c("Ash", "Elm", "Oak", "Yew")
d <- expand.grid(home = teams, away = teams, year = c("one", "two"), round = 1:6)
d <- subset(d, home != away & !(home == "Yew" & year == "two") & !(away == "Yew" & year == "two"))
d$result <- sample(c(-1, 0, 1), nrow(d), TRUE, c(0.25, 0.3, 0.45))
tri <- expandCategorical(d, "result", idvar = "match")
tri$at.home <- TRUE
m <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home:year, away:year,
                             home.adv = ~ 1, tie.max = ~ 1, at.home1 = at.home, at.home2 = !at.home) - 1,
         eliminate = match, family = poisson, data = tri)
"""


@pytest.mark.r("gnm", "BradleyTerry2")
def test_teams_of_two_years_are_items_and_years_that_never_met_take_one_parameter_less(
    tmp_path: Path,
) -> None:
    from pairproof.bridge.capture.run import capture
    from pairproof.migration.delivery import Stage
    from pairproof.migration.migrate import steps_of

    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "years.R").write_text(SCRIPT, encoding="utf-8")
    steps = steps_of(capture(tmp_path / "run" / "years.R"), Stage(tmp_path).place)
    (step,) = [s for s in steps if s.call.function == "gnm::gnm"]
    assert step.state == "native" and isinstance(step.translation.code, Call)
    assert step.value.items[:2] == ("Ash_one", "Ash_two") and "Yew_two" in step.value.items
    rows = {str(r.quantity): r for r in step.rows}
    assert not [q for q, r in rows.items() if r.verdict == "differs"]
    # gnm stops at its tolerance of 1e-6; observed 10.1, 10.4, 16, 16 digits.
    for name, least in (("estimate.order", 6.0), ("estimate.tie", 6.0), ("llf", 12.0), ("aic", 12.0)):
        assert rows[name].verdict == "agrees" and (rows[name].digits or 0) >= least, rows[name]
    # Abilities of two years have no common reference, whatever R holds at 0.
    assert rows["estimate.Oak_two"].verdict == "not-estimable"
