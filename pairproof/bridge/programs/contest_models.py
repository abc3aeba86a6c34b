"""A fit of contests as numbers for R programs (counts, columns, random effects), the programs, and R's answer.

Rows of the table that say the same (the pair, every column of the model, the offset, the judge with effects
by judge) are added up, from the side of the item that comes first in the order of items.  The columns are
made from the names of the fit's parameters, apart from the design that the native fit was made with.

The programs fit models of contests in base R, by brglm2, gnm, BradleyTerry2 and lme4.  They share their
variables: ``wins, ties, losses, X, offset, home, link`` are the rows; ``X`` has a column for each free
parameter but those of ties.  By BradleyTerry2 and gnm: ``items``, ``first, second`` (from 1), ``free``
(whether items have free abilities), ``reference``, ``W`` (item covariates, NA for items with an ability of
their own) and ``C`` (columns of the contest).  Each program leaves ``b`` and ``V`` (estimates and
covariance), ``llf`` without constants of the counts, and ``deviance``.

In base R: Newton's method on the log-likelihood itself, whose derivatives R's own ``deriv3`` works out from
its formula

    log P(first) = log F(eta), with Davidson's generalised ties (Fiocco 2011, in BradleyTerry2's GenDavidson)
    log m = eta | tie.max + s H(q) + s q eta + (1 - s) log(1 + e^eta) | 0,    s = exp(tie.scale),
    q = plogis(tie.mode * home), H(q) = -q log q - (1 - q) log(1 - q)

and scoring on l + log det(I) / 2, Jeffreys' prior, for Davidson's ties.  By packages: glm.fit, brglm2 and gnm
at tight stops; BTm as it is called in BradleyTerry2.

With random effects (lme4's Laplace approximation, quadrature in base R)

    eta = X b + offset + sigma (z[plus] - z[minus]),      z independent standard normal,

``plus, minus`` are the effects of each row, from 1, 0 for none; ``K`` how many there are; ``set`` the set of
effects that each row belongs to (one for each judge, or one alone), whose effects are integrated out
together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import ContestSpec, Term
from ...fit.fit import Fit
from ..packages.asking import Floats, RAnswer, program, reals
from ..process.policy import BackendLike
from .counted_cells import comparison_columns, order_of, treated

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Numbers in a dense design: 160 MB, of which R holds several copies.
MOST_NUMBERS = 20_000_000
#: A change of the linear predictor along a direction without an estimate: rounding leaves 1e-13 of it.
MOVES = 1e-9


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the R programs take of a fit of contests.  `first`, second int[n]; counts float[n, 3]; columns
    float[n, p]; offset float[n]; home float[n]; judge int[n]; certain bool[n].
    """

    fit: Fit
    first: IntArray
    second: IntArray
    counts: FloatArray
    columns: FloatArray
    terms: tuple[Term, ...]
    offset: FloatArray
    home: FloatArray
    judge: IntArray
    judges: tuple[str, ...]
    reference: str
    certain: NDArray[np.bool_]
    undetermined: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p parameters."""
        return tuple(t.name for t in self.terms)

    @property
    def spec(self) -> ContestSpec:
        """The specification; of a plain fit with the logit, and without what only other fits have."""
        return spec_of(self.fit)

    @property
    def with_ties(self) -> bool:
        """Whether a tie is an outcome of the model."""
        return self.fit.outcome_model != "binary"

    @cached_property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        return bool((self.counts == np.floor(self.counts)).all())

    @cached_property
    def own_items(self) -> frozenset[str]:
        """Items with an ability of their own in place of their covariates."""
        return frozenset(str(t.item) for t in self.terms if t.kind == "covariate" and t.item is not None)

    @cached_property
    def effects(self) -> tuple[IntArray, IntArray, int]:
        """Random effect of each side of each row, from 0, -1 for none; and how many effects there are."""
        n = len(self.fit.items)
        if self.judges:
            return self.judge * n + self.first, self.judge * n + self.second, len(self.judges) * n
        number = np.full(n, -1)
        having = [k for k, item in enumerate(self.fit.items) if item not in self.own_items]
        number[having] = np.arange(len(having))
        return number[self.first], number[self.second], len(having)

    @cached_property
    def effect_names(self) -> tuple[str, ...]:
        """Of the random effects: the item; with effects by judge judge and item."""
        if self.judges:
            return tuple(f"{judge}.{item}" for judge in self.judges for item in self.fit.items)
        return tuple(item for item in self.fit.items if item not in self.own_items)

    def item_columns(self) -> tuple[list[Term], FloatArray]:
        """Terms of item covariates, and float[n_items, k]: nan for items with an ability of their own."""
        shared = [t for t in self.terms if t.kind == "covariate" and t.item is None]
        values = np.zeros((len(self.fit.items), len(shared)))
        for k, term in enumerate(shared):
            values[:, k] = item_covariate(self.fit, term)
        values[[item in self.own_items for item in self.fit.items]] = np.nan
        return shared, values

    def contest_terms(self) -> list[int]:
        """Places among `terms` of what is of the contest: order effect and comparison terms."""
        return [k for k, t in enumerate(self.terms) if t.kind in ("order", "comparison")]


def spec_of(fit: Fit) -> ContestSpec:
    """The specification of a fit of contests."""
    spec = fit.spec
    if isinstance(spec, ContestSpec):
        return spec
    return ContestSpec(**{f.name: getattr(spec, f.name) for f in fields(spec)})


def inputs_of(fit: Fit) -> Inputs:
    """The inputs of a fit."""
    import pandas as pd

    table, spec = treated(fit), spec_of(fit)
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    turned = table.first > table.second
    side = np.where(turned, -1.0, 1.0)
    reference = _reference(fit)
    terms = tuple(t for t in fit.terms if t.kind not in ("tie", "tie-of") and t.name != reference)
    columns = _columns(fit, table, terms) * side[:, None]
    offset = np.zeros(table.n_rows)
    if spec.offset:
        offset = np.asarray(fit.data.columns[spec.offset], float) * side
    home = order_of(table) * side
    judge, judges = _judges(table, used) if "item:judge" in spec.random else (np.zeros(table.n_rows, int), ())
    key = pd.DataFrame(
        {
            "first": np.minimum(table.first, table.second),
            "second": np.maximum(table.first, table.second),
            "offset": offset + 0.0,
            "home": home + 0.0 if spec.tie_shift else 0.0,
            "judge": judge,
        }
    )
    for k, term in enumerate(terms):
        if term.kind in ("order", "comparison"):
            key[f"column {k}"] = columns[:, k] + 0.0  # no -0
    for name in spec.cells:
        if spec.cells == ("row",):
            key["row"] = np.arange(table.n_rows)
        elif name != "row":
            kept = table.columns[name]
            key[f"cell {name}"] = kept.codes if isinstance(kept, Factor) else kept
    of = key.iloc[used].groupby(list(key.columns), sort=True, dropna=False).ngroup().to_numpy()
    _, at = np.unique(of, return_index=True)
    at = used[at]
    straight = np.stack([table.wins, table.ties, table.losses], axis=1)[used]
    counts = np.where(turned[used, None], straight[:, ::-1], straight)
    counts = np.stack([np.bincount(of, column, len(at)) for column in counts.T], axis=1)
    return Inputs(
        fit,
        key["first"].to_numpy()[at],
        key["second"].to_numpy()[at],
        counts,
        columns[at],
        terms,
        offset[at],
        home[at],
        judge[at],
        judges,
        reference,
        *_limit(fit, terms, columns[at]),
    )


def _columns(fit: Fit, table: Comparisons, terms: tuple[Term, ...]) -> FloatArray:
    """float[n_rows, p], in favour of the item named first."""
    contest = comparison_columns(fit, table, table.wins + table.ties + table.losses > 0)
    out = np.zeros((table.n_rows, len(terms)))
    for k, term in enumerate(terms):
        if term.kind == "order":
            out[:, k] = order_of(table)
        elif term.kind == "comparison":
            out[:, k] = contest[term.name]
        else:
            of_item = item_covariate(fit, term)
            out[:, k] = of_item[table.first] - of_item[table.second]
    return out


def _reference(fit: Fit) -> str:
    """The item held at 0 in R."""
    if not any(t.kind == "item" for t in fit.terms):
        return ""
    return fit.spec.reference if fit.spec.reference in fit.items else fit.items[0]


def _judges(table: Comparisons, used: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    column = table.columns["judge"]
    assert isinstance(column, Factor)
    present, codes = np.unique(column.codes, return_inverse=True)
    return np.ravel(codes), tuple(column.levels[k] for k in present)


def _limit(
    fit: Fit, terms: tuple[Term, ...], columns: FloatArray
) -> tuple[NDArray[np.bool_], tuple[int, ...]]:
    """Rows whose result is certain in the limit, and parameters that the others do not determine."""
    place = {name: k for k, name in enumerate(fit.names)}
    along = fit.null_space[[place[t.name] for t in terms]]
    certain = np.asarray((np.abs(columns @ along) > MOVES).any(axis=1))
    left = columns[~certain]
    kept: list[int] = []
    basis = np.zeros((len(left), 0))
    for k in range(len(terms) if along.shape[1] else 0):
        column = left[:, k] - basis @ (basis.T @ left[:, k])
        column = column - basis @ (basis.T @ column)  # twice is enough (Kahan, in Parlett 1998, section 6.9)
        size = float(np.linalg.norm(column))
        if size > MOVES * max(1.0, float(np.linalg.norm(left[:, k]))):
            kept.append(k)
            basis = np.column_stack([basis, column / size])
    out = tuple(k for k in range(len(terms)) if k not in kept) if along.shape[1] else ()
    return certain, out


#: What every program leaves behind, as one list.
ANSWER = """
here <- environment()
of <- function(name, default = NA_real_) if (exists(name, envir = here, inherits = FALSE)) as.numeric(get(name, envir = here)) else default
list(coef = as.numeric(b), vcov = matrix(as.numeric(V), NROW(V)), llf = of("llf"), deviance = of("deviance"), df = of("df"), sigma = of("sigma"),
     sigma_se = of("sigma_se"), lr = of("lr"), effects = of("effects", numeric()), means = of("means", numeric()), largest = of("largest"),
     converged = of("converged"), steps = of("steps"), names = if (exists("names_of_r", envir = here, inherits = FALSE)) names_of_r else character())
