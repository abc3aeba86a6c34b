"""The 50-digit files of tests/certified: what their code makes, proved from the definition, closed form and
print.

Nothing of pairproof takes part here; how pairproof compares with these values is tested elsewhere.
"""

from __future__ import annotations

import ast
import copy
import json
import sys
from pathlib import Path

import pytest

mpmath = pytest.importorskip("mpmath", reason="the certified values are made and read with mpmath")

from mpmath import mp, mpf  # noqa: E402

from tests.certified import (  # noqa: E402
    closed_forms,
    data_sets,
    definition,
    document,
    load,
    make_certified,
    models,
    printed,
)

HERE = Path(load.__file__).resolve().parent
IDS = [f"{data}--{model.slug()}" for data, wanted in models.CERTIFIED.items() for model in wanted]
DATA = {data["id"]: data for data in data_sets.all_data_sets()}
CLOSED = closed_forms.expected(DATA)

#: Made anew on every run (a second or less each); `make_certified.py` without options makes them all.
FAST = [
    "modpref-dras--llbt-rao-kupper",
    "dras-table1--llbt-davidson",
    "dras-table1--llbt-davidson-ref-sum",
    "dras-table1--llbt-davidson-by-judge",
    "dras-table1-covariates--llbt-rao-kupper-by-age",
    "dras-table1-zero-ties--bradley-terry-davidson",
    "baseball-1987--bradley-terry-none-order",
    "citations-origin-missing--bradley-terry-none-items-by-covariate",
    "cems-2001--llbt-half",
    "chain-1e6--bradley-terry-none",
    "one-upset-in-1e6--bradley-terry-none",
    "uneven-counts--bradley-terry-none",
    "order-and-neutral--bradley-terry-rao-kupper-order",
]


@pytest.fixture(scope="module")
def fits():
    """Every certified fit by id, numbers as mpf."""
    return {fit["id"]: fit for fit in load.load_all()}


def digits(found, expected):
    """Digits of agreement: relative, absolute where the truth is 0; 60 if equal."""
    with mp.workdps(80):
        return definition.matching_digits(found, expected, abs(expected))


