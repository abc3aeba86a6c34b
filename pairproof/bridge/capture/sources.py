"""The files that a script sources: found in its folder by the names that the records give, and parsed like it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from .copying import Copied
from .parsing import Parsed, parse_files
from .reading import Records
from .recorded import ScriptText, Shown
from .scripts import Script

#: Most sourced files that are parsed.
MOST_FILES = 100
#: Functions that print in a sourced file; `source()` does not print values by itself.
_PRINTING = ("print(", "cat(", "show(", "message(", "plot(", "writeLines(")


def find_sourced(
    r: str,
    environment: Mapping[str, str],
    records: Records,
    script: Parsed,
    copied: Copied,
    prefix: Sequence[str] = (),
) -> dict[str, Parsed]:
    """What stands in the files that the script sources, by base name; their expressions are not the script's."""
    named = {os.path.basename(text) for text in script.strings if text.lower().endswith(".r")}
    wanted = sorted({call.source for call in records.calls if call.source} | named)[:MOST_FILES]
    found = {name: path for name in wanted if (path := _file(name, script, copied)) is not None}
    if not found:
        return {}
    parsed, _ = parse_files(r, list(found.values()), environment, prefix)
    return {name: _apart(text) for name, text in zip(found, parsed) if text.error is None}


def _apart(text: Parsed) -> Parsed:
    """Without the numbers of its expressions."""
    calls = [replace(call, mentioned=replace(call.mentioned, task=0)) for call in text.calls]
    return replace(text, calls=calls, shown=[replace(of, task=0) for of in text.shown])


def _file(name: str, script: Parsed, copied: Copied) -> Path | None:
    """The user's own file of that name: as the script writes it, else the only one in the folder."""
    for text in script.strings:
        path = Path(os.path.normpath(copied.source / text))
        if os.path.basename(text) == name and path.is_file():
            return path
    below = [known for known in copied.digests if os.path.basename(known) == name]
    return copied.source / below[0] if len(below) == 1 else None


def script_text(script: Script, parsed: Parsed, sourced: Mapping[str, Parsed]) -> ScriptText:
    """The script's text, with what the sourced files mention and print, as of no expression of the script."""
    mentioned = [call.mentioned for call in parsed.calls]
    shown: list[Shown] = list(parsed.shown)
    packages = dict(parsed.packages)
    loops = list(parsed.loops)
    for text in sourced.values():
        mentioned += [call.mentioned for call in text.calls]
        shown += [replace(of, printed=of.text.startswith(_PRINTING)) for of in text.shown]
        packages.update(text.packages)
        loops += text.loops
    return ScriptText(
        name=script.path.name,
        kind=script.kind,
        lines=script.lines,
        expressions=tuple(parsed.expressions),
        shown=tuple(shown),
        mentioned=tuple(mentioned),
        packages=packages,
        loop_variables=tuple(dict.fromkeys(loops)),
    )
