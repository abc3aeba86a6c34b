"""A batch of HITs as it was chosen, with who gets which."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Given:
    """The HITs of a batch that one annotator gets.

    annotator: the name.  token: stands in file names in place of the name.  places: entries of `Batch.hits`,
    in the annotator's own order.  orders: for each of these HITs its slots, from 0, in the order in which the
    annotator sees them.
    """

    annotator: str
    token: str
    places: tuple[int, ...]
    orders: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Batch:
    """A batch of HITs.

    number: from 1.  columns: the items' columns that a batch file holds: all but `id` and those that
    annotators must not see.  hits: items in their stored order, the order of the results; a HIT may have
    fewer than `per_hit`.  HITs of earlier batches that are given again come last.  unanswered: number of HITs
    of earlier batches without any judgment.  places: the batch and the number of each entry of `hits`.
    kinds: work, qualification or calibration, for each entry of `hits`.  plans: what each slot is for.  text:
    the column that holds the item's text.  show: the columns that annotators see beside it.  judgments:
    different annotators wanted for each HIT.  given: who gets which HIT; empty where no annotators are
    registered.  notes: what was asked for and could not be had, in sentences.  files: the files that were
    written.
    """

    campaign: str
    number: int
    per_hit: int
    columns: tuple[str, ...]
    hits: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
    unanswered: int = 0
    places: tuple[tuple[int, int], ...] = ()
    kinds: tuple[str, ...] = ()
    plans: tuple[tuple[str, ...], ...] = ()
    text: str = "sent"
    show: tuple[str, ...] = ()
    judgments: int = 1
    given: tuple[Given, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[tuple[str, ...], ...]:
        """The ids of each HIT's items."""
        return tuple(tuple(name for name, _ in hit) for hit in self.hits)

    @property
    def again(self) -> int:
        """Number of HITs of earlier batches that are given again."""
        return sum(batch != self.number for batch, _ in self.places)

    def only(self, keep: tuple[int, ...]) -> Batch:
        """The same batch with these entries of `hits` alone, in this order."""
        place = {k: new for new, k in enumerate(keep)}
        given = tuple(
            replace(
                g,
                places=tuple(place[k] for k in g.places if k in place),
                orders=tuple(order for k, order in zip(g.places, g.orders) if k in place),
            )
            for g in self.given
        )
        return replace(
            self,
            hits=tuple(self.hits[k] for k in keep),
            places=tuple(self.places[k] for k in keep),
            kinds=tuple(self.kinds[k] for k in keep),
            plans=tuple(self.plans[k] for k in keep),
            given=tuple(g for g in given if g.places),
        )
