"""The command `pairproof`: its options, messages and exit codes, without any statistics.

Each command is a module of its own, loaded only when it runs, so that `pairproof --version` takes little
longer than starting Python.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the console script is `sys.exit(main())`.

    Parameters
    ----------
    argv : sequence of str
        Arguments without the program's name; default: those of the process.

    Returns
    -------
    int
        0 done, 1 a verdict needs attention, 2 something required did not run, 3 bad input or usage, 130
        interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        from .app import run

        return run(arguments)
    except KeyboardInterrupt:  # while the first modules load
        return 130
