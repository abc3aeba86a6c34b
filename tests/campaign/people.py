"""Four simulated annotators for whole campaigns, and the items that they judge.

careful
    scores near the truth (noise sd .07)
careless
    says 50 two times in three, else anything from 30 to 100, in 6 to 14 seconds a HIT
shifted
    .18 above the others, and uses a little less of the scale (.9)
late
    returns a batch when the next one is out, and every HIT twice: the second time under another AssignmentId,
    later, and with some scores changed by 8

A file of results depends on the batch, the truth and the seed only, so that a campaign that was interrupted
can be repeated.
"""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pairproof.files.outputs import unguard

#: Score = middle + shift + scale (truth - middle) + noise; None: does not look at the item.
MIDDLE = 0.6
WAYS: dict[str, tuple[float, float, float] | None] = {
    "careful": (0.0, 1.0, 0.07),
    "careless": None,
    "shifted": (0.18, 0.9, 0.08),
    "late": (-0.03, 1.0, 0.10),
}
PEOPLE = tuple(WAYS)
#: Share of "cannot judge" of all but the careless, and the change of the late one's second answers.
BLANK, CHANGE = 0.01, 8
#: First day of work: batch b is done b days later.
FIRST_DAY = dt.datetime(2026, 3, 2, 9, tzinfo=dt.timezone.utc)
#: Mean of each system's true scores, best first, and how much a degraded item loses.
SYSTEMS = {"n": 0.70, "s": 0.66, "e": 0.60, "w": 0.50}
DAMAGE = 0.25


@dataclass(frozen=True)
class Truth:
    """An items file and the true score of each item by its id."""

    file: Path
    score: dict[str, float]


def walk_items(folder: Path, sources: int = 15, degraded: int = 10, seed: int = 5) -> Truth:
    """Items of the whole-campaign test: every source by four systems, and degraded copies of some of them."""
    rng = np.random.default_rng(seed)
    header = ["id", "sent", "role", "of", "source", "system"]
    rows, score = [], {}
    for k in range(sources):
        of_source = rng.normal(0, 0.1)
        for system, mean in SYSTEMS.items():
            name = f"{system}-{k + 1:02d}"
            rows.append(
                [
                    name,
                    f"Sentence {k + 1} in the words of translator {len(rows)}",
                    "item",
                    "",
                    f"d{k + 1:02d}",
                    system,
                ]
            )
            score[name] = float(np.clip(mean + of_source + rng.normal(0, 0.05), 0.02, 0.98))
    for row in [rows[k] for k in rng.choice(len(rows), degraded, replace=False)]:
        name = f"x-{row[0]}"
        rows.append([name, f"{row[1]} with other words", "degraded", row[0], row[4], row[5]])
        score[name] = max(score[row[0]] - DAMAGE, 0.02)
    path = folder / "items.csv"
    _write(path, header, [dict(zip(header, row)) for row in rows])
    return Truth(path, score)


def returned(batch: Path, truth: Mapping[str, float], folder: Path, seed: int = 1) -> dict[str, Path]:
    """Write what each annotator sends back for a batch (a CSV file of `easl next`).

    Returns
    -------
    dict
        The files of `PEOPLE`, and "late-again" with the late one's second answers.
    """
    hits = list(csv.DictReader(batch.open(encoding="utf-8", newline="")))
    files = {who: _judged(hits, truth, who, seed) for who in PEOPLE}
    files["late-again"] = _again(files["late"], np.random.default_rng([seed, int(hits[0]["batch"]), 99]))
    written = {}
    for name, rows in files.items():
        written[name] = folder / f"{hits[0]['batch']}-{name}.csv"
        _write(written[name], list(rows[0]), rows)
    return written


def said(who: str, truth: float, rng: np.random.Generator) -> int:
    """One score from 0 to 100."""
    way = WAYS[who]
    if way is None:
        return 50 if rng.random() < 2 / 3 else int(rng.integers(30, 101))
    shift, scale, noise = way
    value = MIDDLE + shift + scale * (truth - MIDDLE) + rng.normal(0, noise)
    return int(np.clip(round(100 * value), 0, 100))


def _judged(
    hits: Sequence[Mapping[str, str]], truth: Mapping[str, float], who: str, seed: int
) -> list[dict[str, str]]:
    """The rows of one annotator's results file: one a HIT."""
    batch = int(hits[0]["batch"])
    rng = np.random.default_rng([seed, batch, PEOPLE.index(who)])
    slots = sorted(int(name[2:]) for name in hits[0] if name.startswith("id") and name[2:].isdigit())
    rows = []
    for place, hit in enumerate(hits):
        seconds = int(rng.integers(6, 15) if WAYS[who] is None else rng.integers(40, 151))
        begun = FIRST_DAY + dt.timedelta(days=batch, minutes=5 * place)
        row = {
            "HITId": f"H{batch}-{hit['hit']}",
            "AssignmentId": f"A-{who}-{batch}-{hit['hit']}",
            "WorkerId": f"W-{who}",
            "AcceptTime": _stamp(begun),
            "SubmitTime": _stamp(begun + dt.timedelta(seconds=seconds)),
            "WorkTimeInSeconds": str(seconds),
            **{f"Input.{name}": hit[name] for name in ("campaign", "batch", "hit")},
        }
        for k in slots:
            name = hit[f"id{k}"]
            row[f"Input.id{k}"] = name
            blank = WAYS[who] is not None and rng.random() < BLANK
            true = truth.get(name, truth.get(unguard(name)))
            row[f"Answer.range{k}"] = "" if blank or true is None else str(said(who, true, rng))
            row[f"Answer.na{k}"] = "on" if blank and name else ""
        rows.append(row)
    return rows


def _again(rows: Sequence[Mapping[str, str]], rng: np.random.Generator) -> list[dict[str, str]]:
    """The same HITs once more, two days later, under other AssignmentIds and with half of the scores changed."""
    later = dt.timedelta(days=2)
    found = []
    for row in rows:
        again = dict(row)
        again["AssignmentId"] += "-again"
        for name in ("AcceptTime", "SubmitTime"):
            again[name] = _stamp(dt.datetime.fromisoformat(row[name].replace("Z", "+00:00")) + later)
        for name in (n for n in row if n.startswith("Answer.range") and row[n]):
            again[name] = str(int(np.clip(int(row[name]) + rng.choice([0, 0, -CHANGE, CHANGE]), 0, 100)))
        found.append(again)
    return found


def _stamp(moment: dt.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _write(path: Path, header: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
