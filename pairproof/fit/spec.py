"""The specification of a model (`ModelSpec`) and its named parameters (`Term`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args

import numpy as np
from numpy.typing import NDArray

from ..data.options import one_of
from .family import FAMILIES, LOG_WORTH_PER_UNIT, Family, FamilyName, Scale, Ties

__all__ = [
    "LOG_WORTH_PER_UNIT",
    "Kind",
    "Layout",
    "ModelSpec",
    "Scale",
    "Term",
    "Ties",
    "Value",
    "by_suffix",
    "layout",
    "of_comparison",
]

IntArray = NDArray[np.int64]
#: The last four are of models of whole answers: ties of one pair or of several items at once, two comparisons
#: that depend on each other, and what is missing.
Kind = Literal["item", "covariate", "tie", "order", "comparison", "tie-of", "dependence", "missing", "share"]
#: A covariate's value in a group: a level of a factor, or a number.
Value = Union[str, float]


@dataclass(frozen=True)
class ModelSpec:
    """The specification of a model to be fitted.

    family: decides the scale (lambda, log-odds) and the default reference (last item, first item).  `by`:
    formula of subject covariates, as written ("" for none).  reference: an item, or "sum" (items sum to zero
    within each term).  cells: columns that name the table for deviance and df beyond the model's own
    covariates; ("row",) for rows.  item_terms: item covariates that replace the free item parameters; empty
    for free items.  separate: items whose ability is a parameter of its own, in place of what `item_terms`
    would say of them.  comparison_terms: formulas of covariates of the comparison, each in favour of the item
    named first.  pseudo_comparisons: in words, those that the table holds beside real ones; "" for none.
    """

    family: FamilyName = "llbt"
    ties: Ties = "none"
    by: str = ""
    reference: str = ""
    order_effect: bool = False
    cells: tuple[str, ...] = ()
    item_terms: tuple[str, ...] = ()
    separate: tuple[str, ...] = ()
    comparison_terms: tuple[str, ...] = ()
    pseudo_comparisons: str = ""

    def __post_init__(self) -> None:
        one_of("model", self.family, tuple(FAMILIES))
        one_of("ties", self.ties, get_args(Ties))

    @property
    def of_family(self) -> Family:
        """The family of models, with its title, scale and default reference."""
        return FAMILIES[self.family]

    @property
    def scale(self) -> Scale:
        return self.of_family.scale

    @property
    def words(self) -> str:
        """The whole title of the model, where the specification alone makes it; else ""."""
        return ""

    @property
    def has_worths(self) -> bool:
        """Whether differences of abilities are log-odds, so that their exponentials are worths."""
        return True

    @property
    def has_clustered(self) -> bool:
        """Whether there are standard errors by cluster, of every kind."""
        return True

    @property
    def has_refits(self) -> bool:
        """Whether the bootstrap and the wild test fit the model again."""
        return True

    @property
    def scale_in_words(self) -> str:
        """What a difference of abilities is, where it is no log-odds; else ""."""
        return ""

    @property
    def errors_in_words(self) -> str:
        """Which information the standard errors are of."""
        return "observed information"

    @property
    def likelihood_in_words(self) -> str:
        """What the likelihood is of."""
        return "of each comparison, given the pair"

    @property
    def without_goodness(self) -> str:
        """Why there is no chi-square test of the deviance; "" if there is one."""
        return ""

    @property
    def stated(self) -> Mapping[str, Any]:
        """Keys of the JSON of a fit that say what is stated beyond this class; {} here."""
        return {}

    @property
    def constraint(self) -> str:
        """What fixes the level of the abilities, in words."""
        if self.item_terms:
            return "abilities from item covariates"
        if self.reference == "sum":
            return "items sum to zero within each term"
        return f"reference {self.reference}"


@dataclass(frozen=True)
class Term:
    """A parameter of a model.

    name: `A`, `A:judge[3]`, `A:age`, `x`, `tie`, `tie:judge[3]`, `order`, `length`, `length:judge[3]`.  kind:
    "item" is of the free abilities, one of which is the reference.  "covariate" is an effect on abilities
    that no reference touches: of an item covariate, or of one item (a separate item, or a selective term such
    as `Paris:WOR[yes]`).  "comparison" is of a covariate of the comparison.  item: for kind "item", and the
    one item of a "covariate".  covariate: item covariate (kind "covariate"), as in the table.
    covariate_level: its level, if the item covariate is categorical.  `by`: subject covariates it is
    multiplied with; level None for a slope.  `of`: for kind "comparison": the columns of the comparison whose
    product it multiplies, and the level of a factor.
    """

    name: str
    kind: Kind
    item: str | None = None
    covariate: str | None = None
    covariate_level: str | None = None
    by: tuple[tuple[str, str | None], ...] = ()
    of: tuple[tuple[str, str | None], ...] = ()

    def to_dict(self) -> dict[str, str | None]:
        """The object of `terms` in the JSON of a fit."""
        multiplied = (*self.of, *self.by)
        covariate = (
            ":".join([*([self.covariate] if self.covariate else []), *(c for c, _ in multiplied)]) or None
        )
        levels = [lv for lv in [self.covariate_level, *(lv for _, lv in multiplied)] if lv is not None]
        return {
            "name": self.name,
            "kind": self.kind,
            "item": self.item,
            "covariate": covariate,
            "level": ":".join(levels) or None,
        }

    def multiplier(self, group: Mapping[str, Value]) -> float:
        """Value of the subject covariates' product in a group: 0 or 1 for levels, the number for slopes."""
        value = 1.0
        for covariate, level in self.by:
            here = group[covariate]
            value *= float(here) if level is None else float(here == level)
        return value


