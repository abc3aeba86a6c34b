"""Every public name says what it takes, what it raises and where its formula comes from, with an example that
runs.

A name is public if the face exports it (`pairproof.__all__`), or if `COVERED` names it.  All others say in a
sentence what they are, with the shapes of their arrays, and no more: `test_house.py` counts their lines.
"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import inspect
import re
import textwrap
import warnings
from typing import Any

import pytest

import pairproof
from pairproof import errors

#: Beside the face: what pages of docs/ send a user to, and R's functions under their own names.
COVERED = (
    "pairproof.bridge.capture.run:capture",
    "pairproof.fit.many.ratings:Ratings",
    "pairproof.boards.others.descriptive:descriptive",
    "pairproof.boards.others.peers:",
    "pairproof.boards.others.shared_task:shared_task",
    "pairproof.bridge.packages.bradleyterry2.counts:BTm_counts",
    "pairproof.bridge.packages.bradleyterry2.counts:countsToBinomial",
    "pairproof.bridge.packages.bradleyterry2.btm:BTm",
    "pairproof.bridge.packages.bradleyterry2.counts:GenDavidson",
    "pairproof.bridge.packages.bradleyterry2.methods:BTabilities",
    "pairproof.bridge.packages.bradleyterry2.methods:model_matrix",
    "pairproof.bridge.packages.bradleyterry2.methods:predict",
    "pairproof.bridge.packages.bradleyterry2.methods:qvcalc",
    "pairproof.bridge.packages.bradleyterry2.methods:residuals",
    "pairproof.bridge.packages.bradleyterry2.methods:plotProportions",
    "pairproof.bridge.packages.bradleyterry2.btm:glmmPQL",
    "pairproof.bridge.packages.bradleyterry2.btm:glmmPQL_control",
    "pairproof.bridge.packages.bradleyterry2.methods:add1",
    "pairproof.bridge.packages.bradleyterry2.methods:anova",
    "pairproof.bridge.packages.bradleyterry2.methods:drop1",
    "pairproof.bridge.packages.brglm:brglm_design",
    "pairproof.bridge.packages.brglm2:brglm_fit",
    "pairproof.bridge.packages.by_design:glm_design",
    "pairproof.bridge.packages.by_design:gnm_eliminated",
    "pairproof.bridge.packages.by_design:polr_design",
    "pairproof.bridge.packages.lme4:glmer_contests",
    "pairproof.bridge.packages.eba:eba",
    "pairproof.bridge.packages.eba:strans",
    "pairproof.bridge.packages.eba:thurstone",
    "pairproof.bridge.packages.lme4:glmer_design",
    "pairproof.bridge.packages.plackettluce:PlackettLuce",
    "pairproof.bridge.packages.plackettluce:itempar",
    "pairproof.bridge.packages.plackettluce:qvcalc",
    "pairproof.bridge.packages.plackettluce:pladmm",
    "pairproof.bridge.packages.prefmod.pattern_designs:pattnpml_fit",
    "pairproof.bridge.packages.prefmod.pattern_designs:fit_design",
    "pairproof.bridge.packages.prefmod.pattern_designs:patt_design",
    "pairproof.bridge.packages.prefmod.pattern_models:pattL_fit",
    "pairproof.bridge.packages.prefmod.pattern_models:pattPC_fit",
    "pairproof.bridge.packages.prefmod.pattern_models:pattR_fit",
    "pairproof.bridge.packages.prefmod.pattern_models:pattLrep_fit",
    "pairproof.bridge.packages.prefmod.pattern_models:pattRrep_fit",
    "pairproof.bridge.packages.prefmod.tools:checkMIS",
    "pairproof.bridge.packages.prefmod.tools:expand_mat",
    "pairproof.bridge.packages.prefmod.tools:simPC",
    "pairproof.bridge.packages.prefmod.tools:simR",
    "pairproof.bridge.packages.prefmod.worths:llbt_worth",
    "pairproof.bridge.packages.prefmod.worths:patt_worth",
    "pairproof.bridge.packages.prefmod.worths:plot_wmat",
    "pairproof.bridge.packages.prefmod.worths:plotworth",
    "pairproof.bridge.packages.psychotools:deviance",
    "pairproof.bridge.packages.psychotools:estfun",
    "pairproof.bridge.packages.psychotools:itempar",
    "pairproof.bridge.packages.psychotools:worth",
    "pairproof.bridge.packages.psychotools:btmodel",
    "pairproof.bridge.packages.psychotools:paircomp",
    "pairproof.bridge.packages.psychotools:paircomp_from_counts",
    "pairproof.bridge.packages.psychotree:bttree",
    "pairproof.bridge.packages.survival:coxph",
    "pairproof.bridge.r_objects:package_object",
    "pairproof.bridge.r_objects:read_object",
    "pairproof.bridge.r_data:data_expr",
    "pairproof.campaign.rebuilding:from_log",
    "pairproof.campaign.formats.score_tables:from_scores",
    "pairproof.data.judgments:Judgments",
    "pairproof.fit.part_verbs:WithParts",
    "pairproof.fit.comparison_verbs:Compared",
    "pairproof.fit.estimate_verbs:Estimates",
    "pairproof.fit.estimate_verbs:Predicted",
    "pairproof.native.prefmod_defects.defect_catalogue:defect",
    "pairproof.native.prefmod_defects.defect_catalogue:defects",
    "pairproof.native.prefmod_defects.defects_of_models:mixture_of_cells",
    "pairproof.native.planning.looking_early:multiplier",
    "pairproof.native.planning.looking_early:proportion",
    "pairproof.validation.again:Again",
    "pairproof.validation.again:Held",
    "pairproof.validation.pytest.snapshots:Recorded",
    "pairproof.validation.verify:agree",
    "pairproof.errors",
)
#: A paper's year, an equation of the paper that the module names, a function of R.
SOURCE = re.compile(r"\b(1[89]|20)\d\d\b|\bequations? \d|\bsection \d|\bR's \w|\w::\w", re.IGNORECASE)
#: A line of a formula: something on its own equals something.
FORMULA = re.compile(r"^ {4,}\S.*(?: = | ~ |<=>)", re.MULTILINE)
#: "Other parameters are those of :func:`pairproof.read`", "attributes are those of :class:`...`": they are
#: explained there.
ELSEWHERE = re.compile(r"(?:parameters|attributes) are those of :(?:func|class):`([\w.]+)`", re.IGNORECASE)
#: An array in an annotation asks for a shape in the docstring.
ARRAY, SHAPE = re.compile(r"FloatArray|IntArray|BoolArray|NDArray|ArrayLike"), re.compile(
    r"\b(float|int|bool)\[[^\]]+\]"
)
#: Calls that raise InputError for the caller.
CHECKS = {"one_of", "whole_number"}


@functools.lru_cache(maxsize=None)
def public() -> dict[str, Any]:
    """Dotted name -> object; the face's names by their home."""
    found: dict[str, Any] = {}
    for name in pairproof._HOME:
        value = getattr(pairproof, name)
        found[f"{value.__module__}.{name}"] = value
    for entry in COVERED:
        home, _, only = entry.partition(":")
        for name, value in vars(importlib.import_module(home)).items():
            own = getattr(value, "__module__", "") == home and not name.startswith("_")
            if own and only in ("", name) and (inspect.isfunction(value) or inspect.isclass(value)):
                found[f"{home}.{name}"] = value
    return found


