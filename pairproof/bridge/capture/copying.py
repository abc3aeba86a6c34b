"""The copy of a script's folder in which it runs, with the files beside the folder that it names.

Regular files are copied; a link to something inside the folder becomes the same link inside the copy; links
to elsewhere, pipes, devices and `.git` are left out.  The original is compared by digest afterwards: a script
may write through a full path.

A path in a script is relative to the folder that R was started in: mostly the script's own, but for `Rscript
R/analysis.R` the one above.  That one is taken where a file that the script names is found from there and
from the script's own folder none is.  `../data/x.csv` lies outside of what is copied; it is copied too, to
the same place beside the copy.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...errors import InputError, TooLargeError

#: Most bytes that are copied.
COPY_LIMIT = 200 * 2**20
#: Most files and folders that are copied.
MOST_FILES = 100_000
LEFT_OUT = frozenset({".git", ".svn", ".hg"})
_CHUNK = 1 << 20


@dataclass
class Copied:
    """What was copied."""

    source: Path
    target: Path
    digests: dict[str, bytes] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    size: int = 0


def copy_folder(source: Path, target: Path, limit: int = COPY_LIMIT) -> Copied:
    """Copy a folder."""
    entries = list(_checked(source, limit))
    copied = Copied(source, target)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, mode in entries:
            _copy(copied, name, mode)
    except OSError as error:
        why = f"the copy of the folder could not be made ({error.strerror}: {error.filename})"
        cure = "set TMPDIR to a folder that can be written to, on a disk with space"
        raise InputError(f"{source.name}: {why}; {cure}") from error
    return copied


def changed(copied: Copied) -> list[str]:
    """Names of the original's files that are not as they were when they were copied, or are new, sorted."""
    there = (name for name, status in _walk(copied.source) if stat.S_ISREG(status.st_mode))
    left_out = {text.partition(" (")[0] for text in copied.left_out}
    names = [name for name in there if name not in copied.digests and name not in left_out]
    for name, digest in copied.digests.items():
        if _digest(copied.source / name, copied.sizes[name]) != digest:
            names.append(name)
    return sorted(names)


def _checked(source: Path, limit: int) -> Iterator[tuple[str, int]]:
    """Names below the folder and their modes, once their sum is known to be within the limits."""
    found: list[tuple[str, int]] = []
    sizes: dict[str, int] = {}
    for name, status in _walk(source):
        found.append((name, status.st_mode))
        if stat.S_ISREG(status.st_mode):
            sizes[name] = status.st_size
        if len(found) > MOST_FILES:
            break
    total = sum(sizes.values())
    if total > limit or len(found) > MOST_FILES:
        largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
        named = ", ".join(f"{name} {sizes[name] / 2**20:,.1f} MB" for name in largest)
        more = "more than " if len(found) > MOST_FILES else ""
        holds = f"{more}{total / 2**20:,.1f} MB in {more}{min(len(found), MOST_FILES):,} files"
        most = f"at most {limit / 2**20:,.1f} MB in {MOST_FILES:,} files are copied (largest: {named})"
        cure = "Put the script into a folder with only what it reads, or raise the limit (copy_limit)"
        copied = f"the script runs in a copy of its folder, which holds {holds}; {most}"
        raise TooLargeError(f"{source}: {copied}. {cure}")
    return iter(found)


def _walk(source: Path) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(source / below) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not below:
                why = f"cannot be read ({error.strerror}); check its permissions"
                raise InputError(f"{source}: {why}") from error
            continue
        for entry in listed:
            if entry.name in LEFT_OUT:
                continue
            name = os.path.join(below, entry.name)
            with contextlib.suppress(OSError):  # it has gone meanwhile
                status = entry.stat(follow_symlinks=False)
                yield name, status
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(name)


def _copy(copied: Copied, name: str, mode: int) -> None:
    source, target = copied.source / name, copied.target / name
    if stat.S_ISDIR(mode):
        target.mkdir(exist_ok=True)
    elif stat.S_ISLNK(mode):
        _copy_link(copied, name)
    elif stat.S_ISREG(mode):
        try:
            copied.digests[name] = _copy_file(source, target)
            copied.sizes[name] = target.stat().st_size
            copied.size += copied.sizes[name]
        except PermissionError:
            copied.left_out.append(f"{name} (cannot be read)")
    else:
        copied.left_out.append(f"{name} (a pipe, a socket or a device)")


def _copy_link(copied: Copied, name: str) -> None:
    link = copied.source / name
    top = os.path.realpath(copied.source)
    real = os.path.realpath(link)
    if real == top or not real.startswith(top + os.sep):
        if Path(name).parts[:2] == ("renv", "library"):  # renv keeps its packages in a cache elsewhere
            os.symlink(real, copied.target / name)
        else:
            copied.left_out.append(f"{name} (a link to outside the folder)")
        return
    inside = copied.target / os.path.relpath(real, top)
    os.symlink(os.path.relpath(inside, (copied.target / name).parent), copied.target / name)


def _copy_file(source: Path, target: Path) -> bytes:
    digest = hashlib.sha256()
    with opened(source) as read, open(target, "wb") as write:
        while part := read.read(_CHUNK):
            digest.update(part)
            write.write(part)
    shutil.copystat(source, target, follow_symlinks=False)
    return digest.digest()


def opened(path: Path) -> BinaryIO:
    """A file, never what a link points to; a pipe that has been put in its place is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return open(os.open(path, flags), "rb")


def _digest(path: Path, size: int) -> bytes:
    """Digest of a file of that many bytes; empty if there is none: the script may have put anything in its place."""
    digest = hashlib.sha256()
    with contextlib.suppress(OSError), opened(path) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size != size:
            return b""
        while size > 0 and (part := file.read(min(_CHUNK, size))):
            digest.update(part)
            size -= len(part)
        return digest.digest()
    return b""


#: Folders above the script's that a path may go through.
LEVELS = 3


def root_of(script: Path, strings: Sequence[str], started: Path) -> Path:
    """The folder that the script runs in."""
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
        _copy_one(source, target)
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


def _copy_one(source: Path, target: Path) -> None:
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
