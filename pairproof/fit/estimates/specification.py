"""The specification of a model: its family, scale and ties (`ModelSpec`), and its named parameters (`Term`).

A log-linear model has lambdas, a Bradley-Terry model has log-odds, which are twice as large.  Whatever
differs between the families is defined here.  `ContestSpec` specifies a Bradley-Terry model with a formula of
abilities, `AnswerSpec` a model of whole answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from ...data.options import one_of
from ...errors import InputError
from ...numerics.arrays import IntArray
from .outcome_laws import LAWS, DavidsonTies, LinkName as LinkName, OutcomeLaw

#: Families of models of comparisons, and all families, those of whole answers too.
PairFamilyName = Literal["llbt", "bradley-terry"]
FamilyName = Literal[PairFamilyName, "pattern", "plackett-luce"]
Scale = Literal["lambda", "log-odds"]

#: Log worth per unit of an item term: log pi = 2 lambda (Dras 2015, section 5), log pi = log-odds.
LOG_WORTH_PER_UNIT: Mapping[str, float] = {"lambda": 2.0, "log-odds": 1.0}
#: How ties are treated, as a title says it.
TIES_IN_WORDS: dict[str, str] = {
    **{name: law.words for name, law in LAWS.items()},
    "rao-kupper": "Rao-Kupper ties",
    "half": "ties as half wins",
    "drop": "ties dropped",
    "none": "tie parameter fixed at 0",
}
if TYPE_CHECKING:
    Ties = str
else:  # the names are those of the laws, so that a law is added in one place
    Ties = Literal[tuple(TIES_IN_WORDS)]


@dataclass(frozen=True)
class Family:
    """A family of models.

    name: in Python, on the command line, in claims files and in JSON.  title: in headings.  scale: of its
    estimates.  last_is_reference: whether the default reference is the last item, as in prefmod; else it is
    the first, as in BradleyTerry2.  glm_of_wins: as what R fits it where no tie is modelled: a Poisson model
    of all counts (gnm), or a binomial model of wins against losses (glm).
    """

    name: FamilyName
    title: str
    scale: Scale
    last_is_reference: bool
    glm_of_wins: Literal["poisson", "binomial"]

    def usual_reference(self, items: Sequence[str]) -> str:
        """The item whose ability is 0 unless another is asked for."""
        return items[-1 if self.last_is_reference else 0]


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("llbt", "LLBT", "lambda", last_is_reference=True, glm_of_wins="poisson"),
        Family("bradley-terry", "Bradley-Terry", "log-odds", last_is_reference=False, glm_of_wins="binomial"),
    )
}
#: Families of models of whole answers: of all comparisons of a person, of rankings, of ratings.
ANSWER_FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("pattern", "Pattern model", "lambda", last_is_reference=True, glm_of_wins="poisson"),
        Family("plackett-luce", "Plackett-Luce", "log-odds", last_is_reference=False, glm_of_wins="poisson"),
    )
}


#: The last four are of models of whole answers: ties of one pair or of several items at once, two comparisons
#: that depend on each other, and what is missing.
Kind = Literal["item", "covariate", "tie", "order", "comparison", "tie-of", "dependence", "missing", "share"]
#: A covariate's value in a group: a level of a factor, or a number.
Value = Union[str, float]


#: Columns that are multiplied, each with its level; None: the number itself.
Multiplied = tuple[tuple[str, Union[str, None]], ...]


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
    through: in words, the passes over rows for comparison terms that the table has not; "" for none.
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
    through: str = ""

    # What only a specification of contests states, as it is elsewhere; no fields.
    method = "ml"
    offset = weights = reduction = ""
    tie_shift = tie_scale = False

    def __post_init__(self) -> None:
        one_of("model", self.family, tuple(FAMILIES))
        one_of("ties", self.ties, tuple(TIES_IN_WORDS))

    @property
    def law(self) -> OutcomeLaw | None:
        """The law of three outcomes; None where ties are no outcome, or follow Rao and Kupper."""
        law = LAWS.get(self.ties)
        return DavidsonTies(self.tie_shift, self.tie_scale) if isinstance(law, DavidsonTies) else law

    @property
    def general_ties(self) -> bool:
        """Whether ties follow another law than those of log-linear models."""
        return (self.law or DavidsonTies(self.tie_shift, self.tie_scale)) != DavidsonTies()

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
    def link(self) -> LinkName:
        """Of P(first preferred) = F(difference of abilities)."""
        return "logit"

    @property
    def random(self) -> tuple[str, ...]:
        """Random effects of contests; of whole answers the terms that differ between latent classes."""
        return ()

    @property
    def has_worths(self) -> bool:
        """Whether differences of abilities are log-odds, so that their exponentials are worths."""
        return self.link == "logit"

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
        return f"no goodness of fit: {self.through_in_words}" if self.through else ""

    @property
    def through_in_words(self) -> str:
        """What a fit by passes over rows does not answer, and what is offered."""
        return (
            "the rows with its comparison terms were read in passes and are not in memory; estimates, standard errors,"
            " contrasts, ranks, llf, AIC and clustered(COLUMN, rows=SOURCE), --cluster COLUMN, are available; for anything"
            " else, count by the term"
            " in classes, by=[...], and fit that table"
        )

    def check_held(self, asked: str) -> None:
        """Refuse what needs the columns of rows that were gone through; `asked` is the subject of a sentence."""
        if self.through:
            raise InputError(f"{asked}: {self.through_in_words}")

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
    by: Multiplied = ()
    of: Multiplied = ()

    def to_dict(self) -> dict[str, str | None]:
        """The object of `terms` in the JSON of a fit."""
        multiplied = (*self.of, *self.by)
        covariates = [self.covariate or "", *(c for c, _ in multiplied)]
        levels = [lv for lv in [self.covariate_level, *(lv for _, lv in multiplied)] if lv is not None]
        own = {"name": self.name, "kind": self.kind, "item": self.item}
        of = {"covariate": ":".join(filter(None, covariates)) or None, "level": ":".join(levels) or None}
        return own | of

    def multiplier(self, group: Mapping[str, Value]) -> float:
        """Value of the subject covariates' product in a group: 0 or 1 for levels, the number for slopes."""
        return product_at(self.by, group)


