"""The set-up and the fresh-machine script: one at a time, quiet over what an interrupted run left, and no
harm when refused.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

SCRIPTS = ("setup.sh", "fresh.sh", "browser.sh", "without.sh")


def function(source: str, name: str) -> str:
    """A function of a shell script, of one line or many."""
    found = re.search(rf"^{name}\(\) \{{(?: [^\n]*\}}$|.*?^\}}$)", source, re.S | re.M)
    assert found, name
    return found[0]


@pytest.fixture
def checkout(tmp_path, root):
    """A folder with the set-up's files and an environment for which the last set-up holds.

    Its interpreter is a script that answers the set-up's question after a second, and notes when it began and
    ended.
    """
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/setup.sh", "scripts/install_r_packages.R", "pyproject.toml", "r_requirements.txt"):
        shutil.copy(root / name, tmp_path / name)
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").write_text("#!/bin/sh\necho begins >>notes; sleep 1; echo ends >>notes\n")
    (binaries / "pairproof").write_text("#!/bin/sh\n")
    for file in binaries.iterdir():
        file.chmod(0o755)
    line = function((root / "scripts" / "setup.sh").read_text("utf-8"), "fingerprint")
    stamp = subprocess.run(
        ["sh", "-c", f"{line}\nfingerprint"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    (tmp_path / ".venv" / ".pairproof-setup").write_text(stamp)
    return tmp_path


def start(checkout, **environment):
    return subprocess.Popen(
        ["sh", "scripts/setup.sh", "quick"],
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # `make` exports VENV: without another here, the set-up would mend the environment of this very run.
        env={**os.environ, "NO_APT": "1", "VENV": ".venv", **environment},
        start_new_session=True,
    )


def without_flock(tmp_path):
    """A PATH with what the set-up uses, and no flock."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for tool in (
        "sh",
        "cat",
        "cksum",
        "cut",
        "date",
        "dirname",
        "grep",
        "head",
        "id",
        "mkdir",
        "mktemp",
        "rm",
        "sed",
        "sleep",
        "tail",
    ):
        (folder / tool).symlink_to(shutil.which(tool))
    return {"PATH": str(folder)}


@pytest.mark.nightly
@pytest.mark.parametrize("with_flock", [True, False])
def test_two_set_ups_at_once_wait_for_each_other_and_the_second_says_so(
    checkout, tmp_path_factory, with_flock
):
    if with_flock and not shutil.which("flock"):
        pytest.skip("flock is not here; the set-up then locks by a folder, which the other case tests")
    environment = {} if with_flock else without_flock(tmp_path_factory.mktemp("path"))
    running = [start(checkout, **environment) for _ in range(3)]
    printed = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], printed
    notes = (checkout / "notes").read_text().split()
    assert notes == ["begins", "ends"] * 3, "they overlapped"
    waited = [text for text in printed if "another set-up of this checkout is running (process" in text]
    assert len(waited) == 2, printed
    assert not (checkout / ".venv.lock.d").exists()


@pytest.mark.parametrize("with_flock", [True, False])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_set_up_that_was_killed_holds_nobody_up(checkout, tmp_path_factory, how, with_flock):
    if with_flock and not shutil.which("flock"):
        pytest.skip("flock is not here; the set-up then locks by a folder, which the other case tests")
    environment = {} if with_flock else without_flock(tmp_path_factory.mktemp("path"))
    first = start(checkout, **environment)
    while not (checkout / "notes").is_file():
        time.sleep(0.02)
    os.killpg(first.pid, how)
    first.communicate(timeout=60)
    assert first.returncode != 0
    second = start(checkout, **environment)
    printed, _ = second.communicate(timeout=60)
    assert second.returncode == 0, printed


HALF_THERE = """
VENV={venv}; ROUTE=auto; r_version=; scratch={scratch}
say() {{ printf '%s\\n' "$*"; }}
die() {{ say "ERROR: $*"; exit 1; }}
diagnose() {{ false; }}
first_fit_python() {{ echo python3; }}
pypi_answers() {{ false; }}
make_venv() {{ say "makes a new one with $1"; }}
from_this_machine() {{ say "installs into it"; }}
"""


def test_what_an_interrupted_set_up_left_is_made_anew_without_a_traceback(tmp_path, root):
    source = (root / "scripts" / "setup.sh").read_text("utf-8")
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin" / "python"
    python.write_text(
        "#!/bin/sh\necho 'Traceback (most recent call last):' >&2\necho 'ModuleNotFoundError: No module named"
        " pip' >&2\nexit 1\n"
    )
    python.chmod(0o755)
    names = (
        "quietly",
        "pip",
        "pip_runs",
        "sees_system",
        "install_checkout",
        "python_complete",
        "set_up_python",
    )
    script = (
        HALF_THERE.format(venv=venv, scratch=tmp_path)
        + "\n".join(function(source, name) for name in names)
        + "\nset_up_python"
    )
    ran = subprocess.run(["sh", "-uc", script], capture_output=True, text=True, timeout=60)
    printed = ran.stdout + ran.stderr
    assert ran.returncode == 0 and "Traceback" not in printed and "ModuleNotFound" not in printed, printed
    assert "is not complete (its set-up was interrupted" in printed
    assert "makes a new one with python3" in printed and "installs into it" in printed


