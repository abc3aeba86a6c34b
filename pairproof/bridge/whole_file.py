"""A text file written whole or not at all, with nothing left beside it, however the process ends.

Where the system can (Linux), the text goes to a file without a name, which ends with the process; it gets a name when it is
complete, and that name becomes the file's in one step.  Elsewhere the file is hidden beside it until then, and removed on
every error and on Ctrl-C, though not after a kill.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write (or replace, in one step) a UTF-8 file that all may read.

    Raises
    ------
    OSError
        Its folder is not there or cannot be written to, or the disk is full; what stood there still stands.
    """
    descriptor, temporary = _hidden(path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fchmod(out.fileno(), 0o644) if hasattr(os, "fchmod") else os.chmod(temporary, 0o644)
            if not temporary:
                temporary = str(path.parent / f".{secrets.token_hex(8)}.part")
                _name(out.fileno(), temporary)
        os.replace(temporary, path)
    except BaseException:
        if temporary and os.path.lexists(temporary):
            os.unlink(temporary)
        raise


def _hidden(folder: Path) -> tuple[int, str]:
    """A descriptor to write to, and its file's name; "" if it has none."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600), ""
        except OSError:  # this file system has no such files; if it is the folder itself, the next line says so
            pass
    return tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")


def _name(descriptor: int, name: str) -> None:
    # A directory's descriptor is given, though the path is absolute, because os.link follows the link in /proc only then.
    root = os.open("/", os.O_RDONLY)
    try:
        os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=root, follow_symlinks=True)
    finally:
        os.close(root)
