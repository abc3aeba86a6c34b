"""The Python script says what the R script did, in its order and with its names; texts of R are never code in it."""

from __future__ import annotations

import ast
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pairproof.bridge.capture.recorded import RecordedCall, TopLevel, Valued
from pairproof.bridge.values.nodes import RVector
from pairproof.migration.call_sites import by_site, sites
from pairproof.migration.outcome import Migration, left_out
from pairproof.migration.python_script import Files, Writer, modules, script_text, shared_lists
from pairproof.migration.steps.evaluated import loop_names
from pairproof.migration.steps.script_steps import ScriptSteps
from pairproof.migration.translate.python_code import Call, Result, attribute, in_a_line
from pairproof.migration.translate.translation import Step, Translation, outside
from tests.migration.captures import BTM, Script, bradley_terry, place, staged, tea
from tests.migration.test_names import HOSTILE, texts


def text_of(script: Script, folder: Path, taken: tuple[str, ...] = (), **more: Any) -> str:
    stage = staged(folder)
    found = script.migration(stage, **more)
    of = by_site(found)
    source = script_text(of, Files(of.found, stage.digest, taken), "test_tea.py")
    assert all(len(line) <= 110 for line in source.split("\n"))
    ast.parse(source.encode())
    return source


def body_of(source: str) -> str:
    return source.partition("HERE = Path(__file__).parent\n")[2].strip()


def test_a_fit_and_a_loop_are_written_as_a_person_would(tmp_path: Path) -> None:
    assert (
        text_of(tea(), tmp_path)
        == '''"""tea.R in Python, written by pairproof migrate.

R 4.2.2 ran tea.R. Numbers compared with R's of that run (test_tea.py): 20 agree, 6 could not be checked.
"""

from pathlib import Path

import numpy as np

import pairproof

HERE = Path(__file__).parent


def show(value):
    """Print a vector or a table whole, other numbers with seven digits, as R does."""
    if hasattr(value, "to_string"):
        print(value.to_string())
    else:
        print(*(f"{v:.7g}" if isinstance(v, float) else v for v in np.atleast_1d(value)))


# line 6: m <- BTm(won, left, right, data = clear, id = "tea", refcat = "Ceylon")
m = pairproof.fit_bradley_terry(
    pairproof.read(HERE / "data/m.csv", layout="counts", columns={"first": "left", "second": "right"}),
    reference="Ceylon",
    cells="row",
)
print(m.summary())  # line 7: summary(m)

# line 8: f <- BTm(won, left, right, data = s), 3 calls
f = {}
for r in ("north", "south", "west"):
    f[r] = pairproof.fit_bradley_terry(
        pairproof.read(
            HERE / f"data/f_{r}.csv",
            layout="counts",
            columns={"first": "left", "second": "right"},
        ),
        reference="Assam",
        cells="row",
    )
    show(f[r].params.drop("Assam"))
'''
    )


def test_calls_that_differ_in_a_file_and_a_constant_are_a_loop_over_both(tmp_path: Path) -> None:
    script = Script()
    for nth, (wins, reference) in enumerate(
        (([9, 5, 4], "Assam"), ([9, 5, 4], "Ceylon"), ([7, 5, 4], "Assam")), 1
    ):
        script.call(3, bradley_terry(wins, reference), variable="f", nth=nth)
    source = text_of(script, tmp_path)
    assert (
        "for i, file, reference in (\n"
        '    (1, HERE / "data/f_1.csv", "Assam"),\n'
        '    (2, HERE / "data/f_1.csv", "Ceylon"),\n'
        '    (3, HERE / "data/f_3.csv", "Assam"),\n'
        "):\n    f[i] = pairproof.fit_bradley_terry(\n        pairproof.read(file,"
    ) in source


def test_an_argument_that_is_the_loop_variable_is_written_so(tmp_path: Path) -> None:
    script = Script()
    for nth, reference in enumerate(("Assam", "Ceylon", "Darjeeling"), 1):
        script.call(3, bradley_terry([9, 5, 4], reference), variable="f", nth=nth, keys={"ref": reference})
    source = text_of(script, tmp_path)
    assert 'for ref in ("Assam", "Ceylon", "Darjeeling"):' in source and "reference=ref," in source
    assert source.count("data/f_Assam.csv") == 1  # one table, one file, named after its first key


