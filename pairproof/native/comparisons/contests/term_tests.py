"""Tests of terms: one dropped, one added, one after the other, and models side by side.

    LR = 2 (l of the larger model - l of the smaller one),     chi-square on the difference of their ranks

Both models are fitted to the same rows, so that the table of the deviance does not matter.  With reduced bias l is the
likelihood penalised by the larger model's Jeffreys prior, in both (Heinze and Schemper 2002, Statistics in Medicine 21,
2409-2419).  By penalised quasi-likelihood, which has no likelihood, tests are Wald's of the larger model, as
BradleyTerry2's.

BradleyTerry2's add1 drops the binomial totals and shifts columns by one: for `baseball` and the home advantage it prints
5.23 on 5 df, p = .388, where the truth is 5.41 on 1 df, p = .0200.

The test of one model inside another, fitted to the same rows.

A likelihood ratio; by penalised quasi-likelihood Wald's chi-square of the larger model; with reduced bias the ratio of
likelihoods that are both penalised by the larger model's Jeffreys prior (Heinze and Schemper 2002, Statistics in Medicine
21, 2409-2419).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....errors import (
    AliasError,
    ComparisonError,
    ConvergenceError,
    InputError,
    NotEstimableError,
    TooLargeError,
)
from ....fit.estimates.fit_record import title
from ....fit.estimates.specification import AnswerSpec, ContestSpec
from ....fit.estimates.tails import chi_square_p
from ....fit.fit import Fit
from ....numerics.constrained import maximum_under
from ....numerics.maxima import complement
from .estimates import finite_likelihood, refuse_roots
from .specified import contest_rows
from .term_changes import OWN, ModelTerm, TermModel, scope_terms, term_model

if TYPE_CHECKING:
    import pandas as pd


NAN = float("nan")
LR, WALD, PENALISED = "likelihood ratio", "Wald chi-square", "penalised likelihood ratio"
#: Entries of the two designs that are compared where the bias is reduced.
MOST_ENTRIES = 50_000_000


def compared(smaller: Fit, larger: Fit) -> tuple[int, float, float]:
    """df, statistic and p of two fits of the same rows, one of them inside the other.
    Returns (int, float, float): (0, 0.0, nan) where the larger one has no further parameter that the data
    determine."""
    df = larger.rank - smaller.rank
    if df <= 0:
        return 0, 0.0, NAN
    kind = kind_of_test(larger)
    if kind == WALD:
        statistic = _wald(smaller, larger, df)
    elif kind == PENALISED:
        statistic = _penalised_ratio(smaller, larger)
    else:
        statistic = max(0.0, 2.0 * (larger.llf - smaller.llf))
    return df, statistic, chi_square_p(statistic, df)


def _wald(smaller: Fit, larger: Fit, df: int) -> float:
    there = {n.removeprefix(OWN) for n in smaller.names}
    extra = [k for k, n in enumerate(larger.names) if n.removeprefix(OWN) not in there and larger.free[k]]
    if len(extra) != df:
        raise ComparisonError(
            f"by PQL a term is tested by its own parameters, and those of {title(smaller)} are not among those of"
            f" {title(larger)}; fit with method='laplace'"
        )
    functions = np.eye(len(larger.terms))[extra]
    b = functions @ larger.beta
    return float(b @ np.linalg.solve(larger.covariance.between(functions), b))


def _penalised_ratio(smaller: Fit, larger: Fit) -> float:
    """Twice the penalised likelihood lost when the larger model is held inside the smaller one's space."""
    assert larger.contests is not None and isinstance(smaller.spec, ContestSpec)
    rows = contest_rows(larger.data, larger.of_contests)
    # The rows of both are the same, so that one design's columns are combinations of the other's.
    inner = contest_rows(smaller.data, smaller.spec)
    n = rows.design.n_rows
    if n * (len(rows.design.names) + len(inner.design.names)) > MOST_ENTRIES:
        raise TooLargeError(
            f"a penalised likelihood ratio takes designs of {n:,} rows and {len(rows.design.names):,} columns (limit"
            f" {MOST_ENTRIES:,} entries)"
        )
    everywhere = np.arange(n)
    wide, narrow = rows.design.rows(everywhere), inner.design.rows(everywhere)
    basis = np.linalg.lstsq(wide, narrow, rcond=None)[0]
    left = narrow - wide @ basis
    if np.abs(left).max(initial=0.0) > 1e-7 * max(1.0, float(np.abs(narrow).max(initial=0.0))):
        raise ComparisonError(f"{title(smaller)} is not a special case of {title(larger)}")
    q = int(rows.has_ties)
    full = np.zeros((wide.shape[1] + q, narrow.shape[1] + q))
    full[: wide.shape[1], : narrow.shape[1]] = basis
    full[wide.shape[1] :, narrow.shape[1] :] = np.eye(q)
    whole = finite_likelihood(rows)
    limit = whole.limit()
    held = complement(limit.reduced(full.T).T).T
    start = np.zeros(limit.remaining.n_params)
    value = maximum_under(limit.remaining, held, np.zeros(len(held)), start).point.value
    return max(0.0, 2.0 * (larger.penalised - value))


