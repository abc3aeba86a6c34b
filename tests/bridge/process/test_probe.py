"""The probe answers whatever is wrong with the machine, and never raises."""

from __future__ import annotations

import os
import stat
import sys
import textwrap

import pytest

from pairproof.bridge.process import process
from pairproof.bridge.process.cures import (
    RPY2,
    no_r_cure,
    python_package,
    r_package as cure_for_package,
    r_version_of,
    start_cure as cure_for,
)
from pairproof.bridge.process.session import RSession, RStatus, probe
from pairproof.errors import RUnavailable

#: What brings the rpy2 that loads on the R of this machine, from pip or from the distribution.
FOR_THIS_R = python_package("rpy2", RPY2, r_version_of(os.environ.get("PATH", "")))


def refused(status):
    assert isinstance(status, RStatus)
    assert not status.usable
    assert status.why_not and status.cure
    assert set(status.packages) == set(process.PACKAGES)
    return status


@pytest.mark.r
def test_a_usable_r_is_described():
    status = probe()
    assert status.usable and not status.why_not
    assert status.r_version.count(".") == 2
    assert os.path.isdir(status.r_home)
    assert status.rpy2_version.startswith("3.")
    assert status.packages["MASS"]
    assert set(status.package_cures) == {p for p, v in status.packages.items() if v is None}


def test_no_r_is_said_with_its_cure():
    status = refused(probe({"PATH": ""}))
    assert "no `R` on PATH" in status.why_not and status.cure == no_r_cure()


def test_an_r_home_without_r_is_said(tmp_path):
    assert str(tmp_path) in refused(probe({"PATH": "", "R_HOME": str(tmp_path)})).why_not


def test_an_r_that_does_not_work_is_said(tmp_path):
    program = tmp_path / "R"
    program.write_text("#!/bin/sh\necho broken library >&2\nexit 1\n", "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert "broken library" in refused(probe({"PATH": f"{tmp_path}:/bin:/usr/bin"})).why_not


@pytest.fixture
def broken_rpy2(tmp_path):
    """An environment in which ``import rpy2.rinterface`` runs the given source."""

    def make(source):
        folder = tmp_path / "rpy2"
        folder.mkdir()
        (folder / "__init__.py").write_text("", "utf-8")
        if source is not None:
            (folder / "rinterface.py").write_text(textwrap.dedent(source), "utf-8")
        return {**os.environ, "PYTHONPATH": str(tmp_path)}

    return make


@pytest.mark.r
@pytest.mark.parametrize(("source", "why", "cure"), [
    (None, "rpy2 is not installed", FOR_THIS_R),
    ("raise ImportError('/x.so: undefined symbol: R_ParentEnv')", "undefined symbol", FOR_THIS_R),
    ("class error(Exception): pass\nraise error('symbol R_getVar not found in library')", "R_getVar", FOR_THIS_R),
    ("raise StopIteration", "StopIteration", "reinstall"),
    ("raise SystemExit(0)", "SystemExit", "reinstall"),
    ("raise TypeError(\"initializer for 'Rcomplex': too many initializers\")", "Rcomplex", "without --system-site-packages"),
    ("import os; os.write(2, b'Fatal error: unable to open the base package\\n'); os._exit(2)", "unable to open the base package", "with this R first on PATH and R_HOME unset"),
    ("import os; os.kill(os.getpid(), 11)", "SIGSEGV", "with this R first on PATH and R_HOME unset"),
])  # fmt: skip
def test_a_broken_rpy2_is_said_whatever_way_it_breaks(broken_rpy2, source, why, cure):
    environment = broken_rpy2(source)
    status = refused(probe(environment))
    assert why in status.why_not
    assert cure in status.cure
    with RSession(environment) as r, pytest.raises(RUnavailable, match="cure: "):
        r.call(code="1")


@pytest.mark.r
def test_a_start_that_hangs_is_given_up(broken_rpy2):
    with pytest.raises(process.StartFailed, match="did not start within 1 s"):
        process.RProcess(broken_rpy2("import time; time.sleep(60)"), start_seconds=1)


@pytest.mark.r
def test_a_failed_start_is_not_tried_again_at_every_call(broken_rpy2, monkeypatch):
    environment = broken_rpy2("raise ImportError('no')")
    tried = []
    start = process.RProcess
    monkeypatch.setattr("pairproof.bridge.process.session.RProcess", lambda *a: tried.append(1) or start(*a))
    with RSession(environment) as r:
        for _ in range(3):
            assert "ImportError: no" in r.missing()
        assert len(tried) == 1
        r.forget_failure()
        assert r.missing() is not None
        assert len(tried) == 2


@pytest.mark.r
def test_a_profile_that_stops_or_quits_does_not_reach_the_worker(tmp_path, monkeypatch):
    (tmp_path / ".Rprofile").write_text("options(digits = 3); q('no', 7)\n", "utf-8")
    (tmp_path / ".RData").write_bytes(b"no data")
    monkeypatch.chdir(tmp_path)
    with RSession({**os.environ, "HOME": str(tmp_path), "R_PROFILE": str(tmp_path / ".Rprofile")}) as r:
        assert r.call(code="getOption('digits')").value.scalar() == 7


@pytest.mark.parametrize("kind", ["no-r", "no-rpy2", "rpy2", "slow"])
def test_every_reason_has_a_cure(kind):
    assert cure_for(kind, "")


def test_a_package_debian_lacks_is_cured_from_cran():
    assert cure_for_package("prefmod") == "Rscript -e 'install.packages(\"prefmod\")'"
    assert "r-cran-bradleyterry2" in cure_for_package("BradleyTerry2")


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan"])
def test_a_default_time_limit_that_is_no_time_is_refused(monkeypatch, text):
    from pairproof.bridge.process.session import default_seconds

    monkeypatch.setenv("PAIRPROOF_R_TIMEOUT", text)
    with pytest.raises(ValueError, match="PAIRPROOF_R_TIMEOUT"):
        default_seconds()


def test_importing_the_bridge_starts_no_r_and_loads_no_rpy2_and_no_pandas():
    import subprocess

    code = (
        "import sys, pairproof.bridge, pairproof.bridge.packages.prefmod, pairproof.bridge.packages.gnm,"
        " pairproof.bridge.packages.mass\nprint([m for m in ('rpy2', 'pandas', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_gnm_that_loses_parameters_is_treated_as_not_installed_and_the_cure_is_named():
    from pairproof.bridge.process.session import _too_old

    assert (
        _too_old("gnm", "1.1-3")
        == _too_old("gnm", "1.1.5")
        == _too_old("gnm", None)
        == _too_old("MASS", "1.0")
        == ""
    )
    reason = _too_old("gnm", "1.1.2")
    assert "gnm 1.1.2 is too old" in reason and "install.packages" in reason