def methods(cls: type) -> dict[str, Any]:
    """The public methods and properties that a class defines itself."""
    plain = {
        name: getattr(value, "fget", None) or getattr(value, "func", None) or value
        for name, value in vars(cls).items()
    }
    unwrapped = {
        name: getattr(value, "__func__", value) for name, value in plain.items() if not name.startswith("_")
    }
    return {name: value for name, value in unwrapped.items() if inspect.isfunction(value)}


def doc(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def section(text: str, title: str) -> str:
    """The text under a numpy-style heading, "" if there is none."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def explained(text: str, title: str) -> dict[str, str]:
    """Name -> type of what a section explains; several names may share a line."""
    found = {}
    for names, kind in re.findall(r"^(\*{0,2}\w[\w, *]*)(?: : (.*))?$", section(text, title), re.MULTILINE):
        found.update({name.strip(" *"): kind for name in names.split(",")})
    return found


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@functools.lru_cache(maxsize=None)
def module_functions(name: str) -> dict[str, ast.AST]:
    tree = ast.parse(inspect.getsource(importlib.import_module(name)))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def raises(function: Any) -> bool:
    """Whether the function, or one of its module that it calls, raises one of the package's own errors."""
    waiting: list[ast.AST] = [ast.parse(textwrap.dedent(inspect.getsource(function)))]
    near, seen = module_functions(function.__module__), set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func)
                if name in vars(errors) or name.endswith(".refuse"):
                    return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in CHECKS:
                    return True
                if node.func.id in near and node.func.id not in seen:
                    seen.add(node.func.id)
                    waiting.append(near[node.func.id])
    return False


NAMES = sorted(public())


