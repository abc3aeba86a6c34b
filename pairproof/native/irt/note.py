"""What a reader must know of a fit, as a value: its kind, by which programs decide, and the sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NoteKind = Literal[
    "items", "never-compared", "not-mixed", "all-ties", "no-finite-estimate", "no-tie", "mean-of-trials"
]


@dataclass(frozen=True)
class Note:
    """Something a reader of a fitted preference model must know.

    kind: what programs decide by.  text: the sentence, which is also ``str()`` of the note.
    """

    kind: NoteKind
    text: str

    def __str__(self) -> str:
        return self.text
