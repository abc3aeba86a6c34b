"""Packages with a function or two for comparisons: psychotools, psychotree's bttree, qvcalc, survival's clogit and coxph.

btmodel works in log-odds, as `fit_bradley_terry` does; its "(undecided)" is our `tie`; its reference is the last item
unless said; with `undecided = FALSE` ties on the scale are left out.  It keeps glm's warnings to itself, so that where
estimates are infinite its numbers are those at which its iteration stopped.

bttree is `fit_tree`, where its splits are R's; else R's own tree.  Persons are the rows of R's model frame, which has
left out those with a missing value.  Both trees number their nodes in the same way.  Tests of numeric covariates differ
by definition (`tree_record.P_VALUES`; R's depend on the order of the rows): they choose the splits, and are not compared.

clogit and coxph with two rows in each stratum, of which one is chosen, have the likelihood of Bradley and Terry:
P(a over b) = exp(x_a'b) / (exp(x_a'b) + exp(x_b'b)), a logit of differences x_a - x_b.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.base import QuasiVariances
from ...bridge.packages.psychotree import Tree
from ...bridge.values.nodes import RList, RValue, RVector
from ...fit.fit import Fit
from ...native.answers.trees.tree_models import PreferenceTree
from ...native.answers.trees.tree_record import P_VALUES, TreeNode
from . import recorded_answers as answers, translation
from .plackett_luce import Worths
from .python_code import Call, File, Method, Result, columns_call, frame_call, quoted_name, stated
from .recorded_answers import held, needed, stays_if, taken, vectors_of
from .rows import Beside, Rows, at, count_rows, differ, explained, llf_and_aic, named, of_fit, parameters
from .translation import Context, Judge, Translation, bridged, in_r, made, outside, translates

BTMODEL = "psychotools::btmodel"
DEFAULT = f"{BTMODEL}, default epsilon"
UNDECIDED = "(undecided)"
LOST = "its comparisons were not recorded as a paircomp with the answers >, = and <"
#: btmodel's own default stop is glm's, 1e-8; asked for again with the same one, R gives the same numbers.
EPSILON = 1e-8
MAXIT = 25


@translates(BTMODEL)
def btmodel(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(pairproof.read(..., layout="prefmod"), reference=, ties=)`."""
    data = _comparisons(call)
    undecided = UNDECIDED in named(call.vector("coef"))
    reference = (call.strings("ref") or (data.items[-1],))[0]
    options = stated(reference=reference, ties="davidson" if undecided else data.ties and "drop")
    code = Call("pairproof.fit_bradley_terry", (data.code(call.variable),), options)
    translation.stays_unless_finite(code, "R's numbers are from the point where its iteration stopped")
    said = "btmodel was called with undecided = FALSE: comparisons without a preference are left out."
    notes = (said,) if options.get("ties") == "drop" else ()
    return Translation("native", code, notes=notes, judge=partial(_btmodel_rows, call, reference))


def _comparisons(call: RecordedCall) -> answers.Pairs:
    weights = answers.recorded_vector(call, "weights")
    return needed(answers.pairs_of(answers.recorded(call, "y"), weights), LOST)


def _btmodel_rows(call: RecordedCall, reference: str, fit: Fit) -> Rows:
    names = {n: "tie" if n == UNDECIDED else n for n in named(call.vector("coef"))}
    known = parameters(call, names, "log-odds", reference)
    values = llf_and_aic(call.number("loglik"), len(names))
    said = ["(undecided) is tie"] if UNDECIDED in names else []
    if without := bool(np.isnan(known.vcov).any()):
        said.append("it was called without the covariance")
    return of_fit(call, fit, known, values, *said, name=DEFAULT, errors=not without) + count_rows(call, fit)


def by_pair(data: answers.Pairs, stem: str) -> Call:
    """The answers as the bridge takes them: a column a pair."""
    columns = zip(data.names, data.signs.T.tolist())
    return columns_call({n: [None if np.isnan(v) else v for v in column] for n, column in columns}, stem)


@in_r(BTMODEL)
def _btmodel_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    data = _comparisons(call)
    reference = (call.strings("ref") or (data.items[-1],))[0]
    options = stated(
        labels=list(data.items),
        weights=data.weights is not None and [float(w) for w in data.weights],
        type=(call.strings("type") or ("loglin",))[0] != "loglin" and "logit",
        ref=reference != data.items[-1] and reference,
    )
    options |= {"undecided": UNDECIDED in named(call.vector("coef")), "epsilon": EPSILON, "maxit": MAXIT}
    judge: Judge = lambda model: Beside(call, function=BTMODEL).model(model, "llf")
    return bridged(why, "psychotools.btmodel", [by_pair(data, call.variable)], options, judge)


