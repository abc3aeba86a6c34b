"""The check of a paper's claims: read the data, fit the models, ask R, and give every number its verdict.

R and the 50-digit values come in through two functions (`Counterparts`, `Certified`), so that this module
needs neither R nor a folder of records.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, cast, get_args

import numpy as np

from ...data.comparisons import Comparisons
from ...data.respondents.respondents import Respondents
from ...errors import FormulaError, InputError, NotEstimableError, PairproofError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.specification import FamilyName, ModelSpec
from ...fit.fit import Fit
from ...text import named
from ..claims.data import fit_model, read_answers, read_data, table_of
from ..claims.other_scales import BoardNumbers, OnAnyScale, on_any_scale
from ..claims.paper import Claim, ModelClaim, Paper, PrintedQuantity, Reading
from ..claims.quantities import LIKELIHOOD_RATIO, Quantity, error_of, quantity
from ..slips.values import glm_values
from ..statements.registers import Computed, Context, Finding, Request
from ..verdicts.against_r import Asked, asked_of_r, beyond_print, first_with, with_r_alone, with_sources
from ..verdicts.agreement import (
    STATED,
    Agreement,
    Certified,
    Counterparts,
    RCounterpart,
    Verdict,
    accepted,
    value_or_none,
)
from ..verdicts.arithmetic import Printout, misprint
from ..verdicts.arithmetic_rows import Games, has_arithmetic, printout_of
from ..verdicts.definitions import (
    OF_ERROR,
    by_model_errors,
    by_other,
    by_plackett_luce,
    by_program,
    model_of_page,
    significant_digits,
)
from ..verdicts.digits import Floor, digits_of_agreement
from ..verdicts.other_errors import by_other_errors
from ..verdicts.verdict import (
    IMMATERIAL,
    OF_STOPPING,
    PrintVerdict,
    immaterial,
    judge_print,
    judge_table,
    reversed_items,
    sized,
)
from .shipped import COMPUTATIONS, run_test

#: Digits in which native and R must agree where a computation asks both: sums and tails of few terms carry 13
#: and more.
FLOOR = 12.0


class Checker:
    """The checker of one paper's claims."""

    def __init__(
        self,
        paper: Paper,
        *,
        counterparts: Counterparts | None = None,
        backend: Any = None,
        certified: Certified | None = None,
        floors: Sequence[Floor] | None = None,
        tables: Mapping[str, Comparisons] | None = None,
        part: float = IMMATERIAL,
    ) -> None:
        self.paper = paper
        self._counterparts = counterparts
        self._backend = backend
        self._certified = certified
        self._floors = floors
        self._part = part
        self.judged: dict[str, dict[str, PrintVerdict]] = {}
        self._tables: dict[str, Comparisons] = dict(tables or {})
        self._answers: dict[str, Respondents] = {}
        self._scales: dict[str, OnAnyScale] = {}
        self._boards: dict[tuple[str, ModelClaim], BoardNumbers] = {}
        self._asked: dict[tuple[str, ModelClaim], Asked] = {}
        self._compared: set[tuple[str, ModelSpec, str, str]] = set()
        self._home: dict[tuple[str, ModelSpec, str, str], str] = {}

    # -- what is computed, each once -------------------------------------------------------------------------

    def data(self, name: str) -> Comparisons:
        """A data set of the paper."""
        if name not in self._tables:
            self._tables[name] = read_data(self.paper, name)
        return self._tables[name]

    def answers(self, name: str) -> Respondents:
        """A data set of the paper as persons' whole answers."""
        if name not in self._answers:
            self._answers[name] = read_answers(self.paper, name)
        return self._answers[name]

    def asked(self, data: str, model: ModelClaim) -> Asked:
        """The fit of a model to a data set, and what R and the 50-digit values say about it."""
        key = (data, model)
        if key not in self._asked:
            try:
                fit = self._fitted(data, model)
            except FormulaError as error:
                raise FormulaError(f"{self.paper.source or self.paper.id}, data {data!r}: {error}") from error
            ask = self._counterparts if self._is_r_asked(key) else None
            r = () if ask is None else tuple(ask(fit, self._backend))
            self._asked[key] = Asked(fit, r, self._certified(fit) if self._certified else {})
        return self._asked[key]

    def _fitted(self, data: str, model: ModelClaim) -> Fit:
        return fit_model(self.answers(data) if model.of_answers else self.data(data), model)

    def fit(self, claim_id: str) -> Fit:
        """The native fit of a claim."""
        return self._asked_about(claim_id).fit

    def _is_r_asked(self, key: tuple[str, ModelClaim]) -> bool:
        """R is asked about every model but that of a board whose claims all name other engines: it takes minutes."""
        of_board = [c for c in self.paper.claims if (c.data, c.model) == key and key[1].scale == "elo"]
        return not of_board or any(c.r_packages is not None for c in of_board)

    def _board(self, claim: Claim) -> BoardNumbers | None:
        """The numbers of a claim on scale "elo"; None of another."""
        if claim.model is None or claim.model.scale != "elo":
            return None
        key = (claim.data, claim.model)
        if key not in self._boards:
            self._boards[key] = BoardNumbers(self.asked(*key).fit, self.data(claim.data), claim.model)
        return self._boards[key]

    def _board_of_model(self, claim: Claim) -> BoardNumbers | None:
        """The board whose errors are those of the model, beside one whose errors are the spread of single votes."""
        if claim.model is None or claim.model.scale != "elo" or not claim.model.by_vote:
            return None
        key = (claim.data, replace(claim.model, by_vote=False))
        if key not in self._boards:
            self._boards[key] = BoardNumbers(self._fitted(*key), self.data(claim.data), key[1])
        return self._boards[key]

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
        """Native fits of all claims that have a model, by claim, without those that could not be fitted."""
        found = {}
        for claim in self.paper.claims:
            if claim.model is not None and claim.data:
                try:
                    found[claim.id] = self.fit(claim.id)
                except PairproofError:
                    continue  # its claim's agreements say why
        return found

    # -- claims ----------------------------------------------------------------------------------------------

    def all(
        self, progress: Callable[[str], None] = lambda claim: None, into: list[Agreement] | None = None
    ) -> list[Agreement]:
        """Agreements of every claim, in the order of the file; `progress` is called with each claim before
        it is checked, and `into` holds those that are made when it is interrupted.

        A claim among others that is not understood is not run, with the reason; where none is, the first one's
        error is raised.  What native and R have beyond the printed numbers stands once for each model, under the first
        claim that prints a number of it, or that is there for it.
        """
        fitted = [claim for claim in self.paper.claims if claim.id in self.fits]
        for claim in [c for c in fitted if _is_about_the_model(c)] + fitted:
            self._home.setdefault(_key(claim, self.fit(claim.id)), claim.id)
        found: list[Agreement] = [] if into is None else into
        found += [
            Agreement(self.paper.id, name, Quantity("claim"), explanation=why, code="bad-claim")
            for name, why in self.paper.bad.items()
        ]
        bad: list[InputError] = []
        for claim in self.paper.claims:
            progress(claim.id)
            try:
                found += self.claim(claim)
            except InputError as error:
                bad.append(error)
                found += self._not_run(claim, str(error), "bad-claim")
        if bad and len(bad) == len(self.paper.claims):
            raise bad[0]
        return found

    def claim(self, claim: Claim) -> list[Agreement]:
        """Agreements of one claim: its printed numbers, its statement, then what lies beyond them."""
        found: list[Agreement] = []
        if claim.numbers and claim.data and (spec := self.paper.data[claim.data]).kind == "games":
            Games.stated(spec.items, spec.rows, spec.games)  # an error of theirs is one of this claim
            why = "the outcomes are not available: the printed numbers are only compared with each other"
            found += self._all_alike(claim, "not-checkable", why, "no-outcomes")
        elif claim.model is not None and claim.data and not claim.model.family:
            found += self._of_no_family(claim, claim.model)
        elif claim.model is not None and claim.data:
            try:
                model = self._model_of_page(claim, lambda model: self.asked(claim.data, model).fit)
                asked = self.asked(claim.data, model)
            except InputError:
                raise
            except PairproofError as error:
                return self._not_run(claim, f"native did not run: {error}", "native-not-run")
            values = self._native_values(claim, asked)
            found += self._numbers(claim, asked, values)
            found += self._beyond_print(claim, asked)
        if claim.compute:
            found += self._computed(claim)
        if claim.statement:
            found.append(self._statement(claim))
        return [accepted(a, claim.accept) for a in found]

    def _model_of_page(self, claim: Claim, fitted: Callable[[ModelClaim], Fit]) -> ModelClaim:
        """The claim's model, with the prior that R's PlackettLuce has by default where the page shows that."""
        assert claim.model is not None
        if claim.model.family != "plackett-luce" or "native" not in claim.engines:
            return claim.model
        try:
            fit: Fit | None = fitted(claim.model)
        except NotEstimableError:
            fit = None
        known = [] if fit is None else [(q, fit) for q in claim.numbers]
        values: dict[str, float] = {q.quantity: self.value(claim, f, q) for q, f in known}
        return model_of_page(claim, self.answers(claim.data), fit, values)

    def _of_no_family(self, claim: Claim, model: ModelClaim) -> list[Agreement]:
        """Rows of a table of persons' answers whose model is not said, with the readings that there are."""
        n, out = len(claim.numbers), dict[str, int]()
        for family in get_args(FamilyName):
            stated = replace(claim, model=replace(model, family=family))
            if stated.model is None or any(stated.model.faults()):
                continue
            try:
                fit = self._fitted(claim.data, self._model_of_page(stated, partial(self._fitted, claim.data)))
                values: dict[str, float] = {q.quantity: self.value(stated, fit, q) for q in claim.numbers}
                judged = self._judged(stated, fit, values, set(values))
                out[family] = sum(j.comes_out for j in judged.values())
            except PairproofError:
                out[family] = 0  # it has no such numbers, or no estimates
        ways = sorted(out.items(), key=lambda way: -way[1])
        readings = ", ".join(f'family = "{name}" ({k} of {n} numbers reproduced)' for name, k in ways)
        why = (
            "the claim does not name its model, and several are possible for persons' answers: state"
            f" {readings}"
        )
        return self._all_alike(claim, "not-checkable", why, "another-model")

    def _not_run(self, claim: Claim, said: str, code: str) -> list[Agreement]:
        if not claim.statement:
            return self._all_alike(claim, "not-run", said, code)
        rows = self._all_alike(claim, "not-run", said, code) if claim.numbers else []
        return [*rows, self.row(claim, "statement", "not-run", said, code, printed=claim.statement)]

    def _all_alike(
        self, claim: Claim, verdict: Verdict, why: str, code: str, r_call: str | None = None
    ) -> list[Agreement]:
        """One verdict on every printed number of a claim, on its fit where none is printed."""
        printed: list[tuple[str, str | None]] = [(q.quantity, q.printed.text) for q in claim.numbers]
        return [
            self.row(claim, name, verdict, why, code, printed=text, r_call=r_call)
            for name, text in printed or [("fit", None)]
        ]

    @contextlib.contextmanager
    def _placed(self, claim: Claim, line: int) -> Iterator[None]:
        """An error in what is asked is reported with its place in the claims file."""
        try:
            yield
        except InputError as error:
            place = f"{self.paper.source or self.paper.id}, line {line}, claim {claim.id!r}"
            raise InputError(f"{place}: {error}") from error

    def row(
        self, claim: Claim, name: str, verdict: Verdict, explanation: str, code: str, **fields: Any
    ) -> Agreement:
        """A row of this claim; what is not given in `fields` has no value."""
        return Agreement.of_claim(self.paper.id, claim, name, verdict, explanation, code, **fields)

    def _native_values(self, claim: Claim, asked: Asked) -> dict[str, float]:
        if "native" not in claim.engines:
            return {q.quantity: math.nan for q in claim.numbers}
        values: dict[str, float] = {q.quantity: self.value(claim, asked.fit, q) for q in claim.numbers}
        scale = self._scales[claim.id] = self._on_any_scale(claim, asked.fit, values)
        return dict(scale.values)

    def _on_any_scale(self, claim: Claim, fit: Fit, values: Mapping[str, float]) -> OnAnyScale:
        """The numbers of a claim that leaves its scale free on the scale of the print; others as they are."""
        if claim.model is None or claim.model.scale != "any":
            return OnAnyScale(values, {}, {}, frozenset())
        return on_any_scale(fit, claim.numbers, values, claim.model.reference)

    def value(self, claim: Claim, fit: Fit, q: PrintedQuantity) -> float:
        """A number of a fit as the claim would print it: a one-sided p is half of the fit's."""
        other = q.quantity.name
        is_ratio = q.quantity.kind in LIKELIHOOD_RATIO and other in [c.id for c in self.paper.claims]
        others = {other: self.fit(other)} if is_ratio else {}
        board = self._board(claim)
        with self._placed(claim, q.line):
            if board is not None and board.has(q.quantity):
                return board.value(q.quantity)
            return quantity(fit, q.quantity, others) / _halved(claim, q.quantity)

    def value_of(self, claim: Claim, fit: Fit, name: Quantity) -> float:
        """Another number of the place of a printed one, on the claim's scale."""
        board = self._board(claim)
        return board.value(name) if board is not None and board.has(name) else quantity(fit, name)

    # -- printed numbers -------------------------------------------------------------------------------------

    def _numbers(self, claim: Claim, asked: Asked, values: Mapping[str, float]) -> list[Agreement]:
        native_asked = "native" in claim.engines
        r, board = asked_of_r(claim, asked.r), self._board(claim)
        of_board = {q.quantity for q in claim.numbers if board is not None and board.has(q.quantity)}
        scale = self._scales.get(claim.id)
        of_board |= {q.quantity for q in claim.numbers if scale is not None and q.quantity in scale.words}
        # R and the 50-digit values have what ratings and ranks are made from, under the same names.
        chosen = {
            q.quantity: None if q.quantity in of_board else first_with(r, q.quantity) for q in claim.numbers
        }
        shown = values
        if not native_asked:
            shown = {n: c.values[n] / _halved(claim, n) if c else math.nan for n, c in chosen.items()}
        have: set[str] = {n for n, c in chosen.items() if native_asked or c}
        judged = self.judged[claim.id] = self._judged(claim, asked.fit, shown, have)
        rows = []
        for q in claim.numbers:
            name = q.quantity
            of_print, native, source = judged[name], values[name], chosen[name]
            said = (of_print.verdict, of_print.note, of_print.code)
            more: dict[str, Any] = {"native": value_or_none(native), "size": value_or_none(of_print.size)}
            more["finding"] = finding_of(claim.id, name, of_print)
            row = self.row(claim, name, *said, printed=q.printed.text, **more)
            half, floors = _halved(claim, name), self._floors
            certified = {} if name in of_board else asked.certified
            rows.append(
                with_sources(row, asked.fit, native, source, certified, half=half, floors=floors)
                if native_asked
                else with_r_alone(row, source, half)
            )
        return rows

    def _judged(
        self, claim: Claim, fit: Fit, values: Mapping[str, float], have: set[str]
    ) -> dict[str, PrintVerdict]:
        """The verdicts on the printed numbers, each judged once: as they stand, as one table, in the order of the
        items, by the claim's own readings, by other definitions, by their size, and as a misprint among others.
        """
        board, numbers, alpha = self._board(claim), claim.numbers, float(claim.alpha)
        scale, free = self._scales.get(claim.id), claim.model is not None and claim.model.scale == "any"
        errors: dict[str, float] = {
            q.quantity: board.error(q.quantity) if board else error_of(q.quantity, fit) for q in numbers
        }
        if scale is not None:
            errors = {name: error * scale.factor.get(name, 1.0) for name, error in errors.items()}
        at = normal_quantile(1.0 - alpha / 2.0)
        within = {name: at * error for name, error in errors.items()}
        judged = judge_table(numbers, values, alpha, fit.df_resid, fit.n_comparisons, within)
        why = "only R was requested, and no R call that ran has this number"
        judged |= dict.fromkeys(judged.keys() - have, PrintVerdict("not-run", why, "r-not-run"))
        why = "a free factor and constant leave too few numbers, or digits of them, to compare with the data"
        too_few = () if scale is None else scale.too_few
        judged |= dict.fromkeys(too_few, PrintVerdict("not-checkable", why, "too-few-numbers"))
        # On a free scale the factor is known no better than its numbers, which may all be cut.
        threshold = (OF_STOPPING, "early-stop", True) if board else (self._part, "small", free)
        small = immaterial(numbers, values, errors, judged, *threshold)
        # An order that is another beside a number that is far off says nothing against the one that is not.
        near = [q for q in numbers if judged[q.quantity].verdict != "differs" or q.quantity in small]
        of_near = reversed_items(near, values, fit.items) if small else {}
        for name, sentence in {**reversed_items(numbers, values, fit.items), **of_near}.items():
            if judged[name].verdict == "differs" and (name not in small or name in of_near):
                judged[name] = PrintVerdict("differs-conclusion", sentence, "other-order")
                small.pop(name, None)
        wrong = [n for n, j in judged.items() if j.verdict in ("differs", "differs-conclusion")]
        explained = self._explained(claim, wrong) if wrong and claim.readings else {}
        other = {**by_program(claim, fit, values, judged), **_by_last_step_but_one(claim, fit, values, wrong)}
        of_fit = board is None and not free
        errors_of = board.error if board else partial(error_of, fit=fit)
        own = partial(self.value_of, claim, fit)
        other |= by_other_errors(claim, fit, values, judged, own, errors_of, of_fit) if of_fit else {}
        judged |= explained or {**small, **other}
        judged |= by_plackett_luce(claim, fit, values, judged)
        of_model = self._board_of_model(claim) if wrong or small else None
        if of_model is not None and all(of_model.has(q.quantity) for q in numbers):
            judged |= by_model_errors(claim, of_model.value, of_model.error, values, judged)
        if board is not None and not explained:
            judged |= by_other_errors(claim, fit, values, judged, own, errors_of, of_fit)
        if board is None and not explained:
            judged |= misprint(judged, values, partial(self._printout, claim))
        none = board is not None or free
        judged = sized(
            numbers, values, errors, judged, lambda printed: math.nan if none else shortfall(fit, printed)
        )
        for name, words in () if scale is None else scale.words.items():
            j = judged[name]
            code = j.code or ("free-scale" if " and " in words else "free-factor")
            judged[name] = replace(j, note="; ".join(filter(None, (j.note, words))), code=code)
        return judged

    def _printout(self, claim: Claim) -> Printout | None:
        """The claim's numbers, to be compared with each other; None where they are not."""
        try:
            return printout_of(claim, self.data(claim.data)) if has_arithmetic(claim) else None
        except PairproofError:  # answers that are no comparisons
            return None

    def readings(self, claim: Claim) -> list[tuple[Reading, Fit, dict[str, float]]]:
        """The claim's own readings, each with its fit and the numbers that the claim would print by it."""
        found = []
        for reading in claim.readings:
            data, model = reading.data or claim.data, reading.model or claim.model
            assert model is not None
            other = self.asked(data, model).fit
            stopped = glm_values(other) if reading.stops == "glm" else {}
            values: dict[str, float] = {
                q.quantity: stopped.get(q.quantity, self.value(claim, other, q)) for q in claim.numbers
            }
            found.append((reading, other, dict(self._on_any_scale(claim, other, values).values)))
        return found

    def _explained(self, claim: Claim, wrong: Sequence[str]) -> dict[str, PrintVerdict]:
        """Readings that reproduce *all* numbers of the claim; several leave it open."""
        fitting = []
        for reading, other, values in self.readings(claim):
            rest = (float(claim.alpha), other.df_resid, other.n_comparisons)
            if all(j.comes_out for j in judge_table(claim.numbers, values, *rest).values()):
                fitting.append(reading)
        tried, n = len(claim.readings), len(claim.numbers)
        count = f"{tried} other reading{'s' if tried > 1 else ''} tried, {n} number{'s' if n > 1 else ''}"
        if len(fitting) == 1:
            note = f"{fitting[0].name}: reproduced if {fitting[0].sentence} (1 explanation; {count})"
            return dict.fromkeys(wrong, PrintVerdict("explained", note, fitting[0].name))
        if fitting:
            ways = "; ".join(f"if {r.sentence}" for r in fitting)
            note = f"ambiguous: reproduced in {len(fitting)} ways: {ways}"
            return dict.fromkeys(wrong, PrintVerdict("ambiguous", f"{note} ({count})", "ambiguous"))
        return {}

    def _beyond_print(self, claim: Claim, asked: Asked) -> list[Agreement]:
        """What native and R have beyond the printed numbers, once for each model."""
        key = _key(claim, asked.fit)
        if key in self._compared or self._home.get(key, claim.id) != claim.id:
            return []
        self._compared.add(key)
        return beyond_print(self.paper.id, claim, asked, self._floors, self._counterparts is not None)

    # -- computations and statements -------------------------------------------------------------------------

    def _computed(self, claim: Claim) -> list[Agreement]:
        """One row for each number of a computation; and one that says so where native has no such model."""
        asks_r = claim.r_packages is not None and self._counterparts is not None
        backend = self._backend if asks_r else None
        request = Request(
            self.data, partial(table_of, self.paper), self.fit, claim.data, claim.test_args, backend
        )
        try:
            with self._placed(claim, claim.line):
                found = COMPUTATIONS[claim.compute](request)
        except InputError:
            raise
        except PairproofError as error:
            why = f"{claim.compute} did not run: {' '.join(str(error).split())}"
            call = None if "native" in claim.engines else ", ".join(claim.engines)
            return self._all_alike(claim, "not-run", why, "computation-not-run", call)
        rows = [self._computed_number(claim, q, found) for q in claim.numbers]
        if found.lacks:
            why = f"no-native-model: native does not have {found.lacks}; the numbers of this claim come from {found.r_call} alone"
            rows.append(self.row(claim, "fit", "not-run", why, "no-native-model", about="native-r"))
        return rows

    def _computed_number(self, claim: Claim, q: PrintedQuantity, found: Computed) -> Agreement:
        name = q.quantity
        native, r = found.native.get(name, math.nan), found.r.get(name, math.nan)
        if name not in found.native and name not in found.r:
            with self._placed(claim, q.line):
                has = named(sorted({**found.native, **found.r}))
                raise InputError(f"{claim.compute} gives no {name!r}; it gives {has}")
        judged = judge_print(q, native if name in found.native else r, float(claim.alpha))
        verdict, note, code = judged.verdict, judged.note, judged.code
        digits = float(digits_of_agreement(native, r, 0.0)) if found.native and found.r else math.nan
        if digits < FLOOR:
            verdict, code = "differs", "few-digits"
            note = f"native and {found.r_call} agree to {digits:.1f} digits; {FLOOR:g} are required"
        elif name in found.remarks:
            verdict, (code, text) = "explained", found.remarks[name]
            note = f"{code}: {text}" + ("" if judged.comes_out else f"; here {judged.note}")
        of_r = {"r": value_or_none(r), "r_call": found.r_call or None, "r_source": found.r_source}
        own = {"native": value_or_none(native), "digits": value_or_none(digits)}
        return self.row(claim, name, verdict, note, code, printed=q.printed.text, **own, **of_r)

    def _statement(self, claim: Claim) -> Agreement:
        if not claim.test:
            finding = _stated(claim)
        else:
            own_fit = claim.id if claim.model is not None and claim.data else ""
            table = partial(table_of, self.paper)
            context = Context(self.data, self.fit, claim.data, own_fit, float(claim.alpha), table)
            try:
                with self._placed(claim, claim.line):
                    finding = run_test(claim.test, context, claim.test_args)
            except InputError:
                raise
            except PairproofError as error:
                finding = Finding("not-run", f"the test did not run: {error}", code="test-not-run")
        said = (finding.verdict, finding.explanation, finding.code)
        native, printed = finding.native, claim.statement
        return self.row(claim, "statement", *said, printed=printed, native=native, about="statement")


