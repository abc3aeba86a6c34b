"""Claims of models of persons' whole answers: Plackett and Luce's, pattern models, and tables that state none.

Numbers of R's PlackettLuce 0.4.5 stand in the specification of rankings, with their data; its vignette on salad
dressings prints the estimates, standard errors, deviance and AIC.  prefmod's numbers are those of its pattR.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import jsonschema
import pytest

import pairproof
from pairproof.cli import main
from pairproof.errors import FormulaError, InputError
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.check.explain import explain
from pairproof.validation.claims.data import read_answers, read_data
from pairproof.validation.claims.entries import tomllib
from pairproof.validation.verdicts.agreement import Agreement, exit_code
from pairproof.validation.verdicts.arithmetic_rows import arithmetic_rows
from tools.claims_schema import schema

HEAD = '[paper]\nid = "p"\ntitle = "T"\n'
SALAD = """[data.d]
kind = "answers"
layout = "ranks"
items = ["A", "B", "C", "D"]
columns = ["A", "B", "C", "D", "weight"]
rows = [[1, 2, 3, 4, 2], [2, 1, 3, 4, 1], [2, 1, 4, 3, 2], [2, 3, 1, 4, 1], [3, 1, 2, 4, 2], [3, 1, 4, 2, 1],
    [3, 4, 2, 1, 1], [4, 1, 2, 3, 11], [4, 1, 3, 2, 6], [4, 2, 1, 3, 3], [4, 3, 1, 2, 1], [4, 3, 2, 1, 1]]
item_data = { acetic = { A = 0.5, B = 0.5, C = 1.0, D = 0.0 }, gluconic = { A = 0, B = 10, C = 0, D = 10 } }
"""
#: The vignette's summary of PlackettLuce(salad, npseudo = 0), and its worths.
VIGNETTE = """estimate = { B = "2.7299", C = "1.5615", D = "1.0268" }
se = { B = "0.4481", C = "0.3965", D = "0.3771" }
z = { B = "6.093", C = "3.939", D = "2.723" }
p = { B = "1.11e-09", C = "8.20e-05", D = "0.00646" }
deviance = "152.83 on 189"
aic = "158.83"
stat = { "worth.all.A" = "0.04186", "worth.all.B" = "0.64176", "worth.all.C" = "0.19950", "worth.all.D" = "0.11688" }
"""
#: PlackettLuce(salad), with its default npseudo = 0.5: estimates and R's standard errors, log-likelihood.
DEFAULT = """estimate = { B = "2.6712", C = "1.5259", D = "1.0019" }
se = { B = "0.4433", C = "0.3924", D = "0.3733" }
llf = "-76.424"
deviance = "152.85 on 189"
"""
FRUIT = """[data.d]
kind = "answers"
layout = "ranks"
how = { unranked = { "0" = "absent" } }
items = ["apple", "banana", "orange", "pear"]
columns = ["apple", "banana", "orange", "pear"]
rows = [[1, 2, 0, 0], [4, 1, 2, 3], [2, 1, 1, 1], [1, 2, 3, 0], [2, 1, 1, 0], [1, 0, 3, 2]]
"""
#: Three rankings in which A never loses: R's default answers "without a word".
SEPARATED = """[data.d]
kind = "rankings"
layout = "orders"
how = { places = ["first", "second", "third"] }
columns = ["first", "second", "third"]
rows = [["A", "B", "C"], ["A", "C", "B"], ["A", "B", "C"]]
"""
OF_SEPARATED = 'estimate = { B = "-2.4215", C = "-2.9592" }\nse = { B = "1.80", C = "1.90" }\n'


def text(data: str, printed: str, model: str = '{ family = "plackett-luce" }') -> str:
    stated = f"model = {model}\n" if model else ""
    return f'{HEAD}{data}[[claim]]\nid = "c"\ndata = "d"\n{stated}{printed}'


def checked(*parts: str) -> list[Agreement]:
    return Checker(parse_claims(text(*parts))).all()


def test_the_salad_dressings_of_plackettluce_s_vignette_come_out_19_of_19() -> None:
    rows = checked(SALAD, VIGNETTE)
    assert len(rows) == 19 and exit_code(rows) == 0
    definition = {str(a.quantity): a.code for a in rows if a.verdict == "agrees-other-definition"}
    assert definition == {"deviance": "plackett-luce-stages", "df_resid": "plackett-luce-stages"}
    assert {a.verdict for a in rows if str(a.quantity) not in definition} == {"agrees"}


def test_item_covariates_of_the_vignette_come_out() -> None:
    printed = (
        'estimate = { acetic = "3.27431", gluconic = "0.27392" }\nse = { acetic = "0.57650", gluconic = "0.04505" }\n'
        'deviance = "152.9 on 190"\naic = "156.9"\n'
    )
    rows = checked(SALAD, printed, '{ family = "plackett-luce", item_terms = ["acetic", "gluconic"] }')
    # The vignette's algorithm stops where the sixth digit is not yet right.
    assert len(rows) == 7 and exit_code(rows) == 0
    assert {a.verdict for a in rows} == {"agrees", "agrees-other-definition", "immaterial"}


def test_one_wrong_digit_is_a_misprint_and_nothing_else_is_accused() -> None:
    rows = checked(SALAD, VIGNETTE.replace('C = "1.5615"', 'C = "1.6515"'))
    off = [(str(a.quantity), a.code) for a in rows if not a.passes]
    assert ("estimate.C", "misprint") in off and exit_code(rows) == 1
    rows = checked(SALAD, 'deviance = "152.93 on 189"')
    assert [str(a.quantity) for a in rows if not a.passes] == ["deviance"]


@pytest.mark.parametrize("said", ["", ", npseudo = 0.5"])
def test_plackettluce_s_default_prior_comes_out_said_or_not(said: str) -> None:
    rows = checked(SALAD, DEFAULT, f'{{ family = "plackett-luce"{said} }}')
    assert exit_code(rows) == 0 and {a.verdict for a in rows} <= {"agrees", "agrees-other-definition"}
    codes = {str(a.quantity): a.code for a in rows}
    if said:
        assert codes["estimate.B"] == "" and codes["se.B"] == "plackett-luce-data-information"
    else:
        assert {codes[q] for q in ("estimate.B", "se.B", "llf")} == {"plackett-luce-default-prior"}


def test_ties_shrink_with_the_default_prior_as_r_has_them() -> None:
    printed = """estimate = { banana = "0.2529", orange = "-0.6135", pear = "-0.0869", tie2 = "-2.1507", tie3 = "-0.7925" }
