"""Text from files and tables is data: names made to run as code in R, a shell or Python do not run, wherever
they can come in.

Every name here would, taken as code, make the file of the fixture ``trap``.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.bridge import Formula, data_frame, package_data
from pairproof.bridge.packages.base import glm, qvcalc
from pairproof.bridge.packages.bradleyterry2 import (
    BTabilities,
    BTm,
    BTm_counts,
    GenDavidson,
    countsToBinomial,
)
from pairproof.bridge.packages.gnm import gnm, llbt_frame
from pairproof.bridge.packages.mass import polr
from pairproof.bridge.packages.prefmod import llbt_design, llbtPC_fit
from pairproof.bridge.packages.psychotools import btmodel
from pairproof.bridge.process.policy import Backend
from pairproof.bridge.process.session import session
from pairproof.bridge.programs.r_script import to_r
from pairproof.bridge.records.record_files import Records
from pairproof.bridge.values.convert import to_node
from pairproof.bridge.values.formulas import FUNCTIONS, checked, variables
from pairproof.errors import FormulaError, InputError, RError
from pairproof.validation.statements.registers import COMPUTATIONS, Request


class Trap:
    """A file that must not come to be, and names that would make it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "pwned"

    @property
    def names(self) -> list[str]:
        shell, r = f"touch {self.file}", f"system('touch {self.file}')"
        return [
            f"A`); {r}; (`",
            f"B{{{r}}}",
            f'C"); {r}; c("',
            f'D\\"); {r} #',
            f"E$({shell})",
            f"F'); {r}; ('",
            f"G`{shell}`",
            f"H\n{r}\n",
            f"I; {shell} #",
        ]

    def is_untouched(self) -> bool:
        return not self.file.exists()


@pytest.fixture
def trap(tmp_path):
    return Trap(tmp_path)


# -- formulas ------------------------------------------------------------------------------------------------