def test_calls_of_different_functions_are_written_one_by_one(tmp_path: Path) -> None:
    script = Script()
    script.call(3, bradley_terry([9, 5, 4]), variable="f", nth=1, keys={"r": 'a"b'})
    other = replace_function(bradley_terry([8, 5, 4]), "pairproof.fit_llbt")
    script.call(3, other, variable="f", nth=2, keys={"r": "b"})
    script.line(4, "f")
    source = body_of(text_of(script, tmp_path))
    assert "f = {}\nf['a\"b'] = pairproof.fit_bradley_terry(\n" in source
    assert 'f["b"] = pairproof.fit_llbt(\n' in source
    said = "# line 4: f\nfor name, value in f.items():\n    print(name)\n    print(value.summary())"
    assert source.endswith(said)


def replace_function(call: Call, function: str) -> Call:
    return Call(function, call.arguments, {})


def test_keys_of_nested_loops_are_both_values(tmp_path: Path) -> None:
    script = Script()
    for nth, (a, b) in enumerate(((1, "x"), (1, "y"), (2, "x"), (2, "y")), 1):
        script.call(3, bradley_terry([9 + nth, 5, 4]), variable="f", nth=nth, keys={"i": a, "s": b})
    source = text_of(script, tmp_path)
    assert 'for i, s in ((1, "x"), (1, "y"), (2, "x"), (2, "y")):' in source
    assert "f[i, s] = " in source and 'f"data/f_{i}_{s}.csv"' in source


def test_a_value_of_a_loop_that_uses_another_of_it_is_written_by_the_key(tmp_path: Path) -> None:
    script = Script()
    for nth, r in enumerate(("a", "b"), 1):
        made = script.call(3, bradley_terry([9 + nth, 5, 4]), variable="f", nth=nth, keys={"r": r}, task=2)
        script.call(4, attribute(Result(made.id), "aic"), "AIC(f)", "stats::AIC", variable="a", nth=nth, keys={"r": r},
                    task=2, helper=True)  # fmt: skip
    assert "a[r] = f[r].aic" in text_of(script, tmp_path)


def test_calls_of_a_loop_that_need_each_other_are_written_in_the_order_in_which_they_ran(
    tmp_path: Path,
) -> None:
    script = Script()
    one = script.call(3, bradley_terry([9, 5, 4]), "BTm(a)", variable="f", task=2, nth=1)
    two = script.call(
        4, attribute(Result(one.id), "aic"), "AIC(f)", "stats::AIC", variable="a", task=2, nth=1
    )
    mapped = Call("pairproof.validation.agree", (Result(one.id), {"aic": Result(two.id)}))
    script.call(3, mapped, "BTm(a)", variable="f", task=2, nth=2)
    script.call(4, attribute(Result(one.id), "bic"), "AIC(f)", "stats::AIC", variable="a", task=2, nth=2)
    source = body_of(text_of(script, tmp_path))
    assert [line for line in source.split("\n") if line[:1] not in "#  )"] == [
        "f = pairproof.fit_bradley_terry(",
        "a = f.aic",
        'f_2 = pairproof.validation.agree(f, {"aic": a})',
        "a_2 = f.bic",
    ]


def test_names_are_the_scripts_where_python_can_have_them(tmp_path: Path) -> None:
    script = Script()
    for line, variable in enumerate(("fit.1", "lambda", "m", "m", "", "fits$a", "pairproof"), 3):
        script.call(line, bradley_terry([9, 5, line]), variable=variable)
    source = text_of(script, tmp_path)
    made = [line.partition(" = ")[0] for line in source.split("\n") if "pairproof.fit_bradley" in line]
    assert made == ["fit_1", "lambda_", "m", "m_2", "fit_7", "fits_a", "pairproof_"]


