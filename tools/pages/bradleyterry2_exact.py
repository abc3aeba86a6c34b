"""Values of BradleyTerry2's fixed-effects models to 25 digits: Newton's method in 40 digits on R's own model matrix.

Neither R's fitters nor pairproof's are used: R gives the model matrix, the counts and the link, and the root of the
score (for bias reduction: of Firth's modified score) is found here.  An ability of a separated player is infinite; its
contests are then certain, and the others' values are those of the contests without that player.

    python -m tools.pages.bradleyterry2_exact      # needs mpmath, R and BradleyTerry2; half a minute
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.bridge import Backend

from .bradleyterry2_cases import R_FOUR
from .bradleyterry2_vignette import VIGNETTE
from .migrate_runs import make_pages
from .migrated import Call, scripts_of
from .tables import keep, kept as read

KEPT = "bradleyterry2_exact"
DIGITS = 25
#: A row of a model matrix.
Point = tuple[float, ...]

#: R: the design of a model without its aliased columns, successes, totals and coefficients.
DESIGN = r"""
for (package in c("BradleyTerry2", "brglm")) suppressMessages(library(package, character.only = TRUE))
here <- new.env(parent = globalenv())
utils::capture.output(suppressWarnings(for (e in parse(text = code)) eval(e, here)))
m <- eval(parse(text = model), here)
known <- !is.na(stats::coef(m))
x <- stats::model.matrix(m)[, known, drop = FALSE]
list(x = as.numeric(t(x)), names = names(stats::coef(m))[known], won = as.numeric(m$y * m$prior.weights), all = as.numeric(m$prior.weights),
     start = as.numeric(stats::coef(m)[known]))
"""


@dataclass(frozen=True)
class Model:
    """A model of a help page ("" for `more/`), or of a section of the vignette: where it is, and R's name of it."""

    page: str
    model: str
    reduced: bool = False
    #: Parameters that have no finite value.
    infinite: tuple[str, ...] = ()
    #: What the vignette leaves out of R's names.
    strip: str = ""
    #: R, where the page gives its name to another model later on.
    code: str = ""

    @property
    def of(self) -> str:
        """By what name its values are kept."""
        return self.page if self.page in SECTIONS else f"{self.page}: {self.model}"


SECTIONS = {c.name: c for c in VIGNETTE.values()}
WHITING = (
    f"Whiting.model <- BTm(rep(1, nrow(flatlizards$contests)), winner, loser, {R_FOUR}, data = flatlizards)"
)
MODELS = (
    Model("citations", "citeModel"),
    Model("baseball", "baseballModel1"),
    Model("baseball", "baseballModel2"),
    Model("CEMS", "table3.model"),
    Model("CEMS", "table6.model"),
    Model("", "table8.model"),
    Model("chameleons", "chameleon.model"),
    Model("flatlizards", "BTmodel", reduced=True),
    Model("flatlizards", "Whiting.model", infinite=("..lizard096",), code=WHITING),
    Model("icehockey", "standardBT"),
    Model("icehockey", "levelBT"),
    Model("springall", "springall.model"),
    Model("sound.fields", "flutes.model"),
    Model("sound.fields", "flutes.model.reparam"),
    Model("vignette-2.1", "citeModel", strip="journal"),
    Model("vignette-2.1-refcat", "m", strip="journal"),
    Model("vignette-2.2", "m", reduced=True, strip="journal"),
    Model("vignette-3.3-1", "baseballModel1", strip="team"),
    Model("vignette-3.3-2", "baseballModel2", strip="team"),
)


def _slope(cells: Mapping[Point, Sequence[Any]], theta: Sequence[float]) -> Any:
    """Minus the inverse of the derivative of Firth's modified score, by differences in doubles: with it kept, each
    step gains its digits.
    """
    x = np.array(list(cells))
    won, total = (np.array([float(c[k]) for c in cells.values()]) for k in (0, 1))

    def score(at: Any) -> Any:
        p = 1 / (1 + np.exp(-x @ at))
        v = total * p * (1 - p)
        hat = v * np.einsum("ri,ij,rj->r", x, np.linalg.inv(x.T @ (v[:, None] * x)), x)
        return x.T @ (won - total * p + hat * (0.5 - p))

    at, step = np.array(theta), 1e-5
    columns = [(score(at + step * e) - score(at - step * e)) / (2 * step) for e in np.eye(len(at))]
    return -np.linalg.inv(np.stack(columns, axis=1))


def _contests(
    design: Mapping[str, Any], keep: Sequence[int], dropped: set[int]
) -> list[tuple[Point, Any, Any]]:
    """Rows of the kept columns with their wins and totals; without those in which a dropped player was."""
    from mpmath import mpf

    k = len(design["names"])
    rows = []
    for r, (won, total) in enumerate(zip(design["won"], design["all"])):
        x = tuple(design["x"][r * k : (r + 1) * k])
        if total and not any(x[j] for j in dropped):
            # Counts are whole or half numbers; a proportion times a total has lost a digit.
            rows.append((tuple(x[j] for j in keep), mpf(round(2 * won)) / 2, mpf(round(2 * total)) / 2))
    return rows


