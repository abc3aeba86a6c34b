"""The R program that fits a model of whole answers by listing every possible answer, also as a script.

The answers that were possible are the rows of S, their statistics.  With natural parameters beta_g = M_g phi
in group g,

    P(answer) = exp(s beta) / sum over all rows of exp(s beta),
    P(incomplete answer) = sum of P over the rows that it leaves possible,

and Newton's method with halved steps goes from zeros to the maximum of sum n log P.  A ranking under Plackett
and Luce's model is a series of such answers: at each stage a set is chosen from the items left, and its row
holds 1 / size for each of its items.  Rankings of some of the items have the orders of these items alone as
their rows.

Written from these equations in base R; nothing of pairproof's own fitters, of prefmod or of PlackettLuce is
in it.

The script needs base R alone.  It prints every parameter with its estimate and standard error on the fit's
scale and under its constraint, then deviance, df and log-likelihood, as
:func:`pairproof.bridge.programs.r_script.to_r` does for models of comparisons.

The natural parameters are those of the comparisons, d_ij = lambda_i - lambda_j, of ties, of dependence and of
what is missing (under Plackett and Luce's model those of the items and of the numbers that tie); the design
says, for each covariate group, how they follow from the fit's own parameters.  It is made from the
parameters' names and covariates, apart from the matrices that the native fit was made with.  Statistics stand
in the order in which R makes their columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.respondents.codes import MISSING
from ...data.wide import prefmod_pair_order
from ...errors import InputError
from ...fit.estimates.parts import OF_ITEM
from ...fit.estimates.predictions import item_covariate
from ...fit.estimates.specification import Term
from ...fit.fit import Fit
from ..packages.asking import Estimates, program, reals
from ..process.policy import BackendLike
from ..values.convert import matrix
from .r_source import PRINT, by_cluster, comment, header, items_in, number, scalar, shown, text, vector

FloatArray = NDArray[np.float64]


def sharing(items: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Two comparisons that share an item, by their name `A:B*A:C`, as prefmod orders them."""
    pairs = prefmod_pair_order(len(items))
    found = {}
    for common in range(len(items)):
        others = [k for k in range(len(items)) if k != common]
        for a, b in combinations(others, 2):
            first, second = (pairs.index((min(common, o), max(common, o))) for o in (a, b))
            found[f"{_pair(items, pairs[first])}*{_pair(items, pairs[second])}"] = (first, second)
    return found


def _pair(items: Sequence[str], pair: tuple[int, int]) -> str:
    return f"{items[pair[0]]}:{items[pair[1]]}"


def statistics_of(
    fit: Fit, kind: str, ternary: bool, depends: Sequence[str], orders: Sequence[int]
) -> list[str]:
    """Names of the natural parameters in the order of R's columns."""
    items, spec = fit.items, fit.of_answers
    if kind == "choices":
        return [*(f"item {i}" for i in items), *(f"tie{d}" for d in orders)]
    pairs = [_pair(items, p) for p in prefmod_pair_order(len(items))]
    once = [*pairs, *(f"tie:{p}" for p in pairs if ternary), *depends]
    if len(spec.times) > 1:
        own = [f"{name} at {time}" for time in spec.times for name in once]
        steps = zip(spec.times, spec.times[1:])
        return [*own, *(f"{p}:time[{a}]*time[{b}]" for a, b in steps for p in pairs)]
    if spec.alpha or spec.beta:
        of_beta = items if spec.beta == "coded" else pairs
        return [*once, *(f"alpha:{p}" for p in pairs), *(f"beta:{p}" for p in of_beta)]
    return once


def block(
    fit: Fit, kind: str, terms: Sequence[Term], statistics: Sequence[str], values: Mapping[str, Any]
) -> FloatArray:
    """float[q, p]: natural parameters from the fit's in one covariate group."""
    place = {name: k for k, name in enumerate(statistics)}
    block = np.zeros((len(statistics), len(terms)))
    for column, term in enumerate(terms):
        size = _size(term, values)
        for name, share in _shares(fit, kind, term).items():
            block[place[name], column] += size * share
    return block


