"""Steps after a fit: R's expressions in Python, held against R's values; what cannot be said loses nothing else."""

from __future__ import annotations

import ast
import time
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from scipy import stats

from pairproof.bridge.values.nodes import RList, RVector
from pairproof.migration import migrate
from pairproof.migration.steps.compared import printed_rows, same
from pairproof.migration.steps.interpreter import OURS
from pairproof.migration.steps.python import laid_out, put, text_of, vocabulary
from pairproof.migration.steps.trees import NotTranslated, matched, node_of
from pairproof.migration.translate import translation
from pairproof.migration.translate.translation import Translation, outside, translates
from pairproof.migration.written_files import write_migration
from pairproof.validation import Again
from tests.migration.captures import BTM, Script, bradley_terry, staged

#: The fit of `script`: its deviance, and Ceylon's and Darjeeling's log-odds.
WINS = [9, 5, 4]


def script() -> Script:
    made = Script()
    made.call(3, bradley_terry(WINS), variable="m")
    return made


def numbers(*values: float, names: tuple[str, ...] | None = None) -> RVector:
    return RVector(np.array(values), np.zeros(len(values), bool), names=names)


def test_a_value_that_agrees_is_a_row_and_one_that_does_not_is_a_difference(tmp_path: Path) -> None:
    found = script().migration(staged(tmp_path))
    deviance = found.steps[0].value.deviance
    for factor, verdict, code in ((1.0, "agrees", 0), (1.001, "differs", 1)):
        made = script()
        made.line(4, "2 * deviance(m)", value=numbers(2 * deviance * factor))
        migration = made.migration(staged(tmp_path / verdict))
        assert [a.verdict for a in migration.done[0].rows] == [verdict]
        assert migration.exit_code == code


def test_a_small_probability_is_held_to_its_own_digits(tmp_path: Path) -> None:
    fit = script().migration(staged(tmp_path)).steps[0].value
    p = float(stats.chi2.sf(400 * fit.deviance, 1))
    assert 0 < p < 1e-6
    for factor, verdict in ((1.0, "agrees"), (1.01, "differs")):
        made = script()
        made.line(4, "pchisq(400 * deviance(m), 1, F)", value=numbers(p * factor))
        made.lines[4].tree[2][2] = ["lower.tail", ["lgl", False]]
        (row,) = made.migration(staged(tmp_path / verdict)).done[0].rows
        assert row.verdict == verdict


def test_numbers_that_differ_are_named_by_a_test_that_fails_when_they_are_others(tmp_path: Path) -> None:
    made = script()
    made.line(4, "deviance(m)", value=numbers(1.0))
    stage = staged(tmp_path / "stage")
    migration = made.migration(stage)
    (tmp_path / "analysis.R").write_text("# R\n")
    written = write_migration(migration, tmp_path / "analysis.R", tmp_path / "analysis.py", stage=stage)
    assert written.test is not None
    text = written.test.read_text()
    assert 'assert CALLS.differing(request) == [\n        "line 4 shown",\n    ]' in text
    assert "1 of R's numbers differ from Python's, first shown" in text and "xfail" not in text
    shown = Again(written.script).shown
    assert [(n["title"], n["r"]) for n in shown] == [("line 4 shown", 1.0)]
    request = cast("pytest.FixtureRequest", None)  # asked where R is needed and is not there
    assert Again(written.script).differing(request) == ["line 4 shown"]
    written.script.write_text(written.script.read_text().replace("m.deviance", "m.deviance / m.deviance"))
    assert Again(written.script).differing(request) == []


def test_an_na_of_r_is_no_difference(tmp_path: Path) -> None:
    fit = script().migration(staged(tmp_path)).steps[0].value
    free = [float(fit.params[n]) for n in ("Ceylon", "Darjeeling")]
    made = script()
    made.line(4, "coef(m)", value=numbers(*free, np.nan, names=("Ceylon", "Darjeeling", "Keemun")))
    migration = made.migration(staged(tmp_path / "again"))
    assert {a.verdict for a in migration.done[0].rows} == {"agrees"} and migration.exit_code == 0


def test_what_depends_on_a_step_without_python_has_none_and_the_rest_has(tmp_path: Path) -> None:
    made = script()
    made.line(4, "a = bootstrapped(m)")
    made.line(5, "b = exp(a)")
    made.line(6, "deviance(m)")
    done = made.migration(staged(tmp_path)).done
    assert [d.state for d in done] == ["comment", "comment", "translated"]
    assert done[1].why == "the Python script has no value for a"


