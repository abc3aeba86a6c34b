"""Models in which every pattern of subject covariates has its own abilities, as blocks with a border.

If the item terms are saturated (no covariates, one factor, or crossed factors), the abilities of different
patterns are linked only by the border, the tie and order parameters.  The information is

    H = [ diag(D_1, ..., D_S)   C ]        D_s: weighted Laplacian of pattern s, with one item of each
        [ C'                    E ]             connected set held at 0

A factor of 400 judges and 30 items, with 11,601 parameters, needs only 400 matrices of 30 x 30.  A Newton
step costs one solve with each D_s and one with the Schur complement E - C'D^-1 C.  For a single large block,
conjugate gradients on the whole of H are faster.

The covariance is never written out:

    cov(a_s, a_r) = [s = r] D_s^-1 + F_s M F_r',   cov(a_s, border) = -F_s M,   cov(border) = M
    F_s = D_s^-1 C_s,   M = (E - sum_s C_s' F_s)^-1

Standard errors need only the diagonals of the inverses, which for one large block cost two thirds of the
inverse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....data.graph import components, groups
from ....errors import TooLargeError
from ....fit.estimates.covariance import Covariance, sandwich
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....numerics.compiled import lapack
from ....numerics.linear_systems import (
    MOST_DENSE,
    Graph,
    by_conjugate_gradients,
    inverse_of_factor,
    lower_factor,
    sparse_laplacian,
    variances_of_factor,
)
from ....numerics.maxima import SMALL_PIVOT, by_cholesky
from ..formula import subject_design as design
from .cells import Incidence, Problem, empirical_logits
from .outcome_derivatives import Counts, Derivatives, derivatives

#: From this many items on, a matrix may be kept sparse.
MANY = 300
#: A matrix of `MANY` items or more is kept sparse if fewer than one entry in this many is not 0.
FULL = 8
#: Most entries of matrices, or of directions without an estimate, that are held: 1 GB.
_MOST_ENTRIES = 125_000_000


@dataclass(frozen=True, eq=False)
class Blocks:
    """A problem whose item terms are saturated, with S patterns of subject covariates.
    inverse float[n_terms, S]: gives the terms from the abilities of the patterns: b_t = sum_s inverse[t, s]
    a_s.  node_i, node_j int[n_cells]: positions of each cell's items in the abilities float[S, n_items],
    flattened.  label int[S * n_items]: for each pattern and item, the set of items with which it can be
    compared.  ground bool[S, n_items]: marks one item of each set, whose ability is held at 0: the reference
    if the set contains it.  order_columns, tie_columns float[n_cells, q], float[n_cells, r]: order terms
    (times sign) and tie terms."""

    problem: Problem
    inverse: FloatArray
    node_i: IntArray
    node_j: IntArray
    label: IntArray
    ground: BoolArray
    order_columns: FloatArray
    tie_columns: FloatArray
    y: Counts
    incidence: Incidence

    @property
    def n_sets(self) -> int:
        """S, the number of patterns."""
        return len(self.inverse)

    @property
    def n_nodes(self) -> int:
        return self.n_sets * self.problem.n_items

    @cached_property
    def n_grounds(self) -> int:
        return int(self.ground.sum())

    @cached_property
    def sparse(self) -> bool:
        """Whether there are many items and most pairs were never compared."""
        return (
            self.problem.n_items >= MANY and FULL * 2 * len(self.node_i) < self.n_nodes * self.problem.n_items
        )

    @cached_property
    def ground_of(self) -> IntArray:
        """int[S * n_items]: the item held at 0 in the set of each node."""
        j = self.problem.n_items
        reference = np.repeat(np.arange(self.n_sets) * j + self.problem.reference, j)
        return np.where(self.label == self.label[reference], reference, self.label)

    @property
    def n_border(self) -> int:
        return int(self.order_columns.shape[1] + self.tie_columns.shape[1])

    def origin(self) -> FloatArray:
        """The parameters at which all abilities are equal."""
        x = np.zeros(self.n_nodes + self.n_border)
        if self.tie_columns.shape[1]:
            x[self.n_nodes + self.order_columns.shape[1]] = self.problem.start_tie()
        return x

    def start(self) -> FloatArray:
        """Starting values: least squares on the empirical logits, with a constant tie parameter."""
        untied = replace(self, tie_columns=self.tie_columns[:, :0])
        x, _ = BlockPoint(untied, empirical_logits(self.y, "binary"), 0.0).newton_step(0.05)
        r = self.tie_columns.shape[1]
        return np.concatenate([x, [self.problem.start_tie()], np.zeros(r - 1)]) if r else x

    def predictors(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log-odds u and tie parameter g of the cells; g is a single number if all cells share it."""
        a, border = x[: self.n_nodes], x[self.n_nodes :]
        q = self.order_columns.shape[1]
        u = a.take(self.node_i) - a.take(self.node_j)
        if q:
            u = u + self.order_columns @ border[:q]
        if self.tie_columns.shape[1] <= 1:
            return u, border[q : q + 1] if len(border) > q else np.zeros(1)
        return u, self.tie_columns @ border[q:]

    def evaluate(self, x: FloatArray) -> BlockPoint:
        """The log-likelihood and its derivatives at x; minus infinity where x is not allowed."""
        u, g = self.predictors(x)
        extent = float(np.abs(u).max(initial=0.0))
        if self.problem.model == "rao-kupper" and not (g > 0).all():
            extent = np.inf
        elif self.tie_columns.shape[1]:
            extent = max(extent, float(np.abs(g).max(initial=0.0)))
        if not extent < np.inf:  # nan included
            return BlockPoint(self, None, np.inf)
        return BlockPoint(self, derivatives(u, g, self.y, self.problem.model, extent), extent)

    def forward(self, x: FloatArray) -> FloatArray:
        """float[n_params]: b_t against the reference item, then order, then tie."""
        a = x[: self.n_nodes].reshape(self.n_sets, -1)
        b = self.inverse @ (a - a[:, [self.problem.reference]])
        return np.concatenate([b.ravel(), x[self.n_nodes :]])

    def null_space(self) -> FloatArray:
        """float[n_params, k]: shifts of whole sets, which do not change the likelihood."""
        j = self.problem.n_items
        if self.n_grounds == self.n_sets:
            return np.zeros((self.problem.n_params, 0))
        k = self.n_grounds - self.n_sets
        check_null_space(self.problem.n_params, k, self.problem.n_items)
        out, at = np.zeros((self.problem.n_params, k)), 0
        for s in range(self.n_sets):
            for members in groups(self.label[s * j : (s + 1) * j]):
                if self.problem.reference not in members:
                    for t in np.flatnonzero(self.inverse[:, s]):
                        out[t * j + np.array(members), at] = self.inverse[t, s]
                    at += 1
        return out