def imported(path):
    """Top-level names a module imports from outside its own package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(
                "tests.certified"
                if str(node.module).startswith("tests.certified")
                else str(node.module).split(".")[0]
            )
    return names


def test_the_code_that_certifies_imports_only_the_standard_library_and_mpmath():
    paths = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("test_"))
    assert len(paths) > 10
    for path in paths:
        foreign = imported(path) - set(sys.stdlib_module_names) - {"mpmath", "tests.certified"}
        assert not foreign, f"{path.name} imports {sorted(foreign)}"


def test_there_is_one_file_for_each_model_and_no_other():
    assert sorted(path.stem for path in (HERE / "fits").glob("*.json")) == sorted(IDS)
    assert sorted(path.stem for path in (HERE / "data").glob("*.json")) == sorted(DATA)
    assert len(IDS) == len(set(IDS)) and len(DATA) >= 12


def test_every_data_file_is_what_the_code_makes_and_every_fit_carries_it(fits):
    for name, data in DATA.items():
        assert (HERE / "data" / f"{name}.json").read_text("utf-8") == make_certified.layout(data)
        assert load.load_data(name) == data
    for name, fit in fits.items():
        data = DATA[name.split("--")[0]]
        assert fit["data"] == data["rows"] and fit["items"] == data["items"], name
        assert fit["model"]["tie_category"] == data["tie_category"], name


@pytest.mark.parametrize("name", FAST)
def test_the_file_comes_out_again_to_the_last_digit_at_another_working_precision(name):
    data_id = name.split("--")[0]
    (model,) = [m for m in models.CERTIFIED[data_id] if f"{data_id}--{m.slug()}" == name]
    with mp.workdps(115):  # the files were made at 100
        made = make_certified.layout(document.certify(DATA[data_id], model))
    assert made == (HERE / "fits" / f"{name}.json").read_text("utf-8")


@pytest.mark.nightly
@pytest.mark.parametrize("name", IDS)
def test_the_printed_parameters_are_a_maximum_by_the_definition_of_the_probabilities(name):
    definition.verify(load.load(name, as_text=True), second_derivatives=False)


@pytest.mark.parametrize(
    "name", [name for name in FAST if name != "order-and-neutral--bradley-terry-rao-kupper-order"]
)
@pytest.mark.nightly
def test_the_printed_covariance_inverts_the_numerical_second_derivatives(name):
    definition.verify(load.load(name, as_text=True))


def spoilt(fit, *path):
    """The document with one unit added in the 40th significant digit of the number at `path` (1 to an
    integer).
    """
    fit = copy.deepcopy(fit)
    node = fit
    for key in path[:-1]:
        node = node[key]
    value = node[path[-1]]
    with mp.workdps(60):
        node[path[-1]] = value + 1 if isinstance(value, int) else mp.nstr(mpf(value) * (1 + mpf("1e-39")), 50)
    return fit


@pytest.mark.parametrize(
    ("path", "caught_by"),
    [
        (("params", "A"), "maximum"),
        (("params", "tie"), "maximum"),
        (("cov_params", "rows", 0, 1), "covariance"),
        (("llf",), "llf"),
        (("deviance",), "deviance"),
        (("df_resid",), "df"),
    ],
)
def test_the_proof_fails_when_one_printed_digit_is_wrong(path, caught_by):
    fit = load.load("dras-table1--llbt-davidson", as_text=True)
    with pytest.raises(ArithmeticError, match=f"'{caught_by}'"):
        definition.verify(spoilt(fit, *path))


@pytest.mark.parametrize("name", sorted(CLOSED))
def test_closed_forms_give_the_same_49_digits(name, fits):
    fit = fits[name]
    with mp.workdps(80):
        again = closed_forms.expected(DATA)[name]
        for path, value in again.items():
            if path.startswith("cov."):
                names = fit["cov_params"]["names"]
                row, column = (names.index(part) for part in path.split(".")[1:])
                found = fit["cov_params"]["rows"][row][column]
            else:
                found = printed.lookup(fit, path)
            assert digits(found, value) >= 49, f"{path}: {mp.nstr(found, 50)} against {mp.nstr(value, 50)}"


@pytest.mark.parametrize("check", printed.all_checks(), ids=lambda c: f"{c.fit}-{c.quantity}-{c.printed}")
def test_the_value_prints_as_it_was_printed(check, fits):
    value = printed.value_of(check, fits)
    assert printed.prints_as(value, check.printed), f"printed {check.printed}, certified {mp.nstr(value, 15)}"


@pytest.mark.parametrize(
    "check", printed.known_not_to_agree(), ids=lambda c: f"{c.fit}-{c.quantity}-{c.printed}"
)
def test_a_printed_number_known_to_be_off_does_not_come_out(check, fits):
    assert not printed.prints_as(printed.value_of(check, fits), check.printed)


def test_rounding_to_a_print_is_decimal_and_takes_either_way_at_a_half():
    half = mpf(2.625)  # exact in binary
    assert printed.prints_as(half, "2.62") and printed.prints_as(half, "2.63")
    assert printed.prints_as(mpf("0.1901"), "0.190") and not printed.prints_as(mpf("0.1906"), "0.190")
    assert printed.prints_as(mpf("2.4712e-15"), "2.47e-15") and not printed.prints_as(
        mpf("2.476e-15"), "2.47e-15"
    )
    assert not printed.prints_as(mpf("0.27785001"), "0.2778")


def test_with_ties_by_judge_the_judge_model_is_one_fit_a_judge(fits):
    whole = fits["dras-table1--llbt-davidson-by-judge-tie-judge"]
    table = DATA["dras-table1"]
    names = whole["cov_params"]["names"]
    deviance = llf = mpf(0)
    with mp.workdps(100):
        for judge in (1, 2, 3, 4):
            rows = [row for row in table["rows"] if row["judge"] == judge]
            one = document.certify({**table, "rows": rows}, models.Model("llbt", "davidson"))
            deviance, llf = deviance + mpf(one["deviance"]), llf + mpf(one["llf"])
            for name in ("A", "B", "C", "tie"):
                effect = f"{name}:judge[{judge}]"
                change = whole["params"][effect] if judge > 1 else mpf(0)
                assert digits(whole["params"][name] + change, mpf(one["params"][name])) >= 48, effect
                chosen = [names.index(name)] + ([names.index(effect)] if judge > 1 else [])
                variance = mp.fsum(whole["cov_params"]["rows"][a][b] for a in chosen for b in chosen)
                assert digits(mp.sqrt(variance), mpf(one["bse"][name])) >= 48, effect
        assert digits(whole["deviance"], deviance) >= 48 and digits(whole["llf"], llf) >= 48


def test_fitted_win_totals_are_the_observed_ones(fits):
    """The score equations of every log-linear model with free abilities: wins + ties/2, item by item."""
    checked = 0
    for name, fit in fits.items():
        if fit["model"]["item_covariates"] or fit["model"]["ties"] == "rao-kupper":
            continue
        with mp.workdps(80):
            for item in fit["items"]:
                observed, fitted = mpf(0), mpf(0)
                for cell in fit["cells"]:
                    if item not in (cell["first"], cell["second"]):
                        continue
                    side = "win" if item == cell["first"] else "loss"
                    n = cell["wins"] + cell["losses"] + cell.get("ties", 0)
                    observed += cell["wins" if side == "win" else "losses"] + cell.get("ties", mpf(0)) / 2
                    fitted += n * (cell[f"p_{side}"] + cell.get("p_tie", mpf(0)) / 2)
                assert digits(fitted, observed) >= 48, f"{name}: {item}"
                checked += 1
    assert checked > 300


def test_worths_sum_to_one_and_follow_from_the_parameters(fits):
    for name, fit in fits.items():
        with mp.workdps(80):
            for group, worth in fit["worth"].items():
                assert digits(mp.fsum(worth.values()), mpf(1)) >= 49, f"{name}: {group}"
                column = (fit["model"]["by"] or "").split(" + ")[0]
                row = next(r for r in fit["data"] if group in ("all", f"{column}={r.get(column)}"))
                raw = {item: definition.worth_of(fit, fit["params"], item, row) for item in worth}
                total = mp.fsum(raw.values())
                for item in worth:
                    # worths of 1e-24 have the absolute digits of their logarithm
                    assert digits(raw[item] / total, worth[item]) >= 47, f"{name}: {group} {item}"


def test_log_odds_are_twice_lambda_with_the_tie_and_order_parameters_unchanged(fits):
    pairs = [
        ("cems-2001--llbt-davidson", "cems-2001--bradley-terry-davidson-ref-stockholm"),
        ("dras-table1--llbt-rao-kupper", "dras-table1--bradley-terry-rao-kupper-ref-d"),
    ]
    for small, large in pairs:
        lam, odds = fits[small], fits[large]
        for table in ("params", "bse"):
            with mp.workdps(80):
                for name, value in lam[table].items():
                    factor = 1 if name == "tie" else 2
                    assert digits(factor * value, odds[table][name]) >= 48, f"{large}: {table} {name}"
    lam, odds = fits["baseball-1987--llbt-none-order"], fits["baseball-1987--bradley-terry-none-order"]
    assert lam["params"]["order"] == odds["params"]["order"] and lam["bse"]["order"] == odds["bse"]["order"]


def contrast_variances(fit):
    """var(log worth_i - log worth_j) of a model without covariates, from the printed covariance."""
    names, rows = fit["cov_params"]["names"], fit["cov_params"]["rows"]
    scale = 4 if fit["model"]["scale"] == "lambda" else 1

    def covariance(i, j):
        known = {i, j} <= set(names)  # the reference item has no entry
        return scale * rows[names.index(i)][names.index(j)] if known else mpf(0)

    return {
        frozenset((i, j)): covariance(i, i) + covariance(j, j) - 2 * covariance(i, j)
        for i in fit["items"]
        for j in fit["items"]
        if i < j
    }


def without_covariates(fits):
    wanted = [f for f in fits.values() if not f["model"]["by"] and not f["model"]["item_covariates"]]
    return [fit for fit in wanted if len(fit["items"]) > 2]


def test_quasi_variances_are_where_their_criterion_is_flat(fits):
    """sum over j of log((q_i + q_j) / v_ij) / (q_i + q_j) = 0, each term times q_i so that it has no unit."""
    tried = without_covariates(fits)
    assert len(tried) > 50
    for fit in tried:
        with mp.workdps(80):
            q, v = fit["quasi_variances"]["all"], contrast_variances(fit)
            for i in q:
                terms = [
                    mp.log((q[i] + q[j]) / v[frozenset((i, j))]) * q[i] / (q[i] + q[j]) for j in q if j != i
                ]
                assert abs(mp.fsum(terms)) < mpf("1e-46"), f"{fit['id']}: {i}"


def test_quasi_variances_of_three_items_are_the_exact_solution(fits):
    tried = [fit for fit in without_covariates(fits) if len(fit["items"]) == 3]
    assert len(tried) >= 7
    for fit in tried:
        with mp.workdps(80):
            v = contrast_variances(fit)
            a, b, c = fit["items"]
            for one, two, three in ((a, b, c), (b, c, a), (c, a, b)):
                exact = (
                    v[frozenset((one, two))] + v[frozenset((one, three))] - v[frozenset((two, three))]
                ) / 2
                assert digits(fit["quasi_variances"]["all"][one], exact) >= 47, f"{fit['id']}: {one}"


def test_a_tie_category_nobody_used_leaves_the_items_as_without_it(fits):
    zero, drop = fits["dras-table1-zero-ties--llbt-davidson"], fits["dras-table1--llbt-drop"]
    assert zero["not_estimable"] == ["tie"] and "tie" not in zero["params"]
    assert (
        zero["params"] == drop["params"]
        and zero["llf"] == drop["llf"]
        and zero["deviance"] == drop["deviance"]
    )
    assert (zero["df_resid"], drop["df_resid"]) == (8, 3)


def test_every_number_carries_fifty_digits_or_ends_exactly():
    short = 0
    for name in IDS:
        fit = load.load(name, as_text=True)
        for key, value in fit["params"].items():
            mantissa = value.lstrip("-").split("e")[0].replace(".", "").strip("0")
            assert len(mantissa) <= 50, f"{name}: {key}"
            short += len(mantissa) < 46 and value != "0.0"
    # a trailing zero is not written, so 1 in 10 texts has 49; nobody has fewer than 46 by chance in a set
    # this small
    assert short == 0


def test_load_gives_numbers_that_keep_their_digits_whatever_the_precision_in_use():
    with mp.workdps(15):
        value = load.load("modpref-dras--llbt-davidson")["params"]["o1"]
    with mp.workdps(60):
        assert digits(value, mp.log(mpf(61) / 35) / 2) >= 49


def test_asking_for_a_fit_that_is_not_there_names_those_of_the_data_set():
    with pytest.raises(FileNotFoundError, match="wikipedia--bradley-terry-none-ref-sum"):
        load.load("wikipedia--llbt-davidson")


def test_the_command_says_what_differs_and_exits_with_1(tmp_path, monkeypatch, capsys):
    for folder in ("data", "fits"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(make_certified, "HERE", tmp_path)
    assert make_certified.main(["wikipedia"]) == 1
    assert "fits/wikipedia--bradley-terry-none.json" in capsys.readouterr().out
    assert make_certified.main(["wikipedia", "--write"]) == 0
    assert make_certified.main(["wikipedia"]) == 0
    assert make_certified.main(["no-such-set"]) == 1
    written = json.loads((tmp_path / "fits" / "wikipedia--bradley-terry-none.json").read_text("utf-8"))
    assert written == load.load("wikipedia--bradley-terry-none", as_text=True)


def test_the_readme_shows_the_checks_as_they_come_out_now():
    readme = (HERE / "README.md").read_text("utf-8")
    assert printed.readme_with_checks(readme) == readme
    assert f"{len(DATA)} data sets and {len(IDS)} fits" in readme
    for name in DATA:
        assert f"`{name}`" in readme, f"{name} is not described in README.md"