def kind_of_test(fit: Fit) -> str:
    """Which test models of the kind of a fit have."""
    spec = fit.spec
    if isinstance(spec, ContestSpec) and spec.method == "pql":
        return WALD
    return PENALISED if isinstance(spec, ContestSpec) and spec.reduction else LR


def drop1(fit: Fit) -> pd.DataFrame:
    """Test each term of a model by leaving it out.

    The columns of a factor go together, and a term that lies inside another (a main effect in an interaction) is not
    dropped.

    Parameters
    ----------
    fit : Fit
        Of comparisons, not clustered.

    Returns
    -------
    DataFrame
        By term: df, statistic, p, aic, llf, note; the first row, `<none>`, is the model itself.  ``attrs["test"]`` says
        what the statistic is: a likelihood ratio, by PQL Wald's chi-square.

    Raises
    ------
    ComparisonError
        A clustered fit, a quasi-likelihood, or an estimate by which models cannot be compared.
    InputError
        The model has no term to leave out.

    References
    ----------
    R's drop1; Chambers and Hastie (1992), Statistical Models in S, chapter 6.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> table = pairproof.Comparisons.build(
    ...     "ABCD", a, b, [3, 6, 1, 8, 2, 1], None, [7, 4, 9, 2, 8, 9], item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> pairproof.drop1(pairproof.fit_bradley_terry(table, formula="x"))[["df", "statistic", "p"]].round(4).loc["x"].tolist()
    [1.0, 10.883, 0.001]
    """
    model = _checked(fit)
    chosen = [t for t in model.terms if not any(t.factors < other.factors for other in model.terms)]
    if not chosen:
        raise InputError(f"{title(fit)} has no term to leave out")
    rows: list[dict[str, object]] = []
    for term in chosen:
        kept = [t for t in model.terms if t is not term]
        try:
            smaller = model.fitted(kept)
        except (AliasError, NotEstimableError, ConvergenceError) as error:
            # What is left has no such fit, which says nothing about the term itself: no df either.
            rows.append({**_without(term, error), "df": NAN})
            continue
        rows.append(_row(term, smaller, fit, shown=smaller, note=_kept_apart(model, term, kept)))
    return _frame([_whole(fit), *rows], fit)