def _root(
    cells: Mapping[Point, Sequence[Any]], start: Sequence[float], reduced: bool, of: str
) -> tuple[Any, Any]:
    """Where the score, or Firth's modified score, is 0, and the inverse information there."""
    from mpmath import mp, mpf

    sparse = [([(j, mpf(v)) for j, v in enumerate(x) if v], w, n) for x, (w, n) in cells.items()]
    theta = [mpf(t) for t in start]
    chord = mp.matrix(_slope(cells, start).tolist()) if reduced else None
    for _ in range(100):
        score, information, shares = [mpf(0)] * len(theta), mp.zeros(len(theta)), []
        for terms, _w, n in sparse:
            p = 1 / (1 + mp.exp(-sum((theta[j] * v for j, v in terms), mpf(0))))
            shares.append((p, n * p * (1 - p)))
            for i, a in terms:
                for j, b in terms:
                    information[i, j] += a * b * shares[-1][1]
        inverse = information**-1
        for (terms, w, n), (p, v) in zip(sparse, shares):
            pull = mpf(0)
            if reduced:
                spread = sum((a * inverse[i, j] * b for i, a in terms for j, b in terms), mpf(0))
                pull = v * spread * (mpf(1) / 2 - p)
            for j, a in terms:
                score[j] += a * (w - n * p + pull)
        step = (inverse if chord is None else chord) * mp.matrix(score)
        theta = [t + s for t, s in zip(theta, step)]
        if max(abs(s) for s in step) < mpf(10) ** -32:
            return theta, inverse
    raise ValueError(f"{of}: no root in 100 steps; the last step was {max(abs(s) for s in step)}")


def _deviance(rows: Sequence[tuple[Point, Any, Any]], theta: Sequence[Any]) -> Any:
    from mpmath import log, mp, mpf

    total = mpf(0)
    for x, w, n in rows:
        p = 1 / (1 + mp.exp(-sum((t * mpf(v) for t, v in zip(theta, x)), mpf(0))))
        for seen, expected in ((w, n * p), (n - w, n * (1 - p))):
            if seen:
                total += 2 * seen * log(seen / expected)
    return total


def values(design: Mapping[str, Any], model: Model) -> dict[str, str]:
    """Estimates, standard errors and deviance by name, as text."""
    from mpmath import mp, mpf, sqrt

    mp.dps = 40
    names: Sequence[str] = design["names"]
    dropped = {names.index(n) for n in model.infinite}
    keep = [j for j in range(len(names)) if j not in dropped]
    rows = _contests(design, keep, dropped)
    cells: dict[Point, list[Any]] = {}
    for x, w, n in rows:
        cell = cells.setdefault(x, [mpf(0), mpf(0)])
        cell[0], cell[1] = cell[0] + w, cell[1] + n
    theta, inverse = _root(cells, [design["start"][j] for j in keep], model.reduced, model.of)
    found = {"deviance": mp.nstr(_deviance(rows, theta), DIGITS)}
    for i, j in enumerate(keep):
        name = names[j].removeprefix(model.strip)
        found[name] = mp.nstr(theta[i], DIGITS)
        found[f"standard error of {name}"] = mp.nstr(sqrt(inverse[i, i]), DIGITS)
    return found


def computed(names: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """All of them, or those of `names`, from live R."""
    with tempfile.TemporaryDirectory(prefix="pairproof-exact-") as folder:
        made = make_pages(Path(folder))
        assert made is not None, "R gives the designs"
        listed = reversed([*scripts_of("BradleyTerry2", made)])
        codes = {s.name: s.path.read_text(encoding="utf-8") for s in listed}
    codes |= {name: f"{c.unseen}\n{c.code}" for name, c in SECTIONS.items()}
    found = {}
    for model in MODELS:
        if names and model.of not in names:
            continue
        answer = Backend("live").call(
            code=DESIGN,
            args={"code": model.code or codes[model.page], "model": model.model},
            needs=("BradleyTerry2", "brglm"),
        )
        value = answer.as_list()
        design: dict[str, Any] = {
            key: [float(v) for v in value.vector(key).floats().ravel()]
            for key in ("x", "won", "all", "start")
        }
        design["names"] = [str(n) for n in value.vector("names").values]
        found[model.of] = values(design, model)
    return found


def kept() -> dict[str, dict[str, str]]:
    """The values that are kept."""
    found: dict[str, dict[str, str]] = read(KEPT)
    return found


def of_call(c: Call) -> dict[str, str]:
    """The values of a call's quantities; none of a call whose model is not among MODELS."""
    model = next(
        (m for m in MODELS if m.page in c.pages and m.model == c.name and c.function.endswith("::BTm")), None
    )
    true = {_plain(q): text for q, text in kept()[model.of].items()} if model else {}
    return {q: true[_plain(q)] for q in c.quantities if _plain(q) in true}


def _plain(name: str) -> tuple[bool, frozenset[str]]:
    """Whether a quantity is a standard error, and of what, without R's or migrate's own way of naming it."""
    error = name.startswith(("standard error of ", "se."))
    name = name.removeprefix("standard error of ").removeprefix("se.").removeprefix("estimate.")
    name = re.sub(r"\[(\.\.|ID|field)\]", "", re.sub(r"\[student\](\w+)", r"[\1]", name)).replace(
        "at.home", "order"
    )
    return error, frozenset(re.sub(r"^(team|field|\.\.)", "", part) for part in name.split(":"))


if __name__ == "__main__":
    keep(KEPT, computed())
