"""`Paper`, `Claim`: what a page says, as strings, and where it was read.

A claim's numbers are strings ("0.190" keeps its zero).  Anything in a claims file that is not understood is
an error that names the line: a misspelt key must not turn a check into no check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...files.inputs import MOST_CLAIM_BYTES
from ...fit.spec import Family, Scale, Ties
from .printed import Printed
from .quantities import Quantity

DataKind = Literal["counts", "long", "matrix", "rankings", "file", "table", "games"]
#: How a program that stops early comes to its numbers.
Stops = Literal["glm"]


@dataclass(frozen=True)
class DataSpec:
    """A data set of a paper, not read yet.

    Attributes
    ----------
    name : str
    kind : {"counts", "long", "matrix", "rankings", "file", "table", "games"}
        "table" is no table of comparisons; only computations read it.  "games" says who met whom how often,
        or only which items there are: the outcomes are not at hand, and the printed numbers are held against
        each other.
    columns : tuple of str
    rows : tuple of tuple
        Inline data.
    file, sha256 : str
        A file beside the claims file, and its hash; "" for inline data.
    in_place : bool
        The file is not ours to ship: where it is not in the folder named by the reader, what needs it is not
        run.
    item_data : mapping of column to mapping of item to value
        Item covariates.
    items : tuple of str
        Order of the items; () for the readers' own order.
    winner : {"", "rows", "columns"}
        Of a matrix.
    from_ : str
        Another data set that this one is made from.
    printed_pairs, read_as_pairs : tuple of (str, str)
        With `from_`: what is printed under the first pair is read as the second's, both from the first item's
        side.
    only : mapping of column to value
        With `from_`: the rows kept.
    note : str
        Where the data come from, for the report.
    line : int
    games : float
        Of every pair, for kind "games"; 0 if the rows say it, or nobody does.
    """

    name: str
    kind: DataKind
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    file: str = ""
    sha256: str = ""
    in_place: bool = False
    item_data: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    winner: str = ""
    from_: str = ""
    printed_pairs: tuple[tuple[str, str], ...] = ()
    read_as_pairs: tuple[tuple[str, str], ...] = ()
    only: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    line: int = 0
    games: float = 0.0


@dataclass(frozen=True)
class ModelClaim:
    """The model of a claim.

    Attributes
    ----------
    family : {"llbt", "bradley-terry"}
    ties : str or None
        None: davidson where the data have a tie category, else none.
    by, reference : str
        As in ModelSpec; reference "" is the family's own default.
    order_effect : bool
    cells : tuple of str
    scale : {"", "lambda", "log-odds"}
        On which the numbers are printed; "" is the family's own.
    item_terms, separate : tuple of str
        Item covariates in place of free items, and items that stay free beside them.
    """

    family: Family
    ties: Ties | None = None
    by: str = ""
    reference: str = ""
    order_effect: bool = False
    cells: tuple[str, ...] = ()
    scale: Scale | Literal[""] = ""
    item_terms: tuple[str, ...] = ()
    separate: tuple[str, ...] = ()


@dataclass(frozen=True)
class PrintedQuantity:
    """One printed number and what it is.

    Attributes
    ----------
    quantity : Quantity
        As in :mod:`pairproof.validation.claims.quantities`; its text will do.
    printed : Printed
    line : int
        In the claims file.
    """

    quantity: Quantity
    printed: Printed
    line: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantity", Quantity.parse(self.quantity))


@dataclass(frozen=True)
class Reading:
    """Another way to read the same page, tried when the claim's numbers do not come out.

    Attributes
    ----------
    name : str
        Of the explanation, as it stands in `accept`.
    sentence : str
        "the columns are read in prefmod's order": completes "comes out if ...".
    data : str
        Data set to use instead; "" for the claim's own.
    model : ModelClaim or None
        Model to use instead.
    stops : {"", "glm"}
        Computed as a program that stops early does; see :mod:`pairproof.validation.slips.glm_stopping`.
    """

    name: str
    sentence: str
    data: str = ""
    model: ModelClaim | None = None
    stops: str = ""


@dataclass(frozen=True)
class Claim:
    """Numbers and statements of one place of a paper, on one data set and one model.

    Attributes
    ----------
    id, where : str
    data : str
        Name of the data set; "" for a statement that needs none.
    model : ModelClaim or None
    numbers : tuple of PrintedQuantity
    statement : str
        A claim in words.
    test : str
        Name of its test in :mod:`pairproof.validation.statements.general`; "" if its verdict stands in
        `accept`.
    test_args : mapping
    compute : str
        Name of a computation in :mod:`pairproof.validation.statements.computations` that gives the numbers,
        where no model of `model` does; `test_args` are then its arguments.
    explanation : str
        Of a statement without a test: why it has the verdict it has.
    compare_only : str
        Why the model is fitted though nothing is printed of it: native and R are compared.
    engines : tuple of str
        "native", "R", "R:PACKAGE".
    accept : tuple of str
        Codes of explanations a person agreed with (:mod:`pairproof.validation.verdicts.acceptance`).
    alpha : str
        Level at which the paper calls a result significant.
    sided : {1, 2}
        Of the printed p-values.
    readings : tuple of Reading
    note : str
    line : int
    """

    id: str
    where: str = ""
    data: str = ""
    model: ModelClaim | None = None
    numbers: tuple[PrintedQuantity, ...] = ()
    statement: str = ""
    test: str = ""
    test_args: Mapping[str, Any] = field(default_factory=dict)
    compute: str = ""
    explanation: str = ""
    compare_only: str = ""
    engines: tuple[str, ...] = ("native", "R")
    accept: tuple[str, ...] = ()
    alpha: str = "0.05"
    sided: int = 2
    readings: tuple[Reading, ...] = ()
    note: str = ""
    line: int = 0

    @property
    def r_packages(self) -> tuple[str, ...] | None:
        """R packages asked for: () for any, None for no R."""
        if not any(e == "R" or e.startswith("R:") for e in self.engines):
            return None
        return () if "R" in self.engines else tuple(e[2:] for e in self.engines if e.startswith("R:"))


@dataclass(frozen=True)
class Paper:
    """A paper (or any document) and its claims.

    Attributes
    ----------
    id, title, doi, read_from, transcribed_by, note : str
    data : mapping of name to DataSpec
    claims : tuple of Claim
    source : str
        The claims file, for messages.
    folder : str
        Where its data files lie; "" for text that came from no file.
    in_place : str
        Where data that are not shipped lie, and other data files may lie too; "" for nowhere.
    most_bytes : int
        Of a data file.
    """

    id: str
    title: str
    doi: str = ""
    read_from: str = ""
    transcribed_by: str = ""
    note: str = ""
    data: Mapping[str, DataSpec] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    source: str = ""
    folder: str = ""
    in_place: str = ""
    most_bytes: int = MOST_CLAIM_BYTES

    def claim(self, name: str) -> Claim:
        for c in self.claims:
            if c.id == name:
                return c
        raise KeyError(f"{self.id} has no claim {name!r}; it has {', '.join(c.id for c in self.claims)}")
