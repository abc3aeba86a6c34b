"""`python -m tools.pages.annotation_page`: take the pictures of the annotator's page anew, with the Chromium that is here.

The pictures are of a real page in a real browser, and differ a little with the machine's fonts; no test compares
them.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

from pairproof.campaign.page.batch_page import PageData, PageHit, PageSlot, page_html
from pairproof.campaign.page.texts import Texts, texts_of
from tests.campaign.page import browser
from tests.campaign.page.browser import Browser

from .snippets import ROOT

FIGURES = ROOT / "docs" / "figures"
ENGLISH = texts_of(
    "How much of the meaning of the source is kept?",
    "0=none of it;33=some of it;66=most of it;100=all of it",
    "Read all translations before you score the first.",
    lang="en",
)
ARABIC = texts_of(
    "كم بقي من معنى الأصل؟",
    "0=لا شيء;50=نصفه;100=كله",
    "اقرأ كل الترجمات أولًا.",
    lang="ar",
    words={
        "place": "صفحة {page} من {pages}",
        "answered": "أجيب عن {done}",
        "instructions": "التعليمات",
        "no_score": "لا درجة بعد",
        "cannot": "لا أستطيع الحكم",
        "back": "السابق",
        "next": "التالي",
        "finish": "حفظ الإجابات",
        "keyboard": "لوحة المفاتيح",
    },
)
TRANSLATIONS = (
    "The committee will meet again on Thursday to decide whether the bridge should be closed.",
    "Committee on Thursday meets, bridge close decide.",
    "On Thursday the board convenes once more about the bridge.",
)
TARJAMAT = (
    "ستجتمع اللجنة مجددًا يوم الخميس.",
    "اللجنة تجتمع الجسر الخميس.",
    "يلتقي المجلس يوم الخميس مرة أخرى.",
)
#: Name of the picture, texts, items, width in pixels, colours.
PICTURES = (
    ("annotation-page", ENGLISH, TRANSLATIONS, 760, "light"),
    ("annotation-page-phone", ENGLISH, TRANSLATIONS, 360, "dark"),
    ("annotation-page-arabic", ARABIC, TARJAMAT, 760, "light"),
)


def picture(
    web: Browser, folder: Path, texts: Texts, items: tuple[str, ...], width: int, colours: str
) -> bytes:
    """A page of which two items are answered, as PNG."""
    slots = tuple(PageSlot(text) for text in items)
    page = folder / "page.html"
    page.write_text(
        page_html(PageData("c0ffee", 1, (PageHit(1, slots), PageHit(2, slots)), 3, texts=texts)), "utf-8"
    )
    web.look_like(width, 900, prefers_color_scheme=colours)
    web.open(page, f"?name={width}{colours}{texts.lang}")
    web.click("#begin")
    web.press("7", "2", "Down", "2", "4", "Down")
    # As high as the page, so that no bar to scroll it takes its room.  Not beyond the window: what is read
    # from right to left is then cut off.
    height = web.run("return document.documentElement.offsetHeight")
    web.look_like(width, height, prefers_color_scheme=colours)
    taken = web.devtools("Page.captureScreenshot", format="png")
    return base64.b64decode(taken["data"])


def main() -> int:
    reason = browser.missing()
    if reason:
        print(reason, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name, Browser(Path(name)) as web:
        for figure, *how in PICTURES:
            (FIGURES / f"{figure}.png").write_bytes(picture(web, Path(name), *how))
            print(FIGURES / f"{figure}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
