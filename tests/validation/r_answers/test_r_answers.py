"""Every R function that has a model says what native says, on definitions brought together by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from pairproof.bridge.process.policy import Backend
from pairproof.bridge.programs.counted_cells import count
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import RError
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.r_answers.answerers import TOWARDS_INFINITY, counterparts
from pairproof.validation.r_answers.ask import Question, attempt
from pairproof.validation.r_answers.stopped_short import log_likelihood, score_check
from pairproof.validation.r_answers.translate import RParameters, moved, parameter_values, worth_values
from pairproof.validation.verdicts.against_r import compare_fit
from pairproof.validation.verdicts.agreement import RCounterpart
from tests.certified.load import load, load_all
from tests.native.comparisons.counts.certified_cases import native, table

CASES = {case["id"]: case for case in load_all()}
#: Counts of a million, where R itself has fewer digits than its floors ask for; they have a test of their
#: own.
EXTREME = ("chain-1e6", "round-robin-1e6", "one-upset-in-1e6", "uneven-counts")
ORDINARY = [name for name in CASES if not name.startswith(EXTREME)]
GLM, GNM, PC, LLBT = "stats::glm, refitted", "gnm::gnm(eliminate)", "prefmod::llbtPC.fit", "prefmod::llbt.fit"
BTM_DEFAULT = "BradleyTerry2::BTm, default epsilon"
BTM, BINOMIAL, GENDAVIDSON = (
    "BradleyTerry2::BTm, refitted",
    "stats::glm(binomial), refitted",
    "BradleyTerry2::GenDavidson, by gnm",
)
BTMODEL, POLR = "psychotools::btmodel", "MASS::polr"
live = pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools", "MASS")


def case_fit(name: str) -> Fit:
    return native(CASES[name])


@lru_cache(maxsize=None)
def live_answers(name: str) -> Sequence[RCounterpart]:
    """What a live R says of a case, asked once for all tests."""
    return counterparts(case_fit(name), "live")


#: For tests that share those answers: with `pytest --dist loadgroup` they go to one process.
shares_answers = pytest.mark.xdist_group("live answers")


def small(rows: list[tuple[str, str, int, int, int]], ties: bool = True) -> Comparisons:
    first, second, w, t, l = zip(*rows)
    return Comparisons.build(
        list("ABCD"),
        ["ABCD".index(x) for x in first],
        ["ABCD".index(x) for x in second],
        w,
        t if ties else None,
        l,
    )


SEPARATED = small(
    [
        ("A", "B", 10, 0, 0),
        ("A", "C", 9, 0, 0),
        ("A", "D", 7, 0, 0),
        ("B", "C", 6, 1, 4),
        ("B", "D", 5, 2, 5),
        ("C", "D", 3, 1, 6),
    ]
)
APART = small([("A", "B", 10, 2, 3), ("C", "D", 7, 1, 3)])
NO_TIES = small(
    [
        ("A", "B", 10, 0, 3),
        ("A", "C", 9, 0, 2),
        ("A", "D", 7, 0, 2),
        ("B", "C", 6, 0, 4),
        ("B", "D", 5, 0, 5),
        ("C", "D", 3, 0, 6),
    ]
)


# -- against R -----------------------------------------------------------------------------------------------


@pytest.mark.nightly
@shares_answers
@live
@pytest.mark.parametrize("name", ORDINARY)
def test_every_r_function_agrees_with_native_to_its_floor(name: str) -> None:
    """Observed fewest digits over all of them: glm and gnm 12.0 on estimates, 14 on standard errors; see
    floors.toml.
    """
    rows = compare_fit(case_fit(name), live_answers(name))
    assert sum(a.r is not None for a in rows) >= 4
    assert [
        (a.quantity, a.r_call, a.digits, a.explanation)
        for a in rows
        if not a.passes or a.verdict == "not-run"
    ] == []


#: Which functions answer which model, those that stop with a known error included.
ANSWERED = {
    "dras-table1--llbt-davidson": {GLM, GNM, PC, LLBT, GENDAVIDSON, BTMODEL},
    "dras-table1--llbt-none": {GLM, GNM, PC, LLBT},
    "dras-table1--llbt-drop": {GLM, GNM, PC, LLBT, BTM, BTMODEL},
    "dras-table1--llbt-half": {GLM, GNM, BTM},
    "dras-table1--llbt-rao-kupper": {POLR},
    "dras-table1--llbt-rao-kupper-by-judge": {POLR},
    "dras-table1--llbt-davidson-by-judge": {GLM, GNM, PC, LLBT},
    "dras-table1--llbt-drop-by-judge": {GLM, GNM, PC, LLBT, BINOMIAL},
    "dras-table1--llbt-davidson-by-judge-tie-judge": {GLM, GNM},
    "dras-table1--llbt-davidson-cells-judge": {GLM, GNM, PC, LLBT, GENDAVIDSON, BTMODEL},
    "dras-table1-covariates--llbt-davidson-by-age": {GLM, GNM, LLBT},
    "modpref-dras--llbt-davidson": {GLM, GNM, PC, LLBT, GENDAVIDSON, BTMODEL},
    "baseball-1987--bradley-terry-none-order": {GLM, GNM, BTM},
    "order-and-neutral--llbt-davidson-order": {GLM, GNM, GENDAVIDSON},
    "order-and-neutral--bradley-terry-rao-kupper-order": {POLR},
    "citations-origin-missing--bradley-terry-none-items-by-covariate": {GLM, GNM, BINOMIAL, BTM, BTM_DEFAULT},
}


@shares_answers
@live
@pytest.mark.parametrize("name", ANSWERED)
def test_the_functions_that_have_a_model_are_asked_and_no_other(name: str) -> None:
    assert {c.r_call for c in live_answers(name)} == ANSWERED[name]


@pytest.mark.nightly
@shares_answers
@live
def test_on_the_dras_models_r_has_the_digits_that_were_asked_for() -> None:
    """Estimates >= 9, deviance >= 11, standard errors >= 9 against glm refitted; observed 12.9, 13.0 and
    14.6.
    """
    least = {"estimate": 9, "se": 9, "deviance": 11}
    for name in CASES:
        if (
            name.startswith(("dras-table1--", "dras-table1-prefmod-order--", "modpref", "collins"))
            and "rao-kupper" not in name
        ):
            fit = case_fit(name)
            glm = next(c for c in live_answers(name) if c.r_call == GLM)
            for a in compare_fit(fit, [glm]):
                assert a.digits is None or a.digits >= least.get(a.quantity.partition(".")[0], 0), (name, a)


@pytest.mark.nightly
@live
@pytest.mark.parametrize("ties", ["davidson", "none", "drop", "half", "rao-kupper"])
def test_items_in_another_order_than_the_alphabets_are_matched_by_name(ties: str) -> None:
    """gnm sorts the players of GenDavidson, whatever the order of their levels."""
    data = case_fit("dras-table1--llbt-davidson").data.with_items(["C", "A", "D", "B"])
    for fit in (fit_llbt(data, ties=ties), fit_bradley_terry(data, ties=ties, reference="D")):  # type: ignore[arg-type]
        rows = compare_fit(fit, counterparts(fit, "live"))
        assert [
            (a.quantity, a.r_call, a.digits) for a in rows if not a.passes or a.verdict == "not-run"
        ] == []


@shares_answers
@live
def test_prefmods_own_errors_are_kept_in_its_own_words_with_gnm_and_glm_in_its_place() -> None:
    answers = {c.r_call: c for c in live_answers("modpref-dras--llbt-davidson")}
    assert "computationally singular" in (answers[LLBT].not_run or "") and answers[LLBT].expected
    assert "dim(X) must have a positive length" in (answers[PC].not_run or "") and answers[PC].expected
    assert answers[GLM].values["estimate.o1"] == pytest.approx(0.27776290134194878, rel=1e-13)
    assert answers[GNM].values["se.tie"] == pytest.approx(0.2300171395032586, rel=1e-13)
    rows = compare_fit(case_fit("modpref-dras--llbt-davidson"), list(answers.values()))
    own = [a for a in rows if a.explanation.startswith("R's own error")]
    assert {a.r_call for a in own} == {LLBT, PC, BTMODEL} and {a.verdict for a in own} == {"not-checkable"}


@live
def test_an_error_of_r_that_is_not_known_for_the_table_is_no_answer() -> None:
    """The same singular matrix, on a table that is not known to be saturated."""
    fit = case_fit("modpref-dras--llbt-davidson")
    answer = next(c for c in counterparts(replace(fit, df_resid=1, deviance=1.0), "live") if c.r_call == LLBT)
    assert answer.not_run and not answer.expected


@pytest.mark.nightly
@live
@pytest.mark.parametrize(
    "make",
    [
        lambda: fit_llbt(SEPARATED),
        lambda: fit_llbt(SEPARATED, reference="sum"),
        lambda: fit_bradley_terry(SEPARATED, ties="drop"),
        lambda: fit_llbt(SEPARATED, ties="rao-kupper"),
        lambda: fit_llbt(APART),
        lambda: fit_bradley_terry(APART, ties="drop"),
        lambda: fit_llbt(APART, ties="rao-kupper"),
        lambda: fit_llbt(NO_TIES),
        lambda: fit_llbt(NO_TIES, ties="rao-kupper"),
        lambda: fit_llbt(NO_TIES, ties="none"),
    ],
)
def test_what_is_estimable_beside_what_is_not_agrees_with_r_too(make) -> None:
    fit = make()
    answers = counterparts(fit, "live")
    rows = compare_fit(fit, answers)
    assert [(a.quantity, a.r_call, a.digits) for a in rows if not a.passes or a.verdict == "not-run"] == []
    assert {
        a.verdict for a in rows if a.quantity.partition(".")[2] in fit.not_estimable and a.r is not None
    } <= {"not-estimable"}


@live
def test_a_function_on_its_way_to_infinity_says_so_in_its_name() -> None:
    assert all(c.r_call.endswith(TOWARDS_INFINITY) for c in counterparts(fit_llbt(SEPARATED), "live"))
    assert not any(c.r_call.endswith(TOWARDS_INFINITY) for c in counterparts(fit_llbt(APART), "live"))


@live
@pytest.mark.parametrize(
    "name", ["round-robin-1e6--bradley-terry-none", "one-upset-in-1e6--bradley-terry-none"]
)
def test_where_r_stops_short_its_own_score_shows_it(name: str) -> None:
    fit = case_fit(name)
    rows = compare_fit(fit, counterparts(fit, "live"))
    short = [a for a in rows if a.quantity.startswith("estimate") and not a.r_arrived]
    assert short and all(a.verdict == "not-checkable" and a.explanation.startswith("R ") for a in short)
    assert "standard errors from its estimates leads" in short[0].explanation and all(
        a.passes for a in rows if a.verdict != "not-run"
    )


# -- a check that can fail -----------------------------------------------------------------------------------


@live
@pytest.mark.parametrize("change", [1e-8, -1e-8])
def test_a_native_estimate_off_by_a_hundred_millionth_is_found(change: float) -> None:
    fit = case_fit("dras-table1--llbt-davidson")
    spoilt = replace(fit, beta=fit.beta * np.array([1 + change, 1, 1, 1, 1]))
    differing = {
        a.quantity
        for a in compare_fit(spoilt, counterparts(fit, "live"))
        if a.verdict in ("differs", "explained")
    }
    assert "estimate.A" in differing and "estimate.B" not in differing


@live
def test_two_items_whose_names_are_exchanged_are_found() -> None:
    fit = case_fit("dras-table1--llbt-davidson")
    swapped = replace(fit, beta=fit.beta[[1, 0, 2, 3, 4]])
    assert {"estimate.A", "estimate.B"} <= {
        a.quantity for a in compare_fit(swapped, counterparts(fit, "live")) if not a.passes
    }


# -- translations, without R ---------------------------------------------------------------------------------


def r_parameters(fit: Fit, reference: str, scale: str) -> RParameters:
    """A fit's own parameters as R would give them under another reference and scale."""
    other = fit.with_reference(reference).on_scale(scale)  # type: ignore[arg-type]
    cov = other.cov_params()
    return RParameters(tuple(cov.index), other.params[cov.index].to_numpy(), cov.to_numpy(), scale, reference)  # type: ignore[arg-type]