def _by_last_step_but_one(
    claim: Claim, fit: Fit, values: Mapping[str, float], wrong: Sequence[str]
) -> dict[str, PrintVerdict]:
    """Numbers that are reproduced, with all others of the items, as R's glm prints them when it stops."""
    off = [q for q in claim.numbers if q.quantity in wrong and q.quantity.kind in OF_ERROR]
    if sum(significant_digits(q.printed.text) for q in off) < 4 or not np.isfinite(fit.beta).all():
        return {}
    try:
        theirs = glm_values(fit)
    except (InputError, np.linalg.LinAlgError):  # another model, whose steps are not known
        return {}
    kinds = ("estimate", *OF_ERROR)
    of_items = [q for q in claim.numbers if q.quantity.kind in kinds and q.quantity in theirs]
    halved: dict[str, float] = {q.quantity: theirs[q.quantity] / _halved(claim, q.quantity) for q in of_items}
    rest = (float(claim.alpha), fit.df_resid, fit.n_comparisons)
    come_out = all(j.comes_out for j in judge_table(of_items, halved, *rest).values())
    if not come_out or not all(q.quantity in halved for q in off):
        return {}
    said = "reproduced if standard errors are those of R's glm, from the weights of its second-to-last step"
    both = [(q.quantity, halved[q.quantity], values[q.quantity]) for q in off]
    at = "from the weights at the maximum"
    ours: dict[str, str] = {name: f", which gives {theirs:.8g}; {own:.8g} {at}" for name, theirs, own in both}
    return by_other("se-of-the-step-before", off, said, ours)


