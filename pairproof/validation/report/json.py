"""The JSON of agreements, to the letter of interfaces."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..verdicts.agreement import Agreement, to_document


def render_json(agreements: Sequence[Agreement]) -> str:
    """`{"summary": {verdict: count}, "agreements": [...]}`; numbers keep every digit, no value is null."""
    return json.dumps(to_document(agreements), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
