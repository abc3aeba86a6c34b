"""All differences of systems tested together: the largest of all statistics, as for pairwise comparisons.

Holm's correction takes p-values as they come; the single-step method uses that differences which share a system
are correlated, and gives intervals that hold all together (Hothorn, Bretz and Westfall 2008, Biometrical J. 50,
346-363). Every difference has the degrees of freedom of the systems model. With df "own" each t is turned to a
normal score, as where standard errors differ in their errors; with "common" all share one estimate of the
variance, a multivariate t, which is right for a mixed model whose variances scale alike and is narrower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ....fit.many.abilities import Abilities
    from ....fit.many.result import Contrasts
    from ....fit.many.simultaneous import Adjustment, DegreesOfFreedom, Family
    from .systems_model import SystemsModel


def abilities_of_systems(model: SystemsModel) -> Abilities:
    """The systems' means with covariance, standard errors and degrees of freedom of all differences.

    Parameters
    ----------
    model : SystemsModel

    Returns
    -------
    pairproof.fit.many.abilities.Abilities

    Examples
    --------
    >>> from pairproof.native.annotation.models.systems_model import systems_model
    >>> from pairproof.native.annotation.models.systems_together import abilities_of_systems
    >>> source, annotator = [1, 1, 2, 2, 3, 3, 4, 4], ["x", "y", "y", "x", "x", "x", "y", "y"]
    >>> found = systems_model(["A", "B"] * 4, source, annotator, [0.8, 0.5, 0.9, 0.7, 0.8, 0.6, 0.7, 0.6], way="ols")
    >>> abilities_of_systems(found).items
    ('A', 'B')
    """
    from ....fit.many.abilities import Abilities

    n = len(model.systems)
    se, df = np.full((n, n), np.nan), np.full((n, n), model.df)
    place = {name: k for k, name in enumerate(model.systems)}
    for c in model.contrasts:
        i, j = place[c.first], place[c.second]
        se[i, j] = se[j, i] = c.se
    title = {
        "mixed": "restricted maximum likelihood, variances taken as known",
        "ols": "clustered by source and by annotator",
    }[model.way]
    return Abilities(
        model.systems, model.mean, model.covariance, se, df, covariance_title=title, cautions=model.cautions
    )


def contrasts_together(
    model: SystemsModel,
    family: Family = "all pairs",
    against: str | None = None,
    adjust: Adjustment = "single-step",
    level: float = 0.95,
    df: DegreesOfFreedom = "own",
    seed: int = 0,
) -> Contrasts:
    """Differences of systems with simultaneous intervals and adjusted p-values.

    Parameters
    ----------
    model : SystemsModel
    family : {"all pairs", "against one"}
    against : str, optional
        The system of the family "against one".
    adjust : {"single-step", "holm", "bh", "none"}
    level : float
        Of all intervals together with single-step, else of each; in (0.5, 1).
    df : {"own", "common"}
        See the module.
    seed : int
        Of what is drawn for the critical value.

    Returns
    -------
    pairproof.fit.many.result.Contrasts

    Raises
    ------
    InputError
        An unknown family, adjustment or system, or a level outside (0.5, 1).
    TooLargeError
        All pairs of more than 300 systems with "single-step".

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.models.systems_model import systems_model
    >>> from pairproof.native.annotation.models.systems_together import contrasts_together
    >>> rng = np.random.default_rng(2)
    >>> source, system, annotator = (a.ravel() for a in np.indices((12, 3, 4)))
    >>> score = 0.5 + 0.2 * (system == 1) + rng.normal(0, 0.1, 12)[source] + rng.normal(0, 0.05, 144)
    >>> found = contrasts_together(systems_model(system, source, annotator, score))
    >>> found.what, (found.adjusted < 0.05).tolist()
    (('0 - 1', '0 - 2', '1 - 2'), [True, False, True])
    """
    from ....fit.many.simultaneous import contrasts

    return contrasts(abilities_of_systems(model), family, against, adjust, level, df, seed)
