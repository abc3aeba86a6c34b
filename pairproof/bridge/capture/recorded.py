"""What a run of an R script left: the calls of its fitting functions, with their values, and how the run ended.

    script --R, with capture in front of it--> lines of JSON, one a call --> RecordedCall
    script --R's own parser--> expressions, calls, what is shown --> ScriptText

Everything here is data: texts of the script are shown to people, values are nodes (:mod:`pairproof.bridge.values`), and
nothing of either is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..values.values import RList, ROpaque, RValue, RVector

#: How a run ended: by itself, by an error of the script, by quit(status), by the time limit, by a signal.
Ending = Literal["done", "error", "quit", "time", "killed"]

#: What the R side writes in place of a value of more than six million numbers (`most_cells` in r/json.R).
LARGE = ROpaque("large")


class NotRecorded(TypeError):
    """A value of a record that is not there in the form that is asked for; its text is half a sentence."""


@dataclass(frozen=True)
class Place:
    """Where a call stands.

    line, `last`: first and last line, from 1, in the file as the user has it (an Rmd's or Rnw's own lines); 0
    if unknown.  sure: false if several calls of the script have the same text, so that the line is one of
    them.  file: name of the file: the script's, or that of a file it sources.
    """

    line: int
    last: int
    sure: bool = True
    file: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line else "line ?"
        return where + ("" if self.sure else "?")


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """One call of a fitting function, or of a function that takes its result further, as R evaluated it.

    id: in the order in which the calls ended, from 1, over all processes of the run: a call comes after those
    whose values it takes.  function: with its package: "BradleyTerry2::BTm".  text: the call as R deparsed
    it; for people, and for finding the line.  task: number of the script's top-level expression that was
    running, from 1; 0 if unknown (a source()d file).  nth: how often this call of the script has been
    evaluated, from 1 (loops).  variable: R's name that the value was assigned to; "" if to none, or if it is
    not plain.  keys: values of loop variables, and of arguments of functions given to lapply and its kin, at
    the call, where they are one string or number; "name" is the name of the list's element that lapply and
    its kin work on.  via: the package function through which the script called it: "stats::update",
    "psychotree::pltree"; "" if directly.  helper: whether it takes a fit further (BTabilities, anova,
    predict, llbt.worth, ...).  kept: whether arguments and result were recorded; False beyond the limits of a
    call site, where it is only counted.  inner: recorded functions that it called itself, and how often.
    args: text of each argument given, by R's own name of it (`..1` where it has none).  values: evaluated
    arguments; without those that are evaluated in the data (weights, subset, player1, ...).  fits: arguments
    that are fitted models of this run: the `id` of the call that made them.  seed: R's `.Random.seed` at the
    start, if the call drew random numbers.  contrasts: `options("contrasts")` at the call: unordered,
    ordered.  error: R's message if the call failed; "" if it gave a value.  result: what it returned, by the
    names that `docs/migrate.md` and capture/numbers.R list; {} if it failed or was only counted.  process:
    process id of the R process (forks and workers have their own).
    """

    id: int
    function: str
    text: str
    place: Place
    task: int = 0
    nth: int = 1
    variable: str = ""
    keys: Mapping[str, str | float | int] = field(default_factory=dict)
    via: str = ""
    helper: bool = False
    kept: bool = True
    seconds: float = 0.0
    inner: Mapping[str, int] = field(default_factory=dict)
    args: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, RValue] = field(default_factory=dict)
    fits: Mapping[str, int] = field(default_factory=dict)
    seed: tuple[int, ...] | None = None
    contrasts: tuple[str, ...] = ()
    na_action: str = ""
    warnings: tuple[tuple[str, str], ...] = ()
    error: str = ""
    result: Mapping[str, RValue] = field(default_factory=dict)
    process: str = ""

    @property
    def package(self) -> str:
        """ "BradleyTerry2" of "BradleyTerry2::BTm"."""
        return self.function.partition("::")[0]

    @property
    def name(self) -> str:
        """ "BTm" of "BradleyTerry2::BTm"."""
        return self.function.partition("::")[2]

    def vector(self, key: str) -> RVector | None:
        """An atomic vector of the result; None if it is absent or NULL."""
        found = self.result.get(key)
        if found is None or isinstance(found, RVector):
            return found
        if found == LARGE:
            raise NotRecorded(
                f"{key} of its result has more than 6,000,000 numbers, which is the most that is recorded"
            )
        raise NotRecorded(f"{key} of its result is {type(found).__name__}, expected a vector")

    def number(self, key: str) -> float | None:
        """One number of the result; None if it is absent, NULL or NA."""
        found = self.vector(key)
        if found is None or found.values.size != 1 or found.na.ravel()[0]:
            return None
        return float(found.floats().ravel()[0])

    def strings(self, key: str) -> tuple[str, ...]:
        """Strings of the result; () if it is absent."""
        found = self.vector(key)
        return (
            ()
            if found is None
            else tuple("NA" if v is None else str(v) for v in found.values.ravel().tolist())
        )

    def frame(self, key: str) -> RList | None:
        """A data frame or list of the result; None if it is absent."""
        found = self.result.get(key)
        return found if isinstance(found, RList) else None


@dataclass(frozen=True)
class Shown:
    """Something that the script prints of a fit, read off its text.

    function: "" for what is printed otherwise; "print" for a bare name or print(m); else the function
    applied: "summary", "coef", "vcov", "confint", "deviance", "logLik", "AIC", "BIC", "fitted", "residuals",
    "plot", ... ; for print(summary(m)), "summary".  variable: R's name of the fit; "" if the argument is a
    call (`summary(BTm(...))`): that of the same `task` then.  inside_loop: whether it stands in a loop or in
    a function given to lapply and its kin.  printed: whether R prints it: a top-level expression by itself,
    or an explicit print or cat. False inside a loop without print().
    """

    place: Place
    task: int
    function: str
    variable: str
    text: str
    inside_loop: bool = False
    printed: bool = True


@dataclass(frozen=True)
class Mentioned:
    """A call that stands in the script's text, whether it was reached or not.

    function: as written, without its package.  package: "" if none is written.  variable: that its value is
    assigned to, "" if none.
    """

    place: Place
    task: int
    function: str
    package: str
    text: str
    variable: str = ""


@dataclass(frozen=True)
class ScriptText:
    """What R's parser says of the script.

    name: file name.  lines: the user's file.  expressions: of each top-level expression of the code; its
    number is its place here, from 1.  mentioned: every call of a function.  packages: packages that the
    script names (library, require, ::), and whether they are installed.  loop_variables: of `for`, and
    arguments of functions written inside a call.
    """

    name: str
    kind: Literal["R", "Rmd", "Rnw"]
    lines: tuple[str, ...]
    expressions: tuple[Place, ...]
    shown: tuple[Shown, ...]
    mentioned: tuple[Mentioned, ...]
    packages: Mapping[str, bool]
    loop_variables: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Captured:
    """A run of a script.

    calls: in the order in which they ended.  message: how it ended, in words with the cure ("stopped after
    600 s; ..."); R's last error; "" if "done".  exit_code: R's own.  whole: whether R wrote its last record
    (False: killed; what stands is still good).  lost: calls that could not be recorded; `why_lost` says why
    one of them.  r_version: "4.2.2".  packages: versions of the packages loaded at the end.  kind: RNGkind().
    output_bytes: of R's output; what is beyond the limit is dropped.  output: R's standard output, up to the
    limit.  changed: variables whose fits the script changed after they were made, and the expressions that
    did.
    """

    text: ScriptText
    calls: tuple[RecordedCall, ...]
    ending: Ending
    message: str
    exit_code: int | None
    whole: bool
    lost: int
    why_lost: str
    r_version: str
    platform: str
    packages: Mapping[str, str]
    kind: tuple[str, ...]
    seconds: float
    output_bytes: int
    output: str
    sandboxed: bool
    changed: tuple[tuple[str, Place], ...] = ()
