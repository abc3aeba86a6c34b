"""Makes `index.csv`, one row a certified fit: what it is, where it is, its hash, and whether its maximum has
a closed form.

    python -m tests.certified.make_index            say whether the index is that of the files
    python -m tests.certified.make_index --write    write it

The index is for whoever takes the set elsewhere: it can be read without any of this code.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from tests.certified import closed_forms, load

HERE = Path(__file__).resolve().parent
INDEX = HERE / "index.csv"
COLUMNS = (
    "data",
    "what",
    "source",
    "items",
    "rows",
    "comparisons",
    "tie_category",
    "data_file",
    "data_sha256",
    "fit",
    "fit_file",
    "fit_sha256",
    "family",
    "ties",
    "by",
    "order_effect",
    "item_covariates",
    "cells",
    "scale",
    "reference",
    "n_params",
    "df_resid",
    "deviance",
    "closed_form",
)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _joined(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else " ".join(map(str, value))


def rows() -> list[dict[str, str]]:
    """A row a fit, in the order of their ids."""
    data = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((HERE / "data").glob("*.json"))
    }
    closed = closed_forms.expected(data)
    found = []
    for fit in load.load_all(as_text=True):
        name = fit["id"].split("--")[0]
        table, model = data[name], fit["model"]
        data_file, fit_file = HERE / "data" / f"{name}.json", HERE / "fits" / f"{fit['id']}.json"
        values = (
            name,
            table["what"],
            table["source"],
            len(table["items"]),
            len(table["rows"]),
            fit["n_comparisons"],
            "yes" if table["tie_category"] else "no",
            f"data/{data_file.name}",
            _sha256(data_file),
            fit["id"],
            f"fits/{fit_file.name}",
            _sha256(fit_file),
            model["family"],
            model["ties"],
            _joined(model["by"]),
            "yes" if model["order_effect"] else "no",
            _joined(model["item_covariates"]),
            _joined(model["cells"]),
            model["scale"],
            _joined(model["reference"]),
            fit["n_params"],
            fit["df_resid"],
            fit["deviance"],
            " ".join(sorted(closed.get(fit["id"], {}))),
        )
        found.append(dict(zip(COLUMNS, map(str, values))))
    return found


def text() -> str:
    """The index as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows())
    return out.getvalue()


def main(arguments: list[str]) -> int:
    made = text()
    same = INDEX.exists() and INDEX.read_text(encoding="utf-8") == made
    if "--write" in arguments and not same:
        INDEX.write_text(made, encoding="utf-8")
        print(f"{INDEX.name}: written")
        return 0
    print(f"{INDEX.name}: {'the same' if same else 'differs; make_index.py --write makes it anew'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
