"""The doctor names what is missing and how to get it, and never raises."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys

import pytest

from pairproof.cli import doctor, doctor as python_side

SESSION = importlib.import_module("pairproof.bridge.process.session")


@pytest.fixture
def no_rscript(monkeypatch, tmp_path):
    """A machine without R: nothing on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def declared(monkeypatch):
    """Makes pairproof declare these requirements."""
    return lambda *lines: monkeypatch.setattr(importlib.metadata, "requires", lambda name: list(lines))


@pytest.fixture
def fake_rscript(monkeypatch, tmp_path, declared):
    """Puts an Rscript with a given script first on PATH, and nothing else.

    No Python packages are looked at, nor the machine's own rpy2: with R 4.6 it is one that the R invented
    here cannot have.
    """
    declared()
    installed = importlib.metadata.version

    def version(name):
        if name == "rpy2-rinterface":
            raise importlib.metadata.PackageNotFoundError(name)
        return "3.5.9" if name == "rpy2" else installed(name)

    monkeypatch.setattr(importlib.metadata, "version", version)

    def make(script: str):
        path = tmp_path / "Rscript"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return make


def entry(report, start):
    found = [m for m in report.missing if m.what.startswith(start)]
    assert len(found) == 1, f"{start!r} among {[m.what for m in report.missing]}"
    return found[0]


@pytest.mark.r
def test_a_machine_with_r_is_described_with_its_versions():
    report = doctor.examine(extras=("r",))
    assert report.r is not None and report.r.usable and report.r.reason is None
    assert re.fullmatch(r"\d+\.\d+\.\d+", report.r.version)
    asked = subprocess.run(
        ["Rscript", "-e", "cat(as.character(packageVersion('gnm')))"], capture_output=True, text=True
    )
    assert report.r_packages["gnm"].replace("-", ".") == asked.stdout.replace("-", ".")


def test_what_pairproof_declares_is_listed_with_the_versions_that_are_here():
    try:
        importlib.metadata.version("pairproof")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("pairproof is not installed: its sources are on the path")
    packages = doctor.examine(extras=("r",)).packages
    assert {name: packages[name] for name in ("numpy", "pandas", "scipy", "click")} == {
        name: importlib.metadata.version(name) for name in ("numpy", "pandas", "scipy", "click")
    }
    assert {"rpy2", "pyarrow"} <= set(packages) and "hypothesis" not in packages


def test_the_json_has_the_promised_keys_and_survives_a_round_trip(no_rscript):
    as_dict = doctor.to_dict(doctor.examine())
    assert {"python", "packages", "r", "r_packages", "missing"} <= set(as_dict)
    assert as_dict["r"] is None
    assert as_dict["missing"] and all(set(m) == {"what", "why", "cure"} for m in as_dict["missing"])
    assert json.loads(json.dumps(as_dict)) == as_dict


def test_without_r_the_cure_is_to_install_it_and_recorded_results_are_named(no_rscript, declared):
    declared()
    missing = entry(doctor.examine(extras=()), "R")
    assert "recorded" in missing.why and missing.cure and missing.kind == "r"


def test_an_rscript_that_only_fails_is_no_r(fake_rscript):
    fake_rscript("exit 3\n")
    assert doctor.examine(extras=()).r is None


def test_an_r_package_that_is_missing_gets_its_own_cure(fake_rscript, monkeypatch):
    fake_rscript("printf 'R\\t4.2.2\\t/opt/r\\nP\\tgnm\\t1.1-5\\nP\\tprefmod\\t\\n'\n")
    monkeypatch.setattr(SESSION, "probe", _usable(gnm="1.1-5", prefmod=None))
    missing = entry(doctor.examine(extras=()), "R package prefmod")
    assert missing.cure == """Rscript -e 'install.packages("prefmod")'"""
    assert "recorded results are used instead" in missing.why


def test_an_r_package_below_its_minimum_is_named_with_both_versions(fake_rscript, monkeypatch):
    fake_rscript("printf 'R\\t4.2.2\\t/opt/r\\nP\\tgnm\\t1.0-9\\n'\n")
    monkeypatch.setattr(SESSION, "probe", _usable(gnm="1.0-9"))
    missing = entry(doctor.examine(extras=()), "R package gnm")
    assert missing.what == "R package gnm >= 1.1-3 (1.0-9 is here)"
    assert missing.cure == """Rscript -e 'install.packages("gnm")'"""


def test_a_probe_that_breaks_its_promise_becomes_an_entry(fake_rscript, monkeypatch):
    fake_rscript("printf 'R\\t4.2.2\\t/opt/r\\n'\n")

    def broken(environment=None):
        raise OSError("no more processes")

    monkeypatch.setattr(SESSION, "probe", broken)
    report = doctor.examine(extras=())
    assert not report.r.usable
    assert "OSError: no more processes" in entry(report, "R that runs from Python").why