def _size(term: Term, values: Mapping[str, Any]) -> float:
    """The product of a term's covariates in a group."""
    size = 1.0
    for name, level in term.by:
        if name != "time":
            value = values[name]
            if level is not None:
                value = value == (level if isinstance(value, str) else float(level))
            size *= float(value)
    return size


def _shares(fit: Fit, kind: str, term: Term) -> dict[str, float]:
    """The natural parameters that a term enters, and how often."""
    items, spec = fit.items, fit.of_answers
    pairs = prefmod_pair_order(len(items))
    time = next((f" at {level}" for name, level in term.by if name == "time"), "")
    if term.kind in ("item", "covariate"):
        of_item = item_covariate(fit, term)
        if kind == "choices":
            return {f"item {i}": float(v) for i, v in zip(items, of_item) if v}
        gaps = {_pair(items, (i, j)): float(of_item[i] - of_item[j]) for i, j in pairs}
        return {name + time: v for name, v in gaps.items() if v}
    if kind == "choices":
        return {term.name: 1.0}
    if term.kind == "tie":
        return {f"tie:{_pair(items, p)}{time}": 1.0 for p in pairs}
    if term.kind == "missing":
        return _missing(term.name, items, str(spec.alpha), str(spec.beta))
    name = term.name if term.kind == "tie-of" or not time else term.name[: term.name.rindex(":time[")]
    return {name + time: 1.0}


def _missing(name: str, items: Sequence[str], alpha: str, beta: str) -> dict[str, float]:
    """The natural parameters of one parameter of what is missing."""
    pairs = prefmod_pair_order(len(items))
    what, _, of = name.partition(":")
    if name == "alpha":
        return {f"alpha:{_pair(items, p)}": 1.0 for p in pairs}
    how = alpha if what == "alpha" else beta
    if how == "comparison":
        return {name: 1.0}
    if how == "coded":
        return {f"beta:{of}": 1.0}
    item = items.index(of)
    signed = -1.0 if how == "difference" else 1.0
    own = [(i, j) for i, j in pairs if item in (i, j)]
    return {f"{what}:{_pair(items, pair)}": 1.0 if pair[0] == item else signed for pair in own}


