"""The check of a paper's claims: read the data, fit the models, ask R, and give every number its verdict.

R and the 50-digit values come in through two functions (`Counterparts`, `Certified`), so that this module
needs neither R nor a folder of records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..data.comparisons import Comparisons
from ..errors import InputError, PairproofError
from ..fit.fit import Fit
from ..fit.spec import ModelSpec
from .claims.data import fit_model, read_data, table_of
from .claims.paper import Claim, ModelClaim, Paper, PrintedQuantity
from .claims.quantities import LIKELIHOOD_RATIO, Quantity, error_of, is_reference, kind_of, quantity
from .computed import computed_rows
from .slips.stopping import glm_values
from .statements.catalogue import run_test
from .statements.computations import Request
from .statements.registry import Context, Finding
from .verdicts.acceptance import STATED, accepted
from .verdicts.against_r import not_returned, with_r_alone, with_sources
from .verdicts.agreement import Agreement, Certified, Counterparts, RCounterpart, Verdict, value_or_none
from .verdicts.definitions import OF_THE_TABLE, recognised
from .verdicts.floors import Floor
from .verdicts.verdict import PrintVerdict, judge_print, reversed_items


@dataclass(frozen=True)
class Asked:
    """A fit with R's answers and the 50-digit values for it; kept so that no model is fitted twice."""

    fit: Fit
    r: tuple[RCounterpart, ...]
    certified: Mapping[str, str]


