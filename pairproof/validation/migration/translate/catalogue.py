"""All translators: importing this module fills the registry."""

from __future__ import annotations

from importlib import import_module

from .registry import TRANSLATORS
from .translation import Translator

#: Modules of translators, one for the functions of one package.
MODULES: tuple[str, ...] = (
    "bradleyterry2.abilities",
    "bradleyterry2.btm",
    "bradleyterry2.glmmpql",
    "bradleyterry2.predictions",
    "bradleyterry2.step",
    "bradleyterry2.terms",
    "designs.glm",
    "designs.polr",
    "designs.tables",
    "others.aspects",
    "others.by_values",
    "others.item_covariates",
    "others.plackett_luce",
    "others.psychotools",
    "prefmod",
)


def translators() -> dict[str, Translator]:
    """R function with its package -> its translator."""
    for name in MODULES:
        import_module(f".{name}", __package__)
    return TRANSLATORS