"""
#: brglm2's types by the bias that is reduced.
TYPES: Mapping[str, str] = {"mean": "AS_mean", "median": "AS_median", "jeffreys": "MPL_Jeffreys"}
#: brglm2 stops where the largest step is below this; at 1e-14 its own rounding keeps it from stopping.
BRGLM2_EPSILON = 1e-13


@dataclass(frozen=True, eq=False)
class ContestEstimates(RAnswer):
    """What R says about a model of contests.  coef float[p]; vcov float[k, k]; effects, means float[K]."""

    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    llf: float
    deviance: float
    df: float
    sigma: float
    sigma_se: float
    lr: float
    effects: Floats
    means: Floats
    largest: float
    converged: float
    steps: float


def variables(given: Inputs, limited: bool = True) -> dict[str, Any]:
    """The rows as base R's programs see them: wins, ties, losses, X, offset, home, the model."""
    spec = given.spec
    rows = ~given.certain if limited else np.ones(len(given.first), bool)
    kept = [k for k in range(len(given.terms)) if not limited or k not in given.undetermined]
    found: dict[str, Any] = dict(zip(("wins", "ties", "losses"), map(reals, given.counts[rows].T)))
    found |= {"X": reals(given.columns[rows][:, kept])}
    found |= {"offset": reals(given.offset[rows]), "home": reals(given.home[rows])}
    found |= {"link": str(spec.link), "with_ties": given.with_ties}
    return found | {"shift": bool(spec.tie_shift), "scale": bool(spec.tie_scale)}