def by_suffix(by: tuple[tuple[str, str | None], ...]) -> str:
    """`:judge[3]:age` for (("judge", "3"), ("age", None))."""
    return "".join(f":{c}" if lv is None else f":{c}[{lv}]" for c, lv in by)


def of_comparison(of: tuple[tuple[str, str | None], ...]) -> str:
    """`length:judge[3]` for (("length", None), ("judge", "3"))."""
    return by_suffix(of)[1:]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the item terms lie in beta, so that 400 judges' worths need not read 11,600 names 400 times.

    place, item, block int[n_item_terms]: position in beta, position of the item, position of the term's
    covariates in `blocks`.  blocks: one term for every distinct product of subject covariates.  places
    int[n_blocks, n_items]: position in beta of every item's term, a block a row.  others: positions in beta
    of item-covariate terms.  separate: items with an ability of their own in place of their covariates.
    """

    place: IntArray
    item: IntArray
    block: IntArray
    blocks: tuple[Term, ...]
    places: IntArray
    others: tuple[int, ...]
    separate: frozenset[str]


def layout(terms: Sequence[Term], items: Sequence[str]) -> Layout:
    """Read the names once."""
    where = {name: k for k, name in enumerate(items)}
    blocks: dict[tuple[tuple[str, str | None], ...], int] = {}
    representatives: list[Term] = []
    rows: list[tuple[int, int, int]] = []
    for k, term in enumerate(terms):
        if term.kind == "item" and term.item is not None:
            if term.by not in blocks:
                blocks[term.by] = len(blocks)
                representatives.append(term)
            rows.append((k, where[term.item], blocks[term.by]))
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    others = tuple(k for k, t in enumerate(terms) if t.kind == "covariate")
    # A separate item has its term in place of the covariates' own, so with as few factors (none, or the
    # time) as these; a selective term has more.
    least = min((len(t.by) for t in terms if t.kind in ("item", "covariate")), default=0)
    separate = frozenset(
        t.item for t in terms if t.kind == "covariate" and t.item is not None and len(t.by) == least
    )
    place, item, block = table.T
    places = np.zeros((len(blocks), len(items)), np.int64)
    places[block, item] = place
    return Layout(place, item, block, tuple(representatives), places, others, separate)
