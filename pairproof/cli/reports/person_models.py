"""The reports of `pairproof fit-answers` and `tree`: models of persons, as blocks, text and JSON.

Of whole answers: those seen and expected, and the test of a model against another.  Of latent classes:
shares, other numbers of classes, the test of one more.  Of a tree: its picture, its groups, the tests, and
the worths of the items in each leaf.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import ComparisonError, InputError, TooLargeError
from ...fit.estimates.tails import p_equals
from ...native.answers.trees.tree_models import PreferenceTree
from ...native.answers.trees.tree_picture import plot_tree, size_of
from ...native.answers.trees.tree_record import p_equals as p_equals_tree_record, p_words
from ...report.blocks import Block, Bullets, Code, Column, Figure, Heading, Page, Paragraph, Table
from ...report.output import render_text
from ...text import WIDTH, fixed, number
from ..state import plain

if TYPE_CHECKING:
    import pandas as pd

    from ...fit.fit import Fit


NUMBERS = (
    *("classes", "log-likelihood", "parameters", "AIC", "BIC"),
    *("smallest share", "starts at the best"),
)


@dataclass(frozen=True, eq=False)
class Mixed:
    """Latent classes beside the fit: fits of 1, 2, ... classes, and the bootstrap test against one more."""

    fit: Fit
    numbers: pd.DataFrame | None
    test: Any

    def document(self) -> dict[str, Any]:
        """Keys of the JSON: `class_numbers` and `class_test`, where they were asked for."""
        out: dict[str, Any] = {}
        if self.numbers is not None:
            out["class_numbers"] = plain(self.numbers.to_dict("records"))
        if self.test is not None:
            out["class_test"] = {
                "classes": self.fit.n_classes,
                "ratio": float(self.test.ratio),
                "p": float(self.test.p),
                "samples": len(self.test.ratios),
                "failed": int(self.test.failed),
            }
        return out

    def blocks(self, shares: bool = True) -> Iterator[Block]:
        """Shares with their intervals, which the summary has too; the numbers of classes, the test."""
        if shares:
            yield self._shares()
        if self.numbers is not None:
            yield Table(
                NUMBERS,
                tuple(_row(row) for row in self.numbers.itertuples(index=False)),
                "Numbers of classes",
            )
        if self.test is not None:
            yield Bullets((str(self.test),))

    def _shares(self) -> Table:
        heads = ("class", "share", "se", "2.5 %", "97.5 %", "persons")
        frame = self.fit.class_table()[["class", "share", "se", "low", "high", "persons"]]
        rows = tuple(
            (str(row[0]), *(number(float(value)) for value in row[1:]))
            for row in frame.itertuples(index=False)
        )
        return Table(heads, rows, "Shares of the classes")


def _row(row: Any) -> tuple[str, ...]:
    return (
        str(row.classes),
        f"{row.llf:.4f}",
        str(row.parameters),
        f"{row.aic:.4f}",
        f"{row.bic:.4f}",
        f"{row.smallest_share:.3f}",
        str(row.starts_at_best),
    )


#: Rows of the tables of a report.
MOST_FREQUENT, WORST, PREDICTED = 20, 10, 10
#: Groups whose most probable answers are listed.
MOST_GROUPS = 4


@dataclass(frozen=True, eq=False)
class AskedAnswers:
    """What the command line asks about the answers of a fit, as JSON, as text and as blocks.

    patterns, predicted: rows of the tables of answers seen and expected, of the most probable; 0: none.
    other: the model to compare with.
    """

    fit: Fit
    patterns: int = 0
    predicted: int = 0
    other: Fit | None = None
    mixed: Mixed | None = None

    def document(self) -> dict[str, Any]:
        """Keys for the JSON of a fit: `patterns`, `predicted` and `comparison`, where they were asked for."""
        fit = self.fit
        out: dict[str, Any] = {}
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
        return out if self.mixed is None else out | self.mixed.document()

    def text(self) -> str:
        """What was asked, for a terminal."""
        parts: list[Block] = [] if self.mixed is None else [*self.mixed.blocks(shares=False)]
        if self.other is not None:
            parts.append(Bullets(compared(self.fit, self.other)))
        if self.patterns:
            parts += _most_frequent(self.fit.patterns(), self.patterns)
        if self.predicted:
            parts += _predicted(self.fit, self.predicted)
        return render_text(Page("Answers", parts), width=WIDTH).rstrip("\n") if parts else ""

    def blocks(self) -> Iterator[Block]:
        """The section of a report: the most frequent answers, those that fit worst, the most probable."""
        if self.mixed is not None:
            yield Heading("Latent classes")
            yield from self.mixed.blocks()
        frame = self.fit.patterns()
        yield Heading("Answers seen and expected")
        alone = ("No two persons gave the same answer.",) if frame["observed"].max() <= 1 else ()
        yield Bullets((f"{self.fit.counted}.", _fits(self.fit), *alone))
        yield from _most_frequent(frame, self.patterns or MOST_FREQUENT)
        if len(frame) > 1:
            worst = frame.reindex(frame["residual"].abs().sort_values(ascending=False, kind="stable").index)
            caption = "The worst fitted: largest Pearson residuals, (observed - expected) / sqrt(expected)"
            yield _table(worst.head(WORST), caption)
            yield Paragraph(
                "A residual of an answer that is expected less than once is large as soon as one person gives it.",
                aside=True,
            )
        yield from _predicted(self.fit, self.predicted or PREDICTED)
        if self.other is not None:
            yield Heading("Another model")
            yield Bullets(compared(self.fit, self.other))


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
        test = str(fit.compare(other))
    except ComparisonError as error:
        test = f"No likelihood-ratio test: {error}"
    criteria = (
        f"{m.title}: log-likelihood {m.llf:.4f}, {m.rank} parameters, AIC {m.aic:.4f}, BIC {m.bic:.4f}"
        for m in (fit, other)
    )
    return (test, *criteria)


def _fits(fit: Fit) -> str:
    test = fit.goodness_of_fit()
    found = (
        f"Against free probabilities of all answers: deviance {fixed(test.deviance)} on {test.df} df"
        f"{_p(test.p_deviance, test.log10_p_deviance)}, Pearson chi-square"
        f" {fixed(test.pearson)}{_p(test.p_pearson, test.log10_p_pearson)}"
    )
    return f"{found}; {test.caution}." if test.caution else f"{found}."


def _p(p: float, log10_p: float) -> str:
    return "" if math.isnan(p) else f", {p_equals(p, log10_p)}"


def by_frequency(frame: pd.DataFrame) -> pd.DataFrame:
    """The answers of all groups, the most frequent first."""
    return frame.sort_values("observed", ascending=False, kind="stable")


def _most_frequent(frame: pd.DataFrame, most: int) -> Iterator[Block]:
    ordered = by_frequency(frame)
    yield _table(ordered.head(most), "The most frequent answers")
    if len(frame) > most:
        rest = ordered.iloc[most:]
        yield Paragraph(
            f"{len(rest):,} more answers of {rest['observed'].sum():,.10g} persons are not shown; fit.patterns() has them.",
            aside=True,
        )


def _table(frame: pd.DataFrame, caption: str) -> Table:
    groups = bool(frame["group"].astype(bool).any())
    header = (Column("answer", "left"), *([Column("group", "left")] if groups else []))
    rows = tuple(
        (
            str(row.answer),
            *([str(row.group)] if groups else []),
            f"{row.observed:.10g}",
            number(row.expected, 2),
            number(row.residual, 2),
        )
        for row in frame.itertuples()
    )
    return Table((*header, "observed", "expected", "residual"), rows, caption)


def _predicted(fit: Fit, most: int) -> Iterator[Block]:
    for label in fit.numbers.labels[:MOST_GROUPS]:
        try:
            frame = fit.predicted_patterns(label, most)
        except (InputError, TooLargeError) as error:
            yield Paragraph(f"The most probable answers are not listed: {error}.", aside=True)
            return
        seen = dict(_observed(fit, label))
        rows = tuple(
            (str(a), f"{p:.4f}", f"{seen.get(str(a), 0.0):.10g}")
            for a, p in zip(frame["answer"], frame["probability"])
        )
        of = f", {label}" if label else ""
        yield Table(
            (Column("answer", "left"), "probability", "observed"), rows, f"The most probable answers{of}"
        )
    if len(fit.numbers.labels) > MOST_GROUPS:
        yield Paragraph(
            f"{len(fit.numbers.labels) - MOST_GROUPS} more groups are not shown; fit.predicted_patterns(group) has them.",
            aside=True,
        )


def _observed(fit: Fit, label: str) -> Iterator[tuple[str, float]]:
    frame = fit.patterns()
    for row in frame[frame["group"] == label].itertuples():
        if not math.isnan(row.observed):
            yield str(row.answer), float(row.observed)


_NUMBERS = tuple(map(Column, ("statistic", "df", "p", "p adjusted")))


def page(tree: PreferenceTree, level: float) -> Page:
    """The tree as a page."""
    counts = (
        f"{tree.n_persons:g} {tree.noun}s, {tree.root.fit.counted}",
        f"log-likelihood {tree.llf:.4f} on {tree.df} df, AIC {tree.aic:.4f}, BIC {tree.bic:.4f}; without splits"
        f" {tree.root.fit.llf:.4f} on {tree.root.fit.rank} df, AIC {tree.root.fit.aic:.4f}",
    )
    blocks: list[Block] = [
        Bullets((*counts, *tree.notes), lead=True),
        Heading("Groups"),
        _picture(tree, level),
        _groups(tree),
        Heading("Tests of instability"),
        _tests(tree),
        Heading("Worths"),
        _worths(tree, level),
        Heading("In text"),
        Code(tree.summary()),
    ]
    return Page(tree.title, blocks, f"Data: {tree.table.source}")


def _picture(tree: PreferenceTree, level: float) -> Figure:
    said = "; ".join(
        f"node {leaf.number}, {' and '.join(leaf.rule) or 'all'}: {leaf.ranking or 'no order'}"
        for leaf in tree.leaves
    )
    return Figure(
        "The tree, with the worths of the items in each leaf",
        said,
        size_of(tree),
        lambda figure: plot_tree(tree, figure, level=level),
        panels=True,
    )


def _groups(tree: PreferenceTree) -> Table:
    header = (
        Column("node"),
        Column("who", "left"),
        Column(f"{tree.noun}s"),
        Column("what becomes of it", "left"),
    )
    rows = []
    for node in tree.nodes:
        test = node.chosen
        fate = (
            f"leaf ({node.reason})"
            if test is None
            else f"split: {node.split} ({p_equals_tree_record(test.p_adjusted)})"
        )
        rows.append((str(node.number), " and ".join(node.rule) or "all", f"{node.n_persons:g}", fate))
    return Table(header, tuple(rows))


def _tests(tree: PreferenceTree) -> Table:
    rows = tuple(
        (
            str(row.node),
            str(row.covariate),
            f"{row.statistic:.4f}",
            str(row.df),
            p_words(row.p),
            p_words(row.p_adjusted),
        )
        for row in tree.tests().itertuples()
    )
    caption = "df: of the chi-square of a factor; places at which a numeric covariate can break"
    return Table((Column("node"), Column("covariate", "left"), *_NUMBERS), rows, caption)


def _worths(tree: PreferenceTree, level: float) -> Table:
    header = (
        Column("leaf"),
        Column("item", "left"),
        *map(Column, ("worth", "se", f"low {100 * level:g} %", "high")),
    )
    rows = tuple(
        (
            str(row.leaf),
            str(row.item),
            *("-" if math.isnan(v) else f"{v:.4f}" for v in (row.worth, row.se, row.low, row.high)),
        )
        for row in tree.worth(level).itertuples()
    )
    return Table(header, rows)
