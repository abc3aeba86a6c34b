"""The report of a migration: what became of every call of an R script, and every number beside R's.

    Migration -> page of blocks -> HTML, Markdown, text; JUnit
"""

from .junit import migration_junit
from .page import migration_page

__all__ = ["migration_junit", "migration_page"]
