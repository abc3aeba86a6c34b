"""psychotree's bttree in Python: `fit_tree`, where its splits are R's; else R's own tree.

Persons are the rows of R's model frame, which has left out those with a missing value.  Both trees number their nodes
alike.  Tests of numeric covariates differ by definition (`tree_record.P_VALUES`; R's depend on the order of the rows):
they choose the splits, and are not compared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.psychotree import Tree
from ...bridge.values.nodes import RList, RVector
from ...native.answers.trees.tree_models import PreferenceTree
from ...native.answers.trees.tree_record import P_VALUES, TreeNode
from ...validation.verdicts.agreement import Agreement
from .psychotools import PSYCHOTOOLS, UNDECIDED
from .python_code import Call, File, Method, Result, columns_call, frame_call, quoted_name, stated
from .recorded_answers import Declared, Pairs, flag, options_of, pairs_of, plain_values, real, whole, word
from .rows import Beside, at, by_item, named
from .translation import Context, Translation, in_r, made, needed, outside, stays_if, translates

BTTREE = "psychotree::bttree"
#: Arguments of bttree and of partykit's mob_control that the bridge has, and their defaults.
ARGUMENTS: Declared = {
    **{"type": (word, "loglin"), "ref": (word, None), "undecided": (flag, None), "alpha": (real, 0.05)},
    **{"bonferroni": (flag, True), "minsize": (whole, None), "maxdepth": (whole, None)},
    **{"vcov": (word, "opg"), "breakties": (flag, False)},
}
#: Columns that mean something else to `read_respondents`.
TAKEN = ("weight", "person", "judge")


def _given(call: RecordedCall) -> tuple[Pairs, RList, dict[str, Any]]:
    """The answers, the covariates, and the arguments that are not R's defaults."""
    frame, response = needed(call.frame("frame"), "its data were not recorded"), call.strings("response")
    other = [n for n in call.args if n not in ("formula", "data", *ARGUMENTS)]
    stays_if(other, f"its argument {', '.join(other)} has no counterpart")
    lost = [n for n in ARGUMENTS if n in call.args and n not in call.values]
    stays_if(lost, f"its {', '.join(lost)} could not be recorded")
    data = pairs_of(frame[response[0]], None)
    names = call.strings("covariates")
    columns = RList(tuple(frame[n] for n in names), names, ("data.frame",))
    return (
        needed(data, "its answers are none of >, = and <"),
        columns,
        options_of(ARGUMENTS, call.values.get),
    )


def _nodes(call: RecordedCall) -> list[RList]:
    return [
        n for n in needed(call.frame("nodes"), "its nodes were not recorded").values if isinstance(n, RList)
    ]


