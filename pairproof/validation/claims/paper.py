"""`Paper`, `Claim`: what a page says, as strings, and where it was read.

These dataclasses are the definition of a claims file: a field made by `entry` is a key of the file, with its
type, its meaning and what is asked of it.  The reader, the JSON schema and the template of `claims new` are
made from them.  Anything in a claims file that is not understood is an error that names the line: a misspelt
key must not turn a check into no check.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...data.columns import LARGEST_COUNT
from ...data.respondents.read_answers import READERS, AnswerLayout
from ...files.inputs import MOST_CLAIM_BYTES
from ...fit.estimates.outcome_laws import LAWS, DavidsonTies
from ...fit.estimates.specification import (
    ANSWER_FAMILIES,
    FAMILIES,
    FamilyName,
    LinkName,
    Reduction,
    Scale,
    Ties,
)
from ...fit.robust.clustered_fit import Kind as ClusterKind
from ...text import label, named, quoted
from .entries import Cell, PrintedText, entry
from .printed import MOST_PRINTED, Printed
from .quantities import Quantity

DataKind = Literal["counts", "long", "matrix", "rankings", "answers", "file", "table", "games"]
#: Kinds of data that may be whole answers of persons.
OF_PERSONS = ("rankings", "answers", "file")
#: Arguments of the readers that a claims file states elsewhere, or that would have them open another file.
_NOT_SAID = ("source", "items", "item_data", "encoding")
#: How a program that stops early comes to its numbers.
Stops = Literal["glm"]
Pairs = tuple[tuple[str, str], ...]
_PAIRS = 'an array of pairs of items, such as [["A", "B"], ["A", "C"]]'
SHA256 = "[0-9a-fA-F]{64}"
#: A fault: what is wrong, then the key (and the position in it) that it is about.
Fault = tuple[Any, ...]


def is_level(text: str) -> bool:
    """Whether a text is a number between 0 and 1."""
    plain = text.strip()
    form = re.fullmatch(r"[0-9]*\.?[0-9]+([eE]-?[0-9]{1,3})?", plain)
    return len(plain) <= MOST_PRINTED and form is not None and 0 < float(plain) < 1


#: What a claims file says about its paper until a person fills it in: its title, and what was read.
UNFILLED = ("Authors, Title, Journal, Year", "the page and the table that were read")


@dataclass(frozen=True)
class DataSpec:
    """A data set of a paper, not read yet; its table is [data.NAME] and begins on `line`."""

    name: str
    kind: DataKind = entry(
        'layout; "table": not a table of comparisons, only read by computations; "games": who met whom'
        " how often, or only the items: the outcomes are not available, and the printed numbers are only"
        " compared with each other; rankings: of items by persons, kept whole by families plackett-luce and pattern"
        " and cut into pairs by the others; answers: what each person answered, as layout says",
        "counts",
    )
    columns: tuple[str, ...] = entry("names of the columns of rows", ())
    rows: tuple[tuple[Cell, ...], ...] = entry("the data themselves", ())
    file: str = entry("a file next to the claims file", "")
    sha256: str = entry("hash of the file, so that changed data are noticed", "")
    in_place: bool = entry("the file may not be distributed: it is read from the --data folder", False)
    item_data: Mapping[str, Mapping[str, Cell]] = entry("item covariates: column, then item = value", dict)
    items: tuple[str, ...] = entry("order of the items; default: the reader's own", ())
    winner: Literal["", "rows", "columns"] = entry("for a matrix: whose wins a cell counts", "")
    layout: AnswerLayout | Literal[""] = entry(
        "for kinds answers, rankings, file: how persons' whole answers are written, as in pairproof fit-answers;"
        " default for rankings: rankings",
        "",
    )
    how: Mapping[str, Any] = entry(
        'with layout: further options of its reader, such as unranked = "below", scale = "1-5", best = "low"',
        dict,
    )
    from_: str = entry("a data set defined above, from which this one is derived", "", key="from")
    printed_pairs: Pairs = entry("with from: the pairs as printed on the page", (), expected=_PAIRS)
    read_as_pairs: Pairs = entry(
        "with from: the pairs that they are read as, as seen from the first item", (), expected=_PAIRS
    )
    only: Mapping[str, Cell] = entry("with from: the rows to keep, by the value of a column", dict)
    note: str = entry("where the data come from", "")
    games: float = entry("with kind games: number of games of every pair", 0.0, below=LARGEST_COUNT)
    line: int = 0

    def faults(self) -> Iterator[Fault]:
        """What contradicts itself."""
        for k, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                columns = f"{len(self.columns)} columns ({named(self.columns)})"
                yield f"row {k + 1} has {len(row)} values for {columns}", "rows", k
        sources = [bool(self.rows), bool(self.file), bool(self.from_)]
        if self.kind == "games":
            counted = self.games or self.columns != ("first", "second", "games")
            if not self.items or self.file or self.from_ or self.rows and counted:
                yield (
                    'kind = "games" needs items, and at most one of games = 13 (of every pair) and rows under'
                    ' columns = ["first", "second", "games"]',
                )
        elif self.games:
            yield 'games is for kind = "games", where the outcomes are not available', "games"
        elif sum(sources) != 1:
            yield (f"expected exactly one of rows, file, from; found {sum(sources)}",)
        if self.file and not self.sha256:
            yield "file needs a sha256, so that changed data are noticed", "file"
        if self.file and not re.fullmatch(SHA256, self.sha256):
            yield f"sha256 = {quoted(self.sha256)}; expected 64 hexadecimal digits", "sha256"
        if (self.printed_pairs or self.read_as_pairs or self.only) and not self.from_:
            yield ("printed_pairs, read_as_pairs and only change another data set; name it with from",)
        if sorted(self.printed_pairs) != sorted(self.read_as_pairs):
            order = "in the order in which they are read"
            yield f"read_as_pairs must name the pairs of printed_pairs, {order}", "read_as_pairs"
        if self.in_place and not self.file:
            yield "in_place is for a file that is not distributed; name the file", "in_place"
        if self.layout and self.kind not in OF_PERSONS:
            kinds = " or ".join(map(quoted, OF_PERSONS))
            yield f"layout is for kind = {kinds}; found kind = {quoted(self.kind)}", "layout"
        if self.kind == "answers" and not self.layout and not self.from_:
            yield 'kind = "answers" needs layout, such as "ranks", "pairs" or "ratings"', "kind"
        known = answer_options(self.layout) if self.layout else ()
        of = f"layout = {quoted(self.layout)}, which has {named(known)}" if known else "data without layout"
        for key in (key for key in self.how if key not in known):
            yield f"how has {quoted(key)}, which is not for {of}", "how", key
        if (self.kind == "matrix") != bool(self.winner):
            yield "winner is for a matrix: whether its 'rows' or 'columns' win", "winner"


def answer_options(layout: AnswerLayout) -> tuple[str, ...]:
    """What `how` can say of a layout of whole answers."""
    return tuple(name for name in inspect.signature(READERS[layout]).parameters if name not in _NOT_SAID)


#: Arguments of the models of comparisons, in the order of their specification.
_OF_PAIRS = (
    *("ties", "by", "reference", "order_effect", "cells"),
    *("item_terms", "separate", "comparison_terms"),
)
_OF_CONTESTS = (
    *("formula", "random", "link", "offset", "weights"),
    *("reduce_bias", "method", "tie_shift", "tie_scale"),
)


@dataclass(frozen=True)
class ModelClaim:
    """The model of a claim, as stated on the page."""

    family: FamilyName | Literal[""] = entry(
        "for comparisons: llbt (lambda scale) or bradley-terry (log-odds); for persons' whole answers: plackett-luce"
        " (log-odds) or pattern (lambda). Without a family, a table of rankings, for which several are possible, is not"
        " checkable",
        "",
    )
    ties: Ties | Literal["by-pair"] | None = entry(
        "model of ties; default: davidson if the data have a tie category, else none; by-pair: only for pattern",
        None,
    )
    by: str = entry("formula of subject covariates", "")
    reference: str = entry('item whose parameter is 0, or "sum"; default: the family\'s own', "")
    order_effect: bool = entry("a parameter in favour of the item named first", False)
    cells: tuple[str, ...] = entry(
        "columns that define the cells of deviance and df, or row", (), or_one=True
    )
    scale: Scale | Literal["", "elo", "any"] = entry(
        "scale on which the numbers are printed; default: the family's own; elo: ratings of items in points; any:"
        " estimates (and contrasts) of items up to one factor and one constant, their se up to the same factor,"
        " worth (and exp) with their errors up to a factor",
        "",
    )
    anchor: str = entry("with scale elo: the item whose rating is `at`; default: the mean of all", "")
    at: float | None = entry(
        "with scale elo: rating of the anchor, or the mean; default: 1000",
        None,
        below=1e9,
        expected="a rating in points, 0 or more",
    )
    expected: Literal["", "ability", "score"] = entry(
        "with scale elo: whether ratings are the model's abilities (default) or come from its expected scores",
        "",
    )
    level: str = entry(
        "with scale elo: level of limits and rank sets; default: 0.95",
        "",
        test=is_level,
        expected='a level between 0 and 1, such as "0.95"',
    )
    by_vote: bool = entry("with scale elo: standard errors from the spread of single votes", False)
    item_terms: tuple[str, ...] = entry(
        "item covariates instead of free items",
        (),
        if_empty=(
            "this could mean items with free abilities (omit item_terms) or no abilities at all, whose"
            " deviance is the null_deviance of the model with free items (print it as null_deviance ="
            ' "... on ...")'
        ),
    )
    separate: tuple[str, ...] = entry("items that stay free in addition to item_terms", ())
    comparison_terms: tuple[str, ...] = entry(
        "covariates of the comparison, each in favour of the item named first", (), or_one=True
    )
    formula: str = entry(
        "for bradley-terry: abilities and comparisons as in R's formula without [..], such as SVL + (1 | item)",
        "",
    )
    random: tuple[str, ...] = entry(
        "random effects, instead of terms such as (1 | item) in the formula",
        (),
        or_one=True,
        pattern="item(:judge)?",
        expected="item or item:judge",
    )
    link: LinkName = entry("P(first preferred) = F(difference of abilities)", "logit")
    offset: str = entry("column that is added in favour of the item named first", "")
    weights: str = entry("column by which the counts are multiplied", "")
    reduce_bias: Reduction = entry(
        "what bias reduction is applied to, if the estimates are not maximum likelihood", ""
    )
    method: Literal["", "laplace", "quadrature", "pql"] = entry(
        "how random effects are integrated out; pql is BradleyTerry2's", ""
    )
    tie_shift: bool = entry("Davidson's ties, shifted by who is named first", False)
    tie_scale: bool = entry("Davidson's ties, scaled", False)
    cluster: tuple[str, ...] = entry(
        "one or two columns, such as judge, that define clusters for standard errors", (), or_one=True
    )
    cluster_kind: ClusterKind = entry("small-sample correction of clustered standard errors", "CR2")
    npseudo: float = entry(
        "for plackett-luce: pseudo-rankings, as in R's PlackettLuce (its default is 0.5); default: none",
        0.0,
        below=1e6,
    )
    prior: float = entry(
        "for plackett-luce: standard deviation of a normal prior on log worths", 0.0, below=1e6
    )
    dependence: bool = entry("for pattern: comparisons that share an item are dependent", False)
    between_times: bool = entry("for pattern: a comparison depends on the same one the time before", False)
    alpha: Literal["", "none", "common", "item", "comparison"] = entry(
        "for pattern: the parameters of the model for missing comparisons", ""
    )
    beta: Literal["", "item", "difference", "comparison", "coded"] = entry(
        "for pattern: how missingness depends on the answer", ""
    )
    alpha_of: tuple[str, ...] = entry("for pattern: items or pairs A:B that have an alpha", ())
    beta_of: tuple[str, ...] = entry("for pattern: items or pairs A:B that have a beta", ())
    ties_unresolved: bool = entry("for pattern: equal ranks mean that the order is unknown", False)
    compat: tuple[str, ...] = entry(
        "for pattern: prefmod, or prefmod:DEFECT, to reproduce its defects", (), or_one=True
    )

    def faults(self) -> Iterator[Fault]:
        """What contradicts itself."""
        if len(self.cluster) > 2:
            yield f"{len(self.cluster)} columns ({named(self.cluster)}); expected one or two", "cluster"
        for key in self._stated(("anchor", "at", "by_vote", "expected", "level")):
            if self.scale != "elo":
                yield f'{key} is for scale = "elo"', key
        if self.by_vote and self.cluster:
            yield "by_vote and cluster contradict each other; leave one out", "by_vote"
        if self.family:
            yield from self._faults_of_family()
        if self.prior and (self.npseudo or self.by or self.item_terms):
            yield "prior is for free log worths only: without npseudo, by and item_terms", "prior"
        if self.cluster_kind != "CR2" and not self.cluster:
            yield f"cluster_kind = {quoted(self.cluster_kind)} without cluster; name the columns", "cluster_kind"

    def _faults_of_family(self) -> Iterator[Fault]:
        """Keys that are for other families."""
        for key in {**self.of_contests, **self._stated(_FAMILIES_OF)}:
            if self.family not in _FAMILIES_OF[key]:
                of = " or ".join(map(json.dumps, _FAMILIES_OF[key]))
                yield f"{key} is for family = {of}; found family = {quoted(self.family)}", key
        if self.ties == "by-pair" and self.family != "pattern":
            yield f'ties = "by-pair" is for family = "pattern"; found family = {quoted(self.family)}', "ties"
        if self.family == "pattern" and self.ties not in (None, "davidson", "by-pair", "none"):
            ways = 'is not for family = "pattern"; expected davidson, by-pair, none'
            yield f"ties = {quoted(self.ties)} {ways}", "ties"
        if self.scale == "elo" and self.family not in FAMILIES:
            of = " or ".join(map(quoted, FAMILIES))
            yield f'scale = "elo" is for family = {of}; found family = {quoted(self.family)}', "scale"

    def _stated(self, keys: Iterable[str]) -> dict[str, Any]:
        """Those of these keys that are not left at their defaults."""
        return {key: v for key in keys if (v := getattr(self, key)) != getattr(ModelClaim, key)}

    @property
    def of_answers(self) -> bool:
        """Whether the model is of persons' whole answers."""
        return self.family in ANSWER_FAMILIES

    @property
    def unsearched(self) -> str:
        """Why slips of comparisons are not searched for under this model; "" if they are."""
        if self.of_answers or not self.family:
            return f"its model is {self.family or 'not stated'}, but the known slips are for comparisons"
        free = self.scale in ("elo", "any")
        return f'its numbers are on scale "{self.scale}", which the search does not support' if free else ""

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of the fitters, and in their order those of a model's specification."""
        if self.of_answers:
            own = [key for key, families in _FAMILIES_OF.items() if self.family in families]
            stated = self._stated(("by", "item_terms", "separate", "reference", *own))
            if "npseudo" in stated:
                stated["pseudo"] = stated.pop("npseudo")
            return stated
        stated = {key: getattr(self, key) for key in _OF_PAIRS}
        return {**stated, "reference": self.reference or None, "cells": self.cells or None}

    @property
    def of_contests(self) -> Mapping[str, Any]:
        """The arguments of :func:`pairproof.fit_bradley_terry` beyond those of plain models that are stated."""
        law = LAWS.get(self.ties or "")
        of_law = {} if law is None or law == DavidsonTies() else {"link": law.link}
        return {**of_law, **self._stated(_OF_CONTESTS)}