def test_a_short_vector_of_the_data_stands_as_its_value_of_that_run(tmp_path: Path) -> None:
    made = script()
    made.line(4, "items = levels(tea)", value=RVector(np.array(["A", "B"], object), np.zeros(2, bool)))
    made.line(5, "setNames(coef(m), items)")
    done = made.migration(staged(tmp_path)).done
    assert done[1].lines[0] == 'items = ["A", "B"]  # R\'s value of that run'
    assert done[1].lines[1] == 'show(m.params.drop("Assam").set_axis(items))'


def test_a_column_of_the_data_in_a_table_of_models_is_what_it_was_in_that_run(tmp_path: Path) -> None:
    fit = script().migration(staged(tmp_path)).steps[0].value
    free = fit.params[["Ceylon", "Darjeeling"]].tolist()
    made = script()
    frame = RList((numbers(*free), numbers(12.0, 7.0)), ("worth", "cups"), ("data.frame",))
    made.line(4, "board = tibble(worth=coef(m), cups=tabulate(tea))", value=frame)
    (done,) = made.migration(staged(tmp_path / "again")).done
    columns = '{"worth": m.params.drop("Assam").to_numpy(), "cups": cups}'
    assert done.lines == (
        "cups = np.array([12, 7])  # R's value of that run",
        f"board = pd.DataFrame({columns})",
    )
    assert done.state == "translated"


def test_numbers_are_shown_with_seven_digits_and_vectors_without_brackets(tmp_path: Path) -> None:
    made = script()
    made.line(4, "deviance(m)")
    made.line(5, "unname(coef(m))")
    made.line(6, "tidy(m)")
    one, several, table = made.migration(staged(tmp_path)).done
    assert one.lines == ("show(m.deviance)",)
    assert several.lines == ('show(m.params.drop("Assam").to_numpy())',)
    assert table.lines[-1] == "show(tidy_m)" and any('"std.error"' in line for line in table.lines)


def test_a_loop_fills_what_it_fills_and_prints_each_turn(tmp_path: Path) -> None:
    made = Script()
    for nth, (region, wins) in enumerate({"north": 4, "south": 5}.items(), 1):
        made.call(3, bradley_terry([9, 5, wins]), "BTm(s)", variable="f", nth=nth, keys={"r": region})
    made.line(2, "out = numeric(0)")
    made.line(3, "for r in regions: f = BTm(s); out[r] = deviance(f); cat(r, deviance(f))")
    made.line(4, "sort(out)")
    found = made.migration(staged(tmp_path))
    first, loop, last = found.done
    assert first.lines == ("out = pd.Series(dtype=float)",)
    assert loop.inside == ("out[r] = f[r].deviance", 'print(r, written(f[r].deviance), end="")')
    assert last.lines == ('show(out.sort_values(ascending=True, kind="stable"))',)


def nested(*levels: tuple[str, str]) -> Script:
    made = Script()
    text = "BTm(p[l])"
    for nth, (v, level) in enumerate(levels, 1):
        keys = {"l": level, "v": v}
        made.call(3, bradley_terry([9, 5, 3 + nth]), text, variable="f", nth=nth, keys=keys)
    made.line(3, "for v in names(p):\n for l in levels(p):\n  f = BTm(p[l])\n  cat(v, l, deviance(f))")
    return made


def test_a_loop_in_a_loop_runs_over_the_fits_of_its_own_turn(tmp_path: Path) -> None:
    for levels in (("a", "b"), ("a", "a")):
        made = nested(("x", levels[0]), ("x", "c"), ("y", levels[1]), ("y", "d"))
        found = made.migration(staged(tmp_path / levels[1]))
        assert found.done[0].lines == (
            'for v in ["x", "y"]:',
            "    for l in [key[1] for key in f if key[0] == v]:",
            '        print(v, l, written(f[v, l].deviance), end="")',
        )


def test_a_list_of_fits_of_all_turns_is_none_of_one_turn(tmp_path: Path) -> None:
    made = Script()
    for nth in (1, 2, 3, 4):
        made.call(3, bradley_terry([9, 5, 3 + nth]), "BTm(d)", variable="fits", nth=nth)
    made.line(3, "for v in c(1, 2): fits = lapply(parts(v), lambda d: BTm(d)); cat(length(fits))")
    (done,) = made.migration(staged(tmp_path)).done
    assert done.state == "comment" and "for all" not in done.why and "print" not in "".join(done.lines)


