"""Files, frames and dicts into `Comparisons`; :func:`read` recognises the layout, the others are told it."""


from .layouts import (
    Layout as Layout,
    from_counts as from_counts,
    from_long as from_long,
    from_matrix as from_matrix,
    from_rankings as from_rankings,
    from_votes as from_votes,
    from_wide as from_wide,
    read as read,
)
