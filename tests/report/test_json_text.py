"""A long table is written as the standard library writes it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pairproof.report.json_text import LONG, json_text, plain, rows_text


def table(n: int = LONG) -> list[dict]:
    rng = np.random.default_rng(1)
    texts = ["a", "", 'with "quotes"\n and 100 % \\', "żółć", "\x7f\x00", "\u2028"]
    numbers = [1, -0.0, 1e-300, float("nan"), float("inf"), None, True, 2**70, 0.1]
    return [{"id": texts[k % 6], "x %s": float(rng.random()), 'k"': numbers[k % 9]} for k in range(n)]


@pytest.mark.parametrize("document", [
    {"before": [1, {"a": []}], "rows": table(), "after": {}}, {"rows": table(LONG - 1)}, {"rows": table(), "more": {"rows": table()}},
    {"mixed": [*table(), {"id": 1}]}, {"deep": [{"id": [1]}] * LONG}, {"empty": [{}] * LONG}, table(), {"rows": [1] * LONG},
    {"numpy": [{"x": np.float64(0.1)}] * LONG},
])  # fmt: skip
def test_every_byte_is_that_of_the_standard_library(document):
    wanted = json.dumps(plain(document), indent=2, allow_nan=False).replace("\x7f", "\\u007f")
    assert json_text(document) == wanted


def test_only_long_tables_of_plain_cells_are_written_fast():
    assert rows_text(table(), 2) is not None
    for other in (table(LONG - 1), [{"id": [1]}] * LONG, [{}] * LONG, "text", None, [1] * LONG):
        assert rows_text(other, 2) is None
