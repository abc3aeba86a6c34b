"""Degrees of freedom of CR2 variances: Satterthwaite's for a contrast, HTZ's for several at once.

For d = L'c, p_g = d'T_g d and q_g = T_g (1 - T_g)^(-1/2) d (without what cluster g alone fits)::

    df = (sum p_g)^2 / (sum p_g^2 + sum over g != h of (q_g'q_h)^2)

and for d_1..d_q orthonormal, P_ij[g, h] = [g = h] d_i'T_g (1 - T_g)^-1 d_j - q_gi'q_hj::

    eta = q (q + 1) / sum over i, j of (sum_gh P_ij[g, h] P_ji[g, h] + P_ii[g, h] P_jj[g, h])

(Pustejovsky and Tipton 2018, J. Bus. Econ. Stat. 36, 672-683).  Sums over g and h are traces of p x p matrices, for
instance sum_gh (q_g'q_h)^2 = tr (sum_g q_g q_g')^2, so there is no array of clusters by clusters.

**Many clusters.**  The second sum of df takes G p^2 operations a contrast: minutes for all pairs of 100 items and
20,000 judges.  It is bounded first.  Let A = sum_g q_g q_g', so that the sum over all g and h is tr A^2, and w_g =
p_g / (1 - t_g), t_g the largest eigenvalue of T_g.  T_g is positive and commutes with its functions, so |q_g|^2 =
d'T_g^2 (1 - T_g)^-1 d <= t_g w_g, and for a unit vector u by Cauchy and Schwarz (u'q_g)^2 <= (u'T_g u)(d'T_g (1 -
T_g)^-1 d) <= (u'T_g u) w_g.  The T_g sum to 1: u'A u <= max_g w_g, which bounds the largest eigenvalue of A.  Then
tr A^2 <= (largest eigenvalue) tr A, and ::

    0 <= sum over g != h of (q_g'q_h)^2 <= tr A^2 <= max_g w_g x sum_g t_g w_g

Put in place of the sum the bound makes 1 / df too large, by at most itself over (sum p_g)^2; degrees of freedom are
never too large, and a t quantile z is too large by (z^2 + 1) / 4 of that.  Contrasts for which it is wider than
:data:`NOTHING`, or in tables whose exact numbers take long :data:`GAP`, are worked out exactly.  The bound is 1 / G^2
at least (1 / G where all p_g are equal, and t_g is p_g / sum p_g at least), so few clusters need not be asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix

from ...errors import TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from .sums import LARGEST_SHARE, Block, ClusterSums, applied, rounded_up

#: Most by which 1 / df may be too large: a t quantile at 95 % moves by 1.2e-6 of itself.  100,000 judges of
#: 20 items have 2e-8.
NOTHING = 1e-6
#: In a large table, all of whose pairs of p parameters would take more than EXACT = G p^4 operations (100
#: items with 300 clusters, 30 with 37,000), it may be GAP: by 6e-5 of itself.
EXACT, GAP = 3e10, 5e-5
#: Operations beyond which no answer is tried: about an hour.
MOST = 1e13
#: Operations of a joint test's exact degrees of freedom.
EXACT_JOINT = 3e10
#: Most by which eta may be too small in a joint test on tables that are too large for the exact one.
JOINT_GAP = 0.05
#: Numbers in one array of a chunk of contrasts: 64 MB.
_NUMBERS = 8_000_000


def satterthwaite(clusters: ClusterSums, functions: FloatArray, bound: bool = False) -> FloatArray:
    """float[m]: degrees of freedom of each row c of `functions`, float[m, p]; with `bound` something that is at most these.

    Never too large, with 1 / df within 1e-6, or 5e-5 in large tables (see the module). Which of the two is a matter of
    the table, not of how many contrasts are asked for at once.

    Returns float[m]: nan where one cluster alone determines a part of the contrast, or where it is 0.
    """
    if bound:
        return bounded(clusters, functions)[0]
    most = NOTHING if clusters.n * float(len(clusters.bread)) ** 4 <= EXACT else GAP
    if clusters.n**2 * most < 1.0:
        return exact(clusters, functions)
    df, gap = bounded(clusters, functions)
    wide = np.flatnonzero(gap > most)
    if len(wide):
        df[wide] = exact(clusters, functions[wide])
    return df


def _dead(clusters: ClusterSums, functions: FloatArray) -> BoolArray:
    """bool[m]: contrasts that one cluster alone determines in part."""
    return np.asarray(clusters.share_alone_all(functions)[0] > LARGEST_SHARE)


# -- p_g -------------------------------------------------------------------------------------------


def own_parts(
    clusters: ClusterSums, left: FloatArray, right: FloatArray
) -> Iterator[tuple[slice, FloatArray]]:
    """d'T_g e of pairs of directions M c, float[m, p] each: chunks of them, float[G, chunk] in the clusters' order.

    They are a cluster's counts by pattern times what a pattern's information says about the two directions.  What a
    cluster alone fits is left out.
    """
    rows = clusters.sorted.rows
    cells, n = clusters.sorted.cells, rows.n_patterns
    weight = np.ones(len(cells.cell)) if cells.weight is None else cells.weight
    # the three outcomes of a pattern carry the same information, or are columns of their own
    same = rows.same_information
    column = cells.cell % n if same else cells.cell
    table = csr_matrix((weight, column, clusters.sorted.start), shape=(clusters.n, n if same else 3 * n))
    outcomes = rows.unit_information[:1] if same else rows.unit_information
    alone = {place: root for place, root in clusters.roots.items() if root.alone.any()}
    step = int(min(16, max(1, _NUMBERS // max(clusters.n, rows.n_patterns))))
    for first in range(0, len(left), step):
        chunk = slice(first, min(first + step, len(left)))
        d = np.ascontiguousarray(left[chunk].T)
        e = d if right is left else np.ascontiguousarray(right[chunk].T)
        of_d = rows.x.times(d), rows.z.times(d)
        of_e = of_d if e is d else (rows.x.times(e), rows.z.times(e))
        parts: list[FloatArray] = []
        for by_eta, both, by_tie in outcomes:
            each = by_eta[:, None] * of_d[0] * of_e[0]
            if rows.has_ties:
                each += both[:, None] * (of_d[0] * of_e[1] + of_d[1] * of_e[0])
                each += by_tie[:, None] * of_d[1] * of_e[1]
            parts.append(each)
        out = np.asarray(table @ np.concatenate(parts))
        for place, root in alone.items():
            along = root.along[:, root.alone].T
            out[place] -= ((along @ d[root.at]) * (along @ e[root.at])).sum(axis=0)
        yield chunk, out


def bounded(clusters: ClusterSums, functions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Degrees of freedom that are at most the exact ones, float[m], and by how much 1 / df may be too large."""
    df, gap = np.full(len(functions), np.nan), np.zeros(len(functions))
    alive = np.flatnonzero(~_dead(clusters, functions))
    t = _largest(clusters)
    left = 1.0 / (1.0 - t)
    directions = clusters.directions(functions[alive])
    for chunk, p in own_parts(clusters, directions, directions):
        p = np.maximum(p, 0.0)
        total = p.sum(axis=0)
        told = total > 0.0
        scale = np.divide(1.0, total, out=np.zeros_like(total), where=told)
        squares = np.einsum("gi,gi->i", p, p) * scale**2
        more = (p * left[:, None]).max(axis=0) * ((t * left) @ p) * scale**2
        here = alive[chunk]
        df[here] = np.divide(1.0, squares + more, out=np.full(len(total), np.nan), where=told)
        gap[here] = more
    return df, gap


