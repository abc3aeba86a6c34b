"""The blocks of docs/prefmod-defects.md: every defect of prefmod, and the numbers of those that are reproduced."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from pairproof.native.prefmod_defects.defect_catalogue import defects
from tests.native.prefmod_defects.defect_rows import CompatRow, compat_rows

from .tables import markdown


def _number(x: float) -> str:
    """Seven significant digits; a dash where there is no number; what rounds to 0 has no sign."""
    if math.isnan(x):
        return "-"
    return "0" if abs(x) < 1e-5 else f"{x:.7g}"


def _difference(row: CompatRow) -> str:
    if math.isnan(row.prefmod) or math.isnan(row.reproduced):
        return "-"
    gap = abs(row.prefmod - row.reproduced)
    # The last digits are where an iteration of R's stops, which differs between machines: a power of ten is
    # enough, and below 1e-9 rounding decides.
    return f"< 1e{math.ceil(math.log10(max(gap, 5e-10)))}"


def _section(rows: list[CompatRow]) -> str:
    row = rows[0]
    shown = [
        (
            r.quantity,
            _number(r.prefmod),
            _number(r.reproduced),
            _difference(r),
            f"{_number(r.right)}{' (' + r.certified[:22] + '...)' if r.certified else ''}",
        )
        for r in rows
    ]
    table = markdown(("", "prefmod", "with `compat`", "apart", "right"), shown)
    call = " ".join(row.call.split())
    return f"`{call}`, {row.table}.\n\n{table}\nApart: {row.why}.\n"


def numbers() -> str:
    """A section for each defect that is reproduced."""
    rows = compat_rows()
    parts = []
    for d in defects(reproducible=True):
        of = [r for r in rows if r.defect == d.name]
        parts.append(
            f"### {d.id}: {d.words}\n\n{', '.join(f'`{f}`' for f in d.functions)}. prefmod {d.does}\n\nRight: {d.right}"
            f' `compat="{d.option}"`: {d.how}\n'
        )
        for call in dict.fromkeys(r.call for r in of):
            group = [r for r in of if r.call == call]
            parts.append(_section(group))
    return "\n" + "\n".join(parts) + "\n"


def without_numbers() -> str:
    """A table of what is not reproduced, and what to do."""
    rows = [
        (d.id, ", ".join(f"`{f}`" for f in d.functions), f"{d.does} {d.how}")
        for d in defects(reproducible=False)
    ]
    return "\n" + markdown(("", "function", "what happens, and what to do"), rows, right=9) + "\n"


def all_names() -> str:
    """A table of all options."""
    rows = [
        (f"`{d.option}`", d.acts_on, ", ".join(f"`{f}`" for f in d.functions), "yes" if d.told else "by name")
        for d in defects(reproducible=True)
    ]
    heads = ("option", "changes the", "functions", 'part of `compat="prefmod"`')
    return "\n" + markdown(heads, rows, right=9) + "\n"


BLOCKS: Mapping[str, Callable[[], str]] = {
    "prefmod-defect-names": all_names,
    "prefmod-defect-numbers": numbers,
    "prefmod-defects-without-number": without_numbers,
}