_OF_PATTERN = (
    *("dependence", "between_times", "alpha", "beta", "alpha_of", "beta_of"),
    *("ties_unresolved", "compat"),
)
#: Keys of a model that not every family has, with those that have them.
_FAMILIES_OF: Mapping[str, Collection[str]] = {
    **dict.fromkeys(("order_effect", "comparison_terms", "cluster"), tuple(FAMILIES)),
    **dict.fromkeys(("ties", "cells"), (*FAMILIES, "pattern")),
    **dict.fromkeys(("npseudo", "prior"), ("plackett-luce",)),
    **dict.fromkeys(_OF_PATTERN, ("pattern",)),
    **dict.fromkeys(_OF_CONTESTS, ("bradley-terry",)),
}


@dataclass(frozen=True)
class PrintedQuantity:
    """One printed number and what it is."""

    quantity: Quantity
    printed: Printed
    line: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantity", Quantity.parse(self.quantity))


@dataclass(frozen=True)
class Reading:
    """Another way to read the same page, tried when the claim's numbers are not reproduced."""

    name: str = entry("name of the explanation, as listed in accept")
    sentence: str = entry("completes: reproduced if ...")
    data: str = entry("data set to use instead of the claim's own", "")
    model: ModelClaim | None = entry("model to use instead of the claim's own", None)
    stops: Stops | Literal[""] = entry("computed as by a program that stops early", "")

    def faults(self) -> Iterator[Fault]:
        """What is missing."""
        if not self.name or not self.sentence or not (self.data or self.model or self.stops):
            yield ("a reading needs name, sentence, and data, model or stops",)


