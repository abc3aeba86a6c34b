"""What BTm's arguments may not be, and that text of theirs is never run."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.bridge.packages import bradleyterry2 as bt
from pairproof.errors import FormulaError, InputError
from tests.bridge.packages.bradleyterry2.cases import data, model

TABLE = {"a": ["x", "y"], "b": ["y", "z"], "won": [1, 0]}
PLOT = ([True], None, [False], ["a"], ["b"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bt.BTm([3], [1], ["a"], ["b"]), "are BTm_counts's"),
        (lambda: bt.BTm("won", "a"), "needs player1 and player2"),
        (lambda: bt.BTm("won", "a", "b", contrasts={"a": "system"}), "contrasts are one of contr"),
        (lambda: bt.glmmPQL("y ~ x", [1.0, 2.0], data=TABLE), "a matrix of rows and effects"),
        (lambda: bt.glmmPQL_control(tol=0), "tol must be above 0"),
        (lambda: bt.predict(model("lizards 3.1"), level=2), "level is 0, 1 or both"),
        (lambda: bt.plotProportions(*PLOT, {"a": 0.0}), "'b'] have no ability"),
        (lambda: bt.plotProportions(*PLOT, {"a": 0.0, "b": 1.0}, at_home1=[True]), "belong together"),
        (lambda: bt.plotProportions([True, False], *PLOT[1:], {"a": 0.0, "b": 1.0}), "win has 2 contests"),
        (lambda: bt.GenDavidson(["a"], ["b"], [1], [1], [1], tie_max="x ~ 1"), "a one-sided formula"),
        (lambda: bt.GenDavidson(["a"], ["b"], [1], [1], [1], tie_max="~ s", data={"s": [1, 2]}), "and 1 values"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize("link", ["cloglog", "log"])
def test_links_that_btm_has_not_are_refused(link):
    with pytest.raises(ValueError, match="link is"):
        bt.BTm("won", "a", "b", link=link, data=TABLE)


@pytest.mark.parametrize(
    "text", ['system("touch trap")', "{x}", "x; y", "x$y", "base::q()", 'x[system("date")]', "x[1]", "f(x)"]
)
@pytest.mark.parametrize("argument", ["outcome", "player1", "weights", "subset", "offset", "formula"])
def test_text_of_an_argument_is_never_run(argument, text):
    given = {"outcome": "won", "player1": "a", "player2": "b", "data": data("baseball")}
    given[argument] = f"~ {text}" if argument == "formula" else text
    with pytest.raises(FormulaError, match="never executed as code"):
        bt.BTm(**given, backend="live")


def test_players_given_as_text_get_the_levels_of_both_sides():
    from pairproof.bridge.packages.bradleyterry2.btm import players_of

    one, two = players_of(["x", "y"], ["y", "z"], "..")
    assert one.node[2]["levels"][1] == two.node[2]["levels"][1] == ["x", "y", "z"]
    one, two = players_of({"team": ["x"], "at.home": 1}, {"team": ["y"], "at.home": 0}, "team")
    assert one["team"].node[2]["levels"][1] == ["x", "y"] and (one["at.home"], two["at.home"]) == (1.0, 0.0)
    assert isinstance(np.float64(one["at.home"]), float)
