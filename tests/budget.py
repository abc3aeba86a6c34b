"""`python -m tests.budget`: lines of code, docstrings and comments, and modules, of each room of the package.

A line of code is one that is neither blank, nor a comment, nor part of a docstring.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tests.places import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = ("modules", "code", "docstrings", "comments")
BUDGET = ROOT / "tests" / "budget.toml"


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but the expressions, which are most of a tree and hold no definition and no import."""
    left = [tree]
    while left:
        node = left.pop()
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
        yield node


def counted(source: str) -> Counter[str]:
    """How many lines of each kind a module has."""
    documented: set[int] = set()
    for node in statements(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                first = node.body[0]
                documented.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    rest = [line.strip() for k, line in enumerate(source.splitlines(), 1) if k not in documented]
    return Counter(
        modules=1,
        code=sum(bool(line) and not line.startswith("#") for line in rest),
        docstrings=len(documented),
        comments=sum(line.startswith("#") for line in rest),
    )


@lru_cache
def sizes(package: Path = ROOT / "pairproof") -> dict[str, Counter[str]]:
    """By room; what stands in no folder is the room "face"."""
    found: dict[str, Counter[str]] = {}
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package).parts
        room = (
            "/".join(inside[:2])
            if inside[0] in ("native", "validation", "bridge") and len(inside) > 2
            else inside[0]
        )
        room = "face" if len(inside) == 1 else room.removesuffix(".py")
        found.setdefault(room, Counter()).update(counted(path.read_text(encoding="utf-8")))
    return found


def budget() -> dict[str, dict[str, int]]:
    """Room -> kind -> the most there may be."""
    return tomllib.loads(BUDGET.read_text(encoding="utf-8"))


def main() -> None:
    found = sizes()
    found["all"] = sum(found.values(), Counter())
    print(f"{'':28}" + "".join(f"{kind:>12}" for kind in KINDS))
    for room, own in found.items():
        print(f"{room:28}" + "".join(f"{own[kind]:>12,}" for kind in KINDS))


if __name__ == "__main__":
    main()
