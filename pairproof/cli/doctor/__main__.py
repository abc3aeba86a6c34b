"""``python -m pairproof.cli.doctor`` prints the report; with ``--for-setup`` one line for each missing thing:
kind, name, words.
"""

from __future__ import annotations

import sys

from . import examine, render


def print_for_setup() -> None:
    """Print the lines that ``scripts/setup.sh`` reads: with the tests' packages, without Parquet's and without the
    R packages that only ``make r-packages`` brings.
    """
    for entry in examine(extras=("r", "test"), on_request=False).missing:
        texts = (entry.kind, entry.what, f"{entry.why}; cure: {entry.cure}")
        print("\t".join(" ".join(text.split()) for text in texts))


if sys.argv[1:] == ["--for-setup"]:
    print_for_setup()
else:
    print(render(examine()))
