"""Printed texts that are kept as files, and the data that their numbers come from.

Texts of R are made by `texts/make.R`; what was typed, and after which manual, is said there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pairproof
from pairproof.data.comparisons import Comparisons
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.data import read_data

TEXTS = Path(__file__).with_name("texts")
#: Text -> its data, and how many numbers it prints that a model can have.
PAGES: dict[str, tuple[str, int]] = {
    "btm_summary.txt": ("baseball", 29),
    "btm_print.txt": ("baseball", 10),
    "btm_refcat.txt": ("baseball", 29),
    "btm_abilities.txt": ("baseball", 13),
    "btm_home.txt": ("home", 33),
    "glm_summary.txt": ("baseball", 29),
    "glm_names.txt": ("baseball", 29),
    "glm_print.txt": ("baseball", 10),
    "citations.txt": ("citations", 17),
    "coef.txt": ("citations", 3),
    "coef_wrapped.txt": ("citations", 12),
    "coef_confint.txt": ("citations", 6),
    "odds_ratios.txt": ("citations", 9),
    "qvframe.txt": ("citations", 7),
    "springall.txt": ("springall", 37),
    "gnm_o.txt": ("cems", 28),
    "gnm_print.txt": ("cems", 9),
    "glm_poisson.txt": ("cems", 27),
    "llbtpc_print.txt": ("cems", 9),
    "llbtpc_summary.txt": ("cems", 28),
    "llbt_worth.txt": ("cems", 6),
    "btmodel_print.txt": ("parties", 5),
    "btmodel_summary.txt": ("parties", 21),
    "btmodel_itempar.txt": ("parties", 6),
    "eba_print.txt": ("celebrities", 9),
    "eba_summary.txt": ("celebrities", 9),
    "eba_scale.txt": ("celebrities", 9),
    "booktabs.tex": ("baseball", 25),
    "below.tex": ("baseball", 20),
    "page.html": ("baseball", 21),
    "readme.md": ("baseball", 14),
    "pdf.txt": ("baseball", 26),
    "pdf_minus.txt": ("citations", 6),
    "paren.txt": ("baseball", 24),
    "stata.txt": ("baseball", 38),
    "sas.txt": ("baseball", 24),
    "genmod.txt": ("baseball", 40),
}


@lru_cache
def data(name: str) -> Comparisons:
    """The comparisons of that name."""
    if name in ("baseball", "citations"):
        return read_data(read_paper("firth-2005"), name)
    if name == "cems":
        schools = read_data(read_paper("cems"), "cems-1998-erroneous")
        return replace(schools, items=("London", "Paris", "Milan", "StGallen", "Barcelona", "Stockholm"))
    order = ["LBJ", "HW", "CDG", "JU", "CY", "AJF", "BB", "ET", "SL"] if name == "celebrities" else None
    return pairproof.read(TEXTS / f"data_{name}.csv", items=order)
