"""The code of a page's results: what comes back, and what is refused."""

from __future__ import annotations

import base64
import csv
import io
import zlib

import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign.results.readers import MOST_BYTES, decode
from pairproof.errors import InputError, TooLargeError
from tests.campaign.page.codes import encode

HEADER = "AssignmentId,WorkerId,Input.campaign,Input.batch,Input.hit,Input.id1,Answer.range1,Answer.na1"
ONE = f"{HEADER}\npage-1,Zoë,c0ffee,1,1,h1s1,72,\n"
TWO = f"{HEADER},guarded\npage-2,'=1,c0ffee,1,1,h1s1,,on,1\n"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r"), max_size=20),
        max_size=20,
    )
)
def test_a_code_gives_back_the_table_of_the_file(workers):
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows(
        [
            HEADER.split(","),
            *([f"page-{k}", w, "c", "1", "1", "h1s1", "7", ""] for k, w in enumerate(workers)),
        ]
    )
    assert decode(encode(stream.getvalue())) == stream.getvalue()


def test_a_code_may_be_broken_anywhere_and_stand_beside_others():
    code = encode(ONE)
    broken = "\ufeff" + "\n ".join(code[k : k + 7] for k in range(0, len(code), 7)) + "\r\n"
    assert decode(broken) == ONE
    both = decode(f"{encode(ONE)}\n\n{encode(TWO)}\n")
    assert [(r["WorkerId"], r["guarded"]) for r in rows(both)] == [("Zoë", ""), ("'=1", "1")]


def with_check(raw: bytes, packed: bytes) -> str:
    return f"PP1.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}.{zlib.crc32(raw):08x}"


def deflated(raw: bytes) -> bytes:
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packing.compress(raw) + packing.flush()


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "nothing; expected codes that begin with PP1."),
     ("my code: " + encode(ONE), "text that is not a code, 'mycode:'"),
     (encode(ONE)[:-1], "code 1: it ends in"),
     (encode(ONE) + "!", "the character '!'"),
     (encode(ONE)[:60] + encode(ONE)[61:], "copy it again"),
     (encode(ONE).replace("PP1.", "PP1.A"), "code 1:"),
     (encode(ONE)[:-8] + "00000000", "its check 00000000 does not match its contents"),
     (encode(ONE) + encode(TWO)[:50], "code 2:"),
     ("PP1..00000000", "code 1:"),
     (with_check(b"", deflated(b"")), "no column 'AssignmentId'; found nothing"),
     (with_check(b"\xff\xfe", deflated(b"\xff\xfe")), "holds no CSV in UTF-8"),
     (with_check(ONE.encode(), deflated(ONE.encode()) + b"more"), "does not match its contents"),
     (encode("id,score\n1,2\n"), "no column 'AssignmentId'; found 'id', 'score'"),
     (encode(ONE + "one cell\n"), "its rows do not all have the 8 columns"),
     (encode(ONE.replace("Answer.na1", "Answer.range1")), "its rows do not all have the 7 columns"),
     (encode(HEADER + '\n"open'), "holds no CSV in UTF-8")],
)  # fmt: skip
def test_what_is_no_whole_code_is_refused_with_a_reason(text, said):
    with pytest.raises(InputError) as error:
        decode(text, "codes.txt")
    assert str(error.value).startswith("codes.txt") and said in str(error.value)
    assert len(str(error.value)) < 400


def test_one_changed_letter_is_never_taken_for_the_answers():
    code = encode(ONE)
    taken = 0
    for k in range(4, len(code)):
        other = "A" if code[k] != "A" else "B"
        try:
            taken += decode(code[:k] + other + code[k + 1 :]) != ONE
        except InputError:
            pass
    assert taken == 0


def test_a_code_that_unpacks_without_end_is_stopped():
    bomb = deflated(b"a" * (MOST_BYTES + 2))
    assert len(bomb) < 25_000
    with pytest.raises(TooLargeError, match="unpacks to more than 20,000,000 bytes"):
        decode(with_check(b"", bomb))
    with pytest.raises(TooLargeError, match="10,000,001 characters"):
        decode("a" * 10_000_001)


def test_a_body_that_ends_like_the_beginning_of_a_code_is_one_code():
    with pytest.raises(InputError, match="code, code 1: (cannot be unpacked|its check)"):
        decode("PP1.S9RJ4jLUPP1.0a97077b")
    twice = decode(f"{encode(ONE)}{encode(ONE)}")
    assert len(rows(twice)) == 2
