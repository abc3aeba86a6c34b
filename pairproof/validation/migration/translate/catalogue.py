"""All translators: importing this module fills the registry."""

from __future__ import annotations

from importlib import import_module

from .registry import TRANSLATORS
from .translation import Translator

#: Modules of translators, one for the functions of one package.
MODULES: tuple[str, ...] = ("bradleyterry2.btm",)


def translators() -> dict[str, Translator]:
    """R function with its package -> its translator."""
    for name in MODULES:
        import_module(f".{name}", __package__)
    return TRANSLATORS
