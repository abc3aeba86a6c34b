"""`ContestFit`: the result of a Bradley-Terry model with a link, an offset, reduced bias or general ties.

It is a :class:`pairproof.fit.fit.Fit`.  Only with the logit are differences of abilities log-odds, and their
exponentials worths; under another link P(first preferred) = F(difference).

Limits of probabilities: without ties those of the linear predictor, F(eta -+ q se(eta)), since F only rises;
with ties those of the logit of each probability by the delta method, whose derivatives by eta and the tie
parameters are central differences (steps of 1e-5, so that they are right to 1e-9).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import InputError, TooLargeError
from ...text import number
from ..estimates import array_inference as inference
from ..estimates.covariance import Covariance, MappedCovariance
from ..estimates.fit_record import FitRecord, Outcomes, find_item, title
from ..estimates.identification import shift_to
from ..estimates.predictions import (
    MOST_LIMITS,
    MOST_ROWS,
    ability_functions,
    comparison_function,
    find_group,
    limits,
    spread,
)
from ..estimates.specification import LOG_WORTH_PER_UNIT, ContestSpec, Scale, Value
from ..fit import Fit
from ..inference import likelihood_ratio as compared, wald as parameters
from ..inference.wald import check_level
from ..robust.clustered_fit import Kind, Missing, cluster_codes
from ..robust.sandwich import sandwich
from ..shown.fit_json import finite, fit_dict

if TYPE_CHECKING:
    import pandas as pd


def only_plain(fit: FitRecord, asked: str, instead: str = "fit.conf_int() has Wald intervals") -> None:
    """Refuse a fit with another link, an offset, reduced bias, general ties or random effects.

    asked: what is asked for, as the subject of a sentence.  instead: what there is in its place.
    """
    spec = getattr(fit, "spec", None)
    if isinstance(spec, ContestSpec) and not spec.is_plain:
        raise InputError(
            f"{asked} of {title(fit)}: there is one for the logit by plain maximum likelihood, without an offset, reduced"
            f" bias, general ties or random effects; {instead}"
        )


def clusters_exist(spec: ContestSpec, kind: str) -> None:
    """Refuse standard errors by cluster where the likelihood is no product over rows, or CR2 has no root."""
    if spec.random:
        raise InputError(
            f"standard errors by cluster of a model with random effects ({', '.join(spec.random)}): its likelihood is no"
            " product over the rows of a table, since comparisons of an item or judge share an effect; judges as random"
            " effects, random='item:judge', allow for judges that differ"
        )
    if spec.link == "cauchit" and kind == "CR2":
        raise InputError(
            "kind='CR2' with link='cauchit': its likelihood is not concave, so that the information of a cluster may be"
            " negative and the adjustment has no root; kind='CR1'"
        )


FloatArray = NDArray[np.float64]
STEP = 1e-5


class _Of(Protocol):
    def __call__(self, eta: FloatArray, ties: FloatArray) -> FloatArray:
        """float[n, 3]."""


def probabilities(
    fit: FitRecord,
    outcomes: Outcomes,
    group: str | None,
    at: Mapping[str, Value] | None,
    order: bool,
    items: Sequence[str] | None,
    level: float | None,
    comparison: Mapping[str, Value] | None,
) -> pd.DataFrame:
    """P(first), P(tie), P(second) of every ordered pair; see :meth:`pairproof.fit.results.contest_fit.ContestFit.probabilities`."""
    import pandas as pd

    shifted = any(t.name == "tie-shift" for t in fit.terms)
    if order and not (fit.spec.order_effect or shifted):
        raise InputError("order=True, but the model has no order effect; fit it with order_effect=True")
    if isinstance(items, str):
        raise InputError(f"items={items!r}; expected a list of item names, for example [{items!r}, ...]")
    where = find_group(fit, group, at)
    names = fit.items if items is None else tuple(dict.fromkeys(items))
    chosen = np.array([find_item(fit.items, name) for name in names], np.int64)
    n = len(chosen)
    most = MOST_ROWS if level is None else MOST_LIMITS
    if n * (n - 1) > most:
        raise TooLargeError(
            f"probabilities of {n:,} items are {n * (n - 1):,} rows (limit {most:,}{' with limits' if level else ''});"
            " name some of them: items=[...]"
        )
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    i, j = i[i != j], j[i != j]
    unit = LOG_WORTH_PER_UNIT[fit.scale]  # eta is in units of the link, whatever scale the items are on
    ability = unit * ability_functions(fit, where, chosen.tolist())
    functions = ability[i] - ability[j]
    if order:
        functions = functions + np.array([float(t.kind == "order") for t in fit.terms])
    if comparison is not None:
        functions = functions + comparison_function(fit, comparison, where)
    eta = np.where(fit.vanishes(functions @ fit.null_space), functions @ fit.beta, np.nan)
    home = np.full(len(eta), float(order))
    place = np.flatnonzero([t.kind in ("tie", "tie-of") for t in fit.terms])

    def of(eta: FloatArray, ties: FloatArray) -> FloatArray:
        return outcomes.probabilities(eta, home, ties)

    label = np.array(fit.items, dtype=object)
    p = of(eta, fit.beta[place])
    frame = pd.DataFrame({"group": "all" if group is None else group, "first": label[chosen[i]]})
    frame["second"] = label[chosen[j]]
    for k, name in enumerate(("p_first", "p_tie", "p_second")):
        frame[name] = p[:, k]
    if level is None:
        return frame
    if not len(place):
        se, _ = spread(fit, functions)
        half = inference.normal_quantile(0.5 + level / 2) * se
        low, high = of(eta - half, np.zeros(0)), of(eta + half, np.zeros(0))
        edges = [(low[:, 0], high[:, 0]), (low[:, 1], high[:, 1]), (high[:, 2], low[:, 2])]
    else:
        edges = _by_delta(fit, of, eta, functions, place, p, level)
    for name, (lower, upper) in zip(("p_first", "p_tie", "p_second"), edges):
        frame[f"{name}_low"], frame[f"{name}_high"] = lower, upper
    return frame


def _by_delta(
    fit: FitRecord,
    of: _Of,
    eta: FloatArray,
    functions: FloatArray,
    place: NDArray[np.int64],
    p: FloatArray,
    level: float,
) -> list[tuple[FloatArray, FloatArray]]:
    ties = fit.beta[place]
    by_eta = (of(eta + STEP, ties) - of(eta - STEP, ties)) / (2.0 * STEP)
    by_tie = []
    for k in range(len(ties)):
        up, down = ties.copy(), ties.copy()
        up[k], down[k] = ties[k] + STEP, ties[k] - STEP
        by_tie.append((of(eta, up) - of(eta, down)) / (2.0 * STEP))
    out = []
    for outcome in range(3):
        slopes = by_eta[:, outcome, None] * functions
        for k, derivative in zip(place, by_tie):
            slopes[:, k] += derivative[:, outcome]
        se, df = spread(fit, slopes)
        out.append(limits(p[:, outcome], se, df, level))
    return out


def document(fit: FitRecord, spec: ContestSpec, penalised: float) -> dict[str, Any]:
    """The fit as a JSON object."""
    scale = {} if spec.link == "logit" else {"scale": spec.link}
    return {**fit_dict(fit), **scale, "penalised": finite(penalised)}


#: Standard errors that a summary shows of R's; the others are in the fit's `bse_expected`.
MOST_ERRORS = 8


def of_information(fit: FitRecord, expected: pd.Series[float] | None) -> tuple[str, ...]:
    """Which information the standard errors are of, with R's beside; nothing where both are the same."""
    if expected is None or fit.robust is not None:
        return ()
    known = [
        (name, own, float(theirs))
        for name, own, theirs in zip(fit.names, fit.standard_errors, expected)
        if math.isfinite(own) and math.isfinite(theirs)
    ]
    shown = "; ".join(
        f"{name} {number(theirs)} for {number(own)}" for name, own, theirs in known[:MOST_ERRORS]
    )
    more = f"; {len(known) - MOST_ERRORS} more in bse_expected" if len(known) > MOST_ERRORS else ""
    line = "Standard errors: of the observed information; R's (glm, BTm, gnm) are of the expected one: "
    return (line + shown + more,)


