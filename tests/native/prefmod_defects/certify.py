"""The right numbers of the cases to 50 digits, by mpmath: plain enumeration of answers, Newton's method, no model of
pairproof's.  Run as `python -m tests.native.prefmod_defects.certify`, it writes `OUT`.

    log P(y) = x(y)' beta - log sum over possible y' of exp(x(y')' beta)

A comparison is an answer by itself (the LLBT); a ranking is one of the orders of its items, ratings one of the weak
orders.  x is wins less losses of each item but the last, each times the values of the covariates, and the number of ties.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations, product
from pathlib import Path

from mpmath import exp, log, matrix, mp, mpf

from tests.native.prefmod_defects.defect_rows import cases
from tests.native.prefmod_defects.llbt_cases import Case

mp.dps = 70
DIGITS = 50
OUT = Path(__file__).with_name("prefmod_defects_50_digits.json")
#: An answer: its own statistics, and those of every possible answer.
Answer = tuple[tuple[mpf, ...], tuple[tuple[mpf, ...], ...]]


def newton(answers: Sequence[Answer]) -> tuple[list[mpf], mpf]:
    """Estimates and log-likelihood."""
    p = len(answers[0][0])
    counted: dict[Answer, int] = {}
    for a in answers:
        counted[a] = counted.get(a, 0) + 1
    beta = [mpf(0)] * p
    for _ in range(60):
        score, information, value = matrix(p, 1), matrix(p, p), mpf(0)
        for (own, possible), times in counted.items():
            eta = [sum(x * b for x, b in zip(row, beta)) for row in possible]
            total = sum(exp(e) for e in eta)
            weights = [exp(e) / total for e in eta]
            mean = [sum(w * row[k] for w, row in zip(weights, possible)) for k in range(p)]
            value += times * (sum(x * b for x, b in zip(own, beta)) - log(total))
            for k in range(p):
                score[k] += times * (own[k] - mean[k])
                for m in range(p):
                    second = sum(w * row[k] * row[m] for w, row in zip(weights, possible))
                    information[k, m] += times * (second - mean[k] * mean[m])
        step = mp.lu_solve(information, score)
        beta = [b + step[k] for k, b in enumerate(beta)]
        if max(abs(step[k]) for k in range(p)) < mpf(10) ** -62:
            return beta, value
    raise ArithmeticError("no maximum in 60 steps")


def pairs_of(j: int) -> list[tuple[int, int]]:
    return [(a, b) for b in range(j) for a in range(b)]


def statistics(
    pair_answers: Iterable[tuple[int, int, int]],
    j: int,
    z: Sequence[mpf],
    ties: bool,
    items: Sequence[Sequence[mpf]] | None,
) -> tuple[mpf, ...]:
    """Of answers (a, b, y): for each covariate value in z the items' wins less losses, then ties."""
    wins, tied = [mpf(0)] * j, mpf(0)
    for a, b, y in pair_answers:
        wins[a], wins[b], tied = wins[a] + y, wins[b] - y, tied + (y == 0)
    own = [sum(w * c for w, c in zip(wins, column)) for column in items] if items else wins[:-1]
    return (*(w * v for v in z for w in own), *((tied,) if ties else ()))


def comparisons(
    data: dict[str, Sequence[float]],
    j: int,
    ties: bool,
    z: Callable[[int], Sequence[mpf] | None] = lambda i: (mpf(1),),
    items: Sequence[Sequence[mpf]] | None = None,
) -> list[Answer]:
    """Each comparison of each person; z gives a person's covariate values, None for a person who is left out."""
    found = []
    columns = list(data.values())
    values = {0.0: 1, 1.0: 0, 2.0: -1} if ties else {0.0: 1, 1.0: -1}
    for i in range(len(columns[0])):
        of_person = z(i)
        if of_person is None:
            continue
        for k, (a, b) in enumerate(pairs_of(j)):
            code = columns[k][i]
            if code == code:
                possible = [statistics([(a, b, y)], j, of_person, ties, items) for y in values.values()]
                found.append((possible[list(values).index(code)], tuple(possible)))
    return found


def orders(
    rows: Sequence[Sequence[float]],
    possible: Iterable[Sequence[int]],
    z: Callable[[int], Sequence[mpf]],
    ties: bool,
) -> list[Answer]:
    """Whole orders of items, places from 1."""
    j = len(rows[0])
    every = list(dict.fromkeys(tuple(sign(p[a], p[b]) for a, b in pairs_of(j)) for p in possible))
    found = []
    for i, row in enumerate(rows):
        if all(r == r for r in row):
            of = [
                statistics([(a, b, y) for (a, b), y in zip(pairs_of(j), e)], j, z(i), ties, None)
                for e in every
            ]
            own = tuple(sign(row[a], row[b]) for a, b in pairs_of(j))
            found.append((of[every.index(own)], tuple(of)))
    return found


