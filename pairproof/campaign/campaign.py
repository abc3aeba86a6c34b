"""A campaign as an object, for notebooks and web services.

Every method is one transaction on the campaign's file, as the commands of `pairproof easl` are: several
services may use one file at a time, and nothing is lost if one of them is killed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .results.results_file import results_of_rows
from .results.update import Taken, add, take_in
from .storage.records import About, about
from .storage.store import opened

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..native.annotation.scores.annotator_model import Level
    from .hits.choosing import Batch
    from .watch.annotators import Annotators
    from .watch.scores import ItemScores, Kind
    from .watch.status import Status
    from .watch.stop import StopAnswer
    from .watch.systems import Standardise, Systems


class Campaign:
    """A campaign of scalar annotation in its database file; made by :func:`pairproof.campaign.open`.

    Parameters
    ----------
    path : path
        Of a campaign that `pairproof.campaign.create` or `pairproof easl init` made.

    Attributes
    ----------
    path : Path

    Raises
    ------
    InputError
        There is no such file, or it is no campaign.

    Examples
    --------
    >>> import tempfile, pathlib, pairproof
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "items.csv").write_text("id,sent\\na,one\\nb,two\\nc,three\\n")
    >>> _ = pairproof.campaign.create(folder / "C.db", folder / "items.csv", per_hit=3, seed=1)
    >>> c = pairproof.campaign.open(folder / "C.db")
    >>> batch = c.next_batch(hits=1)
    >>> shown = {name: name_of for name, name_of in zip(("Input.id1", "Input.id2", "Input.id3"), batch.ids[0])}
    >>> said = {"Answer.range1": 80, "Answer.range2": 40, "Answer.range3": 10}
    >>> c.update([{"WorkerId": "ann", "AssignmentId": "1", **shown, **said}]).new
    1
    >>> sorted(c.scores().score.round(2).tolist())
    [0.1, 0.4, 0.8]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with opened(self.path, write=False) as store:
            about(store)

    def __repr__(self) -> str:
        return f"<pairproof.campaign.Campaign {str(self.path)!r}>"

    @property
    def about(self) -> About:
        """The settings of the campaign."""
        with opened(self.path, write=False) as store:
            return about(store)

    def next_batch(
        self, hits: int | None = None, *, annotator: str | None = None, seed: int | None = None
    ) -> Batch:
        """Choose the next HITs and store them as a batch; no file is written.

        Parameters
        ----------
        hits : int, optional
            Default: as many as show every item once.
        annotator : str, optional
            Give the HITs to this annotator alone, who is registered if unknown.
        seed : int, optional
            Seed of this batch; default: the campaign's.

        Returns
        -------
        Batch

        Raises
        ------
        InputError
        """
        from .hits.batch import next_batch

        return next_batch(self.path, hits, annotator=annotator, seed=seed)

    def update(self, results: str | Path | Iterable[Mapping[str, Any]] | DataFrame, **options: Any) -> Taken:
        """Add judgments, all of them or none.

        Parameters
        ----------
        results : path, or iterable of dict, or DataFrame
            A results file, or rows with the keys of its columns (`Input.id1`, `Answer.range1`, `WorkerId`,
            `AssignmentId`, ...); scores are 0 to 100.
        **options
            Of :func:`pairproof.campaign.take_in`; with rows, `rejected` and `without_token` alone.

        Returns
        -------
        Taken

        Raises
        ------
        InputError
            A row is not as expected; nothing has been changed then.
        """
        if isinstance(results, (str, Path)):
            return take_in(self.path, results, **options)
        with opened(self.path, write=True) as store:
            a, without_token = about(store), options.pop("without_token", "refuse")
            rows = results_of_rows(results, a.per_hit, partial=a.design.partial, **options)
            return add(store, a, rows, without_token=without_token)

    def scores(
        self, model: Level = "raw", *, level: float = 0.95, intervals: Kind = "calibrated"
    ) -> ItemScores:
        """The items' scores, with a model of the annotators or without; see
        :func:`pairproof.campaign.watch.scores.item_scores`.
        """
        from .watch.scores import item_scores

        return item_scores(self.path, model, level=level, kind=intervals)

    def annotators(self) -> Annotators:
        """Each annotator's agreement, consistency, drift, speed and flags; see
        :func:`pairproof.campaign.watch.annotators.annotators`.
        """
        from .watch.annotators import annotators

        return annotators(self.path)

    def systems(
        self, column: str | None = None, *, standardise: Standardise = "none", level: float = 0.95
    ) -> Systems:
        """Systems compared; see :func:`pairproof.campaign.watch.systems.systems`."""
        from .watch.systems import systems

        return systems(self.path, column, standardise=standardise, level=level)

    def stop(self, rule: str, **options: Any) -> StopAnswer:
        """Whether a stopping rule is met, which is recorded as a look; see
        :func:`pairproof.campaign.watch.stop.stop`.
        """
        from .watch.stop import stop

        return stop(self.path, rule, **options)

    def status(self, **options: Any) -> Status:
        """Progress, convergence and scores; see :func:`pairproof.campaign.watch.status.status`."""
        from .watch.status import status

        return status(self.path, **options)
