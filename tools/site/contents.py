"""What the site is made of beside the pages as they are: long pages in parts, links that follow, the reference."""

from __future__ import annotations

import inspect
import posixpath
import re
from collections.abc import Mapping, Sequence

import pairproof

HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
#: A link to a file of the repository that is no page: outside docs/.
OUTSIDE = re.compile(r"\[([^\[\]]*)\]\((?:\.\./)+(?!docs/)[^)\s]*\)")


def headings(text: str) -> list[tuple[int, int, str]]:
    """Place, level and text of the headings of a page, without those inside fences."""
    fenced = [m.span() for m in FENCED.finditer(text)]
    return [
        (m.start(), len(m[1]), m[2].strip())
        for m in HEADING.finditer(text)
        if not any(a <= m.start() < b for a, b in fenced)
    ]


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def split(name: str, text: str, most: int) -> dict[str, str]:
    """A page that is too long as its beginning and a page for each run of its second-level headings."""
    cuts = [place for place, level, _ in headings(text) if level == 2]
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    parts, own = {}, pieces[0]
    rest: list[str] = []
    for piece in pieces[1:]:
        if not rest and own.count("\n") + piece.count("\n") <= most // 2:
            own += piece
        elif rest and rest[-1].count("\n") + piece.count("\n") <= most // 2:
            rest[-1] += piece
        else:
            rest.append(piece)
    stem = name.removesuffix(".md")
    for piece in rest:
        levels = HEADING.sub(lambda m: m[0], piece)
        title = headings(levels)[0][2]
        parts[f"{stem}/{anchor(title)[:60].strip('-')}.md"] = _raised(piece)
    return {name: own, **parts}


def _raised(piece: str) -> str:
    """The piece with its headings one level higher."""
    out, last = [], 0
    for place, _, _ in headings(piece):
        out.append(piece[last:place])
        last = place + 1
    return "".join([*out, piece[last:]])


def places(written: Mapping[str, str], parts: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """Page -> anchor -> the part that has it now, for pages that were split."""
    return {
        page: {anchor(title): part for part in names for _, _, title in headings(written[part])}
        for page, names in parts.items()
    }


def linked(name: str, text: str, moved: Mapping[str, Mapping[str, str]], known: set[str]) -> str:
    """The text with links to where things stand on the site; what is not on it becomes plain text."""
    folder = posixpath.dirname(name)
    origin = next((page for page, parts in moved.items() if name in parts.values()), name)

    def changed(match: re.Match[str]) -> str:
        target, hash_ = match[1], match[2] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        full = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target)) if target else origin
        full = moved.get(full, {}).get(hash_[1:], full)
        if full == name:
            return f"]({hash_})" if hash_ else f"]({posixpath.basename(name)})"
        return f"]({posixpath.relpath(full, folder or '.')}{hash_})"

    text = OUTSIDE.sub(lambda m: m[1] if _leaves(name, m[0]) else m[0], text)
    fenced = [m.span() for m in FENCED.finditer(text)]
    return LINK.sub(lambda m: m[0] if any(a <= m.start() < b for a, b in fenced) else changed(m), text)


def _leaves(name: str, link: str) -> bool:
    """Whether a link of a page leads out of docs/."""
    target = link.rpartition("](")[2].partition("#")[0].rstrip(")")
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target)).startswith("..")


def with_parts(text: str, parts: Sequence[str]) -> str:
    """The text with the list of its parts."""
    if not parts:
        return text
    names = "\n".join(
        posixpath.join(posixpath.basename(posixpath.dirname(p)), posixpath.basename(p)) for p in parts
    )
    return f"{text}\n```{{toctree}}\n:maxdepth: 2\n:caption: More on this page\n\n{names}\n```\n"


