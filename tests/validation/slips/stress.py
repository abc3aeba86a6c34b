"""Tables on which `verify` is stressed: every corner of the models that native and R share, drawn from a
seed.

`python -m tests.validation.slips.stress 120 out.json` fits each table natively, verifies the fit against live R,
judges it by 50-digit values (`tests/certified`), and verifies fits that were spoilt on purpose: an estimate
moved by 1e-6 standard errors, df by one, the log-likelihood by 1e-7 of itself.  No right fit may be called
wrong, and no spoilt one right.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pairproof.bridge.programs.counted_cells import count
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import PairproofError
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.r_answers.stopped_short import score_check
from pairproof.validation.report.verification import Verification
from pairproof.validation.verdicts.agreement import RCounterpart

Row = dict[str, Any]
#: Items beyond which 50 digits are not worked out: 29 of them take minutes.
MOST_CERTIFIED = 10


@dataclass(frozen=True)
class Case:
    """A table and a model, in the words of `tests/certified`."""

    name: str
    items: tuple[str, ...]
    rows: list[Row]
    family: str = "llbt"
    ties: str | None = None
    by: str = ""
    order_effect: bool = False
    reference: str | None = None
    item_data: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def table(self) -> Comparisons:
        place = {item: k for k, item in enumerate(self.items)}
        columns: dict[str, Any] = {}
        for name in [n for n in self.rows[0] if n not in ("first", "second", "wins", "ties", "losses")]:
            values = [r[name] for r in self.rows]
            if name == "judge" or isinstance(values[0], str):
                levels = tuple(sorted({str(v) for v in values}))
                columns[name] = Factor(np.array([levels.index(str(v)) for v in values]), levels)
            else:
                columns[name] = np.array(values, float)
        ties = [r["ties"] for r in self.rows] if "ties" in self.rows[0] else None
        item_data = {k: np.array([v[i] for i in self.items]) for k, v in self.item_data.items()}
        return Comparisons.build(
            self.items,
            [place[r["first"]] for r in self.rows],
            [place[r["second"]] for r in self.rows],
            [r["wins"] for r in self.rows],
            ties,
            [r["losses"] for r in self.rows],
            columns=columns,
            item_data=item_data,
            source=self.name,
        )

    def fit(self) -> Fit:
        fitter = fit_llbt if self.family == "llbt" else fit_bradley_terry
        return fitter(
            self.table,
            ties=self.ties,
            by=self.by,
            order_effect=self.order_effect,  # type: ignore[arg-type]  # text of Ties
            reference=self.reference,
            item_terms=tuple(self.item_data),
        )

    def certified(self, fit: Fit) -> dict[str, str] | None:
        """50-digit values by quantity; None where the maximum is infinite or the model is not one of
        theirs.
        """
        from mpmath import mp

        from pairproof.validation.check.shipped import values_of
        from tests.certified.document import certify
        from tests.certified.models import Model
        from tests.certified.newton import DIGITS

        if fit.not_estimable or len(self.items) > MOST_CERTIFIED:
            return None
        model = Model(
            self.family,
            fit.ties,
            self.by or None,
            self.order_effect,
            reference=self.reference or "",
            item_covariates=bool(self.item_data),
        )
        data = {
            "id": self.name,
            "what": "",
            "source": "",
            "items": list(self.items),
            "rows": self.rows,
            "item_data": self.item_data or None,
            "tie_category": "ties" in self.rows[0] and fit.ties not in ("half", "drop"),
        }
        with mp.workdps(DIGITS):
            try:
                return values_of(certify(data, model))
            except ArithmeticError:  # its Newton steps start at 0 and run off where nearly all is decided
                return None


def names(n: int) -> tuple[str, ...]:
    return tuple("ABCDEFGH"[:n])


def drawn(
    rng: np.random.Generator,
    n_items: int,
    games: float,
    ties: float | None = None,
    *,
    spread: float = 1.0,
    present: float = 1.0,
    order: float = 0.0,
    both: bool = False,
) -> list[Row]:
    """Counts of every pair (of both orders) from Davidson's model with abilities of this spread."""
    ability = rng.normal(0, spread, n_items)
    rows = []
    for i in range(n_items):
        for j in range(i + 1, n_items):
            for a, b in [(i, j), (j, i)] if both else [(i, j)]:
                if rng.random() > present and abs(i - j) > 1:
                    continue
                u = ability[a] - ability[b] + order
                w = np.array([np.exp(u / 2), ties or 0.0, np.exp(-u / 2)])
                y = rng.multinomial(max(1, rng.poisson(games)), w / w.sum())
                row: Row = {
                    "first": names(n_items)[a],
                    "second": names(n_items)[b],
                    "wins": int(y[0]),
                    "losses": int(y[2]),
                }
                rows.append(row if ties is None else {**row, "ties": int(y[1])})
    return rows


