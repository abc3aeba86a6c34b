"""The names of a fit's numbers, and the numbers by name.

=====================================  =================================================================
``estimate.X``, ``se.X``               parameter X (``A``, ``tie``, ``order``, ``A:judge[3]``, ...) as in
                                       Fit.params
``exp.X``                              exp of the estimate: an odds multiplier, or a worth with product one
                                       (reference sum)
``exp_low.X``, ``exp_high.X``          exp of the limits; ``exp_se``: its error by the delta method
``z.X``, ``p.X``                       Wald z; two-sided normal p (if clustered: t and its p)
``chi2.X``                             Wald chi-square: z squared
``df.X``                               degrees of freedom of a clustered t; inf if normal
``cov.X.Y``                            covariance of two estimates
``low.X``, ``high.X``                  95 % Wald limits
``deviance``, ``df_resid``             on the fit's cells; also ``null_deviance``, ``df_null``
``llf``, ``aic``, ``bic``              of the comparisons, without constants or nuisance parameters
``aic_glm``                            as in R's glm: with the constants of its log-likelihood (and gnm's
                                       nuisance parameters)
``llf_poisson``                        the log-likelihood of glm(family = poisson) and gnm
``n_comparisons``, ``n_items``         sum of the counts; number of items
``gof_p``, ``pearson``, ``pearson_p``  goodness of fit: p of the deviance; Pearson's chi-square and its p
``worth.G.A``, ``worth_se.G.A``        worth of item A in group G (``all``, ``judge=3``)
``contrast.G.A.B``                     A minus B on the fit's scale; also ``contrast_se``, ``contrast_z``,
                                       ``contrast_p``
``odds.G.A.B``                         odds of A versus B
``p_first.G.A.B``                      P(A preferred to B); also ``p_tie``, ``p_second``
``votes.A``, ``wins.A``                comparisons and first preferences of A in the data; also ``losses``, ``ties``
``sigma.C``                            standard deviation of the random effects C (``item``, ``item:judge``);
                                       also ``sigma_se``; for sigma = 0 ``sigma_lr``, ``sigma_p``
``effect.A``, ``effect_mean.A``        predicted random effect of item A (``J.A``: judge J), posterior mean
``lr.C``, ``lr_df.C``, ``lr_p.C``      likelihood ratio versus the fit of claim C of the same paper
``test_statistic.T``, ``test_p.T``     of a test T (sign test, Friedman), not of a fit; also
                                       ``test_df``
``rank_low.S.A``, ``rank_high.S.A``    confidence set of a rank, for the sets S; not of a fit
``shared_letters.A-B``                 letters that two items share in a letter display; not of a fit
``limit_low.M.X``, ``limit_high.M.X``  confidence limits by a method M (bootstrap, profile likelihood)
``score.R.A``, ``log_posterior.M``     a score or cost by a ranking rule R; at the mode of a model M; not
                                       of a fit
=====================================  =================================================================

In ``wins``, ``worth``, ``contrast`` and so on the group comes before the item.  Names may contain dots: they
are looked up among the fit's own groups and items, never split blindly.

A :class:`Quantity` is such a name with its parts.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from ...data.comparisons import Comparisons
from ...errors import InputError, NotEstimableError
from ...fit.estimates.parts import Component
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit


def counts_of(data: Comparisons, kind: str) -> dict[str, float]:
    """How often each item was compared ("votes"), preferred ("wins"), not preferred, or neither ("ties")."""
    n, both = len(data.items), {"ties": data.ties, "votes": data.row_weights}
    of_first = both.get(kind, data.wins if kind == "wins" else data.losses)
    of_second = both.get(kind, data.losses if kind == "wins" else data.wins)
    counts = np.bincount(data.first, of_first, n) + np.bincount(data.second, of_second, n)
    return dict(zip(data.items, counts.tolist()))


def aic_glm(fit: Fit) -> float:
    """AIC as R prints it: for Bradley-Terry that of a binomial glm on the cells, for the LLBT that of gnm.

    A binomial log-likelihood has log choose(n, wins) added for each cell; gnm's Poisson log-likelihood has
    the constants of `Fit.llf_poisson`, and gnm counts one nuisance parameter for each cell as well.
    """
    from scipy.special import gammaln

    table = fit.cell_table()
    if fit.spec.of_family.glm_of_wins == "binomial" and fit.outcome_model == "binary":
        won, lost = table.observed[:, 0], table.observed[:, 2]
        constants = float(np.sum(gammaln(won + lost + 1) - gammaln(won + 1) - gammaln(lost + 1)))
        return -2.0 * (fit.llf + constants) + 2.0 * fit.rank
    return -2.0 * fit.llf_poisson + 2.0 * (fit.rank + len(table.first))


def dispersion(fit: Fit) -> float:
    """R's dispersion of a quasi family: Pearson's chi-square over the residual degrees of freedom."""
    return fit.goodness_of_fit().pearson / fit.df_resid if fit.df_resid > 0 else math.nan


def quasi_table(model: Any) -> pd.DataFrame:
    """Estimates, standard errors, t and p as R's summary has them for a quasi family.

    Of a fit, whose standard errors are times the root of its dispersion, or of R's model through the bridge.
    """
    from scipy import stats

    if isinstance(model, Fit):
        found, df = model.to_frame()[["estimate", "se"]], model.df_resid
        found = found.assign(se=found["se"] * dispersion(model) ** 0.5)
    else:
        found = pd.DataFrame({"estimate": model.coef, "se": model.se}, list(model.names))
        df = model.df_residual
    t = found["estimate"] / found["se"].where(found["se"] > 0)
    return found.assign(t=t, p=2.0 * stats.t.sf(t.abs(), df))


#: Kinds of numbers of a variance component, and of models with random effects.
OF_COMPONENT = ("sigma", "sigma_se", "sigma_lr", "sigma_p")
OF_EFFECTS = (*OF_COMPONENT, "effect", "effect_mean")


def components_of(fit: Fit) -> Sequence[Component]:
    """The variance components of a fit; none of a model without random effects."""
    return fit.components if fit.random_effects is not None else ()


def of_effects(fit: Fit, kind: str, name: str) -> float:
    """The number of this kind and name."""
    if fit.random_effects is None:
        raise InputError(f"{kind}.{name}: {fit.title} has no random effects")
    if kind.startswith("sigma"):
        found = fit.component(name)
        return float(getattr(found, kind.removeprefix("sigma_")))
    names = effect_names(fit)
    if name not in names:
        raise InputError(f"{kind}.{name}: no such effect; there are {', '.join(names[:12])}")
    place, predicted = names.index(name), fit.predicted_effects
    if kind == "effect":
        return float(predicted.theta[place])
    return math.nan if predicted.means is None else float(predicted.means[place])


def effect_names(fit: Fit) -> list[str]:
    """Of the predicted effects, in the order of the fit: `A`, or `J.A` of judge J."""
    found = fit.predicted_effects
    return [
        fit.items[item] if judge < 0 else f"{found.judges[judge]}.{fit.items[item]}"
        for item, judge in zip(found.item, found.judge)
    ]


#: Numbers that are attributes of a fit by these very names.
_OF_FIT = (
    *("deviance", "df_resid", "null_deviance", "df_null", "llf", "aic", "bic"),
    *("llf_poisson", "n_comparisons"),
)
#: Others of the whole fit.
_OF_WHOLE: Mapping[str, Callable[[Fit], float]] = {
    "aic_glm": aic_glm,
    "n_items": lambda f: float(len(f.items)),
    "gof_p": lambda f: f.goodness_of_fit().p_deviance,
    "pearson": lambda f: f.goodness_of_fit().pearson,
    "pearson_p": lambda f: f.goodness_of_fit().p_pearson,
}
#: Numbers of the exponential of an estimate.
OF_EXP = ("exp", "exp_se", "exp_low", "exp_high")
OF_PARAMETER = ("estimate", *OF_EXP, "se", "z", "chi2", "p", "low", "high", "df")
_OF_PAIR = ("contrast", "contrast_se", "contrast_z", "contrast_p", "odds", "p_first", "p_tie", "p_second")
LIKELIHOOD_RATIO = ("lr", "lr_df", "lr_p")
#: Of tests beside a model, rules that rank, and posteriors: they have floors, but no fit has them.
_OF_TEST = (
    *("test_statistic", "test_df", "test_p", "score", "log_posterior"),
    *("rank_low", "rank_high", "shared_letters", "limit_low", "limit_high"),
)
#: Counts of the data.
OF_BOARD = ("votes", "wins", "losses", "ties")
KINDS = (
    *(*_OF_FIT, *_OF_WHOLE, *OF_PARAMETER, "cov", "worth", "worth_se"),
    *(*_OF_PAIR, *OF_BOARD, *OF_EFFECTS, *LIKELIHOOD_RATIO, *_OF_TEST),
)
#: Kinds whose names begin with a group: ``worth.all.A``.
_OF_GROUP = ("worth", "worth_se", *_OF_PAIR)


class Quantity(str):
    """The name of one number of a fit: its kind, the group it is of, and the parameter or item(s) it is of.

    It is the text by which reports, claims files and JSON call the number, so it equals that text and can
    stand wherever the text can.

    kind: one of :data:`KINDS` for a number of a fit ("estimate", "worth_se", "deviance").  group: of kinds
    that are of a group of judges: "all", "judge=3"; "" for the others.  name: parameter, item, two items
    joined by a dot, or claim; "" for a number of the whole fit.
    """

    __slots__ = ("kind", "group", "name")
    kind: str
    group: str
    name: str

    def __new__(cls, kind: str, group: str = "", name: str = "") -> Quantity:
        return cls._made(".".join(part for part in (kind, group, name) if part), kind, group, name)

    @classmethod
    def _made(cls, text: str, kind: str, group: str, name: str) -> Quantity:
        q = super().__new__(cls, text)
        for field, value in (("kind", kind), ("group", group), ("name", name)):
            object.__setattr__(q, field, value)
        return q

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """The quantity that has this text; a :class:`Quantity` is returned as it is.

        The group ends at the first dot, which is wrong only for a group with a dot in it (``age=1.5``):
        :func:`quantity` looks the whole name up among the groups and items of a fit.
        """
        if isinstance(text, cls):
            return text
        kind, _, rest = text.partition(".")
        group, dot, name = rest.partition(".") if kind in _OF_GROUP else ("", "", rest)
        return cls._made(text, kind, group if dot else "", name if dot else rest)

    @property
    def place(self) -> str:
        """The text without the kind: "judge=1.C"."""
        return str(self)[len(self.kind) + 1 :]

    def of(self, kind: str) -> Quantity:
        """Another kind of number of the same place: the standard error of an estimate."""
        return self._made(f"{kind}.{self.place}" if self.place else kind, kind, self.group, self.name)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a quantity is a value: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._made, (str(self), self.kind, self.group, self.name)


def kind_of(quantity: str) -> str:
    """`estimate` of `estimate.A`."""
    return Quantity.parse(quantity).kind


def check_name(quantity: str) -> None:
    """Raise InputError unless the name's kind is one of `KINDS`."""
    if kind_of(quantity) not in KINDS:
        import difflib

        near = difflib.get_close_matches(kind_of(quantity), KINDS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"no quantity is called {quantity!r}; it begins with one of {', '.join(KINDS)}{hint}"
        )


