"""Pictures of a fit: worths with their intervals, and residuals grouped by item against a covariate.

They are functions, not methods of a fit, so that a fit needs no plotting library.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...data.columns import Factor
from ...errors import InputError
from ...report.blocks import Figure
from ..estimates.fit_record import listed
from ..estimates.predictions import ability_functions, sets_of_items
from ..estimates.specification import Value

if TYPE_CHECKING:
    from ..fit import Fit


#: More groups than this cannot be distinguished by colour (Okabe and Ito 2008, "Color Universal Design").
MOST_GROUPS = 8
#: Characters of an item's name; longer ones are cut, so that they leave room for the intervals.
LONGEST = 40
#: Characters of a caption that fit under a picture 7 inches wide.
MOST_WIDE = 68
#: A mark beside each colour, so that colour alone tells nothing apart.
MARKERS = "osD^vP*X"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")


_BARS = {"markersize": 4, "capsize": 2, "linewidth": 1.2}


def check_axes(ax: Any) -> None:
    """InputError of what is no matplotlib Axes."""
    if ax is not None and not hasattr(ax, "errorbar"):
        raise InputError(
            f"ax is a {type(ax).__name__}; expected matplotlib Axes, for example plt.subplots()[1]"
        )


def axes(ax: Any, size: tuple[float, float] | None = None) -> Any:
    """The axes that were given, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, constrained_layout=True)[1]


def plain(name: str) -> str:
    """A name of an item, cut; matplotlib would read text between two "$" as a formula."""
    short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return short.replace("$", r"\$")


def wrapped(text: str, width: int) -> str:
    """Lines of a caption."""
    return "\n".join(textwrap.wrap(text.replace("$", r"\$"), width))


def grid(ax: Any) -> None:
    ax.grid(axis="x", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)


def worth_intervals(fit: Fit, groups: Sequence[str] | None = None, level: float = 0.95) -> pd.DataFrame:
    """Worths with confidence intervals, made on the logit scale so that they stay inside 0 and 1.

    groups: some of `fit.groups`; default: all of them.  Returns DataFrame: group, item, worth, se, low, high;
    nan where not estimable.  The formula is that of :mod:`pairproof.fit.estimates.predictions`.
    """
    if isinstance(groups, str):
        raise InputError(f"groups={groups!r}; expected a list of group names, for example [{groups!r}]")
    names = list(fit.groups) if groups is None else list(groups)
    unknown = [g for g in names if g not in fit.groups]
    if unknown or not names:
        raise InputError(f"no group(s) {unknown}; the groups are {', '.join(list(fit.groups)[:20])}")
    frame = fit.worth(level=level)
    return frame[frame["group"].isin(names)].reset_index(drop=True)


def plot_worth(
    fit: Fit,
    ax: Any = None,
    *,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    sort: bool = True,
    log: bool = False,
) -> Any:
    """Plot the worths of the items with confidence intervals, with one colour per group.

    Parameters
    ----------
    fit : Fit
    ax : matplotlib Axes, optional
        Default: the axes of a new figure, whose height fits the number of items.
    groups : sequence of str, optional
        Some of `fit.groups`, at most 8; default: all of them.
    level : float
        Confidence level of the intervals, in (0, 1).
    sort : bool
        Whether the items are sorted by their mean worth over the groups, best on top; otherwise they keep the
        order of the table.
    log : bool
        Whether the axis is logarithmic, so that equal distances are equal odds.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        Unknown or too many groups, an `ax` that is not a matplotlib Axes, or no estimable worth.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build(
    ...     ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=[2, 1, 3], losses=[4, 3, 4]
    ... )
    >>> from matplotlib.figure import Figure
    >>> ax = pairproof.plot_worth(pairproof.fit_llbt(table), Figure().subplots())
    >>> ax.get_xlabel()
    'worth, with 95 % intervals on the logit scale'
    """
    check_axes(ax)
    if groups is None and len(fit.groups) > MOST_GROUPS:
        raise InputError(
            f"{len(fit.groups)} groups cannot be distinguished in one plot; name at most {MOST_GROUPS}, for"
            f" example groups={list(fit.groups)[:3]}"
        )
    frame = worth_intervals(fit, groups, level)
    names = list(dict.fromkeys(frame["group"]))
    if len(names) > MOST_GROUPS:
        raise InputError(
            f"{len(names)} groups cannot be distinguished in one plot; name at most {MOST_GROUPS}"
        )
    drawn = frame.dropna(subset=["worth"])
    if drawn.empty:
        raise InputError(f"there is no worth to draw: {fit.why_not_estimable()}")
    infinite, drawn = _outside(fit, drawn, names)
    items = _order(drawn, [item for item in fit.items if item in set(drawn["item"])], sort)
    ax = axes(ax, (7.0, 1.2 + 0.16 * len(items) * (1 + len(names))))
    _draw(ax, drawn, items, names)
    not_estimable = [g for g in names if g not in set(drawn["group"])]
    ax.set_xscale("log" if log else "linear")
    if not log:
        ax.set_xlim(left=0.0)
    caption = (
        f"worth, with {100 * level:g} % intervals on the logit scale"
        + (f", {fit.robust.title}" if fit.robust is not None else "")
        + (f" (not estimable: {', '.join(not_estimable)})" if not_estimable else "")
        + (f" (not drawn: {listed(infinite, 6)})" if infinite else "")
    )
    ax.set_xlabel(wrapped(caption, MOST_WIDE))
    return ax


