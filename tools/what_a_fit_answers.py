"""docs/what-a-fit-answers.md: every model by every verb, asked of real fits; `python -m tools.what_a_fit_answers`.

The fits are those of :mod:`tools.golden`, whose tables are made up.  A cell is what the fit did: an answer, or the
error in its own words.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .golden import VERBS, attempt, models

PAGE = Path(__file__).resolve().parents[1] / "docs" / "what-a-fit-answers.md"
CALLS = {
    "llbt davidson": 'fit_llbt(votes, ties="davidson")',
    "llbt by group": 'fit_llbt(votes, ties="davidson", by="group")',
    "bt formula": 'fit_bradley_terry(votes, formula="size", ties="davidson")',
    "bt probit": 'fit_bradley_terry(votes, link="probit", ties="half")',
    "bt offset": 'fit_bradley_terry(votes, offset="easy", ties="davidson")',
    "bt general ties": 'fit_bradley_terry(votes, ties="davidson", tie_scale=True)',
    "bt reduced bias": 'fit_bradley_terry(votes, reduce_bias="mean", ties="drop")',
    "bt random items": 'fit_bradley_terry(votes, formula="size + (1 | item)", ties="half")',
    "bt random judges": 'fit_bradley_terry(votes, random="item:judge", ties="half")',
    "patterns": 'fit_pattern(pairs, ties="davidson")',
    "patterns dependent": 'fit_pattern(pairs, ties="davidson", dependence=True)',
    "rankings": "fit_pattern(ranks)",
    "ratings": 'fit_pattern(ratings, ties="davidson")',
    "plackett-luce": "fit_plackett_luce(ranks)",
    "classes": "fit_latent_classes(ranks, 2)",
}
HEAD = """# What a fit answers

Models x methods: {answered} of {cells} combinations work, as found by calling them
(`python -m tools.what_a_fit_answers`). A number in brackets is a refusal; its text is below the table and says what to use
instead.

`clustered` gives cluster-robust standard errors, for related answers of a judge, a site or a person: CR1, or CR2 for few
clusters, with its own degrees of freedom. `bootstrap` resamples clusters, comparisons or persons and refits. `profile`
computes likelihood intervals, which need no normal approximation.

"""


def asked() -> dict[str, dict[str, str]]:
    """Model -> verb -> "" for an answer, else the refusal."""
    import pairproof

    found: dict[str, dict[str, str]] = {}
    for name, make in models(pairproof).items():
        fit = make()
        found[name] = {verb: _refusal(attempt(lambda: ask(fit))) for verb, ask in VERBS.items()}
    return found


def _refusal(cell: Any) -> str:
    if isinstance(cell, dict) and "answer" in cell and "warned" in cell:
        cell = cell["answer"]
    return str(cell["error"]).partition(": ")[2] if isinstance(cell, dict) and set(cell) == {"error"} else ""


def page(cells: dict[str, dict[str, str]]) -> str:
    """The page as text."""
    names = list(cells)
    why: list[str] = []
    rows = []
    for verb in VERBS:
        row = []
        for name in names:
            said = cells[name][verb]
            if said and said not in why:
                why.append(said)
            row.append(f"[{why.index(said) + 1}]" if said else "yes")
        rows.append(f"| {verb} | " + " | ".join(row) + " |")
    n = len(names) * len(VERBS)
    answered = n - sum(bool(said) for own in cells.values() for said in own.values())
    lines = [
        "| | " + " | ".join(str(k + 1) for k in range(len(names))) + " |",
        "|---|" + "---|" * len(names),
        *rows,
    ]
    models_listed = [f"{k + 1}. `{CALLS[name]}`" for k, name in enumerate(names)]
    reasons = [f"- [{k + 1}] {said}" for k, said in enumerate(why)]
    return (
        HEAD.format(answered=answered, cells=n)
        + "\n".join(lines)
        + "\n\n## The models\n\n"
        + "\n".join(models_listed)
        + "\n\n## Why not\n\n"
        + "\n".join(reasons)
        + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(asked()), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)