WORTHS = Worths(
    "psychotools",
    fitted=DEFAULT,
    least=6.5,
    # btmodel takes its covariance one step before the end: floors.toml has the same digits for btmodel.
    of_errors=3.5,
    why="glm at its default epsilon, whose covariance is from one iteration before the last",
)
OF_WORTHS = [f"psychotools::{name}{of}" for name in ("itempar", "worth") for of in ("", ".btmodel")]
translates(*OF_WORTHS)(WORTHS.of)


BTTREE = "psychotree::bttree"
#: Arguments of bttree and of partykit's mob_control that the bridge has, and their defaults.
ARGUMENTS: answers.Declared = {
    **{"type": (str, "loglin"), "ref": (str, None), "undecided": (bool, None), "alpha": (float, 0.05)},
    **{"bonferroni": (bool, True), "minsize": (int, None), "maxdepth": (int, None)},
    **{"vcov": (str, "opg"), "breakties": (bool, False)},
}
#: estfun.btmodel takes an undecided comparison for half a win where the model leaves it out.
HALF_WINS = "psychotools' scores count undecided comparisons as half wins, though its fit leaves them out; they do not sum to 0"
#: Columns that mean something else to `read_respondents`.
TAKEN = ("weight", "person", "judge")


def _given(call: RecordedCall) -> tuple[answers.Pairs, RList, dict[str, Any]]:
    """The answers, the covariates, and the arguments that are not R's defaults."""
    frame, response = needed(call.frame("frame"), "its data were not recorded"), call.strings("response")
    other = [n for n in call.args if n not in ("formula", "data", *ARGUMENTS)]
    stays_if(other, f"its argument {', '.join(other)} is not supported")
    lost = [n for n in ARGUMENTS if n in call.args and n not in call.values]
    stays_if(lost, f"its {', '.join(lost)} could not be recorded")
    data = needed(answers.pairs_of(frame[response[0]], None), "its answers are not >, = and <")
    names = call.strings("covariates")
    columns = RList(tuple(frame[n] for n in names), names, ("data.frame",))
    return data, columns, answers.options_of(ARGUMENTS, call.values.get)


def _nodes(call: RecordedCall) -> list[RList]:
    found = needed(call.frame("nodes"), "its nodes were not recorded")
    return [n for n in found.values if isinstance(n, RList)]