#: From this many items on, the inverse of the factor is worth a path of its own (at 100 it saves a third of
#: the time), and conjugate gradients beat a Cholesky factor (measured with the reference BLAS).
LARGE = 48


@dataclass(frozen=True, eq=False)
class WrittenOut:
    """The inverses D_s^-1 of all S patterns with J items each, held as dense matrices; rows and columns of items held
    at 0 are 0.
    laplacian float[S, J, J]: D_s, with an identity row and column at each ground.  ground bool[S, J]: items
    whose ability is 0, the reference among them."""

    laplacian: FloatArray
    ground: BoolArray

    @cached_property
    def _factor(self) -> FloatArray:
        """Lower Cholesky factor of a single block."""
        return lower_factor(self.laplacian[0])

    @cached_property
    def inverse(self) -> FloatArray:
        """float[S, J, J]: D_s^-1, 0 at the grounds."""
        if len(self.laplacian) == 1:
            full = inverse_of_factor(self._factor)[None]
        else:
            full = np.asarray(np.linalg.inv(self.laplacian), float)
        s, k = np.nonzero(self.ground)
        full[s, k, k] = 0.0
        return full

    @cached_property
    def diagonal(self) -> FloatArray:
        """float[S, J]."""
        if len(self.laplacian) == 1 and self.laplacian.shape[1] >= LARGE:
            out = variances_of_factor(self._factor)[None]
        else:
            at = np.arange(self.laplacian.shape[1])
            out = self.inverse[:, at, at]
        return np.where(self.ground, 0.0, out)

    def solve(self, right: FloatArray) -> FloatArray:
        """float[S, J, k]: D_s^-1 R_s for R, float[S, J, k]."""
        if len(self.laplacian) > 1:
            return np.asarray(self.inverse @ right)
        solved, _ = lapack().dpotrs(self._factor, np.where(self.ground[0, :, None], 0.0, right[0]), lower=1)
        return np.asarray(solved[None])

    def between(self, sets: IntArray, functions: FloatArray) -> FloatArray:
        """float[m, m]: sum over these patterns of L_s D_s^-1 L_s' for L, float[m, n_sets, J]."""
        j = self.laplacian.shape[1]
        if len(self.laplacian) == 1 and j >= MANY and 5 * len(functions) < j and "inverse" not in vars(self):
            few = functions[:, 0]
            out = few @ self.solve(few.T[None])[0]
            return np.asarray(0.5 * (out + out.T))
        if len(sets) == 1:
            return sandwich(functions[:, 0], self.inverse[sets[0]])
        by_set = functions.transpose(1, 0, 2)
        return np.asarray(np.einsum("smj,snj->mn", by_set @ self.inverse[sets], by_set, optimize=True))


