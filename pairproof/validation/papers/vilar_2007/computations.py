"""Arithmetic of Vilar, Leusch and Ney (2007): sums over judges, and comparisons to sort."""

from __future__ import annotations

from ...statements.computations import Computed, Request, computation


@computation("sums-by-pair")
def sums_by_pair(request: Request) -> Computed:
    """first.A-B, second.A-B and difference.A-B of every pair: sentences, summed over judges."""
    from ....native.ranking.two_systems import compare_all_pairs

    found: dict[str, float] = {}
    for result in compare_all_pairs(request.data_of(request.data)):
        m, pair = result.merged, f"{result.merged.first}-{result.merged.second}"
        found.update(
            {
                f"first.{pair}": float(m.wins),
                f"second.{pair}": float(m.losses),
                f"difference.{pair}": float(abs(m.wins - m.losses)),
            }
        )
    return Computed(native=found)


@computation("merge-insertion")
def merge_insertion(request: Request) -> Computed:
    """worst.N: the most comparisons that merge insertion asks for N systems; args: `systems`, the Ns."""
    from ....native.ranking.merge_insertion import worst_case

    return Computed(native={f"worst.{n}": float(worst_case(n)) for n in request.wholes("systems")})
