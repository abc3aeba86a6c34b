"""Definitions on which right programs differ: R's number, ours, and how one becomes the other.  Data: Dras's
Table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pairproof
from pairproof.bridge.packages import bradleyterry2, gnm
from pairproof.fit.fit import Fit

from .agreement import verification
from .precision import dras
from .tables import markdown

Row = tuple[str, str, str, str]


def _r_value(claim: str, quantity: str, function: str) -> float:
    """R's number in the validation run."""
    for a in verification():
        if (
            (a.claim, a.quantity) == (claim, quantity)
            and a.r is not None
            and a.r_call
            and a.r_call.startswith(function)
        ):
            return a.r
    raise LookupError(f"the run has no {quantity} of {claim} by {function}")


def _pooled() -> tuple[list[str], list[str], list[float], list[float], list[float]]:
    rows = dras().pooled()
    first, second = zip(*rows)
    wins, ties, losses = zip(*rows.values())
    return list(first), list(second), list(wins), list(ties), list(losses)


def _gnm() -> gnm.GnmModel:
    first, second, wins, ties, losses = _pooled()
    return gnm.gnm_llbt(gnm.llbt_frame(first, second, wins, losses, ties, items=dras().items))


def cells() -> Row:
    fit, finer = pairproof.fit_llbt(dras()), pairproof.fit_llbt(dras(), cells="judge")
    r = [_r_value(c, "deviance", "gnm::gnm") for c in ("table-1", "same-cells-without-subjects")]
    return (
        "What is a cell? The same estimates have another deviance on another table.",
        f"`gnm`, `eliminate = pair`: {r[0]:.3f}; `pair:judge`: {r[1]:.3f}",
        f'{fit.deviance:.3f} on {fit.df_resid}; `cells="judge"`: {finer.deviance:.3f} on {finer.df_resid}',
        (
            "R is asked on the fit's own cells. Models are compared by log-likelihood, never by deviances of"
            " different tables."
        ),
    )


def log_likelihood() -> Row:
    fit, m = pairproof.fit_llbt(dras()), _gnm()
    return (
        "Log-likelihood: of Poisson counts, or of each comparison given its pair?",
        f"`logLik(gnm)`: {m.loglik:.4f}",
        f"`llf`: {fit.llf:.4f}; `llf_poisson`: {fit.llf_poisson:.4f}",
        (
            "A constant of the table, sum(n log n - n) - sum(log y!), is taken off. Ours does not change when"
            " rows are merged."
        ),
    )


def aic() -> Row:
    fit, m = pairproof.fit_llbt(dras()), _gnm()
    return (
        "AIC: do nuisance constants count as parameters?",
        f"`AIC(gnm)`: {m.aic:.3f}, with {m.df:g} parameters",
        f"{fit.aic:.3f}, with {fit.rank}",
        "-2 llf + 2 k from R's log-likelihood, translated as above, and k without the constants.",
    )


def _btm(half: bool) -> tuple[float, Fit]:
    first, second, wins, ties, losses = _pooled()
    share = [t / 2 if half else 0.0 for t in ties]
    m = bradleyterry2.BTm_counts(
        [w + s for w, s in zip(wins, share)],
        [x + s for x, s in zip(losses, share)],
        first,
        second,
        players=dras().items,
        refcat="A",
    )
    return m.loglik, pairproof.fit_bradley_terry(dras(), ties="half" if half else "drop")


def binomial() -> Row:
    loglik, fit = _btm(half=False)
    return (
        "Log-likelihood of aggregated wins (ties dropped)",
        f"`logLik(BTm)`: {loglik:.4f}",
        f"{fit.llf:.4f}",
        "sum(log choose(n, wins)) is taken off.",
    )


def half_wins() -> Row:
    loglik, fit = _btm(half=True)
    return (
        "Ties as half wins: is there a likelihood?",
        f"`logLik(BTm)`: {loglik:.4f}, with the counts rounded",
        f"{fit.llf:.4f}, marked as a quasi-likelihood",
        "Estimates and standard errors are compared, this number is not. No AIC against other data.",
    )