def _largest(clusters: ClusterSums) -> FloatArray:
    """float[G], in the order of the clusters: at least the largest eigenvalue of T_g that is below 1."""
    t = np.minimum(clusters.limits, 1.0 - 1e-12)
    for place, root in clusters.roots.items():
        t[place] = float(root.t[~root.alone].max(initial=0.0))
    return t


# -- exact -----------------------------------------------------------------------------------------


def exact(clusters: ClusterSums, functions: FloatArray) -> FloatArray:
    """float[m]: Satterthwaite's degrees of freedom of every row of `functions`, float[m, p]."""
    g, p = clusters.n, len(clusters.bread)
    work = 2.0 * len(functions) * g * p * (p + min(g, p))
    if work > MOST:
        raise TooLargeError(
            f"degrees of freedom of {len(functions):,} contrasts of {p:,} parameters in {g:,} clusters need {work:.0e}"
            f" operations, but at most {MOST:.0e} are tried; request fewer contrasts at once"
        )
    df = np.full(len(functions), np.nan)
    alive = np.flatnonzero(~_dead(clusters, functions))
    step = max(1, _NUMBERS // max(p * min(g, p), min(g, p) ** 2))
    for first in range(0, len(alive), step):
        here = alive[first : first + step]
        total, squares, cross = _sums(clusters, functions[here])
        spread = squares + cross
        told = (total > 0.0) & (spread > 0.0)
        df[here] = np.divide(total**2, spread, out=np.full(len(here), np.nan), where=told)
    return df


def _sums(clusters: ClusterSums, functions: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """sum p_g, sum p_g^2 and the sum of (q_g'q_h)^2 over g != h, float[m] each."""
    m, p = functions.shape
    total, squares = np.zeros(m), np.zeros(m)
    directions = clusters.directions(functions)
    for chunk, own in own_parts(clusters, directions, directions):
        total[chunk], squares[chunk] = own.sum(axis=0), np.einsum("gi,gi->i", own, own)
    if clusters.n < p:
        r = _of_all(clusters, functions)
        gram = (r @ clusters.bread) @ r.transpose(0, 2, 1)
        diagonal = np.arange(clusters.n)
        gram[:, diagonal, diagonal] = 0.0
        return total, squares, np.einsum("igh,igh->i", gram, gram)
    if p**4 <= _NUMBERS and not clusters.roots:
        return total, squares, np.maximum(_cross_of_pairs(clusters, functions), 0.0)
    lengths, middle = np.zeros(m), np.zeros((m, p, p))
    for at, r in _by_block(clusters, functions):
        bread = clusters.bread[np.ix_(at, at)]
        lengths += (np.einsum("igu,igu->ig", r @ bread, r) ** 2).sum(axis=1)
        products = r.transpose(0, 2, 1) @ r
        if len(at) == p:
            middle += products
        else:
            middle[:, at[:, None], at] += products
    both = clusters.bread @ middle
    # what is left of rounding where one cluster is all of the sum is no sum of squares
    return total, squares, np.maximum(np.einsum("iab,iba->i", both, both) - lengths, 0.0)


def _cross_of_pairs(clusters: ClusterSums, functions: FloatArray) -> FloatArray:
    """float[m]: the sum of (q_g'q_h)^2 over g != h, by the T_g of few parameters as matrices.

    q_g is a sum over the parameters that c combines, so that squares of it are sums over pairs of parameters: these
    are worked out once for all contrasts.
    """
    p = len(clusters.bread)
    value, vector = np.linalg.eigh(clusters.bread)
    keep = value > 1e-14 * value[-1]
    root = vector[:, keep] * np.sqrt(value[keep])
    r = root.shape[1]
    pairs = csr_matrix((functions[:, :, None] * functions[:, None, :]).reshape(len(functions), -1))
    cells, start = clusters.sorted.cells, clusters.sorted.start
    weight = np.ones(len(cells.cell)) if cells.weight is None else cells.weight
    table = csr_matrix((weight, cells.cell, start), shape=(clusters.n, cells.rows.n_cells))
    information = cells.rows.information_by_cell(p)
    lengths, middle = np.zeros(len(functions)), np.zeros((r * p, r * p))
    step = max(1, _NUMBERS // (4 * max(p * p, len(functions))))
    for first in range(0, clusters.n, step):
        some = slice(first, first + step)
        t = root.T @ (table[some] @ information).toarray().reshape(-1, p, p) @ root
        limit = rounded_up(float(clusters.limits[some].max()))
        # q_g of every parameter: T_g (1 - T_g)^(-1/2) L'
        q = applied(limit, lambda v: v @ t, t) @ root.T
        lengths += ((pairs @ (q.transpose(0, 2, 1) @ q).reshape(len(q), -1).T) ** 2).sum(axis=1)
        q = q.reshape(len(q), -1)
        middle += q.T @ q
    middle = middle.reshape(r, p, r, p).transpose(1, 3, 0, 2).reshape(p * p, r * r)
    return np.asarray(((pairs @ middle) ** 2).sum(axis=1) - lengths)


def _of_all(clusters: ClusterSums, functions: FloatArray) -> FloatArray:
    """float[m, G, p]: the adjusted I_g M c of every function, zeros written out."""
    parts = []
    for at, part in _by_block(clusters, functions):
        wide = np.zeros((len(functions), part.shape[1], functions.shape[1]))
        wide[:, :, at] = part
        parts.append(wide)
    return np.concatenate(parts, axis=1)


def _by_block(clusters: ClusterSums, functions: FloatArray) -> Iterator[tuple[IntArray, FloatArray]]:
    """The adjusted I_g M c of every function, float[m, clusters, u], with the parameters int[u] of each block.

    Where functions are more than parameters, those of the parameters are combined.
    """
    m, p = functions.shape
    combine = m > p
    directions = clusters.bread if combine else clusters.directions(functions)
    for block in clusters.sorted.blocks():
        for part in _thin(clusters, block, len(directions) + (m if combine else 0)):
            r = np.stack([clusters.adjusted(part, information_along(clusters, part, d)) for d in directions])
            if combine:
                r = np.asarray(csr_matrix(functions) @ r.reshape(p, -1)).reshape(m, *r.shape[1:])
            yield part.at, r


def _thin(clusters: ClusterSums, block: Block, copies: int) -> Iterator[Block]:
    """The block in parts, so that so many arrays of clusters by parameters fit."""
    n, u = block.shape
    step = max(1, 4 * _NUMBERS // max(1, copies * u))
    if step >= n:
        yield block
        return
    for first in range(block.first, block.last, step):
        yield clusters.sorted.block(first, min(first + step, block.last))


def information_along(clusters: ClusterSums, block: Block, direction: FloatArray) -> FloatArray:
    """float[clusters, u]: I_g d of one direction d = M c, float[p]."""
    rows = clusters.sorted.rows
    pattern = block.cell % rows.n_patterns
    eta = rows.x.times(direction)[pattern]
    return block.weighted(eta, rows.z.times(direction)[pattern] if rows.has_ties else None)


# -- several contrasts at once ---------------------------------------------------------------------


def hotelling(clusters: ClusterSums, contrasts: FloatArray) -> float:
    """eta of the approximate Hotelling test (HTZ) that q contrasts, float[q, p], are 0; nan if they are redundant.

    Exact where q^2 G p^2 is at most 3e10.  Beyond, the terms g != h are bounded as in the module's formula, by
    2 max_g tr a_g sum_g t_g tr a_g with a_g = D'T_g (1 - T_g)^-1 D: eta is then too small by 5 % at most.
    """
    q, (g, p) = len(contrasts), (clusters.n, len(clusters.bread))
    if _dead(clusters, contrasts).any():
        return float("nan")
    value, vector = np.linalg.eigh(contrasts @ clusters.directions(contrasts).T)
    if value[0] <= value[-1] * 1e-12:
        return float("nan")
    functions = (vector / np.sqrt(value)) @ vector.T @ contrasts
    work = float(q) ** 2 * g * p * min(g, p)
    if work <= EXACT_JOINT and q * g * p <= 4 * _NUMBERS:
        return q * (q + 1) / _joint_sum(clusters, functions)
    own, more = _joint_bounds(clusters, functions)
    if more > JOINT_GAP * own:
        raise TooLargeError(
            f"degrees of freedom of a joint test of {q:,} contrasts of {p:,} parameters in {g:,} clusters take"
            f" {work:.0e} operations, at most {EXACT_JOINT:.0e} are tried, and their bound is {100 * more / own:.0f} %"
            " wide; test fewer contrasts at once"
        )
    return q * (q + 1) / (own + more)


def _joint_own(clusters: ClusterSums, functions: FloatArray) -> tuple[float, FloatArray]:
    """The terms g = h, where d_i'T_g d_j is all that is left of P_ij[g, g], and sum_i d_i'T_g d_i, float[G]."""
    d = clusters.directions(functions)
    i, j = np.triu_indices(len(d))
    own, trace = 0.0, np.zeros(clusters.n)
    for chunk, p in own_parts(clusters, d[i], d[j]):
        same = i[chunk] == j[chunk]
        squares = np.einsum("gi,gi->i", p, p)
        own += float(squares[same].sum() + 2.0 * squares[~same].sum())
        trace += p[:, same].sum(axis=1)
    return own + float((trace**2).sum()), trace


def _joint_bounds(clusters: ClusterSums, functions: FloatArray) -> tuple[float, float]:
    """The terms g = h, and a bound on the others."""
    own, trace = _joint_own(clusters, functions)
    t = _largest(clusters)
    left = 1.0 / (1.0 - t)
    return own, 2.0 * float((trace * left).max()) * float((trace * t * left).sum())


def _joint_sum(clusters: ClusterSums, functions: FloatArray) -> float:
    """The sum over i, j and clusters g, h."""
    own, _ = _joint_own(clusters, functions)
    q, p = functions.shape
    r = _of_all(clusters, functions)
    half = r @ clusters.bread
    if clusters.n < p:
        gram = np.einsum("igu,jhu->ijgh", half, r, optimize=True)
        diagonal = np.arange(clusters.n)
        gram[:, :, diagonal, diagonal] = 0.0
        straight = np.einsum("iigh->gh", gram)
        return own + float(np.einsum("ijgh,jigh->", gram, gram)) + float((straight**2).sum())
    within = np.einsum("igu,jgu->gij", half, r, optimize=True)
    sums = -float((within**2).sum()) - float((np.einsum("gii->g", within) ** 2).sum())
    for i in range(q):
        for j in range(i + 1):
            between = r[i].T @ r[j]
            both = clusters.bread @ between
            here = float(np.einsum("ab,ba->", both, both)) + float(
                np.einsum("ab,ab->", both @ clusters.bread, between)
            )
            sums += here if i == j else 2.0 * here
    return own + sums