REFUSED = [
    "~ {system('touch pwned'); throat.PC1[..]}",
    "y ~ system('x')",
    "y ~ system(x)",
    "y ~ base::system(x)",
    "y ~ x; system(y)",
    "y ~ x\n; z",
    "y ~ x <- 3",
    "y ~ `a`; z",
    "y ~ `system`(x)",
    "y ~ (system)(x)",
    "y ~ I(x)(z)",
    "y ~ x$y",
    "y ~ x@y",
    "y ~ x[1]",
    "y ~ x[[..]]",
    "y ~ function(x) x",
    "y ~ \\(x) x",
    'y ~ "a"',
    "y ~ x # z",
    "y ~ C(x, system)",
    "y ~ C(x, contr = system)",
    "y ~ eval(x)",
    "y ~ do.call(x)",
    "y ~ get(x)",
    "y ~ if (x) y",
    "y ~ x ~ z",
    "y",
    "",
    "~",
    "y ~ x y",
    "y ~ `a\\`",
    "y ~ x := 3",
    "y ~ ?x",
    "y ~ !x",
    "y ~ x && y",
    "y ~ x |> system()",
    "y ~ " + "(" * 99 + "x" + ")" * 99,
    "y ~ x\0",
    "y ~ \u2028x",
    "y ~ x -> z",
    "y ~ I({x})",
    "y ~ I(x = {1})",
    "y ~ offset(readRDS(x))",
    "y ~ source(x)",
    "y ~ x" + " + x" * 60_000,
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_more_than_a_formula_is_refused_and_the_place_is_shown(text):
    with pytest.raises(FormulaError, match="the formula: ") as caught:
        checked(text)
    assert len(str(caught.value)) < 900
    with pytest.raises(FormulaError, match="argument"):
        to_node(Formula(text), "argument 'formula'")


@pytest.mark.parametrize("text", [
    "y ~ o1 + o2 + o3 + tie", "~1", "~ SVL[..] + (1 | ..)", "cbind(wins, losses) ~ 0 + b1", "y ~ (o1 + o2):f1.:v2", "y ~ C(x, contr.sum) + log(z)^2",
    "count ~ GenDavidson(result == 1, first, second, tie.max = ~ 1) - 1", "~ `St. Gallen` + \u00e9cole", "y ~ a %in% b + I(x < -1) + 1.5e-3 * z"])  # fmt: skip
def test_a_formula_goes_to_r_as_it_stands(text):
    assert checked(text) == text == checked(checked(text))
    assert variables(text) or text == "~1"


ALPHABET = st.lists(
    st.sampled_from(
        [
            *"ab.1 ~+-*:/^|()[],=<>!`{};\"'\\#$@%&\n",
            "system",
            "..",
            "%in%",
            "I(",
            "\u00e9",
            "\u2028",
            "::",
            "<-",
            " + ",
            "x",
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("text", ["y ~ a > b > c", "y ~ 1 == x != z"])
def test_comparisons_in_a_chain_which_r_cannot_parse_are_refused(text):
    with pytest.raises(FormulaError, match="two values at a time"):
        checked(text)
    assert checked("y ~ (a > b) > c | a > b") == "y ~ (a > b) > c | a > b"


@pytest.mark.r
def test_r_reads_what_is_taken_as_one_formula_of_names_numbers_and_known_functions():
    """R's own parser is asked of every random text that the grammar takes."""
    taken: list[str] = []

    @given(ALPHABET)
    @settings(max_examples=500, deadline=None, database=None, derandomize=True)
    def collect(text):
        for candidate in (text, f"y ~ {text}"):
            try:
                taken.append(checked(candidate))
            except FormulaError:
                continue

    collect()
    texts = sorted(set(taken))
    assert len(texts) > 10
    calls = (
        session()
        .call(
            code="""
lapply(texts, function(text) {
  parsed <- parse(text = text, keep.source = FALSE)
  walk <- function(x) if (is.call(x)) c(if (is.name(x[[1]])) as.character(x[[1]]) else "?", unlist(lapply(as.list(x)[-1], function(a) if (!missing(a)) walk(a))))
  c(as.character(length(parsed)), if (is.call(parsed[[1]])) as.character(parsed[[1]][[1]]), walk(parsed[[1]]))
})""",
            args={"texts": texts},
        )
        .value
    )
    allowed = FUNCTIONS | set("~ + - : * / ^ | ( [ %in% == != < <= > >=".split())
    for text, found in zip(texts, calls):
        assert list(found.values[:2]) == ["1", "~"] and set(found.values[2:]) <= allowed, (text, found.values)


@pytest.mark.r("gnm", "prefmod")
def test_formulas_of_the_bridges_functions_run_nothing(trap):
    evil = f"{{system('touch {trap.file}'); 1}}"
    data = {"y": np.array([3.0, 1.0, 2.0, 4.0]), "x": np.array([0.0, 1.0, 1.0, 2.0])}
    wide = {"AB": [0, 2, 0, 2], "AC": [2, 0, 0, 2], "BC": [0, 2, 2, 0], "S": [1, 1, 2, 2]}
    for ask in (
        lambda: glm(f"y ~ {evil}", data),
        lambda: gnm(f"y ~ x + {evil}", data),
        lambda: gnm("y ~ x", data, eliminate=evil),
        lambda: llbtPC_fit(wide, 3, f"~ {evil}", f"~ {evil}"),
        lambda: llbtPC_fit(wide, 3, "~S", f"~S + {evil}"),
    ):
        with pytest.raises(FormulaError):
            ask()
    assert trap.is_untouched()


# -- computations of claims files ----------------------------------------------------------------------------

CLAIM = """
[paper]
id = "evil"
title = "x"
read_from = "p"
[data.d]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["A", "B", 3, 2], ["A", "C", 4, 1], ["B", "C", 2, 3]]
[[claim]]
id = "a"
where = "p"
data = "d"
compute = "COMPUTE"
args = ARGS
engines = ["R:BradleyTerry2"]
stat = { "estimate.A" = "1" }
"""


@pytest.mark.r("BradleyTerry2")
@pytest.mark.parametrize(("compute", "argument"), [("flat-lizards", "model"), ("bias-reduced", "reference"), ("abilities-by-default", "reference"),
                                                   ("counts-in-r", "source"), ("half-wins-in-r", "labels")])  # fmt: skip
def test_a_claims_file_runs_nothing(tmp_path, trap, compute, argument):
    from pairproof.validation import run

    texts = [
        f"~ {{system('touch {trap.file}'); throat.PC1[..]}} + (1 | ..)",
        f"~ SVL[..]; system('touch {trap.file}')",
        *trap.names,
    ]
    for text in texts:
        path = tmp_path / "evil.claims.toml"
        path.write_text(
            CLAIM.replace("COMPUTE", compute).replace("ARGS", f"{{ {argument} = {json.dumps(text)} }}"),
            "utf-8",
        )
        with pytest.raises(
            InputError, match=f"line 10, claim 'a': args.{argument}|line 10, claim 'a': {compute}: "
        ):
            run(str(path), r="live")
    assert trap.is_untouched()


@pytest.mark.parametrize("name", COMPUTATIONS)
@pytest.mark.parametrize(
    "args",
    [
        {},
        dict.fromkeys(
            (
                "model",
                "reference",
                "source",
                "labels",
                "claim",
                "divided_by",
                "annotations",
                "low",
                "high",
                "item",
                "column",
                "tracks",
                "models",
                "systems",
            ),
            10**5000,
        ),
    ],
)
def test_missing_and_absurd_arguments_are_errors_of_the_input(name, args):
    import pandas as pd

    frame = pd.DataFrame(
        {"first": ["A", "B", "A"], "second": ["B", "C", "C"], "wins": [3, 2, 1], "losses": [1, 2, 0]}
    )
    table = pairproof.read(frame, layout="counts")
    request = Request(
        lambda _: table, lambda _: frame, lambda _: pairproof.fit_llbt(table), "d", args, Backend("none")
    )
    try:
        COMPUTATIONS[name](request)
    except (InputError, RError) as error:
        assert "args." in str(error) or "R is not asked" in str(error) or isinstance(error, InputError)
    except KeyError as error:  # WMT's own columns, which this table has not
        assert str(error).strip("'") in ("srclang", "trglang", "srcIndex") and name in (
            "judge-agreement",
            "held-out-sizes",
        )


@pytest.mark.r("BradleyTerry2")
def test_a_covariate_that_the_lizards_have_not_is_named(tmp_path):
    request = Request(
        lambda _: None,
        lambda _: None,
        lambda _: None,
        "",
        {"model": "~ system[..] + (1 | ..)"},
        Backend("live"),
    )
    with pytest.raises(RError, match="flatlizards has no covariate system; it has"):
        COMPUTATIONS["flat-lizards"](request)


# -- names in tables -----------------------------------------------------------------------------------------


@pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools", "qvcalc", "MASS")
def test_names_of_items_and_columns_run_nothing_in_any_r_function(trap):
    items = trap.names[:4]
    pairs = [(i, j) for i in range(4) for j in range(i)]
    first, second = [items[i] for i, _ in pairs], [items[j] for _, j in pairs]
    wins, losses, ties = [5.0, 4, 3, 6, 2, 4], [2.0, 3, 4, 1, 5, 3], [1.0, 2, 1, 1, 2, 1]
    model = BTm_counts(wins, losses, first, second)
    assert (
        len(BTabilities(model).players) == 4
        and BTm_counts(wins, losses, first, second, refcat=items[1]).refcat == items[1]
    )
    in_full = BTm(
        np.column_stack([wins, losses]), first, second, refcat=items[1], separate_ability=[items[2]]
    )
    assert set(in_full.players) == set(items) and len(BTabilities(in_full).players) == 4
    assert GenDavidson(first, second, wins, ties, losses, reference=items[2]).players == tuple(sorted(items))
    table = np.array(
        [[1, -1, 1, 0, 1, -1], [-1, -1, 1, 1, 1, 1], [1, 1, -1, -1, 0, 1], [-1, 1, 1, -1, 1, -1.0]]
    )
    assert set(btmodel(table, items).names) >= set(items[:3])
    assert qvcalc(np.diag([0.0, 1, 2, 3]), items).items == tuple(items)
    assert countsToBinomial(np.arange(16).reshape(4, 4), items).player1
    assert polr(first, second, wins, ties, losses, items=items).names[-1] == "delta"
    frame = llbt_frame(
        first, second, wins, losses, ties, items=items, covariates={trap.names[5]: ["u", trap.names[6]] * 3}
    )
    assert gnm(frame.formula(), frame.data, "cell").df_residual == 8
    prefs = (1 - table) / 1.0
    wide = {name: prefs[:, k] for k, name in enumerate(trap.names[:6])} | {"S": np.array([1.0, 2, 1, 2])}
    for ask in (
        lambda: llbt_design(wide, 4, objnames=items, cat_scovs=["S"]),
        lambda: llbtPC_fit(wide, 4, obj_names=items),
        lambda: llbtPC_fit(wide, 4),
        lambda: package_data("prefmod", trap.names[0]),
        lambda: package_data(trap.names[0], "x"),
    ):
        try:
            ask()
        except (RError, TypeError, InputError):
            continue  # R's own error on such a name; it must only not run it
    assert trap.is_untouched()


@pytest.mark.skipif(
    shutil.which("Rscript") is None,
    reason="R is not installed: there is no Rscript to run the script with; make setup brings it",
)
def test_a_script_of_a_fit_with_such_names_runs_and_makes_no_file(trap, tmp_path):
    import pandas as pd

    names = [n.replace("\n", " ") for n in trap.names[:3]] + ["\u65e5\u672c # \\U{41}", "tab\\t\"'`"]
    rows = [(names[i], names[j], 3 + i, 2 + j) for i in range(5) for j in range(i)]
    fit = pairproof.fit_llbt(
        pairproof.read(pd.DataFrame(rows, columns=["first", "second", "wins", "losses"]), layout="counts")
    )
    script = tmp_path / "fit.R"
    script.write_text(to_r(fit), "ascii")
    done = subprocess.run(
        ["Rscript", "--vanilla", str(script)], capture_output=True, text=True, timeout=120, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    printed = dict(line.split("\t")[:2] for line in done.stdout.splitlines())
    for item in names[:-1]:
        if item != fit.spec.reference and item in fit.params:
            assert float(printed[item]) == pytest.approx(fit.params[item], abs=1e-9)  # observed 1e-15
    assert trap.is_untouched()


def test_no_line_of_a_script_is_begun_by_a_name(trap):
    """In the script's source a name stands in a string, or behind #, of one line of ASCII, whatever is in
    it.
    """
    from pairproof.bridge.programs.r_source import comment as _comment, text as _text

    for name in [
        *trap.names,
        "a\r\nb",
        "\u2028x",
        "\x0bx",
        "\\",
        '"',
        "\x85y",
        "\x00z",
        "\U0001f600",
        "\x1b[31m",
    ]:
        quoted = _text(name)
        assert quoted.isascii() and "\n" not in quoted and quoted[0] == quoted[-1] == '"'
        inside = quoted[1:-1].replace("\\\\", "").replace('\\"', "")
        assert '"' not in inside
        assert len(_comment(name).splitlines()) <= 1 and _comment(name).isascii()


# -- records -------------------------------------------------------------------------------------------------


@pytest.mark.r
@pytest.mark.parametrize("mode", ["recorded", "both", None])
def test_a_record_is_an_answer_and_never_a_call(tmp_path, trap, mode):
    """What a record says was called is not called: not its code, not its function, not its arguments."""
    code = "x + 1"
    live = Backend("live", record="all", records=Records([tmp_path]))
    live.call(code=code, args={"x": 1})
    path = next(tmp_path.glob("*.json"))
    record = json.loads(path.read_text("utf-8"))
    evil = f"system('touch {trap.file}')"
    record["call"]["code"] = [evil]
    record["call"]["fun"] = "base::system"
    record["call"]["arguments"] = {"x": {"expr": evil}, "y": {"formula": f"~ {evil}"}}
    record["answer"]["output"] = [evil]
    path.write_text(json.dumps(record), "utf-8")
    records = Records([tmp_path])
    try:
        Backend(mode, records=records).call(code=code, args={"x": 1})
    except RError as error:
        assert "differs from the record" in str(error)
    records.all()
    assert trap.is_untouched()


# -- Python --------------------------------------------------------------------------------------------------


#: A test that `migrate` wrote runs the user's own Python script, as `python analysis.py` would. In a sandbox
#: R takes the place of the process that has given its rights away: a program with its arguments, no shell.
RUNS_WHAT_IS_THE_USERS = {
    ("pairproof/validation/again.py", "compile"),
    ("pairproof/validation/again.py", "exec"),
    ("pairproof/bridge/capture/confined.py", "execv"),
}


def test_nothing_in_the_package_evaluates_text_unpickles_files_or_asks_a_shell(root):
    """eval, exec, compile, os.system, popen, shell=True, yaml and marshal are nowhere; pickle is in the two
    modules of the pipe alone.
    """
    found = []
    for path in sorted((root / "pairproof").rglob("*.py")):
        here = path.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = ""
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                if name in ("eval", "exec", "compile", "__import__") or attribute in (
                    "system",
                    "popen",
                    "spawnl",
                    "execv",
                    "execvp",
                    "read_pickle",
                ):
                    if (here, name or attribute) not in RUNS_WHAT_IS_THE_USERS:
                        found.append((here, node.lineno, name or attribute))
                found += [
                    (here, node.lineno, "shell=") for k in node.keywords if k.arg in ("shell", "allow_pickle")
                ]
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = (
                    [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                )
                found += [
                    (here, node.lineno, m)
                    for m in modules
                    if m.split(".")[0] in ("yaml", "marshal", "shelve", "dill", "joblib")
                ]
                if "pickle" in modules and here not in (
                    "pairproof/bridge/process/process.py",
                    "pairproof/bridge/process/worker.py",
                    "pairproof/bridge/process/replies.py",
                ):
                    found.append((here, node.lineno, "pickle"))
    assert found == []


def test_a_data_frame_holds_its_text_as_text(trap):
    node = data_frame({name: [name] for name in trap.names}).node
    assert [column[0] for column in node[1]] == ["chr"] * len(trap.names)
