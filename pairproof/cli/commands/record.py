"""`pairproof record`: record a live R's answers to what the papers need, for machines without R."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options.verifying import data_option, project_option, stated
from ..state import READ, State, options, sectioned, shared_options

if TYPE_CHECKING:
    from ...bridge.records.record_files import Records


@sectioned("record")
@click.argument("names", metavar="[NAME]...", nargs=-1, type=READ)
@options(
    "Records",
    {
        "--again": "Record every answer again.",
        "--into DIR": "Directory to write to (default: $PAIRPROOF_RECORDS, else, in a checkout, the package's own"
        " records; an installed package is never written to).",
    },
    into=click.Path(file_okay=False, path_type=Path),
)
@project_option
@data_option
@shared_options
def command(
    state: State,
    names: tuple[str, ...],
    again: bool,
    into: Path | None,
    data: Path | None,
    data_limit: int | None,
) -> int:
    """Record R's answers to every call of a validation, so that it can be replayed on machines without R.

    NAME is a paper that comes with pairproof, or a claims file (default: every paper that comes with it).
    Records already made by this version of R and of its packages are kept, unless --again is given.
    """
    import pairproof.validation

    from ...bridge.process.policy import Backend, using
    from ...bridge.records.record_files import Records
    from ...validation.check.claims_file import shipped_papers

    state.no_report("verdicts, which 'pairproof validate' gives; 'pairproof record' has none.")
    records = Records() if into is None else Records([into, *Records().directories])
    records.writable()  # refused now, not after an hour of R
    before = _contents(records)
    with using(Backend("live", record="all" if again else "once", records=records)):
        agreements = pairproof.validation.run(
            names or shipped_papers(), r=None, **stated(data=data, data_limit=data_limit)
        )
    after = _contents(records)
    new = sorted(after.keys() - before.keys())
    changed = sorted(name for name in after.keys() & before.keys() if after[name] != before[name])
    missed = sorted({a.explanation for a in agreements if a.verdict == "not-run" and not a.accepted})
    document = {
        "directory": str(records.directories[0]),
        "new": new,
        "changed": changed,
        "unchanged": len(after) - len(new) - len(changed),
        "not_run": missed,
    }
    head = f"{len(new)} new, {len(changed)} changed, {document['unchanged']} unchanged in {records.directories[0]}"
    state.show("\n".join([head, *(f"  not recorded: {why}" for why in missed)]), document)
    return 2 if missed else 0


def _contents(records: Records) -> dict[str, str]:
    """The hash of each file in the directory of records, by file name."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(records.directories[0].glob("*.json"))
    }
