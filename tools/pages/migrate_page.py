"""The tables of "From an R script to Python": what came of each script, from `tools/pages/migrate.json`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .migrate_runs import CORPUS, GROUPS, example, kept, versions
from .tables import block, markdown, shown

Row = Mapping[str, Any]
#: The last line of a run of pytest in which nothing failed.
PASSED = re.compile(r"\d+ passed in [\d.]+s")
HEADS = ("", "calls", "native", "bridge", "left out", "other", "helpers", "numbers", "agree", "explained", "differ",
         "neither", "digits", "in", "s")  # fmt: skip
LABELS = {
    "scripts": "ten analysts' scripts",
    "papers": "Dras (2015); Turner and Firth (2012)",
    "vignettes": "BradleyTerry2's vignette, as .R and .Rnw",
    "BradleyTerry2": "BradleyTerry2's help pages",
    "prefmod": "prefmod's help pages",
    "psychotools": "psychotools' help pages of paired comparisons",
    "PlackettLuce": "PlackettLuce's help pages",
}
NUMBERS = ("numbers", "agree", "explained", "differ")
#: States of a call that have no column of their own, in words.
OTHER = {"refused": "refused by Python", "failed": "fails in R too", "counted": "counted only"}


def rows_of(*groups: str) -> list[Row]:
    """The scripts of some groups, those that could be run first."""
    return [row for row in kept() if row["group"] in groups]


def _calls(states: Mapping[str, int], calls: int) -> tuple[str, ...]:
    other = ", ".join(f"{states[s]} {word}" for s, word in OTHER.items() if states.get(s))
    known = (states.get(s, 0) for s in ("native", "bridge", "outside"))
    return (_number(calls), *(_number(n) for n in known), other)


def _unchecked(row: Row) -> int:
    """Numbers that are not estimable from the data, or cannot be checked."""
    return int(row["numbers"]) - sum(int(row[k]) for k in ("agree", "explained", "differ"))


def _in_table(text: str) -> str:
    """R's names with what would end a cell or a name written otherwise."""
    return text.replace("`", "").replace("|", "\\|").replace("[", "\\[")


def _number(n: int) -> str:
    return f"{n:,}" if n else ""


def summary() -> str:
    """A line a group."""
    lines = []
    for group in GROUPS:
        rows = [r for r in rows_of(group) if "error" not in r]
        states: Counter[str] = sum((Counter(r["states"]) for r in rows), Counter())
        helpers: Counter[str] = sum((Counter(r["helper_states"]) for r in rows), Counter())
        digits = [r["fewest"] for r in rows if r["fewest"] is not None]
        lines.append(
            (
                LABELS[group],
                str(len(rows)),
                *_calls(states, sum(states.values())),
                f"{sum(helpers.values())}, {helpers['native']} native" if helpers else "",
                *(_number(sum(r[k] for r in rows)) for k in NUMBERS),
                _number(sum(map(_unchecked, rows))),
                shown(min(digits, default=None)),
            )
        )
    heads = ("", "scripts", *HEADS[1:13])
    known = ", ".join(f"{name} {version}" for name, version in versions().items() if version)
    return f"\n{markdown(heads, lines)}\n{_by_themselves()}\n\nWith {known}.\n"


def _by_themselves() -> str:
    """How the files that were written did, and whether recording changed what R prints."""
    rows = [r for r in kept() if "error" not in r]
    wrote = [r for r in rows if r["analysis"]]
    ran = [r for r in wrote if r["analysis"] == "runs"]
    tests = [int(r["tests"].split()[0]) for r in rows if " passed" in r["tests"]]
    failed = [
        f"`{r['name']}` ({r['tests']})" for r in rows if r["tests"] and not PASSED.fullmatch(r["tests"])
    ]
    compared = [r for r in rows if r["same_output"] is not None]
    other = [f"`{r['name']}`" for r in compared if not r["same_output"]]
    said = f"{len(ran)} of the {len(wrote)} Python scripts ran by themselves; {sum(tests)} regression tests passed"
    said += f", all but those of {', '.join(failed)}" if failed else ", and none failed"
    said += f". What R prints was the same byte for byte with the recording as without it on {len(compared) - len(other)}"
    said += f" of {len(compared)} scripts" + (f"; not on {', '.join(other)}" if other else "")
    return said + "."


def why(of: str, head: str, what: str) -> str:
    """Reasons of calls or numbers, the commonest first, and of how many scripts or numbers."""
    found: Counter[str] = Counter()
    for row in kept():
        found.update(row.get(of, {}))
    listed = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    return block([markdown((head, what), [(_in_table(r), str(n)) for r, n in listed])])


def shown_example(fence: str, key: str, before: str = "") -> str:
    """A part of the walk-through in a fence."""
    return f"\n```{fence}\n{before}{example()[key].rstrip()}\n```\n"


def example_script() -> str:
    """The R script of the walk-through."""
    text = (CORPUS / "scripts" / example()["name"] / "analysis.R").read_text(encoding="utf-8")
    return f"\n```r\n{text}```\n"


BLOCKS = {
    "migrate-summary": summary,
    "migrate-reasons": lambda: why("reasons", "reason, as pairproof gives it", "scripts"),
    "migrate-explanations": lambda: why("explanations", "explanation, as the report has it", "numbers"),
    "migrate-example-script": example_script,
    "migrate-example-printed": lambda: shown_example("text", "printed", "$ pairproof migrate analysis.R\n"),
    "migrate-example-python": lambda: shown_example("python analysis.py", "python"),
}
