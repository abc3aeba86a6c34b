"""A bootstrap as text and as a JSON object."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...errors import PairproofWarning
from .limits import Method, WithLimits


def summary(drawn: WithLimits, level: float, rows: int) -> str:
    """See :meth:`pairproof.native.resampling.result.Bootstrap.summary`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PairproofWarning)  # the cautions below say it
        limits, se = drawn.conf_int(level), drawn.se
    infinite, undefined = drawn.n_infinite, drawn.n_undefined
    width = max(8, *(len(name) for name in drawn.names[:rows]))
    head = (
        f"{'':<{width}} {'estimate':>10} {'se':>10} {'low':>10} {'high':>10} {'infinite':>9} {'undefined':>9}"
    )
    title, _, how = drawn.title.partition("; ")
    lines = [title, f"{drawn.n_replicates} replicates, seed {drawn.seed}; {how}", "", head]
    for k, name in enumerate(drawn.names[:rows]):
        numbers = (drawn.estimate[k], se.iloc[k], limits["low"].iloc[k], limits["high"].iloc[k])
        lines.append(
            f"{name:<{width}} "
            + " ".join(f"{v:>10.4f}" for v in numbers)
            + f" {infinite.iloc[k]:>9d} {undefined.iloc[k]:>9d}"
        )
    if len(drawn.names) > rows:
        lines.append(f"... and {len(drawn.names) - rows} more")
    lines += ["", f"{100 * level:g}% percentile limits.", *cautions(drawn)]
    return "\n".join(lines)


def cautions(drawn: WithLimits) -> list[str]:
    """What a reader has to know of these replicates."""
    out = []
    n = drawn.n_replicates
    if drawn.n_separated:
        out.append(
            f"{drawn.n_separated} of {n} replicates separate: their infinite estimates are kept in the limits, and make"
            " a standard error infinite."
        )
    if drawn.n_failed:
        out.append(f"{drawn.n_failed} of {n} replicates have no fit; all of their quantities are undefined.")
    if drawn.n_undefined.any():
        out.append(
            "Undefined: an item was absent from a replicate or could not be compared; not in the limits."
        )
    if len(drawn.columns) == 2:
        out.append("The two-way bootstrap is conservative (Owen 2007).")
    if drawn.alone:
        which = ", ".join(f"{n} ({c})" for n, c in list(drawn.alone.items())[:4])
        more = f" and {len(drawn.alone) - 4} more" if len(drawn.alone) > 4 else ""
        out.append(f"Fitted from one cluster alone, so without errors and limits: {which}{more}.")
    few = [f"{g} by {c}" for c, g in zip(drawn.columns, drawn.n_clusters) if g < FEW]
    if few:
        out.append(f"Few clusters ({', '.join(few)}): the intervals are too narrow; see pairproof.wild_test.")
    return out


#: Below this many clusters a cluster bootstrap is rough (MacKinnon and Webb 2017, Journal of Applied
#: Econometrics 32, 233-254).
FEW = 20


def number(value: float) -> float | None:
    """The number, or None: JSON has neither nan nor infinity."""
    return float(value) if math.isfinite(value) else None


def as_dict(drawn: WithLimits, level: float, method: Method) -> dict[str, Any]:
    """See :meth:`pairproof.native.resampling.result.Bootstrap.to_dict`."""
    limits, se = drawn.conf_int(level, method), drawn.se
    infinite, undefined = drawn.n_infinite, drawn.n_undefined
    rows = []
    for k, name in enumerate(drawn.names):
        low, high = float(limits["low"].iloc[k]), float(limits["high"].iloc[k])
        rows.append(
            {
                "name": name,
                "estimate": number(drawn.estimate[k]),
                "se": number(se.iloc[k]),
                "low": number(low),
                "high": number(high),
                "infinite_limits": [w for w, v in (("low", low), ("high", high)) if np.isinf(v)],
                "n_infinite": int(infinite.iloc[k]),
                "n_undefined": int(undefined.iloc[k]),
            }
        )
    out: dict[str, Any] = {
        "title": drawn.title,
        "columns": list(drawn.columns),
        "n_clusters": list(drawn.n_clusters),
        "replicates": drawn.n_replicates,
        "seed": drawn.seed,
        "level": level,
        "method": method,
        "n_separated": drawn.n_separated,
        "n_failed": drawn.n_failed,
        "quantities": rows,
        "cautions": cautions(drawn),
    }
    if drawn.items:
        out["p_best"] = {item: number(p) for item, p in drawn.p_best().items()}
    return out
