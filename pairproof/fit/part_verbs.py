"""The methods of :class:`pairproof.Fit` about what only some models have: contests, random effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .comparison_verbs import Tested
from .estimates.covariance import Covariance
from .estimates.identification import R
from .estimates.parts import Component, find_component

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class WithParts(Tested):
    """A fit with the parts that its model has; of one that it has not, verbs say which models have it.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.

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

    # -- contests --------------------------------------------------------------------------------------------

    @property
    def penalised(self) -> float:
        """What was maximised where the bias is reduced: llf + log det(information) / 2; nan elsewhere."""
        return float("nan") if self.contests is None else self.contests.penalised

    @property
    def expected_covariance(self) -> Covariance | None:
        """By the expected information, under some constraint of the specification; None where the observed one is it."""
        return None if self.contests is None else self.contests.expected_covariance

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
        from .results.contests import expected_errors

        return expected_errors(self)

    # -- random effects --------------------------------------------------------------------------------------

    @property
    def components(self) -> tuple[Component, ...]:
        """The variance components of random effects."""
        return self.predicted_effects.components

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
        return find_component(self.predicted_effects, name)

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

    def effects(self) -> pd.DataFrame:
        """The predicted random effects (best linear unbiased predictions by PQL, modes by Laplace).

        Returns
        -------
        DataFrame
            component, item, (judge,) effect, se of effect minus the truth with sigma taken as known, and by quadrature
            the posterior mean.

        Raises
        ------
        InputError
            A model without random effects.
        """
        return self.predicted_effects.frame(self.items)

    def predicted(self: R, judge: str | None = None) -> R:
        """The items' predicted abilities x_i'b + u_i as a fit of free items.

        Its standard errors are those of prediction, with sigma taken as known.

        Parameters
        ----------
        judge : str, optional
            With effects of items by judge: the abilities of this judge; default: those of all.

        Returns
        -------
        Fit
            Contrasts, ranks, worths and probabilities of it are about predicted abilities.

        Raises
        ------
        InputError
            No such judge, or a model without random effects.
        """
        from .results.effects import predicted

        return predicted(self, judge)

    @property
    def of_items(self: R) -> R:
        """What is known of the items: this fit, or with random effects that of their predicted abilities."""
        from .results.effects import predicted

        return self if self.random_effects is None else predicted(self, None)

    @property
    def further_lines(self) -> tuple[str, ...]:
        """Lines of the summary that only some models have: whose information R's errors are of, random effects."""
        from .results import contests, effects

        return (*contests.of_information(self), *effects.of_components(self))