def quantity(fit: Fit, name: str, others: Mapping[str, Fit] | None = None) -> float:
    """The number of this name; nan if the data do not determine it, and for a reference's standard error."""
    check_name(name)
    q = Quantity.parse(name)
    kind = q.kind
    if kind in _OF_FIT:
        return float(getattr(fit, kind))
    if kind in _OF_WHOLE:
        return float(_OF_WHOLE[kind](fit))
    if kind in OF_PARAMETER:
        return _of_parameter(fit, kind, q.name)
    if kind == "cov":
        a, b = _two_parameters(fit, q)
        return float(fit.cov_params().loc[a, b])
    if kind in LIKELIHOOD_RATIO:
        return _likelihood_ratio(fit, kind, q.name, others or {})
    if kind in _OF_TEST:
        raise InputError(
            f"{name!r} comes from a test or rule, not from a fit; a statement's test computes it"
        )
    if kind in OF_EFFECTS:
        return of_effects(fit, q.kind, q.name)
    if kind in OF_BOARD:
        return counts_of(fit.data, kind)[_one(q.name, list(fit.items), "item", name)]
    group, items = _group_and_items(fit, q, 1 if kind in ("worth", "worth_se") else 2)
    if kind in ("worth", "worth_se"):
        return _worths(fit)[group, items[0]][kind == "worth_se"]
    return _of_pair(fit, kind, group, *items)


