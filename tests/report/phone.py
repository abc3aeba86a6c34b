"""How large the text of a page's pictures is on a telephone, from the page alone."""

from __future__ import annotations

import re
from xml.etree import ElementTree

#: Pixels of a narrow telephone, and those that the page leaves free at both sides of a picture.
WIDTH, MARGINS = 420, 32
#: No text of a picture may be smaller, in pixels.
LEAST = 9.0


def text_sizes(page: str) -> list[float]:
    """Pixels of the smallest text of each picture that a telephone shows."""
    shown = re.findall(r'<div class="narrow">(<svg.*?</svg>)\s*</div>', page, re.DOTALL)
    shown += re.findall(r'<figure>(<svg style="[^"]*min-width.*?</svg>)', page, re.DOTALL)
    return [_smallest(svg) for svg in shown]


def _smallest(text: str) -> float:
    svg = ElementTree.fromstring(text)
    units = float(svg.attrib["viewBox"].split()[2])
    px = {name: float(value) for name, value in re.findall(r"(m\w\w-width):(\d+)px", svg.attrib["style"])}
    width = max(min(WIDTH - MARGINS, px.get("max-width", WIDTH)), px.get("min-width", 0.0))
    sizes = [
        float(found[1])
        for element in svg.iter("{http://www.w3.org/2000/svg}text")
        if (found := re.search(r"font(?:-size)?:\s*(?:\S+\s)*?([\d.]+)px", element.attrib["style"]))
    ]
    assert len(sizes) == len(list(svg.iter("{http://www.w3.org/2000/svg}text"))), "a text without a size"
    return min(sizes, default=LEAST) * width / units
