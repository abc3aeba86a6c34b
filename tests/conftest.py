"""What every test can rely on: the marker for live R, the data that are not ours to ship, and a count of what
was not run.

``@pytest.mark.r`` (or ``@pytest.mark.r("prefmod")``) asks a live R with the required packages (and those
named).  Where they are missing the test is not run, and says which; with PAIRPROOF_REQUIRE_R=1 an R that does
not run at all is a failure instead, so that a machine which should have R cannot pass without it.

PAIRPROOF_HIDDEN names what ``scripts/without.sh`` has hidden from the run: R packages, R, chromium, pyarrow.
If one of them can be had in spite of that, nothing is run.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import signal
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pairproof.bridge.process.cures import release
from pairproof.cli.doctor import R_PACKAGES
from tests.places import RECORDS

ROOT = Path(__file__).resolve().parent.parent
# How wide the window is in which tests run decides no line of what they print.
os.environ["COLUMNS"] = "80"
# Here and not in a fixture: tests are collected from records, and the commands that tests start ask them too.
_FOLDERS = [folder for folder in os.environ.get("PAIRPROOF_RECORDS", "").split(os.pathsep) if folder]
os.environ["PAIRPROOF_RECORDS"] = os.pathsep.join(dict.fromkeys([*_FOLDERS, str(RECORDS)]))

# As newer versions of hypothesis do by themselves: where a run decides whether something lands, the same code
# gives the same examples; everywhere else they are new each time, and find what the last ones did not.
# And no example is timed: a machine that is busy for half a second is not a defect of the code.
_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("new-each-time", **_UNTIMED)
settings.register_profile("reproducible", derandomize=True, **_UNTIMED)
settings.load_profile("reproducible" if os.environ.get("CI") else "new-each-time")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--closing-line", metavar="FILE", help="write what ran, and the commit, into this file")


def pytest_configure() -> None:
    # Started in the background of a shell, a process ignores Ctrl-C, and so would the programs it starts;
    # tests of Ctrl-C ask what happens where it is not ignored.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow tests, so that one process is not left alone with them at the end."""
    items.sort(key=lambda item: not any(item.iter_markers("slow")))
    for item in items:
        _keep_group(item)


def _keep_group(item: pytest.Item) -> None:
    """Say the group of `--dist loadgroup` where this pytest looks for it.

    pytest-xdist (3.8) writes it into the attribute that was a test's id before pytest 9.1; since then every
    process made what the tests of a group share.
    """
    named = getattr(item, "_nodeid", item.nodeid)
    if named != item.nodeid:
        item._id = type(item._id).parse(named)


@functools.lru_cache(maxsize=None)
def r_status():
    """What the bridge's probe says; asked once a process."""
    from pairproof.bridge.process.session import probe

    return probe()


def r_lacks(packages: tuple[str, ...]) -> str | None:
    """Why a test that needs live R and these packages cannot run, or None."""
    status = r_status()
    if not status.usable:
        return f"live R: {' '.join(status.why_not.split())}"
    needed = {*(package.name for package in R_PACKAGES if package.required), *packages}
    absent = sorted(name for name in needed if not status.packages.get(name))
    if absent:
        return f"R package {', '.join(absent)} is not installed"
    old = [
        f"{p.name} {status.packages[p.name]} (here {p.minimum} is asked for)"
        for p in R_PACKAGES
        if (p.name in needed or not p.on_request)
        and status.packages.get(p.name)
        and release(str(status.packages[p.name])) < release(p.minimum)
    ]
    return f"R package too old: {', '.join(old)}" if old else None


def found_although_hidden(names: list[str]) -> list[str]:
    """Those of the names that can be had, as the tests themselves would ask for them."""
    found = [name for name in names if name == "pyarrow" and importlib.util.find_spec(name)]
    if "chromium" in names:
        programs = ("chromium", "chromium-browser", "google-chrome", "chromedriver")
        found += [program for program in programs if shutil.which(program)]
    if "R" in names:
        return found + (["R"] if r_status().usable or shutil.which("Rscript") else [])
    packages = [name for name in names if name not in ("pyarrow", "chromium")]
    if packages and not r_status().usable:
        raise pytest.UsageError(f"R packages are hidden, and R does not run: {r_status().why_not}")
    return found + [name for name in packages if r_status().packages.get(name)]


def pytest_sessionstart(session: pytest.Session) -> None:
    names = os.environ.get("PAIRPROOF_HIDDEN", "").split()
    if names and not hasattr(session.config, "workerinput"):
        if found := found_although_hidden(names):
            raise pytest.UsageError(f"PAIRPROOF_HIDDEN: {', '.join(found)} can be had although hidden")
        print(f"not to be had here, as asked: {', '.join(names)}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    packages = [name for marker in item.iter_markers("r") for name in marker.args]
    if not any(item.iter_markers("r")):
        return
    reason = r_lacks(tuple(packages))
    if reason and reason.startswith("live R") and os.environ.get("PAIRPROOF_REQUIRE_R", "") not in ("", "0"):
        pytest.fail(f"PAIRPROOF_REQUIRE_R is set, but {reason}", pytrace=False)
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the checkout with papers and data sets that are not ours to ship."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the folder ../shared with data that are not ours to ship is not here")
    return folder


def _keep_closing_line(terminalreporter, file: str) -> None:
    """The counts of a run, the commit that ran and the day, in one line."""
    counts = {
        kind: len(terminalreporter.stats.get(kind, [])) for kind in ("failed", "error", "passed", "skipped")
    }
    said = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n or kind in ("failed", "passed"))
    git = ["git", "-C", str(ROOT), "log", "-1", "--format=%H %cs"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    Path(file).write_text(f"{commit}: {said}\n", encoding="utf-8")


def pytest_terminal_summary(terminalreporter) -> None:
    """Say what was not run and why, each reason with its count, above the closing line that counts them
    all.
    """
    if file := terminalreporter.config.getoption("--closing-line"):
        _keep_closing_line(terminalreporter, file)
    reasons = defaultdict(list)
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[reason.removeprefix("Skipped: ")].append(report.nodeid)
    if not reasons:
        return
    total = sum(map(len, reasons.values()))
    terminalreporter.section(f"not run: {total}", sep="-")
    for reason, tests in sorted(reasons.items(), key=lambda entry: -len(entry[1])):
        named = tests[0] if len(tests) == 1 else f"{tests[0]} and {len(tests) - 1} more"
        terminalreporter.line(f"{len(tests):>5}  {reason}  ({named})")
