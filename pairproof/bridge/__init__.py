"""The real R packages, run in a worker process or replayed from records.

>>> from pairproof.bridge import probe, using
>>> from pairproof.bridge.process.session import session
>>> probe().why_not                                     # doctest: +SKIP
''
>>> session().call("stats::qnorm", {"p": [0.5, 0.975]}).value.values   # doctest: +SKIP
array([0.        , 1.95996398])
>>> from pairproof.bridge import base
>>> with using("recorded"):
...     test = base.binom_test(61, 96)                  # the sign test of 61 wins in 96 games
>>> round(test.p_value, 6), test.result.source
(0.010346, 'recorded')

The R functions are in modules named after their packages: ``prefmod``, ``bradleyterry2``, ``gnm``,
``psychotools``, ``mass``, ``sandwich``, ``clubsandwich``, ``multcomp``, ``csranks``, ``boot``, ``profiles``, ``lme4``,
``nlme``, ``plackettluce``, ``survival``, ``brglm``, ``brglm2``, ``psychotree``, ``eba``, ``jags`` and ``base``.  Importing any of them starts no R.
"""

from __future__ import annotations

from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from .process.cures import r_package as cure_for_package
from .process.policy import Backend, backend, using
from .process.session import RSession, RStatus, probe
from .r_data import data_expr, package_data, read_rda
from .records.calls import Drift, RCall, RCondition, RResult, RSessionInfo, make_call
from .records.record_files import Record, Records
from .values.convert import data_frame, factor_of, matrix
from .values.nodes import Expr, Formula, RLang, RList, ROpaque, RVector, factor

if TYPE_CHECKING:
    from .packages import (
        base as base,
        boot as boot,
        bradleyterry2 as bradleyterry2,
        brglm as brglm,
        brglm2 as brglm2,
        by_design as by_design,
        clubsandwich as clubsandwich,
        csranks as csranks,
        eba as eba,
        gnm as gnm,
        jags as jags,
        lme4 as lme4,
        mass as mass,
        multcomp as multcomp,
        nlme as nlme,
        plackettluce as plackettluce,
        prefmod as prefmod,
        profiles as profiles,
        psychotools as psychotools,
        psychotree as psychotree,
        sandwich as sandwich,
        survival as survival,
    )
    from .r_objects import package_object, read_object
    from .values.convert import read_frame


#: Modules named after R packages; each is loaded when it is first used.
_PACKAGES = tuple(m.name for m in iter_modules([f"{__path__[0]}/packages"]) if m.name != "asking")
#: Functions that need pandas, which the rest does not: loaded when they are first used.
_LATER = {"package_object": "r_objects", "read_object": "r_objects", "read_frame": "values.convert"}

__all__ = [
    "Backend",
    "Drift",
    "Expr",
    "Formula",
    "RCall",
    "RCondition",
    "RLang",
    "RList",
    "ROpaque",
    "RResult",
    "RSession",
    "RSessionInfo",
    "RStatus",
    "RVector",
    "Record",
    "Records",
    "backend",
    "cure_for_package",
    "data_expr",
    "data_frame",
    "factor",
    "factor_of",
    "make_call",
    "matrix",
    "package_data",
    "package_object",
    "probe",
    "read_frame",
    "read_object",
    "read_rda",
    "using",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    if name not in _PACKAGES:
        raise AttributeError(
            f"module 'pairproof.bridge' has no attribute {name!r}; it has {', '.join((*__all__, *_PACKAGES))}"
        )
    module = globals()[name] = import_module(f".packages.{name}", __name__)
    return module