def add1(fit: Fit, scope: str | Sequence[str]) -> pd.DataFrame:
    """Test terms by adding each of them alone to a model.

    Parameters
    ----------
    fit : Fit
        Of comparisons, not clustered.
    scope : str or sequence of str
        Terms of a formula: "home + log(mass)"; "." stands for those of the model, as in R.  A product is added only where
        the terms inside it are in the model; others are named in ``attrs["left_out"]``.

    Returns
    -------
    DataFrame
        As :func:`drop1`.  Items without a value of an added covariate have an ability of their own in the model with it
        and in the one it is compared with; `note` names them.

    Raises
    ------
    ComparisonError, InputError, FormulaError
        As :func:`drop1`, and where the scope cannot be read or has no other term.

    References
    ----------
    R's add1, which for BTm is wrong without random effects (the module says how).

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> table = pairproof.Comparisons.build(
    ...     "ABCD", a, b, [3, 6, 1, 8, 2, 1], None, [7, 4, 9, 2, 8, 9], item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> fit = pairproof.fit_bradley_terry(table, formula="x")
    >>> pairproof.add1(fit, "order + I(x^2)")[["df", "statistic"]].round(3).loc["I(x^2)"].tolist()
    [1.0, 4.507]
    """
    model = _checked(fit)
    asked = scope_terms(model, scope)
    there = {t.factors for t in model.terms}
    rows, left_out = [], []
    for term in asked:
        inside = [t for t in asked if t.factors < term.factors and t.factors not in there]
        if inside:
            left_out.append(f"{term.text}: {', '.join(t.text for t in inside)} inside it is not in the model")
            continue
        own = _lacking(model, term)
        try:
            base = fit if not own else model.fitted(model.terms, (*model.own, *own))
            larger = model.fitted((*model.terms, term), (*model.own, *own))
        except (AliasError, NotEstimableError, ConvergenceError) as error:
            rows.append(_without(term, error))
            continue
        rows.append(_row(term, base, larger, shown=larger, note=_own_words(own)))
    if not rows:
        raise InputError(f"scope={scope!r}: {'; '.join(left_out)}; add those first")
    frame = _frame([_whole(fit), *rows], fit)
    frame.attrs["left_out"] = tuple(left_out)
    return frame


def anova(fit: Fit, *others: Fit) -> pd.DataFrame:
    """Compare nested models, or add the terms of one model one by one.

    Parameters
    ----------
    fit : Fit
        Of comparisons, not clustered.
    *others : Fit
        Models of the same comparisons, each nested in the next one or the other way round.  None: the terms of `fit` are
        added one after the other, main effects first, to a model in which all items are equal.

    Returns
    -------
    DataFrame
        By term or model: df, statistic (against the row before), p, aic, llf, note.

    Raises
    ------
    ComparisonError
        As :func:`drop1`; models of different data, or not nested.

    References
    ----------
    R's anova; McCullagh and Nelder (1989), Generalized Linear Models, section 2.3.2.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> table = pairproof.Comparisons.build(
    ...     "ABCD", a, b, [3, 6, 1, 8, 2, 1], None, [7, 4, 9, 2, 8, 9], item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> fit = pairproof.fit_bradley_terry(table, formula="x + I(x^2)")
    >>> pairproof.anova(fit)[["df", "statistic"]].round(3).loc["x"].tolist()
    [1.0, 10.883]
    """
    model = _checked(fit)
    if others:
        return _between([fit, *others])
    before = model.fitted(())
    rows = [_whole(before, "(no terms)")]
    for k, term in enumerate(model.terms):
        now = fit if k == len(model.terms) - 1 else model.fitted(model.terms[: k + 1])
        rows.append(_row(term, before, now, shown=now, note=""))
        before = now
    return _frame(rows, fit)


def _between(fits: Sequence[Fit]) -> pd.DataFrame:
    for other in fits[1:]:
        _checked(other)
    rows = [_whole(fits[0], title(fits[0]))]
    for before, now in zip(fits, fits[1:]):
        if kind_of_test(now) == LR:
            found = now.compare(before)
            numbers = (found.df, found.statistic, found.p)
            note = found.caution
        else:
            smaller, larger = (before, now) if now.rank >= before.rank else (now, before)
            if kind_of_test(before) != kind_of_test(now) or before.data.digest() != now.data.digest():
                raise ComparisonError(
                    f"{title(before)} and {title(now)} have no test of the same kind and data"
                )
            numbers, note = compared(smaller, larger), _separated(smaller, larger)
        rows.append(_line(title(now), *numbers, now.aic, now.llf, note))
    return _frame(rows, fits[-1])


