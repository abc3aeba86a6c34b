"""psychotree: trees of subgroups with different Bradley-Terry models (Strobl, Wickelmaier and Zeileis 2011).

At a node psychotree tests every covariate for instability of the judges' scores, and splits at the smallest p-value below ``alpha``, Bonferroni
corrected.  Its numbers for numeric covariates depend on the order of the rows where values are equal, and its
p-values on Hansen's (1997) approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.nodes import Expr, Formula
from .asking import Floats, RAnswer, as_frame, ask, asks, check_item, fields_of, program, reals, sent, strings

if TYPE_CHECKING:
    import pandas as pd

Type = Literal["loglin", "logit"]

TREE = program(__package__, "r/psychotree_tree")


@dataclass(frozen=True, eq=False)
class Node:
    """A node of a tree.

    id, parent: 0 is the root's parent.  kids: left and right; empty in a leaf.  variable: covariate of the
    split; "" in a leaf.  breaks float[splits]: of a numeric covariate: up to it goes left.  `left`: levels of
    a factor that go left; empty of a numeric covariate.  n: judges.  coef float[k]: log-odds against the
    reference.  vcov float[k, k].  tests: NaN where a covariate no longer varies.
    """

    id: int
    parent: int
    kids: tuple[int, ...]
    variable: str
    breaks: Floats
    left: tuple[str, ...]
    n: int
    loglik: float
    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    tests: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, eq=False)
class Tree(RAnswer):
    """A tree of Bradley-Terry models.

    nodes: by their numbers.  labels: the items.  loglik, df: of all leaves; a split counts as one.  member
    int[judges]: the leaf of each judge.
    """

    nodes: tuple[Node, ...]
    labels: tuple[str, ...]
    loglik: float
    df: float
    member: Floats = field(repr=False)

    def node(self, id: int) -> Node:
        """The node of that number."""
        return next(n for n in self.nodes if n.id == id)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """Nodes that are not split."""
        return tuple(n for n in self.nodes if not n.kids)

    def __str__(self) -> str:
        return f"psychotree's tree: {len(self.leaves)} leaves, minus the log-likelihood {-self.loglik:.4f}, {self.df:g} df"

    def params(self) -> pd.DataFrame:
        """The coefficients of the leaves: a row a leaf, by its number."""
        import pandas as pd

        return pd.DataFrame({n.id: dict(zip(n.names, n.coef.tolist())) for n in self.leaves}).T

    def worth(self) -> pd.DataFrame:
        """Worths of the items in each leaf, which add up to 1: a row a leaf, by its number."""
        found = np.exp(self.params().reindex(columns=list(self.labels), fill_value=0.0))
        return found.div(found.sum(axis=1), axis=0)


@asks("psychotree", "psychotools", "partykit")
def bttree(
    preference: Any,
    covariates: Any,
    labels: Sequence[str] | None = None,
    formula: str = "preference ~ .",
    type: Type = "loglin",
    ref: str | None = None,
    undecided: bool | None = None,
    alpha: float = 0.05,
    bonferroni: bool = True,
    minsize: int | None = None,
    maxdepth: int | None = None,
    vcov: Literal["opg", "info", "sandwich"] = "opg",
    breakties: bool = False,
    *,
    backend: BackendLike = None,
) -> Tree:
    """R's ``psychotree::bttree(formula, data, type, ref, undecided, ...)``.

    Parameters
    ----------
    preference : float[judges, pairs], or Expr
        1 the first is preferred, -1 the second, 0 undecided, NaN not compared; or R source of a paircomp.
    covariates : DataFrame, mapping of columns, or Expr
        A row a judge; text becomes a factor only as a pandas Categorical.
    labels : sequence of str, optional
        The items; a paircomp has its own.
    formula : str
        ``preference ~ age + gender``; default all covariates.
    type : {"loglin", "logit"}
    ref : str, optional
    undecided : bool, optional
        As for :func:`pairproof.bridge.packages.psychotools.btmodel`.
    alpha, bonferroni : float, bool
    minsize, maxdepth : int, optional
        Fewest judges of a node, by default 10 parameters over the number of pairs; deepest level.
    vcov : {"opg", "info", "sandwich"}
    breakties : bool
        All as for partykit's mob_control.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Tree

    Raises
    ------
    ValueError, InputError, FormulaError, RError
        Another option; labels missing; text that is no formula; R's own.

    Examples
    --------
    >>> bttree(answers, covariates, ["A", "B", "C"]).leaves  # doctest: +SKIP
    """
    if (labels is None) != isinstance(preference, Expr):
        raise InputError("labels name the items of a table of answers; an R paircomp has its own")
    if labels is not None:
        check_item("reference", ref, labels)
    made: dict[str, Any] = {"preference": preference if isinstance(preference, Expr) else reals(preference)}
    made |= {"covariates": as_frame(covariates), "formula": Formula(formula)}
    variables = "preference covariates labels formula type ref undecided alpha bonferroni"
    arguments = sent(backend, f"{variables} minsize maxdepth vcov breakties", **made)
    result = ask(backend, "psychotree::bttree", TREE, arguments)
    value = result.as_list()
    found = value["nodes"].values
    parents = {int(k): int(v["id"].scalar()) for v in found for k in v.vector("kids").values}
    levels = {n: strings(v) for n, v in zip(value["levels"].names or (), value["levels"].values)}
    nodes = tuple(_node(v, parents, levels) for v in found)
    return Tree.read(result, nodes=nodes)


def _node(value: Any, parents: dict[int, int], levels: dict[str, tuple[str, ...]]) -> Node:
    number = int(value["id"].scalar())
    variable = str(value["variable"].scalar())
    named = levels.get(variable, ())
    sides = value.vector("left").values.tolist()
    statistic, p_value = value.vector("statistic").floats(), value.vector("p_value").floats()
    tests = zip(strings(value.vector("tested")), statistic, p_value)
    more: dict[str, Any] = {"parent": parents.get(number, 0)}
    more |= {"kids": tuple(int(k) for k in value.vector("kids").values)}
    more |= {"left": tuple(level for level, side in zip(named, sides) if side == 1)}
    more |= {"tests": tuple((n, float(s), float("nan") if np.isnan(p) else float(p)) for n, s, p in tests)}
    return Node(**fields_of(Node, value, more))
