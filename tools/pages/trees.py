"""Blocks of "Trees of groups": psychotree's example by both, and the simulation of the tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from pairproof.bridge.packages.asking import ask
from pairproof.fit.estimates.tails import p_value
from pairproof.native.answers.trees.tree_models import PreferenceTree

from .bradleyterry2_defects import DEFECTS
from .bradleyterry2_ours import run
from .simulation.trees import KEPT
from .tables import markdown

ITEMS = ("Barbara", "Anni", "Hana", "Fiona", "Mandy", "Anja")

#: The numbers of the example of psychotree's help page.
TREE = """
suppressMessages(library(psychotree)); data(Topmodel2007, package = "psychotree")
tree <- bttree(preference ~ ., data = Topmodel2007, minsize = 5, ref = "Barbara")
inner <- setdiff(partykit::nodeids(tree), partykit::nodeids(tree, terminal = TRUE))
tests <- lapply(inner, function(i) strucchange::sctest(tree, node = i))
list(node = as.numeric(rep(inner, sapply(tests, ncol))), name = unlist(lapply(tests, colnames)),
     statistic = unlist(lapply(tests, function(t) as.numeric(t["statistic", ]))),
     p = unlist(lapply(tests, function(t) as.numeric(t["p.value", ]))), coef = as.numeric(t(coef(tree))), llf = as.numeric(logLik(tree)),
     df = as.numeric(attr(logLik(tree), "df")))
"""
NEEDS = ("psychotree", "psychotools", "partykit")
#: pairproof's numbers of that example.
TOPMODEL = KEPT.with_name("topmodel.json")


def topmodel() -> PreferenceTree:
    """pairproof's tree of psychotree's data, which R reads in place: they are answers of single persons."""
    tree = run(DEFECTS["bttree-order"].example.ours)["tree"]
    assert isinstance(tree, PreferenceTree)
    return tree


def numbers(tree: PreferenceTree, nodes: Iterable[int]) -> dict[str, Any]:
    """What the page says of a tree: the tests of nodes that are split, and the leaves."""
    return {
        "tests": {
            str(n): {t.covariate: [t.statistic, t.p_adjusted] for t in tree.node(n).tests} for n in nodes
        },
        "leaves": [
            [leaf.number, leaf.n_persons, *leaf.fit.params[list(ITEMS[1:])].tolist()] for leaf in tree.leaves
        ],
        "llf": tree.llf,
        "df": tree.df,
    }


def compared() -> str:
    """Every statistic and p of the nodes that are split, by both; then the leaves.

    pairproof's own are kept in `TOPMODEL`, since the data are not here; `python -m tools.pages.trees` fits again and keeps them.
    """
    own = json.loads(TOPMODEL.read_text(encoding="utf-8"))
    r = ask(None, "docs.psychotree.bttree", TREE, {}, NEEDS).as_list()
    rows = []
    columns = (r.vector(name).floats() for name in ("node", "statistic", "p"))
    for number, name, statistic, p in zip(next(columns), r.vector("name").values, *columns):
        test = own["tests"][str(int(number))].get(name)
        if test is None:  # it has one value in this node; R has NA
            continue
        both = f"{test[0]:.6f}", f"{statistic:.6f}", p_value(test[1]), p_value(float(p))
        rows.append((f"{int(number)}", name, *both))
    heads = ("node", "covariate", "statistic", "psychotree", "p adjusted", "psychotree")
    theirs = np.asarray(r.vector("coef").floats(), float).reshape(4, 5)
    ours = np.array([leaf[2:] for leaf in own["leaves"]])
    off = "below 1e-9" if np.abs(ours - theirs).max() < 1e-9 else f"{np.abs(ours - theirs).max():.1e}"
    said = (
        f"The leaves: {', '.join(f'{number} ({persons:g} persons)' for number, persons, *_ in own['leaves'])}. Log-likelihood"
        f" {own['llf']:.9f} on {own['df']} df; psychotree {r.vector('llf').floats()[0]:.9f} on"
        f" {r.vector('df').floats()[0]:g}. The {ours.size} coefficients of the leaves differ by {off}."
    )
    return f"{markdown(heads, rows, 2)}\n{said}\n"


def simulation() -> str:
    """Shares of tables with p below .05."""
    heads = (
        "persons",
        "change of z",
        "tables",
        "numeric z",
        "Hansen's p of z",
        "factor f",
        "trees that split",
    )
    rows = [
        (
            f"{case['persons']}",
            f"{case['change']:g}",
            f"{case['tables']:,}",
            *(f"{case[name]:.3f}" for name in ("numeric", "hansen", "factor", "trees_split")),
        )
        for case in json.loads(KEPT.read_text(encoding="utf-8"))
    ]
    return markdown(heads, rows, 0)


BLOCKS = {"trees-topmodel": compared, "trees-simulation": simulation}


if __name__ == "__main__":
    made = topmodel()
    TOPMODEL.write_text(json.dumps(numbers(made, (1, 2, 4)), indent=1) + "\n", encoding="utf-8")
