"""Makes every file of `data/` and `fits/` and `index.csv`, or says which differ.

    python -m tests.certified.contests.make_contests             check the files against the code
    python -m tests.certified.contests.make_contests --write     write the files
    python -m tests.certified.contests.make_contests --digits 130 ID ...

Each fit is proved from the definition first.  Exit status 0 if nothing differs, 1 otherwise.  flatlizards is
left as it is where R or BradleyTerry2 is not, which is said.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from mpmath import mp

from tests.certified.answers.from_r import NotHere
from tests.certified.contests.data_sets import NAMES, read, stored
from tests.certified.contests.document import certify
from tests.certified.contests.estimate import DIGITS
from tests.certified.contests.models import CERTIFIED
from tests.certified.contests.proof import LATTICE_FLOOR, lattice_digits, verify
from tests.certified.make_certified import layout

HERE = Path(__file__).resolve().parent
OF_MODEL = (
    *("estimator", "link", "item_covariates", "columns", "offset", "ties", "tie_shift", "tie_scale"),
    *("random", "method", "reference"),
)
OF_FIT = ("n_rows", "n_contests", "n_params", "df_resid", "deviance", "sigma", "llf")
COLUMNS = (
    *("data", "what", "source", "in_place", "data_file", "data_sha256", "fit", "fit_file", "fit_sha256"),
    *OF_MODEL,
    *OF_FIT,
)


def everything(wanted: list[str]) -> tuple[dict[Path, str], list[str]]:
    """Path -> text of every file asked for (all without names), and the data sets that could not be read."""
    made: dict[Path, str] = {}
    absent = []
    for name in NAMES:
        chosen = [
            m for m in CERTIFIED[name] if not wanted or name in wanted or f"{name}--{m.slug()}" in wanted
        ]
        if not chosen:
            continue
        try:
            data = read(name)
        except NotHere as error:
            absent.append(f"{name}: {error}")
            continue
        made[HERE / "data" / f"{name}.json"] = layout(stored(name))
        for model in chosen:
            fit = certify(data, model)
            said = verify(fit, data)
            if model.method == "quadrature":
                again = lattice_digits(fit, data, model)
                if again < LATTICE_FLOOR:
                    raise ArithmeticError(f"{fit['id']}: another lattice agrees in {again:.1f} digits only")
                said += f", another lattice {again:.1f}"
            print(f"{fit['id']}: {fit['n_params']} parameters, {said}", flush=True)
            made[HERE / "fits" / f"{fit['id']}.json"] = layout(fit)
    return made, absent


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else " ".join(map(str, value)) if isinstance(value, list) else str(value)


def index() -> str:
    """The index as CSV: a row a fit, with the hashes of its files."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for path in sorted((HERE / "fits").glob("*.json")):
        fit = json.loads(path.read_text("utf-8"))
        data_file = HERE / fit["data"]
        data = json.loads(data_file.read_text("utf-8"))
        row = {key: data.get(key) for key in ("what", "source", "in_place")}
        row.update({key: fit["model"][key] for key in OF_MODEL}, **{key: fit.get(key) for key in OF_FIT})
        row.update(data=data["id"], data_file=fit["data"], data_sha256=_sha256(data_file))
        row.update(fit=fit["id"], fit_file=f"fits/{path.name}", fit_sha256=_sha256(path))
        writer.writerow({key: _said(value) for key, value in row.items()})
    return out.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ids", nargs="*", help="data sets or fits; all if none")
    parser.add_argument("--write", action="store_true", help="write files instead of comparing")
    parser.add_argument("--digits", type=int, default=DIGITS, help="working precision (default %(default)s)")
    options = parser.parse_args(arguments)
    with mp.workdps(options.digits):
        made, absent = everything(options.ids)
    for line in absent:
        print(f"not made: {line}")
    if options.ids and not made and not absent:
        print(f"nothing is called {', '.join(options.ids)}; names are those of data/ and fits/")
        return 1
    differing = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    if options.write:
        for path in differing:
            path.write_text(made[path], "utf-8")
    listed = HERE / "index.csv"
    stale = [listed] if not listed.exists() or listed.read_text("utf-8") != index() else []
    if stale and options.write:
        listed.write_text(index(), "utf-8")
    print(
        f"{len(made)} files made, {len(differing)}",
        "written" if options.write else "differ from what the code makes",
    )
    for path in [] if options.write else [*differing, *stale]:
        print(f"  {path.relative_to(HERE.parents[2])}")
    return 0 if options.write or not (differing or stale) else 1


if __name__ == "__main__":
    sys.exit(main())
