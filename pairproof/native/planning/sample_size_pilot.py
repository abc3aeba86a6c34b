"""A pilot table of several systems as the design of a larger study (:mod:`pairproof.native.planning.sample_size_table`)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...fit.fit import Fit
from ...fit.predictions import ability_functions, find_group
from ..contests.bradley_terry import fit_bradley_terry
from ..ranking.by_cluster import cluster_codes
from .sample_size_table import TableDesign, inverse_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Systems at most: each judge's information is a matrix of them.
MOST_ITEMS = 100


def pilot_table(
    table: Comparisons, *, judge_sd: float | None = None, source_sd: float | None = None
) -> TableDesign:
    """The abilities of a pilot and the parts of their covariance.

    The model is Bradley-Terry's, with Davidson's ties where ties could be given; the tie parameter is taken as known.

    judge_sd, source_sd: tau_J and tau_S in log-odds; default: estimated from the table where it has the
    column, judges as one cluster each (0 where the covariance by cluster is the smaller one).  Returns
    TableDesign: with sources where the table has a source column, or `source_sd` is given.
    """
    if "judge" not in table.columns:
        raise InputError(
            f"{table.source} has no column 'judge', and a study is planned by judges; --col judge=NAME says what the file"
            " calls it"
        )
    n = len(table.items)
    if n > MOST_ITEMS:
        raise InputError(f"{table.source}: {n} systems; a study is planned for {MOST_ITEMS} at most")
    fit = fit_bradley_terry(table)
    functions = ability_functions(fit, find_group(fit, None, None))
    abilities = functions @ fit.beta
    if not np.isfinite(abilities).all() or not table.is_connected() or len(table.unseparated_sets()) > 1:
        raise InputError(
            f"{table.source}: not every difference of systems has a finite estimate in the pilot; leave out systems that"
            " always win or lose, or state the abilities with --abilities (in Python, assumed_table)"
        )
    used = np.flatnonzero(table.wins + table.ties + table.losses > 0)
    row = _information(fit, table, used, abilities)
    total = _summed(row, table.first[used], table.second[used], np.zeros(len(used), np.int64), n)[0]
    m = inverse_of(total)
    parts, sds, counts = {}, {"judge": judge_sd, "source": source_sd}, {}
    for column in ("judge", "source"):
        if column not in table.columns:
            continue
        codes = cluster_codes(table, column, used)
        each = _summed(row, table.first[used], table.second[used], codes, n)
        counts[column] = float(len(each))
        parts[column] = m @ np.einsum("gij,gjk->ik", each, each) @ m
        if sds[column] is None and len(each) > 1:
            sds[column] = _sd(fit, column, functions, parts[column])
    if counts["judge"] < 2:
        raise InputError(f"{table.source}: one judge; a study is planned from the spread of two or more")
    if source_sd is not None and "source" not in counts:
        raise InputError(f"{table.source} has no column 'source', for which a spread is stated")
    tau, of_source = sds["judge"] or 0.0, sds["source"] or 0.0
    zero = np.zeros((n, n))
    return TableDesign(
        *(table.items, abilities, table.n_comparisons, counts["judge"], counts.get("source")),
        *(m, parts["judge"] * tau**2, parts.get("source", zero) * of_source**2, tau, of_source),
    )


def _information(fit: Fit, table: Comparisons, used: IntArray, abilities: FloatArray) -> FloatArray:
    """float[n_used]: information of each row about its difference of abilities, tie parameter known."""
    eta = abilities[table.first[used]] - abilities[table.second[used]]
    tie = math.exp(fit.params["tie"]) if math.isfinite(fit.params.get("tie", -math.inf)) else 0.0
    total = np.exp(eta / 2) + np.exp(-eta / 2) + tie
    mean = (np.exp(eta / 2) - np.exp(-eta / 2)) / total
    n = table.wins[used] + table.ties[used] + table.losses[used]
    return np.asarray(n * (1.0 - tie / total - mean**2) / 4)


def _summed(row: FloatArray, first: IntArray, second: IntArray, codes: IntArray, n: int) -> FloatArray:
    """float[G, n, n]: information of each cluster."""
    out = np.zeros((int(codes.max()) + 1, n, n))
    for a, b, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(out, (codes, a, b), sign * row)
    return out


def _sd(fit: Fit, column: str, functions: FloatArray, unit: FloatArray) -> float:
    """tau for which the mean variance of differences is that by cluster, at least 0; 0 with one cluster."""
    i, j = np.triu_indices(len(unit), 1)
    differences = functions[i] - functions[j]
    robust = fit.clustered(column).robust
    assert robust is not None
    clustered, model = robust.standard_errors(differences), np.diag(fit.covariance.between(differences))
    each = np.diag(unit)[i] + np.diag(unit)[j] - 2.0 * unit[i, j]
    there = np.isfinite(clustered)
    if not there.any():
        raise InputError(
            f"the pilot has too few clusters by {column} to tell their spread; state it with --{column}-sd (in Python"
            f" {column}_sd=)"
        )
    more = float((clustered[there] ** 2 - model[there]).sum())
    return math.sqrt(max(more, 0.0) / float(each[there].sum()))