def _code(call: RecordedCall) -> Call:
    data, covariates, said = _given(call)
    read = data.code(call.variable)
    columns: dict[str, Any] = dict(read.arguments[0].columns)
    levels, wanted, splits = {}, [], [_split_in_r(call, n) for n in _nodes(call)]
    plain = answers.vectors_of(covariates)
    stays_if(len(plain) < len(covariates), "one of its covariates is not a plain column")
    stays_if({*plain} & {*columns, *TAKEN}, "one of its covariates has the name of a column of answers")
    for name, column in plain.items():
        stays_if(column.values.dtype.kind == "b", f"{name} is TRUE or FALSE")
        columns[name], ordered = answers.plain_values(column), "ordered" in column.rclass
        if column.levels is not None:
            # Of a factor R's left may be any of both parts; ours has the first level.
            left = next((s[2] for s in splits if s[1] == name and not ordered), frozenset[str]())
            there = [v for v in column.levels if v in columns[name]]
            levels[name] = sorted(there, key=lambda v: v not in left)
        wanted.append(f"ordered({name})" if ordered else name)
    options = {k: v for k, v in read.keywords.items() if k != "layout"} | stated(levels=levels)
    persons = Call("pairproof.read_respondents", (File(columns, call.variable), "pairs"), options)
    root = named(_nodes(call)[0].vector("coef"))
    least = -(-10 * len(root) // len(data.names)) if np.isnan(data.signs).any() else None
    keywords = stated(
        reference=next(n for n in data.items if n not in root),
        ties="davidson" if UNDECIDED in root else data.ties and "drop",
        alpha=said.get("alpha"),
        adjust="bonferroni" in said and "none",
        minimum=said.get("minsize", least),
        most_depth=said["maxdepth"] - 1 if "maxdepth" in said else None,
    )
    return Call("pairproof.fit_tree", (persons, wanted), keywords)


@translates(BTTREE)
def bttree(call: RecordedCall, context: Context) -> Translation:
    """`fit_tree(pairproof.read_respondents(...), [covariates], ...)`, where it finds R's splits."""
    tested = [n for n in ("vcov", "breakties") if n in _given(call)[2]]
    stays_if(tested, f"its tests are by {' and '.join(tested)}")
    code = _code(call)
    ours, theirs = [_split(n) for n in made(code).nodes], [_split_in_r(call, n) for n in _nodes(call)]
    numeric = any(v.levels is None for v in answers.vectors_of(_given(call)[1]).values())
    why = [P_VALUES] * numeric + [HALF_WINS] * (code.keywords.get("ties") == "drop")
    stays_if(ours != theirs, "; ".join(["pairproof splits the persons differently", *why]))
    return Translation("native", code, notes=(f"{P_VALUES}.",) if numeric else (), judge=partial(_rows, call))


#: Persons, the covariate of the split ("" of a leaf), levels that go left, else the threshold.
Split = tuple[float, str, frozenset[str], float]


def _split(node: TreeNode) -> Split:
    if (s := node.split) is None:
        return node.n_persons, "", frozenset(), 0.0
    return node.n_persons, s.covariate, frozenset(s.left), 0.0 if s.left else s.threshold


def _split_in_r(call: RecordedCall, node: RList) -> Split:
    n, sides = float(node.vector("n").floats()[0]), node["left"]
    if node["variable"] is None:
        return n, "", frozenset(), 0.0
    name, last = str(node.vector("variable").scalar()), float(node.vector("breaks").floats().sum())
    column = _given(call)[1].vector(name)
    levels = column.levels or ()
    # Of a factor with an order: the levels up to the break.
    to = sides.values.tolist() if isinstance(sides, RVector) else [k < last for k in range(len(levels))]
    left = {v for v, side in zip(levels, to) if side == 1} & set(answers.plain_values(column))
    return n, name, frozenset(left), 0.0 if levels else last


def _rows(call: RecordedCall, tree: PreferenceTree) -> Rows:
    """Estimates, errors and log-likelihood of each node, and the statistics of factors."""
    estimates, errors = (Beside(call, n, WORTHS.why) for n in (WORTHS.least, WORTHS.of_errors))
    rows = estimates.numbers(llf=tree.llf, loglik_df=float(tree.df))
    numeric = {c.name for c in tree.covariates if c.kind == "numeric"}
    for ours, r in zip(tree.nodes, _nodes(call)):
        word, place = f"node{ours.number}", f"nodes / {ours.number - 1}"
        theirs = {"tie" if n == UNDECIDED else n: v for n, v in named(r.vector("coef")).items()}
        se = dict(zip(theirs, np.sqrt(np.diag(r.vector("vcov").floats())).tolist()))
        own = {**dict(ours.fit.params), **dict(zip(tree.items, ours.scores_of_items))}
        places = at(f"{place} / scores_of_items", tree.items)
        rows += estimates.named(f"{word}.estimate", {n: own[n] for n in theirs}, theirs, places)
        rows += errors.named(f"{word}.se", dict(ours.fit.bse[list(theirs)]), se)
        rows.append(estimates.row(f"{word}.llf", ours.fit.llf, float(r.vector("loglik").floats()[0])))
        found = dict(zip(t.margin(1), t.floats()[0])) if isinstance(t := r["tests"], RVector) else {}
        for k, test in enumerate(ours.tests):
            if (name := test.covariate) not in numeric:
                at_test, of_r = f"{place} / tests / {k} / statistic", float(found.get(name, np.nan))
                test_rows = [errors.row(f"{word}.statistic.{name}", test.statistic, of_r, place=at_test)]
                wrong = tree.root.fit.spec.ties == "drop"
                rows += explained(test_rows, None, HALF_WINS, "undecided-in-scores") if wrong else test_rows
    return rows


@in_r(BTTREE)
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    data, covariates, said = _given(call)
    persons = frame_call(covariates, f"{call.variable}_persons")
    said["formula"] = f"preference ~ {' + '.join(map(quoted_name, covariates.names or ()))}"
    arguments = by_pair(data, call.variable), persons, list(data.items)

    def judge(tree: Tree) -> Rows:
        beside = Beside(call)
        rows = beside.fields(tree, "llf loglik_df=df")
        for ours, r in zip(tree.nodes, _nodes(call)):
            own = dict(zip(ours.names, ours.coef.tolist()))
            rows += beside.named(f"node{ours.id}.estimate", own, named(r.vector("coef")))
        return rows

    return bridged(why, "psychotree.bttree", arguments, said, judge)


@translates("psychotree::itempar.bttree")
def itempar(call: RecordedCall, context: Context) -> Translation:
    """Worths, a row a leaf."""
    step = context.fit(call, "object")
    value = needed(call.vector("value"), lost := "its worths are of chosen nodes or relative to chosen items")
    stays_if(len(call.args) > 1, lost)
    native, items = isinstance(step.value, PreferenceTree), list(value.margin(1) or value.names or ())
    code, one = Method(Result(step.call.id), "worth"), native and value.values.ndim == 1
    if native and not one:
        code = Method(code, "pivot", (), {"index": "leaf", "columns": "item", "values": "worth"})

    def judge(table: pd.DataFrame) -> Rows:
        r = Beside(call, WORTHS.least, WORTHS.why)
        if one:  # one leaf: a row an item
            return r.columns(table, {"worth": named(value)}, {})
        names = [f"{leaf}.{item}" for leaf in table.index for item in items]
        places = [f"{item} / {leaf}" for leaf in table.index for item in items]
        return r.listed("worth", table[items], value.floats(), places, names=names)

    return Translation("native", code, judge=judge)


#: qvcalc's own glm stops 4 to 7 digits from the minimum that defines quasi-variances.
QUASI, WHY_QUASI = 3.0, "qvcalc's own glm stops 4 to 7 digits from the minimum"


@translates("qvcalc::qvcalc")
def quasi_variances(call: RecordedCall, context: Context) -> Translation:
    """`m.quasi_variances()` of the fit of this run whose covariance it is, else R's own of the matrix."""
    value = needed(call.frame("value"), lost := "its table was not recorded")
    table = held(value["qvframe"], RList, lost)
    items = [str(v) for v in needed(table.row_names, lost).values.tolist()]
    named = {"quasi_se": "quasiSE", "quasi_variance": "quasiVar"}
    r = {n: dict(zip(items, table.vector(theirs).floats().tolist())) for n, theirs in named.items()}

    def judge(found: QuasiVariances | pd.DataFrame) -> Rows:
        return Beside(call, QUASI, WHY_QUASI).columns(found, r, {})

    made, later = context.steps.get(call.fits.get("object", 0)), reversed(list(context.steps.values()))
    given = {*call.fits.values(), *(made.call.fits.values() if made else ())}  # itself, or BTabilities of it
    for step in sorted(later, key=lambda s: s.call.id not in given):
        if isinstance(step.value, Fit) and {*step.value.items} == {*items}:
            own = Method(Result(step.call.id), "quasi_variances")
            found, refused = translation.tried(own, {step.call.id: step.value})
            if not refused and not differ(judge(found)):
                return Translation("native", own, judge=judge)
    matrix, estimates = value.vector("covmat").floats().tolist(), table.vector("estimate").floats()
    options = {} if np.isnan(estimates).any() else {"estimates": estimates.tolist()}
    return bridged("its covariance is not of a fit in Python", "base.qvcalc", [matrix, items], options, judge)


@translates("survival::clogit", "survival::coxph")
def choices(call: RecordedCall, context: Context) -> Translation:
    """Strata of two rows of which one is chosen: the glm of their differences, without an intercept."""
    x, y, strata = call.matrix("x"), call.matrix("y"), call.strings("strata")
    if x is None or y is None or not len(x.values) == len(y.values) == len(strata):
        return outside("it is a model of durations, has weights, or was not fully recorded")
    (time, state), order = y.floats().T, np.argsort(strata, kind="stable")
    one, other = order[::2], order[1::2]
    if {*Counter(strata).values()} != {2} or not (state[one] != state[other]).all():
        return outside("its strata are not all two rows with one chosen, so they are not paired comparisons")
    chosen, left = np.where(state[one] == 1, one, other), np.where(state[one] == 1, other, one)
    stays_if((time[left] < time[chosen]).any(), "some of its rows that were not chosen are no longer at risk")
    differences, ones = x.floats()[chosen] - x.floats()[left], np.ones(len(one))
    fitted = {
        **{n: v for n, v in call.result.items() if n in ("coef", "vcov", "loglik", "loglik_df")},
        "x": RVector(differences, np.zeros(differences.shape, bool), dimnames=(None, x.margin(1))),
        "y": RVector(ones, np.zeros(len(one), bool)),
        "family": RVector(np.array(["binomial", "logit"], object), np.zeros(2, bool)),
    }
    # A factor of the options, as R has it in the names of its columns, is who was chosen and who was not.
    data, columns, names = call.values.get("data"), {*x.margin(1)}, dict[str, RVector]()
    for n, v in vectors_of(data).items() if isinstance(data, RList) else ():
        if v.levels and {f"{n}{level}" for level in v.levels[1:]} <= columns and len(v) == len(x.values):
            names |= {f"{n}.chosen": taken(v, chosen), f"{n}.other": taken(v, left)}
    sides: dict[str, RValue] = {"data": RList((*names.values(),), (*names,))} if names else {}
    as_glm = replace(call, function="stats::glm", result=fitted, values=sides)
    found = translation.TRANSLATORS["stats::glm"](as_glm, context)
    judge: Judge = lambda fit: [replace(a, r_call=call.function) for a in found.judge(fit)]
    return replace(found, judge=judge)
