"""The state of a learning-curve experiment: a file of JSON lines, the first of which says of what the others
are.

Each result is on the disk before the next is begun; a line that was cut off is computed again.  While one
process works on a file another one is refused: two would write into each other's lines.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...errors import DataWarning, InputError
from .summary import Result

Key = tuple[str, str, int, int]
#: 2: with the groups of the test sets, and the version of numpy.
FORMAT = 2


class State:
    """Open a state file, hold it, and read what is in it; a context manager.

    Parameters
    ----------
    path : Path or None
        None: nothing is kept.
    header : mapping
        Seed, options and data of the experiment; an old file must have the same.

    Attributes
    ----------
    done : dict of (track, model, size, trial) to Result

    Raises
    ------
    InputError
        The file is of something else, is not readable as a state, cannot be opened, or another process works
        on it.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        self.path = path
        self.header = {"pairproof": "learning-curve", "format": FORMAT, **header, "numpy": np.__version__}
        self.done: dict[Key, Result] = {}
        self._file: BinaryIO | None = None

    def __enter__(self) -> State:
        if self.path is None:
            return self
        try:
            self._file = os.fdopen(
                os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+b"
            )
        except OSError as error:
            raise InputError(f"{self.path}: the state cannot be written ({error.strerror})") from error
        try:
            _hold(self._file, self.path)
            whole = self._read(self._file.read())
        except BaseException:
            self._file.close()
            raise
        # What was cut off in the middle of a line is overwritten.
        self._file.seek(whole)
        self._file.truncate()
        if not whole:
            self._line(self.header)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, result: Result) -> None:
        """Keep a result."""
        if self._file is not None:
            self._line(result.to_state())

    def _line(self, entry: Mapping[str, Any]) -> None:
        assert self._file is not None
        self._file.write((json.dumps(entry) + "\n").encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, content: bytes) -> int:
        """Fill `done`; the number of bytes in whole lines."""
        if not content:
            return 0
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].split(b"\n")[:-1]
        if not lines:
            raise InputError(
                f"{self.path}: holds {content[:40]!r} and no whole line; it is no state of this experiment."
                " Name another file, or remove it"
            )
        self._check_header(self._entry(1, lines[0]))
        for number, line in enumerate(lines[1:], 2):
            entry = self._entry(number, line)
            try:
                result = Result.from_state(entry)
            except (KeyError, TypeError) as trouble:
                raise InputError(
                    f"{self.path}, line {number}: no result ({trouble!r} where its fields are read); remove"
                    " the line, what it held is computed again"
                ) from trouble
            self.done[result.key] = result
        return whole

    def _entry(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line.decode("utf-8"))
        except ValueError as trouble:
            raise InputError(
                f"{self.path}, line {number}: not JSON ({trouble}); "
                + (
                    "it is no state of this experiment. Name another file, or remove it"
                    if number == 1
                    else "remove the line, what it held is computed again"
                )
            ) from trouble
        if not isinstance(entry, dict):
            raise InputError(
                f"{self.path}, line {number}: {json.dumps(entry)[:40]}, expected an object; it is no state of"
                " this experiment. Name another file, or remove it"
            )
        return entry

    def _check_header(self, found: Mapping[str, Any]) -> None:
        for name, value in self.header.items():
            if name == "numpy":
                continue
            if found.get(name) != json.loads(json.dumps(value)):
                what = "other data" if name == "tracks" else f"{name} {found.get(name)!r}, not {value!r}"
                raise InputError(
                    f"{self.path}: is the state of an experiment with {what}; continue that one, or name"
                    " another file for this one"
                )
        if found.get("numpy") != np.__version__:
            warnings.warn(
                (
                    f"{self.path}: was begun with numpy {found.get('numpy')}, this is {np.__version__}; what"
                    " is added now may differ in random draws from what that version would have given"
                ),
                DataWarning,
                stacklevel=4,
            )


def _hold(file: BinaryIO, path: Path) -> None:
    """Lock the file for this process until it is closed."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        lock: Any = msvcrt
        try:
            lock.locking(file.fileno(), lock.LK_NBLCK, 1)
        except OSError as error:
            raise _held(path) from error
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise _held(path) from error


def _held(path: Path) -> InputError:
    return InputError(f"{path}: another process works on this state; wait for it, or name another file")
