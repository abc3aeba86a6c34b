"""`Verification`: the agreements of a fit or of papers, printed in a terminal, shown in a notebook, with the exit
code they lead to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, overload

from ..verdicts.agreement import Agreement, exit_code
from .context import ReportContext, opening

if TYPE_CHECKING:
    import pandas as pd

    from ...report.blocks import Page
    from ..slips.search import Found


#: Columns of the table of one fit, as those of its summary.
WIDTH = 100


@dataclass(frozen=True, repr=False)
class Verification(Sequence[Agreement]):
    """A comparison of native numbers with R, with what is printed and with 50-digit values.

    Attributes
    ----------
    agreements : tuple of Agreement
    context : ReportContext
        The text around them in a report.
    require_r : bool
        Whether numbers that R did not give count as not run.
    found_by_paper : mapping of str to tuple of Found
        What the search for other readings found, by the paper's id.
    interrupted : bool
        Whether the run was interrupted; the agreements are those made before.
    """

    agreements: tuple[Agreement, ...]
    context: ReportContext = field(default_factory=ReportContext)
    require_r: bool = False
    found_by_paper: Mapping[str, tuple[Found, ...]] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def found(self) -> tuple[Found, ...]:
        """What the search for other readings found, paper after paper."""
        return tuple(f for found in self.found_by_paper.values() for f in found)

    @overload
    def __getitem__(self, place: int) -> Agreement:
        ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Agreement]:
        ...

    def __getitem__(self, place: int | slice) -> Agreement | Sequence[Agreement]:
        return self.agreements[place]

    def __len__(self) -> int:
        return len(self.agreements)

    def __iter__(self) -> Iterator[Agreement]:
        return iter(self.agreements)

    @property
    def compared(self) -> int:
        """How many numbers were compared with R or with 50-digit values."""
        return sum(
            a.digits is not None and a.r_arrived or a.certified_digits is not None for a in self.agreements
        )

    @property
    def agrees(self) -> bool:
        """Whether something was compared, nothing needs attention, and everything required was run."""
        return self.compared > 0 and self.exit_code == 0

    @property
    def exit_code(self) -> Literal[0, 1, 2, 3, 130]:
        """As the command ends: 0 done, 1 something differs, 2 something required did not run, 3 a claim or file
        among others was not understood, 130 interrupted.
        """
        return 130 if self.interrupted else exit_code(self.agreements, self.require_r)

    def to_frame(self) -> pd.DataFrame:
        """One row an agreement, with the keys of its JSON."""
        import pandas as pd

        return pd.DataFrame([a.to_dict() for a in self.agreements])

    @property
    def _one_fit(self) -> bool:
        """Whether this is one fit by itself, and nothing printed."""
        return all(a.about == "native-r" and not a.claim for a in self.agreements)

    def _page(self) -> Page:
        from .terminal import side_by_side_page as page

        said = opening(self.agreements, replace(self.context, first_lines=()))
        return page(self.context.title, self.agreements, said, self.context.first_lines)

    def screen(self, full: bool = False, reports: Sequence[str] = ()) -> str:
        """What a command prints: at most 60 lines, what needs attention first; with `full` every number.

        Parameters
        ----------
        full : bool
        reports : sequence of str
            Files with every number, named on the screen.
        """
        from . import terminal

        of = terminal.fit_screen if self._one_fit else terminal.screen
        return of(self.agreements, self.context, full=full, reports=reports).rstrip("\n")

    def __str__(self) -> str:
        from ...report.output import render_text as text_of
        from .rendering import render_text

        if self._one_fit:
            return text_of(self._page(), width=WIDTH).rstrip("\n")
        return render_text(self.agreements, self.context).rstrip("\n")

    def __repr__(self) -> str:
        return (
            f"<Verification: {len(self)} agreements, {self.compared} number{'s' * (self.compared != 1)} compared, exit code"
            f" {self.exit_code}>"
        )

    def _repr_html_(self) -> str:
        from ...report.output import render_fragment

        return render_fragment(self._page())