@dataclass(frozen=True, kw_only=True)
class PrintedEntries:
    """The printed numbers of a claim, exactly as on the page."""

    estimate: Mapping[str, PrintedText] = entry("estimates by parameter", dict)
    se: Mapping[str, PrintedText] = entry("standard errors by parameter", dict)
    z: Mapping[str, PrintedText] = entry("Wald z by parameter", dict)
    p: Mapping[str, PrintedText] = entry("p-values by parameter", dict)
    stat: Mapping[str, PrintedText] = entry(
        "any other quantity by the fit's own name, such as worth.all.A", dict
    )
    deviance: PrintedText | None = entry('deviance, with its df as in "15.737 on 15"', None)
    null_deviance: PrintedText | None = entry("deviance of the model without abilities, with its df", None)
    df_resid: PrintedText | None = entry("degrees of freedom of the deviance", None)
    df_null: PrintedText | None = entry("degrees of freedom of the null deviance", None)
    llf: PrintedText | None = entry("log-likelihood", None)
    aic: PrintedText | None = entry("AIC; see aic_definition", None)
    bic: PrintedText | None = entry("BIC", None)


@dataclass(frozen=True)
class Claim(PrintedEntries):
    """Numbers and statements from one place in a paper, for one data set and one model.

    `numbers` are what the printed entries say, one by one; `line` is where the claim begins.
    """

    id: str = entry(
        "name of the claim, one line of text, distinct within the file",
        expected='a string in quotes, such as "table-4"',
    )
    where: str = entry("table or page", "")
    data: str = entry("name of the data set; a statement may need none", "")
    model: ModelClaim | None = entry("the model that is fitted", None)
    numbers: tuple[PrintedQuantity, ...] = ()
    statement: str = entry("a claim in words", "")
    test: str = entry("name of the statement's test; without one its verdict is given in accept", "")
    test_args: Mapping[str, Any] = entry("arguments of the test or the computation", dict, key="args")
    compute: str = entry("a computation that gives the numbers of stat, if no model does", "")
    explanation: str = entry("for a statement without a test: the reason for its verdict", "")
    compare_only: str = entry(
        "why the model is fitted although no number of it is printed: native and R are compared", ""
    )
    engines: tuple[str, ...] = entry(
        "what computes the numbers",
        ("native", "R"),
        pattern="native|R(:.+)?",
        expected="native, R, or R:PACKAGE",
        if_empty="expected native, R, or R:PACKAGE",
    )
    accept: tuple[str, ...] = entry("codes of explanations that a person accepted", ())
    alpha: str = entry(
        "level at which the paper calls a result significant",
        "0.05",
        test=is_level,
        expected='a level between 0 and 1, such as "0.05"',
    )
    sided: Literal[1, 2] = entry("1 or 2: the sides of the printed p-values", 2)
    aic_definition: Literal["llf", "glm"] = entry("glm if the paper's AIC is that of R's glm", "llf")
    legend: Mapping[str, str] = entry(
        "meaning of the significance marks: mark = p-value below which it is printed; default: R's",
        dict,
        test=is_level,
        expected='the p-value below which the mark is printed, such as "0.05"',
    )
    readings: tuple[Reading, ...] = entry(
        "other ways to read the page, tried when the numbers are not reproduced", (), key="reading"
    )
    note: str = entry("remark for the reader of the file", "")
    line: int = 0

    def faults(self) -> Iterator[Fault]:
        """What contradicts itself, or is missing."""
        if self.id != label(self.id):
            yield "an id is one line of text without control characters, since reports show it", "id"
        printed = self.prints
        if self.compute and (self.model or not printed):
            cure = "leave the model out" if self.model else "print some, in stat"
            yield f"compute is for printed numbers without a model; {cure}", "compute"
        if not (printed or self.statement or self.compare_only):
            yield ('it is empty; give it printed numbers, a statement, or compare_only = "why"',)
        if (printed or self.compare_only) and not self.data and not self.compute:
            yield ("there are numbers to compute but no data",)
        if self.test and not self.statement:
            yield "a test is for a statement; write the statement it tests", "test"

    @property
    def prints(self) -> bool:
        """Whether any number is printed."""
        return any(getattr(self, name) not in (None, {}) for name in PrintedEntries.__dataclass_fields__)

    @property
    def prints_or_compares(self) -> bool:
        """Whether there are numbers to compute."""
        return self.prints or bool(self.compare_only)

    @property
    def r_packages(self) -> tuple[str, ...] | None:
        """R packages asked for: () for any, None for no R."""
        if not any(e == "R" or e.startswith("R:") for e in self.engines):
            return None
        return () if "R" in self.engines else tuple(e[2:] for e in self.engines if e.startswith("R:"))


@dataclass(frozen=True)
class Paper:
    """A paper (or any document) and its claims."""

    id: str = entry("short name, such as firth-2005")
    title: str = entry("authors, title, journal, year")
    doi: str = entry("digital object identifier", "")
    read_from: str = entry("page and table that were read", "")
    transcribed_by: str = entry("who transcribed the numbers", "")
    note: str = entry("remark for the reader of the file", "")
    data: Mapping[str, DataSpec] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    #: Claims that are not understood, with the reason.
    bad: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    folder: str = ""
    data_folder: str = ""
    most_bytes: int = MOST_CLAIM_BYTES

    def claim(self, name: str) -> Claim:
        for c in self.claims:
            if c.id == name:
                return c
        raise KeyError(f"{self.id} has no claim {name!r}; it has {', '.join(c.id for c in self.claims)}")
