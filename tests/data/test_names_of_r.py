"""An argument that only R has gets the name it has here, in Python and on the command line."""

from __future__ import annotations

import inspect

import pytest

import pairproof
from pairproof.cli.app import run
from pairproof.data.options import R_NAMES, meant_in_r

FUNCTIONS = (
    "fit_llbt",
    "fit_bradley_terry",
    "fit_pattern",
    "fit_plackett_luce",
    "fit_latent_classes",
    "fit_tree",
    "read",
)


@pytest.fixture(scope="module")
def table() -> pairproof.Comparisons:
    return pairproof.read(
        {"first": list("ABA"), "second": list("BCC"), "wins": [9, 4, 5], "losses": [3, 6, 5]}
    )


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["br", "refcat", "elim", "undec", "ia", "NItest"])
def test_each_of_rs_names_is_translated(table: pairproof.Comparisons, function: str, name: str) -> None:
    with pytest.raises(TypeError, match=f"{function}.*'{name}': R's {name} is here "):
        getattr(pairproof, function)(table, **{name: True})


@pytest.mark.parametrize("name", R_NAMES)
def test_what_is_named_for_it_is_an_argument_that_exists(name: str) -> None:
    known = {p for f in FUNCTIONS for p in inspect.signature(getattr(pairproof, f)).parameters}
    known |= {"layout", "items", "item_data"}
    words = R_NAMES[name].replace('"', " ").replace("(", " ").split()
    named = {w.partition("=")[0] for w in words if "=" in w and w[0] != "="}
    assert named <= known | {"MISmodel"} and (named or "item" in words[0])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_argument_of_ours_is_taken_for_one_of_rs(function: str) -> None:
    assert not {*inspect.signature(getattr(pairproof, function)).parameters} & {*R_NAMES}


def test_another_misspelling_is_pythons_own_error(table: pairproof.Comparisons) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        pairproof.fit_llbt(table, nonsense=1)  # type: ignore[call-arg]
    assert meant_in_r("nonsense") == ""


@pytest.mark.parametrize("option", ["--br", "--refcat", "--separate.ability", "--cat-scovs"])
def test_the_command_line_has_the_same_hint(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["fit", "none.csv", option, "A"]) == 3
    assert f"No such option '{option}': R's {option.lstrip('-')} is here" in capfd.readouterr().err


def test_the_order_effect_is_named_where_a_formula_has_it_as_a_term(table: pairproof.Comparisons) -> None:
    with pytest.raises(pairproof.InputError, match="order_effect=True"):
        pairproof.fit_bradley_terry(table, formula="item + order")


def test_a_package_that_is_not_installed_is_no_defect_of_pairproof() -> None:
    from pairproof.cli.app import describe

    code, said = describe(ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib.figure"))
    assert code == 2 and said.startswith("pairproof: matplotlib is not installed; cure: ")
    assert (
        "bug in pairproof"
        in describe(ModuleNotFoundError("No module named 'pairproof.x'", name="pairproof.x"))[1]
    )