def _checked(fit: Fit) -> TermModel:
    """The terms of a fit that has tests of them."""
    if not isinstance(fit, Fit) or isinstance(fit.spec, AnswerSpec):
        raise InputError("tests of terms are of models of comparisons, by fit_bradley_terry or fit_llbt")
    if fit.robust is not None:
        raise ComparisonError(
            f"the fit is clustered by {', '.join(fit.robust.columns) or 'single votes'}, and likelihood ratios take its comparisons as"
            " independent; fit.wald([names]) tests its parameters by cluster"
        )
    if fit.quasi_likelihood:
        raise ComparisonError(
            "half wins, fractional weights or pseudo-comparisons make a quasi-likelihood; its ratio is not a test"
        )
    if kind_of_test(fit) == PENALISED:
        refuse_roots(fit.of_contests)
    return term_model(fit)


# -- rows of the table ---------------------------------------------------------------------------------------


def _line(
    term: str, df: float, statistic: float, p: float, aic: float, llf: float, note: str = ""
) -> dict[str, object]:
    return dict(term=term, df=df, statistic=statistic, p=p, aic=aic, llf=llf, note=note)


def _row(term: ModelTerm, smaller: Fit, larger: Fit, shown: Fit, note: str) -> dict[str, object]:
    df, statistic, p = compared(smaller, larger)
    alias = "" if df else "these data do not distinguish it from the other terms"
    if not df and term.text in shown.data.columns and term.text not in shown.spec.comparison_terms:
        alias = (
            f"{term.text} is the same for both items and cancels; {term.text}:item is its effect on the items"
        )
    note = "; ".join(filter(None, [note, alias, _separated(smaller, larger)]))
    return _line(term.text, df, statistic, p, _aic(shown), shown.llf, note)


def _without(term: ModelTerm, error: Exception) -> dict[str, object]:
    """A row for a model that has no estimate: the reason, and no number."""
    df = 0.0 if isinstance(error, AliasError) else NAN
    return _line(term.text, df, NAN, NAN, NAN, NAN, f"no such fit: {error}")


def _whole(fit: Fit, name: str = "<none>") -> dict[str, object]:
    return _line(name, NAN, NAN, NAN, _aic(fit), fit.llf)


def _aic(fit: Fit) -> float:
    """AIC; nan where the likelihood is not the greatest."""
    return fit.aic if kind_of_test(fit) == LR else NAN


def _separated(smaller: Fit, larger: Fit) -> str:
    infinite = [n for n in larger.not_estimable if larger.n_infinite] or [
        n for n in smaller.not_estimable if smaller.n_infinite
    ]
    if not infinite:
        return ""
    return f"separated ({', '.join(infinite[:4])}{', ...' if len(infinite) > 4 else ''} infinite): the chi-square is rough"


def _lacking(model: TermModel, term: ModelTerm) -> tuple[str, ...]:
    if term.kind == "switch" or not model.by_formula:
        return ()
    return tuple(i for i in model.lacking(term.text) if i not in model.own)


def _own_words(items: Sequence[str]) -> str:
    if not items:
        return ""
    shown = ", ".join(items[:6]) + (f" and {len(items) - 6} more" if len(items) > 6 else "")
    return f"{shown} without a value: own ability in both models"


def _kept_apart(model: TermModel, term: ModelTerm, kept: Sequence[ModelTerm]) -> str:
    if not model.own or term.kind not in ("formula", "item_term") or not model.by_formula:
        return ""
    rest = " + ".join(t.text for t in kept if t.kind == "formula")
    still = model.lacking(rest) if rest else ()
    only = [i for i in model.lacking(term.text) if i not in still]
    return _own_words(only)


def _frame(rows: Sequence[dict[str, object]], fit: Fit) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(list(rows)).set_index("term")
    frame.index.name = None
    frame.attrs["test"] = kind_of_test(fit)
    return frame
