"""A sandbox for somebody's script: no network, no sight of other processes, nothing writable but the copy.

======== ============================================== ========================================================
with     made by                                        protects
======== ============================================== ========================================================
bwrap    bubblewrap                                     network, processes, files (all but the copy read-only)
unshare  util-linux, and read-only mounts (Linux 5.12)  the same
unshare  util-linux, where mounts cannot be changed     network and processes only: files are as the user's rights
                                                        have them; `Sandbox.files` is False, and the user is told
======== ============================================== ========================================================

Each is tried with a small program before the script runs.  All files can still be read in it, local sockets of the
file system (a desktop's, docker's) can still be reached, and the environment is the user's: the announcement says so.
Where none works (macOS, user namespaces switched off), the sandbox is refused.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError

CONFINED = Path(__file__).with_name("confined.py")
TRY_SECONDS = 20.0
#: Files of the kernel through which whoever may write them owns the machine.
_OF_THE_KERNEL = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger")
#: What no sandbox here takes away, for the announcement.
STILL_OPEN = (
    "in the sandbox it can still read every file that you can read, connect to sockets in the file system (a"
    " desktop's, docker's) and see your environment variables"
)
_NAMESPACES = ("--user", "--map-root-user", "--net", "--pid", "--ipc", "--fork", "--kill-child")


@dataclass(frozen=True)
class Sandbox:
    """A way to run a program confined.

    prefix: goes before the program and its arguments.  files: whether everything but the folder is read-only.
    """

    name: str
    prefix: tuple[str, ...]
    files: bool

    def __str__(self) -> str:
        if self.files:
            return (
                f"in a sandbox ({self.name}): no network, no other processes, only the copy can be written to"
            )
        return (
            f"in a sandbox ({self.name}): no network, no other processes; FILES ARE NOT PROTECTED here, the script can"
            " write wherever you can: install bubblewrap for that (`apt-get install bubblewrap`)"
        )


def find_sandbox(folder: Path, environment: Mapping[str, str]) -> Sandbox:
    """The strongest sandbox that works on this machine.

    folder: the only one that stays writable.
    """
    reasons = []
    for sandbox in _candidates(folder, environment):
        reason = _try(sandbox, folder, environment)
        if not reason:
            return sandbox
        reasons.append(f"{sandbox.name}: {reason}")
    raise InputError(
        "no sandbox can be made here, so the script was not run"
        f" ({'; '.join(reasons) or 'neither bwrap nor unshare is installed'}); install bubblewrap"
        " (`apt-get install bubblewrap`), allow user namespaces, or run it without the sandbox, with your own rights"
    )


def _candidates(folder: Path, environment: Mapping[str, str]) -> list[Sandbox]:
    path = environment.get("PATH", "")
    found = []
    bwrap, unshare = shutil.which("bwrap", path=path), shutil.which("unshare", path=path)
    if bwrap:
        # bwrap covers /proc/sys only where access(2) says that it can be written. That folder has mode
        # 555, and cannot; the files in it are root's, and can.  So all of /proc is made read-only.
        kernel = ("--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
        mounts = ("--ro-bind", "/", "/", *kernel, "--bind", str(folder), str(folder))
        # As root bwrap makes no user namespace and keeps every capability unless it is told so.
        rights = ("--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--")
        found.append(Sandbox("bwrap", (bwrap, *mounts, *rights), True))
    if unshare:
        confined = (sys.executable, "-I", "-S", str(CONFINED), str(folder))
        found.append(Sandbox("unshare", (unshare, *_NAMESPACES, "--mount", "--", *confined), True))
        found.append(Sandbox("unshare", (unshare, *_NAMESPACES, "--"), False))
    return found


def _try(sandbox: Sandbox, folder: Path, environment: Mapping[str, str]) -> str:
    """Why a sandbox does not work; "" if it does, and protects what it says."""
    inside, outside = folder / "tried", folder.parent / f"{folder.name}.tried"
    script = (
        ': > "$1" || exit 3; shift; [ $# = 0 ] && exit 0; (: > "$1") 2>/dev/null && exit 4; shift'
        '; for file; do [ -w "$file" ] && exit 5; done; exit 0'
    )
    closed = (str(outside), *_OF_THE_KERNEL) if sandbox.files else ()
    command = [*sandbox.prefix, "/bin/sh", "-c", script, "sh", str(inside), *closed]
    try:
        return _outcome(command, environment)
    finally:
        for path in (inside, outside):
            path.unlink(missing_ok=True)


def _outcome(command: Sequence[str], environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=dict(environment), timeout=TRY_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}"
    if done.returncode == 0:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    words = {
        3: "its folder cannot be written to",
        4: "files outside its folder can be written to",
        5: "settings of the kernel can be written to",
    }
    return words.get(done.returncode) or (said[-1][:200] if said else f"exit code {done.returncode}")
