"""Every family of slips, and the slips that are possible in a situation."""

from __future__ import annotations

from . import of_data, of_model, of_numbers  # noqa: F401  # importing them registers their families
from .registry import FAMILIES, STAGES, Family, Situation, Slip


def families() -> dict[str, Family]:
    """All families by name, by stage and in the order in which they were registered."""
    return {f.name: f for f in sorted(FAMILIES.values(), key=lambda f: STAGES.index(f.stage))}


def slips_for(situation: Situation) -> list[Slip]:
    """Every slip that is possible here, cheapest first within its stage."""
    found = [s for f in families().values() for s in f.slips(situation)]
    return sorted(found, key=lambda s: (STAGES.index(s.stage), s.cost))
