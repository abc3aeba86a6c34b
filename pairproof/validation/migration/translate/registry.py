"""Which function translates the calls of which R function; :mod:`.catalogue` fills it."""

from __future__ import annotations

from collections.abc import Callable

from .translation import Translator

#: R function with its package -> its translator.
TRANSLATORS: dict[str, Translator] = {}


def translates(*functions: str) -> Callable[[Translator], Translator]:
    """Registers a translator: `@translates("BradleyTerry2::BTm")`.

    functions: R functions with their packages.
    """

    def register(translator: Translator) -> Translator:
        for name in functions:
            if name in TRANSLATORS:
                raise ValueError(f"{name} has two translators")
            TRANSLATORS[name] = translator
        return translator

    return register