se = { banana = "1.0420", orange = "1.1152", pear = "1.0677", tie2 = "1.1939", tie3 = "1.1325" }
df_resid = "53"
"""
    rows = checked(FRUIT, printed)
    assert len(rows) == 11 and {a.verdict for a in rows} == {"agrees-other-definition"}


def test_the_prior_is_recognised_where_an_item_never_loses() -> None:
    rows = checked(SEPARATED, OF_SEPARATED)
    assert {(a.verdict, a.code) for a in rows} == {("agrees-other-definition", "plackett-luce-default-prior")}
    assert all(a.native is not None and "npseudo = 0.5" in a.explanation for a in rows)


def test_a_misprint_beside_the_unsaid_prior_is_named() -> None:
    rows = checked(SEPARATED, OF_SEPARATED.replace("-2.4215", "-2.6215"))
    assert [str(a.quantity) for a in rows if not a.passes] == ["estimate.B"]


def test_other_numbers_of_unconnected_rankings_are_not_run_and_say_why() -> None:
    rows = checked(SEPARATED, 'estimate = { B = "-2.1", C = "-2.3" }\nse = { B = "1.2", C = "1.4" }\n')
    assert {(a.verdict, a.code) for a in rows} == {("not-run", "native-not-run")} and exit_code(rows) == 2
    assert "the rankings do not connect all items" in rows[0].explanation


def test_a_prior_that_is_said_is_not_taken_for_another() -> None:
    rows = checked(SALAD, DEFAULT, '{ family = "plackett-luce", npseudo = 1.0 }')
    assert exit_code(rows) == 1
    rows = checked(
        SALAD,
        'estimate = { B = "2.4880", C = "1.4182", D = "0.9248" }',
        '{ family = "plackett-luce", prior = 1 }',
    )
    assert {a.verdict for a in rows} == {"agrees"}


def test_the_pattern_model_of_rankings_comes_out() -> None:
    """Mallows and Bradley and Terry's model at 40 digits; prefmod's optimiser stops 1e-6 from it."""
    printed = """estimate = { A = "-0.277419", B = "0.591253", C = "0.188788" }
