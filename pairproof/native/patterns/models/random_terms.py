"""Which parameters differ between latent classes: the `random` of :func:`pairproof.fit_latent_classes`.

As in prefmod's `pattnpml.fit(formula, random = ~ o1 + o2)` it is a sum of terms: items (`A`), item covariates (`x`),
either with a subject covariate (`A:sex`), or any parameter by its name (`tie`).  What it does not name is common to all
classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....errors import FormulaError
from ....fit.spec import Term

BoolArray = NDArray[np.bool_]
#: A term: anything but +, which may stand in backquotes or brackets.
_PIECE = re.compile(r"(?:`[^`]*`|\[[^\]]*\]|[^+`\[])+")


def random_terms(
    random: str | Sequence[str] | None, terms: Sequence[Term], free: BoolArray
) -> tuple[BoolArray, tuple[str, ...]]:
    """The parameters that differ between classes.

    random: a formula, or names as they stand; all parameters of items and item covariates if not given.
    terms: all parameters.  free bool[n_terms]: those that are not references.  Returns (bool[n_free], tuple
    of str): which differ, and the terms as they were written; () if none were.
    """
    if random is None:
        return np.array([t.kind in ("item", "covariate") for t, f in zip(terms, free) if f], bool), ()
    written = _pieces(random)
    chosen = np.zeros(len(terms), bool)
    for piece in written:
        own = np.array([piece in _keys(term) for term in terms], bool)
        if not own.any():
            known = list(dict.fromkeys(_short(t) for t, f in zip(terms, free) if f))
            raise FormulaError(
                f"random={random!r}: {piece!r} is no parameter of the model; a sum of"
                f" {', '.join(known[:20])}{' and more' if len(known) > 20 else ''} is expected, such as"
                f" random={' + '.join(known[:2])!r}"
            )
        if not (own & free).any():
            raise FormulaError(
                f"random={random!r}: {piece} is the reference, whose parameter is 0 in every class; leave it out, or"
                " choose another reference"
            )
        chosen |= own
    return np.asarray(chosen[free], bool), written


def _pieces(random: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(random, str):
        found = tuple(random)
        if not found or not all(isinstance(name, str) for name in found):
            raise FormulaError(
                f"random={random!r}; expected names of parameters, or a formula such as 'A + B'"
            )
        return found
    text = random.strip().removeprefix("~")
    found = tuple(piece.replace("`", "").strip() for piece in _PIECE.findall(text))
    if not found or not all(found) or text.count("+") >= len(found) + sum("+" in piece for piece in found):
        raise FormulaError(f"random={random!r}; expected parameters joined by +, such as 'A + B'")
    return found


def _keys(term: Term) -> set[str]:
    """What may stand for a term: its name, or that without levels of factors, or without points in time."""
    return {term.name, _short(term), _short(term, times=False)}


def _short(term: Term, times: bool = True) -> str:
    if term.kind not in ("item", "covariate", "tie"):
        return term.name
    head = term.covariate or term.item or "tie"
    return ":".join([head, *(name for name, _ in term.by if times or name != "time")])
