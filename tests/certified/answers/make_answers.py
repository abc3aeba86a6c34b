"""Makes every file of `data/` and `fits/` and `index.csv`, or says which differ.

    python -m tests.certified.answers.make_answers            check what is there against what the code gives
    python -m tests.certified.answers.make_answers --write    write the files python -m
    tests.certified.answers.make_answers --digits 130 ID ...   other working precision, some files only

Each fit is proved from the definition first.  Exit status 0 if nothing differs, 1 otherwise.  Data that are
read from R are left as they are where R or prefmod is not, which is said.
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

from tests.certified.answers.choices import DIGITS
from tests.certified.answers.data_sets import DATA_SETS
from tests.certified.answers.document import certify
from tests.certified.answers.from_r import NotHere
from tests.certified.answers.models import CERTIFIED
from tests.certified.answers.proof import verify
from tests.certified.make_certified import layout

HERE = Path(__file__).resolve().parent
#: The copy that comes with the package, for `pairproof validate patterns`.
PACKAGED = HERE.parents[2] / "pairproof" / "validation" / "papers" / "patterns" / "patterns_50_digits.json"
#: Keys of a fit that the copy does not have: they prove the document itself.
LEFT_OUT = ("cov_params", "data", "how", "what", "source")
COLUMNS = (
    *("data", "what", "source", "layout", "items", "persons", "in_place", "data_file", "data_sha256"),
    *(
        "fit",
        "fit_file",
        "fit_sha256",
        "family",
        "ties",
        "dependence",
        "between_times",
        "by",
        "times",
        "tie_orders",
    ),
    *("classes", "reference", "n_params", "df_resid", "deviance", "llf"),
)


def everything(wanted: list[str]) -> tuple[dict[Path, str], list[str]]:
    """Path -> text of every file asked for (all without names), and the data sets that could not be read."""
    made: dict[Path, str] = {}
    absent = []
    for name, data in DATA_SETS.items():
        chosen = [
            m for m in CERTIFIED[name] if not wanted or name in wanted or f"{name}--{m.slug()}" in wanted
        ]
        if not chosen:
            continue
        try:
            document, rows = data.document(), data.rows()
        except NotHere as error:
            absent.append(f"{name}: {error}")
            continue
        made[HERE / "data" / f"{name}.json"] = layout(document)
        for model in chosen:
            fit = certify(document, rows, model)
            print(f"{fit['id']}: {fit['n_params']} parameters, {verify(fit, rows)}", flush=True)
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
        data, model = json.loads(data_file.read_text("utf-8")), fit["model"]
        row = {key: data[key] for key in ("what", "source", "layout", "in_place")}
        row.update({key: model[key] for key in COLUMNS if key in model})
        row.update(data=data["id"], items=len(data["items"]), persons=fit["n_persons"], data_file=fit["data"])
        row.update(
            data_sha256=_sha256(data_file),
            fit=fit["id"],
            fit_file=f"fits/{path.name}",
            fit_sha256=_sha256(path),
        )
        row.update({key: fit[key] for key in ("n_params", "df_resid", "deviance", "llf")})
        writer.writerow({key: _said(value) for key, value in row.items()})
    return out.getvalue()


def packaged() -> str:
    """The package's copy: all data sets and fits, one a line."""
    data = [json.loads(path.read_text("utf-8")) for path in sorted((HERE / "data").glob("*.json"))]
    fits = [json.loads(path.read_text("utf-8")) for path in sorted((HERE / "fits").glob("*.json"))]
    short = [{key: value for key, value in fit.items() if key not in LEFT_OUT} for fit in fits]
    sets = ",\n".join(f"{json.dumps(d['id'])}: {json.dumps(d, ensure_ascii=False)}" for d in data)
    lines = ",\n".join(json.dumps(fit, ensure_ascii=False) for fit in short)
    return f'{{"data": {{\n{sets}\n}},\n"fits": [\n{lines}\n]}}\n'


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
        print(
            f"nothing is called {', '.join(options.ids)}; names are those of {HERE / 'data'} and"
            f" {HERE / 'fits'}"
        )
        return 1
    differing = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    if options.write:
        for path in differing:
            path.write_text(made[path], "utf-8")
    derived = {HERE / "index.csv": index(), PACKAGED: packaged()}
    stale = [path for path, text in derived.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale if options.write else []:
        path.write_text(derived[path], "utf-8")
    print(
        f"{len(made)} files made, {len(differing)}",
        "written" if options.write else "differ from what the code makes",
    )
    for path in [] if options.write else [*differing, *stale]:
        print(f"  {path.relative_to(HERE.parents[2])}")
    return 0 if options.write or not (differing or stale) else 1


if __name__ == "__main__":
    sys.exit(main())