@pytest.mark.parametrize("name", NAMES)
def test_a_docstring_begins_with_what_the_thing_is(name):
    first, *rest = doc(public()[name]).split("\n\n")
    assert first.endswith(".") or first.endswith(":"), f"{name} begins {first!r}"
    assert first.split("\n")[0] not in ("Attributes", "Parameters", "Raises", "Returns")
    if inspect.isclass(public()[name]):
        silent = [own for own, method in methods(public()[name]).items() if not doc(method)]
        assert not silent, f"{name}: no docstring: {silent}"


@pytest.mark.parametrize("name", NAMES)
def test_what_it_takes_is_explained_with_its_type(name):
    value = public()[name]
    text = doc(value)
    wanted = (
        parameters(value) if not issubclass(value if inspect.isclass(value) else int, BaseException) else []
    )
    there = {**explained(text, "Attributes"), **explained(text, "Parameters")}
    for target in ELSEWHERE.findall(text):
        module, _, own = target.rpartition(".")
        other = getattr(importlib.import_module(module), own)
        there = {**explained(doc(other), "Attributes"), **explained(doc(other), "Parameters"), **there}
    absent = [own for own in wanted if own not in there]
    untyped = [own for own in wanted if own in there and not there[own]]
    assert not absent and not untyped, f"{name}: not explained: {absent}; without a type: {untyped}"


#: Classes on the face (and the part of `Fit` that stands apart), whose methods are explained like functions.
FACE = [
    name
    for name in NAMES
    if inspect.isclass(public()[name])
    and (name.rpartition(".")[2] in pairproof.__all__ or name == "pairproof.fit.estimate_verbs.Estimates")
]


@pytest.mark.parametrize("name", FACE)
def test_what_a_method_takes_and_returns_is_explained_and_its_examples_run(name):
    for own, method in methods(public()[name]).items():
        text = doc(method)
        there = explained(text, "Parameters")
        absent = [p for p in parameters(method) if not there.get(p)]
        assert not absent, f"{name}.{own}: not explained, or without a type: {absent}"
        assert not parameters(method) or section(text, "Returns"), f"{name}.{own}: no Returns"
        arrays = [
            p for p, q in inspect.signature(method).parameters.items() if ARRAY.search(str(q.annotation))
        ]
        bare = [p for p in arrays if not SHAPE.search(there[p])]
        assert not bare, f"{name}.{own}: no shape for {bare}"
        if ">>>" in text:
            run_examples(f"{name}.{own}", text)


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(public()[name])])
def test_arrays_have_shapes(name):
    text = doc(public()[name])
    there = explained(text, "Parameters")
    hints = inspect.signature(public()[name])
    bare = [
        own
        for own, p in hints.parameters.items()
        if ARRAY.search(str(p.annotation)) and own in there and not SHAPE.search(there[own])
    ]
    assert not bare, f"{name}: no shape for {bare}"
    if ARRAY.search(str(hints.return_annotation)):
        assert SHAPE.search(section(text, "Returns") or text), f"{name}: no shape for what it returns"


@pytest.mark.parametrize("name", NAMES)
def test_its_own_errors_are_named(name):
    value = public()[name]
    if inspect.isfunction(value):
        needed = {"": value} if raises(value) else {}
    else:
        needed = {own: method for own, method in methods(value).items() if raises(method)}
        if raises(value.__post_init__) if "__post_init__" in vars(value) else False:
            needed[""] = value
    silent = [
        own or name
        for own, function in needed.items()
        if not re.search(r"\w*(Error|Warning)\b", section(doc(function), "Raises"))
    ]
    assert not silent, f"{name}: raises, but has no Raises: {silent}"


@pytest.mark.parametrize("name", NAMES)
def test_a_formula_has_its_source(name):
    value = public()[name]
    text = doc(value)
    of_module = doc(importlib.import_module(value.__module__))
    if FORMULA.search(text) or FORMULA.search(of_module):
        on_the_face = name.rpartition(".")[2] in pairproof.__all__
        assert SOURCE.search(text if on_the_face else text + of_module), f"{name}: a formula without a source"


@pytest.mark.parametrize("name", NAMES)
def test_its_example_runs_and_prints_what_it_says(name):
    """With nothing imported beforehand, as if copied into a new session."""
    run_examples(name, doc(public()[name]))


def test_the_example_of_the_package_itself_runs():
    run_examples("pairproof", doc(pairproof))


def run_examples(name: str, text: str) -> None:
    found = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert found.examples, f"{name} has no example"
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    assert not said, "".join(said)