class Checker:
    """The checker of one paper's claims.

    Parameters
    ----------
    paper : Paper
    counterparts : Counterparts, optional
        Default: R is not asked.
    backend : object
        Handed to `counterparts`.
    certified : Certified, optional
    floors : sequence of Floor, optional
        Default: the shipped ones.
    """

    def __init__(
        self,
        paper: Paper,
        *,
        counterparts: Counterparts | None = None,
        backend: Any = None,
        certified: Certified | None = None,
        floors: Sequence[Floor] | None = None,
    ) -> None:
        self.paper = paper
        self._counterparts = counterparts
        self._backend = backend
        self._certified = certified
        self._floors = floors
        self._tables: dict[str, Comparisons] = {}
        self._asked: dict[tuple[str, ModelClaim], Asked] = {}
        self._compared: set[tuple[str, ModelSpec, str]] = set()
        self._home: dict[tuple[str, ModelSpec, str], str] = {}

    # -- what is computed, each once -------------------------------------------------------------------------

    def data(self, name: str) -> Comparisons:
        """A data set of the paper."""
        if name not in self._tables:
            self._tables[name] = read_data(self.paper, name)
        return self._tables[name]

    def asked(self, data: str, model: ModelClaim) -> Asked:
        """The fit of a model to a data set, and what R and the 50-digit values say about it."""
        key = (data, model)
        if key not in self._asked:
            fit = fit_model(self.data(data), model)
            r = tuple(self._counterparts(fit, self._backend)) if self._counterparts else ()
            self._asked[key] = Asked(fit, r, self._certified(fit) if self._certified else {})
        return self._asked[key]

    def fit(self, claim_id: str) -> Fit:
        """The native fit of a claim."""
        return self._asked_about(claim_id).fit

    def _asked_about(self, claim_id: str) -> Asked:
        claim = self.paper.claim(claim_id)
        if claim.model is None or not claim.data:
            raise InputError(f"{self.paper.id}: claim {claim_id!r} has no model to fit")
        return self.asked(claim.data, claim.model)

    def counterparts(self, claim_id: str) -> tuple[RCounterpart, ...]:
        """What each R function says about the native fit of a claim, or why it says nothing."""
        return self._asked_about(claim_id).r

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """The native fits of all claims that have a model, by claim; those that could not be fitted are left
        out.
        """
        found = {}
        for claim in self.paper.claims:
            if claim.model is not None and claim.data:
                try:
                    found[claim.id] = self.fit(claim.id)
                except PairproofError:
                    continue  # its claim's agreements say why
        return found

    # -- claims ----------------------------------------------------------------------------------------------

    def all(self, progress: Callable[[str], None] = lambda claim: None) -> list[Agreement]:
        """Agreements of every claim, in the order of the file; `progress` is told of each claim before it is
        checked.

        What native and R have beyond the printed numbers stands once for each model, under the first claim
        that prints a number of it, or that is there for it.
        """
        fitted = [claim for claim in self.paper.claims if claim.id in self.fits]
        for claim in [c for c in fitted if _is_about_the_model(c)] + fitted:
            self._home.setdefault(_key(claim, self.fit(claim.id)), claim.id)
        found = []
        for claim in self.paper.claims:
            progress(claim.id)
            found += self.claim(claim)
        return found

    def claim(self, claim: Claim) -> list[Agreement]:
        """Agreements of one claim: its printed numbers, its statement, then what native and R have beyond
        them.
        """
        found: list[Agreement] = []
        if claim.numbers and claim.data and self.paper.data[claim.data].kind == "games":
            why = "the outcomes are not at hand: the printed numbers are held against each other only"
            found += [
                self.row(claim, q.quantity, "not-checkable", why, "no-outcomes", printed=q.printed.text)
                for q in claim.numbers
            ]
        elif claim.model is not None and claim.data:
            try:
                asked = self.asked(claim.data, claim.model)
            except InputError:
                raise
            except PairproofError as error:
                return self._not_run(claim, str(error))
            values = self._native_values(claim, asked)
            found += self._numbers(claim, asked, values)
            found += self._beyond_print(claim, asked)
        if claim.compute:
            found += computed_rows(self.row, self.paper.source or self.paper.id, claim, self._request(claim))
        if claim.statement:
            found.append(self._statement(claim))
        return [accepted(a, claim.accept) for a in found]

    def _request(self, claim: Claim) -> Request:
        asks_r = claim.r_packages is not None and self._counterparts is not None
        return Request(
            self.data,
            lambda name: table_of(self.paper, name),
            self.fit,
            claim.data,
            claim.test_args,
            self._backend if asks_r else None,
        )

    def _not_run(self, claim: Claim, reason: str) -> list[Agreement]:
        missing: list[tuple[str, str | None]] = [(q.quantity, q.printed.text) for q in claim.numbers]
        if claim.statement or not missing:
            missing.append(("statement" if claim.statement else "fit", claim.statement or None))
        said = f"native did not run: {reason}"
        return [
            self.row(claim, name, "not-run", said, "native-not-run", printed=text) for name, text in missing
        ]

    def row(
        self, claim: Claim, name: str, verdict: Verdict, explanation: str, code: str, **fields: Any
    ) -> Agreement:
        """A row of this claim; what is not given in `fields` has no value."""
        return Agreement(
            self.paper.id,
            claim.id,
            Quantity.parse(name),
            verdict=verdict,
            explanation=explanation,
            code=code,
            where=claim.where,
            **fields,
        )

    def _native_values(self, claim: Claim, asked: Asked) -> dict[str, float]:
        if "native" not in claim.engines:
            return {q.quantity: math.nan for q in claim.numbers}
        return {q.quantity: self.value(claim, asked.fit, q) for q in claim.numbers}

    def value(self, claim: Claim, fit: Fit, q: PrintedQuantity) -> float:
        """A number of a fit as the claim would print it: a one-sided p is half of the fit's."""
        other = q.quantity.name
        is_ratio = q.quantity.kind in LIKELIHOOD_RATIO and other in [c.id for c in self.paper.claims]
        others = {other: self.fit(other)} if is_ratio else {}
        try:
            value = quantity(fit, q.quantity, others)
        except InputError as error:
            raise InputError(
                f"{self.paper.source or self.paper.id}, line {q.line}, claim {claim.id!r}: {error}"
            ) from error
        return value / _halved(claim, q.quantity)

    # -- printed numbers -------------------------------------------------------------------------------------

    def _numbers(self, claim: Claim, asked: Asked, values: Mapping[str, float]) -> list[Agreement]:
        native_asked = "native" in claim.engines
        r = _asked_of_r(claim, asked.r)
        chosen = {q.quantity: _first_with(r, q.quantity) for q in claim.numbers}
        shown = (
            values
            if native_asked
            else {
                name: (c.values[name] / _halved(claim, name) if c else math.nan) for name, c in chosen.items()
            }
        )
        judged = self._judged(claim, asked.fit, shown, {n for n, c in chosen.items() if native_asked or c})
        rows = []
        for q in claim.numbers:
            row = self.row(
                claim,
                q.quantity,
                judged[q.quantity].verdict,
                judged[q.quantity].note,
                judged[q.quantity].code,
                printed=q.printed.text,
                native=value_or_none(values[q.quantity]),
            )
            half = _halved(claim, q.quantity)
            rows.append(
                self._beside(row, asked, values[q.quantity], chosen[q.quantity], half)
                if native_asked
                else with_r_alone(row, chosen[q.quantity], half)
            )
        return rows

    def _judged(
        self, claim: Claim, fit: Fit, values: Mapping[str, float], have: set[str]
    ) -> dict[str, PrintVerdict]:
        alpha = float(claim.alpha)
        judged: dict[str, PrintVerdict] = {
            q.quantity: judge_print(
                q, values[q.quantity], alpha, fit.df_resid, fit.n_comparisons, error_of(q.quantity, fit)
            )
            for q in claim.numbers
        }
        for name in judged.keys() - have:
            why = "only R was to be asked, and no R call that ran has it"
            judged[name] = PrintVerdict("not-run", why, "r-not-run")
        for name, sentence in reversed_items(claim.numbers, values, fit.items).items():
            if judged[name].verdict == "differs":
                judged[name] = PrintVerdict("differs-conclusion", sentence, "other-order")
        wrong = [n for n, j in judged.items() if j.verdict in ("differs", "differs-conclusion")]
        explained = self._explained(claim, wrong) if wrong and claim.readings else {}
        return {**judged, **(explained or self._by_definition(claim, fit, values, wrong))}

    def _by_definition(
        self, claim: Claim, fit: Fit, values: Mapping[str, float], wrong: Sequence[str]
    ) -> dict[str, PrintVerdict]:
        """Numbers of the table (deviance, df, AIC) that come out by another program's definition of them,
        which is named.
        """
        if not any(kind_of(name) in OF_THE_TABLE for name in wrong):
            return {}
        found = recognised(
            fit,
            claim.numbers,
            wrong,
            value=lambda q: values[q.quantity],
            comes_out=lambda q, v: judge_print(q, v, float(claim.alpha)).comes_out,
        )
        if found is None:
            return {}
        definition, enough = found
        note = (
            f"{definition.name}: comes out if {definition.sentence}; a definition, not another fit: {{0}}"
            " {1:.8g} by ours"
        )
        thin = (
            f"computed {{1!r}}; it would come out if {definition.sentence}, but so few digits are no evidence"
            " for it"
        )
        return {
            name: PrintVerdict(
                "explained" if enough else "differs",
                (note if enough else thin).format(kind_of(name), values[name]),
                definition.name if enough else "other-value",
            )
            for name in wrong
            if kind_of(name) in OF_THE_TABLE
        }

    def _explained(self, claim: Claim, wrong: Sequence[str]) -> dict[str, PrintVerdict]:
        """Readings under which *all* numbers of the claim come out; one explains them, several leave it
        open.
        """
        fitting = []
        for reading in claim.readings:
            data, model = reading.data or claim.data, reading.model or claim.model
            assert model is not None
            other = self.asked(data, model).fit
            stopped = glm_values(other) if reading.stops == "glm" else {}
            if all(
                judge_print(
                    q,
                    stopped.get(q.quantity, self.value(claim, other, q)),
                    float(claim.alpha),
                    other.df_resid,
                    other.n_comparisons,
                ).comes_out
                for q in claim.numbers
            ):
                fitting.append(reading)
        tried, n = len(claim.readings), len(claim.numbers)
        count = f"{tried} other reading{'s' if tried > 1 else ''} tried, {n} number{'s' if n > 1 else ''}"
        if len(fitting) == 1:
            note = f"{fitting[0].name}: comes out if {fitting[0].sentence} (1 explanation; {count})"
            return dict.fromkeys(wrong, PrintVerdict("explained", note, fitting[0].name))
        if fitting:
            note = f"ambiguous: comes out in {len(fitting)} ways: " + "; ".join(
                f"if {r.sentence}" for r in fitting
            )
            return dict.fromkeys(wrong, PrintVerdict("ambiguous", f"{note} ({count})", "ambiguous"))
        return {}

    # -- what native and R have beyond the page --------------------------------------------------------------

    def _beyond_print(self, claim: Claim, asked: Asked) -> list[Agreement]:
        """Every quantity of every R call not shown yet, once for each model; and the R calls that did not
        run.
        """
        key = _key(claim, asked.fit)
        if key in self._compared or self._home.get(key, claim.id) != claim.id:
            return []
        self._compared.add(key)
        r = _asked_of_r(claim, asked.r)
        rows = [self._r_not_run(claim, c) for c in r if c.not_run]
        rows += [self._drifted(claim, c) for c in r if c.drift]
        if "native" not in claim.engines:
            return rows
        shown = {(q.quantity, c.r_call) for q in claim.numbers if (c := _first_with(r, q.quantity))}
        packages = claim.r_packages
        if packages and self._counterparts and not r:
            rows.append(
                self.row(
                    claim,
                    "fit",
                    "not-run",
                    f"no R call of {', '.join(packages)} answers this model",
                    "no-r-model",
                    r_call=", ".join(packages),
                    about="native-r",
                )
            )
        for c in r:
            rows += [
                self._native_against_r(claim, asked, name, c)
                for name in c.values
                if (name, c.r_call) not in shown and not is_reference(asked.fit, name)
            ]
            rows += [self._not_returned(claim, asked.fit, q, c) for q in not_returned(asked.fit, c)]
        have = {row.quantity for row in rows} | {q.quantity for q in claim.numbers}
        rows += [
            self._native_against_r(claim, asked, name, None)
            for name in asked.certified
            if name not in have and not is_reference(asked.fit, name)
        ]
        return rows

    def _native_against_r(self, claim: Claim, asked: Asked, name: str, r: RCounterpart | None) -> Agreement:
        native = quantity(asked.fit, name)
        if math.isnan(native):
            row = self.row(
                claim,
                name,
                "not-estimable",
                "not estimable from these data",
                "not-estimable",
                about="native-r",
            )
        else:
            row = self.row(claim, name, "agrees", "", "", native=native, about="native-r")
        return self._beside(row, asked, native, r)

    def _beside(
        self, row: Agreement, asked: Asked, native: float, r: RCounterpart | None, half: int = 1
    ) -> Agreement:
        return with_sources(row, asked.fit, native, r, asked.certified, half=half, floors=self._floors)

    def _not_returned(self, claim: Claim, fit: Fit, q: Quantity, c: RCounterpart) -> Agreement:
        return self.row(
            claim,
            q,
            "differs",
            f"lost: {c.r_call} gives {q.kind} of others and not of this one",
            "not-returned",
            r_call=c.r_call,
            r_source=c.r_source,
            native=value_or_none(quantity(fit, q)),
            digits=0.0,
            about="native-r",
        )

    def _r_not_run(self, claim: Claim, c: RCounterpart) -> Agreement:
        if c.expected:
            said = "R's own error: " if c.r_source else ""
            return self.row(
                claim,
                "fit",
                "not-checkable",
                f"{said}{c.r_call}: {c.not_run}",
                "r-error" if c.r_source else "not-asked",
                r_call=c.r_call,
                r_source=c.r_source,
                about="native-r",
            )
        said = f"{c.r_call} did not run: {c.not_run}"
        return self.row(claim, "fit", "not-run", said, "r-not-run", r_call=c.r_call, about="native-r")

    def _drifted(self, claim: Claim, c: RCounterpart) -> Agreement:
        return self.row(
            claim,
            "fit",
            "differs",
            f"drift: {c.drift}",
            "drift",
            r_call=c.r_call,
            r_source="live",
            about="native-r",
        )

    # -- statements ------------------------------------------------------------------------------------------

    def _statement(self, claim: Claim) -> Agreement:
        if not claim.test:
            finding = _stated(claim)
        else:
            own_fit = claim.id if claim.model is not None and claim.data else ""
            context = Context(
                self.data,
                self.fit,
                claim.data,
                own_fit,
                float(claim.alpha),
                lambda name: table_of(self.paper, name),
            )
            try:
                finding = run_test(claim.test, context, claim.test_args)
            except InputError as error:
                raise InputError(
                    f"{self.paper.source or self.paper.id}, line {claim.line}, claim {claim.id!r}: {error}"
                ) from error
            except PairproofError as error:
                finding = Finding("not-run", f"the test did not run: {error}", code="test-not-run")
        return self.row(
            claim,
            "statement",
            finding.verdict,
            finding.explanation,
            finding.code,
            printed=claim.statement,
            native=finding.native,
            about="statement",
        )


