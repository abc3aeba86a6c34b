"""A fit as text for a terminal and as the blocks of a report or a notebook; no number is computed here."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ...data.columns import Factor
from ...numerics.arrays import FloatArray
from ...report.blocks import Block, Page, Paragraph, Table
from ...report.output import render_fragment
from ...text import WIDTH, fixed, label, number, safe, shorten
from ..estimates.array_inference import GoodnessOfFit
from ..estimates.fit_record import FEW_DF, FitRecord, listed, title
from ..estimates.identification import of_two_or_more
from ..estimates.predictions import sets_of_items, worth
from ..estimates.specification import LOG_WORTH_PER_UNIT
from ..estimates.tails import p_value as p_value
from ..inference.diagnostics import goodness_of_fit, in_words
from ..inference.wald import first_rows

#: Most rows shown, with a note of how many are left out: 400 judges and 30 items have 11,601 parameters.
ROWS = 60


def _likelihood_words(fit: FitRecord) -> str:
    if fit.spec.pseudo_comparisons:
        return "quasi (pseudo-comparisons)"
    return "quasi (half wins or weights)" if fit.quasi_likelihood else fit.spec.likelihood_in_words


def deviance_table(fit: FitRecord) -> str:
    """The table of the deviance, in words: `24 cells with comparisons: pair of items x judge`."""
    n = fit.cell_table().n_cells
    if fit.spec.cells == ("row",):
        return f"{n:,} rows of the table, one cell each"
    covariates = list(dict.fromkeys([*(c for t in fit.terms for c, _ in t.by), *fit.spec.cells]))
    if fit.spec.order_effect:
        covariates.append("which item is named first")
    covariates += [f"value of {t.name}" for t in fit.terms if t.kind == "comparison"]
    return f"{n:,} cell{'' if n == 1 else 's'} with comparisons: {' x '.join(['pair of items', *covariates])}"


def reference_levels(fit: FitRecord) -> str:
    """Levels and reference levels: `judge: J2, J3, J4 against J1`; "" without categorical covariates."""
    parts = []
    for covariate in dict.fromkeys(c for t in fit.terms for c, level in t.by if level is not None):
        effects = list(dict.fromkeys(str(lv) for t in fit.terms for c, lv in t.by if c == covariate))
        first = [str(g[covariate]) for g in fit.groups.values() if g[covariate] not in effects]
        more = f" and {len(effects) - 6} more" if len(effects) > 6 else ""
        against = f" against {first[0]}" if first else ""  # times and classes have no reference
        parts.append(f"{covariate}: {', '.join(effects[:6])}{more}{against}")
    return "; ".join(parts)


def scale_words(fit: FitRecord) -> str:
    if fit.spec.scale_in_words:
        return fit.spec.scale_in_words
    if LOG_WORTH_PER_UNIT[fit.scale] == 2.0:
        own = ["order"] * fit.spec.order_effect + ["comparison terms"] * bool(fit.spec.comparison_terms)
        return "lambda: odds of A to B = exp(2 (A - B))" + f"; {' and '.join(own)} in log-odds" * bool(own)
    return "log-odds: odds of A to B = exp(A - B)"


def _stopping(fit: FitRecord) -> str:
    s = fit.stopping
    end = "reached" if s.reached else "NOT REACHED"
    value = "" if math.isnan(s.value) else f" (at {s.value:.2g})"
    steps = f" in {s.steps} step{'' if s.steps == 1 else 's'}" if s.steps else ""
    return f"{s.rule}: {end}{steps}{value}"


def _comparisons(fit: FitRecord) -> str:
    ties = float(fit.data.ties.sum())
    if not fit.data.tie_category:
        return f"{fit.n_comparisons:.10g}, no tie category"
    if fit.spec.ties == "drop":
        return f"{fit.n_comparisons:.10g} ({ties:.10g} ties dropped from {fit.data.n_comparisons:.10g})"
    return (
        f"{fit.n_comparisons:.10g}, of them"
        f" {ties:.10g} ties{' (half a win for each)' if fit.spec.ties == 'half' else ''}"
    )


def _header(fit: FitRecord) -> Iterator[str]:
    # With random effects there is no deviance, by penalised quasi-likelihood no likelihood either.
    has_deviance, has_likelihood = not math.isnan(fit.deviance), not math.isnan(fit.llf)
    numbers = [("Log-likelihood", fixed(fit.llf))] if has_likelihood else []
    if has_deviance:
        numbers.append(("Deviance", f"{fixed(fit.deviance)} on {fit.df_resid} df"))
        numbers.append(("Null deviance", f"{fixed(fit.null_deviance)} on {fit.df_null} df"))
    numbers += [("AIC", fixed(fit.aic)), ("BIC", fixed(fit.bic))] if has_likelihood else []
    numbers.append(_parameters(fit))
    words = [("Items", f"{len(fit.items)}"), ("Comparisons", _comparisons(fit))]
    words += [("Constraint", fit.constraint), ("Likelihood", _likelihood_words(fit))]
    of = deviance_table(fit) if has_deviance else ""
    return header(fit, words, numbers, _stopping(fit), of, goodness_of_fit(fit))


def header(
    fit: FitRecord,
    words: Sequence[tuple[str, str]],
    figures: Sequence[tuple[str, str]],
    stopping: str,
    deviance_on: str,
    test: GoodnessOfFit,
) -> Iterator[str]:
    """Words to the left and figures to the right, then sentences; what has nothing to say is left out."""
    groups = [("Groups", f"{len(fit.groups)}")] if len(fit.groups) > 1 else []
    for (left, value), (right, figure) in zip_longest([*words, *groups], figures, fillvalue=("", "")):
        yield f"{left:<13}{shorten(value, 42):<43}{right:<22}{figure}".rstrip()
    for name, told in {
        "Levels": reference_levels(fit),
        "Scale": scale_words(fit),
        "Engine": fit.engine,
        "Stopping": stopping,
        "Deviance on": deviance_on,
        "Fit": _goodness(test),
        "Errors": "" if fit.robust is None else fit.robust.title,
    }.items():
        if told:
            yield from wrapped(f"{name:<13}{told}", 13)


def _parameters(fit: FitRecord) -> tuple[str, str]:
    """k of AIC and BIC, and along how many dimensions of them there is no finite estimate."""
    if fit.n_infinite:
        return "Parameters fitted", f"{fit.rank}, infinite along {fit.n_infinite}"
    return "Estimable parameters", f"{fit.rank}"


def _goodness(test: GoodnessOfFit) -> str:
    text = f"Pearson chi-square {fixed(test.pearson)}"
    if not math.isnan(test.p_deviance):
        by_deviance, by_pearson = p_value(test.p_deviance), p_value(test.p_pearson)
        text = f"deviance p = {by_deviance}, {text}, p = {by_pearson}".replace("= <", "< ")
    if math.isnan(test.pearson) and test.caution:
        return test.caution
    return f"{text}; {test.caution}" if test.caution else text


def wrapped(text: str, indent: int) -> list[str]:
    # replace_whitespace stays off: the column of names is padded with blanks.
    return textwrap.wrap(
        label(text), WIDTH, subsequent_indent=" " * indent, break_long_words=True, replace_whitespace=False
    )


def _status(fit: FitRecord, place: int, se: float) -> str:
    """Why a parameter has no standard error; "" if it has one."""
    if not fit.estimable[place]:
        return _infinite_in_words(fit, place) or "not estimable"
    if fit.is_reference[place]:
        return "reference" if fit.terms[place].kind == "item" else "at its boundary"
    if fit.robust is not None and math.isnan(se):
        cluster = fit.robust.alone(np.eye(len(fit.terms))[place])
        return "no variation between clusters" if cluster is None else f"fitted from {cluster} alone"
    return ""


def _infinite_in_words(fit: FitRecord, place: int) -> str:
    """ "below all" of an item's only parameter; "" where its parameters are not its ability, or the reference is infinite."""
    term = fit.terms[place]
    if term.kind != "item" or fit.spec.item_terms or len(fit.layout.blocks) != 1 or len(fit.groups) != 1:
        return ""
    sets = sets_of_items(fit, next(iter(fit.groups.values())))
    reference = sets.of[fit.is_reference[fit.layout.places[0]].argmax()] if fit.spec.reference != "sum" else 0
    return sets.status[fit.items.index(str(term.item))] if reference == 0 else ""


