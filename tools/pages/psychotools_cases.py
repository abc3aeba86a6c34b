"""The examples of psychotools' help pages on paired comparisons, as they are typed there."""

from __future__ import annotations

from .bradleyterry2_r import RCase

NEEDS = ("psychotools",)
PC = "pc <- paircomp(rbind(c(1, 1, 1), c(1, 1, -1), c(1, -1, -1), c(1, 1, 1)))\n"
#: Counts of a summary of comparisons, by pair and answer.
_COUNTS = (
    "s <- summary({x}); named(s, paste0(rep(rownames(s), ncol(s)), ', ', rep(colnames(s), each = nrow(s))))"
)
_FIT = "c(estimates({m}), tests({m}), 'log-likelihood' = as.numeric(logLik({m})), 'deviance' = deviance({m}))"
_WORTH = """w <- itempar({m}, log = FALSE)
c(named(worth({m}), names(worth({m})), 'worth of '), named(w, names(w), 'itempar of '), named(sqrt(diag(vcov(w))), names(w), 'standard error of the worth of '))"""


def _data(name: str) -> str:
    return f'data("{name}", package = "psychotools")\n'


PSYCHOTOOLS: tuple[RCase, ...] = (
    RCase("paircomp", "paircomp, labels, mscale", PC + "summary(pc)", _COUNTS.format(x="pc"), again=False, needs=NEEDS),
    RCase("paircomp-labels", "paircomp, subset.paircomp", PC + 'labels(pc) <- c("ah", "be", "ce")\nsummary(reorder(pc, c("ce", "ah")))',
          _COUNTS.format(x='reorder(pc, c("ce", "ah"))'), again=False, needs=NEEDS),
    RCase("paircomp-scale", "mscale", """pc <- paircomp(rbind(c(2, 1, 0), c(1, 1, -1), c(1, -2, -1), c(0, 0, 0)))
mscale(pc) <- sign(mscale(pc))
summary(pc)""", _COUNTS.format(x="pc"), again=False, needs=NEEDS),
    RCase("btmodel", "btmodel, plot.btmodel", _data("GermanParties2009") + "bt <- btmodel(GermanParties2009$preference)\nsummary(bt)",
          _FIT.format(m="bt"), needs=NEEDS),
    RCase("worth", "worth, itempar", "worth(bt)\nitempar(bt)", _WORTH.format(m="bt"),
          unseen=_data("GermanParties2009") + "bt <- btmodel(GermanParties2009$preference)", needs=NEEDS),
    RCase("itempar-log", "itempar", "itempar(bt, ref = c(\"SPD\", \"CDU/CSU\"), log = TRUE)",
          'i <- itempar(bt, ref = c("SPD", "CDU/CSU"), log = TRUE); c(named(i, names(i)), named(sqrt(diag(vcov(i))), names(i), "standard error of "))',
          unseen=_data("GermanParties2009") + "bt <- btmodel(GermanParties2009$preference)", needs=NEEDS),
    RCase("GermanParties2009", "GermanParties2009, plot.paircomp", _data("GermanParties2009") + "summary(GermanParties2009$preference)",
          _COUNTS.format(x="GermanParties2009$preference"), again=False, needs=NEEDS),
    RCase("FirstNames", "FirstNames", _data("FirstNames") + "summary(FirstNames$preference)",
          _COUNTS.format(x="FirstNames$preference"), again=False, needs=NEEDS),
    RCase("FirstNames-btmodel", "btmodel", "bt <- btmodel(FirstNames$preference)\nsummary(bt)\nworth(bt)", _FIT.format(m="bt"),
          unseen=_data("FirstNames"), needs=NEEDS, note="the help page of the data fits nothing"),
    RCase("SoundQuality", "SoundQuality", _data("SoundQuality") + "summary(SoundQuality$preference)",
          _COUNTS.format(x="SoundQuality$preference"), again=False, needs=NEEDS),
    RCase("SoundQuality-btmodel", "btmodel", "bt <- btmodel(SoundQuality$preference)\nsummary(bt)\nworth(bt)", _FIT.format(m="bt"),
          unseen=_data("SoundQuality"), needs=NEEDS, note="the help page of the data fits nothing"),
    RCase("paircomp-ties-btmodel", "btmodel", "bt <- btmodel(pc)\nsummary(bt)\nworth(bt)", _FIT.format(m="bt"),
          unseen="""pc <- paircomp(rbind(c(1, 1, 0), c(1, 1, -1), c(1, -1, -1), c(-1, 0, 1), c(0, 1, 1), c(-1, -1, 0)))""", needs=NEEDS,
          note="no example has ties; this is one of six persons, three items and Davidson's ties"),
)  # fmt: skip
