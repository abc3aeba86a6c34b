"""Text from files made safe to look at: what a terminal would obey, and what would turn the reading order, is spelt out.

An item may be called ESC]0;...BEL or hold a right-to-left override.  Escaped are the control characters of ASCII and of
Latin-1 (C0, DEL, C1), the controls of bidirectional text (Unicode 15, UAX 9: LRE to RLO, LRI to PDI, the marks LRM, RLM, ALM), the
line and paragraph separators, interlinear annotation, deprecated format characters and tags; joiners stay, since scripts need
them.  Data in JSON, CSV and HTML are left as they are.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_FORMAT = "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f"
_UNSAFE = re.compile(f"[{_CONTROLS}{_FORMAT}]")
_UNSAFE_IN_LABEL = re.compile(f"[\t\n{_CONTROLS}{_FORMAT}]")


def safe(text: str) -> str:
    """A text of lines, fit for a terminal: line ends and tabs stay, controls are shown as `\\x1b` or `\\u202e`."""
    return _UNSAFE.sub(_spelt, text)


def label(text: str) -> str:
    """A name inside a line: as :func:`safe`, and line ends and tabs are spelt out too, so that no name makes a line of its own."""
    return _UNSAFE_IN_LABEL.sub(_spelt, text)


def _spelt(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