def parameter_rows(fit: FitRecord, rows: int) -> list[tuple[str, ...]]:
    """name and a number for each of `columns` as text, or name, number and status, of the first `rows`
    parameters.
    """
    frame = first_rows(fit, rows)
    digits = _decimals(frame["se"].to_numpy())
    out: list[tuple[str, ...]] = []
    for place, (name, row) in enumerate(zip(frame.index, frame.itertuples(index=False))):
        status = _status(fit, place, float(row.se))
        if status:
            out.append((str(name), number(float(row.estimate)), status))
            continue
        t = () if fit.robust is None else (number(row.t, 3, 1.0), number(float(row.df), 1))
        ratio = t or (number(row.z, 3, 1.0),)
        estimate, low, high = (number(x, digits, row.se) for x in (row.estimate, row.low, row.high))
        out.append((str(name), estimate, number(row.se, digits), *ratio, p_value(row.p), low, high))
    return out


def _decimals(se: FloatArray) -> int:
    """Four, or up to six, so that the smallest standard error has three significant digits."""
    smallest = min((s for s in se.tolist() if s > 0), default=1.0)
    return min(max(2 - math.floor(math.log10(smallest)), 4), 6)


def columns(fit: FitRecord) -> tuple[str, ...]:
    """Heads of the table of parameters, without that of the names."""
    ratio = ("z",) if fit.robust is None else ("t", "df")
    return ("estimate", "se", *ratio, "p", "2.5 %", "97.5 %")


