"""Where the paper's verdicts turn: methods over a grid of shifts and contexts.

The claims of Sakaguchi and Van Durme (2018) that RA and EASL need fewer judgments than direct assessment
depend on how annotators differ and on what showing items together does. Here every method is run over shifts
(standard deviation of annotator and session together) and contexts, and the two claims are answered as
sentences with the assumptions under which they hold. A difference counts if it is more than two standard
errors of the replicates, which are paired: every method has the same people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....errors import InputError
from ..beta import FloatArray
from ..methods import Method
from .panel_simulation import PanelRun, run_panel, turning
from .simulated_panel import Context, Panel

#: Shifts of the grid: none, and up to twice that of WMT21's direct assessment (.14).
SHIFTS = (0.0, 0.1, 0.2, 0.3)
#: A difference must be this many standard errors to count.
CLEAR = 2.0


@dataclass(frozen=True, eq=False)
class Grid:
    """Runs of one truth over shifts and contexts.

    Attributes
    ----------
    shifts : tuple of float
        Rising.
    contexts : tuple of Context
    runs : tuple of tuple of PanelRun
        By context, then shift.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.panel_grid import panel_grid
    >>> from pairproof.native.annotation.simulated.simulated_panel import Panel
    >>> found = panel_grid(np.linspace(0, 1, 30), Panel(sd=0.1), shifts=(0.0, 0.4), methods=("da",), after=(3,),
    ...                    replicates=2)
    >>> found.curve("da", 3).shape
    (2,)
    """

    shifts: tuple[float, ...]
    contexts: tuple[Context, ...]
    runs: tuple[tuple[PanelRun, ...], ...]

    def curve(self, method: str, after: int, context: int = 0) -> FloatArray:
        """float[shifts]: mean of Spearman's rho.

        Raises
        ------
        InputError
            A method, number of judgments or context that was not run.
        """
        found: FloatArray = self._rho(method, after, context).mean(axis=1)
        return found

    def ahead(self, first: str, second: str, after: int, context: int = 0) -> FloatArray:
        """float[shifts]: mean difference first - second where it is clear, else 0.

        Raises
        ------
        InputError
            A method, number of judgments or context that was not run.
        """
        gap = self._rho(first, after, context) - self._rho(second, after, context)
        mean = gap.mean(axis=1)
        if gap.shape[1] < 2:
            raise InputError("one replicate has no standard error; expected two or more")
        clear = np.abs(mean) > CLEAR * gap.std(axis=1, ddof=1) / np.sqrt(gap.shape[1])
        found: FloatArray = np.where(clear, mean, 0.0)
        return found

    def turning(self, first: str, second: str, after: int, context: int = 0) -> tuple[float, float] | None:
        """Between which shifts the first passes the second; see :func:`panel_simulation.turning`.

        Raises
        ------
        InputError
            A method, number of judgments or context that was not run.
        """
        return turning(
            self.shifts,
            self.curve(first, after, context).tolist(),
            self.curve(second, after, context).tolist(),
        )

    def _rho(self, method: str, after: int, context: int) -> FloatArray:
        """float[shifts, replicates]."""
        if not 0 <= context < len(self.contexts):
            raise InputError(f"context number {context}; expected 0 to {len(self.contexts) - 1}")
        first = self.runs[context][0]
        if method not in first.methods or after not in first.after:
            raise InputError(
                f"{method} after {after} judgments an item was not run; expected one of {', '.join(first.methods)}"
                f" after {', '.join(map(str, first.after))}"
            )
        place = first.methods.index(method), first.after.index(after)
        return np.stack([run.rho[place] for run in self.runs[context]])


def panel_grid(
    truth: FloatArray,
    panel: Panel,
    shifts: Sequence[float] = SHIFTS,
    contexts: Sequence[Context] = (Context(),),
    methods: Sequence[Method] = ("da", "random", "easl", "ra"),
    after: Sequence[int] = (4, 10),
    replicates: int = 12,
    per_hit: int = 5,
    seed: int = 0,
) -> Grid:
    """Run every method for every shift and context; the shift and context of `panel` are replaced.

    Parameters
    ----------
    truth : float[n_items]
        In [0, 1], not all the same.
    panel : Panel
    shifts : sequence of float
        Rising, >= 0.
    contexts : sequence of Context

    Other parameters are those of :func:`pairproof.native.annotation.simulated.panel_simulation.run_panel`.

    Returns
    -------
    Grid

    Raises
    ------
    InputError
        A value out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.panel_grid import panel_grid
    >>> from pairproof.native.annotation.simulated.simulated_panel import Panel
    >>> found = panel_grid(np.linspace(0, 1, 30), Panel(sd=0.1), shifts=(0.0, 0.4), methods=("da",), after=(3,),
    ...                    replicates=2)
    >>> bool(found.curve("da+", 3)[1] > found.curve("da", 3)[1])
    True
    """
    if not shifts or list(shifts) != sorted(set(shifts)):
        raise InputError(f"shifts={tuple(shifts)}; expected rising numbers")
    if not contexts:
        raise InputError("no context; expected one or more, such as none")
    runs = tuple(
        tuple(
            run_panel(
                truth,
                replace(panel, shift=float(shift), context=context),
                methods,
                after,
                replicates,
                per_hit,
                seed,
            )
            for shift in shifts
        )
        for context in contexts
    )
    return Grid(tuple(map(float, shifts)), tuple(contexts), runs)


def _name(context: Context) -> str:
    return "none" if context.kind == "none" else f"{context.kind}:{context.factor:g}"


def _shifts(shifts: Sequence[float], which: Sequence[bool]) -> str:
    return ", ".join(f"{s:g}" for s, w in zip(shifts, which) if w)


def verdict_on_ra(grid: Grid, after: int, context: int = 0) -> str:
    """Whether RA beats direct assessment, and under which shifts, as a sentence.

    Parameters
    ----------
    grid : Grid
        With the methods da, random, easl and ra, two replicates or more.
    after : int
        Judgments an item.
    context : int
        Number of the grid's context.

    Returns
    -------
    str

    Raises
    ------
    InputError
        A method, number of judgments or context that was not run.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.panel_grid import panel_grid, verdict_on_ra
    >>> from pairproof.native.annotation.simulated.simulated_panel import Panel
    >>> found = panel_grid(np.linspace(0, 1, 30), Panel(sd=0.1), shifts=(0.0,), after=(3,), replicates=3)
    >>> verdict_on_ra(found, 3).partition(";")[0]
    'RA does not beat raw direct assessment at any shift (0)'
    """
    raw = grid.ahead("ra", "da", after, context) > 0
    corrected = (grid.ahead("ra", "random+", after, context) > 0) | (
        grid.ahead("ra", "easl+", after, context) > 0
    )
    if raw.any():
        first = f"RA beats raw direct assessment at shifts {_shifts(grid.shifts, raw.tolist())}"
        if not raw.all():
            first += f" and not at {_shifts(grid.shifts, (~raw).tolist())}"
    else:
        first = (
            f"RA does not beat raw direct assessment at any shift ({_shifts(grid.shifts, [True] * len(raw))})"
        )
    if corrected.any():
        return f"{first}; it beats HITs corrected by the annotator model at {_shifts(grid.shifts, corrected.tolist())}"
    return f"{first}; it never beats HITs corrected by the annotator model"


def verdict_on_easl(grid: Grid, after: int) -> str:
    """Whether EASL's gain over direct assessment is its choice of items or their being shown together.

    Parameters
    ----------
    grid : Grid
        With the methods da, random and easl, two replicates or more.
    after : int
        Judgments an item.

    Returns
    -------
    str
        A clause for each context; corrected scores, at the first shift of the grid.

    Raises
    ------
    InputError
        A method or number of judgments that was not run.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.panel_grid import panel_grid, verdict_on_easl
    >>> from pairproof.native.annotation.simulated.simulated_panel import Context, Panel
    >>> found = panel_grid(np.linspace(0, 1, 40), Panel(0.3, scale=0.0, noise_spread=0.0, careless=0.0), shifts=(0.0,),
    ...                    contexts=(Context("uniform", 0.3),), after=(2,), replicates=4)
    >>> verdict_on_easl(found, 2).partition(":")[0]
    'context uniform'
    """
    clauses = []
    for k, context in enumerate(grid.contexts):
        over_da = float(grid.ahead("easl+", "da+", after, k)[0])
        together = float(grid.ahead("random+", "da+", after, k)[0])
        choice = float(grid.ahead("easl+", "random+", after, k)[0])
        clauses.append(
            f"context {_name(context)}: EASL is {_gain(over_da)} direct assessment, random HITs are {_gain(together)}"
            f" it, and EASL's choice of items is {_gain(choice)} a random one"
        )
    return "; ".join(clauses)


def _gain(difference: float) -> str:
    if difference == 0.0:
        return "not clearly different from"
    return f"{abs(difference):.3f} {'above' if difference > 0 else 'below'}"
