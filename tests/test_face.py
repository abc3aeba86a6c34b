"""The face: about twenty names, loaded when used; importing the package starts nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import pytest

import pairproof


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", sorted(pairproof.__all__))
def test_every_public_name_leads_to_the_object_in_its_home(name):
    value = getattr(pairproof, name)
    if name in pairproof._PARTS:
        assert value is import_module(f"pairproof.{name}")
    elif name != "__version__":
        assert value is getattr(import_module(f"pairproof.{pairproof._HOME[name]}"), name)
        assert value.__doc__


def test_there_are_a_few_dozen_names_and_dir_shows_them():
    assert 12 <= len(pairproof.__all__) <= 60
    assert set(pairproof.__all__) <= set(dir(pairproof))


def test_dir_shows_what_there_is_and_nothing_the_package_needed_for_itself():
    shown = python("import pairproof; print(*dir(pairproof))").split()
    assert [name for name in shown if name.strip("_") == name] == sorted(
        name for name in pairproof.__all__ if name != "__version__"
    )
    assert {name for name in shown if name.startswith("_")} <= set(dir(type(pairproof)(""))) | {
        "__all__",
        "__version__",
        "__file__",
        "__path__",
        "__cached__",
        "__builtins__",
        "__annotations__",
        "__annotate__",
        "__conditional_annotations__",
    }
    parts = python(
        "import pairproof, types; pairproof.read; print(*(n for n in dir(pairproof) if"
        " isinstance(getattr(pairproof, n), types.ModuleType)))"
    )
    assert "data" in parts.split(), "a part that is loaded is there, and shown"


@pytest.mark.parametrize("name", ["Any", "TYPE_CHECKING", "annotations", "typing", "import_module", "re"])
def test_what_the_package_needs_for_itself_is_no_name_of_it(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(pairproof, name)


USER = """\
import pairproof

fit = pairproof.fit_llbt(pairproof.read("votes.csv"), ties="davidson", by="judge")
reveal_type(fit.verify(r="recorded"))
reveal_type(fit.to_r())
fit.verify(requirer=True)
pairproof.fit_lbt
"""


@pytest.mark.nightly
@pytest.mark.timeout(240)
def test_a_type_checker_outside_the_checkout_finds_the_package_and_its_types(tmp_path, root):
    try:
        version("pairproof")
    except PackageNotFoundError:
        pytest.skip("pairproof is not installed: its sources are on the path")
    (tmp_path / "analysis.py").write_text(USER, encoding="utf-8")
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")
    }
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(root / ".mypy_cache" / "user"),
            "analysis.py",
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    said = ran.stdout
    assert 'analysis.py:4: note: Revealed type is "pairproof.fit.promises.Verified"' in said, (
        said + ran.stderr
    )
    assert re.search(r'analysis.py:5: note: Revealed type is "(builtins\.)?str"', said), said
    assert re.search(r'analysis.py:6: error: Unexpected keyword argument "requirer"', said), said
    assert re.search(r"analysis.py:7: error: (Module has no attribute|.*) ?.*fit_lbt", said), said
    assert "Cannot find implementation" not in said and said.count("error:") == 2, said


def test_a_name_that_is_not_there_is_an_attribute_error_that_lists_what_is():
    with pytest.raises(AttributeError, match="no attribute 'fit_lbt'.*fit_llbt"):
        pairproof.fit_lbt


def test_the_version_is_the_one_pyproject_declares(root):
    declared = re.search(
        r'^version = "([^"]+)"', (root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert declared is not None and pairproof.__version__ == declared[1]


def test_importing_the_package_loads_no_numpy_no_r_and_no_drawing():
    loaded = python(
        "import sys, pairproof; print(' '.join(m for m in sys.modules if m.split('.')[0] in "
        "('numpy', 'pandas', 'scipy', 'matplotlib', 'rpy2', 'rich', 'jinja2', 'click')))"
    )
    assert loaded == ""


def test_fitting_a_model_loads_neither_drawing_nor_r():
    loaded = python(
        "import sys, pairproof\nt = pairproof.Comparisons.build(['A', 'B', 'C'], [0, 0, 1], [1, 2, 2], [5, 4,"
        " 3], [1, 0, 2], [2, 3, 3])\nf = pairproof.fit_llbt(t); f.summary(); f.to_dict()\nprint(' '.join(m"
        " for m in ('matplotlib', 'rpy2', 'jinja2', 'rich', 'pairproof.bridge', 'pairproof.validation') if m"
        " in sys.modules))"
    )
    assert loaded == ""


def _seconds(code: str) -> float:
    """The process's own seconds, least of five runs: a machine busy with other work counts little."""
    return min(float(python(f"import time; {code}; print(time.process_time())")) for _ in range(5))


@pytest.mark.nightly
def test_everything_a_fit_needs_loads_within_half_a_second_more_than_numpy_and_pandas():
    base = _seconds("import numpy, pandas")
    full = _seconds("import numpy, pandas, pairproof; pairproof.fit_llbt; pairproof.read; pairproof.Fit")
    # Asked for: below 0.5 s. Observed here: 0.05 to 0.1 s.
    assert full - base < 0.5, f"{full:.2f} s against {base:.2f} s"


def test_type_checkers_see_every_public_name(root):
    source = (root / "pairproof" / "__init__.py").read_text(encoding="utf-8")
    for name in pairproof._HOME:
        assert f"{name} as {name}" in source, name
    assert (root / "pairproof" / "py.typed").is_file()
