"""Numbers of a paper that no `Fit` has: a claim names the computation, as `compute = "..."`, and prints its numbers in `stat`.

A computation is a function of a `Request`; it gives a `Computed`: its numbers by name, from native code or from R.
A model that native does not have (bias reduction, random effects) is asked of R and is said to be `not-run` natively.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from ...bridge.policy import Backend
    from ...comparisons import Comparisons
    from ...fit import Fit
    from ..agreement import RSource

#: Name -> module here and function in it; the module is imported when the computation is asked for.
COMPUTATIONS: Mapping[str, tuple[str, str]] = {
    "bias-reduced": ("bradleyterry2", "bias_reduced"),
    "flat-lizards": ("bradleyterry2", "flat_lizards"),
    "abilities-by-default": ("bradleyterry2", "abilities_by_default"),
    "counts-in-r": ("cems", "counts_in_r"),
    "half-wins-in-r": ("cems", "half_wins_in_r"),
    "half-wins-by-row": ("cems", "half_wins_by_row"),
    "held-out-sizes": ("translation", "held_out_sizes"),
    "perplexities": ("translation", "perplexities"),
    "judge-agreement": ("translation", "judge_agreement"),
    "ranking-heuristics": ("translation", "example"),
    "sums-by-pair": ("translation", "sums_by_pair"),
    "merge-insertion": ("translation", "merge_insertion"),
    "mean-labels": ("scalar_annotation", "mean_labels"),
}


@dataclass(frozen=True)
class Request:
    """What a computation may ask for.

    Attributes
    ----------
    data_of : function of a data set's name to Comparisons
    table_of : function of a data set's name to DataFrame
        As it stands in the claims file, uninterpreted.
    fit_of : function of a claim's id to Fit
    data : str
        Name of the claim's own data set; "" if it has none.
    args : mapping
        The claim's `args`.
    backend : Backend or None
        Who answers for R.
    """

    data_of: Callable[[str], Comparisons]
    table_of: Callable[[str], pd.DataFrame]
    fit_of: Callable[[str], Fit]
    data: str
    args: Mapping[str, Any]
    backend: Backend | None


@dataclass(frozen=True)
class Computed:
    """What a computation found.

    Attributes
    ----------
    native, r : mapping of name to float
        Empty for an engine that was not asked.
    r_call : str
    r_source : {"live", "recorded"} or None
    lacks : str
        What native has not got that this needs: its numbers are R's alone; "" if native computed them.
    remarks : mapping of name to str
        Why a printed number means nothing, whether or not it comes out; it is then `explained`, and the remark begins
        with the name under which a person accepts it.
    """

    native: Mapping[str, float] = field(default_factory=dict)
    r: Mapping[str, float] = field(default_factory=dict)
    r_call: str = ""
    r_source: RSource | None = None
    lacks: str = ""
    remarks: Mapping[str, str] = field(default_factory=dict)


Computation = Callable[[Request], Computed]


def computation(name: str) -> Computation:
    """The function of a name of `COMPUTATIONS`."""
    module, function = COMPUTATIONS[name]
    found: Computation = getattr(import_module(f".{module}", __name__), function)
    return found
