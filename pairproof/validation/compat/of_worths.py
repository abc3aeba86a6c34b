"""Cases of llbt.worth: B6, B7, B21."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.respondents import Respondents
from ...fit.fit import Fit
from ...native.compat.worths import worth_as_prefmod
from ...native.pairs.models import fit_llbt
from .case import GROUPS, TERNARY, THREE, Case, pairs

#: gnm's iterations end within this of the maximum; worths agree better than estimates (observed: 4e-11).
GNM = 1e-8
_GNM = "gnm stops before the maximum"


def fit(table: Respondents, by: str = "") -> Fit:
    """The LLBT of the table's comparisons."""
    return fit_llbt(table.to_comparisons(), by=by)


def names_unread() -> Case:
    items = ["St. Gallen", "Pa", "Mi x"]
    table = pairs(TERNARY, 3, True, items)
    return Case(
        "B6-names-unread",
        "sixteen persons, the items St. Gallen, Pa, Mi x",
        "llbt.worth(gnm(y ~ `St. Gallen` + Pa + `Mi x` + g1, eliminate = mu, family = poisson, data = llbt.design(d, 3, ...)))",
        """p <- llbt.design(d, 3, objnames = c("St. Gallen", "Pa", "Mi x"))
llbt.worth(gnm(y ~ `St. Gallen` + Pa + `Mi x` + g1, eliminate = mu, family = poisson, data = p, verbose = FALSE))""",
        TERNARY,
        tuple(f"worth of {i}" for i in items),
        lambda: list(worth_as_prefmod(fit(table), "B6")["all"].values()),
        lambda: [float(w) for w in fit(table).worth()["worth"]],
        GNM,
        _GNM,
    )


_BY_S = "gnm(y ~ o1 + o2 + o3 + (o1 + o2 + o3):%s, eliminate = mu:%s, family = poisson, data = p, verbose = FALSE)"


def sum_contrasts() -> Case:
    table = pairs(THREE, 3, False, levels=("S",))
    name = "B7-sum-contrasts-read-as-treatment"

    def shown() -> Sequence[float]:
        worths = worth_as_prefmod(fit(table, "S"), name)
        return [w for group in worths.values() for w in group.values()]

    return Case(
        name,
        "thirty-two persons in three groups, three items",
        f"options(contrasts = c('contr.sum', 'contr.poly')); llbt.worth({_BY_S % ('S', 'S')})",
        f"""p <- llbt.design(d, 3, cat.scovs = "S")
old <- options(contrasts = c("contr.sum", "contr.poly"))
w <- tryCatch(llbt.worth({_BY_S % ("S", "S")}), finally = options(old))
w""",
        THREE,
        tuple(f"worth of o{i} in S{s}" for s in (1, 2, 3) for i in (1, 2, 3)),
        shown,
        lambda: [float(w) for w in fit(table, "S").worth()["worth"]],
        GNM,
        _GNM,
    )


def one_column() -> Case:
    table = pairs(GROUPS, 3, False, levels=("S",))
    return Case(
        "B7-one-column-of-cov-sel",
        "thirty-two persons in two groups, three items",
        f'llbt.worth({_BY_S % ("factor(S)", "factor(S)")}) of llbt.design(d, 3, cov.sel = "S")',
        f"""p <- llbt.design(d, 3, cov.sel = "S")
llbt.worth({_BY_S % ("factor(S)", "factor(S)")})""",
        GROUPS,
        ("worth of o1", "worth of o2", "worth of o3"),
        lambda: list(worth_as_prefmod(fit(table, "S"), "B7-one-column-of-cov-sel")["worth"].values()),
        lambda: [float(w) for w in fit(table, "S").worth({"S": "1"})["worth"]],
        GNM,
        _GNM,
    )


def worths_of_groups_of_items() -> Case:
    table = pairs(TERNARY, 3, True)
    comparisons = Respondents.build(
        table.items,
        table.kind,
        table.answers,
        tie_category=True,
        item_data={"LAT": np.array([0.0, 1.0, 1.0])},
    ).to_comparisons()

    by_group = fit_llbt(comparisons, item_terms=["LAT"])

    return Case(
        "B21-worths-of-groups-of-items",
        "sixteen persons, three items, LAT = 0, 1, 1",
        "llbt.worth(gnm(y ~ LAT + g1, eliminate = mu, family = poisson, data = llbt.design(d, 3, objcovs = LAT)))",
        """p <- llbt.design(d, 3, objcovs = data.frame(LAT = c(0, 1, 1)))
w <- llbt.worth(gnm(y ~ LAT + g1, eliminate = mu, family = poisson, data = p, verbose = FALSE))
c(w[1], w[2], w[2])""",
        TERNARY,
        ("worth of o1", "worth of o2", "worth of o3"),
        lambda: _each_item(worth_as_prefmod(by_group, "B21")["all"], ("o1", "o2", "o3")),
        lambda: [float(w) for w in by_group.worth()["worth"]],
        GNM,
        _GNM,
    )


def _each_item(worths: dict[str, float], items: Sequence[str]) -> list[float]:
    return [next(w for group, w in worths.items() if i in group.split(",")) for i in items]


CASES = (names_unread, sum_contrasts, one_column, worths_of_groups_of_items)
