"""Which models are certified for which contests."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Model:
    """A model of contests; `slug` is its part of a file's name.

    Attributes
    ----------
    estimator : str
        ml, mean, median or jeffreys.
    link : str
        logit, probit or cauchit.
    item_covariates : tuple of str
        Columns of the items in place of abilities; an item without a value has an ability of its own.
    columns : tuple of str
        Columns of the contests, added to the linear predictor as they are.
    offset : bool
        The column `offset` of the contests is added.
    ties : str
        none, davidson, or general (BradleyTerry2's GenDavidson).
    tie_shift, tie_scale : bool
        The parameters that general has beside `tie`.
    random : str, optional
        "item", or "item:judge": an effect for each, N(0, sigma^2).
    method : str, optional
        With random effects: quadrature (the likelihood itself), or laplace (an approximation).
    reference : str, optional
        The item of ability 0.
    without : tuple of str
        Items whose ability is infinite: their contests say nothing of the others.
    """

    estimator: str = "ml"
    link: str = "logit"
    item_covariates: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    offset: bool = False
    ties: str = "none"
    tie_shift: bool = False
    tie_scale: bool = False
    random: str | None = None
    method: str | None = None
    reference: str | None = None
    without: tuple[str, ...] = ()

    def slug(self) -> str:
        """Words that tell the models of one data set apart."""
        words = [self.link] if self.ties == "none" else [self.ties]
        words += [] if self.estimator == "ml" else [self.estimator]
        words += ["covariates"] if self.item_covariates else []
        words += [*self.columns, *(["offset"] if self.offset else [])]
        words += ["shift"] * self.tie_shift + ["scale"] * self.tie_scale
        words += [f"random-{self.random.replace(':', '-by-')}"] if self.random else []
        return "-".join([*words, *(["laplace"] if self.method == "laplace" else [])])


def _each(estimators: tuple[str, ...], links: tuple[str, ...], reference: str) -> tuple[Model, ...]:
    return tuple(Model(e, link, reference=reference) for e in estimators for link in links)


def _both(model: Model) -> tuple[Model, ...]:
    return tuple(replace(model, method=method) for method in ("quadrature", "laplace"))


LINKS = ("logit", "probit", "cauchit")

#: Data set -> models.
CERTIFIED: dict[str, tuple[Model, ...]] = {
    "citations": (*_each(("ml",), LINKS, "Biometrika"), Model("mean", reference="Biometrika")),
    "baseball-1987": tuple(
        Model(e, link, columns=("home",), reference="Baltimore")
        for e, link in (("ml", "logit"), ("ml", "probit"), ("ml", "cauchit"), ("mean", "logit"))
    ),
    "four-offset": tuple(Model(link=link, item_covariates=("x", "z"), offset=True) for link in LINKS),
    "missing-covariate": tuple(Model(link=link, item_covariates=("x", "z")) for link in LINKS[:2]),
    "flatlizards": (
        Model(item_covariates=("throat.PC1", "throat.PC3", "head.length", "SVL"), without=("lizard096",)),
        Model(item_covariates=("SVL",), random="item", method="laplace"),
    ),
    "homes-and-ties": tuple(
        Model(
            ties="general" if shift or scale else "davidson",
            columns=("home",),
            tie_shift=shift,
            tie_scale=scale,
            reference="D",
        )
        for shift, scale in ((False, False), (True, False), (False, True), (True, True))
    ),
    "separated": (*_each(("mean", "median"), LINKS[:2], "1"), *_each(("jeffreys",), LINKS[1:], "1")),
    "unbalanced-ties": (
        Model(ties="davidson", reference="1"),
        Model("jeffreys", ties="davidson", reference="1"),
    ),
    "four-players": _both(Model(item_covariates=("x",), random="item")),
    "three-players": _both(Model(item_covariates=("x",), random="item")),
    "eight-judges": _both(Model(random="item:judge", reference="1")),
    "ten-judges": _both(Model(columns=("group",), random="item:judge", reference="A")),
}
