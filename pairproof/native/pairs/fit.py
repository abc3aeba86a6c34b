"""Fit a model to a table in four steps.

`build` makes the arrays of the likelihood, `solve` maximises it, `name` gives the parameters their names and
their scale, `tabulate` takes deviance and degrees of freedom on the table of cells.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from ...data.comparisons import Comparisons
from ...errors import RankingWarning, warn_the_caller
from ...fit.fit import Fit
from ...fit.record import Stopping
from ...fit.spec import ModelSpec
from .build import Model, build
from .fit_warnings import ranking_warning, warnings_of
from .name import name
from .solve import solve
from .tabulate import tabulate

RULE = "squared Newton decrement (step length in standard errors) <= 1e-14, or forecast <= 3e-27"


@lru_cache(maxsize=1)
def engine_name() -> str:
    """The engine and its version, as every result carries it."""
    try:
        return f"pairproof {version('pairproof')} native"
    except PackageNotFoundError:
        return "pairproof native"


def fit(data: Comparisons, spec: ModelSpec) -> Fit:
    """Fit by maximum likelihood."""
    fitted = fit_model(build(data, spec))
    for ranked in ranking_warning(data):
        warn_the_caller(str(ranked), RankingWarning)
    return fitted


def fit_model(model: Model) -> Fit:
    """Fit a model that is built: steps 2 to 4."""
    spec = model.spec
    found = solve(model.problem)
    named = name(model, found)
    table = tabulate(model, found)
    return Fit(
        spec=spec,
        data=model.data,
        terms=named.terms,
        **vars(named.numbers),
        **vars(table),
        outcome_model=model.outcome_model,
        scale=spec.scale,
        constraint=named.constraint,
        groups=named.groups,
        llf=found.llf,
        n_comparisons=float(model.problem.cells.counts.sum()),
        engine=engine_name(),
        stopping=Stopping(RULE, True, found.steps, found.decrement),
        warnings=warnings_of(model, found, named),
        n_infinite=named.n_infinite,
        quasi_likelihood=spec.ties == "half" and bool(model.data.ties.any()),
    )