def test_a_variable_means_its_newest_value_where_it_is_printed(tmp_path: Path) -> None:
    script = Script()
    script.call(3, bradley_terry([9, 5, 4]), variable="m")
    script.line(4, "m")
    script.call(5, bradley_terry([9, 5, 5]), variable="m")
    script.line(6, "deviance(m)")
    script.line(7, "m = cars(x)")
    script.line(8, "m")  # no fit any more
    source = text_of(script, tmp_path)
    assert "print(m.summary())  # line 4: m\n" in source and "show(m_2.deviance)  # line 6" in source
    assert "# line 8: m -> the Python script has no value for m after line 7, which changes it\n" in source


@pytest.mark.parametrize(
    "spelled, expected",
    [
        ("coef(m)", 'show(m.params.drop("Assam"))'), ("vcov(m)", "show(m.cov_params())"),
        ("logLik(m)", "show(m.llf)"), ("BIC(m)", "show(m.bic)"),
        ("coef(summary(m))", 'm.to_frame().drop("Assam")[["estimate", "se", "z", "p"]]'),
        ("sqrt(diag(vcov(m)))", 'show(m.bse.drop("Assam"))'),
        ("1 - pchisq(deviance(m), 2)", "show(1 - stats.chi2.cdf(m.deviance, 2))"),
        ("sort(exp(coef(m)))", 'show(np.exp(m.params.drop("Assam")).sort_values(ascending=True, kind="stable"))'),
        ("plot(m)", "# line 4: plot(m) -> only plots of a fit, its worths"),
        ("system(m)", "# line 4: system(m) -> system() is not supported"),
    ],
)  # fmt: skip
def test_what_r_printed_of_a_fit_is_printed(tmp_path: Path, spelled: str, expected: str) -> None:
    script = Script()
    script.call(3, bradley_terry([9, 5, 4]), variable="m")
    script.line(4, spelled)
    assert expected in text_of(script, tmp_path)


def test_one_fit_of_a_list_is_printed_by_its_name_or_number(tmp_path: Path) -> None:
    script = Script()
    for name, wins in (("north", 4), ("south", 5)):
        script.call(3, bradley_terry([9, 5, wins]), variable="fits", keys={"name": name})
    script.line(4, 'fits["south"]')
    script.line(5, "deviance(fits[1])")
    script.line(6, 'fits["west"]')
    script.line(7, "sapply(fits, lambda f: logLik(f))")
    source = text_of(script, tmp_path)
    assert 'print(fits["south"].summary())  # line 4: fits["south"]\n' in source
    assert "show(fits[list(fits)[0]].deviance)  # line 5" in source
    assert '# line 6: fits["west"] -> Python cannot compute it' in source
    assert "show(pd.Series({name: f.llf for name, f in fits.items()}))  # line 7" in source


def test_what_has_no_python_stands_as_a_comment_with_its_line_and_what_r_gave(tmp_path: Path) -> None:
    script = Script()
    script.call(3, bradley_terry([9, 5, 4]), variable="m")
    script.line(4, "profiled(m)", value=RVector(np.array([1.25]), np.array([False])))
    script.line(5, "for r in regions: f(m); print(deviance(m))")
    source = text_of(script, tmp_path)
    assert "# line 4: profiled(m) -> profiled() is not supported; R gave 1.25\n" in source
    assert (
        "# line 5: for r in regions: f(m); print(deviance(m)) -> the Python script has no value for regions"
        in source
    )


def test_a_call_in_a_function_is_named_by_the_line_that_came_to_it(tmp_path: Path) -> None:
    script = Script()
    script.call(3, bradley_terry([9, 5, 4]), "BTm(won, x, y)", variable="m", task=8)
    assert "# line 8, through line 3: m <- BTm(won, x, y)\n" in text_of(script, tmp_path)


def test_what_r_did_not_print_is_not_printed(tmp_path: Path) -> None:
    script = tea()
    script.values = {k: replace(v, visible=False) for k, v in script.values.items()}
    script.lines[8] = replace(script.lines[8], tree=["null"])
    assert "print(" not in body_of(text_of(script, tmp_path))