#: The order of the site: caption, then pages.  A page that stands nowhere fails the build.
ORDER: Mapping[str, Sequence[str]] = {
    "Start": ["installing", "versions"],
    "Tutorials": (
        "tutorials/r-script tutorials/r-table tutorials/rankings tutorials/votes tutorials/answers tutorials/scores"
        " checking-a-paper tutorials/regression-tests"
    ).split(),
    "Guides": (
        "data models answers latent-classes trees inference leaderboards boards-that-move audit translation-competitions"
        " scalar-annotation more-votes-than-memory claims-format migrate r-bridge what-a-fit-answers limits"
    ).split(),
    "From R": (
        "from-r from-r-examples does-it-match-r prefmod-to-pairproof prefmod-classes prefmod-defects bradleyterry2-to-pairproof"
        " bradleyterry2-defects bradleyterry2-silent"
    ).split(),
    "Examples of R's help pages": (
        "examples/prefmod-examples examples/prefmod-more examples/bradleyterry2-examples examples/bradleyterry2-by-hand"
        " examples/psychotools-examples examples/psychotools-by-hand"
    ).split(),
    "Evidence": (
        "coverage boards-compared speed certified errors papers-under-clustering hopkins-may-2013"
        " sakaguchi-vandurme-2018"
    ).split(),
    "Reference": ["reference/index", "licences"],
}


def toctrees(known: set[str]) -> str:
    """The hidden lists of pages that Sphinx asks for."""
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n"
        + "\n".join(n for n in names if f"{n}.md" in known or n.startswith("reference/"))
        + "\n```\n"
        for caption, names in ORDER.items()
    )


#: Sections of the reference: heading, then names of the face.
SECTIONS: Mapping[str, Sequence[str]] = {
    "Reading data": "read example count rows load split_tracks read_respondents Comparisons Respondents".split(),
    "Fitting comparisons": (
        "fit_llbt fit_bradley_terry fit_with_pseudo_comparisons predict compare_ties add1 drop1 anova contest_residuals"
        " item_residuals likelihood_of"
    ).split(),
    "Fitting whole answers": "fit_pattern fit_plackett_luce fit_latent_classes tabulate_latent_classes fit_tree".split(),
    "Inference": "bootstrap profile profile_test score_test wild_test".split(),
    "Leaderboards": "leaderboard audit next_pairs anytime_limits board_changes".split(),
    "Translation competitions": (
        "fit_preference_model fit_irt_gaussian fit_irt_categorical compare_two judge_agreement error_rate rate_difference"
        " rank_by_merge_insertion"
    ).split(),
    "R and papers": "verify migrate to_r".split(),
    "Plots": "plot_worth plot_contrasts plot_ranks plot_item_residuals".split(),
    "Errors": (
        "PairproofError InputError NotEstimableError ConvergenceError ComparisonError RError RUnavailable PairproofWarning"
    ).split(),
}


def reference() -> dict[str, str]:
    """The pages of the reference, reStructuredText made from the face."""
    named = {n for names in SECTIONS.values() for n in names}
    others = [n for n in pairproof.__all__ if n not in named and n not in ("Fit", "campaign", "__version__")]
    sections = {**SECTIONS, **({"Other": others} if others else {})}
    pages = {"reference/index.rst": _index(sections), "reference/fit.rst": _of_fit()}
    for title, names in sections.items():
        lines = [title, "=" * len(title), "", ".. currentmodule:: pairproof", ""]
        for name in names:
            kind = "autoclass" if inspect.isclass(getattr(pairproof, name)) else "autofunction"
            members = "\n   :members:" if name in ("Comparisons", "Respondents") else ""
            lines += [f".. {kind}:: {name}{members}", ""]
        pages[f"reference/{anchor(title)}.rst"] = "\n".join(lines)
    return pages


def _index(sections: Mapping[str, Sequence[str]]) -> str:
    pages = "\n".join(f"   {anchor(title)}" for title in sections)
    return f"Reference\n=========\n\nEvery public name, from its docstring.\n\n.. toctree::\n   :maxdepth: 2\n\n   fit\n{pages}\n"


def _of_fit() -> str:
    return "A fit and its verbs\n===================\n\n.. currentmodule:: pairproof\n\n.. autoclass:: Fit\n   :members:\n   :inherited-members:\n"
