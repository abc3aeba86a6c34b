"""Every family of slips, the slips that programs make for their users among them, and those possible in a
situation.

BradleyTerry2's are of tables without a tie category, or whose ties are left out or halved: `BTm` has no model
of ties.

prefmod's are defects B1, B4, B6, B7, B13, B21 and B23 of the specification of :mod:`pairproof.native.prefmod_defects`.
B24 (columns in another order) is the slip pair-order, B11 (empty cells counted) is among those of df, the
one-sided P(z) of llbt.fit is one-sided-p, its early stop stopped-early, its infinite estimates
infinite-estimate.  B12 gives the numbers of one level the name of another, which a claims file cannot name;
B5 needs the order of the rows of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...native.prefmod_defects.defect_catalogue import defect
from ...native.prefmod_defects.defects_of_results import is_name_in_r
from . import known as of_data
from .known import STAGES, Draft, Family, RowChange, Situation, Slip, given, solved
from .variants import Rows, rows_of


def _btm_has(s: Situation) -> bool:
    """Whether BTm has the model at all."""
    binary = not s.rows.tie_category or s.setting.solver.ties in ("drop", "half")
    return binary and s.fit.spec.of_family.glm_of_wins == "binomial"


def twice(rows: Rows) -> Rows:
    """The table two times over."""
    return replace(rows, times=2.0 * rows.times, copies=2 * rows.copies)


def rows_twice(s: Situation) -> Iterator[Draft]:
    """A subset given as positions, which BTm concatenates with itself."""
    if _btm_has(s):
        yield Draft(
            "every row is counted twice, as BradleyTerry2's BTm does with subset= given as positions",
            rows=twice,
        )


def first_named_wins(rows: Rows) -> Rows:
    """Ties as wins of the item that was named first."""
    y = rows.y.copy()
    forward = rows.sign >= 0
    y[forward, 0] += y[forward, 1]
    y[~forward, 2] += y[~forward, 1]
    y[:, 1] = 0.0
    return rows.with_counts(y)


def ties_as_wins(s: Situation) -> Iterator[Draft]:
    """A factor outcome with three levels: every level but the first is a win."""
    tied = s.rows.y[:, 1] > 0
    # On neutral ground the rows no longer say who was named first.
    if _btm_has(s) and tied.any() and not (tied & (s.rows.sign == 0)).any():
        yield Draft(
            "ties are counted as wins of the item named first, as BradleyTerry2's BTm does with an outcome of three levels",
            rows=first_named_wins,
        )


def _named(identifier: str, words: str) -> str:
    """A sentence that names the defect."""
    return f"{words} (prefmod's defect {defect(identifier).name})"


def ties_as_losses(s: Situation) -> Iterator[Draft]:
    """B1 and B4: where categories are counted among the answers that occur, a tie becomes a win of the second item."""
    if s.rows.tie_category and s.rows.counts[:, 1].sum() > 0 and _prefmod_has(s):
        yield solved(
            _named(
                "B1",
                "ties are counted as wins of the second item, as pattPC.fit does where a comparison has two"
                " different answers, and llbt.design where an answer does not occur",
            ),
            ties="second",
        )


def _prefmod_has(s: Situation) -> bool:
    """Whether prefmod has the model at all."""
    return s.setting.solver.ties in ("davidson", "none") and not s.fit.spec.order_effect


def worths(s: Situation) -> Iterator[Draft]:
    """B6, B7, B21: what llbt.worth makes of a right fit."""
    spec = s.fit.spec
    if spec.order_effect:
        return
    if not all(is_name_in_r(item) for item in s.fit.items) and not spec.item_terms:
        lost = ", ".join(item for item in s.fit.items if not is_name_in_r(item))
        yield given(
            _named("B6", f"llbt.worth loses the items whose names are none in R ({lost})"), worths="names"
        )
    if spec.item_terms:
        yield given(
            _named("B21", "llbt.worth gives worths to groups of items with equal covariates, which sum to 1"),
            worths="groups",
        )
    if _factors_only(s):
        yield given(
            _named(
                "B7-sum-contrasts-read-as-treatment", "llbt.worth reads sum contrasts as treatment contrasts"
            ),
            worths="sum-contrasts",
        )
        if len(next(iter(s.fit.groups.values()))) == 1:
            yield given(
                _named(
                    "B7-one-column-of-cov-sel", "llbt.worth adds all effects of the covariate in one column"
                ),
                worths="one-column",
            )


def _factors_only(s: Situation) -> bool:
    """Whether worths are by groups of a full table of categorical covariates."""
    names = {k for at in s.fit.groups.values() for k in at}
    columns = [s.fit.data.columns.get(k) for k in names]
    if not names or s.fit.spec.item_terms or not all(isinstance(c, Factor) for c in columns):
        return False
    return len(s.fit.groups) == int(np.prod([len(c.levels) for c in columns if isinstance(c, Factor)]))


def rows_dropped(s: Situation) -> Iterator[Draft]:
    """B13: rows with a missing value in a column that the model does not use."""
    missing = np.zeros(s.fit.data.n_rows, bool)
    names = []
    for name, column in s.fit.data.columns.items():
        lost = column.codes < 0 if isinstance(column, Factor) else np.isnan(column)
        if lost.any():
            names.append(name)
            missing |= lost
    if not missing.any() or missing.all():
        return
    data = s.fit.data
    n = float((data.wins + data.ties + data.losses)[missing].sum())
    yield Draft(
        _named(
            "B13",
            f"{n:g} comparisons are left out because {', '.join(names)}, which the model does not use, has no value",
        ),
        rows=_without(s, ~missing),
    )


def _without(s: Situation, kept: NDArray[np.bool_]) -> RowChange:
    """Applied first (order 0), to the table as it is."""
    left = rows_of(s.fit, kept)[0]
    return lambda rows: left


def margins_not_fixed(s: Situation) -> Iterator[Draft]:
    """B23: the covariate of the model is not in `eliminate`."""
    patterns = len(np.unique(s.model.cells.pattern))
    if patterns < 2 or not _prefmod_has(s) or s.setting.solver.cells != "model" or s.fit.not_estimable:
        return
    for which, words in (("pairs", ""), ("groups", ", which has a main effect of its own")):
        yield solved(
            _named(
                "B23",
                f"the covariate is not in eliminate{words}: groups' numbers of comparisons are explained by items",
            ),
            margins=which,
        )


#: Kinds of printed numbers that a change of the items' parameters shows in.
_OF_ITEMS = "estimate exp se z p low high contrast contrast_se contrast_z contrast_p"
_WORTHS = "worth worth_se odds p_first p_tie p_second"
#: Those that a change of the solver shows in.
_ESTIMATES = f"{_OF_ITEMS} {_WORTHS} deviance llf aic aic_glm bic llf_poisson gof_p lr lr_p"
#: Kinds of numbers that stand beside an item's name.
_NAMED = "estimate exp se z p low high worth worth_se contrast contrast_z odds p_first wins"

# fmt: off
_ALL = (
    Family("pair-order", "data", 1, of_data.pair_order, group="pair-order", order=4,
           what="the columns of a wide table are read in another order of the pairs",
           seen="Dras (2015): columns AB AC AD BC BD CD fed to prefmod, which reads 12 13 23 14 24 34"),
    Family("all-pairs-reversed", "data", 1, of_data.all_reversed, group="outcomes", order=1,
           what="rows and columns of a matrix change places, or winners and losers",
           seen="BradleyTerry2's springall: win is column over row"),
    Family("response-coding", "data", 2, of_data.response_coding, group="outcomes", order=1,
           what="the codes of the answers are exchanged (0/1/2, 1/0/-1, 1/2/3)",
           seen="data sets of one field code the same three answers differently: cemspc 0/1/2, immig and"
                " trdel 1/-1, 1/2/3 elsewhere"),
    Family("missing-as-undecided", "data", 1, of_data.missing_as_undecided, group="missing", order=2,
           what="missing answers are counted as undecided",
           seen="CEMS: 91 of 303 answers to Paris-Milano are missing, not undecided"),
    Family("one-pair-reversed", "data", 2, of_data.one_pair_reversed, order=3,
           what="one pair is read the other way round",
           seen="CEMS, Barcelona:Stockholm: Dittrich et al. (1998), corrected in 2001, and still so in"
                " prefmod's cemspc"),
    Family("judge-major", "data", 2, of_data.judge_major, group="judge-major", order=2,
           what="answers written out judge by judge are labelled pair by pair, or the other way round",
           seen="BradleyTerry2's vignette, section 7.3: 5314.305 for 4984.783"),
    Family("alphabetical", "data", 1, of_data.alphabetical, group="labels", order=5, affects=_NAMED,
           what="the rows of a table of estimates carry the items' names in another order",
           seen="R sorts the levels of a factor, so that its output is not in the order of the data"),
    Family("labels-exchanged", "data", 3, of_data.labels_exchanged, group="labels", order=5, affects=_NAMED,
           what="two neighbouring items carry each other's names",
           seen="no print found; the neighbouring cell that scrutiny's *_map_seq() looks at"),
    Family("ties", "model", 1, of_data.ties, group="ties",
           what="ties are treated otherwise",
           seen="choix counts a tie as a win of both (its issue 17), GABRIEL (73), sirt's wgt.ties; Dras"
                " (2015) against Turner and Firth"),
    Family("cells", "model", 1, of_data.cells, group="cells",
           affects="deviance df_resid null_deviance df_null aic_glm llf_poisson gof_p",
           what="the deviance is taken on other cells: rows added up, or each row by itself",
           seen="baseball: 15.737 on 15 in Firth (2005), 44.053 on 36 in Turner and Firth (2012), the"
                " same estimates"),
    Family("penalty", "model", 2, of_data.penalty, group="penalty", affects=_ESTIMATES,
           what="a penalty is left at its default",
           seen="elote (its issue 172), scikit-learn's LogisticRegression (C = 1) in chat arenas,"
                " PlackettLuce's npseudo = 0.5"),
    Family("se-of-the-step-before", "model", 1, of_data.se_of_the_step_before, group="stop",
           affects=_ESTIMATES,
           what="standard errors from the weights of the last step but one, as R's glm takes them",
           seen="Turner and Firth (2012): six seven-digit standard errors of abilities"),
    Family("infinite-estimate", "model", 1, of_data.infinite_estimate, group="stop", affects=_ESTIMATES,
           what="an estimate that is infinite is printed as it stood when the program stopped",
           seen="BradleyTerry2's lizards: 36.68 with a standard error of 3.9e7"),
    Family("stopped-early", "model", 2, of_data.stopped_early, group="stop", affects=_ESTIMATES,
           what="the solver stopped before its maximum; proved from the likelihood at the printed values",
           seen="worths printed after 7 iterations; prefmod's llbt.fit stops at a relative deviance of 1e-4"),
    Family("scale", "scale", 1, of_data.scale, group="scale", affects=_OF_ITEMS,
           what="item parameters are on another scale",
           seen="prefmod gives lambda, psychotools exactly twice as much; 1.75 in BradleyTerry2's help on"
                " CEMS; Elo points in chat arenas"),
    Family("reference", "scale", 1, of_data.reference, group="reference", affects=_OF_ITEMS,
           what="another item, or none, is the reference",
           seen="prefmod takes the last item, BradleyTerry2 the first, others the sum; R sorts names"
                " before it takes one"),
    Family("sign", "scale", 2, of_data.sign, group="scale", affects=_OF_ITEMS,
           what="item parameters have the other sign: small is good",
           seen="eba and ordinal models, where a large parameter is a small preference; no print found"),
    Family("worth-scale", "scale", 1, of_data.worth_scale, group="worth-scale", affects=_WORTHS,
           what="worths are taken from parameters on the other scale",
           seen="log worth is 2 lambda (Dras 2015, section 5) and the log-odds of Bradley and Terry"),
    Family("tie-parameter", "scale", 2, of_data.tie_parameter, group="tie-parameter",
           affects="estimate low high",
           what="the tie parameter is given in another form",
           seen="Davidson's nu; BradleyTerry2's GenDavidson, whose tie.max is log nu - log 2"),
    Family("order-coding", "scale", 2, of_data.order_coding, group="order-coding",
           affects="estimate se low high",
           what="the order effect is coded +1 and -1, which halves it",
           seen="no print found; prefmod users code it in several ways"),
    Family("one-sided-p", "inference", 1, of_data.one_sided, group="sided", affects="p",
           what="p-values are one-sided (or two-sided where one-sided is said)",
           seen="prefmod's llbt.fit, whose P(z) is one-sided; statcheck's commonest false alarm"),
    Family("t-for-z", "inference", 2, of_data.t_for_z, group="t", affects="p",
           what="p-values are from the t distribution",
           seen="statcheck's list of confused statistics; no print found in this field"),
    Family("deviance-is-log-likelihood", "inference", 1, of_data.deviance_is_log_likelihood,
           group="deviance", affects="deviance null_deviance gof_p",
           what="what is called deviance is -2 log L",
           seen="psychotools, deviance of a btmodel"),
    Family("aic-constant", "inference", 1, of_data.aic_constant, group="aic", affects="aic aic_glm",
           what="AIC with other constants or another number of parameters",
           seen="statsmodels' own tests translate AIC for R (k) and for Stata (divided by n)"),
    Family("df", "inference", 2, of_data.df, group="df", affects="df_resid df_null gof_p p aic_glm",
           what="degrees of freedom are counted otherwise",
           seen="gnm and prefmod count empty cells, glm and BradleyTerry2 do not"),
    Family("prefmod-rows-dropped", "data", 2, rows_dropped,
           what="rows with a missing value in a column that the model does not use are left out",
           seen="prefmod's llbtPC.fit and patt.design (B13): 197 of the 260 answers to three items in immig"),
    Family("prefmod-ties-as-losses", "model", 2, ties_as_losses, group="ties", affects=_ESTIMATES + " df_resid",
           what="ties are counted as wins of the second item",
           seen="prefmod's pattPC.fit (B1) on judge J1 of Dras (2015): .7559 for .8855; llbt.design and llbtPC.fit"
                " (B4) where an answer does not occur"),
    Family("prefmod-margins", "model", 2, margins_not_fixed, group="margins",
           affects=_ESTIMATES + " df_resid",
           what="the covariate of the model is not in prefmod's eliminate, so that margins are not fixed",
           seen="prefmod cannot tell (B23): cemspc by ENG has a deviance of 1045.16 for 162.90"),
    Family("prefmod-worths", "scale", 2, worths, group="worth-scale", affects="worth",
           what="worths are those that llbt.worth makes of a fit with other names, contrasts or item covariates",
           seen="prefmod's llbt.worth: names such as St. Gallen (B6), sum contrasts (B7: .405 for .397), item"
                " covariates (B21: .556 and .444 for .185 and .148)"),
    Family("bradleyterry2-rows-twice", "data", 2, rows_twice, group="copies", order=6,
           what="every row of the table is counted twice: standard errors are too small by the root of 2",
           seen="BradleyTerry2's BTm with subset= given as positions: citations 8.587 on 9 for 4.293 on 3"),
    Family("bradleyterry2-ties-as-wins", "data", 2, ties_as_wins, group="outcomes", order=1,
           what="ties are counted as wins of the item named first",
           seen="BradleyTerry2's BTm with a factor of three levels as outcome: all but the first level are wins"),
    Family("digits-transposed", "print", 2, of_data.digits_transposed,
           what="two neighbouring digits of one number changed places",
           seen="no print found in this field; the commonest slip of typing (scrutiny's *_map_seq())"),
    Family("sign-lost", "print", 2, of_data.sign_lost,
           what="the sign of one number was lost",
           seen="no print found in this field; Unicode minus signs vanish when a PDF is copied"),
)
# fmt: on


def families() -> dict[str, Family]:
    """All families by name, by stage."""
    return {f.name: f for f in _ALL}


def slips_for(situation: Situation) -> list[Slip]:
    """Every slip that is possible here, cheapest first within its stage."""
    found = [s for f in _ALL for s in f.slips(situation)]
    return sorted(found, key=lambda s: (STAGES.index(s.stage), s.cost))