def product_at(multiplied: Multiplied, values: Mapping[str, Value]) -> float:
    """The product of columns, and of indicators of levels, at the values of the columns."""
    value = 1.0
    for column, level in multiplied:
        value *= float(values[column]) if level is None else float(values[column] == level)
    return value


def by_suffix(by: Multiplied) -> str:
    """`:judge[3]:age` for (("judge", "3"), ("age", None))."""
    return "".join(f":{c}" if lv is None else f":{c}[{lv}]" for c, lv in by)


def of_comparison(of: Multiplied) -> str:
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
    blocks: dict[Multiplied, int] = {}
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


#: Whose bias is reduced: the mean's (Firth 1993), the median's, or Jeffreys' prior is the penalty.
Reduction = Literal["", "mean", "median", "jeffreys"]
#: What is estimated: the likelihood, or with random effects its approximation.
Method = Literal["ml", "laplace", "quadrature", "pql"]
METHODS_IN_WORDS = {"laplace": "by Laplace's approximation", "quadrature": "by quadrature", "pql": "by PQL"}


@dataclass(frozen=True)
class ContestSpec(ModelSpec):
    """The specification of a Bradley-Terry model with a formula of abilities.

    Other attributes are those of :class:`pairproof.fit.estimates.specification.ModelSpec`.

    formula: as written; what it says is in `item_terms` and `comparison_terms`, which are columns of the
    table.  offset: column of the table that is added to the linear predictor; "" for none.  weights: column
    by which the counts were multiplied; "" for none.  random: random effects: "item", "item:judge".
    tie_shift, tie_scale: whether Davidson's ties are shifted by who is named first, or scaled.  no_abilities:
    whether items have neither free abilities nor item covariates: random effects alone.  derived: item
    covariates and columns of the table that the formula made.
    """

    formula: str = ""
    link: LinkName = "logit"
    offset: str = ""
    weights: str = ""
    reduction: Reduction = ""
    random: tuple[str, ...] = ()
    method: Method = "ml"
    tie_shift: bool = False
    tie_scale: bool = False
    no_abilities: bool = False
    derived: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("link", self.link, ("logit", "probit", "cauchit"))
        one_of("reduce_bias", self.reduction, ("", "mean", "median", "jeffreys"))
        one_of("method", self.method, ("ml", *METHODS_IN_WORDS))

    @property
    def is_plain(self) -> bool:
        """Whether the model is a logit without offset, by plain maximum likelihood."""
        further = self.offset or self.reduction or self.general_ties
        return self.link == "logit" and self.method == "ml" and not further

    @property
    def has_clustered(self) -> bool:
        """Whether there are standard errors by cluster, CR2 too; see :func:`.refused.clusters_exist`."""
        return not (self.random or self.general_ties or self.link == "cauchit")

    @property
    def has_refits(self) -> bool:
        """Whether the bootstrap and the wild test have it: plain maximum likelihood of the logit only."""
        return self.is_plain

    @property
    def scale_in_words(self) -> str:
        """What a difference of abilities is under another link than the logit."""
        cdf = {"probit": "Phi(A - B), Phi the normal distribution", "cauchit": "1/2 + atan(A - B)/pi"}
        if self.has_worths:
            return ""
        preferred = cdf[self.link] if self.law is None else self.law.preferred
        return f"{self.link}: P(A preferred to B) = {preferred}"

    @property
    def errors_in_words(self) -> str:
        """Which information the standard errors are of."""
        if self.method == "pql":
            return "penalised quasi-likelihood, sigma treated as known"
        if self.reduction:
            return "expected information of the plain likelihood"
        return "observed information of the marginal likelihood" if self.random else "observed information"

    @property
    def likelihood_in_words(self) -> str:
        """What the likelihood is of."""
        if self.method == "pql":
            return "none: penalised quasi-likelihood"
        return "marginal, random effects integrated out" if self.random else super().likelihood_in_words

    @property
    def without_goodness(self) -> str:
        """Why there is no chi-square test of the deviance."""
        if self.random:
            return "no goodness of fit: with random effects the deviance has no chi-square distribution"
        if self.reduction:
            return "no goodness of fit: estimates with reduced bias do not minimise the deviance"
        return ""

    @property
    def stated(self) -> Mapping[str, Any]:
        """Keys of the JSON of a fit: formula, link, offset, weights, reduce_bias, random, method."""
        columns = {"offset": self.offset or None, "weights": self.weights or None}
        how = {"reduce_bias": self.reduction or None, "random": list(self.random), "method": self.method}
        return {"formula": self.formula, "link": self.link, **columns, **how}

    @property
    def constraint(self) -> str:
        """What fixes the level of the abilities, in words."""
        if not self.no_abilities:
            return super().constraint
        return "abilities from random effects" if self.random else "all items equally able"

    @property
    def words(self) -> str:
        """The model in words: `Bradley-Terry, probit, SVL + (1 | item), by Laplace's approximation`."""
        formula = self.formula.strip().lstrip("~").strip()
        offset = "offset" if self.offset == "offset" else f"offset {self.offset}"
        jeffreys = self.reduction == "jeffreys"
        penalty = "penalised by Jeffreys' prior" if jeffreys else f"{self.reduction} bias reduced"
        terms = "" if formula else ", ".join(self.comparison_terms)
        parts = [
            self.of_family.title,
            self.link if self.link != "logit" else "",
            TIES_IN_WORDS[self.ties] + self._tie_words if self.ties != "none" else "",
            formula or (f"items by {', '.join(self.item_terms)}" if self.item_terms else ""),
            f"by {self.by}" if self.by else "",
            "order effect" if self.order_effect else "",
            f"comparison terms {terms}" if terms else "",
            offset if self.offset and "offset(" not in formula else "",
            f"weights {self.weights}" if self.weights else "",
            f"random {' and '.join(self.random)}" if self.random and "|" not in formula else "",
            penalty if self.reduction else "",
            METHODS_IN_WORDS[self.method] if self.random else "",
            self.pseudo_comparisons,
        ]
        return ", ".join(filter(None, parts))

    @property
    def _tie_words(self) -> str:
        found = [word for word, there in (("shifted", self.tie_shift), ("scaled", self.tie_scale)) if there]
        return f" ({' and '.join(found)})" if found else ""


