"""Makes every file of `data/` and `fits/`, or says which differ.

    python -m tests.certified.make_certified            check what is there against what the code gives
    python -m tests.certified.make_certified --write    write the files and the table of checks in README.md
    python -m tests.certified.make_certified --digits 140 ID ...   other working precision, some files only

Exit status 0 if nothing differs, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from mpmath import mp

from tests.certified import newton
from tests.certified.data_sets import all_data_sets
from tests.certified.definition import verify
from tests.certified.document import certify
from tests.certified.models import CERTIFIED
from tests.certified.printed import readme_with_checks

HERE = Path(__file__).resolve().parent


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def layout(document: dict[str, Any]) -> str:
    """JSON with one line a key, and one line an element of a list or an entry of a table."""
    lines = []
    for key, value in document.items():
        if isinstance(value, dict) and key == "cov_params":
            rows = ",\n    ".join(json.dumps(row) for row in value["rows"])
            body = f'{{"names": {_plain(value["names"])},\n   "rows": [\n    {rows}]}}'
        elif isinstance(value, dict) and value:
            body = "{\n  " + ",\n  ".join(f"{_plain(k)}: {_plain(v)}" for k, v in value.items()) + "}"
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            body = "[\n  " + ",\n  ".join(_plain(v) for v in value) + "]"
        else:
            body = _plain(value)
        lines.append(f" {json.dumps(key)}: {body}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def everything(wanted: list[str]) -> dict[Path, str]:
    """Path -> text of every file asked for (all without names); each fit is verified from the definition
    first.
    """
    made: dict[Path, str] = {}
    for data in all_data_sets():
        if not wanted or data["id"] in wanted:
            made[HERE / "data" / f"{data['id']}.json"] = layout(data)
        for model in CERTIFIED[data["id"]]:
            name = f"{data['id']}--{model.slug()}"
            if wanted and name not in wanted and data["id"] not in wanted:
                continue
            document = certify(data, model)
            report = verify(document)
            print(f"{name}: {len(document['params'])} parameters, {report}", flush=True)
            made[HERE / "fits" / f"{name}.json"] = layout(document)
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ids", nargs="*", help="data sets or fits; all if none")
    parser.add_argument("--write", action="store_true", help="write files instead of comparing")
    parser.add_argument(
        "--digits", type=int, default=newton.DIGITS, help="working precision (default %(default)s)"
    )
    options = parser.parse_args(arguments)
    with mp.workdps(options.digits):
        made = everything(options.ids)
    if options.ids and not made:
        print(
            f"nothing is called {', '.join(options.ids)}; names are those of {HERE / 'data'} and"
            f" {HERE / 'fits'}"
        )
        return 1
    differing = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    present = {*(HERE / "data").glob("*.json"), *(HERE / "fits").glob("*.json")}
    stray = [] if options.ids else sorted(present - made.keys())
    if options.write:
        for path in differing:
            path.write_text(made[path], "utf-8")
        for path in stray:
            path.unlink()
        if not options.ids:
            readme = HERE / "README.md"
            readme.write_text(readme_with_checks(readme.read_text("utf-8")), "utf-8")
    changed, other = (
        ("written", "removed") if options.write else ("differ from what the code makes", "not made by it")
    )
    print(f"{len(made)} files made, {len(differing)} {changed}, {len(stray)} {other}")
    for path in [] if options.write else [*differing, *stray]:
        print(f"  {path.relative_to(HERE)}")
    return 0 if options.write or not (differing or stray) else 1


if __name__ == "__main__":
    sys.exit(main())