def test_a_statement_that_differs_is_marked_at_its_place(tmp_path: Path) -> None:
    made = script()
    made.line(4, "deviance(m)", value=numbers(1.0))
    stage = staged(tmp_path / "stage")
    (tmp_path / "analysis.R").write_text("# R\n")
    written = write_migration(
        made.migration(stage), tmp_path / "analysis.R", tmp_path / "analysis.py", stage=stage
    )
    lines = written.script.read_text().split("\n")
    (k,) = (
        k for k, line in enumerate(lines) if line.startswith("# DIFFERS from R in 1 numbers, first: R has 1,")
    )
    assert lines[k + 1].startswith("show(m.deviance)")


def test_fits_of_a_loop_that_leave_out_different_items_name_none(tmp_path: Path) -> None:
    made = Script()
    for nth, ref in enumerate(("Assam", "Ceylon"), 1):
        made.call(3, bradley_terry([9, 5, 4], ref), "BTm(s)", variable="f", nth=nth, keys={"r": ref})
    made.line(3, "for r in items: f = BTm(s); print(coef(f)); print(coef(summary(f)))")
    found = made.migration(staged(tmp_path))
    assert found.done[0].inside[0] == "show(f[r].params[f[r].bse > 0])"
    assert "f[r].to_frame()[f[r].bse > 0]" in found.done[0].inside[1]


def test_printed_numbers_are_found_in_their_order_and_a_wrong_one_is_named() -> None:
    r = "north deviance 3.856 on 5 df\nsouth deviance 2.586 on 5 df\n   a     b     c \n0.123 0.456 0.789 \n"
    of = partial(printed_rows, Script().call(3, None), theirs=r, only_texts=False, partly=False, digits=9.0)
    rows = list(of("north 3.8561 on 5\nsouth 2.586 on 5\n0.12345 0.4561 0.7889\n"))
    assert {a.verdict for a in rows} == {"agrees"} and len(rows) == 7
    wrong = list(of("0.123 0.456 0.780"))
    assert [a.verdict for a in wrong] == ["agrees", "agrees", "differs"]
    (lost,) = of("9.99")
    assert lost.verdict == "not-checkable" and "does not have these numbers" in lost.explanation


def test_texts_of_a_script_are_compared_with_their_words() -> None:
    of = partial(printed_rows, Script().call(3, None), only_texts=True, digits=9.0)
    r = "fits: TRUE, p = 0.21\nnorth  1.50\n"
    assert [a.verdict for a in of("fits: TRUE, p = 0.21\nnorth 1.50", r, partly=False)] == ["agrees"] * 2
    wrong = of("fits: TRUE, p = 0.21\nnorth 1.60", r, partly=False)
    assert [a.verdict for a in wrong] == ["agrees", "differs"]
    assert [a.native for a in of("north 1.50", r, partly=True)] == [1.5]
    for ours, partly in (
        ("north 1.50", False),
        ("badly: TRUE, p = 0.21\nnorth 1.50", False),
        ("fits: True, p = 0.21\nnorth 1.50", False),
        ("fits: TRUE, p = 0.21\nnorth 1.5", False),
        ("south 1.50", True),
    ):
        with pytest.raises(NotTranslated, match="other words than R"):
            list(of(ours, r, partly=partly))


@pytest.mark.parametrize(
    "ours, theirs, equal",
    [("0.12345", "0.123", True), ("0.1236", "0.123", False), ("5", "5", True), ("5", "6", False), ("1e-04", "0.0001", True)],
)  # fmt: skip
def test_two_printed_numbers_are_one_so_far_as_both_show(ours: str, theirs: str, equal: bool) -> None:
    assert same(ours, theirs) is equal


def test_a_translation_that_fails_or_takes_too_long_loses_its_call_alone(tmp_path, monkeypatch) -> None:
    def fails(call, context):
        raise KeyError("a:b")

    def sleeps(call, context):
        end = time.process_time() + 5
        while time.process_time() < end:
            pass
        raise AssertionError

    monkeypatch.setattr(migrate, "SECONDS_A_CALL", 0.5)  # ten times what the last call takes when cold
    monkeypatch.setattr(translation, "TRANSLATORS", {})
    translates("x::fails")(fails)
    translates("x::sleeps")(sleeps)
    monkeypatch.setattr(migrate, "translators", lambda: {**translation.TRANSLATORS, BTM: fine})
    made = Script()
    made.call(3, None, function="x::fails")
    made.call(4, None, function="x::sleeps")
    made.call(5, None)
    failed, late, last = migrate.steps_of(made.captured(), staged(tmp_path).place)
    assert failed.translation.reason == "its translation failed (KeyError: 'a:b'), a defect of pairproof"
    assert late.translation.reason.startswith("Python took longer than") and last.value is not None


