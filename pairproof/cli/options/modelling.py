"""Options of models that several commands share: of pairs, of contests, and of many comparisons of one fit.

Models of pairs: ties, reference, order effect, item and comparison terms.  Contests: Bradley-Terry models
in all their forms, arguments of :func:`pairproof.fit_bradley_terry`.  Many comparisons: which items can be
told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from ...errors import NotEstimableError
from ...fit.estimates.specification import TIES_IN_WORDS
from ..state import SHARE, Decorated, gathered, option, stacked
from .naming import flag
from .reading import KINDS, split_list, taken

if TYPE_CHECKING:
    from ...fit.fit import Fit
    from ...fit.many.comparison_results import AgainstTheBest, Contrasts
    from ..reports.fitted import Found


ITEM_TERMS = "Item covariates in place of free items (see --item-data)."
_model = option("Model")
model_options = stacked(
    _model(
        "--ties",
        type=click.Choice(list(TIES_IN_WORDS)),
        help=(
            "Default: davidson where there is a tie category, else none. With none a tie category is kept, its"
            " parameter fixed at 0."
        ),
    ),
    _model("--reference", metavar="ITEM|sum", help="The item whose ability is 0, or sum: items sum to zero."),
    _model("--order-effect", is_flag=True, help="Add a parameter for the advantage of the item named first."),
    _model("--item-terms", multiple=True, metavar="X,Y", help=ITEM_TERMS),
    _model(
        "--separate",
        multiple=True,
        metavar="ITEM",
        help="Items that have their own ability parameter in place of --item-terms.",
    ),
    _model(
        "--comparison-terms",
        multiple=True,
        metavar="X,Y",
        help="Covariates of the comparison, each in favour of the item named first: length_difference, C(position).",
    ),
)


_made = option("Bradley-Terry models (--model bradley-terry)")
_CONTEST_OPTIONS = (
    _made(
        "--formula",
        default="",
        metavar="FORMULA",
        help=(
            "What abilities and comparisons are made of, as in BradleyTerry2 without [..]: 'SVL + (1 | item)',"
            " 'item + home', 'log(x) * sex + offset(z)'; item covariates stand in --item-data."
        ),
    ),
    _made(
        "--random",
        multiple=True,
        metavar="item|item:judge",
        help="Random effects of items, or of items by judge; the same as (1 | item) in the formula.",
    ),
    _made(
        "--link",
        type=click.Choice(["logit", "probit", "cauchit"]),
        help="P(first preferred) = F(difference of abilities); default: logit.",
    ),
    _made("--offset", metavar="COLUMN", help="A column that is added in favour of the item named first."),
    _made(
        "--weights", metavar="COLUMN", help="A column >= 0 by which the counts of each row are multiplied."
    ),
    _made(
        "--reduce-bias",
        type=click.Choice(["mean", "median", "jeffreys"]),
        help="Estimates with reduced bias, finite also where contests are separated.",
    ),
    _made(
        "--method",
        type=click.Choice(["laplace", "quadrature", "pql"]),
        help=(
            "How random effects are integrated out; pql is BradleyTerry2's, badly biased for single wins. Default:"
            " quadrature where it can be, else laplace."
        ),
    ),
    _made("--tie-shift", is_flag=True, help="Davidson's ties, most probable elsewhere than between equals."),
    _made("--tie-scale", is_flag=True, help="Davidson's ties, growing rarer at another rate (GenDavidson)."),
)
NAMES = ("formula", "random", "link", "offset", "weights", "reduce_bias", "method", "tie_shift", "tie_scale")


def _contests(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets those that were used as one mapping, `contests`."""
    used = taken(given, NAMES)
    used["random"] = split_list(used["random"])
    return command(contests={k: v for k, v in used.items() if v}, **given)


contest_options = gathered(_CONTEST_OPTIONS, _contests)


def check_model(model: str, contests: dict[str, Any]) -> None:
    """Refuse the options for another family of models."""
    if contests and model != "bradley-terry":
        used = ", ".join(map(flag, contests))
        raise click.UsageError(f"{used}: for --model bradley-terry; add it.")


def robust_options(cluster: str, help: str, default: str) -> Callable[[Decorated], Decorated]:
    """Standard errors by cluster of a fit; `cluster` is the metavar, `default` what is said of the kind."""
    made = option("Standard errors")
    return stacked(
        made("--cluster", metavar=cluster, help=help),
        made(
            "--cluster-kind",
            type=click.Choice(KINDS),
            help=f"Correction for few clusters; default: {default}.",
        ),
        made(
            "--cluster-missing",
            type=click.Choice(["refuse", "own"]),
            help="Rows without a value of COL: an error (default), or each a cluster of its own.",
        ),
    )


_many = option("Many comparisons")
#: Families of differences by their names on the command line.
FAMILIES = {
    "all-pairs": "all pairs",
    "against-one": "against one",
    "against-best": "against the best",
    "against-mean": "against the mean",
}
_MANY_OPTIONS = (
    _many(
        "--ranks",
        is_flag=True,
        help="Confidence sets of the items' ranks, letters, and which may be the best.",
    ),
    _many(
        "--contrasts",
        "family",
        type=click.Choice(list(FAMILIES)),
        help="Differences of items with simultaneous intervals and adjusted p-values.",
    ),
    _many("--against", metavar="ITEM", help="The item of --contrasts against-one."),
    _many(
        "--adjust",
        type=click.Choice(["single-step", "holm", "bh", "none"]),
        help="p-values of --contrasts; default: single-step, by the largest of all (max-t).",
    ),
    _many("--level", type=SHARE, help="Level of --ranks and --contrasts; default: 0.95."),
)


@dataclass(frozen=True)
class Many:
    """What the command line asks of many comparisons; None where an option was not given."""

    ranks: bool
    family: str | None
    against: str | None
    adjust: str | None
    level: float | None

    def __post_init__(self) -> None:
        if self.family is None and (self.against is not None or self.adjust is not None):
            raise click.UsageError(
                "--against and --adjust have no effect without --contrasts; add --contrasts."
            )
        if self.level is not None and self.family is None and not self.ranks:
            raise click.UsageError("--level has no effect without --ranks or --contrasts; add one of them.")
        if (self.family == "against-one") != (self.against is not None):
            raise click.UsageError("--contrasts against-one and --against ITEM belong together.")
        if self.family == "against-best" and self.adjust not in (None, "single-step"):
            raise click.UsageError(
                "--contrasts against-best is simultaneous by its own method (Hsu); leave out --adjust."
            )

    def find(self, fitted: Fit, seed: int | None) -> Found:
        """The rank sets and families that were asked for, of every group of the fit."""
        from ..reports.fitted import Found

        level, seed = self.level or 0.95, seed or 0
        ranks = {g: fitted.ranks(level, group=g, seed=seed) for g in fitted.groups} if self.ranks else {}
        if self.family is None:
            return Found(ranks)
        how = {"family": FAMILIES[self.family], "against": self.against, "level": level, "seed": seed}
        how["adjust"] = self.adjust or "single-step"
        return Found(ranks, {group: _contrasts(fitted, group, how) for group in fitted.groups})


def _contrasts(fitted: Fit, group: str, how: dict[str, Any]) -> Contrasts | AgainstTheBest | str:
    try:
        return fitted.contrasts(group=group, **how)
    except NotEstimableError as error:
        return str(error)


def _asked_of_many(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets them as one value, `many`."""
    return command(many=Many(**taken(given, [f.name for f in fields(Many)])), **given)


many_options = gathered(_MANY_OPTIONS, _asked_of_many)