IntArray = NDArray[np.int64]
#: Numbers in the list of possible answers: 40 MB, of which R holds several copies.
MOST_NUMBERS = 5_000_000
#: Answers that R can sort out by comparing each with each other: some seconds.
MOST_RATINGS = 120_000


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the R program takes.  depends int[m, 2]; answers int[n, k]; ranks, presented int[n, J]; ranked
    int[n, times]; n float[n]; group int[n]; design float[groups * q, p].
    """

    scalars: Mapping[str, Any]
    orders: tuple[int, ...]
    depends: IntArray
    answers: IntArray
    ranks: IntArray
    presented: IntArray
    ranked: IntArray
    n: FloatArray
    group: IntArray
    design: FloatArray
    names: tuple[str, ...]
    statistics: tuple[str, ...]
    reference: str


def why_not(fit: Fit) -> str:
    """Why the program is not written for a fit; "" if it is."""
    spec = fit.of_answers
    if spec.classes > 1:
        return f"{fit.title}: base R has no program of latent classes here"
    if spec.prior:
        return f"{fit.title}: the fit does not keep the numbers of its prior"
    if spec.errors_of_rankings:
        return f"{fit.title}: errors='rankings' is of R's PlackettLuce; the program has those of what is maximised"
    numbers = _numbers(fit)
    size = f"the possible answers and their statistics would be {numbers:,.0f} numbers in R"
    return f"{fit.title}: {size}; at most {MOST_NUMBERS:,} are listed" if numbers > MOST_NUMBERS else ""


def inputs_of(fit: Fit) -> Inputs:
    """The inputs of a fit."""
    refused = why_not(fit)
    if refused:
        raise InputError(refused)
    spec, table = fit.of_answers, fit.respondents
    kind, ternary = _kind(fit), _ternary(fit)
    row_group, values = _covariates(fit)
    rows, weights, group = _distinct(fit, kind, row_group)
    depends = sharing(table.items) if spec.dependence else {}
    gaps = bool(spec.alpha or spec.beta)
    orders = tuple(spec.tie_orders) if kind == "choices" else ()
    statistics = statistics_of(fit, kind, ternary, list(depends), orders)
    terms = [t for t, reference in zip(fit.terms, fit.is_reference) if not reference]
    reference = "" if spec.item_terms else _reference(fit)
    terms = [t for t in terms if not (t.kind == "item" and t.item == reference)]
    blocks = [block(fit, kind, terms, statistics, value) for value in values]
    hypothetical = kind == "choices" and spec.pseudo > 0
    if hypothetical:  # an item of free worth, against which there are pseudo-comparisons
        at = len(table.items)
        blocks = [np.insert(np.insert(b, at, 0.0, axis=0), b.shape[1], 0.0, axis=1) for b in blocks]
        for b in blocks:
            b[at, -1] = 1.0
        statistics = [*statistics[:at], "item hypothetical", *statistics[at:]]
    comparisons = table.pair_answers.reshape(table.n_rows, -1)[rows]
    if kind == "rankings":  # equal ranks are an order that is not known
        comparisons = np.where(comparisons == 0, MISSING, comparisons)
    one = kind == "choices" or (kind == "rankings" and table.n_times == 1)
    nothing = np.zeros((len(rows), len(table.items)), np.int64)
    ranks = table.ranks if table.kind != "comparisons" else None
    return Inputs(
        {
            "J": len(table.items),
            "kind": kind,
            "ternary": ternary,
            "places": _places(fit),
            "times": table.n_times,
            "groups": len(values),
            "gaps": gaps,
            "coded": spec.beta == "coded",
            "pseudo": float(spec.pseudo),
        },
        orders,
        np.array(list(depends.values()), np.int64).reshape(-1, 2) + 1,
        comparisons,
        ranks[rows, 0] if one and ranks is not None else nothing,
        np.asarray(table.presented[rows, 0], np.int64) if one else nothing,
        (
            np.asarray((ranks[rows] > 0).sum(axis=2), np.int64)
            if ranks is not None
            else np.zeros((len(rows), table.n_times), np.int64)
        ),
        weights,
        group + 1,
        np.concatenate(blocks),
        (*(t.name for t in terms), *(("(hypothetical item)",) if hypothetical else ())),
        tuple(statistics),
        reference,
    )


# -- which program -------------------------------------------------------------------------------------------


def _kind(fit: Fit) -> str:
    """What the possible answers are."""
    spec, table = fit.of_answers, fit.respondents
    if spec.family == "plackett-luce":
        return "choices"
    if table.kind == "comparisons":
        large = _listed(fit) > MOST_NUMBERS
        return "apart" if large and not (spec.dependence or spec.alpha or spec.beta) else "comparisons"
    strict = fit.numbers.statistics[0].startswith(OF_ITEM) or (table.kind == "rankings" and table.n_times > 1)
    return "rankings" if strict else "ratings"


def _ternary(fit: Fit) -> bool:
    kind = _kind(fit)
    return kind == "ratings" or (kind in ("comparisons", "apart") and fit.respondents.tie_category)


def _places(fit: Fit) -> int:
    table = fit.respondents
    n = len(table.items)
    return min(len(table.scale), n) if table.kind == "ratings" else n


def _listed(fit: Fit) -> float:
    """Numbers in the list of all comparisons."""
    table, spec = fit.respondents, fit.of_answers
    c = comb(len(table.items), 2)
    categories = 3.0 if table.tie_category else 2.0
    gaps = 2.0**c if spec.alpha or spec.beta else 1.0
    own = c * (2 if table.tie_category else 1) + comb(c, 2) * spec.dependence + 2 * c * (gaps > 1)
    return categories**c * gaps * own


def _numbers(fit: Fit) -> float:
    """Numbers in the list of possible answers and their statistics."""
    kind, table = _kind(fit), fit.respondents
    j, times = len(table.items), table.n_times
    c = comb(j, 2)
    if kind == "apart":
        return 3.0 * c * 2 * c
    if kind == "comparisons":
        return _listed(fit)
    if kind == "choices":
        sizes = table.presented.sum(axis=2)
        most = int(sizes.max())
        each = sum(comb(most, d) for d in {1, *fit.of_answers.tie_orders})
        return float(min(table.n_rows * most, 2.0**j) * each * (j + len(fit.of_answers.tie_orders)))
    if kind == "rankings":
        return float(factorial(j)) ** times * c * (2 * times - 1)
    grid = float(_places(fit)) ** j
    if grid > MOST_RATINGS:
        return grid * c * 100.0
    from ...data.respondents.codes import as_comparisons

    # A bound: no more weak orders than points of the grid, and as many as there are.
    axes = np.meshgrid(*[np.arange(1, _places(fit) + 1)] * j, indexing="ij")
    points = np.stack(axes, axis=-1).reshape(-1, j)
    orders = len(np.unique(as_comparisons("ratings", points), axis=0))
    return float(orders) ** times * c * (2 + (j if fit.of_answers.dependence else 0)) * times


def _reference(fit: Fit) -> str:
    spec = fit.of_answers
    if spec.reference in fit.items:
        return spec.reference
    return fit.items[0] if spec.family == "plackett-luce" else fit.items[-1]


# -- answers -------------------------------------------------------------------------------------------------


def _distinct(fit: Fit, kind: str, row_group: IntArray) -> tuple[IntArray, FloatArray, IntArray]:
    """The first row of each distinct answer that says something, its persons and its group from 0."""
    table, spec = fit.respondents, fit.of_answers
    kept = table.weights > 0
    if not (spec.alpha or spec.beta):
        kept = kept & (table.answered > 0)
    at = np.flatnonzero(kept)
    # Ratings are compared by what they say of the items: 1 2 5 and 1 3 4 are one answer.
    answers = (
        table.ranks if kind == "choices" else table.answers if kind == "rankings" else table.pair_answers
    )
    flat = np.column_stack([row_group[at], answers[at].reshape(len(at), -1)])
    if kind == "choices":
        flat = np.column_stack([flat, table.presented[at, 0]])
    _, first, inverse = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    n = np.bincount(inverse.reshape(-1), weights=table.weights[at], minlength=len(first)).astype(float)
    return at[first], n, row_group[at[first]]


def _covariates(fit: Fit) -> tuple[IntArray, list[dict[str, Any]]]:
    """int[n_rows]: the covariate group of each row; and the values of the covariates in each group."""
    table = fit.respondents
    names = list(dict.fromkeys(n for t in fit.terms for n, _ in t.by if n not in ("time", "class")))
    bare = {name: name.removeprefix("C(").removesuffix(")") for name in names}
    columns = {name: name if name in table.columns else bare[name] for name in names}
    group, first = table.groups(list(dict.fromkeys(columns.values())))

    def value(column: str, row: int) -> Any:
        found = table.columns[column]
        return found.levels[int(found.codes[row])] if isinstance(found, Factor) else float(found[row])

    values = [{name: value(column, row) for name, column in columns.items()} for row in first]
    return np.asarray(group, np.int64), values


# -- the program and the script ------------------------------------------------------------------------------

#: Lists possible answers (`spaces`), and what each answer leaves of them (`at`, `rows_of`, `weight`).
SPACES = program(__package__, "answers/spaces")

#: Newton's method: `phi`, `covariance`, `llf`.
NEWTON = program(__package__, "answers/newton")

#: `deviance` and `df` against free probabilities of all possible answers.
SATURATED = program(__package__, "answers/saturated")

#: The whole, for a call through the bridge.
_LISTED = """\
list(names = colnames(design), coef = phi, se = sqrt(diag(covariance)), vcov = unname(covariance), llf = llf, deviance = deviance,
     df = df, largest_score = max(abs(here$score)), iterations = iterations)
