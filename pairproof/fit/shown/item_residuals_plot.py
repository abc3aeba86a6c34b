"""A picture of residuals grouped by item against a covariate."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...data.columns import Factor
from ...errors import InputError
from ..predictions import ability_functions
from ..spec import Value
from .plots import COLOURS, MOST_WIDE

if TYPE_CHECKING:
    from ..fit import Fit


def plot_item_residuals(fit: Fit, covariate: str | ArrayLike | None = None, ax: Any = None) -> Any:
    """Plot residuals grouped by item against an item covariate, with their weighted least-squares line.

    Parameters
    ----------
    fit : Fit
        Of comparisons.
    covariate : str or float[n_items], optional
        An item covariate of the table, or numbers.  Default: the predicted abilities of the items.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure.

    Returns
    -------
    matplotlib Axes
        The areas of the points are proportional to the weights.  Against a covariate of the model the line is flat; a
        slope shows what a covariate would add.

    Raises
    ------
    InputError
        No such numeric covariate, other axes, no residual to draw, or as :func:`pairproof.item_residuals`.

    References
    ----------
    Turner and Firth (2012), Journal of Statistical Software 48(9), section 5.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> from matplotlib.figure import Figure
    >>> a, b = np.triu_indices(4, 1)
    >>> table = pairproof.Comparisons.build(
    ...     "ABCD", a, b, [3, 6, 1, 8, 2, 1], None, [7, 4, 9, 2, 8, 9], item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> fit = pairproof.fit_bradley_terry(table, formula="x")
    >>> pairproof.plot_item_residuals(fit, "x", Figure().subplots()).get_xlabel()
    'x'
    """
    if ax is not None and not hasattr(ax, "scatter"):
        raise InputError(
            f"ax is a {type(ax).__name__}; expected matplotlib Axes, for example plt.subplots()[1]"
        )
    x, label = _values(fit, covariate)
    frame = fit.item_residuals()
    residual, weight = frame["residual"].to_numpy(float), frame["weight"].to_numpy(float)
    seen = np.isfinite(x) & np.isfinite(residual) & (weight > 0)
    if not seen.any():
        raise InputError("no item has both a residual and a value of the covariate")
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(constrained_layout=True)
    area = 60.0 * weight[seen] / weight[seen].max()
    ax.scatter(x[seen], residual[seen], s=area, color=COLOURS[0], alpha=0.6, linewidths=0)
    ax.axhline(0.0, color="0.6", linewidth=0.8)
    if len(np.unique(x[seen])) > 1:
        centre = np.average(x[seen], weights=weight[seen])
        level = np.average(residual[seen], weights=weight[seen])
        slope = float((weight[seen] * (x[seen] - centre)) @ residual[seen]) / float(
            weight[seen] @ (x[seen] - centre) ** 2
        )
        ends = np.array([x[seen].min(), x[seen].max()])
        ax.plot(ends, level + slope * (ends - centre), color=COLOURS[1], linewidth=1.2)
    left = int((~seen).sum())
    ax.set_xlabel("\n".join(textwrap.wrap(label.replace("$", r"\$"), MOST_WIDE)))
    ax.set_ylabel("item residual" + (f" ({left} items without)" if left else ""))
    return ax


def _values(fit: Fit, covariate: str | ArrayLike | None) -> tuple[Any, str]:
    if covariate is None:
        of_items = fit.of_items
        if len(of_items.groups) > 1:
            raise InputError(f"abilities of {len(of_items.groups)} groups; name a covariate")
        group: Mapping[str, Value] = next(iter(of_items.groups.values()), {})
        return np.asarray(ability_functions(of_items, group) @ of_items.beta, float), "ability"
    if isinstance(covariate, str):
        column = fit.data.item_data.get(covariate)
        if column is None or isinstance(column, Factor):
            what = "is not numeric" if column is not None else "is no item covariate"
            raise InputError(
                f"covariate={covariate!r} {what}; there are {', '.join(fit.data.item_data) or 'none'}"
            )
        return np.asarray(column, float), covariate
    values = np.asarray(covariate, float)
    if values.shape != (len(fit.items),):
        raise InputError(
            f"covariate of shape {values.shape}; expected one number for each of {len(fit.items)} items"
        )
    return values, "covariate"
