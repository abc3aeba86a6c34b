"""The code of a page: results as one line of text, for places where no file can be sent.

    PP1.BODY.CHECK

BODY is the results' CSV in UTF-8, deflated (RFC 1951) and written in base64url without padding (RFC 4648);
CHECK is the CRC-32 of the CSV's bytes in eight hexadecimal digits.  The check tells a code that was cut off or
changed on its way; it is no signature.  A text may hold several codes, one after the other, and line breaks
anywhere within one.
"""

from __future__ import annotations

import base64
import binascii
import csv
import io
import re
import zlib

from ...errors import InputError, TooLargeError

#: Begins every code of this version.
BEGIN = "PP1."
#: Most characters of a text of codes: 1,000 codes of 100 HITs each.
MOST_CHARACTERS = 10_000_000
#: Most bytes of one code's CSV, some 100,000 HITs.  Deflate shrinks at most 1032 to 1, so that a short code
#: could otherwise fill the memory.
MOST_BYTES = 20_000_000
#: A body can end in PP1, so that PP1. stands before its check too; a new code begins only after a check.
_NEXT = re.compile(rf"(?:^|(?<=\.[0-9a-f]{{8}})){re.escape(BEGIN)}")
_CODE = re.compile(r"([A-Za-z0-9_-]*)\.([0-9a-f]{8})")
_COLUMNS = (
    "AssignmentId",
    "WorkerId",
    "Input.campaign",
    "Input.batch",
    "Input.hit",
    "Input.id1",
    "Answer.range1",
)
_GUARDED = "guarded"


def encode(text: str) -> str:
    """The code of a results file's text, as a page makes it."""
    raw = text.encode("utf-8")
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = base64.urlsafe_b64encode(packed.compress(raw) + packed.flush()).decode("ascii").rstrip("=")
    return f"{BEGIN}{body}.{zlib.crc32(raw):08x}"


def decode(text: str, source: str = "code") -> str:
    """The results' CSV of one or several codes.

    text: codes, and white space anywhere.  source: for messages: the file's name.  Returns str: one table,
    with the rows of all codes in their order.  It ends with a line end.
    """
    if len(text) > MOST_CHARACTERS:
        raise TooLargeError(
            f"{source}: {len(text):,} characters; expected at most {MOST_CHARACTERS:,}. Split the file"
        )
    joined = "".join(text.lstrip("\ufeff").split())
    before = joined.split(BEGIN)[0]
    if before or not joined:
        found = f"text that is no code, {before[:40]!r}" if before else "nothing"
        raise InputError(
            f"{source}: {found}; expected codes that begin with {BEGIN}, as the page shows them, and nothing else"
        )
    codes = _NEXT.split(joined)[1:]
    tables = [_table(code, f"{source}, code {k}") for k, code in enumerate(codes, 1)]
    return _joined(tables)


def _table(code: str, where: str) -> list[list[str]]:
    """The cells of one code's CSV, its header first."""
    raw = _unpacked(code, where)
    try:
        rows = list(csv.reader(io.StringIO(raw.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{where}: holds no CSV in UTF-8 ({error}); expected a page's results") from error
    header = rows[0] if rows else []
    for name in _COLUMNS:
        if name not in header:
            found = ", ".join(repr(n[:40]) for n in header[:12]) or "nothing"
            raise InputError(f"{where}: no column {name!r}; found {found}; expected a page's results")
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        raise InputError(
            f"{where}: its rows do not all have the {len(set(header))} columns of a page's results"
        )
    return rows


def _unpacked(code: str, where: str) -> bytes:
    match = _CODE.fullmatch(code)
    if not match:
        odd = re.search(r"[^A-Za-z0-9_.-]", code)
        found = f"the character {odd[0]!r}" if odd else f"it ends in {code[-20:]!r}"
        raise InputError(
            f"{where}: {found}; expected {BEGIN}, letters and digits, a point and 8 hexadecimal digits. It may not"
            " have been copied whole; copy it again"
        )
    body, check = match.groups()
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj(-15)
        raw = unpacking.decompress(packed, MOST_BYTES + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise InputError(f"{where}: cannot be unpacked ({error}); copy it again from the page") from error
    if len(raw) > MOST_BYTES:
        raise TooLargeError(f"{where}: unpacks to more than {MOST_BYTES:,} bytes; no page makes such a code")
    if not unpacking.eof or unpacking.unused_data or f"{zlib.crc32(raw):08x}" != check:
        raise InputError(
            f"{where}: its check {check} does not fit its contents, so that it was cut off or changed; copy it again"
            " from the page"
        )
    return raw


def _joined(tables: list[list[list[str]]]) -> str:
    """One table of all rows; columns that some codes do not have are blank there, and the mark of guards is last."""
    names = dict.fromkeys(name for table in tables for name in table[0])
    header = [n for n in names if n != _GUARDED] + [n for n in names if n == _GUARDED]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    for table in tables:
        for row in table[1:]:
            cells = dict(zip(table[0], row))
            writer.writerow([cells.get(name, "") for name in header])
    return stream.getvalue()
