"""The blocks of docs/bradleyterry2-defects.md: where BradleyTerry2 and its neighbours are wrong or silent, what each says,
what pairproof says, and why; both are run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import bradleyterry2_exact
from .bradleyterry2_defect_cases import AWKWARD_R, DEFECTS
from .bradleyterry2_defects_ours import AWKWARD, OURS_DEFECTS, kept
from .bradleyterry2_page import cell
from .bradleyterry2_r import r_numbers
from .tables import markdown


@dataclass(frozen=True)
class Defect:
    """A situation: its name among the cases, a title, what R does, and why pairproof's answer is right."""

    name: str
    title: str
    happens: str
    why: str


#: By block.
SECTIONS: Mapping[str, tuple[Defect, ...]] = {
    "bradleyterry2-defects-wrong": (
        Defect("add1", "add1 on models without random effects: baseball",
            "`add1` drops the totals of the binomial counts and shifts the columns by one, so that a row of its table belongs to the term beside it.",
            "The likelihood ratio of the two fits, which R's own `anova` has."),
        Defect("add1-chameleons", "add1 on models without random effects: chameleons", "The same with single wins.", "Each is the difference of the deviances of two fits."),
        Defect("subset", "A numeric subset counts rows twice",
            "`subset = 1:4` is worked out for each of the two players and put together: every row is counted twice, standard errors are too small by the root of 2, and deviance and df are wrong. A logical subset is right.",
            "Positions are of rows, each at most once; a position that occurs twice is refused."),
        Defect("predict", "predict with factors that keep the levels in use",
            "The help page says that unused levels can be dropped. Then the columns of the new data are not those of the coefficients, and the prediction is of other teams.",
            "Items are known by name."),
        Defect("row-order", "Player covariates are matched by row, not by name", "Row k of the table is level k of the factor, whatever its row name.", "`item_data` has a column that names the items."),
        Defect("factor-outcome", "An outcome with three levels", "The first level of a factor is a loss, every other one a win: ties are wins, without a warning.",
            "The words of an outcome are stated (`coding`), and ties are ties: here with Davidson's model."),
        Defect("random-subset", "Random effects with a subset, or a missing row", "The design of the random effects keeps the rows that were left out.", "The subset is taken first."),
        Defect("random-only", "A model with nothing but random effects", "The formula is left empty when the random term is taken out.", "`random=\"item\"` needs no covariate."),
        Defect("wide", "From wide to long as section 7.3 of the vignette has it",
            "Fifteen labels of pairs are recycled along a matrix that is stored by columns, so that answers get the pairs of others.",
            "The table is read by columns, with its pairs stated. The number of BradleyTerry2's own `CEMS` differs because of the next point."),
        Defect("cems-pair", "CEMS against prefmod's cemspc: Barcelona and Stockholm",
            "The two packages have the same survey, and 14 of its 15 pairs agree. prefmod's has this pair as it was printed in 1998, with its answers exchanged; BradleyTerry2's has it as corrected in 2001.",
            "pairproof reads what a table says; `pairproof check cems` holds both against the papers (Dittrich, Hatzinger and Katzenbeisser 1998 and 2001)."),
        Defect("residuals", "Residuals that the vignette calls Pearson's", "`residuals(m)` are deviance residuals.", "Residuals are asked for by name."),
        Defect("vcov", "Standard errors of the step before the last", "glm keeps the weights of the step before its last, with which `vcov` is made: here up to 1.3e-4 of a standard error. Fitted again from its own solution R has pairproof's.",
            "The information is that of the estimate; the 25-digit values are of Newton's method in 40 digits."),
        Defect("self", "Players paired with themselves", "The vignette says that such rows are discarded. They stay, with probability 1/2: deviance and df are wrong.", "Such a row is an error that names it."),
        Defect("two-players", "Two players", "`BTabilities` stops.", "One difference is estimated."),
    ),
    "bradleyterry2-defects-silent": (
        Defect("separated", "A player that won everything", "R prints where its iteration stopped, with `converged` TRUE and no warning.",
            "The likelihood has no maximum: whether one exists is decided from the contests themselves, not from where a solver stops."),
        Defect("separated-br", "The same with reduced bias", "brglm stops at a change of 1e-8, which leaves 6 to 7 digits, and warns at every step of counts that are not whole, which are its own.",
            "The root of the modified score; R taken further has the same digits."),
        Defect("components", "Players that never met", "A and B met, and C and D did; R prints C - D as if it were C - A, and NA for D.", "C against D is estimable, and asked for; C against A is not."),
        Defect("flatlizards-components", "The example of the help page itself",
            "The help page's first model is of four groups of lizards that never met. Three lizards are NA, and the numbers of the other four of the small groups are differences from them, printed as if they were from the reference.",
            "All seven cannot be compared with the reference; differences within a group can be asked for."),
        Defect("unused-reference", "A reference without contests", "The first level is 0, whether or not it played; another player, who has data, becomes NA.", "Differences among those that played are estimated."),
        Defect("separate-unknown", "separate.ability of an unknown player", "It is ignored.", "It is an error."),
        Defect("contest-main", "A covariate of the contest alone", "Its coefficient is NA, as it cancels.", "It is left out, and said why."),
        Defect("epsilon", "A tight epsilon and aliased columns", "`epsilon` also sets the tolerance of the rank: with 1e-12 aliased columns of `table6.model` are taken for columns of their own.",
            "Terms that determine each other are refused before the fit; the stopping rule has nothing to do with the rank."),
        Defect("not-square", "countsToBinomial of a matrix that is not square", "It gives a table without rows.", "It is an error."),
        Defect("maxiter", "Penalised quasi-likelihood that did not converge", "`converged` is FALSE, and there is no warning.", "The iteration is accelerated and ends at its fixed point, or in an error."),
        Defect("btmodel-separated", "psychotools: btmodel of separated data", "btmodel suppresses all warnings of glm.", "As above."),
        Defect("btmodel-deviance", "psychotools: the deviance of a btmodel", "`deviance` is minus twice the log-likelihood, and no measure of fit.", "The deviance is against the saturated model, here 0: every pair is fitted as it is."),
    ),
    "bradleyterry2-defects-random": (
        Defect("bttree-order", "psychotree: a test that depends on the order of the rows",
            "Where persons have equal values of a numeric covariate, `bttree` takes the maximum over every row: another order of the same persons has another statistic. Its p is interpolated from a table of Hansen (1997).",
            "Equal values are never taken apart, and p is of the places between distinct values ([trees](trees.md))."),
        Defect("sigma-wald", "A Wald test of sigma", "`summary` divides sigma by its standard error, and takes its p from the normal distribution: on the boundary that is not its distribution, and penalised quasi-likelihood has no likelihood to test with.",
            "Twice the gain in log-likelihood over sigma = 0, which is 0 or chi-square with one degree of freedom, half and half (Self and Liang 1987): p is .0066 by Laplace's approximation and .0064 by quadrature, a tenth of R's and less."),
        Defect("sigma-start", "A sigma of which the data say nothing", "Two of four players have no covariate, and so abilities of their own: what is left fits exactly, whatever sigma. It stays at its start, .1, with a standard error of 8e15 and `converged` TRUE.",
            "Nothing is left for sigma to explain, so it is 0."),
        Defect("pql", "Penalised quasi-likelihood is biased", "One hundred simulated sets of 40 players and 400 single contests, sigma 1, and of 77 players and 100 contests as in `flatlizards`, sigma 1.1; beta .7. BradleyTerry2's numbers are those of `method=\"pql\"`, which share 14 digits with R's ([examples](bradleyterry2-to-pairproof.md)).",
            "With single wins and losses the working model takes the random effects for noise. Laplace's approximation is the default; with as few contests as `flatlizards` has it is low, too, and no method is exact."),
        Defect("glmer", "Where glmer's search stops, and what sigma means there",
            "The marginal likelihood of `flatlizards` by lme4, given \u201cwinner minus loser\u201d by hand. The search stops with 4 digits of the sigma at the maximum.",
            "There is a maximum of Laplace's approximation, but the wins have no cycle: the likelihood itself only bounds sigma from below, and the fit says so. Penalised quasi-likelihood's 1.126 lies below that bound."),
        Defect("brglm-stop", "Where brglm stops", "77 lizards, most of them with one or two contests: the default leaves 3 to 6 digits.", "The root; the 25-digit values are of Newton's method in 40 digits."),
    ),
}  # fmt: skip
#: Cases whose 25-digit values are kept.
EXACT = {"vcov": "chameleons", "brglm-stop": "flatlizards-br"}


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Any]:
    return kept()