#: How equal answers enter: one parameter for all pairs, one for each pair, or none (its parameter is 0).
AnswerTies = Literal["davidson", "by-pair", "none"]
#: How the probability that a comparison is missing is modelled; "" for gaps at random.
Alpha = Literal["", "none", "common", "item", "comparison"]
#: How it depends on the answer.
Beta = Literal["", "item", "difference", "comparison", "coded"]


@dataclass(frozen=True)
class AnswerSpec(ModelSpec):
    """The specification of a model of whole answers.

    asked: what persons were asked for.  times: names of the points in time; one where everybody answered
    once.  answer_ties: `ties` is "davidson" for the first two.  tie_orders: numbers of items that can tie at
    once (Plackett-Luce).  dependence: whether comparisons that share an item depend on each other.
    between_times: whether a comparison depends on the same one at the time before.  alpha, beta: the model of
    missing comparisons; "" where they are missing at random.  pseudo: pseudo-comparisons (Plackett-Luce).
    errors_of_rankings: whether standard errors leave these out.  prior: a normal prior in words; "" for none.  classes: latent classes; 1 for none.  random: terms that
    differ between classes; empty for all item terms.
    """

    asked: Literal["comparisons", "rankings", "ratings"] = "comparisons"
    times: tuple[str, ...] = ("",)
    answer_ties: AnswerTies = "none"
    tie_orders: tuple[int, ...] = ()
    dependence: bool = False
    between_times: bool = False
    alpha: Alpha = ""
    beta: Beta = ""
    pseudo: float = 0.0
    errors_of_rankings: bool = False
    prior: str = ""
    classes: int = 1
    random: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        one_of("model", self.family, tuple(ANSWER_FAMILIES))
        one_of("ties", self.answer_ties, ("davidson", "by-pair", "none"))

    @property
    def of_family(self) -> Family:
        """The family of models, with its title, scale and default reference."""
        return ANSWER_FAMILIES[self.family]

    @property
    def has_pairs(self) -> bool:
        """Whether two items alone have a probability, which the parameters say."""
        return not (self.dependence or self.between_times or self.answer_ties == "by-pair")

    @property
    def words(self) -> str:
        """The model in words: `Pattern model of rankings, by sex`."""
        times, orders = len(self.times), " and ".join(map(str, self.tie_orders))
        names = [f"{n} {v}" for n, v in (("alpha", self.alpha), ("beta", self.beta)) if v and v != "none"]
        missing = f"missing answers modelled{': ' + ', '.join(names) if names else ''}"
        parts = [
            f"{self.of_family.title}{' model' if self.family == 'plackett-luce' else ''} of {self.asked}"
            + (f" at {times} times" if times > 1 else ""),
            f"{self.classes} latent classes" if self.classes > 1 else "",
            f"which differ in {', '.join(self.random)}" if self.classes > 1 and self.random else "",
            {"none": "", "by-pair": "ties by pair"}.get(self.answer_ties, "ties"),
            f"ties of {orders}" if orders else "",
            f"items by {', '.join(self.item_terms)}" if self.item_terms else "",
            f"by {self.by}" if self.by else "",
            "dependent comparisons" if self.dependence else "",
            "dependence between times" if self.between_times else "",
            missing if self.alpha or self.beta else "",
            f"{self.pseudo:g} pseudo-comparisons" if self.pseudo else "",
            self.prior,
        ]
        return ", ".join(filter(None, parts))

    @property
    def errors_in_words(self) -> str:
        """Which information the standard errors are of."""
        if self.errors_of_rankings:
            return "information of the rankings alone, as in R's PlackettLuce; pseudo-rankings are left out"
        if self.pseudo:
            return "information of the maximised function, including pseudo-rankings, which R's PlackettLuce omits"
        if self.prior:
            return "information of the maximised function, including the prior"
        return super().errors_in_words
