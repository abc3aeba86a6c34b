"""`MixedFit`: the result of a Bradley-Terry model with random effects.

    ability of item i  =  x_i'b + u_i,        u_i ~ N(0, sigma^2)

or, with effects of items by judge, a_i + u_ij for judge j.  The parameters of the fit are the fixed ones; effects are
predicted, and what is asked about items (contrasts, ranks, worths, probabilities) is about x_i'b + u_i, with standard
errors of prediction given sigma: Var(u^ - u), not Var(u^) (Henderson 1975, Biometrics 31, 423-447).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, NotEstimableError
from .. import inference
from ..covariance import DenseCovariance
from ..family import Scale
from ..rescale import Referred, against
from ..spec import Term, Value
from . import effects, text
from .components import Component, Predicted
from .fit import ContestFit

if TYPE_CHECKING:
    import pandas as pd

    from ..many.result import AgainstTheBest, Contrasts, RankSets

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class MixedFit(ContestFit):
    """A fitted Bradley-Terry model with random effects.

    Other attributes are those of :class:`pairproof.fit.record.FitRecord`; two further
    attributes are those of :class:`pairproof.fit.contests.fit.ContestFit`.  Of these `llf` is the marginal
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
        return text.of_components(self.components, self.of_contests.method)

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
        components, found = effects.rescaled(fit, self.components, self.predicted_effects, self.scale)
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
        return effects.frame(self.components, self.predicted_effects, self.items)

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
        functions = effects.ability_functions(self, self.predicted_effects, judge)
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
        return text.mixed_document(super().to_dict(), self.components, self.effects())