def check_paper(
    paper: Paper,
    *,
    counterparts: Counterparts | None = None,
    backend: Any = None,
    certified: Certified | None = None,
    floors: Sequence[Floor] | None = None,
) -> list[Agreement]:
    """Agreements of every claim of a paper.

    Parameters
    ----------
    paper, counterparts, backend, certified, floors
        As in :class:`Checker`.

    Returns
    -------
    list of Agreement

    Raises
    ------
    InputError
        Something in the claims file names what is not there (a parameter, an item); the message names the
        line.

    Examples
    --------
    >>> from pairproof.validation.claims.reader import read_paper
    >>> rows = check_paper(read_paper("firth-2005"))
    >>> {row.verdict for row in rows}
    {'agrees'}
    """
    return Checker(
        paper, counterparts=counterparts, backend=backend, certified=certified, floors=floors
    ).all()


def compare_fit(
    fit: Fit,
    counterparts: Sequence[RCounterpart],
    *,
    certified: Mapping[str, str] | None = None,
    floors: Sequence[Floor] | None = None,
) -> list[Agreement]:
    """Agreements of a fit, without any page, with the R calls that have its model.

    Parameters
    ----------
    fit : Fit
    counterparts : sequence of RCounterpart
        R's answers.
    certified : mapping of quantity to decimal text, optional
    floors : sequence of Floor, optional
        Digits asked for; default: the shipped ones.

    Returns
    -------
    list of Agreement
        One for each quantity of each R call; an R call that did not run has one that says why.
    """
    model = ModelClaim(fit.spec.family)
    claim = Claim(id="", data="data", model=model, compare_only="verify")
    checker = Checker(Paper(id="", title=""), counterparts=lambda _fit, _backend: counterparts, floors=floors)
    return checker._beyond_print(claim, Asked(fit, tuple(counterparts), certified or {}))


