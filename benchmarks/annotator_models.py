"""Models of annotators beside R's lme4 and nlme and statsmodels: the same scores, the same model, side by side.

    python -m benchmarks.annotator_models [--tiny] [--rounds 3] [--out FOLDER]

CPU seconds of one fit, one thread, taken by the process that fits; contenders take turns in shuffled order,
medians over rounds. lme4 and nlme are asked by a live R and statsmodels where they are installed, and shown as
"not here" where they are not. nlme and statsmodels hold a matrix of all scores and are asked small tables only.
The restricted log-likelihoods stand beside the times: who stops early is not fast. The last run is
results/annotator-models.md.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from pairproof.bridge import Backend, data_frame
from pairproof.errors import RError
from pairproof.native.annotation.scores.mixed_model import mixed_model

from .harness.results import asked, keep

#: Judgments of the largest table, and of what is asked of programs with a matrix of all scores.
LARGE, SMALL, TINY = 100_000, 600, 200
#: Seconds that were aimed at with the largest table.
AIMED = {"location": 1.0, "precision": 2.0, "systems": 2.0}
#: CPU seconds and restricted log-likelihood.
Timed = tuple[float, float]

LMER = """
d <- as.data.frame(lapply(labels, factor)); d$y <- y
form <- stats::as.formula(formula)
begin <- proc.time()
fit <- lme4::lmer(form, d, control = lme4::lmerControl(calc.derivs = FALSE))
c(sum((proc.time() - begin)[1:2]), as.numeric(stats::logLik(fit)))
"""
LME = """
d <- as.data.frame(lapply(labels, factor)); d$y <- y; d$one <- factor(1L)
pdBlocked <- nlme::pdBlocked; pdIdent <- nlme::pdIdent
begin <- proc.time()
fit <- nlme::lme(y ~ 1, data = d, weights = nlme::varIdent(form = ~ 1 | annotator),
                 random = list(one = pdBlocked(list(pdIdent(~ item - 1), pdIdent(~ annotator - 1)))))
c(sum((proc.time() - begin)[1:2]), as.numeric(stats::logLik(fit)))
"""
FORMULAS = {
    "location": "y ~ 1 + (1 | item) + (1 | annotator)",
    "systems": "y ~ 0 + system + (1 | source) + (1 | item) + (1 | annotator) + (1 | liking)",
}


def scores(n: int, seed: int = 7) -> dict[str, Any]:
    """n judgments, five an item, of items in sources of five systems; 50 annotators (5 of small tables)."""
    rng = np.random.default_rng(seed)
    annotators, items = (50 if n > 5_000 else 8), n // 5
    item = np.repeat(np.arange(items), 5)
    who = np.argsort(rng.random((items, annotators)), axis=1)[:, :5].ravel()
    system, source = item % 5, item // 5
    noise = np.exp(rng.normal(np.log(0.12), 0.4, annotators))
    liking = np.unique(who * 5 + system, return_inverse=True)[1].ravel()
    y = (
        0.6 + 0.02 * system + rng.normal(0, 0.13, items)[item] + rng.normal(0, 0.08, items)[source]
        + rng.normal(0, 0.09, annotators)[who] + rng.normal(0, 0.03, liking.max() + 1)[liking]
        + noise[who] * rng.normal(size=n)
    )  # fmt: skip
    return {"y": y, "item": item, "annotator": who, "system": system, "source": source, "liking": liking}


def own(model: str, d: dict[str, Any]) -> Timed:
    """pairproof's fit; the precision model without a prior, as nlme has it."""
    begin = time.process_time()
    if model == "systems":
        effects = [d[name] for name in ("source", "item", "annotator", "liking")]
        fit = mixed_model(d["y"], effects, (d["system"][:, None] == np.arange(5)).astype(float))
    else:
        group = d["annotator"] if model == "precision" else None
        fit = mixed_model(d["y"], [d["item"], d["annotator"]], group=group)
    return time.process_time() - begin, fit.loglik


def of_r(model: str, d: dict[str, Any], backend: Backend) -> Timed:
    """lme4's, or nlme's of the precision model, timed by R."""
    columns = data_frame({name: codes + 1 for name, codes in d.items() if name != "y"})
    arguments: dict[str, Any] = {"y": d["y"], "labels": columns}
    code, package = (LME, "nlme") if model == "precision" else (LMER, "lme4")
    if model != "precision":
        arguments["formula"] = FORMULAS[model]
    result = backend.call(code=code, args=arguments, needs=(package,), label=f"{package}, timed")
    value: Any = result.value
    seconds, loglik = value.floats().tolist()
    return seconds, loglik


