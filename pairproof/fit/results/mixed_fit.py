"""`MixedFit`: the result of a Bradley-Terry model with random effects, its variance components and effects.

    ability of item i  =  x_i'b + u_i,        u_i ~ N(0, sigma^2)

or, with effects of items by judge, a_i + u_ij for judge j.  The parameters of the fit are the fixed ones;
effects are predicted, and what is asked about items (contrasts, ranks, worths, probabilities) is about x_i'b
+ u_i, with standard errors of prediction given sigma: Var(u^ - u), not Var(u^) (Henderson 1975, Biometrics
31, 423-447).

The caterpillar plot shows effects from the greatest to the least, each with effect -+ q se, se of the
prediction error with sigma taken as known, so that the intervals of effects with little data are about 2 q
sigma wide and no wider.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, NotEstimableError
from ...text import number
from ..estimates import array_inference as inference
from ..estimates.array_inference import normal_quantile
from ..estimates.covariance import DenseCovariance
from ..estimates.fit_record import FitRecord
from ..estimates.identification import Referred, against
from ..estimates.predictions import ability_functions as of_terms
from ..estimates.specification import LOG_WORTH_PER_UNIT, Scale, Term, Value
from ..inference.wald import check_level
from ..shown.comparisons_plot import _axes, _check, _grid, _plain, _wrapped
from ..shown.fit_json import finite
from ..shown.fit_plots import COLOURS
from ..shown.fit_text import p_value
from .contest_fit import ContestFit

if TYPE_CHECKING:
    import pandas as pd

    from ..many.comparison_results import AgainstTheBest, Contrasts, RankSets


def of_components(components: Sequence[Component], method: str) -> tuple[str, ...]:
    """The variance components as sentences."""
    out = []
    for c in components:
        what = {"item": "items", "item:judge": "items by judge"}[c.name]
        line = f"Random effects of {what}: sigma = {number(c.sigma)}"
        if not math.isnan(c.se):
            line += f" (se {number(c.se)})"
        line += f", {c.n_effects:,} effects"
        if not math.isnan(c.lr):
            line += f"; test of sigma = 0 on its boundary: LR {number(c.lr)}, p = {p_value(c.p, _log10(c.p))}"
        out.append(line)
    if method == "pql":
        out.append(
            "By PQL: no log-likelihood, AIC or test of sigma; sigma is that of REML for the working response"
        )
    return tuple(out)


def _log10(p: float) -> float:
    return math.log10(p) if p > 0 else float("-inf")


def mixed_document(
    plain: dict[str, Any], components: Sequence[Component], effects: pd.DataFrame
) -> dict[str, Any]:
    """The JSON object of a fit with its random effects."""
    numbers = ("effect", "se", "mean")
    return {
        **plain,
        "components": [
            {
                "name": c.name,
                "sigma": finite(c.sigma),
                "se": finite(c.se),
                "lr": finite(c.lr),
                "p": finite(c.p),
                "n_effects": c.n_effects,
            }
            for c in components
        ],
        "effects": [
            {str(k): finite(float(v)) if k in numbers else str(v) for k, v in row.items()}
            for row in effects.to_dict("records")
        ],
    }


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Component:
    """A variance component.

    sigma: standard deviation of the effects.  se: of sigma; nan at 0, and where the data bound sigma from
    below only.  lr: twice the log-likelihood gained over sigma = 0; nan by PQL.  p: of the test of sigma = 0
    on its boundary, P(chi2_1 > lr) / 2 (Self and Liang 1987); 1 where lr is 0.
    """

    name: str
    sigma: float
    se: float
    lr: float
    p: float
    n_effects: int


@dataclass(frozen=True, eq=False)
class Predicted:
    """Effects and fixed parameters together.

    theta float[K + p]: modes of the K effects, then the p fixed parameters that the data determine.
    covariance float[K + p, K + p]: of theta minus the truth, sigma taken as known.  component int[K]: of each
    effect.  item int[K].  judge int[K]: position in `judges`; -1 for effects of items.  places int[p]: of the
    fixed parameters among the terms of the fit.  means float[K] or None: posterior means, by quadrature.
    reference: what the fixed parameters are against, as the model was fitted: an item, "sum" or "".
    """

    theta: FloatArray
    covariance: FloatArray
    component: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]
    places: IntArray
    means: FloatArray | None
    reference: str = ""

    @property
    def n_effects(self) -> int:
        """K."""
        return len(self.item)


def frame(components: Sequence[Component], found: Predicted, items: Sequence[str]) -> pd.DataFrame:
    """component, item, (judge,) effect, se (, mean); see :meth:`pairproof.fit.results.mixed_fit.MixedFit.effects`."""
    import pandas as pd

    k = found.n_effects
    out = pd.DataFrame(
        {"component": [components[c].name for c in found.component], "item": [items[i] for i in found.item]}
    )
    if found.judges:
        out["judge"] = [found.judges[j] if j >= 0 else "" for j in found.judge]
    out["effect"] = found.theta[:k]
    sigmas = np.array([c.sigma for c in components])[found.component] if k else np.zeros(0)
    se = np.sqrt(np.maximum(np.diag(found.covariance)[:k], 0.0))
    out["se"] = np.where(sigmas > 0, se, 0.0)
    if found.means is not None:
        out["mean"] = found.means
    return out


def ability_functions(fit: FitRecord, found: Predicted, judge: str | None) -> FloatArray:
    """float[n_items + n_others, K + p]: abilities, then order effect and comparison terms, as functions of theta."""
    k, p, n = found.n_effects, len(found.places), len(fit.items)
    others = [place for place, t in enumerate(fit.terms) if t.kind not in ("item", "covariate")]
    out = np.zeros((n + len(others), k + p))
    fixed = of_terms(fit, {})
    out[:n, k:] = fixed[:, found.places]
    for row, place in enumerate(others):
        out[n + row, k:] = found.places == place
    number = -1
    if judge is not None:
        if judge not in found.judges:
            there = ", ".join(found.judges[:20]) or "none: the random effects are of items"
            raise InputError(f"judge={judge!r}; the judges are {there}")
        number = found.judges.index(judge)
    here = (found.judge == -1) | (found.judge == number)
    out[found.item[here], np.flatnonzero(here)] += 1.0
    return out


def rescaled(
    fit: FitRecord, components: Sequence[Component], found: Predicted, before: Scale
) -> tuple[tuple[Component, ...], Predicted]:
    """Effects and their sigma on the scale of a fit whose fixed parameters were on the scale `before`."""
    factor = LOG_WORTH_PER_UNIT[before] / LOG_WORTH_PER_UNIT[fit.scale]
    of_fixed = [factor if fit.terms[k].kind in ("item", "covariate") else 1.0 for k in found.places]
    units = np.append(np.full(found.n_effects, factor), of_fixed)
    return tuple(replace(c, sigma=factor * c.sigma, se=factor * c.se) for c in components), replace(
        found,
        theta=units * found.theta,
        covariance=units[:, None] * found.covariance * units,
        means=None if found.means is None else factor * found.means,
    )


@dataclass(frozen=True, eq=False, repr=False)
class MixedFit(ContestFit):
    """A fitted Bradley-Terry model with random effects.

    Other attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`; two further
    attributes are those of :class:`pairproof.fit.results.contest_fit.ContestFit`.  Of these `llf` is the marginal
    log-likelihood (nan by PQL), and `deviance` is nan.

    Attributes
    ----------
    components : tuple of Component
    predicted_effects : Predicted

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> wins = np.array([3, 6, 1, 8, 2, 1])
    >>> table = pairproof.Comparisons.build("ABCD", a, b, wins, None, 10 - wins, item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> fit = pairproof.fit_bradley_terry(table, formula="x + (1 | item)")
    >>> round(fit.sigma, 4), round(fit.p_sigma, 4)
    (0.7067, 0.0066)
    """

    components: tuple[Component, ...] = field(kw_only=True)
    predicted_effects: Predicted = field(kw_only=True)

    # -- sigma -----------------------------------------------------------------------------------------------

    def component(self, name: str | None = None) -> Component:
        """One variance component.

        Parameters
        ----------
        name : str, optional
            Needed if there are several.

        Returns
        -------
        Component

        Raises
        ------
        InputError
            No such component, or no name where there are several.
        """
        names = [c.name for c in self.components]
        if name is None and len(names) == 1:
            return self.components[0]
        if name not in names:
            raise InputError(f"component={name!r}; the random effects are of {', '.join(map(repr, names))}")
        return self.components[names.index(name)]

    @property
    def sigma(self) -> float:
        """Standard deviation of the random effects, if there is one component."""
        return self.component().sigma

    @property
    def sigma_se(self) -> float:
        """Standard error of sigma, if there is one component."""
        return self.component().se

    @property
    def p_sigma(self) -> float:
        """p of the test of sigma = 0 on its boundary, if there is one component."""
        return self.component().p

    @property
    def rank(self) -> int:
        """Parameters fitted, the standard deviations among them: k of AIC and BIC."""
        return super().rank + len(self.components)

    @property
    def of_items(self) -> ContestFit:
        """The items' predicted abilities, :meth:`predicted`."""
        return self.predicted()

    @property
    def further_lines(self) -> tuple[str, ...]:
        """The variance components, for the summary."""
        return of_components(self.components, self.of_contests.method)

    def on_scale(self, scale: Scale) -> MixedFit:
        """The same fit on another scale, sigma and effects included; see :meth:`pairproof.Fit.on_scale`.

        Parameters
        ----------
        scale : {"lambda", "log-odds"}

        Returns
        -------
        MixedFit

        Raises
        ------
        InputError
            Another scale, or another link than the logit.
        """
        fit = super().on_scale(scale)
        assert isinstance(fit, MixedFit)
        if scale == self.scale:
            return fit
        components, found = rescaled(fit, self.components, self.predicted_effects, self.scale)
        return replace(fit, components=components, predicted_effects=found)

    # -- effects ---------------------------------------------------------------------------------------------

    def effects(self) -> pd.DataFrame:
        """The predicted random effects (best linear unbiased predictions by PQL, modes by Laplace).

        Returns
        -------
        DataFrame
            component, item, (judge,) effect, se of effect minus the truth with sigma taken as known, and by quadrature
            the posterior mean.
        """
        return frame(self.components, self.predicted_effects, self.items)

    def predicted(self, judge: str | None = None) -> ContestFit:
        """The items' predicted abilities x_i'b + u_i as a fit of free items.

        Its standard errors are those of prediction, with sigma taken as known.

        Parameters
        ----------
        judge : str, optional
            With effects of items by judge: the abilities of this judge; default: those of all.

        Returns
        -------
        ContestFit
            Contrasts, ranks, worths and probabilities of it are about predicted abilities.

        Raises
        ------
        InputError
            No such judge.
        """
        others = tuple(t for t in self.terms if t.kind not in ("item", "covariate"))
        terms = tuple(Term(item, "item", item=item) for item in self.items) + others
        functions = ability_functions(self, self.predicted_effects, judge)
        numbers = Referred(
            functions @ self.predicted_effects.theta,
            np.zeros(len(terms), bool),
            self._null_space(others),
            DenseCovariance(functions @ self.predicted_effects.covariance @ functions.T),
        )
        spec = replace(
            self.of_contests, item_terms=(), separate=(), no_abilities=False, reference=self.items[0]
        )
        return ContestFit(
            spec=spec,
            data=self.data,
            terms=terms,
            **vars(against(self.items[0], terms, self.items, numbers, self.data)),
            outcome_model=self.outcome_model,
            scale=self.scale,
            constraint=f"{spec.constraint}, predicted",
            groups=self.groups,
            cell_table=self.cell_table,
            llf=self.llf,
            deviance=self.deviance,
            df_resid=self.df_resid,
            null_deviance=self.null_deviance,
            df_null=self.df_null,
            n_comparisons=self.n_comparisons,
            engine=self.engine,
            stopping=self.stopping,
            warnings=self.warnings,
            outcomes=self.outcomes,
        )

    def _null_space(self, others: tuple[Term, ...]) -> FloatArray:
        """Directions without a number, of the items' abilities and the other terms."""
        functions = super().ability_functions({})
        rest = np.array([[float(t is o) for t in self.terms] for o in others]).reshape(
            len(others), len(self.terms)
        )
        return np.vstack([functions, rest]) @ self.null_space

    # -- items: about predicted abilities --------------------------------------------------------------------

    def contrast(
        self,
        a: str,
        b: str | None = None,
        *,
        group: str | None = None,
        at: Mapping[str, Value] | None = None,
        level: float = 0.95,
    ) -> inference.Contrast:
        """Predicted ability of `a` minus that of `b`; see :meth:`pairproof.Fit.contrast`.

        Parameters
        ----------
        a, b, group, at, level
            As there.

        Returns
        -------
        Contrast
            Its standard error is that of prediction, with sigma taken as known.

        Raises
        ------
        ItemError, InputError, NotEstimableError
            As there.
        """
        if b is None:
            return super().contrast(a, group=group, at=at, level=level)
        return self.predicted().contrast(a, b, group=group, at=at, level=level)

    def contrasts(self, *args: Any, **kwargs: Any) -> Contrasts | AgainstTheBest:
        """Differences of predicted abilities; see :meth:`pairproof.Fit.contrasts`.

        Parameters
        ----------
        *args, **kwargs
            As there.

        Returns
        -------
        Contrasts or AgainstTheBest
        """
        return self.predicted().contrasts(*args, **kwargs)

    def ranks(self, *args: Any, **kwargs: Any) -> RankSets:
        """Ranks of predicted abilities; see :meth:`pairproof.Fit.ranks`.

        Parameters
        ----------
        *args, **kwargs
            As there.

        Returns
        -------
        RankSets
        """
        return self.predicted().ranks(*args, **kwargs)

    def worth(
        self, at: Mapping[str, Value] | None = None, *, se: bool = True, level: float | None = None
    ) -> pd.DataFrame:
        """Worths of predicted abilities; see :meth:`pairproof.Fit.worth`.

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
            Another link than the logit.
        """
        return self.predicted().worth(at, se=se, level=level)

    def test_equal_items(
        self, *, group: str | None = None, at: Mapping[str, Value] | None = None
    ) -> inference.WaldTest:
        """Wald test that all items are equally able; see :meth:`pairproof.Fit.test_equal_items`.

        Parameters
        ----------
        group, at
            As there.

        Returns
        -------
        WaldTest
            With effects of items by judge: of the abilities of all judges.

        Raises
        ------
        NotEstimableError
            Random effects of the items themselves.
        """
        if "item" in self.of_contests.random:
            raise NotEstimableError(
                "items with random effects are equally able only if sigma = 0 and no covariate tells them apart:"
                " p_sigma is of the one, fit.wald([...]) of the covariates"
            )
        return super().test_equal_items(group=group, at=at)

    def quasi_variances(self, group: str | None = None) -> pd.DataFrame:
        """Quasi-variances of predicted abilities; see :meth:`pairproof.Fit.quasi_variances`.

        Parameters
        ----------
        group : str, optional

        Returns
        -------
        DataFrame
        """
        return self.predicted().quasi_variances(group)

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
        """Probabilities from predicted abilities (plug-in); see :meth:`pairproof.Fit.probabilities`.

        Parameters
        ----------
        group, at, order, items, level, comparison
            As there.

        Returns
        -------
        DataFrame
        """
        return self.predicted().probabilities(
            group, at=at, order=order, items=items, level=level, comparison=comparison
        )

    def to_dict(self) -> dict[str, Any]:
        """The fit as a JSON object; keys beside those of a fit without random effects: components, effects.

        Returns
        -------
        dict
        """
        return mixed_document(super().to_dict(), self.components, self.effects())


def effects_in_order(fit: MixedFit, level: float = 0.95) -> pd.DataFrame:
    """The predicted effects with limits low and high, the greatest first within each component.

    Returns DataFrame: as :meth:`pairproof.fit.results.mixed_fit.MixedFit.effects`, with low and high.
    """
    check_level(level)
    frame = fit.effects()
    half = normal_quantile(0.5 + level / 2) * frame["se"]
    frame = frame.assign(low=frame["effect"] - half, high=frame["effect"] + half)
    order = np.argsort(-frame["effect"].to_numpy(), kind="stable")
    return frame.iloc[order].sort_values("component", kind="stable").reset_index(drop=True)


def labels(frame: pd.DataFrame) -> Sequence[str]:
    """The item of each effect, and its judge."""
    if "judge" not in frame:
        return [str(item) for item in frame["item"]]
    return [
        f"{item}, judge {judge}" if judge else str(item) for item, judge in zip(frame["item"], frame["judge"])
    ]


def size_of_effects(n: int) -> tuple[float, float]:
    """Width and height in inches of the picture of n effects."""
    return 7.5, 1.5 + 0.2 * n


def plot_effects(fit: MixedFit, ax: Any = None, *, component: str | None = None, level: float = 0.95) -> Any:
    """Plot the predicted random effects with their intervals, the greatest on top.

    fit: with at most 150 effects of the component.  ax: default: the axes of a new figure, whose height fits
    the number of effects.  component: needed if there are several.
    """
    if not hasattr(fit, "components"):
        raise InputError(f"{getattr(fit, 'title', fit)}: a fit without random effects has none to draw")
    found = fit.component(component)
    frame = effects_in_order(fit, level)
    frame = frame[frame["component"] == found.name]
    _check(ax, len(frame), "effects", "fit.effects() has the numbers")
    ax = _axes(ax, size_of_effects(len(frame)))
    for y, (effect, low, high) in enumerate(zip(frame["effect"], frame["low"], frame["high"])):
        ax.plot([low, high], [y, y], color=COLOURS[0], linewidth=1.3, solid_capstyle="butt")
        ax.plot([effect], [y], "o", color=COLOURS[0], markersize=4.5)
    ax.axvline(0.0, color="0.5", linewidth=0.8)
    ax.set_yticks(range(len(frame)), [_plain(name) for name in labels(frame)])
    ax.set_ylim(len(frame) - 0.3, -0.7)
    ax.set_xlabel(
        _wrapped(
            f"predicted effect, with {100 * level:g} % intervals (sigma = {found.sigma:.4g} taken as known)"
        ),
        fontsize="small",
    )
    _grid(ax)
    return ax
