"""Idioms after a fit (idioms.R), run by R and migrated: quadratic forms, rows of a glm, columns as variables, lists."""

from __future__ import annotations

from textwrap import dedent

import pytest

import pairproof
from pairproof.migration.steps.python import by_rule, node
from pairproof.migration.steps.trees import NotTranslated, R, call_of, node_of
from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated, migrated_in

of_r = [pytest.mark.r("BradleyTerry2"), pytest.mark.xdist_group("migrated idioms")]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "idioms", __file__)


class TestRun:
    pytestmark = of_r

    def test_no_number_differs_and_nothing_is_left_to_r(self, migrated):
        found, _ = migrated
        assert found.exit_code == 0 and {a.verdict for a in found.agreements} == {"agrees"}
        assert [d.text for d in found.done if d.state == "comment" and "function(" not in d.text] == []

    def test_the_script_alone_prints_what_r_printed(self, migrated):
        found, home = migrated
        ran = python(home, "idioms.py", r="none")
        assert (ran.returncode, ran.stderr) == (0, "")
        # A table without labels has eight digits here, and columns of tables six; R has seven.
        shorter = ("-0.0998147", "-0.9308706", "-0.1996294", "-1.0306853", "10.454")
        assert share(found.captured.output, ran.stdout).missing == shorter

    @pytest.mark.parametrize(
        "line",
        [
            # A vector from the left of a product.
            "np.sqrt(k @ ",
            'pairproof.contest_residuals(g)["pearson"].to_numpy()',
            # R's confint of a glm profiles.
            'g.profile()[["profile_low", "profile_high"]]',
            # The variable of a loop names the fit.
            '{"g": g, "p": p}[n]',
            # A list of lists has its names.
            'both = dict(zip(["bt", "thurstone"], both))',
            # Of loops in loops the fits of this turn.
            "for v_3, l in parts if v_3 == v_2",
            "    for l in [key[1] for key in one if key[0] == v]:",
            # What a function prints that Map() calls, and what it gives.
            '    print(label, "has deviance", written(round(m[label].deviance, 3)))',
            # Statements of a function turn by turn, and before the expression that calls it twice.
            '    k_2["itemq"] = 1',
            'gap_1 = ab["q"] - ab["r"]',
            # New rows of a glm; the errors beside quasi variances.
            "np.sqrt((rows @ cov_by_hand * rows).sum(axis=1))",
            '.assign(SE=BTabilities_114.set_index("item")["se"])',
            "(worth[i] - worth[j])",
            # Bars of numbers are drawn into a figure of their own.
            'worth.to_frame().plot.bar(legend=False).figure.savefig(HERE / "plot_line_122.png")',
        ],
    )
    def test_an_idiom_is_written_so(self, line, migrated):
        assert line in (migrated[1] / "idioms.py").read_text()


#: Scripts of a few lines, and the numbers of R's that are not in Python: degrees of freedom of R's choices.
SHORT = {
    "PlackettLuce": (
        """
        library(PlackettLuce)
        ranks <- matrix(c(1, 2, 3, 2, 1, 3, 1, 3, 2, 1, 1, 2, 3, 2, 1, 2, 1, 2), ncol = 3, byrow = TRUE)
        m <- PlackettLuce(as.rankings(`colnames<-`(ranks, c("a", "b", "c"))))
        coef(m, log = FALSE)
        coef(m, ref = "b")
        sqrt(diag(vcov(m, ref = "b")))
        vcov(m, ref = 3)
        summary(m, ref = NULL)
        print(qvcalc(m))
        """,
        {"37"},
    ),
    "survival": (
        """
        library(survival)
        task <- rep(1:12, each = 2)
        tea <- factor(c("A", "B", "B", "C", "A", "C")[(seq_along(task) - 1) %% 6 + 1])
        price <- (task * 7 + seq_along(task)) %% 5
        chosen <- c(1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0)
        m1 <- clogit(chosen ~ tea + strata(task))
        m2 <- clogit(chosen ~ tea + price + strata(task))
        anova(m1, m2)
        1 - m2$loglik[2] / m2$loglik[1]
        """,
        set[str](),
    ),
}


@pytest.mark.parametrize("package", [pytest.param(p, marks=pytest.mark.r(p)) for p in SHORT])
def test_functions_of_a_package_are_those_of_the_fit(package, tmp_path):
    text, missing = SHORT[package]
    (tmp_path / "short.R").write_text(dedent(text), encoding="utf-8")
    found = pairproof.migrate(tmp_path / "short.R")
    assert found.exit_code == 0
    printed = python(tmp_path, "short.py", r="none").stdout
    assert {*share(found.captured.output, printed).missing} <= missing


def tree(function: str, *operands: object) -> list[object]:
    return ["call", ["sym", function], [["", part] for part in operands], f"{function}()"]


def parts(e: R) -> tuple[str, list[object]]:
    return e.function, [a.value for a in e.operands]


def test_a_pipe_is_the_call_that_it_makes() -> None:
    x, y, dot = ["sym", "x"], ["sym", "y"], ["sym", "."]
    assert parts(node_of(tree("%>%", x, tree("f", y)))) == ("f", ["x", "y"])
    assert parts(node_of(tree("%>%", x, tree("f", y, dot)))) == ("f", ["y", "x"])
    assert parts(node_of(tree("%>%", x, ["sym", "f"]))) == ("f", ["x"])
    # A dot within another call, and a block, are what only magrittr reads.
    assert node_of(tree("%>%", x, tree("f", tree("g", dot)))).function == "%>%"
    assert node_of(tree("%>%", x, tree("{", tree("g", dot)))).function == "%>%"
    assert parts(call_of("f", R("sym", "x"))) == ("f", ["x"])


def test_a_rule_may_go_by_the_kind_of_another_argument() -> None:
    values = {"^q": "^q", "Q": "Q"}

    def value(e: object) -> object:
        return values.get(getattr(e, "value", None), ["q1"])

    listed = by_rule("sub", [("", node("^q")), ("", node("Q")), ("", node(["q1"]))], value)
    assert type(listed).__name__ == "ListComp"
    with pytest.raises(NotTranslated, match="is not supported"):
        by_rule("sub", [("", node("^q")), ("", node("Q"))], value)