@pytest.mark.parametrize("reference", ["A", "C", "D"])
@pytest.mark.parametrize("scale", ["lambda", "log-odds"])
@pytest.mark.parametrize(
    "name",
    [
        "dras-table1--llbt-davidson-by-judge",
        "dras-table1--llbt-davidson-by-judge-ref-sum",
        "dras-table1--bradley-terry-davidson",
    ],
)
def test_parameters_are_moved_to_the_fits_scale_and_constraint_by_name(
    name: str, reference: str, scale: str
) -> None:
    """Observed 14.3 digits: a difference of two numbers of the same size loses a bit or two."""
    fit = case_fit(name)
    values = parameter_values(fit, r_parameters(fit, reference, scale), tests=True)
    for k, term in enumerate(fit.names):
        if not fit.is_reference[k]:
            assert values[f"estimate.{term}"] == pytest.approx(fit.params[term], rel=1e-12, abs=1e-13)
            assert values[f"se.{term}"] == pytest.approx(fit.bse[term], rel=1e-12)
            assert values[f"p.{term}"] == pytest.approx(fit.pvalues[term], rel=1e-10)
    assert not any(
        fit.names[k] in v
        for k in np.flatnonzero(fit.is_reference)
        for v in values
        if v.endswith(f".{fit.names[k]}")
    )