#: Worth and standard error by group and item: a validation asks each of a fit's numbers several times, and
#: the table of them all is most of its work.
_WORTHS: WeakKeyDictionary[Fit, dict[tuple[str, str], tuple[float, float]]] = WeakKeyDictionary()


def _worths(fit: Fit) -> dict[tuple[str, str], tuple[float, float]]:
    if fit not in _WORTHS:
        rows = fit.worth()[["group", "item", "worth", "se"]].itertuples(index=False)
        _WORTHS[fit] = {(group, item): (float(worth), float(se)) for group, item, worth, se in rows}
    return _WORTHS[fit]


def _of_parameter(fit: Fit, kind: str, parameter: str) -> float:
    _one(parameter, list(fit.params.index), "parameter", f"{kind}.{parameter}")
    if kind in ("low", "high"):
        return float(fit.conf_int().loc[parameter, kind])
    if kind in OF_EXP:
        of_log = _of_parameter(fit, {"exp_low": "low", "exp_high": "high"}.get(kind, "estimate"), parameter)
        se = _of_parameter(fit, "se", parameter) if kind == "exp_se" else 1.0
        with np.errstate(over="ignore"):
            return float(np.exp(of_log)) * se
    if kind == "chi2":
        return _of_parameter(fit, "z", parameter) ** 2
    name = {"estimate": "params", "se": "bse", "z": "zvalues", "p": "pvalues", "df": "df"}[kind]
    return float(getattr(fit, name)[parameter])


