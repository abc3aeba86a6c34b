"""How the functions of this room ask R: check the arguments, ask, read the answer into a dataclass.

Every function converts its arguments to the types that R is to see (a count is a double, a number of items an
integer), because the key of a recorded answer depends on them.  Of a table that is a design, columns are
those of the model matrix, and those that response, weights and the like name.

Every model fitted in R is reduced to plain arrays with names.  R reduces its own object (``REDUCE`` below)
before anything is sent back, so no environment, formula or call has to be understood here, and every record
shows what was taken from the object and how.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.packaged import packaged_text
from ...text import label
from ..process.policy import BackendLike, backend as policy
from ..records.calls import RResult
from ..values.convert import data_frame, matrix
from ..values.nodes import Expr, RArgument, RList, RVector, is_pandas

Floats = NDArray[np.float64]
#: Longest row of numbers or names that is printed with an answer.
_SHOWN = 12
Function = TypeVar("Function", bound=Callable[..., Any])
SomeAnswer = TypeVar("SomeAnswer", bound="RAnswer")


@dataclass(frozen=True, eq=False)
class Given:
    """What ``backend`` is within a function that asks: who answers, the packages needed, and what the function was given."""

    backend: BackendLike
    needs: tuple[str, ...]
    values: Mapping[str, Any]


def asks(*packages: str) -> Callable[[Function], Function]:
    """Mark a function with the R packages it needs, readable as ``function.needs``; what it is given is checked, and
    converted to what R is to see, by the types in its signature.  Within it ``backend`` is :class:`Given`.
    """

    def mark(function: Function) -> Function:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def asking(*args: Any, **options: Any) -> Any:
            given = signature.bind(*args, **options)
            for name, kind in _kinds(function).items():
                if (value := given.arguments.get(name)) is not None:
                    given.arguments[name] = _converted(name, value, kind)
            if "backend" in signature.parameters:
                given.apply_defaults()
                asked = given.arguments["backend"]
                who = asked.backend if isinstance(asked, Given) else asked
                given.arguments["backend"] = Given(who, packages, dict(given.arguments))
            return function(*given.args, **given.kwargs)

        setattr(asking, "needs", packages)
        return cast(Function, asking)

    return mark


@functools.cache
def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Parameter -> its type, where that is not None."""
    kinds = {name: get_args(Union[hint, None]) for name, hint in get_type_hints(function).items()}
    return {name: Union[tuple(k for k in of if k is not type(None))] for name, of in kinds.items()}


def _converted(name: str, value: Any, kind: Any) -> Any:
    """A value for a parameter of this type, checked, as R is to see it; of other types its function sees to it."""
    if get_origin(kind) is Literal:
        check_option(name, value, kind)
    return _CONVERSIONS[kind](value) if kind in _CONVERSIONS else value


def sent(backend: Any, variables: str, **made: Any) -> dict[str, Any]:
    """R's variables in the order of records' keys: made here, else as the function was given them; ``.at.home`` is ``at_home``."""
    ours = {name: name.strip(".").replace(".", "_") for name in variables.split()}
    assert set(made) <= set(ours.values()), "each value that is made goes to R"
    return {name: made[key] if key in made else backend.values[key] for name, key in ours.items()}


def ask(
    backend: Any,
    label: str,
    code: str,
    arguments: Mapping[str, Any],
    needs: Sequence[str] | None = None,
    *,
    seed: int | None = None,
) -> RResult:
    """Run R code with these arguments as its variables, or replay its record, as the backend says.

    Parameters
    ----------
    label : str
        The R function's name, for messages and for the record's file name.
    needs : sequence of str, optional; default the packages of the function that asks
    """
    who, own = (backend.backend, backend.needs) if isinstance(backend, Given) else (backend, ())
    chosen = own if needs is None else needs
    return policy(who).call(code=code, args=arguments, needs=chosen, seed=seed, label=label)


def call(backend: Any, function: str, arguments: Mapping[str, Any], extract: str | None = None) -> RResult:
    """Call one function of R as it is; :func:`ask` runs code."""
    return policy(backend.backend).call(function, arguments, needs=backend.needs, extract=extract)


def program(package: str, name: str) -> str:
    """The R code that is next to a package's modules, "contests/newton", to the last byte: records' keys have it."""
    return packaged_text(package, f"{name}.R")