def with_column(rows: Callable[[], list[Row]], column: str, values: list[Any]) -> list[Row]:
    return [{**r, column: v} for v in values for r in rows()]


def equal(n_items: int, count: int, ties: int | None = None) -> list[Row]:
    """Every pair split evenly: all abilities 0, deviance 0."""
    more: Row = {} if ties is None else {"ties": ties}
    return [
        {"first": a, "second": b, "wins": count, "losses": count, **more}
        for k, a in enumerate(names(n_items))
        for b in names(n_items)[k + 1 :]
    ]


def exact(worths: list[int], ties: int | None = None) -> list[Row]:
    """Counts that are the worths themselves (with ties: their squares, so that sqrt is whole): deviance 0."""
    rows = []
    for i, a in enumerate(worths):
        for j in range(i + 1, len(worths)):
            b = worths[j]
            row: Row = {
                "first": names(len(worths))[i],
                "second": names(len(worths))[j],
                "wins": a if ties is None else a * a,
                "losses": b if ties is None else b * b,
            }
            rows.append(row if ties is None else {**row, "ties": ties * a * b})
    return rows


def mirrored(rng: np.random.Generator, n_items: int, games: float, ties: float | None) -> list[Row]:
    """Two items with the same record against the rest, and even between them: their difference is exactly
    0.
    """
    rows = drawn(rng, n_items, games, ties)
    table = {(r["first"], r["second"]): r for r in rows}
    a, b = names(n_items)[:2]
    for other in names(n_items)[2:]:
        table[b, other].update(
            {k: table[a, other][k] for k in ("wins", "losses", "ties") if k in table[a, other]}
        )
    table[a, b]["wins"] = table[a, b]["losses"]
    return rows