def _in_two(text: str, first: Iterable[str], second: Collection[str]) -> list[tuple[str, str]]:
    """Every way to read `X.Y` as two of these names, which may hold dots."""
    return [(a, b) for a in first if text.startswith(f"{a}.") and (b := text[len(a) + 1 :]) in second]


def _two_parameters(fit: Fit, q: Quantity) -> tuple[str, str]:
    """X and Y of `cov.X.Y`, by what the fit has: names may hold dots."""
    names = list(fit.params.index)
    found = _in_two(q.name, names, names)
    if len(found) != 1:
        raise InputError(
            f"{str(q)!r} is {'ambiguous' if found else 'not there'}; expected cov.X.Y with two of the"
            f" parameters {', '.join(names[:20])}"
        )
    return found[0]


def _of_pair(fit: Fit, kind: str, group: str, a: str, b: str) -> float:
    if kind in ("p_first", "p_tie", "p_second"):
        table = fit.probabilities(group)
        row = table[(table["first"] == a) & (table["second"] == b)]
        return float(row[kind].iloc[0])
    try:
        contrast = fit.contrast(a, b, group=group)
    except NotEstimableError:
        return math.nan
    of_contrast = {"contrast": "estimate", "contrast_se": "se", "contrast_z": "z", "contrast_p": "p"}
    return float(getattr(contrast, of_contrast.get(kind, kind)))


