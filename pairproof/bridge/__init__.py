"""R, and nothing but R: the real packages, asked in a worker process, live or from records.

>>> from pairproof.bridge import probe, using
>>> from pairproof.bridge.session import session
>>> probe().why_not                                     # doctest: +SKIP
''
>>> session().call("stats::qnorm", {"p": [0.5, 0.975]}).value.values   # doctest: +SKIP
array([0.        , 1.95996398])
>>> from pairproof.bridge import prefmod                # llbt_design, llbt_fit, llbtPC_fit, llbt_worth
>>> with using("recorded"):                             # doctest: +SKIP
...     fit = prefmod.llbtPC_fit(table, nitems=4)

The R functions live in modules named after their packages: ``prefmod``, ``bradleyterry2``, ``gnm``, ``psychotools``,
``mass`` and ``base``.  Importing any of them starts no R.
"""

from __future__ import annotations

from pairproof.bridge.convert import data_frame, factor, factor_of, matrix
from pairproof.bridge.policy import Backend, backend, using
from pairproof.bridge.rdata import package_data, read_rda
from pairproof.bridge.record import Record, Records
from pairproof.bridge.result import Drift, RCall, RCondition, RResult, RSessionInfo, make_call
from pairproof.bridge.session import RSession, RStatus, cure_for_package, probe
from pairproof.bridge.values import Expr, Formula, RLang, RList, ROpaque, RVector

__all__ = [
    "Backend", "Drift", "Expr", "Formula", "RCall", "RCondition", "RLang", "RList", "ROpaque", "RResult", "RSession",
    "RSessionInfo", "RStatus", "RVector", "Record", "Records", "backend", "cure_for_package", "data_frame",
    "factor", "factor_of", "make_call", "matrix", "package_data", "probe", "read_rda", "using",
]