def test_ties_and_order_are_the_same_on_both_scales() -> None:
    fit = case_fit("order-and-neutral--llbt-davidson-order")
    values = parameter_values(fit, r_parameters(fit, fit.spec.reference, "log-odds"))
    assert values["estimate.tie"] == fit.params["tie"] and values["estimate.order"] == fit.params["order"]


def test_worths_are_the_fits_whatever_rs_reference() -> None:
    fit = case_fit("dras-table1--llbt-davidson-by-judge")
    values = worth_values(fit, r_parameters(fit, "B", "log-odds"))
    own = {f"worth.{g}.{i}": w for g, i, w in zip(*(fit.worth()[c] for c in ("group", "item", "worth")))}
    assert own.keys() == {n for n in values if n.startswith("worth.")}
    assert all(values[n] == pytest.approx(w, rel=1e-12) for n, w in own.items())


def test_a_parameter_r_has_no_number_for_has_no_value_and_spoils_no_other() -> None:
    fit = case_fit("dras-table1--llbt-davidson-ref-sum").with_reference("D")
    whole = r_parameters(fit, "D", "lambda")
    some = RParameters(
        ("A", "C", "tie"), whole.estimate[[0, 2, 3]], whole.vcov[np.ix_([0, 2, 3], [0, 2, 3])], "lambda", "D"
    )
    values = parameter_values(fit, some)
    assert "estimate.B" not in values and values["estimate.A"] == fit.params["A"]
    assert worth_values(fit, some) == {}
    assert np.isnan(moved(fit, some).beta[1])