def _key(claim: Claim, fit: Fit) -> tuple[str, ModelSpec, str]:
    """Names the comparisons of a fit with R: claims that spell the same model differently share them."""
    return claim.data, fit.spec, fit.scale


def _is_about_the_model(claim: Claim) -> bool:
    """Prints a number of a model, or is there for it; "240 pairs" is of the data."""
    return claim.model is not None and bool(
        claim.compare_only
        or any(q.quantity.kind not in ("n_comparisons", "n_items", "wins") for q in claim.numbers)
    )


def _halved(claim: Claim, quantity: Quantity) -> int:
    """By what a fit's own number is divided: 2 for the p-values of a claim that prints one-sided ones."""
    return 2 if claim.sided == 1 and quantity.kind == "p" else 1


def _stated(claim: Claim) -> Finding:
    """The verdict that `accept` gives to a statement without a test."""
    word = next(a for a in claim.accept if a in STATED)
    text = f"stated, not computed: {claim.explanation}"
    if word == "agrees":
        return Finding("agrees", text, code="stated")
    if word == "not-checkable":
        return Finding("not-checkable", text, code="stated")
    return Finding.because(word, text, "differs" if word == "erratum" else "differs-conclusion")


def _asked_of_r(claim: Claim, r: Sequence[RCounterpart]) -> list[RCounterpart]:
    packages = claim.r_packages
    if packages is None:
        return []
    return [c for c in r if not packages or c.package in packages]


def _first_with(r: Sequence[RCounterpart], name: str) -> RCounterpart | None:
    return next((c for c in r if c.not_run is None and name in c.values), None)
