"""The cure of a machine without R follows from what the machine's own tools leave in it."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import pytest

from pairproof.bridge.process import cures
from pairproof.bridge.process.cures import Kind, Machine, python_package, r_package, start_cure

UV = "uv = 0.5.1\nhome = /usr/bin\n"


def machine(kind: Kind, apt: bool = False, brew: bool = False, makefile: bool = False) -> Machine:
    return Machine(kind, "python", apt, brew, makefile)


def environment(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", "-").replace("_cfg", ".cfg").replace("_json", ".json")).write_text(text)
    return folder


def test_conda_is_known_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "conda-meta").mkdir()
    assert cures._kind(tmp_path, tmp_path) == "conda"


def test_pipx_is_known_by_its_metadata(tmp_path: Path) -> None:
    (tmp_path / "pipx_metadata.json").write_text("{}")
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = false\n")
    assert cures._kind(tmp_path, Path("/usr")) == "pipx"


def test_a_tool_of_uv_is_known_by_its_receipt(tmp_path: Path) -> None:
    (tmp_path / "uv-receipt.toml").write_text("[tool]\n")
    (tmp_path / "pyvenv.cfg").write_text(UV)
    assert cures._kind(tmp_path, Path("/usr")) == "uv-tool"


def test_uvx_is_known_by_uvs_cache(tmp_path: Path) -> None:
    prefix = environment(tmp_path / "cache" / "archive-v0" / "x1")
    (prefix / "pyvenv.cfg").write_text(UV)
    assert cures._kind(prefix, Path("/usr")) == "uvx"


def test_an_environment_of_uv_has_no_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyvenv.cfg").write_text(UV)
    monkeypatch.setattr(cures.importlib.util, "find_spec", lambda name: None)
    assert cures._kind(tmp_path, Path("/usr")) == "uv-venv"


def test_a_plain_environment_has_pip(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = false\n")
    assert cures._kind(tmp_path, Path("/usr")) == "pip"


def test_an_environment_that_uses_the_distributions_packages_takes_them_from_it(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = true\n")
    assert cures._kind(tmp_path, Path("/usr")) == "distribution"


def test_a_python_that_its_distribution_manages_is_known_by_the_marker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").write_text("[externally-managed]\n")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert cures._kind(tmp_path / "no", tmp_path / "no") == "distribution"


RPY2 = "'rpy2>=3.5.9,<3.7' 'rpy2-rinterface<3.6.6'"


@pytest.mark.parametrize(
    ("at", "cure"),
    [
        (machine("conda"), "conda install -c conda-forge rpy2"),
        (machine("pipx", apt=True), f"pipx inject pairproof {RPY2}"),
        (
            machine("uv-tool"),
            "uv tool install --force pairproof --with 'rpy2>=3.5.9,<3.7' --with 'rpy2-rinterface<3.6.6'",
        ),
        (machine("uvx"), "uvx --with 'rpy2>=3.5.9,<3.7' --with 'rpy2-rinterface<3.6.6' pairproof"),
        (machine("uv-venv"), f"uv pip install --python python {RPY2}"),
        (machine("distribution", apt=True), "apt-get install python3-rpy2"),
        (machine("pip", apt=True), f"python -m pip install {RPY2}"),
    ],
)
def test_rpy2_for_the_r_of_debian_12_is_installed_as_the_environment_wants_it(at: Machine, cure: str) -> None:
    assert python_package("rpy2", cures.RPY2, "4.2.2", machine=at) == cure


def test_what_make_brings_is_advised_in_a_checkout_alone() -> None:
    assert r_package("PlackettLuce", machine=machine("pip", makefile=True)) == "make r-packages"
    assert "make" not in r_package("PlackettLuce", machine=machine("pip", apt=True))
    assert Machine.here().makefile, "the tests run in a checkout"


def test_an_r_package_comes_from_the_distribution_if_that_has_it() -> None:
    assert r_package("MASS", machine=machine("pip", apt=True)) == "apt-get install r-cran-mass"
    assert r_package("MASS", machine=machine("conda")) == "conda install -c conda-forge r-mass"
    assert r_package("MASS", machine=machine("pip", brew=True)).startswith("Rscript -e")
    assert r_package("knitr", machine=machine("pip", apt=True)) == "apt-get install r-cran-knitr"
    for at in (machine("pip", apt=True), machine("conda")):
        for name in ("prefmod", "noSuchPackage"):
            assert r_package(name, machine=at) == f"""Rscript -e 'install.packages("{name}")'"""


def test_the_system_s_package_manager_is_found_with_an_empty_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apt-get").write_text("#!/bin/sh\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("os.defpath", str(tmp_path))
    assert Machine.here().apt and not Machine.here().brew
    assert cures.no_r_cure(machine("pip", apt=True)) == "apt-get install r-base-dev"


def r_that_says(folder: Path, words: str) -> None:
    program = folder / "R"
    program.write_text(f"#!{shutil.which('sh')}\necho '{words}'\n")
    program.chmod(0o755)


def test_the_cure_for_rpy2_fits_the_r_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "here", staticmethod(lambda: machine("pip")))
    for version, constraint in (("4.2.2", "<3.6.6"), ("4.6.0", ">=3.6.7")):
        folder = environment(tmp_path / version)
        r_that_says(folder, f"R version {version} (2022-10-31) -- x")
        for kind in ("no-rpy2", "rpy2"):
            assert f"'rpy2-rinterface{constraint}'" in start_cure(kind, "", {"PATH": str(folder)})
    r_that_says(environment(tmp_path / "newest"), "R version 4.5.1 (2025-06-13) -- x")
    assert "rinterface" not in start_cure("no-rpy2", "", {"PATH": str(tmp_path / "newest")})


def test_doctor_and_the_bridge_give_the_same_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    from pairproof.cli.doctor import no_r

    kinds: tuple[Kind, ...] = ("pip", "conda")
    for kind in kinds:
        at = machine(kind, apt=True)
        monkeypatch.setattr(Machine, "here", staticmethod(lambda at=at: at))
        assert no_r().cure == start_cure("no-r", "")


def test_one_cure_is_said_once_however_many_functions_of_r_were_to_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pairproof
    from pairproof.bridge.process.policy import Backend
    from pairproof.bridge.process.session import RSession

    table = pairproof.read(
        {"first": list("ABC"), "second": list("BCA"), "wins": [31, 7, 4], "losses": [5, 7, 19]}
    )
    session = RSession({"PATH": str(tmp_path)})
    text = str(pairproof.fit_llbt(table).verify(r=Backend(live=session)))
    assert text.count("To fix this:") == 1 and text.count("not-run:") == 1


def test_where_r_home_leads_astray_the_cure_is_to_unset_it_and_not_to_install_r(monkeypatch):
    monkeypatch.setattr(cures, "r_version_of", lambda path: "4.2.2" if path else "")
    said = "R_HOME is /nowhere, which does not contain R (no library/base)"
    astray = {"PATH": "/usr/bin", "R_HOME": "/nowhere"}
    assert cures.start_cure("no-r", said, astray) == "unset R_HOME: R 4.2.2 on PATH finds its own home"
    for other in ({"PATH": "", "R_HOME": "/nowhere"}, {"PATH": "/usr/bin"}):
        assert cures.start_cure("no-r", said, other) == cures.no_r_cure()


@pytest.mark.parametrize(
    ("words", "version"),
    [
        ("R version 4.2.2 Patched (2022-11-10 r83330)", "4.2.2"),
        ("WARNING: ignoring environment value of R_HOME\nR version 4.2.2 Patched", "4.2.2"),
        ("no version here", ""),
    ],
)
def test_the_version_of_r_is_read_below_its_warnings(tmp_path, words, version):
    r_that_says(environment(tmp_path), words)
    assert cures.r_version_of(str(tmp_path)) == version