def _made(k: int, rng: np.random.Generator) -> Case:
    n = int(rng.integers(2, 9))
    big = int(rng.integers(3, 7))
    family = ("llbt", "bradley-terry")[k // 20 % 2]
    reference = (None, "sum", names(3)[1])[k % 3]
    kinds: list[Callable[[], Case]] = [
        lambda: Case("plain", names(n), drawn(rng, n, 30), family, reference=None if n < 3 else reference),
        lambda: Case(
            "davidson", names(n), drawn(rng, n, 30, 0.6), family, reference=None if n < 3 else reference
        ),
        lambda: Case("rao-kupper", names(n), drawn(rng, n, 40, 0.6), family, "rao-kupper"),
        lambda: Case(
            "judges",
            names(big),
            with_column(lambda: drawn(rng, big, 25, 0.5), "judge", ["1", "2", "3"]),
            family,
            by="judge",
        ),
        lambda: Case(
            "slope",
            names(4),
            with_column(lambda: drawn(rng, 4, 30, 0.5), "age", [20, 30, 41, 55]),
            family,
            by="age",
        ),
        lambda: Case(
            "order",
            names(big),
            drawn(rng, big, 25, 0.4 if k % 2 else None, order=0.4, both=True),
            family,
            order_effect=True,
        ),
        lambda: Case(
            "sparse", names(n), drawn(rng, n, 6, 0.4 if k % 2 else None, spread=0.5, present=0.5), family
        ),
        lambda: Case("saturated", names(2), drawn(rng, 2, 30, 0.6), family),
        lambda: Case(
            "saturated-judges",
            names(2),
            with_column(lambda: drawn(rng, 2, 40, 0.6), "judge", ["1", "2", "3"]),
            family,
            by="judge + tie:judge",
        ),
        lambda: Case(
            "all-equal",
            names(n),
            equal(n, int(rng.integers(1, 30)), int(rng.integers(1, 20)) if k % 2 else None),
            family,
        ),
        lambda: Case(
            "all-equal-judges",
            names(3),
            with_column(lambda: equal(3, 5, 3), "judge", ["1", "2"]),
            family,
            by="judge",
        ),
        lambda: Case(
            "exact",
            names(big),
            exact([int(v) for v in rng.integers(1, 30, big)], 2 if k % 2 else None),
            family,
        ),
        lambda: Case(
            "near-separation",
            names(4),
            [{**r, "wins": 10 ** int(rng.integers(3, 7)), "losses": 1} for r in equal(4, 1)],
            family,
        ),
        lambda: Case("half-counts", names(big), drawn(rng, big, 25, 0.5), family, "half"),
        lambda: Case("ties-held", names(big), drawn(rng, big, 25, 0.5), family, "none"),
        lambda: Case("ties-dropped", names(big), drawn(rng, big, 25, 0.5), family, "drop"),
        lambda: Case(
            "item-covariate",
            names(6),
            drawn(rng, 6, 30, 0.5 if k % 2 else None),
            "llbt",
            item_data={"x": dict(zip(names(6), [round(float(v), 2) for v in rng.normal(0, 1, 6)]))},
        ),
        lambda: Case(
            "mirrored",
            names(4),
            mirrored(rng, 4, 30, 0.5 if k % 2 else None),
            family,
            reference="sum" if k % 3 else None,
        ),
        lambda: Case("large-counts", names(big), drawn(rng, big, 3e6, 0.2 if k % 2 else None), family),
        lambda: Case(
            "separated",
            names(4),
            [{**r, "losses": 0} if r["first"] == "A" else r for r in drawn(rng, 4, 12, 0.4)],
            family,
        ),
    ]
    made = kinds[k % len(kinds)]()
    return replace(made, name=f"{k:03d}-{made.name}")


def cases(n: int, seed: int = 20261122) -> Iterator[Case]:
    """n random tables; the k-th does not depend on how many there are."""
    for k in range(n):
        yield _made(k, np.random.default_rng([seed, k]))


def spoilt(fit: Fit) -> dict[str, Fit]:
    """Fits that are wrong in one number; `verify` must say so of each."""
    found = {"df": replace(fit, df_resid=fit.df_resid + 1)}
    if fit.llf < -1e-6:
        found["llf"] = replace(fit, llf=fit.llf * (1 + 1e-7))
    free = [k for k in np.flatnonzero(fit.free) if fit.bse.iloc[k] > 0]
    if free:
        k = int(free[len(free) // 2])
        beta = fit.beta.copy()
        beta[k] += 1e-6 * float(fit.bse.iloc[k])
        found["estimate"] = replace(fit, beta=beta)
    return found


def changed(what: str, bad: Fit, fit: Fit) -> set[str]:
    """Quantities that a spoilt fit has otherwise."""
    if what == "estimate":
        return {f"estimate.{n}" for n, a, b in zip(fit.names, bad.beta, fit.beta) if a != b}
    return {"df_resid"} if what == "df" else {"llf"}


def seen_from(fit: Fit, answer: RCounterpart) -> RCounterpart:
    """R's answer as it was, the score's evidence from this fit."""
    return replace(answer, score=None if answer.not_run else score_check(fit, count(fit), answer))


@dataclass
class Outcome:
    """What `verify` says of a right fit, and of the spoilt ones."""

    name: str
    digits: float | None
    verdicts: dict[str, int]
    wrong: list[str]
    missed: list[str]
    stopped: str = ""
    seconds: float = 0.0


def _call(checked: Verification) -> list[str]:
    return [
        f"{a.quantity} {a.r_call} native={a.native!r} r={a.r!r} digits={a.digits} {a.verdict}:"
        f" {a.explanation}"
        for a in checked
        if not a.passes and a.verdict != "not-run"
    ]


def run(case: Case) -> Outcome:
    """Fit, verify, judge by 50 digits, spoil and verify again."""
    from pairproof.bridge.process.policy import backend
    from pairproof.validation.claims.quantities import quantity, scale_of
    from pairproof.validation.r_answers.answerers import counterparts
    from pairproof.validation.verdicts.against_r import compare_fit
    from pairproof.validation.verdicts.agreement import summary
    from pairproof.validation.verdicts.digits import digits_of_agreement

    start = time.perf_counter()
    try:
        fit = case.fit()
    except PairproofError as error:
        return Outcome(case.name, None, {}, [], [], f"native: {error}")
    answers = counterparts(fit, backend("live"))
    checked = Verification(tuple(compare_fit(fit, answers)))
    certified = case.certified(fit)
    least = None
    if certified:
        least = min(
            float(
                digits_of_agreement(
                    quantity(fit, n),
                    float(t),
                    max(
                        scale_of(n, fit),
                        1e-9 if n.startswith("estimate") else 1.0 if n in ("deviance",) else 0.0,
                    ),
                )
            )
            for n, t in certified.items()
            if n.split(".")[0] in ("estimate", "se", "deviance", "df_resid", "llf")
        )
    missed = []
    for what, bad in spoilt(fit).items():
        rows = compare_fit(bad, [seen_from(bad, a) for a in answers])
        about = [a for a in rows if a.quantity in changed(what, bad, fit) and a.digits is not None]
        if about and not any(a.verdict == "differs" for a in about):
            missed.append(what)
    return Outcome(
        case.name, least, dict(summary(checked)), _call(checked), missed, seconds=time.perf_counter() - start
    )


def counts_file(path: Path) -> list[Case]:
    """A table of counts as CSV, with the models that suit it."""
    import csv

    with path.open(encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    rows = [
        {
            k: (
                v
                if k not in ("wins", "ties", "losses")
                else int(float(v) if v not in ("TRUE", "FALSE") else v == "TRUE")
            )
            for k, v in r.items()
        }
        for r in read
    ]
    items = tuple(sorted({r["first"] for r in rows} | {r["second"] for r in rows}))
    plain = [{k: v for k, v in r.items() if k in ("first", "second", "wins", "ties", "losses")} for r in rows]
    found = [Case(path.stem, items, plain), Case(f"{path.stem}-bt", items, plain, "bradley-terry")]
    if path.stem in ("football", "baseball", "icehockey"):
        found.append(Case(f"{path.stem}-order", items, plain, "bradley-terry", order_effect=True))
    if "ties" in plain[0]:
        found += [
            Case(f"{path.stem}-{t}", items, plain, "bradley-terry", t)
            for t in ("half", "drop", "none", "rao-kupper")
        ]
    if path.stem == "football":
        for season in sorted({r["season"] for r in rows}):
            some = [p for p, r in zip(plain, rows) if r["season"] == season]
            theirs = tuple(sorted({r["first"] for r in some} | {r["second"] for r in some}))
            found.append(Case(f"football-{season}", theirs, some, order_effect=True))
    if "judge" in rows[0]:
        found.append(Case(f"{path.stem}-judge", items, rows, by="judge"))
    return found


def main(arguments: list[str]) -> int:
    """N OUT.json [TABLE.csv ...]"""
    n, out = int(arguments[0]), Path(arguments[1])
    todo = [*cases(n), *(c for f in arguments[2:] for c in counts_file(Path(f)))]
    outcomes = []
    for case in todo:
        outcomes.append(run(case))
        o = outcomes[-1]
        print(
            (
                f"{o.name:28s} {o.seconds:5.1f}s"
                f" digits={o.digits if o.digits is None else round(o.digits, 1)} wrong={len(o.wrong)} missed={o.missed} "
                f"{o.stopped} {o.verdicts}"
            ),
            flush=True,
        )
        out.write_text(json.dumps([vars(x) for x in outcomes], indent=1), encoding="utf-8")
    ran = [o for o in outcomes if not o.stopped]
    print(
        f"{len(ran)} fits: {sum(bool(o.wrong) for o in ran)} called wrong,"
        f" {sum(bool(o.missed) for o in ran)} with a spoilt one not called wrong; 50-digit values for"
        f" {sum(o.digits is not None for o in ran)}, least digits"
        f" {min((o.digits for o in ran if o.digits is not None), default=0):.1f}"
    )
    return int(any(o.wrong or o.missed for o in ran))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