def mixed_variables(given: Inputs) -> dict[str, Any]:
    """:func:`variables`, and the random effects of each row: plus, minus, K, set."""
    first, second, n = given.effects
    rows = ~given.certain
    of_set = given.judge if given.judges else np.zeros(len(given.first), int)
    sides = {"plus": reals(first[rows] + 1), "minus": reals(second[rows] + 1)}
    return {**variables(given), **sides, "K": float(n), "set": reals(of_set[rows] + 1)}


def named_variables(given: Inputs) -> dict[str, Any]:
    """What the programs that call BradleyTerry2 see beside the rows: items by name and their covariates."""
    contest = given.contest_terms()
    _, of_items = given.item_columns()
    return {
        **{k: v for k, v in variables(given, limited=False).items() if k not in ("X", "ties", "with_ties")},
        "items": list(given.fit.items),
        "first": reals(given.first + 1),
        "second": reals(given.second + 1),
        "free": any(t.kind == "item" for t in given.terms),
        "reference": given.reference,
        "W": reals(of_items),
        "C": reals(given.columns[:, contest]),
        "random": "item" in given.spec.random,
    }


@dataclass(frozen=True)
class Program:
    """An R program that has a model of contests: its name, its code, what it sees of the fit, and the packages it needs."""

    label: str
    code: str
    sees: Callable[[Inputs], dict[str, Any]]
    needs: tuple[str, ...] = ()

    def __call__(self, given: Inputs, *, backend: BackendLike = None, **more: bool) -> ContestEstimates:
        """What R says about the model; ``more`` are further variables."""
        arguments = {**self.sees(given), **more}
        return ContestEstimates.ask(backend, self.label, self.code + ANSWER, arguments, self.needs)