def of_statsmodels(d: dict[str, Any]) -> Timed:
    """MixedLM of the location model: one group, items and annotators as variance components."""
    import warnings

    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    frame = pd.DataFrame(d).assign(one=1)
    begin = time.process_time()
    components = {"item": "0 + C(item)", "annotator": "0 + C(annotator)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MixedLM.from_formula("y ~ 1", frame, groups="one", re_formula="0", vc_formula=components)
        fit = model.fit(reml=True)
    return time.process_time() - begin, float(fit.llf)


def contenders(tiny: bool) -> tuple[dict[str, Callable[[], Timed]], list[str]]:
    """What is run, by "model, judgments, who"; and who is not here."""
    backend, absent = Backend("live"), []
    small = scores(TINY if tiny else SMALL)
    sizes = [small] if tiny else [small, scores(LARGE // 10), scores(LARGE)]
    runs: dict[str, Callable[[], Timed]] = {}
    for model in ("location", "precision", "systems"):
        for d in sizes:
            name = f"{model}, {len(d['y'])}"
            runs[f"{name}, pairproof"] = lambda model=model, d=d: own(model, d)
            if model != "precision" or d is small:
                who = "nlme" if model == "precision" else "lme4"
                runs[f"{name}, {who}"] = lambda model=model, d=d: of_r(model, d, backend)
    runs[f"location, {len(small['y'])}, statsmodels"] = lambda: of_statsmodels(small)
    for name in [name for name in runs if f", {len(small['y'])}, " in name]:
        who = name.rpartition(", ")[2]
        if name not in runs:
            continue
        try:  # once before the rounds: imports, starts R, shows who is not here
            runs[name]()
        except (RError, ImportError) as error:
            absent.append(f"{who}: {' '.join(str(error).split())[:80]}")
            runs = {other: run for other, run in runs.items() if not other.endswith(f", {who}")}
    return runs, absent


def page(document: dict[str, Any]) -> str:
    load = document["load"][0]
    lines = [
        "# Models of annotators",
        "",
        f"Python {document['python']}, numpy {document['numpy']}; load {load:.1f} of {document['cores']} cores;"
        f" {document['rounds']} rounds, medians of CPU seconds of one fit, one thread.",
        "",
        "| model | judgments | contender | CPU s | times pairproof's | restricted log-likelihood |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for row in document["rows"]:
        lines.append(
            f"| {row['model']} | {row['n']:,} | {row['who']} | {row['seconds']:.3f} | {row['ratio']:.1f} |"
            f" {row['loglik']:.6f} |"
        )
    lines += [f"| not here | | {name} | | | |" for name in document["absent"]]
    for row in document["rows"]:
        if row["who"] == "pairproof" and row["n"] == LARGE:
            kept = "kept" if row["seconds"] <= AIMED[row["model"]] else "NOT KEPT"
            lines += ["", f"Aimed at for {row['model']}: {AIMED[row['model']]:g} s; {kept}."]
    return "\n".join([*lines, ""])


def main(arguments: list[str] | None = None) -> int:
    options = asked(__doc__, 3, arguments)
    runs, absent = contenders(options.tiny)
    samples: dict[str, list[Timed]] = {name: [] for name in runs}
    order = list(runs)
    for k in range(options.rounds):
        random.Random(k).shuffle(order)
        for name in order:
            samples[name].append(runs[name]())
    seconds = {name: statistics.median(s for s, _ in found) for name, found in samples.items()}
    rows = []
    for name, found in samples.items():
        model, n, who = name.split(", ")
        ratio = seconds[name] / seconds[f"{model}, {n}, pairproof"]
        row = {"model": model, "n": int(n), "who": who, "seconds": seconds[name], "ratio": ratio}
        rows.append({**row, "loglik": found[0][1], "samples": [s for s, _ in found]})
    document = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load": os.getloadavg(),
        "cores": os.cpu_count(),
        "rounds": options.rounds,
        "tiny": options.tiny,
        "rows": rows,
        "absent": absent,
    }
    keep(options.out, "annotator-models", document, page(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
