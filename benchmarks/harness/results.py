"""Where a run is left, and what the other runs that were left there found of the same promises."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

#: The folder of the results that are kept in the repository.
RESULTS = Path(__file__).resolve().parents[1] / "results"
#: Whether a promise was kept, as the pages say it.
WORDS = {True: "kept", False: "**not kept**", None: "not measured"}


def asked(description: str | None, rounds: int, arguments: list[str] | None) -> argparse.Namespace:
    """The options `tiny`, `rounds` and `out` of a comparison that has a command of its own."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiny", action="store_true", help="does everything run? The numbers mean nothing.")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args(arguments)


def keep(folder: Path, name: str, document: Any, page: str) -> None:
    """Write NAME.json and NAME.md, and print the page.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    name : str
        Without suffix.
    document : what JSON can hold
        All numbers of the run.
    page : str
        Markdown.

    Raises
    ------
    OSError
        The folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(page, encoding="utf-8")
    print(page)


def found_beside(folder: Path, name: str, page: str = "latest") -> dict[str, dict[str, tuple[str, str]]]:
    """Promises of the other runs in a folder.

    Parameters
    ----------
    folder : Path
    name : str
        This run's, which is left out.
    page : str
        With what the names of runs of the same jobs begin.

    Returns
    -------
    dict
        "latest-openblas: OpenBLAS 0.3.21" to {promise: (found, "kept" or "**not kept**")}; runs on tiny data
        are left out.
    """
    out: dict[str, dict[str, tuple[str, str]]] = {}
    for path in sorted(folder.glob(f"{page}*.json")):
        if path.stem == name:
            continue
        run = json.loads(path.read_text(encoding="utf-8"))
        if run.get("tiny_data") or "promises" not in run:
            continue
        out[f"{path.stem}: {run['blas']}"] = {
            p["promise"]: (p["found"], WORDS[p["kept"]]) for p in run["promises"]
        }
    return out
