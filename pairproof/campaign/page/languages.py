"""Language tags (BCP 47, RFC 5646 section 2.1) and the direction in which a language is written."""

from __future__ import annotations

import re

from ...errors import InputError

# Grandfathered tags (`i-klingon`, ...) are left out: they are deprecated, and browsers know none of them.
_TAG = re.compile(
    r"""
    (?: [a-z]{2,3} (?:-[a-z]{3}){0,3} | [a-z]{4,8} )    # language, with extended languages
    (?: - (?P<script>[a-z]{4}) )?
    (?: - (?: [a-z]{2} | [0-9]{3} ) )?                  # region
    (?: - (?: [a-z0-9]{5,8} | [0-9][a-z0-9]{3} ) )*     # variants
    (?: - [0-9a-wy-z] (?: - [a-z0-9]{2,8} )+ )*         # extensions
    (?: -x (?: - [a-z0-9]{1,8} )+ )?                    # private use
    | x (?: - [a-z0-9]{1,8} )+
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: Scripts that run from right to left (ISO 15924; Unicode's Bidi_Class R and AL).
_RIGHT_TO_LEFT = frozenset(
    "adlm arab aran armi avst chrs cprt elym hatr hebr hung khar lydi mand mani mend merc mero narb nbat nkoo"
    " orkh ougr palm phli phlp phnx prti rohg samr sarb sogd sogo syrc syre syrj syrn thaa yezi".split()
)
#: Languages that are usually written in one of them (CLDR's likely subtags).
_LANGUAGES = frozenset(
    "ar aeb acm acq afb apc apd arc ary arz ars ajp azb bal bcc bgn bqi ckb dv fa prs glk he iw ji yi jpr jrb khw"
    " ks lki lrc luz mzn nqo pnb ps pbt pbu rhg sd sdh skr syr tmr trw ug ur".split()
)


def check_language(tag: str) -> str:
    """A language tag as it was given, checked.

    tag: such as `de`, `pt-BR` or `az-Arab`.
    """
    if not _TAG.fullmatch(tag):
        raise InputError(
            f"lang: {tag[:40]!r} is no language tag of BCP 47; expected, for example, en, de, pt-BR, zh-Hant or"
            " az-Arab"
        )
    return tag


def direction(tag: str) -> str:
    """The direction in which a language is written: "rtl" or "ltr"; its script decides where the tag has one.

    tag: a language tag; blank: "ltr".
    """
    match = _TAG.fullmatch(tag)
    script = match["script"] if match else None
    if script:
        return "rtl" if script.lower() in _RIGHT_TO_LEFT else "ltr"
    return "rtl" if tag.split("-")[0].lower() in _LANGUAGES else "ltr"
