"""Values as R source that R reads back exactly, and text that cannot leave its string or its comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: Older ones give other numbers: gnm 1.1-2 loses parameters, which are then 0 without a standard error.
LEAST = {"gnm": "1.1-3"}
#: Numbers on a line of R.
PER_LINE = 20


def text(value: str) -> str:
    """A string as R source in ASCII."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}

    def one(c: str) -> str:
        if c in escapes:
            return escapes[c]
        if " " <= c <= "~":
            return c
        return f"\\U{{{ord(c):x}}}" if ord(c) > 0xFFFF else f"\\u{{{ord(c):x}}}"

    return f'"{"".join(map(one, value))}"'


def comment(value: str) -> str:
    """Text for a comment: one line of ASCII, so that nothing in a name can end it."""
    plain = " ".join(value.split())
    return re.sub(r"[^ -~]", "?", plain)


def number(value: float) -> str:
    """A number that R reads back exactly: R rounds decimals of more than 15 digits wrongly now and then."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.15g}"
    return short if float(short) == value else float(value).hex()


def needed(packages: Sequence[str]) -> str:
    """R source that stops where a package is absent or too old, with the line that installs it."""
    if not packages:
        return ""
    least = ", ".join(f"{name} = {text(LEAST.get(name, '0'))}" for name in packages)
    return f"""\
# ---- the packages that this script calls, and their least versions
needed <- c({least})
usable <- function(name, version) requireNamespace(name, quietly = TRUE) && packageVersion(name) >= version
lacking <- names(needed)[!mapply(usable, names(needed), needed)]
if (length(lacking)) {{
  named <- ifelse(needed[lacking] == "0", lacking, paste(lacking, ">=", needed[lacking]))
  stop("not installed here, or too old: ", paste(named, collapse = ", "), ". In R:\\n",
    "  install.packages(", paste(deparse(lacking), collapse = ""), ")", call. = FALSE)
}}
"""


def vector(values: Iterable[str], indent: int = 2) -> str:
    """c(...) over as many lines as it takes."""
    items = list(values)
    lines = [", ".join(items[k : k + PER_LINE]) for k in range(0, len(items), PER_LINE)]
    return "c(" + (",\n" + " " * (indent + 2)).join(lines) + ")"
