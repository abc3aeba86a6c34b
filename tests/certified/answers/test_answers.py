"""The 50-digit files of whole answers: what their code makes, proved from the definition, other models and
print.

Nothing of pairproof takes part here; tests/native/answers/test_certified.py holds native against these
values.
"""

from __future__ import annotations

import copy
import csv
import hashlib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mpmath", reason="the certified values are made and read with mpmath")

from mpmath import mp, mpf  # noqa: E402

from tests.certified import document as of_pairs, models as pair_models, printed as of_print  # noqa: E402
from tests.certified.answers import load, make_answers, printed, proof  # noqa: E402
from tests.certified.answers.alternatives import pairs  # noqa: E402
from tests.certified.answers.data_sets import DATA_SETS, OWN_SETS, R_SETS  # noqa: E402
from tests.certified.answers.document import certify  # noqa: E402
from tests.certified.answers.models import CERTIFIED  # noqa: E402
from tests.certified.definition import matching_digits  # noqa: E402
from tests.certified.test_files import imported  # noqa: E402

HERE = Path(load.__file__).resolve().parent
OWN = [data.id for data in OWN_SETS]
#: A machine without R, or whose prefmod has other tables, cannot read these: the marker says so.
IN_R = [pytest.param(data.id, marks=pytest.mark.r("prefmod")) for data in R_SETS]
FITS = {f"{data}--{model.slug()}": (data, model) for data, models in CERTIFIED.items() for model in models}
#: Half a second or less each, one of every kind of model.
FAST = [
    "salad--pattern",
    "salad-top-2--plackett-luce",
    "pudding--plackett-luce",
    "fruit--plackett-luce",
    "made-two-kinds--pattern-2-classes",
    "made-ratings--pattern",
    "made-ranks--pattern-by-region",
    "made-ranks--plackett-luce-by-region",
]


def fits_of(data: str) -> list[dict[str, Any]]:
    return [load.load(f"{data}--{model.slug()}", as_text=True) for model in CERTIFIED[data]]


def test_the_code_that_certifies_imports_only_the_standard_library_and_mpmath() -> None:
    import sys

    paths = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))
    assert len(paths) > 10
    for path in paths:
        foreign = imported(path) - set(sys.stdlib_module_names) - {"mpmath", "tests.certified"}
        assert not foreign, f"{path.name} imports {sorted(foreign)}"


def test_there_is_one_file_for_each_model_and_no_other() -> None:
    assert sorted(path.stem for path in (HERE / "fits").glob("*.json")) == sorted(FITS)
    assert sorted(path.stem for path in (HERE / "data").glob("*.json")) == sorted(DATA_SETS)


def test_there_are_six_data_sets_of_pattern_models_two_of_classes_and_three_of_rankings_without_any_r() -> (
    None
):
    def sets(family: str, classes: bool, of: list[str]) -> set[str]:
        return {d for d, m in FITS.values() if d in of and m.family == family and (m.classes > 1) == classes}

    everything = list(DATA_SETS)
    assert len(sets("pattern", False, OWN)) >= 6 and len(sets("pattern", False, everything)) >= 12
    assert len(sets("plackett-luce", False, OWN)) >= 6
    assert len(sets("pattern", True, OWN)) >= 1 and len(sets("pattern", True, everything)) >= 2


@pytest.mark.parametrize("name", [*OWN, *IN_R])
def test_a_data_file_is_what_the_code_reads_or_draws(name: str) -> None:
    text = make_answers.layout(DATA_SETS[name].document())
    assert (HERE / "data" / f"{name}.json").read_text("utf-8") == text


def test_what_may_not_be_copied_is_named_and_has_no_rows_in_the_repository() -> None:
    for data in R_SETS:
        stored = load.load_data(data.id)
        assert stored["rows"] is None and len(stored["sha256"]) == 64
        assert stored["in_place"].startswith("prefmod::")


@pytest.mark.parametrize("name", FAST)
@pytest.mark.nightly
def test_the_file_comes_out_again_to_the_last_digit_at_another_working_precision(name: str) -> None:
    data = DATA_SETS[FITS[name][0]]
    with mp.workdps(115):  # the files were made at 100
        made = make_answers.layout(certify(data.document(), data.rows(), FITS[name][1]))
    assert made == (HERE / "fits" / f"{name}.json").read_text("utf-8")


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*OWN, *IN_R])
def test_the_printed_parameters_are_a_maximum_by_the_definition_of_the_probabilities(name: str) -> None:
    rows = DATA_SETS[name].rows()
    for fit in fits_of(name):
        proof.verify(fit, rows, second_derivatives=False)


@pytest.mark.parametrize("name", [name for name in FAST if "ratings" not in name])
@pytest.mark.nightly
def test_the_printed_covariance_inverts_the_numerical_second_derivatives(name: str) -> None:
    proof.verify(load.load(name, as_text=True), DATA_SETS[FITS[name][0]].rows())


@pytest.mark.parametrize(
    ("path", "caught_by"),
    [
        (("params", "B"), "maximum"),
        (("cov_params", "rows", 0, 1), "covariance"),
        (("bse", "B"), "se"),
        (("llf",), "llf"),
        (("deviance",), "deviance"),
        (("df_resid",), "df"),
    ],
)
def test_the_proof_fails_when_one_printed_digit_is_wrong(path: tuple[Any, ...], caught_by: str) -> None:
    fit = copy.deepcopy(load.load("salad--plackett-luce", as_text=True))
    node = fit
    for key in path[:-1]:
        node = node[key]
    value = node[path[-1]]
    with mp.workdps(60):
        node[path[-1]] = value + 1 if isinstance(value, int) else mp.nstr(mpf(value) * (1 + mpf("1e-39")), 50)
    with pytest.raises(ArithmeticError, match=f"'{caught_by}'"):
        proof.verify(fit, DATA_SETS["salad"].rows())


