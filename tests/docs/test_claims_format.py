"""The page of the claims format names every key, quantity, verdict and code that the program knows, and no other."""

from __future__ import annotations

import json
import re

import pytest

from pairproof.validation.claims.entries import entries
from pairproof.validation.claims.paper import Claim, DataSpec, ModelClaim, Paper, Reading
from pairproof.validation.claims.quantities import KINDS
from pairproof.validation.slips.catalogue import families
from pairproof.validation.verdicts.agreement import CODES, VERDICTS
from tools.pages.claims_format import BLOCKS, default_in_words, kind_in_words
from tools.pages.pages import read

PAGE = "docs/claims-format.md"


def rows(block: str) -> list[str]:
    """The first cells of the table that a block of the page has."""
    return re.findall(r"^\| (`.*?`) \|", BLOCKS[block](), re.MULTILINE)


@pytest.mark.parametrize(
    ("table", "blocks"),
    [
        (Paper, ("claims-paper",)),
        (DataSpec, ("claims-data",)),
        (ModelClaim, ("claims-model",)),
        (Reading, ("claims-reading",)),
        (Claim, ("claims-claim", "claims-printed")),
    ],
)
def test_every_key_of_a_table_stands_on_the_page_once(table: type, blocks: tuple[str, ...]) -> None:
    assert sorted(key for block in blocks for key in rows(block)) == sorted(f"`{k}`" for k in entries(table))
    for e in entries(table).values():
        assert kind_in_words(e, e.kind) and (default_in_words(table, e) == "required") is e.required


def test_every_kind_of_quantity_stands_on_the_page() -> None:
    named = {part.partition(".")[0] for part in re.findall(r"`([^`]+)`", BLOCKS["claims-quantities"]())}
    assert set(KINDS) <= named


def test_every_verdict_code_and_slip_stands_on_the_page() -> None:
    assert [verdict.strip("`") for verdict in rows("claims-verdicts")] == list(VERDICTS)
    assert [code.strip("`") for code in rows("claims-codes")] == list(CODES)
    assert [name.strip("`") for name in rows("claims-slips")] == list(families())


def test_no_cell_breaks_its_table() -> None:
    for name, block in BLOCKS.items():
        lines = [line for line in block().splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1, name


def test_the_smallest_file_of_the_page_is_whole_and_fits_the_schema() -> None:
    from importlib import resources

    from pairproof.files.packaged import tomllib

    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is a test dependency")
    text = re.search(r"```toml smallest\.claims\.toml\n(.*?)```", read(PAGE), re.DOTALL)
    schema = resources.files("pairproof.validation.claims").joinpath("claims.schema.json")
    assert text is not None
    jsonschema.Draft7Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(
        tomllib.loads(text[1])
    )