se = { A = "0.124545", B = "0.143283", C = "0.111424" }
llf = "-77.44574"
deviance = "22.24862 on 20"
"""
    rows = checked(SALAD, printed, '{ family = "pattern" }')
    assert len(rows) == 9 and {a.verdict for a in rows} == {"agrees"}
    doubled = (
        printed.replace("-0.277419", "-0.554837")
        .replace("0.591253", "1.182506")
        .replace("0.188788", "0.377575")
    )
    rows = checked(SALAD, doubled.split("se =")[0], '{ family = "pattern", scale = "log-odds" }')
    assert {a.verdict for a in rows} == {"agrees"}


PAIRS = """[data.d]
kind = "answers"
layout = "pairs"
how = { pair_order = "prefmod", coding = { first = 1, tie = 0, second = -1, missing = "NA" } }
items = ["A", "B", "C"]
columns = ["V1", "V2", "V3", "sex"]
rows = [[1, 1, 1, "m"], [1, 0, -1, "f"], [-1, 1, 1, "m"], [1, 1, -1, "f"], [1, -1, 0, "m"], [-1, -1, 1, "f"], [0, 1, 1, "m"], [1, 1, "NA", "f"]]
"""
RATINGS = """[data.d]
kind = "answers"
layout = "ratings"
how = { scale = "1-5", best = "low" }
items = ["A", "B", "C"]
columns = ["A", "B", "C", "sex"]
rows = [[1, 2, 4, "m"], [2, 2, 3, "f"], [3, 1, 5, "m"], [1, 4, 2, "f"], [2, 3, 1, "m"], [5, 4, 4, "f"], [1, 2, 2, "m"]]
"""


@pytest.mark.parametrize(
    ("data", "model", "asked"),
    [
        (PAIRS, '{ family = "pattern" }', {}),
        (PAIRS, '{ family = "pattern", ties = "none" }', {"ties": "none"}),
        (PAIRS, '{ family = "pattern", reference = "A" }', {"reference": "A"}),
        (PAIRS, '{ family = "pattern", alpha = "common" }', {"alpha": "common"}),
        (PAIRS, '{ family = "pattern", cells = "sex" }', {"cells": ("sex",)}),
        (RATINGS, '{ family = "pattern", by = "sex" }', {"by": "sex"}),
        (RATINGS, '{ family = "pattern", reference = "sum" }', {"reference": "sum"}),
    ],
)
def test_pattern_models_of_comparisons_and_ratings_are_those_of_fit_pattern(
    data: str, model: str, asked: dict
) -> None:
    paper = parse_claims(text(data, 'compare_only = "x"', model))
    ours = pairproof.fit_pattern(read_answers(paper, "d"), **asked)
    found = Checker(paper).fit("c")
    assert found.params.equals(ours.params) and found.deviance == ours.deviance
    estimates = ", ".join(f'"{n}" = "{ours.params[n]:.5f}"' for n, free in zip(ours.names, ours.free) if free)
    rows = checked(
        data, f'estimate = {{ {estimates} }}\ndeviance = "{ours.deviance:.4f} on {ours.df_resid}"', model
    )
    assert {a.verdict for a in rows} == {"agrees"}


@pytest.mark.parametrize("model", ["", "{ }", '{ reference = "A" }'])
def test_a_table_of_rankings_without_a_family_is_not_checkable_and_is_offered_its_readings(
    model: str,
) -> None:
    rows = checked(SALAD, VIGNETTE, model)
    assert {(a.verdict, a.code) for a in rows} == {("not-checkable", "another-model")} and exit_code(
        rows
    ) == 0
    assert 'state family = "plackett-luce" (19 of 19 numbers reproduced)' in rows[0].explanation
    for family in ("pattern", "llbt", "bradley-terry"):
        assert f'family = "{family}" (' in rows[0].explanation


def test_rankings_in_columns_of_systems_are_not_accused_either() -> None:
    data = """[data.d]
