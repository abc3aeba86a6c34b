"""Which models are certified of which data, and their parameters' names.

Item parameters are lambda in pattern models (log worth = 2 lambda, the last item is 0) and log worth in those
of Plackett and Luce (the first item is 0).  Names: `A` an item, `A:sex[2]` what group 2 adds, `tie` gamma or
`tie2`, `tie3` log delta, `A:B*A:C` the dependence of two comparisons, `A:class[1]` the item in a class,
`A:time[2]` at a time, `A:B:time[1]*time[2]` the dependence of a comparison on the same one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.certified.answers.alternatives import pairs, sharing


@dataclass(frozen=True)
class Model:
    """A model of whole answers.

    Attributes
    ----------
    family : {"pattern", "plackett-luce"}
    ties : bool
        Whether there is a parameter of undecided comparisons (pattern models of pairs and ratings).
    dependence : bool
    between_times : bool
    by : str or None
        Column of two groups.
    categories : int or None
        Of the rating scale.
    times : int
    tie_orders : tuple of int
        Sizes of shared places that are possible.
    classes : int
    alpha : {"common", "item"} or None
        Of the missing comparisons, where their number is part of the model.
    beta : {"difference", "coded"} or None
        How a comparison that is missing depends on its answer; "coded" is what prefmod computes.
    """

    family: str = "pattern"
    ties: bool = False
    dependence: bool = False
    between_times: bool = False
    by: str | None = None
    categories: int | None = None
    times: int = 1
    tie_orders: tuple[int, ...] = ()
    classes: int = 1
    alpha: str | None = None
    beta: str | None = None

    def slug(self) -> str:
        """The second half of a fit's id."""
        parts = [
            self.family,
            *(["dependence"] if self.dependence else []),
            *([f"by-{self.by}"] if self.by else []),
            *([f"alpha-{self.alpha}"] if self.alpha else []),
            *([f"beta-{self.beta}"] if self.beta else []),
        ]
        return "-".join([*parts, *([f"{self.classes}-classes"] if self.classes > 1 else [])])

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "tie_orders": list(self.tie_orders)}


def reference(model: Model, items: Sequence[str]) -> str:
    """The item whose parameter is 0."""
    return items[0] if model.family == "plackett-luce" else items[-1]


def parameter_names(model: Model, items: Sequence[str], levels: Sequence[Any]) -> list[str]:
    """In the order of the statistics; `levels` of the covariate, the first of which is the reference."""
    free = [item for item in items if item != reference(model, items)]
    own = list(free)
    if model.by:
        own += [f"{item}:{model.by}[{level}]" for level in levels[1:] for item in free]
    if model.family == "plackett-luce":
        return own + [f"tie{d}" for d in model.tie_orders]
    named = [f"{items[i]}:{items[j]}" for i, j in pairs(len(items))]
    tied = ["tie"] if model.ties else []
    linked = [f"{named[a]}*{named[b]}" for a, b in sharing(len(items))] if model.dependence else []
    if model.times > 1:
        at = [f"time[{t + 1}]" for t in range(model.times)]
        found = [f"{name}:{t}" for part in (own, tied, linked) for t in at for name in part]
        return found + [f"{pair}:{one}*{two}" for one, two in zip(at, at[1:]) for pair in named]
    if model.classes > 1:
        own = [f"{item}:class[{k + 1}]" for k in range(model.classes) for item in free]
    return own + missing_names(model, items) + tied + linked


def missing_names(model: Model, items: Sequence[str]) -> list[str]:
    """Parameters of the missing comparisons: `alpha` or `alpha:A`, `beta:A`."""
    found = ["alpha"] if model.alpha == "common" else []
    found += [f"alpha:{item}" for item in items] if model.alpha == "item" else []
    if model.beta:
        found += [f"beta:{item}" for item in (items if model.beta == "coded" else items[:-1])]
    return found


PAIRS, TIED = Model(), Model(ties=True)
RATINGS = Model(ties=True, categories=5)
PANEL = Model(ties=True, dependence=True, between_times=True, categories=5, times=2)


def dependent(model: Model) -> Model:
    return Model(**{**asdict(model), "dependence": True})


def by(model: Model, column: str) -> Model:
    return Model(**{**asdict(model), "by": column})


def missing(alpha: str, beta: str | None = None) -> Model:
    return Model(alpha=alpha, beta=beta)


def luce(*orders: int) -> Model:
    return Model("plackett-luce", tie_orders=orders)


CERTIFIED: dict[str, tuple[Model, ...]] = {
    "salad": (PAIRS, luce()),
    "salad-top-2": (luce(),),
    "pudding": (luce(2),),
    "fruit": (luce(2, 3),),
    "tie-link": (luce(2),),
    "order-3": (luce(3),),
    "made-questions": (TIED, by(TIED, "sex"), dependent(TIED)),
    "made-two-kinds": (PAIRS, dependent(PAIRS), Model(classes=2)),
    "made-silent": (
        PAIRS,
        missing("common"),
        missing("item"),
        missing("common", "difference"),
        missing("common", "coded"),
    ),
    "made-ratings": (RATINGS, dependent(RATINGS)),
    "made-panel": (PANEL,),
    "made-ranks": (PAIRS, by(PAIRS, "region"), luce(), by(luce(), "region")),
    "made-shared-places": (luce(2, 3),),
    "dat4": (PAIRS, dependent(PAIRS)),
    "immig": (TIED, dependent(TIED)),
    "trdel": (PAIRS, Model(classes=2), Model(classes=3)),
    "trdel4": (by(PAIRS, "sex"),),
    "issp2000-4": (RATINGS, dependent(RATINGS)),
    "music4": (RATINGS,),
    "music3x2": (PANEL,),
    "carconf": (PAIRS,),
    "carconf4": (by(PAIRS, "sex"),),
}
