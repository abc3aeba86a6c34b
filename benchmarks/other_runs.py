"""What other runs, left beside this one, found of the same promises: the same machine with another BLAS."""

from __future__ import annotations

import json
from pathlib import Path

#: As the page says it.
WORDS = {True: "kept", False: "**not kept**", None: "not measured"}


def found_beside(folder: Path, name: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Promises of the other runs in a folder.

    Parameters
    ----------
    folder : Path
    name : str
        This run's, which is left out.

    Returns
    -------
    dict
        "latest-openblas: OpenBLAS 0.3.21" to {promise: (found, "kept" or "**not kept**")}; runs on tiny data
        are left out.
    """
    out: dict[str, dict[str, tuple[str, str]]] = {}
    for path in sorted(folder.glob("latest*.json")):
        if path.stem == name:
            continue
        run = json.loads(path.read_text(encoding="utf-8"))
        if run.get("tiny_data") or "promises" not in run:
            continue
        out[f"{path.stem}: {run['blas']}"] = {
            p["promise"]: (p["found"], WORDS[p["kept"]]) for p in run["promises"]
        }
    return out
