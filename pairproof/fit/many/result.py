"""What comparisons of many items give: families of differences, comparisons with the best, rank sets."""

from __future__ import annotations

from dataclasses import dataclass

from ..shown.comparisons_text import best_text, contrasts_text, ranks_text
from .numbers import BestNumbers, ContrastNumbers, RankNumbers


@dataclass(frozen=True, eq=False, repr=False)
class Contrasts(ContrastNumbers):
    """Differences of items with simultaneous intervals and adjusted p-values.

    The attributes are those of :class:`pairproof.fit.many.numbers.ContrastNumbers`.
    """

    def summary(self, rows: int = 60) -> str:
        """The differences as a table with a caption, at most 100 columns wide.

        rows: most differences shown; the text says how many are left out.
        """
        return contrasts_text(self, rows)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Contrasts: {self.family}, {len(self.first)} differences, {self.adjust}, {self.covariance}>"


@dataclass(frozen=True, eq=False, repr=False)
class AgainstTheBest(BestNumbers):
    """Each item against the best of the others, by Hsu's multiple comparisons with the best.

    The attributes are those of :class:`pairproof.fit.many.numbers.BestNumbers`.
    """

    def summary(self, rows: int = 60) -> str:
        """The items as a table with a caption, best first.

        rows: most items shown; the text says how many are left out.
        """
        return best_text(self, rows)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<AgainstTheBest: {', '.join(self.best[:5])} of {len(self.items)} may be the best, {self.covariance}>"


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(RankNumbers):
    """Ranks of items with confidence sets.

    The attributes are those of :class:`pairproof.fit.many.numbers.RankNumbers`.
    """

    def summary(self, rows: int = 60) -> str:
        """The sets as a table with a caption, best first, at most 100 columns wide.

        rows: most items shown; the text says how many are left out.
        """
        return ranks_text(self, rows)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "marginal"
        return f"<RankSets: {len(self.items)} items, {kind}, {100 * self.level:g} %, {self.covariance}>"
