"""Values as R has them (values.R), run by R and migrated: fits of a loop, recycling, texts in tables, NA."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairproof.bridge.values.nodes import RVector
from pairproof.migration.steps.compared import value_rows
from pairproof.migration.steps.trees import NotTranslated
from tests.migration.captures import Script
from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated, migrated_in

of_r = [pytest.mark.r("BradleyTerry2"), pytest.mark.r("prefmod"), pytest.mark.xdist_group("migrated values")]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    return migrated_in(tmp_path_factory, "values", __file__)


class TestRun:
    pytestmark = of_r

    def test_no_number_differs_and_what_r_computes_from_na_stays_out(self, migrated):
        found, _ = migrated
        assert found.exit_code == 0 and {a.verdict for a in found.agreements} == {"agrees"}
        lost = {d.text: d.why for d in found.done if d.state == "comment" and "function(" not in d.text}
        assert [*lost] == ["rowSums(P)", "summary(BTabilities(m))", "mean(b)"]
        assert lost["mean(b)"].endswith("R has NA for o4 in the vector, and Python does not")

    def test_the_script_alone_prints_what_r_printed(self, migrated):
        found, home = migrated
        ran = python(home, "values.py", r="none")
        assert (ran.returncode, ran.stderr) == (0, "")
        of = share(found.captured.output, ran.stdout)
        # The summary of the table of abilities stays with R.
        assert of.agree == 100 and of.missing == ("1.3701", "1.0026", "0.8536", "0.7693", "0.6204")

    @pytest.mark.parametrize(
        "line",
        [
            # The first fit leaves out p, the second s.
            "f.params[f.bse > 0]",
            # Names that differ are not needed for how many there are.
            '2 * len(f_3.params.drop("p"))',
            # R goes down the columns with a vector, and by place with a table.
            "show((P / P.sum(axis=1).to_numpy()[:, None]).round(3))",
            "show(P - P.iloc[np.asarray(range(4, 0, -1)) - 1].to_numpy())",
            # The third place of a loop is R's third coefficient.
            'b[["o1", "o2", "o3", "o4"][i - 1]]',
            'b = b.reindex(["o1", "o2", "o3", "o4"], fill_value=0)',
        ],
    )
    def test_a_value_means_what_it_means_in_r(self, line, migrated):
        assert line in (migrated[1] / "values.py").read_text()


def numbers(*values: float) -> RVector:
    return RVector(np.array(values), np.zeros(len(values), bool))


def texts(*values: str) -> RVector:
    return RVector(np.array(values, object), np.zeros(len(values), bool))


def verdicts(value: object, r: RVector, digits: float, size: float) -> list[str]:
    return [a.verdict for a in value_rows(Script().call(3, None), value, r, digits, size) or ()]


def test_two_counts_that_differ_are_no_rounding_and_a_column_is_held_to_its_own_size() -> None:
    assert verdicts(pd.Series([4, 8]), numbers(4, 7), 0.5, 0.0) == ["agrees", "differs"]
    table = pd.DataFrame({"n": [3000.0, 1.5], "b": [0.5, 0.25]})
    r = RVector(np.array([[3000.0, 0.5], [1.5, 0.251]]), np.zeros((2, 2), bool))
    assert verdicts(table, r, 4.0, 0.0) == ["agrees", "agrees", "agrees", "differs"]


def test_texts_are_one_up_to_blanks_and_the_digits_of_the_fits() -> None:
    assert verdicts(pd.Series(["a 0.52 (0.21)"]), texts("a  0.52 (0.21)"), 6.0, 0.0) == []
    assert verdicts(["x 0.29048710"], texts("x 0.2904871001"), 6.0, 0.0) == []
    for other in ("a 0.53", "b 0.52", "a"):
        with pytest.raises(NotTranslated, match="R has the text"):
            verdicts(pd.DataFrame({"t": ["a 0.52"]}), texts(other), 6.0, 0.0)
