"""Whole answers of persons: `Respondents`, and the readers of its layouts."""

from .reading.comparisons import from_pairs
from .reading.ranks import from_long_ranks, from_ranks
from .reading.ratings import from_ratings
from .respondents import Respondents

__all__ = ["Respondents", "from_long_ranks", "from_pairs", "from_ranks", "from_ratings"]
