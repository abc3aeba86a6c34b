"""What is read of a page: numbers in its order, what is stated, what is not looked at, and what is refused."""

from __future__ import annotations

import pytest

from pairproof.errors import InputError
from pairproof.validation.printed import read_printed
from pairproof.validation.printed.headings import kind_of_heading
from pairproof.validation.printed.reading import MOST_CHARACTERS, PrintedTable, read_tables
from tests.validation.printed.pages import TEXTS


def page(name: str) -> PrintedTable:
    return read_printed((TEXTS / name).read_text(encoding="utf-8"), name)


def numbers(found: PrintedTable) -> dict[str, str]:
    return {str(q.quantity): q.printed.text for q in found.numbers}


@pytest.mark.parametrize(
    ("name", "program", "stated"),
    [
        ("btm_summary.txt", "BradleyTerry2", {"family": "bradley-terry"}),
        ("glm_summary.txt", "R's glm", {"family": "bradley-terry"}),
        ("glm_poisson.txt", "R's glm (Poisson)", {"family": "llbt"}),
        ("llbtpc_sex.txt", "gnm", {"family": "llbt"}),
        ("btmodel_print.txt", "psychotools", {"family": "bradley-terry", "scale": "log-odds"}),
        ("pattpc.txt", "prefmod's pattern models", {"family": "pattern"}),
        ("plackettluce.txt", "PlackettLuce", {"family": "plackett-luce"}),
        ("eba_summary.txt", "eba", {"family": "bradley-terry", "scale": "any"}),
        ("stata.txt", "Stata", {}),
        ("sas.txt", "SAS", {}),
        ("genmod.txt", "SAS", {}),
        ("pdf.txt", "", {}),
    ],
)
def test_the_program_is_known_and_only_what_it_states_of_the_model(name, program, stated) -> None:
    found = page(name)
    assert (found.program, found.model) == (program, stated)


def test_numbers_stand_in_the_order_of_the_page_with_what_they_are() -> None:
    found = page("btm_summary.txt")
    assert [(str(q.quantity), q.printed.text) for q in found.numbers][:5] == [
        ("estimate...Boston", "1.1077"),
        ("se...Boston", "0.3339"),
        ("z...Boston", "3.318"),
        ("p...Boston", "0.000908 ***"),
        ("estimate...Cleveland", "0.6839"),
    ]
    of_fit = {
        "null_deviance": "49.699",
        "df_null": "21",
        "deviance": "15.737",
        "df_resid": "15",
        "aic_glm": "87.324",
    }
    assert of_fit.items() <= numbers(found).items()


def test_pattern_models_have_their_estimates_and_not_the_deviance_of_their_own_constants() -> None:
    found = numbers(page("pattpc.txt"))
    assert len(found) == 12 and found["estimate.A"] == "0.27615" and found["p.C"] == "0.0725"


def test_plackett_luce_has_its_reference_and_its_deviance() -> None:
    found = page("plackettluce.txt")
    assert found.without == ("A",) and numbers(found)["se.B"] == "0.4481"
    assert {"deviance": "152.83", "df_resid": "189", "aic": "158.83"}.items() <= numbers(found).items()


def test_effects_of_a_covariate_of_judges_keep_their_names() -> None:
    found = numbers(page("llbtpc_sex.txt"))
    assert found["estimate.Paris:SEX2"] == "-0.26369" and found["estimate.U"] == "-1.23795"


def test_wrapped_vectors_and_tables_are_one() -> None:
    assert numbers(page("eba_print.txt"))["worth.all.9"] == "0.14622"
    assert {q.quantity.kind for q in page("eba_summary.txt").numbers} == {"worth"}
    assert len(page("eba_scale.txt").items) == 9
    assert numbers(page("coef_wrapped.txt"))["p...JASA"] == "2.469260e-15"


def test_errors_in_parentheses_below_and_beside_an_estimate_are_known() -> None:
    below, beside = numbers(page("below.tex")), numbers(page("paren.txt"))
    assert below["se.New York"] == "0.336" and below["aic"] == "87.324"
    assert beside["se.Toronto"] == "0.3367" and beside["high.Toronto"] == "1.954"