def fine(call, context) -> Translation:
    return Translation("native", bradley_terry(WINS))


def test_a_call_that_fails_goes_to_r_where_there_is_a_way(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(translation.IN_R, "x::f", lambda call, context, why: outside(f"in R: {why}"))
    call = Script().call(3, None, function="x::f")

    def fails(call, context):
        raise ZeroDivisionError("0")

    monkeypatch.setattr(translation, "TRANSLATORS", {})
    made = translates("x::f")(fails)(call, translation.Context(Script().captured()))
    assert made.reason == "in R: its translation failed (ZeroDivisionError: 0), a defect of pairproof"


def test_every_rule_of_the_vocabulary_is_python_of_its_formals() -> None:
    for function, rules in vocabulary().items():
        for rule in rules:
            names = {n.id for n in ast.walk(ast.parse(rule.template)) if isinstance(n, ast.Name)}
            formals = {n.replace(".", "_") for n in (*rule.needed, *rule.defaults)}
            own = {
                "dict",
                "itertools",
                "np",
                "pd",
                "re",
                "stats",
                "v",
                "float",
                "bool",
                "len",
                "list",
                "max",
                "min",
                "range",
                "round",
                "str",
                "int",
                *OURS,
            }
            assert names <= formals | own | {"from_"}, (function, rule)


def test_arguments_are_matched_as_r_matches_them() -> None:
    given = [("lower", False), ("", 1.5), ("", 3)]
    assert matched(given, ("q", "df", "lower.tail")) == {"lower.tail": False, "q": 1.5, "df": 3}
    assert matched([("other", 1)], ("q",)) is None and matched([("", 1), ("", 2)], ("q",)) is None


def test_a_tree_that_is_none_is_no_expression() -> None:
    assert node_of(["call"]).kind == "other" and node_of({"a": 1}).kind == "other"


def test_statements_are_laid_out_as_black_does() -> None:
    black = pytest.importorskip("black")
    for text in (
        text_of(put("x.f(y).g(y).h(y)", x=put("some_long_name"), y="a" * 40)),
        f"value = {text_of(put('{n: f(v) for n, v in x.items()}', f=put('a' * 40), x=put('b' * 50)))}",
        f"value = function({text_of(put('x + y - z', x=put('a' * 50), y=put('b' * 50), z=put('c' * 50)))})",
        "value = function(" + ", ".join(f"argument{k}" for k in range(20)) + ")",
        f"value = np.exp(2 * {'a' * 50}) / np.exp(2 * {'b' * 50}).sum()",
        f"show(pd.DataFrame({{'{'a' * 30}': a, '{'b' * 30}': b, '{'c' * 30}': c}}).round(3))".replace(
            "'", '"'
        ),
        f"grid = b[0] * {'a' * 50} + b[1] * {'b' * 50} + b[2] * {'c' * 20}[None, :]",
        "value = {k: f(v) for k, v in {"
        + ", ".join(f'"{c * 12}": function({c})' for c in "abcdef")
        + "}.items()}",
    ):
        made = "\n".join(laid_out(text)) + "\n"
        assert black.format_str(made, mode=black.Mode(line_length=110)) == made


def test_data_that_no_statement_uses_are_not_written_a_second_time(tmp_path: Path) -> None:
    made = script()
    made.line(4, "d = data_frame(a=1, b=2)")
    made.lines[4].tree[2][1][1][1][1] = "data.frame"
    made.line(5, "k = 3")
    made.line(6, "k * deviance(m)")
    done = made.migration(staged(tmp_path)).done
    assert [d.state for d in done] == ["data", "translated", "translated"]


def test_what_is_made_of_more_calls_than_were_recorded_stays_with_r(tmp_path: Path) -> None:
    made = Script()
    made.line(2, "out = numeric(0)")
    made.line(3, "for i in seq_len(3): f = BTm(s); out[i] = deviance(f)")
    for nth in (1, 2):
        made.call(3, bradley_terry([9, 5, 3 + nth]), "BTm(s)", variable="f", nth=nth, keys={"i": nth})
    made.call(3, None, "BTm(s)", variable="f", nth=3, kept=False)
    made.line(4, "mean(out)", value=numbers(3.0))
    done = made.migration(staged(tmp_path)).done
    assert [d.state for d in done[1:]] == ["comment", "comment"] and not done[2].rows
    assert (
        done[1].why
        == "1 evaluations of its call were counted but not kept, and a result computed from all of them is R's"
    )
    assert done[2].why == "the Python script has no value for out after line 3, which changes it"
