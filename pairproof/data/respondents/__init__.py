"""Whole answers of persons: `Respondents`, and the readers of its layouts."""

from .prefmod import to_prefmod
from .reading.comparisons import from_pairs
from .reading.orders import from_orders, from_ranking_text
from .reading.paircomp import from_paircomp
from .reading.rankings import from_rankings
from .reading.ranks import from_long_ranks, from_ranks
from .reading.ratings import from_ratings
from .respondents import Respondents

__all__ = [
    "Respondents",
    "from_long_ranks",
    "from_orders",
    "from_paircomp",
    "from_pairs",
    "from_ranking_text",
    "from_rankings",
    "from_ranks",
    "from_ratings",
    "to_prefmod",
]
