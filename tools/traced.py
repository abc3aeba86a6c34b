"""How many files of the package a call runs through, as it runs, with its imports warm.

    python -m tools.traced            the trips, how many files and functions each, and how many there may be
    python -m tools.traced --files    the files and functions too

Only the body of functions counts: a module that is loaded for a constant or a class that is only named is no station of
the trip.  Ends with 1 where a trip is longer than its limit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pairproof

PACKAGE = Path(pairproof.__file__).parent
#: Trip -> files it may run through.
LIMITS = {
    "read": 14,
    "fit_llbt": 18,
    "summary": 16,
    "fit_bradley_terry (1 | item)": 32,
    "migrate, one BTm": 80,
}

SCRIPT = """library(BradleyTerry2)
d <- data.frame(i = factor(c("a", "a", "b", "c")), j = factor(c("b", "c", "c", "a"), levels = c("a", "b", "c")),
                w = c(6, 7, 5, 3), l = c(4, 2, 5, 4))
d$i <- factor(d$i, levels = c("a", "b", "c"))
m <- BTm(cbind(w, l), i, j, data = d)
print(coef(m))
"""


def table() -> pairproof.Comparisons:
    """Four items, each pair compared, with ties."""
    rows = {"first": list("AAABBC"), "second": list("BCDCDD"), "wins": [7, 9, 8, 6, 9, 5],
            "ties": [2, 1, 3, 2, 1, 4], "losses": [4, 3, 1, 5, 3, 6]}  # fmt: skip
    return pairproof.read(rows)


def with_sizes() -> pairproof.Comparisons:
    """Six items with a covariate of their own, without ties."""
    names = "ABCDEF"
    rows: dict[str, list[Any]] = {"first": [], "second": [], "wins": [], "losses": []}
    for i in range(6):
        for j in range(i + 1, 6):
            for key, value in zip(rows, (names[i], names[j], 3 + (i + 2 * j) % 4, 2 + (2 * i + j) % 5)):
                rows[key].append(value)
    return pairproof.read(rows, item_data={"item": list(names), "size": [1, 2, 4, 3, 5, 8]})


def trips() -> dict[str, Callable[[], object]]:
    pairs, sizes = table(), with_sizes()
    fit = pairproof.fit_llbt(pairs)
    found: dict[str, Callable[[], object]] = {
        "read": table,
        "fit_llbt": lambda: pairproof.fit_llbt(pairs),
        "summary": fit.summary,
        "fit_bradley_terry (1 | item)": lambda: pairproof.fit_bradley_terry(
            sizes, formula="log(size) + (1 | item)"
        ),
    }
    from pairproof.bridge import probe

    status = probe()
    if getattr(status, "packages", {}).get("BradleyTerry2"):
        found["migrate, one BTm"] = migrated
    return found


def migrated() -> object:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "analysis.R")
        script.write_text(SCRIPT, encoding="utf-8")
        return pairproof.migrate(script, Path(folder, "analysis.py"))


def traced(trip: Callable[[], object]) -> dict[str, set[str]]:
    """File -> its functions that a call runs."""
    seen: Counter[tuple[str, str]] = Counter()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            if frame.f_code.co_name != "<module>":
                seen[
                    frame.f_code.co_filename, getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
                ] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trip()
        sys.setprofile(profile)
        try:
            trip()
        finally:
            sys.setprofile(None)
    found: dict[str, set[str]] = {}
    for file, function in seen:
        found.setdefault(Path(file).relative_to(PACKAGE).as_posix(), set()).add(function)
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args(arguments)
    late = 0
    for name, trip in trips().items():
        files = traced(trip)
        late |= len(files) > LIMITS[name]
        print(
            f"{name:32} {len(files):4} files (limit {LIMITS[name]}), {sum(map(len, files.values()))} functions"
        )
        if options.files:
            for file, names in sorted(files.items()):
                print(f"    {file}: {', '.join(sorted(names))}")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