@dataclass(frozen=True, eq=False)
class OfGraph:
    """Inverses for a large sparse graph of S * J nodes; only the entries that are needed are solved for."""

    graph: Graph
    n_sets: int

    @property
    def inverse(self) -> FloatArray:
        """float[S, J, J]: D_s^-1, 0 at the grounds."""
        blocks = self.graph.inverse.reshape(2 * (self.n_sets, self.graph.n // self.n_sets))
        at = np.arange(self.n_sets)
        return np.asarray(blocks[at, :, at])

    @cached_property
    def diagonal(self) -> FloatArray:
        return self.graph.variances().reshape(self.n_sets, -1)

    def solve(self, right: FloatArray) -> FloatArray:
        if not right.size:
            return np.zeros_like(right)
        return self.graph.solve(right.reshape(self.graph.n, -1)).reshape(right.shape)

    def between(self, sets: IntArray, functions: FloatArray) -> FloatArray:
        m = len(functions)
        if m > MOST_DENSE:
            raise TooLargeError(
                f"the covariance of {m:,} numbers has {m**2:,} entries, {8e-9 * m**2:.1f} GB (limit"
                f" {MOST_DENSE:,} numbers); ask for fewer"
            )
        on_nodes: FloatArray = np.zeros((m, self.n_sets, functions.shape[2]))
        on_nodes[:, sets] = functions
        on_nodes = on_nodes.reshape(m, -1)
        if 10 * m > self.graph.n and self.graph.n <= MOST_DENSE:
            return sandwich(on_nodes, self.graph.inverse)
        out = on_nodes @ self.graph.solve(np.ascontiguousarray(on_nodes.T))
        return np.asarray(0.5 * (out + out.T))


@dataclass(frozen=True, eq=False)
class BorderedCovariance:
    """Covariance of the parameters of blocks with a border.
    The parameters are b_t = sum_s patterns[t, s] (a_s - a_s of the reference), float[n_terms, J] flattened,
    followed by the border.  c, e float[S, J, b], float[b, b]: border, 0 at the grounds.  patterns
    float[n_terms, S].  reference: an item that is a ground in every pattern."""

    blocks: WrittenOut | OfGraph
    c: FloatArray
    e: FloatArray
    patterns: FloatArray
    reference: int

    @cached_property
    def f(self) -> FloatArray:
        """float[S, J, b]: D_s^-1 C_s."""
        return self.blocks.solve(self.c)

    @cached_property
    def m(self) -> FloatArray:
        """float[b, b]: covariance of the border."""
        return np.asarray(np.linalg.inv(self.e - np.einsum("sjb,sjc->bc", self.c, self.f)))

    def _on_nodes(self, functions: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Patterns that the functions touch, the functions of their abilities, float[m, n_touched, J], and
        what of the border moves them, float[m, b].
        Functions of one covariate cell touch two or three of perhaps hundreds of patterns."""
        n_items = self.c.shape[1]
        n = len(self.patterns) * n_items
        terms = functions[:, :n].reshape(len(functions), -1, n_items)
        used = np.flatnonzero(terms.any(axis=(0, 2)))
        of_used, mix = terms[:, used], self.patterns[used]
        of_used[:, :, self.reference] -= of_used.sum(axis=2)
        sets = np.flatnonzero(mix.any(axis=0))
        on_nodes = np.tensordot(of_used, mix[:, sets], axes=(1, 0)).transpose(0, 2, 1)
        if not len(self.e):
            return sets, on_nodes, functions[:, n:]
        along: FloatArray = np.tensordot(on_nodes, self.f[sets], axes=2) - functions[:, n:]
        return sets, on_nodes, along

    def variances(self) -> FloatArray:
        """Diagonal of V.  Only the border links patterns, so the diagonals of the inverses suffice."""
        items: FloatArray = self.patterns**2 @ self.blocks.diagonal
        if not len(self.e):
            return items.ravel()
        w = np.einsum("ts,sjb->tjb", self.patterns, self.f - self.f[:, [self.reference], :])
        items = items + np.einsum("tjb,bc,tjc->tj", w, self.m, w)
        return np.concatenate([items.ravel(), np.diag(self.m)])

    def between(self, functions: FloatArray) -> FloatArray:
        sets, on_nodes, along = self._on_nodes(functions)
        out = self.blocks.between(sets, on_nodes)
        return out + along @ self.m @ along.T if len(self.e) else out

    def product(self, function: FloatArray) -> FloatArray:
        sets, on_nodes, along = self._on_nodes(function[None, :])
        right = np.zeros((*self.c.shape[:2], 1))
        right[sets, :, 0] = on_nodes[0]
        of_nodes = self.blocks.solve(right)[:, :, 0]
        mixed = self.m @ along[0] if len(self.e) else np.zeros(0)
        if len(self.e):
            of_nodes = of_nodes + self.f @ mixed
        terms = self.patterns @ (of_nodes - of_nodes[:, [self.reference]])
        return np.concatenate([terms.ravel(), -mixed])

    def whole(self) -> FloatArray:
        inverse, j = self.blocks.inverse, self.c.shape[1]
        t, b = len(self.patterns), len(self.e)
        n = t * j
        if t == 1 and not b:
            return np.asarray(self.patterns[0, 0] ** 2 * inverse[0])
        out = np.empty((n + b, n + b))
        for k, row in enumerate(self.patterns):
            # cov(b_k, b_r) is a sum over the patterns that both are made of, and of single levels few are
            used = np.flatnonzero(row)
            mixed = (row * self.patterns)[:, used] @ inverse[used].reshape(len(used), -1)
            out[k * j : (k + 1) * j, :n] = mixed.reshape(t, j, j).transpose(1, 0, 2).reshape(j, n)
        if b:
            w = np.einsum("ts,sjb->tjb", self.patterns, self.f).reshape(n, b)
            out[:n, n:] = -w @ self.m
            out[:n, :n] -= out[:n, n:] @ w.T
            out[n:, :n], out[n:, n:] = out[:n, n:].T, self.m
        return out


#: From this many items on, an inverse is not written out unless all of it is asked for.
WRITTEN_OUT = 1500


@dataclass(frozen=True, eq=False)
class BlockPoint:
    """Log-likelihood, gradient and information of a block model at one parameter vector."""

    blocks: Blocks
    d: Derivatives | None
    extent: float

    @property
    def value(self) -> float:
        """The log-likelihood."""
        return self.d.llf if self.d is not None else -np.inf

    @cached_property
    def _border(self) -> tuple[FloatArray, FloatArray]:
        """C, float[S, J, b], and E, float[b, b], before any item is held at 0."""
        b, d = self.blocks, self.d
        assert d is not None
        q, nb = b.order_columns.shape[1], b.n_border
        on_node, corner = np.zeros((nb, b.n_nodes)), np.zeros((nb, nb))
        for k in range(nb):
            along = d.w_uu * b.order_columns[:, k] if k < q else self._cross(k - q)
            on_node[k] = b.incidence.onto_items(along)
            corner[k, :q] = along @ b.order_columns
        if nb > q:
            assert d.w_ug is not None and d.w_gg is not None
            corner[:q, q:] = b.order_columns.T @ (d.w_ug[:, None] * b.tie_columns)
            constant = nb - q == 1  # a single tie column is the constant
            corner[q:, q:] = d.w_gg.sum() if constant else b.tie_columns.T @ (d.w_gg[:, None] * b.tie_columns)
        return on_node.T.reshape(b.n_sets, b.problem.n_items, nb), corner

    @cached_property
    def _grounded_border(self) -> tuple[FloatArray, FloatArray]:
        """C and E, with the rows of the items held at 0 set to 0."""
        c, e = self._border
        return np.where(self.blocks.ground[:, :, None], 0.0, c), e

    def _cross(self, k: int) -> FloatArray:
        """-d2l/du dgamma_k of the cells."""
        assert self.d is not None and self.d.w_ug is not None
        w = self.d.w_ug
        return w if self.blocks.tie_columns.shape[1] == 1 else w * self.blocks.tie_columns[:, k]

    @cached_property
    def _graph(self) -> Graph:
        """The information about the abilities, of all patterns as one graph."""
        b = self.blocks
        if not b.sparse:
            return Graph(self._floating[0], b.ground_of)
        assert self.d is not None
        return Graph(sparse_laplacian(b.node_i, b.node_j, self.d.w_uu, b.n_nodes), b.ground_of)

    @cached_property
    def _floating(self) -> FloatArray:
        """float[S, J, J]: Laplacians before any item is held at 0; rows sum to 0."""
        assert self.d is not None
        lap = self.blocks.incidence.onto_pairs(-self.d.w_uu)
        at = np.arange(self.blocks.problem.n_items)
        lap[:, at, at] = -lap.sum(axis=2)
        return lap

    @cached_property
    def _laplacian(self) -> FloatArray:
        """float[S, J, J]: D_s, with an identity row and column at each item held at 0."""
        lap: FloatArray = self._floating.copy()
        s, k = np.nonzero(self.blocks.ground)
        lap[s, k, :] = 0.0
        lap[s, :, k] = 0.0
        lap[s, k, k] = 1.0
        return lap

    def gradient(self) -> tuple[FloatArray, FloatArray]:
        """The gradient by the abilities, float[S, J], and by the border parameters, float[b]."""
        b, d = self.blocks, self.d
        assert d is not None
        nodes = b.incidence.onto_items(d.r_u)
        parts = [d.r_u @ b.order_columns]
        if b.tie_columns.shape[1]:
            assert d.r_g is not None
            parts.append(np.array([d.r_g.sum()]) if b.tie_columns.shape[1] == 1 else d.r_g @ b.tie_columns)
        return nodes.reshape(b.n_sets, -1), np.concatenate(parts)

    def newton_step(self, accuracy: float) -> tuple[FloatArray, float]:
        """The Newton step, and its product with the gradient."""
        nodes, border = self.gradient()
        b = self.blocks
        of_graph = b.sparse or (b.n_sets == 1 and b.problem.n_items >= MANY and b.n_grounds > 1)
        if b.n_sets == 1 and not of_graph:
            return self._whole_step(nodes[0], border, accuracy)
        nodes = np.where(b.ground, 0.0, nodes)
        right = nodes[:, :, None]
        if b.n_border:
            right = np.concatenate([right, self._grounded_border[0]], axis=2)
        if of_graph:
            solved = self._graph.solve(right.reshape(b.n_nodes, -1), accuracy).reshape(right.shape)
        else:
            solved = _solve(self._laplacian, right)
        if not b.n_border:
            return solved.ravel(), float(np.vdot(solved[:, :, 0], nodes))
        return self._with_border(solved[:, :, 0], solved[:, :, 1:], nodes, border)

    def _with_border(
        self, d_nodes: FloatArray, d_c: FloatArray, nodes: FloatArray, border: FloatArray
    ) -> tuple[FloatArray, float]:
        """The Newton step, given D^-1 times the gradient and D^-1 C."""
        c, e = self._grounded_border
        schur = e - np.einsum("sjb,sjc->bc", c, d_c)
        if (np.diag(schur) <= SMALL_PIVOT * np.diag(e)).any():
            raise np.linalg.LinAlgError("a tie or order parameter cannot be distinguished from the items")
        on_border = np.linalg.solve(schur, border - np.einsum("sjb,sj->b", c, d_nodes))
        step = d_nodes - d_c @ on_border
        return np.concatenate([step.ravel(), on_border]), float(np.vdot(step, nodes) + on_border @ border)

    def _whole_step(self, nodes: FloatArray, border: FloatArray, accuracy: float) -> tuple[FloatArray, float]:
        """The Newton step for a single block with its border."""
        b = self.blocks
        if b.problem.n_items >= LARGE and b.n_grounds == 1:
            # No item is held at 0 here.  The gradient sums to 0, so the singular system has a solution, and
            # conjugate gradients need two products fewer without the small eigenvalue that a held item
            # causes.  The step of the reference is subtracted afterwards.
            floating = np.concatenate([nodes, border])
            step = by_conjugate_gradients(self._whole(self._floating[0], self._border), floating, accuracy)
            if step is not None:
                decrement = float(step.dot(floating))
                step[: len(nodes)] -= step[: len(nodes)][b.ground[0]]
                return step, decrement
        right = np.concatenate([np.where(b.ground[0], 0.0, nodes), border])
        step = by_cholesky(self._whole(self._laplacian[0], self._grounded_border), right)
        return step, float(step.dot(right))

    def _whole(self, lap: FloatArray, border: tuple[FloatArray, FloatArray]) -> FloatArray:
        """float[J + b, J + b]: the information of a single block with its border."""
        nb = self.blocks.n_border
        if not nb:
            return lap
        (c,), e = border
        j = len(lap)
        whole = np.empty((j + nb, j + nb))
        whole[:j, :j], whole[:j, j:], whole[j:, :j], whole[j:, j:] = lap, c, c.T, e
        return whole

    def covariance(self) -> Covariance:
        """Covariance of the parameters: the inverse of the information."""
        b = self.blocks
        none = np.zeros((b.n_sets, b.problem.n_items, 0)), np.zeros((0, 0))
        c, e = self._grounded_border if b.n_border else none
        inverse: WrittenOut | OfGraph
        if b.sparse or (b.n_sets == 1 and b.problem.n_items >= WRITTEN_OUT):
            inverse = OfGraph(self._graph, b.n_sets)
        else:
            inverse = WrittenOut(self._laplacian, b.ground)
        return BorderedCovariance(inverse, c, e, b.inverse, b.problem.reference)


def _solve(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """D_s^-1 R_s for positive definite D_s; LinAlgError if one is not."""
    np.linalg.cholesky(matrices)
    return np.asarray(np.linalg.solve(matrices, right), float)


def as_blocks(problem: Problem, label: IntArray | None = None) -> Blocks | None:
    """Lay a problem out in blocks, or return None if its item terms are not saturated.
    label int[S * n_items] or None: sets of items; no cell may join two of them.  Default: the sets that
    comparisons join."""
    if problem.x is not None or problem.further is not None:
        return None
    z, of_pattern = problem.item_patterns()
    if z.shape[0] != z.shape[1]:
        return None
    j, cells = problem.n_items, problem.cells
    if not _fits(len(z), j, len(cells)):
        raise TooLargeError(
            f"{len(z):,} groups of subjects with abilities of their own for each of {j:,} items take"
            f" {len(z)} matrices of {j:,} x {j:,}, {8e-9 * len(z) * j * j:.1f} GB (limit"
            f" {8e-9 * _MOST_ENTRIES:.1f} GB); pool subjects, take a numeric covariate, or fewer items"
        )
    base = of_pattern[cells.pattern] * j
    node_i, node_j = base + cells.i, base + cells.j
    place = node_i * j + cells.j
    if label is None:
        label = _connected(node_i, node_j, place, len(z), j)
    ground = np.zeros(len(z) * j, bool)
    reference = np.arange(len(z)) * j + problem.reference
    ground[reference] = True
    if label.any() and len(label):
        ground[np.setdiff1d(label, label[reference])] = True  # a label is the smallest node of its set
    return Blocks(
        problem,
        design.inverse_of_treatments(z),
        node_i,
        node_j,
        label,
        ground.reshape(len(z), j),
        problem.order[cells.pattern] * cells.sign[:, None],
        problem.tie[cells.pattern],
        problem.counts(),
        Incidence(node_i, node_j, len(z), j, place),
    )


def _fits(n_sets: int, j: int, n_cells: int) -> bool:
    """Whether the matrices of all patterns fit in memory, or can be kept sparse."""
    return n_sets * j * j <= _MOST_ENTRIES or (j >= MANY and FULL * 2 * n_cells < n_sets * j * j)


def check_null_space(n_params: int, k: int, n_items: int) -> None:
    """Raise TooLargeError if k directions without an estimate would take more than 1 GB."""
    if n_params * k > _MOST_ENTRIES:
        raise TooLargeError(
            f"{n_items:,} items fall into {k + 1:,} sets between which no difference can be estimated (never"
            f" compared, or one always preferred); naming them takes {8e-9 * n_params * k:.1f} GB (limit"
            f" {8e-9 * _MOST_ENTRIES:.1f} GB). Fit the largest set alone: table.unseparated_sets()[0] has its"
            " items"
        )


def _connected(node_i: IntArray, node_j: IntArray, place: IntArray, n_sets: int, j: int) -> IntArray:
    """Labels of connected sets of nodes.
    A graph of J items with more than (J-1)(J-2)/2 different pairs is connected, so nothing is searched."""
    if n_sets == 1 and 2 * len(place) > (j - 1) * (j - 2) and (place[1:] > place[:-1]).all():
        return np.zeros(j, np.int64)
    return components(node_i, node_j, n_sets * j)
