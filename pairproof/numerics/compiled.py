"""Compiled parts of SciPy by themselves.

To import scipy.linalg or scipy.special takes 0.1 s, most of it for arrays of other packages; what a first fit and its
summary take of them is in two compiled modules, which are there in 3 ms.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any


def lapack() -> Any:
    """The module with LAPACK's routines, which scipy.linalg.lapack shows."""
    return _alone("scipy.linalg", "_flapack", "scipy.linalg.lapack")


def special(name: str) -> Any:
    """A function of scipy.special."""
    few = _alone("scipy.special", "_special_ufuncs", "scipy.special")
    return getattr(few if hasattr(few, name) else import_module("scipy.special"), name)


@cache
def _alone(package: str, name: str, public: str) -> Any:
    """A compiled module of a package that is not imported for it; where it is, or has no such module, a public one."""
    if package not in sys.modules:
        import scipy

        folder, full = os.path.join(scipy.__path__[0], package.split(".")[1]), f"{package}.{name}"
        spec = PathFinder.find_spec(full, [folder])
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules.pop(full, None)  # it is the package's own, should that be imported
            return module
    return import_module(public)
