"""Which models are certified on which data, and how a model is written down.

Probabilities of the one named first winning, a tie, and losing, with u = b_i - b_j + s o (log-odds; s is 1
for the order effect o where the row has one, else 0):

    Bradley-Terry (1952)     P(win) = 1 / (1 + e^-u)                      no tie category
    Davidson (1970), LLBT    win : tie : loss = e^(u/2) : nu : e^(-u/2)   tie = log nu (ties "none": nu = 1)
    Rao-Kupper (1967)        P(win) = 1 / (1 + e^(tie - u)), P(loss) = 1 / (1 + e^(tie + u)),
                             tie = log theta > 0
    half, drop               Bradley-Terry on wins + ties / 2 (a quasi-likelihood), or on wins alone

The lambda scale (Dittrich, Hatzinger, Katzenbeisser 1998) has b = 2 lambda; `tie` and `order` are not
rescaled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """One model as it stands in a certified file.

    Attributes
    ----------
    family : "llbt" or "bradley-terry"
        Gives the defaults of `scale` (lambda, log-odds) and `reference` (last item, first item).
    ties : "none", "davidson", "rao-kupper", "half" or "drop"
    by : str or None
        Terms joined by " + ": a column of the rows, or `tie:column`. `judge` and text columns are categorical
        (treatment coding, first level the reference), other numbers are slopes.
    order_effect : bool
    scale : "lambda" or "log-odds" or "" (the family's)
    reference : an item, "sum", or "" (the family's)
    cells : "row", a column name, or None
        What makes the table of the deviance finer than the model needs.
    item_covariates : bool
        Abilities are a linear form in the item data; no reference.
    """

    family: str
    ties: str = "none"
    by: str | None = None
    order_effect: bool = False
    scale: str = ""
    reference: str = ""
    cells: str | None = None
    item_covariates: bool = False

    def scale_name(self) -> str:
        return self.scale or ("lambda" if self.family == "llbt" else "log-odds")

    def reference_item(self, items: list[str]) -> str | None:
        """The item held at 0, "sum", or None with item covariates."""
        if self.item_covariates:
            return None
        return self.reference or (items[-1] if self.family == "llbt" else items[0])

    def terms(self) -> tuple[list[str], list[str]]:
        """Columns the items depend on, and columns the tie parameter depends on."""
        parts = self.by.split(" + ") if self.by else []
        return [p for p in parts if not p.startswith("tie:")], [p[4:] for p in parts if p.startswith("tie:")]

    def slug(self) -> str:
        """The model's part of a file name."""
        words = [
            self.family,
            self.ties,
            f"by-{self.by}" if self.by else "",
            "order" if self.order_effect else "",
            "items-by-covariate" if self.item_covariates else "",
            self.scale,
            f"ref-{self.reference}" if self.reference else "",
            f"cells-{self.cells}" if self.cells else "",
        ]
        return re.sub(r"[^a-z0-9-]+", "-", "-".join(word for word in words if word).lower())


def _llbt(ties: str = "davidson", **more: object) -> Model:
    return Model("llbt", ties, **more)  # type: ignore[arg-type]  # keywords of Model, spelt out at each call


def _bt(ties: str = "none", **more: object) -> Model:
    return Model("bradley-terry", ties, **more)  # type: ignore[arg-type]  # as above


ALL_TIES = [_llbt(), _llbt("none"), _llbt("rao-kupper"), _llbt("half"), _llbt("drop")]

#: data set -> models
CERTIFIED: dict[str, list[Model]] = {
    "modpref-dras": ALL_TIES,
    "collins-dras": ALL_TIES,
    "dras-table1": ALL_TIES
    + [
        _llbt(reference="sum"),
        _llbt(cells="judge"),
        _llbt(by="judge"),
        _llbt(by="judge", reference="sum"),
        _llbt(by="judge + tie:judge"),
        _llbt("none", by="judge"),
        _llbt("drop", by="judge"),
        _llbt("half", by="judge"),
        _llbt("rao-kupper", by="judge"),
        _bt("davidson"),
        _bt("rao-kupper", reference="D"),
        _bt("half"),
        _bt("drop"),
        _bt("davidson", by="judge"),
    ],
    "dras-table1-prefmod-order": [_llbt(), _llbt("none"), _llbt(by="judge"), _llbt(cells="judge")],
    "dras-table1-covariates": [
        _llbt(by="age"),
        _llbt(by="expert"),
        _llbt(by="number"),
        _llbt(by="age", reference="sum"),
        _bt("drop", by="age"),
        _llbt("rao-kupper", by="age"),
    ],
    "dras-table1-zero-ties": [_llbt(), _llbt("none"), _bt("davidson")],
    "baseball-1987": [_bt(), _bt(cells="row"), _bt(order_effect=True), _llbt("none", order_effect=True)],
    "citations": [
        _bt(),
        _bt(reference="JASA"),
        _bt(reference="sum"),
        _llbt("none"),
        _bt(item_covariates=True),
    ],
    "citations-origin-missing": [_bt(item_covariates=True)],
    "wikipedia": [_bt(), _bt(reference="sum")],
    "cems-2001": ALL_TIES + [_bt("davidson", reference="Stockholm"), _bt("half", reference="Stockholm")],
    "cems-1998-erroneous": [_llbt(), _bt("half", reference="Stockholm")],
    "vilar-2007": [_llbt(), _llbt(by="judge"), _llbt("rao-kupper"), _bt("drop")],
    "pork-1952": [_bt(), _bt(by="judge"), _bt(cells="judge")],
    "chain-1e6": [_bt(), _llbt("none")],
    "round-robin-1e6": [_bt(), _bt(reference="sum")],
    "one-upset-in-1e6": [_bt()],
    "uneven-counts": [_bt()],
    "ties-15": [
        _llbt(),
        _llbt("none"),
        _llbt("rao-kupper"),
        _bt("half"),
        _bt("drop"),
        _bt("davidson", reference="sum"),
    ],
    "order-and-neutral": [
        _llbt(order_effect=True),
        _llbt(),
        _bt("rao-kupper", order_effect=True),
        _bt("half", order_effect=True),
        _bt("drop", order_effect=True),
        _llbt("none", order_effect=True),
        _llbt(order_effect=True, cells="row"),
    ],
    "two-items-both-orders": [_bt(order_effect=True)],
    "circular-triad": ALL_TIES + [_bt("davidson", reference="sum")],
}
