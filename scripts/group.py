"""Prints a dependency group of pyproject.toml, one requirement a line, for installers that know no groups.

    python scripts/group.py test | python -m pip install -r /dev/stdin

pip reads groups from version 25.1 on; Debian's pip and those that come with Python 3.10 to 3.13 do not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    # Python 3.10 has no reader of TOML; its pip carries one, before anything is installed.
    try:
        import tomli as tomllib
    except ImportError:
        from pip._vendor import tomli as tomllib

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def requirements(name: str, groups: dict[str, list[Any]]) -> Iterator[str]:
    """The requirements of a group, and of the groups that it includes."""
    if name not in groups:
        sys.exit(f"{PROJECT.name} has no dependency group {name!r}; expected one of {', '.join(groups)}")
    for entry in groups[name]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from requirements(entry["include-group"], groups)


if __name__ == "__main__":
    known = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["dependency-groups"]
    if len(sys.argv) != 2:
        sys.exit(f"usage: python scripts/group.py GROUP; the groups are {', '.join(known)}")
    print("\n".join(requirements(sys.argv[1], known)))