# -- arguments -----------------------------------------------------------------------------------------------


def reals(values: Any) -> Floats:
    """Numbers as an array of doubles."""
    return np.asarray(values, dtype=np.float64)


#: Type of a parameter -> what R is to see of its value.
_CONVERSIONS: Mapping[Any, Callable[[Any], Any]] = {
    bool: bool,
    int: int,
    float: float,
    Sequence[float]: reals,
    Sequence[str]: list,
    Floats: reals,
    Union[Sequence[float], Floats]: reals,
}


def optional(convert: Callable[[Any], Any], value: Any) -> Any:
    """The value converted; None (R's NULL) stays None."""
    return None if value is None else convert(value)


def check_option(name: str, value: object, literal: Any) -> None:
    """Refuse a value that is not among those of a ``Literal``."""
    if value not in get_args(literal):
        raise ValueError(f"{name} is {value!r}; expected one of {get_args(literal)}")


def check_item(role: str, name: str | None, names: Collection[str], noun: str = "item") -> None:
    """Refuse a reference that is none of the items (or players); None is R's default."""
    if name is not None and name not in names:
        raise ValueError(f"{role} {name!r} is no {noun}; {noun}s are {list(names)}")


def positions(items: Sequence[str], *used: Sequence[str]) -> dict[str, int]:
    """Item -> its position; refuses names in use that are not among the items."""
    place = {item: j for j, item in enumerate(items)}
    unknown = sorted({name for names in used for name in names if name not in place})
    if unknown:
        raise ValueError(f"{unknown} are not among the items {list(items)}")
    return place


def as_frame(data: Any) -> Any:
    """A table for R: a DataFrame, ready-made frame or R source as it is, a mapping of columns as a
    data.frame.
    """
    if isinstance(data, Mapping):
        return data_frame(data)
    if isinstance(data, (RArgument, Expr)) or is_pandas(data):
        return data
    found = type(data).__name__
    raise TypeError(f"expected a pandas DataFrame or a mapping of column name to values, found {found}")


# -- answers -------------------------------------------------------------------------------------------------


def number(value: Any) -> float:
    """An R vector of length one as a float; NaN for NULL."""
    if value is None:
        return float("nan")
    if not isinstance(value, RVector) or value.values.size != 1:
        raise TypeError(f"expected one number from R, found {value!r}")
    return float(value.floats().ravel()[0])


def strings(value: RVector) -> tuple[str, ...]:
    """An R vector of text, or a factor, as its texts."""
    if value.levels is None:
        return tuple(value.values)
    return tuple(value.levels[code - 1] for code in value.values)


def vector_of(result: RResult) -> RVector:
    """The value, which must be a vector or matrix."""
    if not isinstance(result.value, RVector):
        raise TypeError(f"expected numbers from {result.call.name}, found {result.value!r}")
    return result.value


#: Type of a field, as its class spells it -> how it is read from an element of R's list.
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "Floats": lambda value: value.floats(),
    "Floats | None": lambda value: None if value is None else value.floats(),
    "float": number,
    "int": lambda value: int(number(value)),
    "bool": lambda value: value is not None and bool(value.scalar()),
    "str": lambda value: str(value.scalar()),
    "tuple[str, ...]": strings,
}