def finding_of(claim: str, name: str, judged: PrintVerdict) -> str:
    """The finding that a number belongs to; "" where there is none.

    A misprint is one, with what follows from it; so is a reading or a definition, and so are all numbers of a claim
    that only differ.
    """
    if judged.code in ("misprint", "cut-not-rounded", "consequence"):
        return f"{claim}: {judged.cause or name}"
    if judged.verdict in ("agrees-other-definition", "explained"):
        return f"{claim}: {judged.code}"
    return claim if judged.verdict in ("differs", "differs-conclusion", "ambiguous") else ""


def shortfall(fit: Fit, estimates: Mapping[str, float]) -> float:
    """How far the log-likelihood lies below its maximum with these estimates in place of the fit's own, all other
    parameters held; nan of a model whose likelihood is not worked out here.
    """
    from ...bridge.programs.counted_cells import count
    from ..r_answers.stopped_short import MOST_NUMBERS, log_likelihood

    if fit.spec.stated or fit.spec.family not in ("llbt", "bradley-terry") or not np.isfinite(fit.beta).all():
        return math.nan
    cells = count(fit)
    if len(cells) * len(fit.terms) > MOST_NUMBERS:
        return math.nan
    printed = np.array([estimates.get(n, b) for n, b in zip(fit.names, fit.beta)])
    with np.errstate(invalid="ignore"):  # a printed theta below 1 has no likelihood
        return log_likelihood(fit, cells, fit.beta) - log_likelihood(fit, cells, printed)


def _key(claim: Claim, fit: Fit) -> tuple[str, ModelSpec, str, str]:
    """Names the comparisons of a fit with R: claims that spell the same model differently share them."""
    return claim.data, fit.spec, fit.scale, "" if fit.robust is None else fit.robust.title


def _is_about_the_model(claim: Claim) -> bool:
    """Prints a number of a model, or is there for it; "240 pairs" is of the data."""
    of_data = ("n_comparisons", "n_items", "wins")
    of_model = any(q.quantity.kind not in of_data for q in claim.numbers)
    return claim.model is not None and bool(claim.compare_only or of_model)


def _halved(claim: Claim, quantity: Quantity) -> int:
    """By what a fit's own number is divided: 2 for the p-values of a claim that prints one-sided ones."""
    return 2 if claim.sided == 1 and quantity.kind == "p" else 1


def _stated(claim: Claim) -> Finding:
    """The verdict that `accept` gives to a statement without a test."""
    word = next(a for a in claim.accept if a in STATED)
    text = f"stated, not computed: {claim.explanation}"
    if word in ("agrees", "not-checkable"):
        return Finding(cast(Verdict, word), text, code="stated")
    return Finding.because(word, text, "differs" if word == "erratum" else "differs-conclusion")