def worth_figure(fit: Fit, caption: str = "", title: str = "") -> Figure:
    """The worths with their intervals as a figure of a report."""
    parts: dict[str, list[str]] = {}
    for row in worth_intervals(fit).itertuples():
        parts.setdefault(str(row.group), []).append(f"{row.item} {row.worth:.3g}")
    said = "; ".join(f"{group}: {', '.join(worths)}" for group, worths in parts.items())
    size = (7.5, 1.2 + 0.16 * len(fit.items) * (1 + len(fit.groups)))
    return Figure(caption, f"Worths. {said}", size, partial(plot_worth, fit), title=title)


def _outside(fit: Fit, drawn: pd.DataFrame, names: Sequence[str]) -> tuple[list[str], pd.DataFrame]:
    """Items outside the set with the most comparisons, and the rows of the others: worths of two sets are on two scales."""
    status = {(g, i): s for g in names for i, s in zip(fit.items, sets_of_items(fit, fit.groups[g]).status)}
    keys = list(zip(drawn["group"], drawn["item"]))
    said = [f"{i}{'' if len(names) == 1 else f' in {g}'}, {s}" for (g, i), s in status.items() if s]
    return said, drawn[[not status[key] for key in keys]]


def _order(frame: pd.DataFrame, items: Sequence[str], sort: bool) -> list[str]:
    """The items in the order in which they are plotted, from bottom to top."""
    if not sort:
        return list(reversed(items))
    mean = frame.groupby("item")["worth"].mean()
    return sorted(items, key=lambda item: (float(mean[item]), -items.index(item)))


def _draw(ax: Any, frame: pd.DataFrame, items: list[str], names: list[str]) -> None:
    place = {item: k for k, item in enumerate(items)}
    spread = 0.7 / max(len(names), 1)
    for k, name in enumerate(names):
        part = frame[frame["group"] == name]
        if part.empty:
            continue
        y = part["item"].map(place).to_numpy(float) + ((len(names) - 1) / 2 - k) * spread
        x = part["worth"].to_numpy()
        ends = [x - part["low"], part["high"] - x]
        ax.errorbar(x, y, xerr=ends, fmt=MARKERS[k], color=COLOURS[k], label=name, **_BARS)
    ax.set_yticks(range(len(items)), [plain(item) for item in items])
    grid(ax)
    if len(names) > 1:
        ax.legend(frameon=False, fontsize="small")


def plot_item_residuals(fit: Fit, covariate: str | ArrayLike | None = None, ax: Any = None) -> Any:
    """Plot residuals grouped by item against an item covariate, with their weighted least-squares line.

    Parameters
    ----------
    fit : Fit
        A fit of comparisons.
    covariate : str or float[n_items], optional
        An item covariate of the table, or numbers.  Default: the predicted abilities of the items.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure.

    Returns
    -------
    matplotlib Axes
        The areas of the points are proportional to the weights.  For a covariate of the model the line is flat; a
        slope shows what a new covariate would add.

    Raises
    ------
    InputError
        No such numeric covariate, invalid axes, no residual to draw, or as for :func:`pairproof.item_residuals`.

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
    check_axes(ax)
    x, label = _values(fit, covariate)
    frame = fit.item_residuals()
    residual, weight = frame["residual"].to_numpy(float), frame["weight"].to_numpy(float)
    seen = np.isfinite(x) & np.isfinite(residual) & (weight > 0)
    if not seen.any():
        raise InputError("no item has both a residual and a value of the covariate")
    ax = axes(ax)
    area = 60.0 * weight[seen] / weight[seen].max()
    ax.scatter(x[seen], residual[seen], s=area, color=COLOURS[0], alpha=0.6, linewidths=0)
    ax.axhline(0.0, color="0.6", linewidth=0.8)
    if len(np.unique(x[seen])) > 1:
        centre = np.average(x[seen], weights=weight[seen])
        level = np.average(residual[seen], weights=weight[seen])
        off = x[seen] - centre
        slope = float((weight[seen] * off) @ residual[seen]) / float(weight[seen] @ off**2)
        ends = np.array([x[seen].min(), x[seen].max()])
        ax.plot(ends, level + slope * (ends - centre), color=COLOURS[1], linewidth=1.2)
    left = int((~seen).sum())
    ax.set_xlabel(wrapped(label, MOST_WIDE))
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
            what = "is not numeric" if column is not None else "is not an item covariate"
            raise InputError(
                f"covariate={covariate!r} {what}; found {', '.join(fit.data.item_data) or 'none'}"
            )
        return np.asarray(column, float), covariate
    values = np.asarray(covariate, float)
    if values.shape != (len(fit.items),):
        raise InputError(
            f"covariate of shape {values.shape}; expected one number for each of {len(fit.items)} items"
        )
    return values, "covariate"