def test_what_is_left_out_has_a_line_with_its_reason(tmp_path: Path) -> None:
    script = Script()
    script.call(3, None, error="object 'x' not found", variable="m")
    script.call(4, bradley_terry([9, 5, 4]), variable="k")
    for nth in range(1, 41):
        script.call(5, None, "pltree(x)", "PlackettLuce::PlackettLuce", via="psychotree::pltree", nth=nth)
    script.mention(6, "nlm")
    source = body_of(text_of(script, tmp_path, ending="time", message="stopped after 600 s; use --seconds"))
    assert source.startswith(
        "# line 3: BTm(...) -> R gave an error: object 'x' not found; left out\n\n# line 4: k <-"
    )
    assert "# line 5: PlackettLuce(...) (40 calls) -> no such model; left out" in source
    assert "# line 6: nlm(...) -> maximises a likelihood or criterion of the script's own" in source
    assert source.endswith("# The R script ended here: stopped after 600 s; use --seconds")


def test_a_script_without_a_call_that_can_be_written_says_so(tmp_path: Path) -> None:
    source = text_of(Script(), tmp_path)
    assert "none of its calls has an equivalent here" in source
    assert ast.parse(source)


def hostile(text: str, step: Step) -> str:
    """The source of a script whose every text is this one."""
    script = Script(name=text or "x")
    call = script.call(3, None, text, variable="m", warnings=((text, text),))
    failed = script.call(6, None, error=text)
    script.lines[4] = TopLevel(text or "x", ["call", ["sym", "coef"], [["", ["sym", "m"]]], text])
    script.lines[5] = TopLevel(text or "x", ["call", ["sym", f"f{text}"], [[text, ["str", text]]], text])
    script.lines[8] = TopLevel(
        text or "x", ["call", ["sym", "<-"], [["", ["sym", text or "v"]], ["", ["str", text]]], text]
    )  # R has no variable without a name
    script.lines[9] = TopLevel(text or "x", ["call", ["sym", "cat"], [["", ["sym", text or "v"]]], text])
    script.values = {k: Valued(None, True) for k in (4, 5, 9)}
    script.mention(7, "nlm", text)
    captured = script.captured(ending="error", message=text)
    translation = replace(step.translation, route="bridge", reason=text, notes=(text, text + "x"))
    steps = [
        replace(step, call=call, translation=translation),
        Step(failed, outside(f"R gave an error: {text}")),
    ]
    of = by_site(Migration(captured, tuple(steps), left_out(captured)))
    done = ScriptSteps(captured, of.found, Path("."), loop_names(of.found)).all()
    of = replace(of, migration=replace(of.migration, done=tuple(done)))
    return script_text(of, Files(of.found, lambda file: ""), "test_tea.py")


def shape(source: str, text: str) -> str:
    """The script's syntax tree without its docstring, which names the script; its constant and its variable as such."""
    tree = ast.parse(source.encode())
    assert isinstance(tree.body[0], ast.Expr)
    lines = source.split('"""', 2)[-1].split("\n")
    assert all(len(line) <= 110 or text and repr(text)[1:-1] in line for line in lines)
    made, printed = tree.body[-2:]
    assert isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name)
    assert isinstance(made.value, ast.Constant) and made.value.value == text
    assert isinstance(printed, ast.Expr) and isinstance(printed.value, ast.Call)
    assert isinstance(printed.value.args[0], ast.Name) and printed.value.args[0].id == made.targets[0].id
    made.targets[0].id = printed.value.args[0].id = "variable"
    made.value.value = "text"
    return ast.dump(ast.Module(tree.body[1:], []))


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Step:
    """A fit."""
    script = Script()
    script.call(3, bradley_terry([9, 5, 4]))
    return script.steps(staged(tmp_path_factory.mktemp("x")))[0]


@given(text=texts)
def test_no_text_of_an_r_script_changes_the_syntax_tree(step: Step, text: str) -> None:
    plain = shape(hostile("plain", step), "plain")
    assert shape(hostile(text, step), text) == plain


@pytest.mark.parametrize("text", HOSTILE)
def test_no_hostile_text_changes_the_syntax_tree(step: Step, text: str) -> None:
    assert shape(hostile(text, step), text) == shape(hostile("plain", step), "plain")