def test_bounds_stars_and_minus_signs_are_read_as_numbers() -> None:
    assert numbers(page("booktabs.tex"))["p.Boston"] == "<0.001 ***"
    assert numbers(page("page.html"))["estimate.Boston"] == "1.11"
    assert numbers(page("pdf_minus.txt"))["estimate.Comm Statist"] == "-1.4745"


def test_what_was_read_and_what_was_not_is_said() -> None:
    said = page("readme.md").sentences
    assert said == (
        "readme.md: Markdown table",
        "7 rows from line 5: worth under 'Worth', wins under 'Wins'",
        "not checked: column Payroll",
    )
    assert "line 23: Scale has 5 cells under 7 headings and was ignored" in page("genmod.txt").sentences[-1]


def test_a_word_in_a_column_of_numbers_is_not_read_and_said() -> None:
    found = read_printed("team,estimate\nA,1.0\nB,2.0\nControls,yes\n", "x.csv")
    assert found.others == ("row 'Controls', column 'estimate': 'yes' is not a number and was ignored",)


def test_limits_beside_exponentials_are_theirs_and_worths_have_no_z() -> None:
    assert {q.quantity.kind for q in page("odds_ratios.txt").numbers} == {"exp", "exp_low", "exp_high"}
    found = read_printed("item,worth,se,z\nA,0.2,0.1,2\nB,0.3,0.1,3\n", "x.csv")
    assert {q.quantity.kind for q in found.numbers} == {"worth", "worth_se"} and found.others == ("column z",)


def test_a_long_csv_is_several_claims() -> None:
    text = (TEXTS / "long.csv").read_text()
    first, second = read_tables(text, "long.csv")
    assert (first.paper, first.claim, second.claim) == ("firth-2005", "table-4", "worths")
    assert numbers(first)["deviance"] == "15.737" and numbers(first)["df_resid"] == "15"
    assert numbers(second) == {"worth.all.Boston": "0.136", "worth.all.Baltimore": "0.045"}
    with pytest.raises(InputError, match="2 tables of numbers"):
        read_printed(text, "long.csv")


def test_two_outputs_on_a_page_are_two_tables() -> None:
    text = (TEXTS / "btm_summary.txt").read_text() + (TEXTS / "btm_refcat.txt").read_text()
    first, second = read_tables(text, "both.txt")
    assert len(first.numbers) == len(second.numbers) == 29
    assert numbers(second)["estimate...Boston"] == "-0.4737" and numbers(second)["deviance"] == "15.737"


