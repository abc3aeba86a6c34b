"""Which folder a script needs, and the files beside that folder that it names.

A path in a script is relative to the folder that R was started in: mostly the script's own, but for `Rscript
R/analysis.R` the one above.  That one is taken where a file that the script names is found from there and from the
script's own folder none is.  `../data/x.csv` lies outside of what is copied; it is copied too, to the same place beside
the copy.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from .copying import Copied

#: Folders above the script's that a path may go through.
LEVELS = 3


def root_of(script: Path, strings: Sequence[str], started: Path) -> Path:
    """The folder that the script runs in.

    script: absolute.  strings: texts of the script that may name files.  started: where the user is.
    """
    own = script.parent
    names = [s for s in strings if not os.path.isabs(s) and ".." not in Path(s).parts and os.path.basename(s)]
    if started in list(own.parents)[:LEVELS] and not any(os.path.isfile(own / n) for n in names):
        if any(os.path.isfile(started / n) for n in names):
            return started
    return own


def copy_neighbours(copied: Copied, strings: Iterable[str], limit: int) -> list[str]:
    """Copy the files and folders outside that the script names by `../`; what could not be is returned, with the reason.

    The copy lies `LEVELS` folders deep, so that a path through them ends beside it and nowhere else.
    """
    left_out = []
    for name in dict.fromkeys(strings):
        if os.path.isabs(name) or ".." not in Path(name).parts:
            continue
        source = Path(os.path.normpath(copied.source / name))
        way = os.path.relpath(source, copied.source)
        up = Path(way).parts.count("..")
        if not 1 <= up <= LEVELS or not source.exists() or source in copied.source.parents:
            continue
        size = _size(source, limit - copied.size)
        if size is None:
            left_out.append(f"{name} (the folder with it holds more than {limit / 2**20:,.1f} MB)")
            continue
        target = Path(os.path.normpath(copied.target / way))
        _copy(source, target)
        copied.size += size
    return left_out


def _size(source: Path, limit: int) -> int | None:
    """Bytes of a file or folder; None if more than the limit."""
    total = 0
    if source.is_file():
        total = source.stat().st_size
    for folder, _, files in os.walk(source):
        for name in files:
            status = os.lstat(os.path.join(folder, name))
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
            if total > limit:
                return None
    return total if total <= limit else None


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy2(source, target)
        return
    for folder, _, files in os.walk(source):
        below = target / os.path.relpath(folder, source)
        below.mkdir(parents=True, exist_ok=True)
        for name in files:
            path = Path(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode) and not (below / name).exists():
                shutil.copy2(path, below / name)