def _likelihood_ratio(fit: Fit, kind: str, claim: str, others: Mapping[str, Fit]) -> float:
    _one(claim, list(others), "claim", f"{kind}.{claim}")
    test = fit.compare(others[claim])
    return float({"lr": test.statistic, "lr_df": test.df, "lr_p": test.p}[kind])


def _group_and_items(fit: Fit, q: Quantity, n_items: int) -> tuple[str, tuple[str, ...]]:
    """Group and item(s) of `judge=3.A.B`, by what the fit has: names may hold dots."""
    parts = _in_two(q.place, fit.groups, fit.items) if n_items == 1 else ()
    found: list[tuple[str, tuple[str, ...]]] = [(group, (item,)) for group, item in parts]
    for group in fit.groups if n_items == 2 else ():
        if q.place.startswith(f"{group}."):
            found += [(group, two) for two in _in_two(q.place[len(group) + 1 :], fit.items, fit.items)]
    if len(found) != 1:
        shape = "GROUP.ITEM" if n_items == 1 else "GROUP.ITEM.ITEM"
        raise InputError(
            f"{str(q)!r} is {'ambiguous' if found else 'not there'}; expected {q.kind}.{shape} with a "
            f"group of {', '.join(list(fit.groups)[:12])} and items of {', '.join(fit.items[:20])}"
        )
    return found[0]


def _one(name: str, known: list[str], what: str, quantity_name: str) -> str:
    if name not in known:
        there = ", ".join(known[:30]) or "none"
        raise InputError(f"{quantity_name!r}: no {what} {name!r}; there are {there}")
    return name


def scale_of(name: str, fit: Fit, se: Mapping[str, float] | None = None) -> float:
    """What an error of this quantity is measured by, beside its own size: its standard error, or 0 for none.

    A z has standard error 1.  A deviance on 0 degrees of freedom is 0 by definition and what a program prints
    for it is rounding, so its error is measured against 1; so are random effects whose variance is 0.
    """
    known = se or {}
    if name in known:
        return float(known[name])
    q = Quantity.parse(name)
    if q.kind == "estimate":
        value = known.get(q.of("se"), fit.bse.get(q.name, math.nan))
        return 0.0 if math.isnan(value) else float(value)
    if q.kind in ("low", "high"):
        return scale_of(q.of("estimate"), fit, se)
    if q.kind == "cov":
        a, b = _two_parameters(fit, q)
        return quantity(fit, f"se.{a}") * quantity(fit, f"se.{b}")
    if q.kind in ("z", "contrast_z", "sigma_lr"):
        return 1.0
    if q.kind in ("sigma", "effect", "effect_mean"):
        # A prediction near 0 has the digits of the scale it is on, sigma; where sigma is 0 all effects are,
        # and what R leaves of them (seen: 1.4e-14) is rounding of the log-odds they are added to, of unit 1.
        largest = max((quantity(fit, f"sigma.{c.name}") for c in components_of(fit)), default=0.0)
        if not largest:
            return 1.0
        return largest if q.kind != "sigma" else 0.0
    if q.kind == "contrast":
        return quantity(fit, q.of("contrast_se"))
    if q.kind in ("deviance", "pearson") and fit.df_resid == 0:
        return 1.0
    return 0.0


def scale_of_logarithm(name: str, fit: Fit) -> float:
    """Scale of a p-value or a worth, which are exponentials, so that its digits are the exponent's; 0 for
    what is none.

    d p / p = -z dz = -z^2 (dz / z) in the tail of the normal, and d w / w = log w (d log w / log w): a p of
    1e-264 with z right to 10 digits has 7, a worth of 1e-15 one or two fewer than its logarithm.  What has no
    magnitude above the smallest normal double (2e-308) has no digits to compare.
    """
    q = Quantity.parse(name)
    z_of = {"p": "z", "contrast_p": "contrast_z"}
    if q.kind not in (*z_of, "worth", "worth_se"):
        return 0.0
    value = quantity(fit, q)
    if math.isnan(value):
        return 0.0
    if q.kind in z_of:
        z = quantity(fit, q.of(z_of[q.kind]))
        return max(value * max(1.0, z * z), sys.float_info.min * 1e16) if math.isfinite(z) else 0.0
    worth = value if q.kind == "worth" else quantity(fit, q.of("worth"))
    return value * max(1.0, abs(math.log(worth))) if worth > 0 else 0.0