def fields_of(kind: Any, value: RList, more: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass from the elements of the same names in R's list; ``more`` holds the others."""
    there = [f for f in fields(kind) if f.name in value and f.name not in more]
    return {**{f.name: _READERS[str(f.type)](value[f.name]) for f in there}, **more}


@dataclass(frozen=True, eq=False)
class RAnswer:
    """What an R function answered; a subclass has a field for each number.

    result: the call, its warnings and output, and whether R answered live or a record did.
    """

    result: RResult = field(repr=False, kw_only=True)

    @classmethod
    def read(cls: type[SomeAnswer], result: RResult, **more: Any) -> SomeAnswer:
        """Fill the fields from the elements of the same names in R's list; ``more`` holds the others."""
        return cls(**fields_of(cls, result.as_list(), more), result=result)

    @classmethod
    def ask(
        cls: type[SomeAnswer],
        backend: Any,
        label: str,
        code: str,
        arguments: Mapping[str, Any],
        needs: Sequence[str] | None = None,
        *,
        seed: int | None = None,
        **more: Any,
    ) -> SomeAnswer:
        """What :func:`ask` answers, read; a class that has ``arguments`` and ``lines`` keeps the call's, and what R printed."""
        result = ask(backend, label, code, arguments, needs, seed=seed)
        kept = {"arguments": arguments, "lines": result.output}
        return cls.read(result, **{f.name: kept[f.name] for f in fields(cls) if f.name in kept}, **more)


@dataclass(frozen=True, eq=False)
class Estimates(RAnswer):
    """Coefficients under R's names, with standard errors and covariance.

    coef, se float[n].  vcov float[n, n].
    """

    names: tuple[str, ...]
    coef: Floats
    se: Floats
    vcov: Floats

    @classmethod
    def read(cls: type[SomeAnswer], result: RResult, **more: Any) -> SomeAnswer:
        """As others are read; what ``REDUCE`` returned has its names on the coefficients, and no standard errors."""
        bare = "se" not in more and "se" not in result.as_list()
        more = {**coefficients_of(result), **more} if bare else more
        return cls(**fields_of(cls, result.as_list(), more), result=result)

    def estimate(self, name: str) -> float:
        """The coefficient of that R name."""
        return float(self.coef[self._place(name)])

    def standard_error(self, name: str) -> float:
        """The standard error of the coefficient of that R name."""
        return float(self.se[self._place(name)])

    def params(self) -> dict[str, float]:
        """Name -> estimate, in R's order."""
        return dict(zip(self.names, self.coef.tolist()))

    def bse(self) -> dict[str, float]:
        """Name -> standard error, in R's order."""
        return dict(zip(self.names, self.se.tolist()))

    def __str__(self) -> str:
        """R's function, a line for each coefficient with z and its two-sided p, then the other numbers of one value."""
        shown = [label(name) for name in self.names]
        widest = max(map(len, shown), default=0)
        heads = "  ".join(f"{word:>12}" for word in ("estimate", "se", "z", "p"))
        lines = [label(self.result.call.name), f"{'':{widest}}  {heads}"]
        z = [b / s if s > 0 else math.nan for b, s in zip(self.coef.tolist(), self.se.tolist())]
        for name, b, s, t in zip(shown, self.coef, self.se, z):
            p = math.erfc(abs(t) / math.sqrt(2))
            lines.append(f"{name:{widest}}  {b:12.6g}  {s:12.6g}  {t:12.4g}  {p:12.4g}")
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("names", "coef", "se")}
        for name, value in own.items():
            if isinstance(value, bool):
                lines.append(f"{name}: {'yes' if value else 'no'}")
            elif isinstance(value, (int, float)):
                lines.append(f"{name}: {value:.8g}")
            elif isinstance(value, np.ndarray) and value.ndim == 1 and value.size <= _SHOWN:
                lines.append(f"{name}: {', '.join(f'{v:.6g}' for v in value.tolist())}")
            elif isinstance(value, tuple) and len(value) <= _SHOWN and all(isinstance(v, str) for v in value):
                lines.append(f"{name}: {', '.join(map(label, value))}")
        return "\n".join(lines)

    def _place(self, name: str) -> int:
        if name not in self.names:
            model = f"{self.result.call.name}, which has {list(self.names)}"
            raise KeyError(f"{name!r} is not a coefficient of {model}")
        return self.names.index(name)


Family = Literal["poisson", "binomial", "gaussian"]
#: glm's stopping rule, a relative change of the deviance. The tightest that still stops: below it the
#: deviance moves by its own rounding.
EPSILON = 1e-14
MAXIT = 100

#: R: a fitted model as a list. ``b`` are its coefficients with NA for what is not estimable, ``V`` their
#: covariance.
REDUCE = program(__package__, "r/asking_reduce")

#: R: a glm fitted again from its own solution. R's glm keeps the weights of the step before its last, so its
#: standard errors have 6 to 9 digits; started at the solution they have 12 or more. Columns that R's default
#: tolerance finds aliased are left out first, because glm's rank tolerance is epsilon / 1000 and a tight
#: epsilon hides them.
REFIT = program(__package__, "r/asking_refit")


#: R: `fit` reduced, after it was fitted again where `again` says so.
REDUCED = "if (again) { r <- refit(fit, epsilon, maxit); reduce(r$model, r$coef, r$vcov) } else reduce(fit)\n"