"""
PROGRAM = SPACES + NEWTON + SATURATED + _LISTED


#: Inputs that are tables.
_TABLES = ("answers", "ranks", "presented", "ranked")


@dataclass(frozen=True, eq=False)
class EnumeratedOptimum(Estimates):
    """A maximum as R reaches it by Newton's method.  coef, se float[n]; vcov float[n, n]."""

    llf: float
    deviance: float
    df: float
    largest_score: float
    iterations: int


def arguments(given: Inputs) -> dict[str, Any]:
    """The program's variables as R is to see them."""
    names = ("orders", "depends", *_TABLES, "n", "group")
    found: dict[str, Any] = {**given.scalars, **{name: reals(getattr(given, name)) for name in names}}
    found["depends"] = matrix(found["depends"], ["first", "second"])
    return {**found, "design": matrix(given.design, list(given.names))}


def enumerated(given: Inputs, *, backend: BackendLike = None) -> EnumeratedOptimum:
    """The maximum in R, from zeros."""
    label = "Newton in base R, all answers listed"
    return EnumeratedOptimum.ask(backend, label, PROGRAM, arguments(given))


def script_of(fit: Fit) -> str:
    """The R source."""
    refused = why_not(fit)
    if refused:
        raise InputError(f"no R script: {refused}")
    given = inputs_of(fit)
    return "\n".join([_header(fit), _data(given), SPACES, NEWTON, SATURATED, _to_the_fit(fit, given), PRINT])


