"""`pairproof easl`: run an annotation campaign, from its items to its scores; `easl demo` shows every step."""

from __future__ import annotations

import contextlib
import csv
import glob
import io
import shlex
from pathlib import Path
from random import Random

import click

from ..easl.creating import import_, init, texts
from ..easl.judgments import easl_command, export, repeats, retract, status, stop, update
from ..easl.people import annotators, degrade, demographics, next_, rules
from ..state import State, echo

EPILOG = """\b
pairproof easl demo                             (every step, with two robots)
pairproof easl init C.db items.csv --method easl --per-hit 5
pairproof easl annotators add C.db ann bob      (or none: a crowd)
pairproof easl next C.db --out hits.html        (or .csv, .jsonl)
pairproof easl update C.db results/*.csv
pairproof easl retract C.db --assignment ID --why "the file was cut"
pairproof easl status C.db --annotators
pairproof easl stop C.db --rule 'items<=.12'
pairproof easl export C.db scores.csv

Each takes --json, --seed, --quiet and --debug like every command, and 'status' --report; see
pairproof easl COMMAND --help."""


@click.group("easl", epilog=EPILOG)
def command() -> None:
    """Run a campaign of scalar annotation, whose whole state is the file CAMPAIGN.db.

    A judgment is one annotator's answer to one HIT; it has a score for each item of the HIT. Every command is
    one transaction: if it is killed at any point, nothing is lost or counted twice. Results may arrive late, in
    pieces, twice or out of order.
    """


#: What the demonstration makes.
_MADE = ("items.csv", "demo.db", "pages", "results", "hits-1.csv", "hits-2.csv", "scores.csv")
#: How far above the truth each robot scores, and the standard deviation of its noise.
_ROBOTS = {"robot-1": (5, 6), "robot-2": (-5, 10)}


@easl_command("demo", "'easl status'; 'easl demo' shows the steps of a campaign.", campaign=None)
def demo(state: State) -> int:
    """Run a whole campaign in this folder: twenty items, two robots, every step.

    Each command is shown with what it prints. Go on with the campaign in demo.db, or do the same with your items.
    """
    from ...errors import InputError
    from ...files.packaged import packaged_toml
    from ..app import ATTENTION, DONE

    if there := [name for name in _MADE if Path(name).exists()]:
        raise InputError(f"{there[0]} already exists; run 'easl demo' in an empty folder")
    shown: list[dict[str, str]] = []
    for part in packaged_toml("pairproof.examples", "demo.toml")["step"]:
        for step in part["run"]:
            code, typed, printed = _answered(step) if isinstance(step, int) else _ran(step)
            if code > ATTENTION:
                echo(f"{typed}: {printed}".rstrip(), err=True)
                return code
            if not state.json:
                echo(f"# {part['what']}\n" * (step == part["run"][0]) + f"$ {typed}\n{printed}")
            shown.append({"what": part["what"], "command": typed, "printed": printed})
    state.show(
        "# Next: 'easl status demo.db --report status.html' draws pictures, 'easl next' gives more HITs",
        shown,
    )
    return DONE


def _ran(typed: str) -> tuple[int, str, str]:
    """A command's exit code, the command, and what it printed, which is in its file after `> FILE`."""
    from ..app import run

    words, printed = shlex.split(typed.partition(" > ")[0]), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = run([file for word in words for file in (sorted(glob.glob(word)) if "*" in word else [word])])
    text, file = printed.getvalue(), typed.partition(" > ")[2]
    if file:
        Path(file).write_text(text, encoding="utf-8")
    return code, f"pairproof {typed}", "" if file else text


def _answered(batch: int) -> tuple[int, str, str]:
    """The robots' results files of a batch, as pages save them."""
    from ...files.outputs import csv_text

    tokens = {row["annotator"]: row["token"] for row in _table(f"pages/index-{batch}.csv")}
    folder = Path("results")
    folder.mkdir(exist_ok=True)
    for robot in _ROBOTS:
        rows = [_judgment(hit, robot, tokens[robot]) for hit in _table(f"hits-{batch}.csv")]
        text = csv_text([*rows[0]], [[*row.values()] for row in rows])
        (folder / f"{robot}-{batch}.csv").write_text(text, encoding="utf-8")
    return 0, "ls results", "".join(f"{path.name}\n" for path in sorted(folder.iterdir()))


def _table(file: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(file).read_text(encoding="utf-8").splitlines()))


def _judgment(hit: dict[str, str], robot: str, token: str) -> dict[str, str]:
    """A robot's answer to a HIT, as a row of a results file."""
    name, (above, noise) = f"{robot}-{hit['batch']}-{hit['hit']}", _ROBOTS[robot]
    draw = Random(name)
    row = {"WorkerId": robot, "AssignmentId": name, "WorkTimeInSeconds": str(draw.randrange(20, 60))}
    row |= {"Input.token": token, **{f"Input.{key}": hit[key] for key in ("campaign", "batch", "hit")}}
    for k in range(1, 6):
        item = row[f"Input.id{k}"] = hit[f"id{k}"]
        score = Random(item).gauss(75 if item.startswith("north") else 50, 10) + draw.gauss(above, noise)
        row[f"Answer.range{k}"] = str(round(min(max(score, 0), 100)))
    return row


STEPS = (degrade, init, texts, annotators, rules, next_, update, retract, repeats, status, stop, demographics)
for step in (*STEPS, export, import_, demo):
    command.add_command(step)
