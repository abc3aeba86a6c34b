"""Writes the copy of the certified fits of contests that the package carries: without covariances; of R's own data without rows.

    python -m tests.certified.contests.packaged
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGED = HERE.parents[2] / "pairproof" / "validation" / "papers" / "contests" / "contests_50_digits.json"
#: Keys of a fit that the copy does not have: they prove the document itself.
LEFT_OUT = ("cov_params", "bse_expected", "data", "source", "null", "log_coefficients")


def packaged() -> str:
    """The text of the copy, a fit a line."""
    fits = [json.loads(path.read_text("utf-8")) for path in sorted((HERE / "fits").glob("*.json"))]
    kept = [{k: v for k, v in fit.items() if k not in LEFT_OUT} for fit in fits]
    lines = ",\n".join(json.dumps(fit, ensure_ascii=False) for fit in kept)
    return '{"fits": [\n' + lines + "\n]}\n"


if __name__ == "__main__":
    PACKAGED.write_text(packaged(), "utf-8")
