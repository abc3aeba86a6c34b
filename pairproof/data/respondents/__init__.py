"""Whole answers of persons: `Respondents`, and the readers of its layouts."""


from .pairs_and_ratings import (
    from_paircomp as from_paircomp,
    from_pairs as from_pairs,
    from_ratings as from_ratings,
    to_prefmod as to_prefmod,
)
from .ranking_layouts import (
    from_long_ranks as from_long_ranks,
    from_orders as from_orders,
    from_ranking_text as from_ranking_text,
    from_rankings as from_rankings,
    from_ranks as from_ranks,
)
from .respondents import Respondents as Respondents
