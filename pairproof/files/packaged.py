"""Files that travel inside the package, beside its modules."""

from __future__ import annotations

import json
import sys
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as tomllib
else:
    import tomli as tomllib

__all__ = ["packaged_json", "packaged_text", "packaged_toml", "tomllib"]


def packaged_text(package: str, name: str) -> str:
    """The text of a file in the folder of a package, "r/glm.R"."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def packaged_json(package: str, name: str) -> Any:
    """The value of a JSON file in the folder of a package."""
    return json.loads(packaged_text(package, name))


def packaged_toml(package: str, name: str) -> dict[str, Any]:
    """The document of a TOML file in the folder of a package."""
    found: dict[str, Any] = tomllib.loads(packaged_text(package, name))
    return found