#: Width of each column of numbers.
_SIZES = {"estimate": 11, "se": 10, "z": 9, "t": 9, "df": 9, "p": 9, "2.5 %": 11, "97.5 %": 11}


def coefficients(fit: FitRecord, rows: int) -> Iterator[str]:
    table = parameter_rows(fit, rows)
    heads = columns(fit)
    sizes = [_SIZES[head] for head in heads]
    longest = WIDTH - 1 - sum(sizes)
    width = max([9, *(len(shorten(row[0], longest)) for row in table)]) + 1
    yield " " * width + "".join(f"{head:>{size}}" for head, size in zip(heads, sizes))
    for row in table:
        if len(row) == 3:
            yield f"{shorten(row[0], longest):<{width}}{row[1]:>11}  ({row[2]})"
        else:
            yield f"{shorten(row[0], longest):<{width}}" + "".join(
                f" {cell:>{size - 1}}" for cell, size in zip(row[1:], sizes)
            )


def worths(fit: FitRecord) -> Iterator[str]:
    """Worths of a few groups side by side; where to find them if they are many, or what there is instead."""
    if not fit.spec.has_worths:
        yield f"No worths with this link; fit.probabilities() gives the probabilities of all pairs of {len(fit.items)} items"
        return
    if len(fit.groups) > 4 or len(fit.items) > 30:
        yield (
            f"Worths of {len(fit.items)} items in"
            f" {len(fit.groups)} group{'s' if len(fit.groups) > 1 else ''}: fit.worth()"
        )
        return
    frame = worth(fit.of_items)
    sets = {name: sets_of_items(fit.of_items, group) for name, group in fit.groups.items()}
    status = [s for found in sets.values() for s in found.status]
    text = [
        f"{number(w)} ({number(s)})" if not math.isnan(w) else why or "not estimable"
        for w, s, why in zip(frame["worth"], frame["se"], status)
    ]
    n = len(fit.items)
    width = max(9, *(len(shorten(item, 30)) for item in fit.items)) + 1
    heads = [[_inside(f"{name}={_short(v)}", 16) for name, v in g.items()] for g in fit.groups.values()]
    heads = [["worth (se)"]] if list(fit.groups) == ["all"] else heads
    for k, line in enumerate(zip_longest(*heads, fillvalue="")):
        yield f"{'' if k else 'Worths':<{width}}" + "".join(f"{head:>17}" for head in line)
    for k, item in enumerate(fit.items):
        yield f"{shorten(item, 30):<{width}}" + "".join(f"{text[g * n + k]:>17}" for g in range(len(heads)))
    for name, found in sets.items():
        several = [[fit.items[k] for k in places] for places in of_two_or_more(found)]
        if len(several) > 1:
            where = "" if name == "all" else f" ({name})"
            yield from wrapped(
                f"Worths sum to 1 within each set of items{where}, and are not compared between sets:"
                f" {' | '.join(listed(names, 8) for names in several)}",
                2,
            )


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _inside(name: str, width: int) -> str:
    """A name cut in its middle: the ends tell the levels of a covariate, and models of one maker, apart."""
    name, half = label(name), width // 2
    return name if len(name) <= width else f"{name[:half]}…{name[half + 1 - width :]}"


def cut_note(fit: FitRecord, rows: int) -> str:
    """A note of how many parameters the table leaves out and how to see them; "" if none."""
    hidden = len(fit.terms) - rows
    if hidden <= 0:
        return ""
    return (
        f"... {hidden:,} of {len(fit.terms):,} parameters are not shown; see"
        " fit.to_frame() or fit.summary(rows=...)"
    )


