"""Where Newton's method begins for mixtures, whose likelihood has several maxima; everything else begins at
0.

A start is the maximum to a few digits, classes by share, the largest first; then log-ratios of the shares to
the last one. The likelihood that results is held against others: README.md says how many starts reach which.
"""

from __future__ import annotations

#: Betas of differences have a mirror, -beta - 2 lambda, which is as likely; this is the one that a search
#: from 0 reaches.
START: dict[str, list[str]] = {
    "trdel--pattern-2-classes": "-.58 -1.563 -.4087 -1.763 .4603 .3098 -.2137 .0167 .2647".split(),
    "trdel--pattern-3-classes": (
        "-.519 -1.6916 -.32226 -1.7694 .8327 .44487 -.02565 .2632 -1.0608 -.4216 -1.22976 -1.46128"
        " 1.3674 .9404"
    ).split(),
    "made-silent--pattern-alpha-common-beta-difference": (
        ".3347 .2136 .0887 -1.8726 -1.6303 -.5419 -.0562".split()
    ),
    "made-two-kinds--pattern-2-classes": "-.8 .4 -.2 .9 .3 .1 .08".split(),
}
