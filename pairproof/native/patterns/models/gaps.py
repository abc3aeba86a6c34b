"""The joint model of answers and of which comparisons are missing, as `fit_pattern` asks for it.

Its saturated model gives free probabilities to every combination of answers and gaps, (c + 1)^C of them for C
comparisons with c categories, in each covariate group.  prefmod compares the joint log-likelihood with a saturated one
of the answers given the gaps, which is no deviance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from ....data.respondents import Respondents
from ....data.wide import prefmod_pair_order
from ....errors import InputError
from ....fit.answers.spec import AnswerSpec
from ....fit.spec import Term
from ..comparisons import gaps
from ..comparisons.pairs import n_pairs
from ..estimate import maximum_likelihood
from ..maps import Undecided
from ..pooled import PatternFit, blocks
from . import parameters
from .assemble import comparison_statistics
from .terms import ItemModel


def fit_with_gaps(
    table: Respondents,
    spec: AnswerSpec,
    model: ItemModel,
    more: Sequence[Term],
    undecided: Undecided | None,
    alpha_of: Sequence[str] | None,
    beta_of: Sequence[str] | None,
) -> tuple[PatternFit, list[Term]]:
    """The joint model of answers and gaps; its saturated model has free probabilities of both together."""
    likelihood, pooled, names = gaps.gaps_likelihood(
        table.once,
        model.terms,
        None if spec.alpha == "none" else cast(gaps.Alpha, spec.alpha),
        cast("gaps.Beta | None", spec.beta or None),
        _places(table, spec.alpha, alpha_of, "alpha_of"),
        _places(table, spec.beta, beta_of, "beta_of"),
        model.group,
        table.weights,
        undecided,
        spec.dependence,
    )
    missing = [Term(_missing_name(n), "missing") for n in names if n.split(":")[0] in ("alpha", "beta")]
    called = parameters.names(model, spec, [*missing, *more])
    estimate = maximum_likelihood(likelihood, pooled.weights, called, concave=False)
    block = blocks(pooled.group[:, None])
    each = (4.0 if table.tie_category else 3.0) ** n_pairs(len(table.items))
    return PatternFit(estimate, likelihood, pooled, block, np.full(int(block.max()) + 1, each)), missing


def _missing_name(name: str) -> str:
    return name.replace("-", ":") if name.count(":") == 1 and "-" in name else name


def _places(table: Respondents, what: str, chosen: Sequence[str] | None, option: str) -> list[int] | None:
    """Positions of the items or pairs named in `alpha_of` or `beta_of`."""
    if chosen is None:
        return None
    items = table.items
    known = (
        [f"{items[i]}:{items[j]}" for i, j in prefmod_pair_order(len(items))]
        if what == "comparison"
        else items
    )
    wrong = [name for name in chosen if name not in known]
    if isinstance(chosen, str) or wrong:
        raise InputError(
            f"{option}: {wrong[0] if wrong else chosen!r} is none of {', '.join(known[:20])}; give a list of them"
        )
    return [list(known).index(name) for name in chosen]


def gap_statistics(table: Respondents, spec: AnswerSpec, found: PatternFit) -> list[str]:
    """Names of the natural parameters: of the answers, of gaps, and of gaps and answers together."""
    items = table.items
    pairs = [f"{items[i]}:{items[j]}" for i, j in prefmod_pair_order(len(items))]
    depends = [term.name for term in parameters.dependence(table, spec)]
    own = comparison_statistics(items, table.tie_category, depends)
    n_beta = found.likelihood.maps[0].shape[0] - len(own) - len(pairs)
    # prefmod's form has a parameter an item where the others have one a comparison.
    of_beta = [f"coded {k}" for k in range(n_beta)] if spec.beta == "coded" else pairs
    return [*own, *(f"alpha {p}" for p in pairs), *(f"beta {p}" for p in of_beta)]