def _code(call: RecordedCall) -> Call:
    data, covariates, said = _given(call)
    names, read = covariates.names or (), data.code(call.variable)
    columns: dict[str, Any] = dict(read.arguments[0].columns)
    levels, wanted = {}, []
    for name, column in zip(names, covariates.values):
        stays_if(not isinstance(column, RVector) or column.values.ndim != 1, f"{name} is no plain column")
        stays_if(name in columns or name in TAKEN, f"a covariate is called {name}")
        assert isinstance(column, RVector)
        stays_if(column.values.dtype.kind == "b", f"{name} is TRUE or FALSE")
        columns[name], ordered = plain_values(column), "ordered" in column.rclass
        if column.levels is not None:
            first = (
                () if ordered else _first_left(call, name)
            )  # R's left may be any of both; ours has the first level
            levels[name] = sorted(
                (v for v in column.levels if v in columns[name]), key=lambda v: v not in first
            )
        wanted.append(f"ordered({name})" if ordered else name)
    options = {k: v for k, v in read.keywords.items() if k != "layout"} | stated(levels=levels)
    persons = Call("pairproof.read_respondents", (File(columns, call.variable), "pairs"), options)
    root = named(_nodes(call)[0].vector("coef"))
    least = -(-10 * len(root) // len(data.names)) if np.isnan(data.signs).any() else None
    keywords = stated(
        reference=next(n for n in data.items if n not in root),
        ties="davidson" if UNDECIDED in root else data.ties and "drop",
        alpha=said.get("alpha"),
        adjust="bonferroni" not in said or "none",
        minimum=said.get("minsize", least),
        most_depth=said["maxdepth"] - 1 if "maxdepth" in said else None,
    )
    keywords = {k: v for k, v in keywords.items() if v is not True}
    return Call("pairproof.fit_tree", (persons, wanted), keywords)


@translates(BTTREE)
def bttree(call: RecordedCall, context: Context) -> Translation:
    """`fit_tree(pairproof.read_respondents(...), [covariates], ...)`, where it finds R's splits."""
    tested = [n for n in ("vcov", "breakties") if n in _given(call)[2]]
    stays_if(tested, f"its tests are by {' and '.join(tested)}")
    code = _code(call)
    ours, theirs = [_split(n) for n in made(code).nodes], [_split_in_r(call, n) for n in _nodes(call)]
    numeric = any(isinstance(v, RVector) and v.levels is None for v in _given(call)[1].values)
    why = f"; {P_VALUES}" if numeric else ""
    stays_if(ours != theirs, f"pairproof divides its persons otherwise{why}")
    return Translation("native", code, notes=(f"{P_VALUES}.",) if numeric else (), judge=partial(_rows, call))


def _split(node: TreeNode) -> tuple[object, ...]:
    """Persons, and the covariate of the split with what goes left."""
    s = node.split
    return node.n_persons, *(() if s is None else (s.covariate, frozenset(s.left) or s.threshold))


def _first_left(call: RecordedCall, name: str) -> Collection[str]:
    """Levels of a factor that go left where R first splits by it."""
    found = (s[2] for s in (_split_in_r(call, n) for n in _nodes(call)) if s[1:2] == (name,))
    left = next(found, ())
    return left if isinstance(left, frozenset) else ()


def _split_in_r(call: RecordedCall, node: RList) -> tuple[object, ...]:
    n = float(node.vector("n").floats()[0])
    if node["variable"] is None:
        return (n,)
    name, sides = str(node.vector("variable").scalar()), node["left"]
    column = _given(call)[1].vector(name)
    levels, last = column.levels or (), node.vector("breaks").floats()
    if isinstance(sides, RVector):
        left = {v for v, side in zip(levels, sides.values.tolist()) if side == 1}
    else:  # of a factor with an order: the levels up to the break
        left = set(levels[: int(last[0])])
    return n, name, frozenset(left & set(plain_values(column))) or float(last[0])


def _rows(call: RecordedCall, tree: PreferenceTree) -> Sequence[Agreement]:
    estimates = Beside(call, PSYCHOTOOLS.least, PSYCHOTOOLS.why)
    errors = Beside(call, PSYCHOTOOLS.of_errors, PSYCHOTOOLS.why)
    rows = estimates.numbers(llf=tree.llf, loglik_df=float(tree.df))
    numeric = {c.name for c in tree.covariates if c.kind == "numeric"}
    for ours, r in zip(tree.nodes, _nodes(call)):
        word, place = f"node{ours.number}", f"nodes / {ours.number - 1}"
        theirs = {"tie" if n == UNDECIDED else n: v for n, v in named(r.vector("coef")).items()}
        se = dict(zip(theirs, np.sqrt(np.diag(r.vector("vcov").floats())).tolist()))
        params, bse = (dict(v[list(theirs)]) for v in (ours.fit.params, ours.fit.bse))
        rows += estimates.named(
            f"{word}.estimate", params, theirs, at(f"{place} / scores_of_items", tree.items)
        )
        rows += errors.named(f"{word}.se", bse, se)
        rows.append(estimates.row(f"{word}.llf", ours.fit.llf, float(r.vector("loglik").floats()[0])))
        found = _tests(r, tree.adjust != "none")
        for k, test in enumerate(ours.tests):
            if test.covariate in found and test.covariate not in numeric:
                for kind, own, theirs_ in zip(
                    ("statistic", "p"), (test.statistic, test.p), found[test.covariate]
                ):
                    at_test = f"{place} / tests / {k} / {kind}"
                    rows.append(errors.row(f"{word}.{kind}.{test.covariate}", own, theirs_, place=at_test))
    return rows


def _tests(node: RList, adjusted: bool) -> Mapping[str, tuple[float, float]]:
    """R's statistic and p of each covariate; R has p adjusted for covariates that pairproof cannot test."""
    table = node["tests"]
    if not isinstance(table, RVector) or table.values.ndim != 2:
        return {}
    found = {
        n: (float(s), float(p)) for n, (s, p) in zip(table.margin(1), table.floats().T) if s == s and p < 1
    }
    m = int((~np.isnan(table.floats()[1])).sum()) if adjusted else 1
    return {n: (s, -float(np.expm1(np.log1p(-p) / m))) for n, (s, p) in found.items()}


@in_r(BTTREE)
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    data, covariates, said = _given(call)
    signs = zip(data.names, data.signs.T.tolist())
    answers = columns_call({n: [None if v != v else v for v in column] for n, column in signs}, call.variable)
    persons = frame_call(covariates, f"{call.variable}_persons")
    said["formula"] = f"preference ~ {' + '.join(map(quoted_name, covariates.names or ()))}"
    code = Call("pairproof.bridge.psychotree.bttree", (answers, persons, list(data.items)), said)

    def judge(tree: Tree) -> Sequence[Agreement]:
        beside, rows = Beside(call), []
        for k, (ours, r) in enumerate(zip(tree.nodes, _nodes(call))):
            own = dict(zip(ours.names, ours.coef.tolist()))
            places = at(f"nodes / {k} / coef", ours.names)
            rows += beside.named(f"node{ours.id}.estimate", own, named(r.vector("coef")), places)
        return [*rows, *beside.fields(tree, "llf loglik_df=df")]

    return Translation("bridge", code, why, judge=judge)


@translates("psychotree::itempar.bttree")
def itempar(call: RecordedCall, context: Context) -> Translation:
    """Worths, a row a leaf."""
    step, value = context.fit_of(call, "object"), call.vector("value")
    if step is None or value is None or len(call.args) > 1:
        return outside(
            "its tree is none of this run, or its worths are of chosen nodes or relative to chosen items"
        )
    code, beside = Method(Result(step.call.id), "worth"), Beside(call, PSYCHOTOOLS.least, PSYCHOTOOLS.why)
    if value.values.ndim == 1 and isinstance(step.value, PreferenceTree):  # one leaf

        def judge_one(table: Any) -> Sequence[Agreement]:
            ours = dict(zip(table["item"], table["worth"].tolist()))
            return beside.named("worth", ours, named(value), by_item(table, "worth"))

        return Translation("native", code, judge=judge_one)
    if isinstance(step.value, PreferenceTree):
        code = Method(code, "pivot", (), {"index": "leaf", "columns": "item", "values": "worth"})

    def judge(table: Any) -> Sequence[Agreement]:
        leaves, items = value.margin(0) or ("1",), value.margin(1) or value.names or ()
        places = ((leaf, item) for leaf in leaves for item in items)
        return [
            beside.row(f"worth.{leaf}.{item}", float(table.loc[int(leaf), item]), v, place=f"{item} / {leaf}")
            for (leaf, item), v in zip(places, value.floats().ravel().tolist())
        ]

    return Translation("native", code, judge=judge)
