"""How `fit` and `fit-answers` end: errors by cluster, many comparisons, R beside it, and what is written.

Their options are one list, checked in one place, and one function gives the result and its exit code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import NotEstimableError
from ..state import READ, SHARE, WRITTEN, Decorated, State, choice, gathered, options
from .reading import KINDS, names, taken
from .verifying import r_options

if TYPE_CHECKING:
    from ...bridge.process.policy import Mode
    from ...data.comparisons import Comparisons
    from ...data.respondents.respondents import Respondents
    from ...fit.fit import Fit
    from ...fit.many.comparison_results import AgainstTheBest, Contrasts
    from ...fit.robust.clustered_fit import Kind, Missing
    from ..reports.asked import Asked


#: Families of differences by their names on the command line.
FAMILIES = {
    "all-pairs": "all pairs",
    "against-one": "against one",
    "against-best": "against the best",
    "against-mean": "against the mean",
}
_MANY = options(
    "Many comparisons",
    {
        "--ranks": "Confidence sets of ranks, letters, and the items that may be best.",
        "--contrasts": "Differences with simultaneous intervals and adjusted p-values.",
        "--against ITEM": "The item of --contrasts against-one.",
        "--adjust": "p-values of --contrasts; default: single-step (max-t).",
        "--level": ("Level of --ranks and --contrasts; default: 0.95.", SHARE),
    },
    contrasts=choice(*FAMILIES, name="family"),
    adjust=choice("single-step", "holm", "bh", "none"),
)
_VERIFY = (
    options("R", {"--verify": "Compute the same in R, and show how many digits agree."}),
    r_options,
    options(
        "R",
        {"--to-r SCRIPT.R": "Write an R script that reproduces the fit."},
        to_r={"name": "script", "type": WRITTEN},
    ),
)


def ending_options(
    reader: Callable[[Decorated], Decorated], columns: str, help: str, kind: Kind, said: str = ""
) -> Callable[[Decorated], Decorated]:
    """The options around those of a `reader`; the command gets `ending`.

    columns: metavar of --cluster.  kind: of the standard errors by cluster by default; said: more about it.
    """
    robust = options(
        "Standard errors",
        {
            f"--cluster {columns}": help,
            "--cluster-kind": (f"Small-sample correction; default: {kind}{said}.", choice(*KINDS)),
            "--cluster-missing": "Rows without COL: an error (default), or one cluster each.",
            "--rows VOTES": "The votes behind the counts in FILE (path or quoted glob), for clusters and comparison terms.",
        },
        cluster_missing=choice("refuse", "own"),
        rows=READ,
    )

    def gather(command: Callable[..., Any], given: dict[str, Any]) -> Any:
        asked = taken(given, [f.name for f in fields(Ending) if f.name != "kind"])
        return command(ending=Ending(kind=kind, **asked), **given)

    return gathered((robust, _MANY, reader, *_VERIFY), gather)


@dataclass(frozen=True)
class Ending:
    """What is asked of a fit once it is made; None where an option was not given."""

    kind: Kind
    cluster: str | None
    cluster_kind: Kind | None
    cluster_missing: Missing | None
    rows: str | None
    ranks: bool
    family: str | None
    against: str | None
    adjust: str | None
    level: float | None
    verify: bool
    r: Mode | None
    require_r: bool
    full: bool
    script: str | None

    def __post_init__(self) -> None:
        """Refuse options that have no effect, or contradict each other."""
        add = f"no effect without --cluster; add --cluster {'judge' if self.kind == 'CR2' else 'person'}."
        none, alone = self.family is None, self.cluster is None
        families = none and (self.against is not None or self.adjust is not None)
        level = none and self.level is not None and not self.ranks
        one = (self.family == "against-one") != (self.against is not None)
        best = self.family == "against-best" and self.adjust not in (None, "single-step")
        of_r = not self.verify and (self.r is not None or self.require_r or self.full)
        verdicts = not self.verify and click.get_current_context().ensure_object(State).junit
        refused = {
            "--against and --adjust have no effect without --contrasts; add --contrasts.": families,
            "--level has no effect without --ranks or --contrasts; add one of them.": level,
            "--contrasts against-one and --against ITEM must be used together.": one,
            "--contrasts against-best has its own simultaneous method (Hsu); omit --adjust.": best,
            "--r, --require-r and --full have no effect without --verify; add --verify.": of_r,
            "a JUnit report (.xml) lists verdicts, which need --verify; add --verify.": verdicts,
            f"--cluster-kind has {add}": alone and self.cluster_kind is not None,
            f"--cluster-missing has {add}": alone and self.cluster_missing is not None,
        }
        for why, wrong in refused.items():
            if wrong:
                raise click.UsageError(why)

    def give(
        self,
        state: State,
        table: Comparisons | Respondents,
        fit: Fit,
        other: Fit | None = None,
        **answers: Any,
    ) -> int:
        """Ask R, write the script and give the fit, with verdicts as their report; the exit code.

        other: the model to compare with.  answers: what is asked of whole answers, as for `Asked`.
        """
        import pairproof

        from ..reports import fitted as report

        if self.cluster is not None:
            # In a table of whole answers without a column person each row is one.
            alone = fit.answers is not None and self.cluster == "person" and "person" not in table.columns
            columns = () if alone else names(self.cluster)
            kind = self.cluster_kind or (self.kind if self.rows is None else None)
            fit = fit.clustered(*columns, kind=kind, missing=self.cluster_missing or "refuse", rows=self.rows)
        asked = self._asked(fit, state.seed or 0, other, answers)
        agreements: Any = pairproof.verify(fit, r=self.r) if self.verify else None
        if self.script is not None:
            state.write(Path(self.script), fit.to_r(), ".r")
            state.say(f"R script: {self.script}")
        document = fit.to_dict()
        shown = "\n\n".join(filter(None, [fit.summary(), report.effects_text(fit), asked.text()]))
        if state.json:
            for warning in document["warnings"]:
                state.say(f"Warning: {warning}")
        code = 0
        if agreements is None:
            state.give(
                lambda: report.fit_page(asked), lambda: document | asked.document(), terminal=lambda: shown
            )
        else:
            from ...validation.report.rendering import output
            from ...validation.verdicts.agreement import exit_code, to_document

            beside_r = agreements.screen(self.full, [*map(str, state.reports)])
            verdicts = output(agreements, report.context(fit, agreements))
            document |= to_document(agreements) | asked.document()
            state.give_beside(verdicts, document, lambda: f"{shown}\n\n{beside_r}")
            code = exit_code(agreements, self.require_r)
        if not fit.stopping.reached:
            state.say(f"not converged: {fit.stopping.rule} was not reached in {fit.stopping.steps} steps")
            return 2
        return code

    def _asked(self, fit: Fit, seed: int, other: Fit | None, answers: dict[str, Any]) -> Asked:
        """With the rank sets and families that were asked for, of every group of the fit."""
        from ..reports.asked import Asked

        level = self.level or 0.95
        ranks = {g: fit.ranks(level, group=g, seed=seed) for g in fit.groups} if self.ranks else {}
        contrasts: dict[str, Contrasts | AgainstTheBest | str] = {}
        if self.family is not None:
            how: dict[str, Any] = {"family": FAMILIES[self.family], "against": self.against, "level": level}
            how |= {"adjust": self.adjust or "single-step", "seed": seed}
            for group in fit.groups:
                try:
                    contrasts[group] = fit.contrasts(group=group, **how)
                except NotEstimableError as error:
                    contrasts[group] = str(error)
        return Asked(fit, ranks, contrasts, other, **answers)
