"""R in a process of its own for each fit, with a limit of CPU time and of memory; `proc.time()` around the call alone."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pairproof.files.r_startup import r_environment

from ..harness.process import ONE_THREAD

#: A fit that took less than this many seconds is made a second time, which is the one that counts: R compiles
#: and loads lazily.
WARM_BELOW = 3.0

SCRIPT = """
suppressMessages(suppressWarnings(library({package})))
d <- read.csv(commandArgs(TRUE)[1])
{setup}
timed <- function() {{
  begin <- proc.time()
  sink(nullfile()); fit <- suppressMessages({call}); {errors}; sink()
  list(fit = fit, seconds = sum((proc.time() - begin)[c(1, 2, 4, 5)]))
}}
found <- timed()
if (found$seconds < {warm}) found <- timed()
fit <- found$fit
cat("seconds", found$seconds, "\\n")
cat("version", format(packageVersion("{package}")), "\\n")
cat("llf", sprintf("%.17g", {llf}), "\\n")
cat("estimates", sprintf("%.17g", {estimates}), "\\n")
"""
#: What each package calls its numbers.
OF = {
    "prefmod": {
        "package": "prefmod",
        "errors": "NULL",
        "llf": "-fit$result$minimum",
        "estimates": "fit$result$estimate",
    },
    "PlackettLuce": {
        "package": "PlackettLuce",
        "errors": "vcov(fit)",
        "llf": "as.numeric(logLik(fit))",
        "estimates": "coef(fit)[-1]",
    },
    # It mixes cells of the table of patterns, not persons: another likelihood, not to be compared.
    "pattnpml.fit": {"package": "prefmod", "errors": "NULL", "llf": "NA_real_", "estimates": "NA_real_"},
}


@dataclass(frozen=True, eq=False)
class OfR:
    """CPU seconds, log-likelihood and estimates; or why there are none."""

    seconds: float
    llf: float
    estimates: NDArray[np.float64]
    version: str
    trouble: str = ""


def fit(
    who: str,
    call: str,
    csv: str,
    cap: float,
    memory_gb: float,
    setup: str = "",
    words: Mapping[str, str] | None = None,
) -> OfR:
    """One fit by R.

    Parameters
    ----------
    who : {"prefmod", "PlackettLuce", "pattnpml.fit"}
    call : str
        An R expression of the data frame `d`.
    csv : str
        The data.
    cap : float
        CPU seconds after which the process is stopped.
    memory_gb : float
        Address space that it may have.
    setup : str
        R code that is run before the clock starts.
    words : mapping, optional
        package, errors, llf and estimates as in `OF`, of a contender that is not there.
    """
    words = words or OF[who]
    rscript = shutil.which("Rscript")
    if rscript is None:
        return none("not here: R is not installed")

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(cap) + 1, int(cap) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (int(memory_gb * 2**30), int(memory_gb * 2**30)))

    with tempfile.TemporaryDirectory(prefix="pairproof-benchmarks-") as folder:
        data, script = Path(folder, "d.csv"), Path(folder, "run.R")
        data.write_text(csv, encoding="utf-8")
        script.write_text(SCRIPT.format(call=call, warm=WARM_BELOW, setup=setup, **words), encoding="utf-8")
        ran = subprocess.run(
            [rscript, "--vanilla", str(script), str(data)],
            capture_output=True,
            text=True,
            env={**r_environment(os.environ), **ONE_THREAD, "LC_ALL": "C.UTF-8"},
            preexec_fn=limits,
        )
    said = {line.split()[0]: line.split()[1:] for line in ran.stdout.splitlines() if line.strip()}
    if ran.returncode == 0 and "estimates" in said:
        numbers = np.array([_number(x) for x in said["estimates"]])
        return OfR(float(said["seconds"][0]), _number(said["llf"][0]), numbers, said["version"][0])
    if ran.returncode < 0 or ran.returncode in (137, 152):
        return none(f"stopped after {cap:g} s of CPU time")
    if "there is no package" in ran.stderr:
        return none(f"not here: {words['package']} is not installed")
    lines = [line.strip() for line in ran.stderr.splitlines() if line.strip()]
    error = [k for k, line in enumerate(lines) if line.startswith("Error")]
    words = " ".join(lines[error[0] :] if error else lines[-2:])
    return none(
        words.replace("Execution halted", "").replace("Calls: timed", "").strip()[:160]
        or "ended without a word"
    )


def _number(text: str) -> float:
    return float("nan") if text == "NA" else float(text)


def none(trouble: str) -> OfR:
    """No numbers, and why."""
    return OfR(float("nan"), float("nan"), np.zeros(0), "", trouble)