def sign(a: float, b: float) -> int:
    return int(b > a) - int(b < a)


def saturated(answers: Sequence[Answer]) -> mpf:
    """Log-likelihood of the observed shares of each set of possible answers."""
    total: dict[tuple[tuple[mpf, ...], ...], dict[tuple[mpf, ...], int]] = {}
    for own, possible in answers:
        cell = total.setdefault(possible, {})
        cell[own] = cell.get(own, 0) + 1
    return sum(
        (n * log(mpf(n) / sum(cell.values())) for cell in total.values() for n in cell.values()), start=mpf(0)
    )


def worths(log_worths: Sequence[mpf]) -> list[mpf]:
    total = sum(exp(x) for x in log_worths)
    return [exp(x) / total for x in log_worths]


def treatment(data: dict[str, Sequence[float]], name: str) -> Callable[[int], Sequence[mpf]]:
    return lambda i: (mpf(1), mpf(int(data[name][i] == 2)))


def of_case(case: Case) -> dict[str, mpf]:
    """The right numbers of a case, where they are computed here."""
    d = {k: tuple(v) for k, v in case.data.items()}
    one = {k: v for k, v in d.items() if k[0] == "V" or k in ("AB", "AC", "AD", "BC", "BD", "CD")}
    made: list[mpf]
    if case.defect == "B1-ties-as-losses":
        made = newton(comparisons(one, 4, True))[0]
    elif case.defect in ("B4-observed-categories", "B13-any-column-missing"):
        made = newton(comparisons(one, 3, case.defect[:2] == "B4"))[0]
    elif case.defect == "B5-rows-shifted" and "age" in d:
        known = lambda i: (mpf(1), mpf(d["age"][i])) if d["age"][i] == d["age"][i] else None  # noqa: E731
        made = newton(comparisons(one, 3, False, known))[0]
    elif case.defect == "B5-rows-shifted" and "a" in d:
        rows = list(zip(d["a"], d["b"], d["c"]))
        made = newton(orders(rows, permutations((1, 2, 3)), treatment(d, "S"), False))[0]
    elif case.defect == "B6-names-unread":
        made = worths([2 * x for x in [*newton(comparisons(one, 3, True))[0][:2], mpf(0)]])
    elif case.defect == "B10-covariate-not-in-elim":
        made = newton(comparisons(one, 3, False, treatment(d, "S")))[0]
    elif case.defect == "B18-observed-range":
        rows = list(zip(d["a"], d["b"], d["c"]))
        made = newton(orders(rows, product((1, 2, 3), repeat=3), lambda i: (mpf(1),), True))[0]
    elif case.defect == "B21-worths-of-groups-of-items":
        b = newton(comparisons(one, 3, True, items=[[mpf(0), mpf(1), mpf(1)]]))[0][0]
        made = worths([mpf(0), 2 * b, 2 * b])
    elif case.defect == "B23-margins-not-fixed":
        answers = comparisons(one, 3, False, treatment(d, "S"))
        beta, value = newton(answers)
        made = [2 * (by_group(one, d["S"]) - value), mpf(2), *beta]
    elif case.defect == "B24-columns-in-another-order":
        ordered = {k: one[k] for k in ("AB", "AC", "BC", "AD", "BD", "CD")}
        answers = comparisons(ordered, 4, True)
        beta, value = newton(answers)
        free = saturated(answers)
        none = newton([(own[:3], tuple(p[:3] for p in possible)) for own, possible in answers])[1]
        made = [2 * (free - value), *beta, 2 * (free - none)]
    elif case.defect == "N1-log-likelihood-beside-the-maximum":
        made = [newton(comparisons(one, 3, True))[1]]
    else:
        return {}
    return dict(zip(case.quantities, made))


def by_group(columns: dict[str, Sequence[float]], group: Sequence[float]) -> mpf:
    """Log-likelihood of the shares of each pair in each group, whatever its statistics."""
    found = mpf(0)
    for column in columns.values():
        for g in set(group):
            own = [c for c, s in zip(column, group) if s == g and c == c]
            found += sum((own.count(c) * log(mpf(own.count(c)) / len(own)) for c in set(own)), start=mpf(0))
    return found


def main() -> None:
    rows = []
    for case in cases():
        if found := of_case(case):
            values = {q: mp.nstr(v, DIGITS) for q, v in found.items()}
            rows.append({"defect": case.defect, "call": case.call, "values": values})
    OUT.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
