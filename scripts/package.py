"""`make package`: build the sdist and the wheel, check them, and fit with the oldest and the newest of what they need.

    python scripts/package.py OUT [--fits 0|2|all]

Builds into OUT with `build` and checks with `twine check --strict`.  Then the wheel is installed, from an empty folder:
on the lowest Python found with the lowest versions that its metadata names, and on the highest with the newest that the
package index has (`--fits all`: on each other Python found too).  What `pairproof fit` prints must be the same, byte for
byte.  Pythons are looked for on PATH and among pyenv's; where fewer than two are found, that is printed and no failure.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 3_000_000  # bytes of the wheel
MINORS = range(10, 15)
#: Of examples that come with the wheel: options of `pairproof fit`, whose output is compared.
FITS = {
    "dras": ["--by", "judge"],
    "baseball": ["--model", "bradley-terry", "--reference", "Baltimore", "--order-effect"],
    "rankings": ["--ties", "davidson", "--cluster", "judge"],
}


def pythons() -> dict[int, str]:
    """Minor version of Python 3 -> an interpreter that runs."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    if shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True).stdout.strip()
        folders += sorted(Path(root, "versions").glob("*/bin"))
    found = {}
    for minor in MINORS:
        for folder in folders:
            path = folder / f"python3.{minor}"
            ask = [str(path), "-c", "import venv, ensurepip"]
            if path.is_file() and subprocess.run(ask, capture_output=True).returncode == 0:
                found[minor] = str(path)
                break
    return found


def built(out: Path) -> Path:
    """Build the sdist, and the wheel from it; check both, and return the wheel."""
    for old in (*out.glob("pairproof-*.whl"), *out.glob("pairproof-*.tar.gz")):
        old.unlink()
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], check=True)
    (wheel,), (sdist,) = out.glob("pairproof-*.whl"), out.glob("pairproof-*.tar.gz")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)], check=True)
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes; {sdist.name}: {sdist.stat().st_size:,} bytes")
    if wheel.stat().st_size > LARGEST:
        sys.exit(f"the wheel is larger than {LARGEST:,} bytes")
    return wheel


def floors(wheel: Path) -> list[str]:
    """The lowest versions that a wheel's metadata names, as pip's constraints; extras are left out."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = archive.read(name).decode()
    needs = re.findall(r"^Requires-Dist: ([\w.-]+)[^\n;]*>=([\d.]+)([^\n]*)$", metadata, re.M)
    return [f"{package}=={version}" for package, version, rest in needs if "extra" not in rest]


def fitted(python: str, wheel: Path, constraints: list[str], folder: Path) -> dict[str, bytes]:
    """What each fit prints, with the wheel installed into an environment of its own."""
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    own = str(folder / "venv" / "bin" / "python")
    (folder / "constraints").write_text("\n".join(constraints), encoding="utf-8")
    pip = [
        own,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "-q",
        "-c",
        str(folder / "constraints"),
    ]
    subprocess.run([*pip, str(wheel)], check=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAIRPROOF_", "PYTHONPATH"))}

    def pairproof(*arguments: str) -> bytes:
        command = [own, "-m", "pairproof", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE).stdout

    printed = {}
    for name, options in FITS.items():
        (folder / f"{name}.csv").write_bytes(pairproof("example", name))
        printed[name] = pairproof("fit", f"{name}.csv", *options)
    return printed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--fits", choices=["0", "2", "all"], default="2")
    asked = parser.parse_args()
    wheel = built(asked.out.resolve())
    found = pythons() if asked.fits != "0" else {}
    chosen = sorted(found) if asked.fits == "all" else sorted({*list(found)[:1], *list(found)[-1:]})
    if asked.fits != "0" and len(chosen) < 2:
        print(f"found {len(chosen)} of Python 3.10 to 3.14 (PATH, pyenv): no fit was compared")
        return 0
    printed = {}
    for minor in chosen:
        oldest = minor == chosen[0]
        what = f"Python 3.{minor} with the {'oldest' if oldest else 'newest'} versions"
        with tempfile.TemporaryDirectory() as folder:
            printed[what] = fitted(found[minor], wheel, floors(wheel) if oldest else [], Path(folder))
        first = next(iter(printed.values()))
        other = [name for name in FITS if printed[what][name] != first[name]]
        same = f"{len(FITS) - len(other)} of {len(FITS)} fits print the same bytes"
        print(f"{what}: {same}{f', other: {other}' if other else ''}", flush=True)
    return int(any(p != first for p in printed.values()) if printed else 0)


if __name__ == "__main__":
    sys.exit(main())