def _header(fit: Fit) -> str:
    counted = f"{fit.n_persons:.10g} persons, {len(fit.items)} items,"
    return header(fit, counted, items_in(fit), clusters=by_cluster(fit, "the model's."))


def _data(given: Inputs) -> str:
    lines = ["# ---- the answers: a row is a distinct answer, n the persons who gave it"]
    for name, value in given.scalars.items():
        lines.append(f"{name} <- {scalar(value)}")
    lines.append(f"orders <- {_vector(given.orders)}")
    for name in ("depends", *_TABLES):
        lines.append(f"{name} <- {_matrix(getattr(given, name))}")
    lines += [f"n <- {_vector(given.n)}", f"group <- {_vector(given.group)}"]
    lines += [
        "# ---- from the parameters (columns) to those of the statistics below (rows), a block for each group:",
        f"#   {comment(', '.join(given.statistics[:40]))}{' ...' if len(given.statistics) > 40 else ''}",
        f"design <- {_matrix(given.design)}",
        f"colnames(design) <- {vector(map(text, given.names), 0)}",
    ]
    return "\n".join([*lines, ""])


def _vector(values: object) -> str:
    found = np.asarray(values, dtype=float)
    return vector(map(number, found.tolist())) if found.size else "numeric()"


def _matrix(values: object) -> str:
    table = np.asarray(values, dtype=float)
    return f"matrix({_vector(table.reshape(-1))}, ncol = {table.shape[1]}, byrow = TRUE)"


def _to_the_fit(fit: Fit, given: Inputs) -> str:
    """R source that moves estimates and covariance to the fit's scale and constraint."""
    own = "log-odds" if fit.spec.family == "plackett-luce" else "lambda"
    names, map_ = shown(fit, given.names, own)
    return "\n".join(
        [
            "# ---- to the scale and the constraint of the fit",
            f"shown <- {_matrix(map_)}",
            "b <- drop(shown %*% phi)",
            f"names(b) <- {vector(map(text, names), 0)}",
            "V <- shown %*% covariance %*% t(shown)",
            "",
        ]
    )
