"""The JSON schema of claims files, made from the dataclasses that define them.

`python -m tools.claims_schema` writes `pairproof/validation/claims/claims.schema.json` anew; a test compares the
shipped file with what is made here.  Editors complete keys and show their meaning from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from pairproof.validation.claims.entries import Cell, Entry, PrintedText, choices, entries
from pairproof.validation.claims.paper import SHA256, Claim, DataSpec, ModelClaim, Paper, Reading

FILE = Path(__file__).parents[1] / "pairproof" / "validation" / "claims" / "claims.schema.json"
_NAMES = {Paper: "paper", DataSpec: "data", ModelClaim: "model", Reading: "reading", Claim: "claim"}
_STATED = {"minLength": 1}
_GAMES = {"const": "games"}
#: What must hold between the keys of a table, as far as a schema can say it; `faults` has all of it.
_CONDITIONS: Mapping[type, Mapping[str, Any]] = {
    DataSpec: {
        "oneOf": [
            {"required": ["kind", "rows"], "properties": {"rows": {"minItems": 1}, "kind": {"not": _GAMES}}},
            {
                "required": ["kind", "file", "sha256"],
                "properties": {"file": _STATED, "sha256": {"pattern": f"^{SHA256}$"}},
            },
            {"required": ["from"], "properties": {"from": _STATED}},
            {"required": ["kind", "items"], "properties": {"items": {"minItems": 1}, "kind": _GAMES}},
        ]
    },
    Reading: {"anyOf": [{"required": [key]} for key in ("data", "model", "stops")]},
}


def schema() -> dict[str, Any]:
    """The schema, of draft 7."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "pairproof claims file",
        "description": "What a paper prints, to be recomputed. Printed numbers are strings, so that trailing"
        " zeros survive.",
        "type": "object",
        "required": ["paper", "claim"],
        "additionalProperties": False,
        "properties": {
            "paper": _reference(Paper),
            "data": {"type": "object", "additionalProperties": _reference(DataSpec)},
            "claim": {"type": "array", "minItems": 1, "items": _reference(Claim)},
        },
        "definitions": {name: _table(table) for table, name in _NAMES.items()},
    }


def _reference(table: type) -> dict[str, Any]:
    return {"$ref": f"#/definitions/{_NAMES[table]}"}


def _table(table: type) -> dict[str, Any]:
    known = entries(table)
    required = [key for key, e in known.items() if e.required]
    return {
        "description": (table.__doc__ or "").split("\n")[0],
        "type": "object",
        **({"required": required} if required else {}),
        "additionalProperties": False,
        "properties": {key: {"description": e.meaning, **_value(e, e.kind)} for key, e in known.items()},
        **_CONDITIONS.get(table, {}),
    }


def _value(e: Entry, kind: Any) -> dict[str, Any]:
    if is_dataclass(kind):
        assert isinstance(kind, type)
        return _reference(kind)
    if allowed := choices(kind):
        return {"enum": list(allowed)}
    if get_origin(kind) is Mapping:
        inner = get_args(kind)[1]
        return {"type": "object", **({} if inner is Any else {"additionalProperties": _value(e, inner)})}
    if get_origin(kind) is tuple:
        inner, *rest = get_args(kind)
        several: dict[str, Any] = {"type": "array", "items": _value(e, inner)}
        if rest != [...]:
            several |= {"minItems": 1 + len(rest), "maxItems": 1 + len(rest)}
        elif e.if_empty:
            several |= {"minItems": 1}
        return {"anyOf": [{"type": "string"}, several]} if e.or_one else several
    plain: dict[Any, dict[str, Any]] = {
        str: {"type": "string", **({"pattern": f"^({e.pattern})$"} if e.pattern else {})},
        PrintedText: {"type": "string"},
        bool: {"type": "boolean"},
        float: {"type": "number", **({} if e.below is None else {"minimum": 0, "exclusiveMaximum": e.below})},
        Cell: {"type": ["string", "number", "boolean"]},
    }
    return plain[kind]


def text() -> str:
    """The schema as the file has it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