def section(defect: Defect) -> str:
    """One situation: both calls, both answers, and why."""
    own, ours = _kept()[defect.name], OURS_DEFECTS[defect.name]
    parts = [f"### {defect.title}", ""]
    r_default: Mapping[str, float] = {}
    further: Mapping[str, float] = {}
    if defect.name in DEFECTS:
        c = DEFECTS[defect.name]
        r = r_numbers(c)
        r_default, further = r.default, r.tight
        parts += [f"```r\n{_lines(c.unseen, c.code)}\n```", ""]
        told = r.warnings
        if r.error:
            parts += [f"{defect.happens} R stops: \u201c{r.error}\u201d.", ""]
        else:
            says = "; ".join(f"\u201c{w}\u201d" for w in told)
            parts += [f"{defect.happens} R warns{f': {says}' if told else ' of nothing'}.", ""]
    else:
        parts += [defect.happens, ""]
    parts += [f"```text\n{_lines(ours.unseen, ours.code)}\n```", ""]
    table = _table(defect.name, r_default, further, own.get("numbers", {}))
    if table:
        parts += [table]
    if "error" in own:
        parts += [f"pairproof: {own['error']}.", ""]
    for text in own.get("said", ()):
        parts += [f"The fit says: \u201c{text}\u201d.", ""]
    return "\n".join([*parts, defect.why, ""])


