"""`python -m tools.addresses`: write README's links absolute, so that they work on a package index.

The address is `Source` of `[project.urls]` in pyproject.toml.  Without one the links stay relative, which a checkout
follows, and setup.py makes words of them for an index.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
#: A definition of a link, `[name]: target`; all links of README are defined so, at its end.
DEFINITION = re.compile(r"^\[(?P<name>[\w-]+)\]: (?P<target>\S+)$", re.MULTILINE)
PICTURES = (".png", ".svg")


def source() -> str | None:
    """The project's public address, if it has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project.get("urls", {}).get("Source")
    return None if address is None else str(address).rstrip("/")


def definitions(text: str) -> Mapping[str, str]:
    """Name -> target of the links that a page defines."""
    return {m["name"]: m["target"] for m in DEFINITION.finditer(text)}


def file_of(target: str, address: str | None) -> str:
    """The file of the repository that a target leads to."""
    return re.sub(rf"^{re.escape(address)}/(blob|raw)/main/", "", target) if address else target


def absolute(text: str, address: str | None) -> str:
    """The page with the targets of its definitions under the address, or relative without one."""

    def changed(match: re.Match[str]) -> str:
        file = file_of(match["target"], address)
        kind = "raw" if file.endswith(PICTURES) else "blob"
        return f"[{match['name']}]: {f'{address}/{kind}/main/' if address else ''}{file}"

    return DEFINITION.sub(changed, text)


if __name__ == "__main__":
    README.write_text(absolute(README.read_text(encoding="utf-8"), source()), encoding="utf-8")
    print(
        f"README's links: {'under ' + str(source()) if source() else 'relative, since pyproject.toml has no Source'}"
    )
