"""Where a run is left: its page and its numbers, side by side, and the page on standard output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def keep(folder: Path, name: str, document: Any, page: str) -> None:
    """Write NAME.json and NAME.md, and print the page.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    name : str
        Without suffix.
    document : what JSON can hold
        All numbers of the run.
    page : str
        Markdown.

    Raises
    ------
    OSError
        The folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(page, encoding="utf-8")
    print(page)