def _not_estimable(fit: FitRecord) -> str:
    return f"Not estimable: {listed(fit.not_estimable, 20)}"


def summary(fit: FitRecord, rows: int = ROWS) -> str:
    """The fit as text, at most 100 columns wide.

    rows: parameters shown at most; how many are left out is said.
    """
    return laid_out(fit, rows, _header(fit), cut_note(fit, rows), fit.further_lines, cautions(fit))


def laid_out(
    fit: FitRecord,
    rows: int,
    header: Iterable[str],
    note: str,
    further: Sequence[str],
    cautions: Sequence[str],
) -> str:
    """A summary; note: of the parameters that are left out.  further: lines that only some models have."""
    lines = [*wrapped(title(fit), 2), "=" * WIDTH, *header, "-" * WIDTH, *coefficients(fit, rows)]
    lines += [note] if note else []
    lines += ["-" * WIDTH, *worths(fit), "-" * WIDTH]
    if further:
        lines += [part for line in further for part in wrapped(line, 2)] + ["-" * WIDTH]
    if fit.not_estimable:
        lines += wrapped(_not_estimable(fit), 2)
    for warning in fit.warnings:
        lines += wrapped(f"Warning: {warning}", 2)
    for sentence in (*cautions, how(fit)):
        lines += wrapped(sentence, 2)
    return safe("\n".join(lines))


def how(fit: FitRecord) -> str:
    """How the standard errors, p-values and intervals were made."""
    if fit.robust is None:
        return f"z and two-sided p against the reference (normal); 95 % Wald intervals; {fit.spec.errors_in_words}."
    df = "Satterthwaite's df" if fit.robust.kind == "CR2" else "clusters less one df"
    df = df if fit.robust.columns or fit.answers else "their number less one df"
    if len(fit.robust.columns) == 2:
        df += "; the largest of the two-way and both one-way standard errors for each estimate"
    return f"t and two-sided p against the reference; 95 % Wald intervals by t; {fit.robust.title}, {df}."


def cautions(fit: FitRecord) -> list[str]:
    """Sentences on standard errors that suppose too much: independent answers, or many clusters."""
    said = in_words(fit)
    out = [f"Clusters: {said}."] if said else []
    used = {c for t in fit.terms for c, _ in (*t.by, *t.of)}
    for name, value in next(iter(fit.groups.values()), {}).items():
        if name not in used and isinstance(fit.data.columns.get(name), Factor):
            out.append(f"Caution: {name} has one level here ({value}), so the model has no effect of it.")
    if fit.robust is None:
        return out
    out += [f"Caution: {text}." for text in fit.robust.cautions]
    # Of many parameters only those in the table are looked at: each takes a pass over the clusters.
    few = [str(name) for name, df in first_rows(fit, ROWS)["df"].items() if df < FEW_DF]
    if few:
        out.append(
            f"Caution: p is approximate with fewer than {FEW_DF:g} degrees of freedom: {listed(few, 10)}."
        )
    return out


def parameter_table(fit: FitRecord, rows: int = ROWS) -> Table:
    """The parameters as a table of a report; a parameter without an error has its status there."""
    heads = ("parameter", *columns(fit))
    return Table(heads, tuple((row + ("",) * len(heads))[: len(heads)] for row in parameter_rows(fit, rows)))


def html(fit: FitRecord, rows: int = ROWS) -> str:
    """The fit for a notebook."""
    facts = [
        fit.counted,
        *([] if math.isnan(fit.deviance) else [f"deviance {fixed(fit.deviance)} on {fit.df_resid} df"]),
        *([] if math.isnan(fit.llf) else [f"log-likelihood {fixed(fit.llf)}", f"AIC {fixed(fit.aic)}"]),
        *(fit.constraint, scale_words(fit), fit.engine),
        *([] if fit.robust is None else [fit.robust.title]),
        *([] if fit.stopping.reached else [_stopping(fit)]),
    ]
    notes = [cut_note(fit, rows), *fit.further_lines, _not_estimable(fit) if fit.not_estimable else ""]
    notes += [*(f"Warning: {w}" for w in fit.warnings), *cautions(fit)]
    said = (Paragraph(note, aside=True) for note in notes if note)
    blocks: list[Block] = [Paragraph("; ".join(facts), aside=True), parameter_table(fit, rows), *said]
    return render_fragment(Page(title(fit), blocks))
