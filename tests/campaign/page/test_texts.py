"""The texts of a page: what is taken from a user's options and files, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign.page.texts import (
    ENGLISH,
    Example,
    Texts,
    anchors_of,
    check_language,
    check_words,
    direction,
    read_examples,
    read_instructions,
    read_words,
    texts_from_rows,
    texts_of,
    texts_to_rows,
)
from pairproof.errors import InputError, TooLargeError

# -- anchors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "anchors"),
    [("0=nonsense;33=some meaning;66=most;100=all", ((0, "nonsense"), (33, "some meaning"), (66, "most"), (100, "all"))),
     (" 100 = all ; 0 = none ; ", ((0, "none"), (100, "all"))),
     (r"50=so\; so=so", ((50, "so; so=so"),)),
     ("12.5=an eighth", ((12.5, "an eighth"),))],
)  # fmt: skip
def test_anchors_are_read_and_sorted_by_value(text, anchors):
    assert anchors_of(text) == anchors


@pytest.mark.parametrize(
    ("text", "said"),
    [("0", "anchors, number 1, '0': no ="),
     ("0=a;5=", "anchors, number 2, '5=': no label"),
     ("0=a;;5=b", "anchors, number 2: blank"),
     ("low=a", "'low' is not a number from 0 to 100"),
     ("101=a", "'101' is not a number from 0 to 100"),
     ("nan=a", "'nan' is not a number from 0 to 100"),
     ("1_0=a", "'1_0' is not a number from 0 to 100"),
     ("٣=a", "is not a number from 0 to 100"),
     ("0=a;0.0=b", "anchors, number 2, '0.0=b': 'a' is also at 0.0"),
     (";", "anchors, number 1: blank")],
)  # fmt: skip
def test_a_wrong_anchor_is_named_by_its_number(text, said):
    with pytest.raises(InputError, match="anchors, number") as error:
        anchors_of(text)
    assert said in str(error.value)


# -- languages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tag",
    ["en", "de-AT", "zh-Hant-TW", "sl-rozaj-biske", "de-CH-1996", "es-419", "zh-cmn-Hans-CN", "ar-EG",
     "de-DE-u-co-phonebk", "x-ours", "qaa-Qaaa-QM-x-southern", "tlh"],
)  # fmt: skip
def test_tags_of_rfc_5646_are_taken(tag):
    assert check_language(tag) == tag


@pytest.mark.parametrize(
    "tag", ["e", "en_US", "en-", "deutsch-ist-schön", 'en" onload="x', "en us", "a-DE", "ar-a-aaa-x", "1en"]
)
def test_what_is_no_language_tag_is_refused(tag):
    with pytest.raises(InputError, match="is not a BCP 47 language tag"):
        texts_of(lang=tag)


@pytest.mark.parametrize(
    ("tag", "way"),
    [("", "ltr"), ("en", "ltr"), ("ar", "rtl"), ("ar-EG", "rtl"), ("he", "rtl"), ("fa-IR", "rtl"), ("ur", "rtl"), ("ckb", "rtl"),
     ("yi", "rtl"), ("dv", "rtl"), ("ar-Latn", "ltr"), ("az", "ltr"), ("az-Arab", "rtl"), ("AZ-ARAB", "rtl"), ("pa-Arab-PK", "rtl"),
     ("ja", "ltr"), ("nqo", "rtl"), ("ff-Adlm", "rtl"), ("tr", "ltr"), ("ku", "ltr")],
)  # fmt: skip
def test_the_script_decides_the_direction(tag, way):
    assert direction(tag) == way
    assert texts_of(lang=tag).dir == way
    assert texts_of(lang=tag, dir="ltr").dir == "ltr"


# -- rows of the campaign ------------------------------------------------------------------------------------

text = st.text(st.characters(blacklist_categories=("Cs",)), max_size=30)
given_texts = st.builds(
    Texts,
    question=text,
    anchors=st.dictionaries(st.integers(0, 100).map(float), text, max_size=4).map(
        lambda d: tuple(sorted(d.items()))
    ),
    instructions=text,
    examples=st.lists(st.builds(Example, text, st.floats(0, 100), text), max_size=3).map(tuple),
    lang=st.sampled_from(["", "en", "ar", "zh-Hant"]),
    dir=st.sampled_from(["ltr", "rtl"]),
    words=st.dictionaries(st.sampled_from(["next", "back", "title"]), text, max_size=2),
)


@settings(max_examples=60, deadline=None)
@given(given_texts)
def test_texts_come_back_from_the_campaign_as_they_were(texts):
    rows = texts_to_rows(texts)
    assert len({(name, lang) for name, lang, _, _ in rows}) == len(rows)
    assert texts_from_rows(reversed(rows)) == texts


def test_texts_in_two_languages_are_chosen_by_name():
    english, arabic = texts_of("How good?", lang="en"), texts_of("كم؟", lang="ar")
    rows = texts_to_rows(english) + texts_to_rows(arabic)
    assert texts_from_rows(rows, "ar") == arabic and texts_from_rows(rows, "en") == english
    with pytest.raises(InputError, match=r"texts in 2 languages \('ar', 'en'\); name one with --lang"):
        texts_from_rows(rows)
    with pytest.raises(InputError, match="no texts in 'de'; this campaign has 'ar', 'en'"):
        texts_from_rows(rows, "de")


def test_a_campaign_without_texts_has_none():
    assert texts_to_rows(Texts()) == [] and texts_from_rows([]) == Texts()


# -- files ---------------------------------------------------------------------------------------------------


def test_instructions_are_plain_text_whatever_they_hold(tmp_path):
    file = tmp_path / "instructions.txt"
    file.write_bytes("\ufeff\r\nOne <b>&amp;</b>.\r\n\r\n# Two\r".encode())
    assert read_instructions(file) == "One <b>&amp;</b>.\n\n# Two"


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"", "empty"), (b"\n \n", "empty"), (b"a\xff", "byte number 2 is not UTF-8"), (b"a\0b", "zero characters"),
     ("é".encode() * 100_001, "100,001 characters; expected at most 100,000")],
)  # fmt: skip
def test_instructions_that_are_no_text_are_refused(tmp_path, raw, said):
    file = tmp_path / "instructions.txt"
    file.write_bytes(raw)
    with pytest.raises(InputError, match=said):
        read_instructions(file)


def test_examples_are_read_in_their_order(tmp_path):
    file = tmp_path / "examples.csv"
    file.write_text("score,text,why\n90,good one,all there\n10,'=bad,\n", encoding="utf-8")
    assert read_examples(file) == (Example("good one", 90, "all there"), Example("'=bad", 10, ""))


@pytest.mark.parametrize(
    ("content", "said"),
    [("text,why\na,b\n", "no column 'score'; found 'text', 'why'"),
     ("text,score,because\na,1,b\n", "column 'because'; expected text, score and why"),
     ("text,score\na,101\n", "row 1 (line 2), column 'score': '101'; expected a number from 0 to 100"),
     ("text,score\na,5\nb,\n", "row 2 (line 3), column 'score': ''"),
     ("text,score\n ,5\n", "row 1 (line 2), column 'text': blank"),
     ("text,score\n" + "a,5\n" * 101, "101 examples; expected at most 100")],
)  # fmt: skip
def test_wrong_examples_are_named_by_row_and_column(tmp_path, content, said):
    file = tmp_path / "examples.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_examples(file)
    assert said in str(error.value)


def test_words_are_read_from_a_file(tmp_path):
    file = tmp_path / "words.json"
    file.write_text(json.dumps({"next": "Weiter", "place": "Seite {page} von {pages}"}), encoding="utf-8")
    assert read_words(file) == {"next": "Weiter", "place": "Seite {page} von {pages}"}


@pytest.mark.parametrize(
    ("content", "said"),
    [("[1]", "not a JSON object; expected keys and words"), ("{", "not JSON"), ('{"next": 1, "next": 2}', "'next' appears 2 times"),
     ('{"nxt": "a"}', "'nxt' is not a text of the page; did you mean 'next'?"),
     ('{"next": 5}', "'next': '5'; expected 1 to 1000 characters"), ('{"next": " "}', "'next': ' '; expected"),
     ('{"place": "Seite {page}"}', "'place': has the places {page}; expected {page}, {pages}"),
     ('{"next": "{more}"}', "'next': has the places {more}; expected none"),
     ("[" * 100_000, "not JSON"), ('{"next": ' + "9" * 5000 + "}", "words.json")],
)  # fmt: skip
def test_wrong_words_are_refused(tmp_path, content, said):
    file = tmp_path / "words.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_words(file)
    assert said in str(error.value)


def test_every_word_can_be_given_and_keeps_its_places():
    assert check_words({key: f"<{word}>" for key, word in ENGLISH.items()}, "words") == {
        key: f"<{word}>" for key, word in ENGLISH.items()
    }


def test_a_text_without_end_is_refused():
    with pytest.raises(TooLargeError, match="question: 100,001 characters"):
        texts_of("x" * 100_001)
