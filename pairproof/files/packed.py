"""Unpacks gzip, and refuses other compressed or binary formats by name.

A file may unpack to a thousand times its size, so unpacking stops at a bound that no table of comparisons
reaches: text of answers packs to a third or a tenth.
"""

from __future__ import annotations

import gzip
import io
import zlib

from ..errors import InputError

GZIP = b"\x1f\x8b"
#: Any file may unpack to so many bytes, and a large one to so many times its size.
MOST_UNPACKED, MOST_TIMES = 256 * 2**20, 20
_CHUNK = 2**20
#: First bytes, the format they show, and what to do.
_OTHERS = (
    (
        b"PK\x03\x04",
        "a zip archive (or an Excel or OpenDocument workbook)",
        "unpack it, or save the sheet as CSV",
    ),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook", "save the sheet as CSV"),
    (b"BZh", "compressed by bzip2", "unpack it, or pack it with gzip"),
    (b"\xfd7zXZ\x00", "compressed by xz", "unpack it, or pack it with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it, or pack it with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b"PAR1", "a Parquet file", "give it as a file whose name ends in .parquet"),
    (b"ARROW1", "an Arrow file", "give it as a file whose name ends in .arrow"),
    (b"SQLite format 3\x00", "an SQLite database (an annotation campaign is one)", "export the table as CSV"),
    (b"RDX2\n", "R's own format", "write.csv(table, row.names = FALSE) writes a CSV file"),
    (b"RDX3\n", "R's own format", "write.csv(table, row.names = FALSE) writes a CSV file"),
    (b"X\n\x00\x00\x00", "R's own format", "write.csv(table, row.names = FALSE) writes a CSV file"),
)


def unpacked(raw: bytes, source: str) -> bytes:
    """The bytes as they are, or unpacked if they are gzipped."""
    if raw.startswith(GZIP):
        raw = _gunzipped(raw, source)
        if raw.startswith(GZIP):
            raise InputError(f"{source}: is gzipped twice; unpack it once")
    for mark, what, cure in _OTHERS:
        if raw.startswith(mark):
            raise InputError(f"{source}: is {what}, not text; {cure}")
    return raw


def _gunzipped(raw: bytes, source: str) -> bytes:
    most = max(MOST_UNPACKED, MOST_TIMES * len(raw))
    parts, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            while part := file.read(_CHUNK):
                size += len(part)
                if size > most:
                    raise InputError(
                        f"{source}: {len(raw):,} bytes of gzip unpack to more than {most:,}, the most that is"
                        " read of a file so small; if it is a table, unpack it (gunzip) and read that"
                    )
                parts.append(part)
    except EOFError as error:
        raise InputError(f"{source}: the gzip file is cut off before its end; fetch it again") from error
    except (OSError, zlib.error) as error:
        raise InputError(f"{source}: the gzip file is damaged ({error}); fetch it again") from error
    return b"".join(parts)