def _of_brglm2(given: Inputs) -> dict[str, Any]:
    return {**variables(given), "type": TYPES[given.spec.reduction], "epsilon": BRGLM2_EPSILON}


def _of_gendavidson(given: Inputs) -> dict[str, Any]:
    unseen = ("W", "C", "random", "free", "offset", "link")
    sent = {k: v for k, v in named_variables(given).items() if k not in unseen}
    ordered = any(t.kind == "order" for t in given.terms)
    return {**sent, "ties": reals(given.counts[:, 1]), "ordered": ordered}


def btm(given: Inputs, *, tight: bool, br: bool = False, backend: BackendLike = None) -> ContestEstimates:
    """``BradleyTerry2::BTm`` of the model, at its own stop or a tight one."""
    return BTM(given, tight=tight, br=br, backend=backend)


def _code(*names: str) -> str:
    return "".join(program(__package__, f"contests/{name}") for name in names)


#: Log-probabilities with value, gradient and Hessian by eta and the tie parameters.
LIKELIHOOD = _code("likelihood")
newton = Program("Newton in base R, contests", _code("likelihood", "newton"), variables)
#: glm.fit at a tight stop. Standard errors are of the observed information at its estimates.
glm = Program("stats::glm.fit", _code("likelihood", "glm"), variables)
#: brglm2: bias reduction of the mean, of the median, or Jeffreys' prior.
brglm2 = Program("brglm2::brglmFit", _code("likelihood", "brglm2"), _of_brglm2, ("brglm2",))
#: Jeffreys' prior for Davidson's ties: scoring on the conditional likelihood.
jeffreys = Program("Jeffreys' prior with ties in base R", _code("jeffreys_with_ties"), variables)
#: BTm as its help page has it: abilities by a formula, contest columns given for player1.
BTM = Program("BradleyTerry2::BTm", _code("btm"), named_variables, ("BradleyTerry2",))
#: Davidson's ties with shift and scale, by gnm.
gendavidson = Program("gnm::gnm", _code("gendavidson"), _of_gendavidson, ("gnm", "BradleyTerry2"))
#: PQL with any matrix of effects, by BradleyTerry2's own fitter: the effects are those of items by judge; it
#: is told ``tight``.
glmm_pql = Program("BradleyTerry2::glmmPQL", _code("glmmpql"), mixed_variables, ("BradleyTerry2",))
#: lme4's modules with the matrix of effects put in by hand: it has no term for "winner less loser".
#: ``by_differences`` goes from `x`, near the minimum of `minus_llf`, to it.
laplace = Program(
    "lme4::glmer", _code("likelihood", "laplace", "by_differences", "laplace_end"), mixed_variables, ("lme4",)
)
#: Laplace's approximation as it is written: the mode of the effects by Newton's method, then its determinant.
laplace_itself = Program(
    "Laplace's approximation in base R",
    _code("likelihood", "laplace_itself", "by_differences", "laplace_itself_end"),
    mixed_variables,
)
#: Quadrature by the trapezoidal rule about the mode of each set; derivatives by Fisher's and Louis's
#: identities.
quadrature = Program("quadrature in base R", _code("likelihood", "quadrature"), mixed_variables)