@dataclass(frozen=True, eq=False)
class RModel(Estimates):
    """A model as R fitted it.

    names: R's coefficient names.  coef, se float[n]: NaN (R's NA) where R finds a coefficient not estimable,
    or its own reference.  vcov float[k, k]: of the ``k`` estimable coefficients, named in ``vcov_names``.
    deviance, null_deviance, loglik, aic: as R defines them for this model; NaN where R has none.
    df_residual, df_null, df: ``df`` belongs to ``loglik``; for gnm it counts the eliminated constants.
    fitted float[rows]: expected counts, a row of the data each.  result: the call, its warnings and output,
    and whether R answered live or a record did.
    """

    vcov_names: tuple[str, ...]
    deviance: float
    df_residual: float
    null_deviance: float
    df_null: float
    loglik: float
    df: float
    aic: float
    fitted: Floats
    converged: bool
    iterations: int

    @property
    def estimable(self) -> tuple[str, ...]:
        """Names of the coefficients R could estimate."""
        return tuple(n for n, b in zip(self.names, self.coef) if not np.isnan(b))


def coefficients_of(result: RResult) -> dict[str, Any]:
    """The fields names, coef, se, vcov and vcov_names from what ``REDUCE`` returned."""
    value = result.as_list()
    coefficients = value.vector("coef")
    names = coefficients.names or ()
    vcov_names, vcov = value.vector("vcov").margin(1), value.vector("vcov").floats()
    coef = coefficients.floats()
    coef[np.isnan(coef)] = np.nan  # R's NA is a signalling NaN, over which numpy warns in every sum
    variance = dict(zip(vcov_names, np.diag(vcov).tolist()))
    known = [not np.isnan(b) and variance.get(name, -1.0) >= 0 for name, b in zip(names, coef)]
    se = np.array([np.sqrt(variance[name]) if ok else np.nan for name, ok in zip(names, known)])
    return {"names": names, "coef": coef, "se": se, "vcov": vcov, "vcov_names": vcov_names}


#: A column's name, or its numbers.
Column = Union[str, Sequence[float]]


def design_columns(
    data: Any, y: Column, weights: Column | None = None, *given: Column | None, groups: Sequence[str] = ()
) -> tuple[dict[str, Floats], Floats, Floats, list[Any]]:
    """The columns of the model matrix, the response, its weights (default 1), and what was given, as numbers.

    Parameters
    ----------
    data : DataFrame, or mapping of str to sequence[rows]
    y, weights, given : str or float[rows], optional
        A column's name, or its numbers; None stays None.
    groups : sequence of str
        Columns that hold labels, and are no part of the design.

    Raises
    ------
    InputError
        There is no such column, none is left, or lengths differ.

    Examples
    --------
    >>> columns, y, w, _ = design_columns({"x": [1, 0], "y": [0.5, 1], "n": [4, 2]}, "y", "n")
    >>> list(columns), y.tolist(), w.tolist()
    (['x'], [0.5, 1.0], [4.0, 2.0])
    """
    there = {str(k): k for k in (data if isinstance(data, Mapping) else data.columns)}
    named = [v for v in (y, weights, *given, *groups) if isinstance(v, str)]
    absent = next((n for n in named if n not in there), None)
    if absent is not None:
        raise InputError(f"there is no column {absent!r}; there are {', '.join(list(there)[:20])}")
    columns = {n: reals(data[k]) for n, k in there.items() if n not in named}
    if not columns:
        raise InputError("no column is left for the model matrix")
    numbers = [data[there[v]] if isinstance(v, str) else v for v in (y, weights, *given)]
    response, weight, *found = (optional(reals, v) for v in numbers)
    weight = np.ones(len(response)) if weight is None else weight
    sizes = {len(v) for v in (*columns.values(), response, weight, *found) if v is not None}
    if len(sizes) > 1:
        raise InputError(f"columns differ in length: {sorted(sizes)} rows")
    return columns, response, weight, found


def columns_matrix(columns: Any) -> RArgument:
    """Columns, of a mapping or a DataFrame, as an R matrix of doubles under their names."""
    return matrix(np.column_stack([reals(v) for _, v in columns.items()]), list(columns))
