"""Treatments of ties side by side: what each says about the same comparisons, and where a conclusion depends on
it.

    davidson         P(tie) = nu sqrt(P(first) P(second))                              (Davidson 1970)
    davidson-scale   ties grow rarer away from equals at another rate                  (R's GenDavidson)
    davidson-shift   ties are most probable elsewhere than between equals, by who is named first
    rao-kupper       logit P(first) = a - b - delta, logit P(second) = b - a - delta   (Rao and Kupper 1967)
    half             a tie is half a win each way: a quasi-likelihood
    drop             ties are left out: other data

The first four are models of the same outcomes, so that their log-likelihoods and AIC compare; the scaled and
the shifted model contain Davidson's, against which they are tested.  The others are of other data, and have
estimates only.
"""

from __future__ import annotations

import textwrap
import warnings as python_warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....data.comparisons import Comparisons
from ....errors import ConvergenceError, InputError, NotEstimableError, RankingWarning
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.outcome_laws import LAWS
from ....fit.estimates.predictions import ability_functions
from ....fit.estimates.tails import chi_square_p
from ....fit.fit import Fit
from ....fit.shown.fit_json import finite
from ....fit.shown.fit_text import p_value
from ....numerics.arrays import FloatArray, IntArray
from ....text import number
from .predict import rows_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Treatment:
    """What one treatment of ties says.
    reason: why there is no fit; "" if there is one.  abilities, se float[n_items]: log-odds against the
    reference item; nan where there is no estimate.  llf, aic: nan where it cannot be compared.  observed,
    fitted: share of ties; nan without a model of ties.  lr, df, p: test against Davidson's model; nan where
    it is not nested."""

    name: str
    fit: Fit | None
    reason: str
    abilities: FloatArray
    se: FloatArray
    llf: float
    aic: float
    observed: float
    fitted: float
    lr: float = float("nan")
    df: float = float("nan")
    p: float = float("nan")

    @property
    def numbers(self) -> dict[str, float]:
        """Of the model."""
        return {name: getattr(self, name) for name in ("llf", "aic", "observed", "fitted", "lr", "df", "p")}

    def differences(self, i: IntArray, j: IntArray) -> tuple[FloatArray, FloatArray]:
        """Differences of items and their z; nan where they have no estimate."""
        assert self.fit is not None
        functions = _functions(self.fit)
        v, along = self.fit.covariance.between(functions), functions @ self.fit.null_space
        variance = np.diag(v)[i] + np.diag(v)[j] - 2.0 * v[i, j]
        known = np.abs(along[i] - along[j]).max(axis=1, initial=0.0) < 1e-9
        gap = np.where(known, self.abilities[i] - self.abilities[j], np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return gap, gap / np.sqrt(np.maximum(variance, 0.0))


#: Items up to which all pairs are looked at; with more, neighbours in the first treatment's order.
MOST_ITEMS = 200
#: Sentences about pairs at most; a last one counts the others.
MOST_NOTES = 12
WIDE = 100


def notes(names: Sequence[str], items: Sequence[Treatment], critical: float, alpha: float) -> tuple[str, ...]:
    """Sentences on what depends on the treatment.  critical: of |z|."""
    n = len(names)
    out: list[str] = []
    orders: dict[tuple[int, ...], list[str]] = {}
    for item in items:
        if np.isfinite(item.abilities).all():
            orders.setdefault(tuple(np.argsort(-item.abilities, kind="stable").tolist()), []).append(
                item.name
            )
    if len(orders) > 1:
        shown = [
            f"{' > '.join(names[k] for k in order[:8])}{' > ...' if n > 8 else ''} by {', '.join(by)}"
            for order, by in orders.items()
        ]
        out.append(f"the rank order depends on the treatment: {'; '.join(shown)}")
    if n <= MOST_ITEMS:
        i, j = np.triu_indices(n, 1)
    else:
        order = np.argsort(-items[0].abilities, kind="stable")
        i, j = order[:-1], order[1:]
        out.append(
            f"{n} items: conclusions were compared for the {n - 1} pairs next to each other in the order of"
            f" {items[0].name} only"
        )
    found = {item.name: item.differences(i, j) for item in items}
    lines = []
    for k in range(len(i)):
        text = _pair(
            names[i[k]], names[j[k]], {m: (d[k], z[k]) for m, (d, z) in found.items()}, critical, alpha
        )
        if text:
            lines.append(text)
    out += lines[:MOST_NOTES]
    if len(lines) > MOST_NOTES:
        out.append(
            f"and {len(lines) - MOST_NOTES} more pairs whose order or significance depends on the treatment"
        )
    return tuple(out)


def _pair(a: str, b: str, found: dict[str, tuple[float, float]], critical: float, alpha: float) -> str:
    """A sentence on one pair; "" where all treatments agree."""
    known = {m: v for m, v in found.items() if np.isfinite(v[0])}
    parts = []
    above = [m for m, (d, _) in known.items() if d > 0]
    below = [m for m, (d, _) in known.items() if d < 0]
    if above and below:
        parts.append(f"{a} is above {b} by {', '.join(above)}, below by {', '.join(below)}")
    yes = [m for m, (_, z) in known.items() if abs(z) > critical]
    no = [m for m, (_, z) in known.items() if not abs(z) > critical]
    if yes and no:
        parts.append(
            f"{a} - {b} differs from 0 at {alpha:g} by {', '.join(f'{m} (z {known[m][1]:.2f})' for m in yes)}, not by"
            f" {', '.join(f'{m} ({known[m][1]:.2f})' for m in no)}"
        )
    return "; ".join(parts)


def text(items: Sequence[str], reference: str, treatments: Sequence[Treatment], found: Sequence[str]) -> str:
    """The comparison as text, at most 100 columns wide but for long names."""
    there = [t for t in treatments if t.fit is not None]
    wide = max([18, *(len(t.name) + 2 for t in there)])
    first = max(9, min(30, max(len(i) for i in items) + 1))
    links = [(t.name, t.fit.spec.link) for t in there if t.fit is not None and t.fit.spec.link != "logit"]
    of_links = "".join(f", of {name} by the {link} link" for name, link in links)
    lines = [
        "Treatments of ties side by side",
        "=" * WIDE,
        f"Abilities in log-odds{of_links} (se), reference {reference}",
    ]
    per = max(1, (WIDE - first) // wide)
    for start in range(0, len(there), per):
        part = there[start : start + per]
        lines.append(" " * first + "".join(t.name.rjust(wide) for t in part))
        for k, item in enumerate(items):
            cells = [_cell(t.abilities[k], t.se[k]) for t in part]
            lines.append(item[: first - 1].ljust(first) + "".join(c.rjust(wide) for c in cells))
    lines += ["-" * WIDE, _row("", ["log-lik.", "AIC", "ties seen", "fitted", "LR", "df", "p"])]
    for t in there:
        p = "" if np.isnan(t.p) else p_value(t.p)
        df = "" if np.isnan(t.df) else f"{t.df:.0f}"
        values = [_number(v) for v in (t.llf, t.aic, t.observed, t.fitted, t.lr)]
        lines.append(_row(t.name, [*values, df, p]))
    lines.append(
        "LR against Davidson's model.  Half wins and dropped ties are other data: no likelihood compares."
    )
    for t in treatments:
        if t.fit is None:
            lines += textwrap.wrap(f"{t.name}: no estimate: {t.reason}", WIDE, subsequent_indent="  ")
    lines.append("-" * WIDE)
    if not found:
        lines.append("No conclusion depends on the treatment: order, significance of differences, ranking.")
    for note in found:
        lines += textwrap.wrap(f"Note: {note}", WIDE, subsequent_indent="  ")
    return "\n".join(lines)


def _cell(ability: float, se: float) -> str:
    if np.isnan(ability):
        return "-"
    return f"{ability:.4f}" + (f" ({se:.4f})" if se > 0 else "")


def _number(value: float) -> str:
    return "" if np.isnan(value) else number(value)


def _row(name: str, values: Sequence[str]) -> str:
    return name.ljust(16) + "".join(v.rjust(12) for v in values)


#: Treatments by name, with the options that ask for them.
TREATMENTS: Mapping[str, Mapping[str, Any]] = {
    "davidson": {"ties": "davidson"},
    "davidson-scale": {"ties": "davidson", "tie_scale": True},
    "davidson-shift": {"ties": "davidson", "tie_shift": True},
    "rao-kupper": {"ties": "rao-kupper"},
    "half": {"ties": "half"},
    "drop": {"ties": "drop"},
}
#: Those whose likelihoods are of other data.
OTHER_DATA = ("half", "drop")
#: Options of a fit that all treatments share.
SHARED = tuple("order_effect reference item_terms separate comparison_terms formula subset weights".split())


@dataclass(frozen=True, eq=False, repr=False)
class TiesCompared:
    """Treatments of ties side by side.
    reference: the item whose ability is 0 in all treatments.  notes: where a conclusion depends on the
    treatment: the order of a pair, significance of a difference, the ranking."""

    items: tuple[str, ...]
    reference: str
    treatments: tuple[Treatment, ...]
    notes: tuple[str, ...]
    alpha: float

    def __getitem__(self, name: str) -> Treatment:
        """A treatment by name."""
        for t in self.treatments:
            if t.name == name:
                return t
        raise InputError(f"no treatment {name!r}; there are {', '.join(t.name for t in self.treatments)}")

    @property
    def changes_a_conclusion(self) -> bool:
        """Whether any conclusion depends on the treatment."""
        return bool(self.notes)

    def to_frame(self) -> pd.DataFrame:
        """Abilities: one row for each item and treatment.
        Returns DataFrame: treatment, item, ability, se, rank (1 for the ablest; nan without an estimate)."""
        import pandas as pd

        parts = []
        for t in self.treatments:
            part = pd.DataFrame(
                {"treatment": t.name, "item": list(self.items), "ability": t.abilities, "se": t.se}
            )
            part["rank"] = part["ability"].rank(ascending=False, method="min")
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def models(self) -> pd.DataFrame:
        """The treatments: one row each.
        Returns DataFrame: by treatment: llf and aic where they compare, observed and fitted share of ties,
        lr, df and p against Davidson's model, and `without` (why there is no estimate)."""
        import pandas as pd

        rows = [{**t.numbers, "without": t.reason} for t in self.treatments]
        return pd.DataFrame(rows, index=[t.name for t in self.treatments])

    def summary(self) -> str:
        """The comparison as text."""
        return text(self.items, self.reference, self.treatments, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as a JSON object; None where there is no value."""
        return {
            "items": list(self.items),
            "reference": self.reference,
            "alpha": self.alpha,
            "treatments": [
                {
                    "name": t.name,
                    "without": t.reason or None,
                    "abilities": [finite(v) for v in t.abilities],
                    "se": [finite(v) for v in t.se],
                    **{n: finite(v) for n, v in t.numbers.items()},
                }
                for t in self.treatments
            ],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<TiesCompared: {', '.join(t.name for t in self.treatments)}; {len(self.notes)} notes>"

    def __str__(self) -> str:
        return self.summary()


def compare_ties(
    table: Comparisons, *, treatments: Sequence[str] | None = None, alpha: float = 0.05, **options: Any
) -> TiesCompared:
    """Fit a Bradley-Terry model under several treatments of ties, and report where they differ.

    Parameters
    ----------
    table : Comparisons
        With ties.
    treatments : sequence of str, optional
        Of "davidson", "davidson-scale", "davidson-shift", "rao-kupper", "half", "drop".  Default: all; the shifted
        one only with `order_effect=True`.
    alpha : float
        Level at which a difference counts as significant, in (0, 1).
    **options : object
        Of :func:`pairproof.fit_bradley_terry`: order_effect, reference, item_terms, separate, comparison_terms, formula,
        subset, weights.

    Returns
    -------
    TiesCompared
        `print` shows it; `to_frame()` has abilities, `models()` likelihoods, `notes` what depends on the treatment.

    Raises
    ------
    InputError
        The table has no ties, an unknown treatment or option, or another level.

    References
    ----------
    Davidson (1970), JASA 65, 317-328.  Rao and Kupper (1967), JASA 62, 194-204.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build(
    ...     ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=[2, 1, 3], losses=[4, 3, 4]
    ... )
    >>> found = pairproof.compare_ties(table, treatments=["davidson", "rao-kupper", "drop"])
    >>> found.models()["aic"].round(2).tolist()
    [77.1, 76.99, nan]
    """
    chosen = _chosen(table, treatments, alpha, options)
    found: list[Treatment] = []
    davidson: Fit | None = None
    for name in chosen:
        one = _treatment(table, name, options, davidson)
        davidson = one.fit if name == "davidson" else davidson
        found.append(one)
    first = next((t.fit for t in found if t.fit is not None), None)
    if first is None:
        raise NotEstimableError("; ".join(f"{t.name}: {t.reason}" for t in found))
    there = [t for t in found if t.fit is not None]
    depends = notes(first.items, there, normal_quantile(1.0 - alpha / 2.0), alpha)
    reference = str(options.get("reference") or first.spec.reference or "none")
    return TiesCompared(first.items, reference, tuple(found), depends, alpha)


def _chosen(
    table: Comparisons, treatments: Sequence[str] | None, alpha: float, options: Mapping[str, Any]
) -> list[str]:
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha}: expected a number in (0, 1)")
    unknown = [name for name in options if name not in SHARED]
    if unknown:
        raise InputError(f"{', '.join(unknown)}: not an option here; there are {', '.join(SHARED)}")
    if not table.tie_category or not table.ties.any():
        raise InputError(
            f"{table.source}: no tie among {table.n_comparisons:g} comparisons, so that all treatments are the same"
        )
    if isinstance(treatments, str):
        treatments = [treatments]
    known = [*TREATMENTS, *(name for name in LAWS if name not in TREATMENTS)]
    if treatments is None:
        return [t for t in known if t != "davidson-shift" or options.get("order_effect")]
    wrong = [t for t in treatments if t not in known]
    if wrong or not treatments:
        raise InputError(f"treatments={list(treatments)}: expected some of {', '.join(known)}")
    # Davidson's model first, as others are tested against it.
    return [t for t in known if t in treatments]


def _treatment(table: Comparisons, name: str, options: Mapping[str, Any], davidson: Fit | None) -> Treatment:
    import pairproof

    n = len(table.items)
    nan = float("nan")
    nothing = np.full(n, np.nan)
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore", RankingWarning)
        try:
            fit = pairproof.fit_bradley_terry(table, **{**options, **TREATMENTS.get(name, {"ties": name})})
        except (NotEstimableError, ConvergenceError) as error:
            return Treatment(name, None, str(error), nothing, nothing, nan, nan, nan, nan)
    rows = rows_of(fit)
    total = float(rows.totals.sum())
    compares = name not in OTHER_DATA
    functions, beta = _functions(fit), fit.beta
    known = fit.vanishes(functions @ fit.null_space)
    se = np.sqrt(np.maximum(np.diag(fit.covariance.between(functions)), 0.0))
    used = rows.totals > 0
    expected = np.where(rows.certain, rows.counts[:, 1], rows.totals * rows.probabilities[:, 1])
    lr = df = p = nan
    if davidson is not None and name in ("davidson-scale", "davidson-shift"):
        df = float(fit.rank - davidson.rank)
        lr = max(0.0, 2.0 * (fit.llf - davidson.llf))
        p = chi_square_p(lr, int(df))
    return Treatment(
        name,
        fit,
        "",
        np.where(known, functions @ beta, np.nan),
        np.where(known, se, np.nan),
        fit.llf if compares else nan,
        fit.aic if compares else nan,
        float(rows.counts[:, 1].sum()) / total if compares else nan,
        float(expected[used].sum()) / total if compares else nan,
        lr,
        df,
        p,
    )


def _functions(fit: Fit) -> FloatArray:
    """float[n_items, n_params]: abilities against the fit's reference."""
    return ability_functions(fit, next(iter(fit.groups.values())))