kind = "rankings"
columns = ["system1", "rank1", "system2", "rank2", "system3", "rank3"]
rows = [["A", 1, "B", 2, "C", 3], ["B", 1, "A", 2, "C", 3], ["C", 1, "A", 2, "B", 3], ["A", 1, "C", 2, "B", 3]]
"""
    printed = 'estimate = { B = "-0.71", C = "-0.71" }'
    assert {a.code for a in checked(data, printed, "")} == {"another-model"}
    fit = pairproof.fit_plackett_luce(read_answers(parse_claims(text(data, printed)), "d"))
    printed = f'estimate = {{ B = "{fit.params["B"]:.4f}", C = "{fit.params["C"]:.4f}" }}'
    assert {a.verdict for a in checked(data, printed)} == {"agrees"}
    # Other families have the pairs, as before.
    assert {a.verdict for a in checked(data, printed, '{ family = "bradley-terry" }')} != {"agrees"}


def test_a_table_of_comparisons_must_say_its_family() -> None:
    data = '[data.d]\nkind = "counts"\ncolumns = ["first", "second", "wins", "losses"]\nrows = [["A", "B", 3, 2]]\n'
    for model, line in (("", 8), ("{ }", 11)):
        with pytest.raises(InputError, match=f"line {line}.*model"):
            checked(data, 'estimate = { B = "1" }', model)
    with pytest.raises(
        InputError, match="data.d: the model is for persons' whole answers, but these are comparisons"
    ):
        checked(data, 'estimate = { B = "1" }')


def test_whole_answers_are_comparisons_to_other_families() -> None:
    paper = parse_claims(text(SALAD, VIGNETTE, '{ family = "bradley-terry" }'))
    table = read_data(paper, "d")
    assert table.ranked_together == 4 and table.n_comparisons == 32 * 6
    fit = Checker(paper).fit("c")
    # Pairs as if they were independent, by R's glm (the specification of rankings, section 8).
    assert [round(fit.params[i], 9) for i in "BCD"] == [2.641785941, 1.438723327, 0.827094437]


def test_arithmetic_holds_z_and_p_against_estimate_and_error() -> None:
    paper = parse_claims(text(SALAD, VIGNETTE.replace('"6.093"', '"6.193"')))
    rows = arithmetic_rows(paper, Checker(paper).data)
    assert {str(a.quantity): a.verdict for a in rows if a.quantity.name.startswith("z.")}[
        "arithmetic.z.B"
    ] == "differs"
    good = parse_claims(text(SALAD, VIGNETTE))
    assert {a.verdict for a in arithmetic_rows(good, Checker(good).data)} == {"agrees"}


def test_the_search_for_slips_says_that_it_is_not_of_this_model() -> None:
    found = explain(parse_claims(text(SALAD, VIGNETTE)))
    assert "the known slips are for comparisons" in found.not_searched["c"]


def test_data_made_from_others_have_their_layout() -> None:
    more = '[data.men]\nkind = "answers"\nfrom = "d"\nonly = { sex = "m" }\n'
    paper = parse_claims(
        text(RATINGS + more, 'compare_only = "x"', '{ family = "pattern" }').replace(
            'data = "d"', 'data = "men"'
        )
    )
    assert read_answers(paper, "men").n_persons == 4


@pytest.mark.parametrize(
    ("data", "model", "line", "message"),
    [
        (SALAD, '{ family = "plackett-luce", cells = "row" }', 15, 'cells is for family = "llbt" or'),
        (SALAD, '{ family = "plackett-luce", ties = "davidson" }', 15, "ties is for family"),
        (SALAD, '{ family = "plackett-luce", order_effect = true }', 15, "order_effect is for family"),
        (SALAD, '{ family = "plackett-luce", cluster = "judge" }', 15, "cluster is for family"),
        (SALAD, '{ family = "plackett-luce", formula = "x" }', 15, 'formula is for family = "bradley-terry"'),
        (SALAD, '{ family = "plackett-luce", scale = "elo" }', 15, 'scale = "elo" is for family'),
        (SALAD, '{ family = "plackett-luce", alpha = "item" }', 15, 'alpha is for family = "pattern"'),
        (SALAD, '{ family = "plackett-luce", prior = 1, npseudo = 0.5 }', 15, "prior is for free log worths"),
        (
            SALAD,
            '{ family = "plackett-luce", npseudo = -1 }',
            15,
            "npseudo = -1; expected a number, 0 or more",
        ),
        (SALAD, '{ family = "plackett-luce", npseudo = inf }', 15, "npseudo = inf"),
        (SALAD, '{ family = "pattern", npseudo = 0.5 }', 15, 'npseudo is for family = "plackett-luce"'),
        (SALAD, '{ family = "pattern", ties = "rao-kupper" }', 15, 'ties = "rao-kupper" is not for'),
        (SALAD, '{ family = "llbt", ties = "by-pair" }', 15, 'ties = "by-pair" is for family = "pattern"'),
        (SALAD, '{ family = "llbt", dependence = true }', 15, 'dependence is for family = "pattern"'),
        (
            SALAD,
            '{ family = "plackettluce" }',
            15,
            "expected one of llbt, bradley-terry, pattern, plackett-luce",
        ),
        (SALAD.replace('"answers"', '"counts"'), "{ }", 6, 'layout is for kind = "rankings" or'),
        (SALAD.replace('layout = "ranks"\n', ""), "{ }", 5, 'kind = "answers" needs layout'),
        (SALAD.replace('"ranks"', '"rank"'), "{ }", 6, "expected one of pairs, ranks"),
        (FRUIT.replace("unranked", "unrank"), "{ }", 7, "how has 'unrank', which is not for layout"),
        (FRUIT.replace("unranked", "item_data"), "{ }", 7, "how has 'item_data', which is not for layout"),
        (FRUIT.replace("unranked", "encoding"), "{ }", 7, "how has 'encoding'"),
        (
            SALAD.replace('"answers"\nlayout = "ranks"', '"counts"\nhow = { scale = "1-5" }'),
            "{ }",
            6,
            "data without layout",
        ),
    ],
)
def test_keys_that_contradict_each_other_are_refused_by_line_and_name(
    data: str, model: str, line: int, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse_claims(text(data, 'estimate = { B = "1" }', model))
    assert f"line {line}:" in str(caught.value) and message.replace("'", '"') in str(caught.value).replace(
        "'", '"'
    )


@pytest.mark.parametrize(
    "how",
    [
        "{ unranked = 5 }",
        "{ unranked = [1, 2] }",
        '{ unranked = { "0" = "gone" } }',
        "{ times = [[1], [2]] }",
        "{ times = 1e9 }",
        "{ answers = 3 }",
        '{ answers = ["nowhere"] }',
        "{ levels = 3 }",
        "{ levels = { sex = 3 } }",
        "{ tie_category = { a = 1 } }",
        '{ person = "nobody" }',
    ],
)
def test_what_a_reader_cannot_read_is_an_error_of_the_file(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.claims.toml"
    data = FRUIT.replace('{ unranked = { "0" = "absent" } }', how)
    file.write_text(text(data, 'estimate = { banana = "1" }'), encoding="utf-8")
    assert main(["check", str(file), "--r", "none"]) in (2, 3)
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out and "data.d" in said.err + said.out


def test_nothing_that_stands_in_a_claim_of_answers_is_opened_or_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    secret = tmp_path / "secret.csv"
    secret.write_text("item,x\nA,1\n", encoding="utf-8")
    for how in (f'{{ item_data = "{secret}" }}', f'{{ source = "{secret}" }}'):
        with pytest.raises(InputError, match="which is not for layout"):
            checked(FRUIT.replace('{ unranked = { "0" = "absent" } }', how), 'estimate = { banana = "1" }')
    for by in ("__import__('os').system('touch pwned')", 'I(system("touch pwned"))', "open(pwned)"):
        model = f'{{ family = "pattern", by = {pairproof.text.toml(by)} }}'
        with pytest.raises((InputError, FormulaError)):
            Checker(parse_claims(text(RATINGS, 'estimate = { A = "1" }', model))).fit("c")
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("data", [SALAD, FRUIT, SEPARATED, PAIRS, RATINGS])
def test_the_files_fit_the_published_schema(data: str) -> None:
    for model in (
        '{ family = "pattern", alpha = "item" }',
        '{ family = "plackett-luce", npseudo = 0.5 }',
        "",
    ):
        document = tomllib.loads(text(data, 'estimate = { B = "1" }', model))
        jsonschema.Draft7Validator(schema()).validate(document)


def test_the_schema_names_the_families_and_the_layouts() -> None:
    found = schema()["definitions"]
    assert {"plackett-luce", "pattern"} <= set(found["model"]["properties"]["family"]["enum"])
    assert "any" in re.findall(r"\w+", str(found["model"]["properties"]["scale"]["enum"]))
    assert set(found["data"]["properties"]["layout"]["enum"]) >= {"ranks", "pairs", "ratings", "orders"}


def test_a_reading_must_say_its_family() -> None:
    reading = '[[claim.reading]]\nname = "other"\nsentence = "so"\nmodel = { reference = "A" }\n'
    with pytest.raises(InputError, match="line 26: claim 'c', reading, model has no family"):
        checked(SALAD, VIGNETTE + reading)


def test_the_reading_with_the_unsaid_prior_is_offered_too() -> None:
    rows = checked(SEPARATED, OF_SEPARATED, "")
    assert {a.code for a in rows} == {"another-model"}
    assert 'state family = "plackett-luce" (4 of 4 numbers reproduced)' in rows[0].explanation


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
@pytest.mark.parametrize("said", ["", ", npseudo = 0.5"])
def test_a_changed_digit_is_not_excused_by_what_r_does_otherwise(decimals: int, said: str) -> None:
    """Of 20 changed digits of a page of eight numbers none comes out, but where the change is immaterial."""
    generator = random.Random(decimals)
    model = f'{{ family = "plackett-luce"{said} }}'
    table = read_answers(parse_claims(text(SALAD, VIGNETTE)), "d")
    fit = pairproof.fit_plackett_luce(table, pseudo=0.5 if said else 0.0)
    kinds = {"estimate": fit.params, "se": fit.bse}
    honest = {f"{kind}.{i}": f"{kinds[kind][i]:.{decimals}f}" for kind in kinds for i in "BCD"}
    honest |= {"llf": f"{fit.llf:.{decimals}f}", "df_resid": "189"}
    excused = 0
    for _ in range(20):
        name = generator.choice([*honest])
        place = generator.choice([k for k, c in enumerate(honest[name]) if c.isdigit()])
        digit = str((int(honest[name][place]) + generator.randint(1, 9)) % 10)
        printed = {**honest, name: honest[name][:place] + digit + honest[name][place + 1 :]}
        rows = checked(
            SALAD, "stat = { " + ", ".join(f'"{k}" = "{v}"' for k, v in printed.items()) + " }", model
        )
        changed = next(a for a in rows if str(a.quantity) == name)
        excused += changed.passes and changed.verdict != "immaterial"
    assert excused == 0


def test_errors_of_worths_and_contrasts_beside_pseudo_rankings_are_those_of_r_too() -> None:
    """R's PlackettLuce has B - A with .4432911097; by the delta method a worth's error follows from R's covariance."""
    model = '{ family = "plackett-luce", npseudo = 0.5 }'
    rows = checked(
        SALAD, 'stat = { "contrast.all.B.A" = "2.67116", "contrast_se.all.B.A" = "0.44329" }', model
    )
    assert [(a.verdict, a.code) for a in rows] == [
        ("agrees", ""),
        ("agrees-other-definition", "plackett-luce-data-information"),
    ]


def test_two_numbers_can_show_the_prior_of_rankings_that_have_no_estimates_without() -> None:
    rows = checked(SEPARATED, 'estimate = { B = "-2.4215", C = "-2.9592" }')
    assert {a.code for a in rows} == {"plackett-luce-default-prior"}
    rows = checked(SEPARATED, 'estimate = { B = "-2.4215", C = "-2.9692" }')
    assert {a.code for a in rows} == {"native-not-run"}