# -- other models that are the same model ----------------------------------------------------------------


def assert_same(found: dict[str, Any], other: dict[str, Any], names: dict[str, str], factor: int = 1) -> None:
    """48 digits of estimates and standard errors; `names` of `found` to those of `other`."""
    with mp.workdps(80):
        for mine, theirs in names.items():
            scale = 1 if mine.startswith("tie") else factor
            for key in ("params", "bse"):
                value, expected = scale * mpf(found[key][mine]), mpf(other[key][theirs])
                assert matching_digits(value, expected, abs(expected)) >= 48, f"{key} {mine}"


def cut(rows: list[dict[str, Any]], items: tuple[str, ...]) -> dict[str, Any]:
    """Comparisons without ties as the pair models take them, who answered what forgotten."""
    table = []
    for c, (i, j) in enumerate(pairs(len(items))):
        said = [(row["answers"][c], row["weight"]) for row in rows]
        counts = {key: sum(w for y, w in said if y == sign) for key, sign in (("wins", 1), ("losses", -1))}
        table.append({"first": items[i], "second": items[j], **counts})
    return {"id": "cut", "what": "", "source": "", "items": list(items), "tie_category": False, "rows": table}


@pytest.mark.parametrize(
    "name",
    ["made-two-kinds", *(pytest.param(name, marks=pytest.mark.r("prefmod")) for name in ("dat4", "trdel"))],
)
def test_without_dependence_a_pattern_model_is_a_log_linear_bradley_terry_model(name: str) -> None:
    data = DATA_SETS[name]
    with mp.workdps(100):
        llbt = of_pairs.certify(cut(data.rows(), data.items), pair_models.Model("llbt", "none"))
    pattern = load.load(f"{name}--pattern", as_text=True)
    assert_same(pattern, llbt, {item: item for item in data.items[:-1]})
    with mp.workdps(80):
        assert matching_digits(mpf(pattern["llf"]), mpf(llbt["llf"]), abs(mpf(llbt["llf"]))) >= 48


def test_rankings_of_two_with_ties_are_davidsons_model() -> None:
    rows = DATA_SETS["pudding"].rows()
    table = []
    for at in range(0, len(rows), 3):
        one, two = (k for k, rank in enumerate(rows[at]["answers"]) if rank)
        wins, losses, ties = (rows[at + k]["weight"] for k in range(3))
        named = {"first": "123456"[one], "second": "123456"[two]}
        table.append({**named, "wins": wins, "ties": ties, "losses": losses})
    items = list("123456")
    data = {"id": "cut", "what": "", "source": "", "items": items, "tie_category": True, "rows": table}
    with mp.workdps(100):
        davidson = of_pairs.certify(data, pair_models.Model("bradley-terry", "davidson"))
    names = {**{item: item for item in items[1:]}, "tie2": "tie"}
    assert_same(load.load("pudding--plackett-luce", as_text=True), davidson, names)


def test_both_models_of_rankings_are_the_same_for_two_items() -> None:
    rows = [{"weight": 7, "answers": [1, 2]}, {"weight": 3, "answers": [2, 1]}]
    data = {"id": "two", "what": "", "source": "", "items": ["A", "B"], "layout": "ranks", "unranked": None}
    with mp.workdps(100):
        luce = certify(data, rows, next(m for m in CERTIFIED["salad"] if m.family == "plackett-luce"))
        pattern = certify(data, rows, CERTIFIED["salad"][0])
        assert matching_digits(mpf(luce["params"]["B"]), mp.log(mpf(3) / 7), mpf(1)) >= 49
        assert matching_digits(-2 * mpf(pattern["params"]["A"]), mp.log(mpf(3) / 7), mpf(1)) >= 49
        assert luce["llf"] == pattern["llf"]


# -- print and index -------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", printed.every_line(), ids=lambda c: f"{c.fit}-{c.quantity}-{c.printed}")
def test_a_value_prints_as_it_was_printed_unless_a_reason_says_why_not(check: of_print.Check) -> None:
    value = printed.value_of(check, load.load(check.fit))
    assert of_print.prints_as(value, check.printed) != bool(check.reason), mp.nstr(value, 18)


def test_the_index_is_made_from_the_files_as_they_are_with_their_hashes() -> None:
    text = (HERE / "index.csv").read_text("utf-8")
    assert (
        text == make_answers.index()
    ), "python -m tests.certified.answers.make_answers --write makes it anew"
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["fit"] for row in rows} == set(FITS) and len(rows) == len(FITS)
    for row in rows:
        for kind in ("data", "fit"):
            content = (HERE / row[f"{kind}_file"]).read_bytes()
            assert hashlib.sha256(content).hexdigest() == row[f"{kind}_sha256"]


def test_the_readme_describes_every_data_set() -> None:
    readme = (HERE.parent / "README.md").read_text("utf-8")
    assert [name for name in DATA_SETS if f"`{name}`" not in readme] == []
    assert f"{len(DATA_SETS)} data sets and {len(FITS)} fits of whole answers" in readme