def _lines(*codes: str) -> str:
    return "\n".join(code.strip() for code in codes if code.strip())


def _table(
    name: str, default: Mapping[str, float], further: Mapping[str, float], own: Mapping[str, float]
) -> str:
    exact = bradleyterry2_exact.kept()[EXACT[name]] if name in EXACT else {}
    quantities: Sequence[str] = list(dict.fromkeys([*default, *own]))
    if not quantities:
        return ""
    heads = [
        "",
        *(["R"] if default else []),
        *(["R, taken further"] if further else []),
        *(["pairproof"] if own else []),
    ]
    heads += ["25-digit value"] if exact else []
    rows = []
    for q in quantities:
        row = [q, *([cell(default.get(q))] if default else []), *([cell(further.get(q))] if further else [])]
        rows.append([*row, *([cell(own.get(q))] if own else []), *([exact.get(q, "")[:24]] if exact else [])])
    return markdown(heads, rows)


def awkward() -> str:
    """Input that is not right: what each says."""
    rows = []
    for title, c in AWKWARD_R.items():
        r = r_numbers(c)
        numbers = ", ".join(f"{q} {cell(v)}" for q, v in r.default.items())
        own = _kept()[title]
        fits = own.get("said") or ["is fitted, as in R" if not r.error else "is fitted"]
        rows.append(
            (
                title,
                r.error or "; ".join([numbers, *r.warnings]),
                own["error"] if "error" in own else "; ".join(fits),
            )
        )
    return "\n" + markdown(("", "R says", "pairproof says"), rows, right=9) + "\n"


def _block(name: str) -> Callable[[], str]:
    return lambda: "\n" + "\n".join(section(d) for d in SECTIONS[name]) + "\n"


BLOCKS: Mapping[str, Callable[[], str]] = {
    **{name: _block(name) for name in SECTIONS},
    "bradleyterry2-defects-awkward": awkward,
}
