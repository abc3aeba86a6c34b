"""`pairproof easl`: run an annotation campaign, from its items to its scores."""

from __future__ import annotations

import click

from ..easl.creating import import_, init, texts
from ..easl.judgments import export, repeats, retract, status, stop, update
from ..easl.people import annotators, degrade, demographics, next_, rules

EPILOG = """\b
pairproof easl init C.db items.csv --method easl --per-hit 5
pairproof easl annotators add C.db ann bob      (or none: a crowd)
pairproof easl next C.db --out hits.html        (or .csv, .jsonl)
pairproof easl update C.db results.csv
pairproof easl retract C.db --assignment ID --why "the file was cut"
pairproof easl status C.db --annotators
pairproof easl stop C.db --rule 'items<=.12'
pairproof easl export C.db scores.csv

Each takes --json, --report, --seed, --quiet and --debug like every command; see
pairproof easl COMMAND --help."""


@click.group("easl", epilog=EPILOG)
def command() -> None:
    """Run a campaign of scalar annotation, whose whole state is the file CAMPAIGN.db.

    Every command is one transaction: if it is killed at any point, nothing is lost or counted twice. Results
    may arrive late, in pieces, twice or out of order.
    """


STEPS = (degrade, init, texts, annotators, rules, next_, update, retract, repeats, status, stop, demographics)
for step in (*STEPS, export, import_):
    command.add_command(step)
