"""Where the files lie that tests read."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
#: Small tables of comparisons, with their provenance.
DATA = TESTS / "data"
#: JSON schemas of what commands print.
SCHEMAS = TESTS / "schemas"
#: The 50-digit values and the code that makes them.
CERTIFIED = TESTS / "certified"
#: R's answers that only tests and pages ask for; what the shipped validation asks for lies in the package.
RECORDS = TESTS / "records" / "answers"
