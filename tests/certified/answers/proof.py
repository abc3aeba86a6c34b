"""Proof of a certified document from the definition of its model, by differences at 160 digits.

`verify` shows that the gradient at the printed digits would move no parameter in its 49th digit, that the
printed covariance is the inverse of the second differences of the log-likelihood, that the standard errors
are its roots, and that llf, deviance, df and the shares of classes follow from the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp, mpf

from tests.certified.answers.definition import Definition, Row
from tests.certified.definition import matching_digits

#: Working precision of the proof and step of the differences: truncation 1e-80, rounding 1e-150 / 1e-80.
PROOF_DIGITS, STEP = 160, "1e-40"
#: Least digits for `verify`: the files print 50, and rounding each parameter moves the sums by a few units of
#: the last. Observed least over all files: 49.3, 48.8, 49.3, 49.5, 48.2 (issp2000-4, a difference), equal.
FLOORS = {"maximum": 48.5, "covariance": 47.0, "se": 49.0, "llf": 49.0, "deviance": 48.0, "df": 60.0}

LogLikelihood = Callable[[Sequence[mpf]], mpf]


def _function(document: dict[str, Any], rows: Sequence[Row]) -> tuple[LogLikelihood, list[mpf], Definition]:
    """The log-likelihood of all free parameters, the printed values, and the definition they belong to."""
    definition, names = Definition(document, rows), list(document["params"])
    start = [mpf(v) for v in document["params"].values()]
    shares = [mpf(v) for v in document.get("shares", ())]
    # The last share is what the others leave.
    start += shares[:-1]

    def value(x: Sequence[mpf]) -> mpf:
        free = list(x[len(names) :])
        return definition.log_likelihood(dict(zip(names, x)), [*free, 1 - mp.fsum(free)] if shares else ())

    return value, start, definition


def _moved(x: Sequence[mpf], *moves: tuple[int, mpf]) -> list[mpf]:
    found = list(x)
    for k, step in moves:
        found[k] += step
    return found


def gradient(value: LogLikelihood, x: Sequence[mpf]) -> mp.matrix:
    """Central differences."""
    h = mpf(STEP)
    return mp.matrix(
        [(value(_moved(x, (k, h))) - value(_moved(x, (k, -h)))) / (2 * h) for k in range(len(x))]
    )


def information(value: LogLikelihood, x: Sequence[mpf]) -> mp.matrix:
    """Minus the second central differences."""
    h, middle, found = mpf(STEP), value(x), mp.zeros(len(x), len(x))
    one = [(value(_moved(x, (k, h))), value(_moved(x, (k, -h)))) for k in range(len(x))]
    for a in range(len(x)):
        found[a, a] = (2 * middle - one[a][0] - one[a][1]) / h**2
        for b in range(a):
            both = value(_moved(x, (a, h), (b, h))) + value(_moved(x, (a, -h), (b, -h)))
            found[a, b] = found[b, a] = -(both - sum(one[a]) - sum(one[b]) + 2 * middle) / (2 * h**2)
    return found


def proof(document: dict[str, Any], rows: Sequence[Row], second_derivatives: bool = True) -> dict[str, float]:
    """Digits to which each statement of the module's docstring holds, the least over all entries."""
    with mp.workdps(PROOF_DIGITS):
        value, x, definition = _function(document, rows)
        printed = mp.matrix([[mpf(v) for v in row] for row in document["cov_params"]["rows"]])
        own = printed.rows
        slope = gradient(value, x)
        # A Newton step from the printed values; shares are moved by a step of their own size.
        step = printed * slope[:own, 0]
        size = [max(mpf(1), abs(v)) for v in x]
        at = [matching_digits(step[k], mpf(0), size[k]) for k in range(own)]
        at += [
            matching_digits(slope[k] * mpf(e) ** 2, mpf(0), mpf(1)) for k, e in _share_errors(document, own)
        ]
        found = {"maximum": min(at)}
        if second_derivatives:
            inverse = information(value, x) ** -1
            found["covariance"] = min(
                matching_digits(printed[a, b], inverse[a, b], mp.sqrt(inverse[a, a] * inverse[b, b]))
                for a in range(own)
                for b in range(own)
            )
            of_shares = [
                matching_digits(mpf(e), mp.sqrt(inverse[k, k]), mpf(e))
                for k, e in _share_errors(document, own)
            ]
            found["covariance"] = min([found["covariance"], *of_shares])
        errors = [mpf(v) for v in document["bse"].values()]
        found["se"] = min(matching_digits(e, mp.sqrt(printed[k, k]), e) for k, e in enumerate(errors))
        llf = mpf(document["llf"])
        found["llf"] = matching_digits(value(x), llf, abs(llf))
        full, free = definition.saturated()
        deviance = mpf(document["deviance"])
        found["deviance"] = matching_digits(2 * (full - llf), deviance, max(deviance, mpf(1)))
        found["df"] = 60.0 if free - document["n_params"] == document["df_resid"] else 0.0
        return found


def _share_errors(document: dict[str, Any], own: int) -> list[tuple[int, str]]:
    """Position and printed standard error of each free share."""
    return [(own + k, e) for k, e in enumerate(document.get("share_errors", ())[:-1])]


def verify(document: dict[str, Any], rows: Sequence[Row], second_derivatives: bool = True) -> str:
    """`proof` in words; raises ArithmeticError naming what falls short of its floor."""
    digits = proof(document, rows, second_derivatives)
    short = {name: found for name, found in digits.items() if found < FLOORS[name]}
    if short:
        raise ArithmeticError(f"{document['id']}: digits {short}, floors {FLOORS}")
    return ", ".join(f"{name} {found:.1f}" for name, found in digits.items())
