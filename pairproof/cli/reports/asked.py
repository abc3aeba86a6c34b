"""What is asked about a fit beside the fit itself, by `pairproof fit` and `fit-answers`: JSON, text and blocks.

Which items can be distinguished (rank sets and families of differences); another model; of whole answers those seen
and expected; of latent classes shares, other numbers of classes, and the test of one more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from ...errors import ComparisonError, InputError, NotEstimableError, TooLargeError
from ...fit.estimates.tails import p_equals
from ...fit.many.comparison_results import (
    AgainstTheBest,
    Contrasts,
    RankSets,
    best_rows,
    caption_of_best,
    caption_of_contrasts,
    caption_of_rank_sets,
    contrasts_rows,
    group_lines,
    ranks_rows,
)
from ...fit.shown.comparisons_plot import (
    MOST_DRAWN,
    caption_of_ranks,
    plot_contrasts,
    plot_ranks,
    size_of_contrasts,
    size_of_ranks,
)
from ...fit.shown.fit_text import ROWS
from ...report.blocks import Block, Bullets, Column, Figure, Heading, Page, Paragraph, Table
from ...report.json_text import plain
from ...report.output import render_text
from ...text import WIDTH, fixed, number

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.fit import Fit


#: Groups and items of a report whose rank sets are worked out unasked.
MOST_GROUPS_COMPARED, MOST_ITEMS = 4, 100
#: Rows of the tables of answers of a report.
MOST_FREQUENT, WORST, PREDICTED = 20, 10, 10
#: Groups whose most probable answers are listed.
MOST_GROUPS = 4
NUMBERS = ("classes", "log-likelihood", "parameters", "AIC", "BIC", "smallest share", "starts at the best")


@dataclass(frozen=True, eq=False)
class Asked:
    """What the command line asks about a fit; what it does not ask for is empty, 0 or None.

    contrasts: why there are none where the data determine no difference.  other: the model to compare with.
    patterns, predicted: rows of the tables of answers seen and expected, of the most probable.  numbers, class_test:
    fits of 1, 2, ... latent classes, and the bootstrap test against one more.
    """

    fit: Fit
    ranks: Mapping[str, RankSets] = field(default_factory=dict)
    contrasts: Mapping[str, Union[Contrasts, AgainstTheBest, str]] = field(default_factory=dict)
    other: Fit | None = None
    patterns: int | None = None
    predicted: int | None = None
    numbers: pd.DataFrame | None = None
    class_test: Any = None

    def document(self) -> dict[str, Any]:
        """Keys for the JSON of a fit, of what was asked for."""
        fit, out = self.fit, dict[str, Any]()
        if self.ranks:
            out["ranks"] = {group: ranks.to_dict() for group, ranks in self.ranks.items()}
        if self.contrasts:
            out["contrasts"] = {
                group: {"not_estimable": c} if isinstance(c, str) else c.to_dict()
                for group, c in self.contrasts.items()
            }
        if self.patterns:
            out["patterns"] = by_frequency(fit.patterns()).head(self.patterns).to_dict("records")
        if self.predicted:
            out["predicted"] = [
                {"group": label, **row}
                for label in fit.numbers.labels
                for row in fit.predicted_patterns(label, self.predicted).to_dict("records")
            ]
        if self.other is not None:
            out["comparison"] = _comparison(fit, self.other)
        if self.numbers is not None:
            out["class_numbers"] = plain(self.numbers.to_dict("records"))
        if self.class_test is not None:
            test = self.class_test
            numbers = {"ratio": float(test.ratio), "p": float(test.p)}
            samples = {"samples": len(test.ratios), "failed": int(test.failed)}
            out["class_test"] = {"classes": fit.n_classes, **numbers, **samples}
        return out

    def text(self) -> str:
        """What was asked for, for a terminal."""
        parts: list[Block] = [*self._of_classes()]
        if self.other is not None:
            parts.append(Bullets(compared(self.fit, self.other)))
        if self.patterns:
            parts += _most_frequent(self.fit.patterns(), self.patterns)
        if self.predicted:
            parts += _predicted(self.fit, self.predicted)
        title = "Another model" if self.fit.answers is None else "Answers"
        shown = [render_text(Page(title, parts), width=WIDTH).rstrip("\n")] if parts else []
        shown += [f"Ranks{_of(group)}\n{ranks}" for group, ranks in self.ranks.items()]
        shown += [f"Contrasts{_of(group)}\n{c}" for group, c in self.contrasts.items()]
        return "\n\n".join(shown)

    def blocks(self) -> Iterator[Block]:
        """The sections of a report: items told apart, answers, another model."""
        yield from self._items_told_apart()
        if self.fit.answers is not None:
            yield from self._of_answers()
        if self.other is not None:
            yield Heading("Another model")
            yield Bullets(compared(self.fit, self.other))

    def _items_told_apart(self) -> Iterator[Block]:
        """Rank sets, asked for or not, and the families that were asked for."""
        fit, ranks = self.fit, self.ranks
        if len(fit.items) < 2:
            return
        yield Heading("Which items can be distinguished")
        n = len(fit.groups)
        if not ranks and (n > MOST_GROUPS_COMPARED or len(fit.items) > MOST_ITEMS):
            size = f"{len(fit.items)} items in {n} group{'' if n == 1 else 's'}"
            yield Paragraph(f"Not computed by default for {size}; add --ranks.")
        elif not ranks:
            ranks = {group: fit.ranks(group=group) for group in fit.groups}
        for group, r in ranks.items():
            yield from _ranks(fit, group, r)
        for group, c in self.contrasts.items():
            yield from _contrasts(group, c)

    def _of_classes(self) -> Iterator[Block]:
        """Other numbers of classes, and the test of one more."""
        if self.numbers is not None:
            rows = tuple(_row(row) for row in self.numbers.itertuples(index=False))
            yield Table(NUMBERS, rows, "Numbers of classes")
        if self.class_test is not None:
            yield Bullets((str(self.class_test),))

    def _of_answers(self) -> Iterator[Block]:
        """Latent classes; the most frequent answers, those that fit worst, the most probable."""
        if self.fit.classes is not None:
            yield Heading("Latent classes")
            yield _shares(self.fit)
            yield from self._of_classes()
        frame = self.fit.patterns()
        yield Heading("Observed and expected answers")
        alone = ("No two persons gave the same answer.",) if frame["observed"].max() <= 1 else ()
        yield Bullets((f"{self.fit.counted}.", _fits(self.fit), *alone))
        yield from _most_frequent(frame, self.patterns or MOST_FREQUENT)
        if len(frame) > 1:
            worst = frame.reindex(frame["residual"].abs().sort_values(ascending=False, kind="stable").index)
            caption = "Worst fit: largest Pearson residuals, (observed - expected) / sqrt(expected)"
            yield _table(worst.head(WORST), caption)
            rare = "If the expected count is below 1, the residual is large as soon as one person gives the answer."
            yield Paragraph(rare, aside=True)
        yield from _predicted(self.fit, self.predicted or PREDICTED)


def _of(group: str) -> str:
    return "" if group == "all" else f", {group}"


def _ranks(fit: Fit, group: str, r: RankSets) -> Iterator[Block]:
    header, rows = ranks_rows(r, ROWS)
    yield Table(header, tuple(rows), f"Ranks{_of(group)}, best first")
    if len(r.items) > ROWS:
        more = f"{len(r.items) - ROWS} more items are not shown; --json --ranks has them."
        yield Paragraph(more, aside=True)
    yield Bullets((*caption_of_rank_sets(r), _equal(fit, group), *group_lines(r)))
    # With nothing to test every set is that of all ranks: there is nothing to see.
    if len(r.items) <= MOST_DRAWN and not math.isnan(r.critical):
        title, draw = f"Rank sets{_of(group)}", partial(plot_ranks, r)
        yield Figure("", caption_of_ranks(r), size_of_ranks(r), draw, title=title)


def _equal(fit: Fit, group: str) -> str:
    try:
        return f"All items equal? {fit.test_equal_items(group=group)}."
    except NotEstimableError as error:
        return f"All items equal? Not tested: {error}"


def _contrasts(group: str, c: Contrasts | AgainstTheBest | str) -> Iterator[Block]:
    title = f"Contrasts{_of(group)}"
    if isinstance(c, str):
        yield Paragraph(f"{title}: {c}")
        return
    if isinstance(c, Contrasts):
        (header, rows), said, n = contrasts_rows(c, ROWS), caption_of_contrasts(c), len(c.first)
    else:
        (header, rows), said, n = best_rows(c, ROWS), caption_of_best(c), len(c.items)
    yield Table(header, tuple(rows), title)
    more = (f"{n - ROWS:,} of {n:,} rows are not shown; --json has them.",) if n > ROWS else ()
    yield Bullets((*said, *more))
    if n <= MOST_DRAWN:
        yield Figure("", title, size_of_contrasts(c), partial(plot_contrasts, c), title=title)


def _shares(fit: Fit) -> Table:
    heads = {
        "class": "class",
        "share": "share",
        "se": "se",
        "low": "2.5 %",
        "high": "97.5 %",
        "persons": "persons",
    }
    frame = fit.class_table()[[*heads]]
    rows = tuple((str(row[0]), *(number(float(v)) for v in row[1:])) for row in frame.itertuples(index=False))
    return Table(tuple(heads.values()), rows, "Shares of the classes")


def _row(row: Any) -> tuple[str, ...]:
    fitted = (str(row.classes), f"{row.llf:.4f}", str(row.parameters), f"{row.aic:.4f}", f"{row.bic:.4f}")
    return (*fitted, f"{row.smallest_share:.3f}", str(row.starts_at_best))


def _comparison(fit: Fit, other: Fit) -> dict[str, Any]:
    found: dict[str, Any] = {"other": other.title, "llf": other.llf, "rank": other.rank}
    found |= {"aic": other.aic, "bic": other.bic}
    try:
        test = fit.compare(other)
    except ComparisonError as error:
        return found | dict.fromkeys(("statistic", "df", "p", "log10_p")) | {"why_not": str(error)}
    found |= {"statistic": test.statistic, "df": test.df, "p": test.p, "log10_p": test.log10_p}
    return found | {"why_not": ""}


def compared(fit: Fit, other: Fit) -> tuple[str, ...]:
    """The test of two models, or why there is none, and their AIC and BIC, as sentences."""
    try:
        test = str(fit.compare(other)).split("\n  ")
    except ComparisonError as error:
        test = [f"No likelihood-ratio test: {error}"]
    criteria = (
        f"{m.title}: log-likelihood {m.llf:.4f}, {m.rank} parameters, AIC {m.aic:.4f}, BIC {m.bic:.4f}"
        for m in (fit, other)
    )
    return (*test, *criteria)


def _fits(fit: Fit) -> str:
    test = fit.goodness_of_fit()
    found = (
        f"Compared with free probabilities of all answers: deviance {fixed(test.deviance)} on {test.df} df"
        f"{_p(test.p_deviance)}, Pearson chi-square"
        f" {fixed(test.pearson)}{_p(test.p_pearson)}"
    )
    return f"{found}; {test.caution}." if test.caution else f"{found}."


def _p(p: float) -> str:
    return "" if math.isnan(p) else f", {p_equals(p)}"


def by_frequency(frame: pd.DataFrame) -> pd.DataFrame:
    """The answers of all groups, the most frequent first."""
    return frame.sort_values("observed", ascending=False, kind="stable")


def _most_frequent(frame: pd.DataFrame, most: int) -> Iterator[Block]:
    ordered = by_frequency(frame)
    yield _table(ordered.head(most), "The most frequent answers")
    if len(frame) > most:
        rest = ordered.iloc[most:]
        yield Paragraph(
            f"{len(rest):,} more answers of {rest['observed'].sum():,.10g} persons are not shown; fit.patterns() lists them.",
            aside=True,
        )


def _table(frame: pd.DataFrame, caption: str) -> Table:
    names = ["answer", "group"] if frame["group"].astype(bool).any() else ["answer"]
    rows = []
    for row in frame.itertuples():
        told = (str(row.answer), str(row.group))[: len(names)]
        rows.append((*told, f"{row.observed:.10g}", number(row.expected, 2), number(row.residual, 2)))
    left = (Column(name, "left") for name in names)
    return Table((*left, "observed", "expected", "residual"), tuple(rows), caption)


def _predicted(fit: Fit, most: int) -> Iterator[Block]:
    for label in fit.numbers.labels[:MOST_GROUPS]:
        try:
            frame = fit.predicted_patterns(label, most)
        except (InputError, TooLargeError) as error:
            yield Paragraph(f"The most probable answers are not listed: {error}.", aside=True)
            return
        seen = dict(_observed(fit, label))
        answers = zip(map(str, frame["answer"]), frame["probability"])
        rows = tuple((a, f"{p:.4f}", f"{seen.get(a, 0.0):.10g}") for a, p in answers)
        of = f", {label}" if label else ""
        header = (Column("answer", "left"), "probability", "observed")
        yield Table(header, rows, f"The most probable answers{of}")
    if len(fit.numbers.labels) > MOST_GROUPS:
        yield Paragraph(
            f"{len(fit.numbers.labels) - MOST_GROUPS} more groups are not shown; fit.predicted_patterns(group) lists them.",
            aside=True,
        )


def _observed(fit: Fit, label: str) -> Iterator[tuple[str, float]]:
    frame = fit.patterns()
    for row in frame[frame["group"] == label].itertuples():
        if not math.isnan(row.observed):
            yield str(row.answer), float(row.observed)
