"""A result in the form that the suffix of its file asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from .blocks import Page

#: Suffix of a report's file -> what it is.
FORMATS = {
    ".html": "one self-contained HTML file",
    ".md": "Markdown",
    ".json": "JSON",
    ".xml": "JUnit XML",
    ".txt": "text",
}


@dataclass(frozen=True)
class Output:
    """A result that can be written in every form.

    page: what people read.  json: the JSON document.  junit: the JUnit file, where the result has verdicts.
    terminal: what the command prints; default: the page, each line as long as it is.
    """

    page: Callable[[], Page]
    json: Callable[[], str]
    junit: Callable[[], str] | None = None
    terminal: Callable[[], str] | None = None

    def render(self, suffix: str) -> str:
        """The text of a file; `suffix` is one of `FORMATS`."""
        from .html import render_html
        from .markdown import render_markdown
        from .text import render_text

        if suffix == ".json":
            return self.json()
        if suffix == ".html":
            return render_html(self.page())
        if suffix == ".md":
            return render_markdown(self.page())
        if suffix == ".txt":
            return render_text(self.page())
        if suffix != ".xml":
            raise InputError(wrong_suffix(suffix))
        if self.junit is None:
            raise InputError("a JUnit report (.xml) lists verdicts, and this result has no verdicts")
        return self.junit()

    def shown(self) -> str:
        """What the command prints."""
        from .text import render_text

        return render_text(self.page()) if self.terminal is None else self.terminal()

    def write(self, path: Path, *, force: bool = False) -> None:
        """Write the file; its form follows the suffix."""
        from ..files.outputs import write

        write(path, self.render(path.suffix.lower()), force=force)


def wrong_suffix(suffix: str) -> str:
    """What is wrong with a report of this suffix, "" if nothing is."""
    if suffix in FORMATS:
        return ""
    return f"ends in {suffix or 'no suffix'!r}; expected one of {', '.join(FORMATS)}"