#: Quantities that may be printed with degrees of freedom, and those.
DF_OF = {"deviance": "df_resid", "null_deviance": "df_null"}
_PROBABILITIES = ("p", "contrast_p", "gof_p", "pearson_p", "lr_p", "test_p")


def is_probability(name: str) -> bool:
    """Whether the quantity is the p-value of a test."""
    return kind_of(name) in _PROBABILITIES


def is_reference(fit: Fit, name: str) -> bool:
    """Whether this is a number of a reference, which is 0 by definition and has no standard error."""
    q = Quantity.parse(name)
    known = q.kind in OF_PARAMETER and q.kind not in OF_EXP and q.name in fit.names
    return known and bool(fit.is_reference[fit.names.index(q.name)])


def error_of(name: str, fit: Fit) -> float:
    """Standard error of a quantity, by the delta method where it is a function of an estimate; nan for what has none.

    A z and the z of a p-value have 1; a standard error is measured by itself.
    """
    q = Quantity.parse(name)
    if q.kind in ("estimate", "low", "high"):
        return float(fit.bse.get(q.name, math.nan))
    if q.kind in ("z", "p", "contrast_z", "contrast_p"):
        return 1.0
    if q.kind in STANDARD_ERRORS:
        return quantity(fit, q)
    if q.kind in _ERRORS:
        return quantity(fit, q.of(_ERRORS[q.kind]))
    if q.kind in ("exp", "exp_low", "exp_high"):
        return quantity(fit, q) * quantity(fit, q.of("se"))
    if q.kind == "chi2":
        return 2.0 * abs(quantity(fit, q.of("z")))
    if q.kind == "odds":
        return quantity(fit, q) * quantity(fit, q.of("contrast_se")) * LOG_WORTH_PER_UNIT[fit.scale]
    return math.nan


#: Kinds that are standard errors: they have none themselves.
STANDARD_ERRORS = ("se", "exp_se", "contrast_se", "worth_se", "sigma_se")


def unit_of_size(name: str) -> str:
    """What :func:`error_of` measures by, in words: p-values and standard errors have no standard error."""
    if kind_of(name) in STANDARD_ERRORS:
        return "of its size"
    return "in z" if is_probability(name) else "standard errors"


def size_in_words(size: float, name: str) -> str:
    """ "0.4 standard errors"."""
    number, unit = f"{size:.2g}", unit_of_size(name)
    return f"{number} {unit.removesuffix('s') if number == '1' and unit[-1] == 's' else unit}"


_ERRORS = {"contrast": "contrast_se", "worth": "worth_se", "sigma": "sigma_se"}


def rounding_of(name: str, fit: Fit) -> float:
    """Size of the sums that cancel in native's deviance and llf, a term a comparison; 0 for others."""
    sizes = {"deviance": 1.0, "null_deviance": 1.0, "llf": 1.0, "aic": 2.0, "bic": 2.0, "pearson": 1.0}
    return sizes.get(kind_of(name), 0.0) * fit.n_comparisons


def names(fit: Fit) -> Iterator[Quantity]:
    """Quantities of every fit, in the order of a report: parameters, random effects, likelihood, worths."""
    for kind in ("estimate", "se", "z", "p"):
        yield from (Quantity(kind, name=n) for n in fit.params.index)
    for kind in OF_COMPONENT:
        yield from (Quantity(kind, name=c.name) for c in components_of(fit))
    yield from map(Quantity, ("deviance", "df_resid", "llf", "aic", "bic", "n_comparisons"))
    for kind in ("worth", "worth_se") if fit.spec.has_worths else ():
        yield from (Quantity(kind, g, i) for g in fit.groups for i in fit.items)
