"""Which items the names of a page mean, of which model its numbers are, and what is said of both."""

from __future__ import annotations

from pathlib import Path

import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.validation.printed.beside import Page, check_printed, read_pages
from tests.validation.printed.pages import TEXTS, data


def one(name: str, of: str, **stated: object) -> Page:
    (found,) = read_pages(str(TEXTS / name), data(of), stated)
    return found


def written(folder: Path, text: str, name: str = "page.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_prefixes_of_programs_are_taken_off_and_said() -> None:
    found = one("btm_home.txt", "home")
    assert found.table.items == (
        "Boston",
        "Cleveland",
        "Detroit",
        "Milwaukee",
        "New York",
        "Toronto",
        "order",
    )
    assert any("names are read without 'team': teamBoston is Boston" in s for s in found.sentences)
    assert one("stata.txt", "baseball").table.items[4] == "New York"


def test_names_with_numbers_are_places_in_the_order_of_the_data_and_said() -> None:
    found = one("gnm_o.txt", "cems")
    assert found.table.items == (*data("cems").items, "tie")
    assert any("o1 is London" in s for s in found.sentences)


def test_what_was_found_is_said_with_what_it_was_found_from() -> None:
    said = one("booktabs.tex", "baseball").sentences
    assert "scale log-odds was found: 25 of 25 are reproduced, 13 of 25 with lambda" in said
    assert "reference Baltimore: its number is 0 or missing" in said
    assert "as many are reproduced with family llbt; family bradley-terry is used" in said
    said = one("btm_summary.txt", "baseball").sentences
    assert "reference Baltimore: it is without a number" in said
    assert any(
        s.startswith("ties davidson was found: 28 of 28 are reproduced")
        for s in one("gnm_o.txt", "cems").sentences
    )


def test_estimates_that_sum_to_zero_have_the_sum_as_reference(tmp_path: Path) -> None:
    fit = pairproof.fit_bradley_terry(data("baseball"), reference="sum")
    text = "team,estimate\n" + "".join(f"{i},{fit.params[i]:.3f}\n" for i in fit.items)
    (found,) = read_pages(written(tmp_path, text), data("baseball"))
    assert found.found.model.reference == "sum" and found.found.come_out == 7
    assert "reference sum: every item has a number that is not 0" in found.sentences


def test_deviance_by_row_is_found(tmp_path: Path) -> None:
    fit = pairproof.fit_bradley_terry(data("home"), reference="Baltimore", cells="row")
    rows = "".join(f"{i},{fit.params[i]:.3f}\n" for i in fit.items)
    text = f"team,estimate\n{rows}Deviance,{fit.deviance:.3f} on {fit.df_resid}\n"
    (found,) = read_pages(written(tmp_path, text), data("home"))
    assert found.found.model.cells == ("row",) and found.found.come_out == 9


#: Turner and Firth (2012), section 3: what BTabilities() prints of the model with an order effect.
ABILITIES = """            ability      s.e.
Baltimore 0.0000000 0.0000000
Boston    1.1438027 0.3378422
Cleveland 0.7046945 0.3350014
Detroit   1.4753572 0.3445518
Milwaukee 1.6195550 0.3473653
New York  1.2813404 0.3404034
Toronto   1.3271104 0.3403222
"""


def test_an_order_effect_that_the_page_does_not_print_is_found(tmp_path: Path) -> None:
    (found,) = read_pages(written(tmp_path, ABILITIES, "page.txt"), data("home"))
    assert found.found.model.order_effect
    assert "order effect yes was found: 7 of 13 are reproduced, 1 of 13 with none" in found.sentences


@pytest.mark.parametrize(
    ("right", "printed"), [("", ""), ("0.3473653", "0.3473563"), ("0.3445518", "0.344551")]
)
def test_standard_errors_of_r_s_last_step_but_one_are_a_definition_if_all_come_out_by_it(
    right: str, printed: str, tmp_path: Path
) -> None:
    text = ABILITIES.replace(right, printed)
    rows = check_printed(written(tmp_path, text, "page.txt"), data("home"), r="none", explain=False)
    of_se = {a.verdict for a in rows if a.quantity.kind == "se" and a.about == "printed" and a.native}
    assert ("agrees-other-definition" in of_se) == (right == printed)
    assert rows.exit_code == 0 or printed


def test_what_the_caller_states_is_not_looked_for() -> None:
    found = one("booktabs.tex", "baseball", scale="lambda", reference="Boston", ties="none", family="llbt")
    model = found.found.model
    assert (model.family, model.scale, model.reference) == ("llbt", "lambda", "Boston")
    assert not any("was found" in s for s in found.sentences)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "team,estimate\nBostn,1\nTorento,2\n",
            r"no 'Bostn'; did you mean 'Boston'\?; no 'Torento'; did you mean",
        ),
        ("team,estimate\nBoston,1\nteamBoston,2\nToronto,1\n", None),
        ("team,estimate\nNewYork,1\nnew york,2\nToronto,1\n", "'NewYork', 'new york' are all 'New York'"),
    ],
)
def test_names_that_mean_nothing_are_told_with_near_ones(
    text: str, words: str | None, tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    if words is None:
        found = check_printed(path, data("baseball"), r="none")
        (row,) = [a for a in found if a.code == "no-such-item"]
        assert (str(row.quantity), row.printed, row.verdict) == ("estimate.teamBoston", "2", "not-run")
        assert row.explanation.startswith("row teamBoston: not an item of firth-2005, baseball; did you mean")
        return
    with pytest.raises(InputError, match=words):
        read_pages(path, data("baseball"))


def test_a_file_that_is_no_text_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_pages(str(tmp_path / "x.txt"), data("baseball"))
    with pytest.raises(InputError, match="expected a printed table"):
        read_pages(str(tmp_path / "none.txt"), data("baseball"))


def test_a_page_of_a_model_that_is_not_known_is_not_accused_unless_its_model_is_stated(
    tmp_path: Path,
) -> None:
    text = "team,estimate,se\nBoston,0.31,0.11\nMilwaukee,0.52,0.16\nToronto,0.23,0.19\nDetroit,-0.4,0.2\n"
    path = written(tmp_path, text)
    found = check_printed(path, data("baseball"), r="none", explain=False)
    assert found.exit_code == 2 and {a.code for a in found if a.about == "printed" and a.printed} >= {
        "another-model"
    }
    assert str(found).splitlines()[1].startswith("This page could not be checked: ")
    assert "Nothing needs attention" not in str(found) and "What needs attention" in str(found)
    stated = check_printed(path, data("baseball"), {"family": "bradley-terry"}, r="none", explain=False)
    assert stated.exit_code == 1


def test_a_page_of_exchanged_winners_is_accused_though_its_model_is_not_stated(tmp_path: Path) -> None:
    rows = "item,estimate,se\nComm Statist,2.9491,0.1025\nJASA,0.4796,0.0606\nJRSS-B,-0.2690,0.0708\n"
    found = check_printed(written(tmp_path, rows), data("citations"), r="none", explain=False)
    assert found.exit_code == 1