# -- cells, counted anew -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in ORDINARY if "rao-kupper" not in n])
def test_cells_counted_for_r_are_those_of_the_fits_deviance(name: str) -> None:
    fit, cells = case_fit(name), count(case_fit(name))
    own = fit.cell_table()
    _, observed, _ = own.outcomes(fit.outcome_model != "binary" and cells.ties is not None)

    def rows(first, second, counts):
        return sorted(tuple([int(i), int(j), *map(float, c)]) for i, j, c in zip(first, second, counts))

    assert rows(cells.first, cells.second, cells.counts) == rows(own.first, own.second, observed)
    if cells.whole:
        assert fit.llf + cells.poisson_constant == pytest.approx(fit.llf_poisson, rel=1e-13)


def test_levels_without_comparisons_and_empty_rows_are_left_out() -> None:
    data = Comparisons.build(
        ["A", "B", "C"],
        [0, 1, 0, 2],
        [1, 2, 2, 1],
        [3, 2, 4, 0],
        [1, 1, 0, 0],
        [2, 2, 1, 0],
        columns={
            "judge": Factor(np.array([0, 2, 2, 1]), ("a", "empty", "c")),
            "age": np.array([30.5, 40, 40, np.nan]),
        },
    )
    fit = fit_llbt(data, by="C(age)")
    cells = count(fit)
    assert len(cells) == 3 and cells.covariate("age").levels == ("30.5", "40")


# -- who is nearer to the maximum ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ORDINARY)
def test_the_log_likelihood_recomputed_at_natives_estimates_is_natives(name: str) -> None:
    """Observed 15.2 digits."""
    fit = case_fit(name)
    if fit.null_space.shape[1] == 0:
        assert log_likelihood(fit, count(fit), fit.beta) == pytest.approx(fit.llf, rel=1e-13)


def test_estimates_away_from_the_maximum_lie_below_it_and_those_at_it_do_not() -> None:
    fit = case_fit("dras-table1--llbt-davidson-by-judge")
    cells = count(fit)

    def answer(factor: float) -> RCounterpart:
        return RCounterpart("x", "live", {f"estimate.{n}": factor * v for n, v in fit.params.items()})

    there, near = score_check(fit, cells, answer(1.0)), score_check(fit, cells, answer(1.001))
    assert there is not None and there.below == 0.0 and not there.r_stopped_short
    assert near is not None and near.below > 1e-5 and near.r_stopped_short
    assert score_check(fit, cells, RCounterpart("x", "live", {"estimate.A": 1.0})) is None


# -- which R is asked ----------------------------------------------------------------------------------------


