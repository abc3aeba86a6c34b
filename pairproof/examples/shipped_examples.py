"""`example(name)`: the small data sets that travel with the package, by name.

What each is, and whose, stands in `examples.toml`; licences in `DATA-LICENCES.toml`.
"""

from __future__ import annotations

import difflib
import io
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import InputError
from ..files.packaged import packaged_text, packaged_toml
from ..text import quoted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Example:
    """A data set: its name, its file, what it is, and a command that reads the file."""

    name: str
    file: str
    what: str
    run: str

    @property
    def text(self) -> str:
        """The file."""
        return packaged_text(__package__, self.file)


@lru_cache(maxsize=1)
def examples() -> dict[str, Example]:
    """All of them by name."""
    rows = packaged_toml(__package__, "examples.toml")["example"]
    return {row["name"]: Example(**row) for row in rows}


def found(name: str) -> Example:
    """The example of this name."""
    known = examples()
    if name not in known:
        near = difflib.get_close_matches(str(name), known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"the examples are {', '.join(known)}"
        raise InputError(f"no example is called {quoted(name)}; {hint}")
    return known[name]


def example(name: str) -> pd.DataFrame:
    """Return an example table that is shipped with the package.

    Parameters
    ----------
    name : str
        Name of a table: ``"dras"``, ``"votes"``, ``"rankings"``, ``"baseball"``, ``"citations"``, ``"salad"``,
        ``"vilar"``, ``"systems"``, ``"sizes"`` or ``"items"``.  The command ``pairproof example`` lists them.

    Returns
    -------
    pandas.DataFrame
        The table as it is in the file, for :func:`pairproof.read` or :func:`pairproof.read_respondents`.

    Raises
    ------
    InputError
        No example has this name, or the example is not a table but a text (``"printed"``, ``"script"``), which
        the command ``pairproof example NAME`` writes.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read(pairproof.example("dras"))
    >>> round(pairproof.fit_llbt(table).contrast("A", "D").estimate, 4)
    0.4007
    """
    import pandas as pd

    asked = found(name)
    if not asked.file.endswith(".csv"):
        raise InputError(
            f"the example {name!r} is a text and not a table; pairproof example {name} > {asked.file} writes it"
        )
    return pd.read_csv(io.StringIO(asked.text))
