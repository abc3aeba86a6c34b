"""`python -m tools.pages.first_picture`: the picture at the top of README, worths and the digits in which R agrees."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import pairproof
from pairproof.bridge import Backend, using

from .snippets import ROOT, records

FILE = ROOT / "docs" / "figures" / "first-fit.png"
#: Size in inches and resolution: 1,280 pixels wide.
SIZE, DPI = (9.14, 3.2), 140


def main() -> None:
    """Write the picture."""
    with using(Backend("recorded", records=records())):
        fit = pairproof.fit_llbt(pairproof.read(pairproof.example("dras")), ties="davidson")
        compared = fit.verify().to_frame()
    digits = compared.groupby("r_call")["digits"].min().sort_values()
    figure, (left, right) = plt.subplots(1, 2, figsize=SIZE, width_ratios=(1, 1.15))
    pairproof.plot_worth(fit.clustered("judge"), left)
    left.set_xlabel("worth")
    left.set_title("Worths with 95 % intervals, clustered by judge", fontsize=10)
    names = [name.replace(", by gnm", "").replace("(eliminate)", "") for name in digits.index]
    right.barh(names, digits, color="#4c72b0", height=0.6)
    right.axvline(16, color="#888888", linewidth=0.8, linestyle=":")
    for place, value in enumerate(digits):
        right.text(value - 0.2, place, f"{value:.1f}", va="center", ha="right", color="white", fontsize=9)
    right.set_xlim(0, 16.5)
    right.set_xticks(range(0, 17, 4))
    right.set_xlabel("digits in which R agrees (a double holds 16)")
    right.set_title("The same fit in R", fontsize=10)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
    figure.tight_layout()
    figure.savefig(FILE, dpi=DPI, metadata={"Software": None})


if __name__ == "__main__":
    main()