def by_name(values: pd.Series[float]) -> dict[str, float | None]:
    """A JSON object of a series."""
    return {str(name): finite(float(v)) for name, v in values.items()}


@dataclass(frozen=True, eq=False, repr=False)
class ContestFit(Fit):
    """A fitted Bradley-Terry model with a link, an offset, reduced bias or general ties.

    Other attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.  Of these `llf` is always that of the plain
    likelihood.

    Attributes
    ----------
    outcomes : Outcomes
        From linear predictors to probabilities.
    penalised : float
        What was maximised where the bias is reduced: llf + log det(information) / 2; nan elsewhere.
    expected_covariance : Covariance or None
        By the expected information, on the scale and under some constraint of the specification; None where that is
        the observed one.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("AB", [0], [1], [3], None, [1])
    >>> fit = pairproof.fit_bradley_terry(table, link="probit", reference="B")
    >>> fit.params.round(4).to_dict()
    {'A': 0.6745, 'B': 0.0}
    """

    outcomes: Outcomes = field(kw_only=True)
    penalised: float = field(default=float("nan"), kw_only=True)
    expected_covariance: Covariance | None = field(default=None, kw_only=True)

    @property
    def of_contests(self) -> ContestSpec:
        """The specification, with what is about links, bias and random effects."""
        assert isinstance(self.spec, ContestSpec)
        return self.spec

    @property
    def bse_expected(self) -> pd.Series[float] | None:
        """Standard errors by the expected information, which R's glm, BTm and gnm report; nan for references.

        None on a clustered fit, and where it is the observed one, of which :attr:`bse` is: everywhere but for the links "probit" and
        "cauchit", and ties with `tie_shift` or `tie_scale`.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [8, 6, 9], None, [4, 3, 5])
        >>> fit = pairproof.fit_bradley_terry(table, link="cauchit", reference="C")
        >>> fit.bse.round(4).to_dict()
        {'A': 0.4724, 'B': 0.4482, 'C': nan}
        >>> fit.bse_expected.round(4).to_dict()
        {'A': 0.459, 'B': 0.4555, 'C': nan}
        """
        covariance = self.expected_covariance
        if covariance is None or self.robust is not None:
            return None
        if self.spec.reference and not self.spec.item_terms:
            covariance = MappedCovariance(covariance, shift_to(self, self.spec.reference))
        unit = LOG_WORTH_PER_UNIT[self.spec.scale] / LOG_WORTH_PER_UNIT[self.scale]
        units = np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in self.terms])
        errors = units * np.sqrt(np.maximum(covariance.variances(), 0.0))
        return parameters.series(self, np.where(np.isnan(self.standard_errors), np.nan, errors))

    @property
    def further_lines(self) -> tuple[str, ...]:
        """Which information the standard errors are of, where R's is another."""
        return of_information(self, self.bse_expected)

    # -- scale -----------------------------------------------------------------------------------------------

    def _needs_logit(self, asked: str, instead: str) -> None:
        if self.of_contests.link != "logit":
            raise InputError(
                f"{asked}: differences of abilities are log-odds only with link='logit', and this fit has"
                f" link={self.of_contests.link!r}; {instead}"
            )

    def on_scale(self, scale: Scale) -> ContestFit:
        """The same fit on another scale, for the logit only; see :meth:`pairproof.Fit.on_scale`.

        Parameters
        ----------
        scale : {"lambda", "log-odds"}

        Returns
        -------
        ContestFit

        Raises
        ------
        InputError
            Another scale, or another link.
        """
        if scale != self.scale:
            self._needs_logit(f"scale={scale!r}", "its estimates are in units of that link")
        return super().on_scale(scale)

    def worth(
        self, at: Mapping[str, Value] | None = None, *, se: bool = True, level: float | None = None
    ) -> pd.DataFrame:
        """Worths, for the logit only; see :meth:`pairproof.Fit.worth`.

        Parameters
        ----------
        at, se, level
            As there.

        Returns
        -------
        DataFrame

        Raises
        ------
        InputError
            Another link: it has no worths.
        """
        self._needs_logit("worths", "fit.probabilities() has the probabilities of all pairs")
        return super().worth(at, se=se, level=level)

    def quasi_variances(self, group: str | None = None) -> pd.DataFrame:
        """Quasi-variances of the abilities; see :meth:`pairproof.Fit.quasi_variances`.

        Parameters
        ----------
        group : str, optional

        Returns
        -------
        DataFrame
            As there; under another link than the logit the abilities are in the column `ability`, in units of the link.
        """
        found = super().quasi_variances(group)
        if self.of_contests.link == "logit":
            return found
        renamed = found.rename(columns={"log_worth": "ability"})
        renamed.attrs.update(found.attrs)
        return renamed

    def contrast(
        self,
        a: str,
        b: str | None = None,
        *,
        group: str | None = None,
        at: Mapping[str, Value] | None = None,
        level: float = 0.95,
    ) -> inference.Contrast:
        """Ability of `a` minus ability of `b`, in units of the link, and the odds that follow.

        Parameters
        ----------
        a, b, group, at, level
            As in :meth:`pairproof.Fit.contrast`.

        Returns
        -------
        Contrast

        Raises
        ------
        ItemError, InputError, NotEstimableError
            As there.
        """
        found = super().contrast(a, b, group=group, at=at, level=level)
        if self.of_contests.link == "logit" or b is None:
            return found
        p = self.outcomes.probabilities(np.array([found.estimate]), np.zeros(1), np.zeros(0))[0]
        odds = float(p[0] / p[2])
        return replace(found, odds=odds, log_odds=float(np.log(odds)))

    def probabilities(
        self,
        group: str | None = None,
        *,
        at: Mapping[str, Value] | None = None,
        order: bool = False,
        items: Sequence[str] | None = None,
        level: float | None = None,
        comparison: Mapping[str, Value] | None = None,
    ) -> pd.DataFrame:
        """P(first preferred), P(tie), P(second preferred) of every ordered pair of items.

        Parameters
        ----------
        group, at, order, items, level, comparison
            As in :meth:`pairproof.Fit.probabilities`; offsets are 0, and general ties are those of a contest with
            (`order`) or without an advantage of the item named first.

        Returns
        -------
        DataFrame
            As there.

        Raises
        ------
        InputError, ItemError, TooLargeError
            As there.
        """
        if level is not None:
            check_level(level)
        return probabilities(self, self.outcomes, group, at, order, items, level, comparison)

    # -- tests -----------------------------------------------------------------------------------------------

    def compare(self, other: Fit) -> inference.LikelihoodRatio:
        """Likelihood-ratio test against a smaller or larger model of the same comparisons.

        Parameters
        ----------
        other : Fit

        Returns
        -------
        LikelihoodRatio

        Raises
        ------
        ComparisonError
            Different data, links or offsets, a reduced bias (whose likelihood is not the greatest), random effects
            that differ, or models that are not nested.
        """
        return compared.likelihood_ratio(self, other)

    def clustered(
        self,
        *columns: str,
        kind: Literal["CR0", "CR1", "CR2"] = "CR2",
        missing: Literal["refuse", "own"] = "refuse",
    ) -> Fit:
        """The same fit with standard errors by cluster; see :meth:`pairproof.Fit.clustered`.

        Parameters
        ----------
        *columns : str
        kind, missing
            As there.  Estimates with reduced bias keep the scores of the plain likelihood, as R's sandwich has it.

        Returns
        -------
        ContestFit

        Raises
        ------
        InputError
            As there; random effects; CR2 of link "cauchit"; two columns of ties with a shift or a scale.
        """
        clusters_exist(self.of_contests, kind)
        if self.of_contests.tie_shift or self.of_contests.tie_scale:
            return self._clustered_ties(columns, kind, missing)
        return super().clustered(*columns, kind=kind, missing=missing)

    def _clustered_ties(self, columns: Sequence[str], kind: Kind, missing: Missing) -> ContestFit:
        """By the information of whole clusters: a row of such a model has more than two predictors."""
        fit = self if self.robust is None else replace(self, covariance=self.robust.model_based, robust=None)
        if len(columns) != 1:
            raise InputError(
                f"clustered by {' and '.join(columns) or 'nothing'}: ties with a shift or a scale are clustered by one column"
            )
        table = fit.data
        counts = np.stack([table.wins, table.ties, table.losses], axis=1)
        used = np.flatnonzero(counts.sum(axis=1) > 0.0)
        column = table.role_of(columns[0])
        codes, labels = cluster_codes(table, column, used, missing)
        units = 3 * used[:, None] + np.arange(3)
        at = (counts[used].ravel(), (np.repeat(codes, 3), units.ravel()))
        groups = sparse.csr_matrix(at, shape=(len(labels), counts.size))
        law = fit.outcomes.law(fit)
        robust = sandwich(law, groups, np.ones(len(labels)), ((column,), labels), kind, fit.covariance)
        return replace(fit, covariance=robust.covariance, robust=robust)

    @property
    def llf_poisson(self) -> float:
        """Refused: gnm and glm report it for log-linear tables of cells.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            "the Poisson log-likelihood is of log-linear models (the logit); fit.llf has this model's"
        )

    # -- shown -----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The fit as a JSON object; keys beside those of other fits: formula, link, offset, weights, reduce_bias,
        random, method, penalised; se_of and se_expected where R's standard errors are of another information.

        Returns
        -------
        dict
        """
        plain = document(self, self.of_contests, self.penalised)
        expected = self.bse_expected
        if expected is None:
            return plain
        return {**plain, "se_of": "observed information", "se_expected": by_name(expected)}
