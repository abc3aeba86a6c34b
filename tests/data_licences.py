"""`python -m tests.data_licences`: write the lists of pairproof/DATA-LICENCES.toml anew, from the package's files.

Which answers of R a validation asks for is found out by running all of them from the records.  A data file that
is in the list keeps its sources; one that is not has to be entered by hand first, with where it comes from.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.places import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = ROOT / "pairproof"
LICENCES = PACKAGE / "DATA-LICENCES.toml"
ANSWERS = "bridge/records/answers"
#: Ours and no data: code in its languages, the texts and pages that it fills, and the list itself.
CODE = {".py", ".R", ".css", ".html", ".j2", ".js", ".sql", ".typed"}
WRITTEN = "# ---- written by `python -m tests.data_licences` ----\n"

#: Runs a validation from the records and writes which of the package's own it found.
ASKED = """
import sys
from pathlib import Path
from pairproof.bridge.records.record_files import PACKAGED, Records
from pairproof.cli import main

found, find = set(), Records.find
def watched(self, call):
    record = find(self, call)
    if record is not None and record.path.parent == PACKAGED:
        found.add(record.path.name)
    return record
Records.find = watched
out, sys.argv = Path(sys.argv[1]), ["pairproof", "validate", *sys.argv[2:]]
try:
    main()
finally:
    out.write_text("\\n".join(sorted(found)), encoding="utf-8")
"""


def licences() -> dict[str, Any]:
    """The list as it stands."""
    return tomllib.loads(LICENCES.read_text(encoding="utf-8"))


def data_files(package: Path = PACKAGE) -> list[str]:
    """Every file of a package that is not code, by its path inside it."""
    paths = (p for p in package.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    names = (p.relative_to(package).as_posix() for p in paths if p.suffix not in CODE)
    return sorted(name for name in names if name != LICENCES.name)


def sha256(path: Path) -> str:
    """Its first 32 digits: the list says which file it is about, in half the bytes of the wheel."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def asked_by() -> dict[str, list[str]]:
    """For each of the package's records, which validations find their answer in it."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "asked")
        for paper in licences()["papers"]:
            asked = [sys.executable, "-c", ASKED, str(out), paper, "--r", "recorded", "--quiet"]
            subprocess.run(asked, stdout=subprocess.DEVNULL, cwd=ROOT, check=False)
            for name in out.read_text(encoding="utf-8").split():
                found.setdefault(name, []).append(paper)
    return found


def written(lists: dict[str, dict[str, dict[str, Any]]]) -> str:
    lines = []
    for title, entries in lists.items():
        lines += ["", f"[{title}]"]
        for name, entry in sorted(entries.items()):
            parts = (f"{key} = {_value(value)}" for key, value in entry.items())
            lines.append(f'"{name}" = {{ {", ".join(parts)} }}')
    return "\n".join(lines) + "\n"


def _value(value: str | list[str]) -> str:
    return f'"{value}"' if isinstance(value, str) else "[" + ", ".join(f'"{v}"' for v in value) + "]"


def main() -> int:
    text = LICENCES.read_text(encoding="utf-8")
    kept, asked = licences().get("files", {}), asked_by()
    files, records, unknown = {}, {}, []
    for name in data_files():
        entry: dict[str, Any] = {"sha256": sha256(PACKAGE / name)}
        if name.startswith(f"{ANSWERS}/"):
            entry["asked_by"] = asked.get(Path(name).name, [])
            records[Path(name).name] = entry
        else:
            entry["sources"] = kept.get(name, {}).get("sources", [])
            files[name] = entry
        if not entry.get("sources") and not entry.get("asked_by"):
            unknown.append(name)
    if unknown:
        print("no source is known, or no validation asks for it:", *unknown, sep="\n  ", file=sys.stderr)
        return 1
    head = re.split(re.escape(WRITTEN), text)[0]
    LICENCES.write_text(head + WRITTEN + written({"files": files, "records": records}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
