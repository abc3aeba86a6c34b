"""Worths from prefmod's fits: llbt.worth, patt.worth, and their plots (plot.wmat, plotworth).

Worth of item j in a group is exp(2 lambda_j) / sum over the items.  A model is fitted again in the same call,
since no R object outlives its call here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...records.calls import RResult
from ...values.convert import matrix
from ...values.nodes import RList
from ..asking import RAnswer, ask, asks, check_option, optional, program, reals, sent, strings, vector_of
from .llbt import LLBTPCModel, WorthTable, llbtpc_worth
from .pattern_designs import FIT_DESIGN, PATTNPML, DesignModel, NPMLModel
from .pattern_models import PatternModel, check_names, fit_code

Outmat = Literal["worth", "est"]
PatternOutmat = Literal["worth", "lambda"]
Format = Literal["svg", "pdf", "png"]
Palette = Literal["rainbow", "black", "gray", "heat", "terrain"]

#: R: a matrix of worths, and the table of items with equal object covariates where there is one.
WORTH_TABLE = """
groups <- attr(table, "objtable")
attr(table, "objtable") <- NULL
table <- unclass(table)
attr(table, "call") <- NULL
list(table = table, objtable = if (!is.null(groups)) lapply(as.list(groups), function(x) vapply(x, function(v) paste(v, collapse = ", "), "")))
"""
PATT_WORTH = "table <- prefmod::patt.worth({fit}, obj.names = worth.names, outmat = outmat)\n" + WORTH_TABLE
LLBT_WORTH_OF_DESIGN = "table <- prefmod::llbt.worth(model, outmat = outmat)\n" + WORTH_TABLE


@asks("prefmod", "gnm")
def llbt_worth(
    fitobj: Union[LLBTPCModel, DesignModel], outmat: Outmat = "worth", *, backend: BackendLike = None
) -> WorthTable:
    """R's ``prefmod::llbt.worth(fitobj, outmat)``, as a :class:`WorthTable`.

    Parameters
    ----------
    fitobj : LLBTPCModel, or DesignModel on a design of llbt_design
    outmat : {"worth", "est"}
        Worths exp(2 lambda) / sum, or the estimates themselves.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Raises
    ------
    ValueError, RError
        Another ``outmat``; R's own.

    Examples
    --------
    >>> llbt_worth(llbtPC_fit(judges, nitems=3), "est").values  # doctest: +SKIP
    """
    if isinstance(fitobj, LLBTPCModel):
        return llbtpc_worth(fitobj, outmat, backend)
    arguments, code = {**fitobj.arguments, "outmat": outmat}, FIT_DESIGN + LLBT_WORTH_OF_DESIGN
    return _table(ask(backend, "prefmod::llbt.worth", code, arguments))


@asks("prefmod")
def patt_worth(
    fitobj: Union[PatternModel, NPMLModel, DesignModel],
    obj_names: Sequence[str] | None = None,
    outmat: PatternOutmat = "worth",
    *,
    backend: BackendLike = None,
) -> WorthTable:
    """R's ``prefmod::patt.worth(fitobj, obj.names, outmat)``, as a :class:`WorthTable`.

    Parameters
    ----------
    fitobj : PatternModel, NPMLModel, or DesignModel on a design of patt_design
    obj_names : sequence of str, optional
        Other names of the items, for a PatternModel.
    outmat : {"worth", "lambda"}
        Worths exp(2 lambda) / sum, or the estimates themselves.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Raises
    ------
    InputError, RError
        Another ``outmat``, names of another number than items, or names for a model of a design, where prefmod
        does not use them; R's own.

    Examples
    --------
    >>> patt_worth(pattR_fit(Expr("prefmod::salad"), 4)).values  # doctest: +SKIP
    """
    if obj_names is not None and not isinstance(fitobj, PatternModel):
        raise InputError("obj_names are used for models of patt*.fit only; name the items in patt_design")
    needs: tuple[str, ...] = ("prefmod",)
    if isinstance(fitobj, PatternModel):
        check_names("obj_names", obj_names, fitobj.arguments["nitems"])
        making, fit = fit_code(fitobj.function, fitobj.arguments), "fit"
    elif isinstance(fitobj, NPMLModel):
        making, fit = PATTNPML, "fit"
    else:
        making, fit, needs = FIT_DESIGN, "model", ("prefmod", "gnm")
    arguments = {**fitobj.arguments, "worth.names": obj_names, "outmat": outmat}
    seed = fitobj.arguments["seed"] if isinstance(fitobj, NPMLModel) else None
    code = making + PATT_WORTH.format(fit=fit)
    return _table(ask(backend, "prefmod::patt.worth", code, arguments, needs, seed=seed))


def _table(result: RResult) -> WorthTable:
    value = result.as_list()
    table, legend = value.vector("table"), value["objtable"]
    names = legend.names or () if isinstance(legend, RList) else ()
    groups = {name: strings(legend.vector(name)) for name in names}
    return WorthTable(table.margin(0), table.margin(1) or ("",), table.floats(), groups, result=result)


# -- plots ---------------------------------------------------------------------------------------------------

#: R: the plot on a device of R's own temporary folder, and its bytes. The date in a PDF is blanked, so that
#: the same plot is the same file.
PLOT = program(__package__, "r/worths_plot")


@dataclass(frozen=True, eq=False)
class Drawing(RAnswer):
    """A plot as R drew it.

    data: the file's content; in a notebook, ``IPython.display.SVG(drawing.data)``.
    """

    format: Format
    data: bytes = field(repr=False)


@asks("prefmod")
def plot_wmat(
    x: WorthTable,
    main: str = "Preferences",
    ylab: str = "Estimate",
    psymb: Sequence[int] | None = None,
    pcol: Palette | Sequence[str] | None = None,
    ylim: Sequence[float] | None = None,
    log: Literal["", "y"] = "",
    *,
    format: Format = "svg",
    width: float = 7.0,
    height: float = 7.0,
    backend: BackendLike = None,
) -> Drawing:
    """R's ``plot(x)`` of prefmod's worths or estimates (``plot.wmat``), as the bytes of a file.

    Parameters
    ----------
    x : WorthTable
    main, ylab : str
        Title, label of the axis.
    psymb : int[items], optional
        R's plot symbols, 0 to 25.
    pcol : {"rainbow", "black", "gray", "heat", "terrain"} or str[items], optional
        A palette, or a colour for each item. Any other single word would be a rainbow in prefmod.
    ylim : float[2], optional
    log : {"", "y"}
    format : {"svg", "pdf", "png"}
        Of the file.
    width, height : float
        Inches, above 0 to 50.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Drawing

    Raises
    ------
    InputError, RError
        Colours or symbols of another number than items, a size out of range; R's own.

    Examples
    --------
    >>> pathlib.Path("worths.svg").write_bytes(plot_wmat(table).data)  # doctest: +SKIP
    """
    if not (0 < width <= 50 and 0 < height <= 50):
        raise InputError(f"width and height are inches above 0 and up to 50, found {width} and {height}")
    for name, values in (("psymb", psymb), ("pcol", None if isinstance(pcol, str) else pcol)):
        if values is not None and len(values) != len(x.objects):
            raise InputError(f"{name} has {len(values)} values for {len(x.objects)} items")
    if isinstance(pcol, str):
        check_option("pcol", pcol, Palette)
    if ylim is not None and len(ylim) != 2:
        raise InputError(f"ylim has {len(ylim)} values; expected the lowest and the highest")
    symbols = optional(lambda given: [int(v) for v in given], psymb)
    colours = pcol if isinstance(pcol, str) else optional(list, pcol)
    made = {"worths": _worths(x), "psymb": symbols, "pcol": colours}
    arguments = sent(backend, "worths main ylab psymb pcol ylim log format width height", **made)
    result = ask(backend, "prefmod::plot.wmat", PLOT, arguments)
    return Drawing(format, np.asarray(vector_of(result).values, np.uint8).tobytes(), result=result)


def _worths(table: WorthTable) -> Any:
    return matrix(reals(table.values), list(table.groups), list(table.objects))


@asks("prefmod")
def plotworth(worthmat: WorthTable, *, backend: BackendLike = None) -> Drawing:
    """R's ``prefmod::plotworth(worthmat)``, which is defunct: R's error says to use :func:`plot_wmat`.

    Parameters
    ----------
    worthmat : WorthTable
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Raises
    ------
    RError
        Always: "'plotworth' is defunct."

    Examples
    --------
    >>> plotworth(table)  # doctest: +SKIP
    """
    arguments = {"worthmat": _worths(worthmat)}
    result = ask(backend, "prefmod::plotworth", "prefmod::plotworth(worthmat)", arguments)
    raise InputError(f"plotworth answered {result.value!r}; it was defunct when this was written")
