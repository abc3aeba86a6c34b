"""A page as one HTML file: style and drawings inside, nothing fetched, nothing run, everything escaped."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from itertools import count
from typing import TYPE_CHECKING, Any

from ..text import label, safe
from .blocks import Page
from .figures import svg

if TYPE_CHECKING:
    from jinja2 import Environment


def render_html(page: Page) -> str:
    """The whole page; the same page gives the same text."""
    style = resources.files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    return _rendered(page, style)


def render_fragment(page: Page) -> str:
    """The blocks alone, for a notebook."""
    return _rendered(page, None)


def _rendered(page: Page, style: str | None) -> str:
    import pairproof

    numbers = count(1)
    template = resources.files(__package__).joinpath("report.html.j2").read_text(encoding="utf-8")
    given = {"page": page, "style": style, "version": pairproof.__version__, "drawn": _drawn}
    return _environment().from_string(template).render(number=lambda: next(numbers), **given)


def _drawn(figure: Any, number: int) -> Any:
    from markupsafe import Markup

    return Markup(svg(figure, f"figure{number}"))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: label(value) if type(value) is str else value,
    )
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["lines"] = lambda text: Markup(escape(safe(text)))
    environment.filters["style"] = Markup
    return environment