def test_an_environment_folder_that_is_not_ours_is_never_removed_and_a_half_made_one_is(tmp_path, root):
    source = (root / "scripts" / "setup.sh").read_text("utf-8")
    venv = tmp_path / "venv"
    venv.mkdir()
    (venv / "thesis.tex").write_text("mine")
    interpreter = tmp_path / "python"
    interpreter.write_text('#!/bin/sh\nmkdir -p "$3" && : >"$3/pyvenv.cfg"\n')
    interpreter.chmod(0o755)
    script = (
        HALF_THERE.format(venv=venv, scratch=tmp_path)
        + function(source, "quietly")
        + "\n"
        + function(source, "make_venv")
    )
    call = ["sh", "-uc", f"{script}\nmake_venv {interpreter}"]
    refused = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert (
        refused.returncode == 1
        and "is no Python environment: move it away" in refused.stdout
        and (venv / "thesis.tex").is_file()
    )
    (tmp_path / "venv.unfinished").touch()
    made = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert made.returncode == 0 and sorted(p.name for p in venv.iterdir()) == ["pyvenv.cfg"], made.stdout
    assert not (tmp_path / "venv.unfinished").exists()


@pytest.mark.parametrize(("arguments", "said"), [
    (["trixie", "sid"], "one suite at a time"), (["../etc"], "which suite?"), (["trixie", "--with", "x;reboot"], "not the name of a Debian package"),
    (["trixie", "--with"], "--with needs a value"), (["trixie", "--threads", "two"], "expected whole numbers"),
    (["trixie", "--only", "lint"], "expected validate, test or setup"), (["trixie", "--fast"], "unknown option --fast"),
])  # fmt: skip
def test_the_script_for_fresh_machines_refuses_what_it_does_not_know_before_it_makes_anything(
    tmp_path, root, arguments, said
):
    ran = subprocess.run(
        ["sh", str(root / "scripts" / "fresh.sh"), "--in", str(tmp_path / "place"), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 2 and said in ran.stderr, ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_tree_that_the_script_for_fresh_machines_did_not_make_is_not_removed(tmp_path, root):
    source = (root / "scripts" / "fresh.sh").read_text("utf-8")
    for name in ("mine", "its"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    (tmp_path / "its.made-by-fresh.sh").touch()
    script = (
        f"say() {{ printf '%s\\n' \"$*\"; }}\n{function(source, 'remove_tree')}\nremove_tree {tmp_path}/mine;"
        f" remove_tree {tmp_path}/its"
    )
    ran = subprocess.run(["sh", "-uc", script], capture_output=True, text=True, timeout=60)
    assert "was not made by this script: left there" in ran.stdout
    assert (
        sorted(path.name for path in tmp_path.iterdir()) == ["mine"]
        and (tmp_path / "mine" / "file").is_file()
    )


def browser_script(tmp_path, root, npm: str):
    """The script that brings the browser, in a folder with an environment, and on a PATH without any browser."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts" / "browser.sh", tmp_path / "scripts")
    (tmp_path / ".venv").mkdir()
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "cat", "cp", "dirname", "id", "mkdir", "mktemp", "rm", "sed", "tail", "tar", "gzip"):
        (tools / tool).symlink_to(shutil.which(tool))
    if npm:
        (tools / "npm").write_text(f"#!/bin/sh\n{npm}\n")
        (tools / "npm").chmod(0o755)

    def run():
        return subprocess.run(
            ["sh", "scripts/browser.sh"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": str(tools), "NO_APT": "1", "AXE_VERSION": "9.9.9"},
        )

    return run


@pytest.mark.parametrize("npm", ["", "echo no route >&2; exit 1", ": >axe-core-9.9.9.tgz"])
def test_what_the_browser_script_cannot_bring_is_named_and_no_failure(tmp_path, root, npm):
    ran = browser_script(tmp_path, root, npm)()
    assert ran.returncode == 0
    assert "no chromium with chromedriver: the tests of the page in a browser do not run" in ran.stdout
    assert "no axe-core 9.9.9: the test that asks it does not run" in ran.stdout
    assert not (tmp_path / ".venv" / "axe-core").exists()
    assert ("no route" in ran.stderr) == ("no route" in npm)


def test_the_checker_of_pages_is_fetched_once(tmp_path, root):
    npm = (
        'echo "$@" >>"$OLDPWD/asked"; mkdir package; echo rules >package/axe.min.js; echo terms >package/LICENSE;'
        " tar -czf axe-core-9.9.9.tgz package"
    )
    run = browser_script(tmp_path, root, npm)
    assert "axe-core 9.9.9 is in .venv/axe-core" in run().stdout
    assert "axe-core 9.9.9 is in .venv/axe-core" in run().stdout
    assert (tmp_path / ".venv" / "axe-core" / "axe.min.js").read_text() == "rules\n"
    (asked,) = (tmp_path / "asked").read_text().splitlines()
    assert asked.startswith("pack ") and asked.endswith(" axe-core@9.9.9")


def test_the_scripts_are_posix_shell(root):
    dash = shutil.which("dash")
    if not dash:
        pytest.skip("dash is not here")
    for name in SCRIPTS:
        ran = subprocess.run([dash, "-n", str(root / "scripts" / name)], capture_output=True, text=True)
        assert (ran.returncode, ran.stderr) == (0, ""), name
