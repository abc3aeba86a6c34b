"""Files, frames and dicts into `Comparisons`; :func:`read` recognises the layout, the others are told it."""

from .by_layout import from_counts, from_long, from_matrix, from_rankings, from_votes, from_wide
from .read import Layout, read

__all__ = [
    "Layout",
    "from_counts",
    "from_long",
    "from_matrix",
    "from_rankings",
    "from_votes",
    "from_wide",
    "read",
]