@given(names=st.lists(texts.filter(bool), min_size=3, max_size=3, unique=True))
def test_items_and_keys_are_constants_whatever_they_are_called(names: list[str]) -> None:
    """Names of items, and values of loop variables, come out of the syntax tree as they went in."""
    steps = []
    for k, name in enumerate(names, 1):
        code = Call("pairproof.fit_llbt", (list(names),), {"reference": name, "notes": {name: [name]}})
        call = RecordedCall(k, BTM, "BTm(x)", place(3), task=3, nth=k, variable="f", keys={"r": name})
        steps.append(Step(call, Translation("native", code), value=1.0))
    script = Script(calls=[s.call for s in steps])
    made, _ = sites(script.captured(), steps)
    writer = Writer(made, Files(made, lambda file: ""))
    source = "\n".join(writer.block(made[0], []))
    seen = [n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)]
    assert set(names) <= set(seen)
    assert {n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)} <= {
        "pairproof", "f", "r", "reference", "notes", "value",
    }  # fmt: skip


def test_ten_thousand_calls_are_written_in_seconds(tmp_path: Path) -> None:
    code = bradley_terry([9, 5, 4])
    calls = [
        RecordedCall(
            k,
            BTM,
            f"BTm(x, {k % 500})",
            place(k % 500),
            task=k % 500 + 1,
            nth=k,
            variable="f",
            kept=k <= 2000,
        )
        for k in range(1, 10_001)
    ]
    calls.sort(key=lambda c: c.task)
    calls = [replace(c, id=k) for k, c in enumerate(calls, 1)]
    steps = [Step(c, Translation("native", code) if c.kept else outside("counted")) for c in calls]
    stage, script = staged(tmp_path), Script(calls=calls)
    stage.place(code.arguments[0].arguments[0])
    begun = time.monotonic()
    of = by_site(Migration(script.captured(), tuple(steps)))
    source = script_text(of, Files(of.found, stage.digest), "test_tea.py")
    # 0.5 s when it was written, on a machine with others at work.
    assert time.monotonic() - begun < 20
    assert len(of.found) == 500 and ast.parse(source)


def test_tables_are_named_after_their_fits_and_never_after_what_is_there(tmp_path: Path) -> None:
    script = tea()
    script.call(9, bradley_terry([9, 5, 4], "Darjeeling"), variable="again")  # m's table
    script.call(10, bradley_terry([1, 2, 3]), variable="Z\u00fcrich/../x")
    source = text_of(script, tmp_path, taken=("M", "f_south"))
    paths = {
        n.value
        for n in ast.walk(ast.parse(source))
        if isinstance(n, ast.Constant) and "data/" in str(n.value)
    }
    assert paths == {
        "data/m_2.csv",
        "data/f_north.csv",
        "data/f_south_2.csv",
        "data/f_west.csv",
        "data/Zurich_x.csv",
    }
    assert source.count("data/m_2.csv") == 2


def test_a_room_that_the_package_does_not_load_by_itself_is_imported() -> None:
    script = Script()
    codes: list[Any] = [
        Call("pairproof.bridge.base.binom_test", (6, 9)),
        attribute(bradley_terry([9, 5, 4]), "aic"),
    ]
    steps = [
        Step(script.call(line, None), Translation("native", code), value=1.0)
        for line, code in enumerate(codes, 3)
    ]
    made, _ = sites(script.captured(), steps)
    assert modules(made) == ["pairproof", "pairproof.bridge"]
    assert modules(made[1:]) == ["pairproof"]


def test_a_long_list_that_stands_twice_is_written_once() -> None:
    levels = [f"lizard{k:03}" for k in range(20)]
    frames = {"a": Call("pairproof.read", (), {"items": levels}), "b": {"x": levels, "y": ["few", "few"]}}
    code, lists = shared_lists(Call("pairproof.fit", (frames,)))
    assert lists == [levels]
    text = in_a_line(code, lambda r: {-1: "levels"}[r.call], str)
    assert text.count("levels") == 2 and "lizard" not in text and text.count("few") == 2
    assert shared_lists(Call("pairproof.fit", (levels, ["a"])))[1] == []