def test_nobody_is_asked_in_mode_none() -> None:
    assert counterparts(case_fit("dras-table1--llbt-davidson"), "none") == []


def test_without_a_record_each_function_says_why_it_did_not_run(tmp_path) -> None:
    from pairproof.bridge.records.record_files import Records

    answers = counterparts(fit_llbt(NO_TIES, ties="drop"), Backend("recorded", records=Records([tmp_path])))
    assert {c.r_source for c in answers} == {None} and all(
        "no recorded result" in (c.not_run or "") for c in answers
    )
    assert not any(c.expected for c in answers)


def test_dras_models_are_answered_from_records_alone() -> None:
    for name in (
        "dras-table1--llbt-davidson",
        "dras-table1-prefmod-order--llbt-davidson-by-judge",
        "modpref-dras--llbt-davidson",
    ):
        fit = case_fit(name)
        answers = counterparts(fit, "recorded")
        rows = compare_fit(fit, answers)
        assert {c.r_source for c in answers} == {"recorded"}
        assert all(a.passes for a in rows) and not any(a.verdict == "not-run" for a in rows)


@live
def test_records_hold_every_bit_of_what_r_says() -> None:
    fit = case_fit("dras-table1--llbt-davidson")
    now, then = (counterparts(fit, mode) for mode in ("live", "recorded"))
    for a, b in zip(now, then):
        assert a.r_call == b.r_call
        for name, value in a.values.items():
            # The same R on another BLAS moves the thirteenth digit; on this machine nothing moves.
            assert value == pytest.approx(b.values[name], rel=1e-9, abs=1e-12)


@live
def test_an_answer_that_has_drifted_from_its_record_differs(tmp_path) -> None:
    from pairproof.bridge.records.record_files import Records

    fit = case_fit("dras-table1--llbt-drop")
    records = Records([tmp_path])
    counterparts(fit, Backend("live", record="all", records=records))
    for path in tmp_path.glob("stats.glm-*.json"):
        text = path.read_text(encoding="utf-8")
        changed = re.sub(r'("deviance": \{\s*"dbl": \[\s*18\.93)\d', r"\g<1>0", text)
        assert changed != text
        path.write_text(changed, encoding="utf-8")
    answers = counterparts(fit, Backend("both", records=records))
    drifted = [c.r_call for c in answers if c.drift]
    assert drifted == [GLM]
    rows = compare_fit(fit, answers)
    assert [(a.r_call, a.verdict) for a in rows if a.explanation.startswith("drift: ")] == [(GLM, "differs")]
    assert any(
        a.r_call == GLM and a.quantity == "estimate.A" and a.passes for a in rows
    ), "the live numbers are compared all the same"


def test_what_is_not_rs_error_is_not_swallowed() -> None:
    question = Question(
        case_fit("modpref-dras--llbt-davidson"),
        count(case_fit("modpref-dras--llbt-davidson")),
        Backend("none"),
    )

    def broken(_: Question) -> RCounterpart:
        raise KeyError("a defect of ours")

    def stopped(_: Question) -> RCounterpart:
        raise RError("R stopped", r_message="no such thing", r_call="f(x)")

    with pytest.raises(KeyError, match="a defect of ours"):
        attempt("x", broken, question)
    answer = attempt("x", stopped, question, ["such"])
    assert answer.not_run == "R stops: no such thing in f(x) (live)" and answer.expected


def test_a_table_too_large_for_rs_dense_design_is_refused_with_its_size() -> None:
    rng = np.random.default_rng(20150701)
    n, judges = 30, 40
    i, j = np.triu_indices(n, 1)
    reps = np.tile(np.arange(len(i)), judges)
    data = Comparisons.build(
        [f"i{k:02d}" for k in range(n)],
        i[reps],
        j[reps],
        rng.integers(1, 9, len(reps)),
        rng.integers(1, 4, len(reps)),
        rng.integers(1, 9, len(reps)),
        columns={
            "judge": Factor(np.repeat(np.arange(judges), len(i)), tuple(f"j{k:02d}" for k in range(judges)))
        },
    )
    answers = counterparts(fit_llbt(data, by="judge"), "recorded")
    assert {c.r_call.partition(",")[0] for c in answers} == {"stats::glm", GNM, PC, LLBT}
    assert all(c.expected and "not asked" in (c.not_run or "") for c in answers)


def test_tables_of_the_tests_are_those_of_the_certified_files() -> None:
    assert table(load("modpref-dras--llbt-davidson")).pooled() == {("o1", "o2"): (61, 24, 35)}