def test_a_heading_that_is_named_decides_between_two() -> None:
    text = "Team | Model 1 | Model 2\n--|--|--\nA | 1.0 | 2.0\nB | 0.5 | 0.7\n"
    for columns, printed in (({"estimate": "Model 1"}, "1.0"), ({"estimate": "model 2"}, "2.0")):
        assert numbers(read_printed(text, "x.md", columns))["estimate.A"] == printed
    with pytest.raises(InputError, match=r"--heading estimate=Model 3: 0 columns .* 'Model 2'"):
        read_printed(text, "x.md", {"estimate": "Model 3"})
    with pytest.raises(InputError, match="kinds are items, estimate, se"):
        read_printed(text, "x.md", {"size": "Model 1"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("Some words about teams.\n", "text without a known kind of number; headings found: none"),
        ("team,size\nA,1\nB,2\n", "headings found: 'team', 'size'; expected headings such as Estimate"),
        (
            "team,estimate,coef\nA,1,2\n",
            r"'estimate', 'coef' could all be of kind estimate; choose one with --heading",
        ),
        ("team,estimate\nA,1.0 or so\n", "row 'A', column 'estimate': printed '1.0 or so' is not one number"),
        ("team,estimate\nA,1.0\nA,2.0\n", "'A' appears in several rows"),
        ("quantity,item,printed\nsize,A,1\n", "no quantity is called 'size'"),
        ("quantity,item,printed\nse,A,1\nse,A,2\n", "'se.A' of claim '' appears twice"),
        ("quantity,item,printed\n", "no rows below the headings"),
        ("x" * (MOST_CHARACTERS + 1), "a page of numbers may have at most 1,048,576"),
        ("team,estimate\nA," + "9" * 900 + "\n", "the longest allowed has 200 characters"),
        ('team,estimate\n"' + "9" * 200_000 + '",1\n', "no readable table: field larger"),
    ],
)
def test_what_is_no_page_of_numbers_is_refused_with_what_was_found(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_printed(text, "x.csv" if text.startswith(("team", "quantity")) else "x.txt")


def test_controls_in_names_and_headings_are_spelt_out_in_sentences() -> None:
    found = read_printed("item,estimate,\x1b[31msize\nA,1.0,2\nB,2.0,3\n", "\x1b.csv")
    assert not any("\x1b" in sentence for sentence in (*found.sentences, *found.others))
    assert found.others == ("column \\x1b[31msize",)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 900 + "\n",
        " " * 900 + "x\n",
        "| -- " * 180 + "x\n",
        "<td>" * 200,
        "a & b" * 180 + "\\\\\n",
        "n " * 450 + "\n1 2\n",
    ],
)
def test_no_text_of_the_largest_size_is_slow(text: str) -> None:
    # Quadratic reading took 28 s and more here; now 0.1 to 2.3 s of work.
    with pytest.raises(InputError):
        read_tables(text * (MOST_CHARACTERS // len(text)), "x.txt")


ESTIMATES = "Estimación Coeficiente Schätzer Koeffizient Estimation Coefficient Stima Coefficiente Estimativa"
ERRORS = ("Error típico", "Error estándar", "Standardfehler", "Erreur type", "Errore standard", "Erro padrão")


def test_headings_in_five_other_languages_are_known() -> None:
    assert {kind_of_heading(word) for word in ESTIMATES.split()} == {"estimate"}
    assert {kind_of_heading(word) for word in ERRORS} == {"se"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "A,1.0,0.5,2.0\nB,0.5,0.5,1.0,9\n",
            "line 3 has 5 cells under 4 headings.*a comma must be in quotes",
        ),
        ("A,1.0,0.5,2.0\nB,0.5,0.5\n", "line 3 has 3 cells under 4 headings.*leave cells .* empty$"),
    ],
)
def test_a_row_of_more_or_fewer_cells_than_headings_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_printed(f"team,estimate,se,z\n{text}", "x.csv")


def test_empty_cells_at_the_end_and_lines_of_one_cell_are_no_fault() -> None:
    text = "team,estimate,se,,\nA,1.0,0.5,,,,\nB,0.5,0.5\nC\nDeviance,3.1\nNote: C is the reference\n"
    assert len(read_printed(text, "x.csv").numbers) == 5


def test_nan_in_a_cell_is_said_not_to_be_checked() -> None:
    found = read_printed("team,estimate,se,z\nA,1.0,0.5,NaN\nB,0.5,0.5,1.0\n", "x.csv")
    assert found.nan == (("z", "A"),) and "not checked: z of A: NaN is not a number" in found.sentences


def test_two_columns_of_one_heading_are_told_to_be_named_apart_and_not_to_be_chosen_by_it() -> None:
    with pytest.raises(
        InputError, match="several columns have the heading 'se', .*; give each its own heading"
    ):
        read_printed("team,estimate,se,se\nA,1.0,0.5,0.4\n", "x.csv")


@pytest.mark.parametrize("cell", ["0 (ref)", "0.000 (reference)", "0(Ref.)"])
def test_a_zero_that_is_said_to_be_the_references_is_one(cell: str) -> None:
    found = read_printed(f"team,estimate,se\nA,1.0,0.5\nB,{cell},\n", "x.csv")
    assert found.without == ("B",) and numbers(found)["estimate.A"] == "1.0"


def test_one_number_is_counted_as_one() -> None:
    (sentence,) = (s for s in read_printed("team,estimate\nA,1.0\n", "x.csv").sentences if "from line" in s)
    assert sentence.startswith("1 row from line 2")