def no_tie_parameter() -> Row:
    fit = pairproof.fit_llbt(dras(), ties="none")
    dropped = pairproof.fit_llbt(dras(), ties="drop")
    r = _r_value("table-1-without-ties", "deviance", "prefmod::llbtPC.fit")
    return (
        "\u201cWithout ties\u201d: the parameter held at 0, or the ties left out?",
        f"`llbtPC.fit(undec = FALSE)`: {r:.3f}",
        (
            f'`ties="none"`: {fit.deviance:.3f} on {fit.df_resid}; `ties="drop"`: {dropped.deviance:.3f} on'
            f" {dropped.df_resid}"
        ),
        "Two models of two data sets, with two names.",
    )


def tie_parameter() -> Row:
    first, second, wins, ties, losses = _pooled()
    m = bradleyterry2.GenDavidson(first, second, wins, ties, losses, players=dras().items, reference="A")
    fit = pairproof.fit_bradley_terry(dras())
    return (
        "Davidson's tie parameter",
        f"`GenDavidson`, `tie.max`: {m.estimate('tie.max'):.6f}",
        f"`tie`: {fit.params['tie']:.6f}",
        "tie = log nu = tie.max + log 2; prefmod's g1 and U are tie.",
    )


def scale() -> Row:
    llbt, bt = pairproof.fit_llbt(dras()), pairproof.fit_bradley_terry(dras())
    return (
        "Scale and reference",
        "prefmod: lambda, last item 0; BradleyTerry2: log-odds, first item 0",
        (
            f"A - D: {llbt.contrast('A', 'D').estimate:.6f} (`fit_llbt`),"
            f" {bt.contrast('A', 'D').estimate:.6f} (`fit_bradley_terry`)"
        ),
        (
            "Log-odds are twice lambda; `tie` and `order` are the same on both. Another reference is a linear"
            " map of estimates and covariances."
        ),
    )


def tails() -> Row:
    name = "B:judge[4]"
    fit = pairproof.fit_llbt(dras(), by="judge")
    doubled = _r_value("subjects", f"p.{name}", "prefmod::llbt.fit")
    return (
        "p-values: one tail or two?",
        f"`llbt.fit`, `P(z)` of {name}: {doubled / 2:.4f}",
        f"{fit.pvalues[name]:.4f}",
        "R's is doubled. It stops early, so the last digits differ.",
    )


def rao_kupper() -> Row:
    fit = pairproof.fit_bradley_terry(dras(), ties="rao-kupper", reference="D")
    r = _r_value("rao-kupper", "se.A", "MASS::polr")
    return (
        "Rao-Kupper: observed or expected information?",
        f"`polr`, se of A: {r:.6f}, observed",
        f"{fit.bse['A']:.6f}, observed",
        (
            "`polr` on each row and its mirror with half the weight; its Hessian is numerical, which is what"
            " limits the digits."
        ),
    )


def residuals() -> Row:
    fit = pairproof.fit_llbt(dras())
    kinds = [
        frame.iloc[0]["residual"]
        for frame in (fit.residuals("pearson", "poisson"), fit.residuals("pearson", "multinomial"))
    ]
    return (
        "Pearson residuals of a cell",
        "gnm, glm: of Poisson counts",
        f"Poisson {kinds[0]:.3f}, multinomial {kinds[1]:.3f} (first cell)",
        "Asked for by name; there is no default.",
    )


ROWS: tuple[Callable[[], Row], ...] = (
    cells,
    log_likelihood,
    aic,
    binomial,
    half_wins,
    no_tie_parameter,
    tie_parameter,
    scale,
    tails,
    rao_kupper,
    residuals,
)


def definitions() -> str:
    return markdown(
        ("question", "R", "pairproof", "how R's number is brought to ours"), [row() for row in ROWS], 9
    )


BLOCKS: Mapping[str, Callable[[], str]] = {"definitions": definitions}