def test_the_rpy2_of_this_machine_is_not_held_against_an_invented_r(fake_rscript, monkeypatch):
    fake_rscript("printf 'R\\t4.2.2\\t/opt/r\\nP\\tgnm\\t1.1-5\\n'\n")
    monkeypatch.setattr(SESSION, "probe", _usable(gnm="1.1-5"))
    assert doctor.examine(extras=()).r.usable


def test_an_rpy2_too_new_for_r_is_found_before_r_is_started(fake_rscript, monkeypatch):
    fake_rscript("printf 'R\\t4.2.2\\t/opt/r\\n'\n")
    here = importlib.metadata.version

    def version(name):
        return "3.6.7" if name == "rpy2-rinterface" else here(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(SESSION, "probe", lambda: pytest.fail("R was started"))
    missing = entry(doctor.examine(extras=()), "an rpy2 that fits R")
    assert "3.6.7" in missing.why and "4.2.2" in missing.why
    assert missing.cure.endswith("-m pip install 'rpy2>=3.5.9,<3.7' 'rpy2-rinterface<3.6.6'")


@pytest.mark.parametrize(
    ("r", "constraint"),
    [("4.2.2", "rpy2-rinterface<3.6.6"), ("4.4.3", "rpy2-rinterface<3.6.6"), ("4.5.0", None), ("4.5.2", None),
     ("4.6.0", "rpy2-rinterface>=3.6.7"), ("5.0.0", "rpy2-rinterface>=3.6.7"), ("", None)],
)  # fmt: skip
def test_the_rpy2_constraint_follows_the_version_of_r(r, constraint):
    assert doctor.rpy2_constraint(r) == constraint


def test_a_missing_python_package_is_named_with_its_range(no_rscript, declared):
    declared("numpy>=1.24", "no-such-distribution>=2")
    report = doctor.examine(extras=())
    assert report.packages["no-such-distribution"] is None
    missing = entry(report, "no-such-distribution")
    assert missing.kind == "python" and "no-such-distribution" in missing.cure


def test_a_python_package_too_old_is_named_with_the_version_found(no_rscript, declared):
    declared("numpy>=999")
    found = importlib.metadata.version("numpy")
    assert entry(doctor.examine(extras=()), "numpy").what == f"numpy >=999 ({found} is here)"


def test_a_python_package_that_does_not_import_is_named_with_its_own_words(no_rscript, declared, monkeypatch):
    declared("numpy>=1", "pandas>=1")
    monkeypatch.setattr(python_side, "MODULE_OF", {"pandas": "no_such_module_at_all"})
    report = doctor.examine(extras=())
    assert (
        "ModuleNotFoundError: No module named 'no_such_module_at_all'"
        in entry(report, "pandas that imports").why
    )
    assert [m.what for m in report.missing if m.kind == "python"] == ["pandas that imports"]


def test_a_python_package_that_ends_python_when_imported_is_named(
    no_rscript, declared, monkeypatch, tmp_path
):
    (tmp_path / "ends_python.py").write_text("import os; os._exit(7)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    declared("numpy>=1", "pandas>=1", "scipy>=1")
    monkeypatch.setattr(python_side, "MODULE_OF", {"pandas": "ends_python"})
    assert "exited with status 7" in entry(doctor.examine(extras=()), "pandas that imports").why


def test_an_extra_that_was_not_asked_for_is_listed_but_not_missing(no_rscript, declared):
    declared('no-such-distribution; extra == "arrow"', 'other-thing; extra == "test"')
    report = doctor.examine(extras=())
    assert report.packages == {"no-such-distribution": None}
    assert not [m for m in report.missing if m.kind == "python"]
    assert (
        entry(doctor.examine(extras=("arrow",)), "no-such-distribution").why
        == python_side.PURPOSE_OF_EXTRA["arrow"]
    )


def test_a_requirement_for_another_python_is_not_missing(no_rscript, declared):
    declared("tomli>=2; python_version < '3.0'")
    report = doctor.examine(extras=())
    assert report.packages == {} and not [m for m in report.missing if m.kind == "python"]


def test_a_folder_of_sources_without_metadata_says_so(no_rscript, monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", absent)
    monkeypatch.setattr(importlib.metadata, "version", absent)
    report = doctor.examine()
    assert report.pairproof is None
    assert entry(report, "pairproof's own metadata").cure == "make setup"


def test_the_text_names_every_missing_thing_with_its_cure(no_rscript, declared):
    declared("no-such-distribution")
    report = doctor.examine(extras=())
    text = doctor.render(report)
    assert len(report.missing) >= 2
    for missing in report.missing:
        assert missing.what in text and missing.cure in text


def test_for_setup_every_line_is_kind_name_and_words(tmp_path):
    environment = {**os.environ, "PATH": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-m", "pairproof.cli.doctor", "--for-setup"], capture_output=True, text=True,
                         env=environment)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    rows = [line.split("\t") for line in ran.stdout.splitlines()]
    assert rows and all(len(row) == 3 for row in rows)
    assert ["r", "R"] in [row[:2] for row in rows]


def _usable(**packages):
    from pairproof.bridge.process.session import RStatus

    return lambda environment=None: RStatus(True, r_version="4.2.2", blas="a BLAS", packages=packages)
