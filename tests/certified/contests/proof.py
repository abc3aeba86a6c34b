"""Proof of a certified document of contests from the definition of its model.

Fixed parameters: the (adjusted) score at the printed digits would move no parameter in its 49th digit; the
printed covariance inverts the observed (maximum likelihood) or expected (bias reduced) information; standard
errors, llf, deviance, df and the penalised likelihood follow.

Random effects: Gauss and Legendre's rule, which shares nothing with the lattice that made the values, gives
the same likelihood, a gradient of 0 and the same posterior means; differences of its gradient give the
covariance.  `lattice_digits` repeats the lattice with another step and another radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp, mpf

from tests.certified.contests.definition import Definition
from tests.certified.contests.laplace_proof import AtMode
from tests.certified.contests.quadrature import Values, marginal
from tests.certified.definition import matching_digits

PROOF_DIGITS = 300
#: Least digits for `verify`; the files print 50.
FLOORS = {"maximum": 48.5, "covariance": 47.0, "se": 49.0, "llf": 49.0, "deviance": 48.0, "df": 60.0}
FLOORS |= {"penalised": 49.0, "expected": 48.5, "coefficients": 49.0}
#: Nodes, radius in sigma and digits of the second program, by dimension: thorough, for covariances, and quick
#: for tests.
THOROUGH = {1: (400, 20, 38), 2: (300, 15, 36), 3: (170, 12, 34)}
OF_COVARIANCE = {1: (300, 17, 34), 2: (130, 12, 26), 3: (90, 10, 24)}
QUICK = {1: (160, 12, 22), 2: (100, 11, 22), 3: (64, 9, 22)}
#: Least digits: the files print 40.  The covariance is of differences of a gradient; quick has fewer nodes.
MIXED_FLOORS = {"maximum": 25.0, "llf": 28.0, "effects": 25.0, "covariance": 9.0, "null": 37.0, "lr": 36.0}
LAPLACE_DIGITS = 80
LAPLACE_FLOORS = {"maximum": 47.0, "effects": 48.0, "llf": 49.0, "null": 48.0, "lr": 47.0}
QUICK_FLOOR = 7.0
#: Least digits in which another lattice agrees; 40 are printed.
LATTICE_FLOOR = 38.5

Document = dict[str, Any]


def proof(document: Document, data: Document) -> dict[str, float]:
    """Digits to which each statement of the module's docstring holds for fixed parameters."""
    with mp.workdps(PROOF_DIGITS):
        # What is read in place stands in the data only.
        whole = {key: data[key] for key in ("items", "item_data") if key in data} | document
        definition, x = Definition(whole, data["rows"]), [mpf(v) for v in document["params"].values()]
        kind = document["model"]["estimator"]
        score, observed, expected = definition.score_and_information(x)
        if kind != "ml":
            score += definition.adjustment(x, kind)
        printed = mp.matrix([[mpf(v) for v in row] for row in document["cov_params"]["rows"]])
        step, inverse = printed * score, (observed if kind == "ml" else expected) ** -1
        found = {
            "maximum": min(matching_digits(s, mpf(0), max(mpf(1), abs(v))) for s, v in zip(step, x)),
            "covariance": _matrix_digits(printed, inverse),
            "se": _errors(document["bse"], printed),
        }
        if "bse_expected" in document:
            found["expected"] = _errors(document["bse_expected"], expected**-1)
        found.update(_sums(document, definition, x))
        if "penalised" in document:
            value = definition.log_likelihood(x) + mp.log(mp.det(expected)) / 2
            found["penalised"] = matching_digits(mpf(document["penalised"]), value, abs(value))
            # Mean reduction of the logit is the maximum of that: the adjustments are the same.
            gap = printed * (definition.adjustment(x, kind) - definition.adjustment(x, "jeffreys"))
            found["maximum"] = min(found["maximum"], *(matching_digits(g, mpf(0), mpf(1)) for g in gap))
        return found


def _matrix_digits(printed: mp.matrix, inverse: mp.matrix) -> float:
    size = [mp.sqrt(inverse[k, k]) for k in range(inverse.rows)]
    return min(
        matching_digits(printed[a, b], inverse[a, b], size[a] * size[b])
        for a in range(inverse.rows)
        for b in range(inverse.rows)
    )


def _errors(errors: dict[str, str], covariance: mp.matrix) -> float:
    return min(
        matching_digits(mpf(e), mp.sqrt(covariance[k, k]), mpf(e)) for k, e in enumerate(errors.values())
    )


def _sums(document: Document, definition: Definition, x: Sequence[mpf]) -> dict[str, float]:
    llf, deviance = mpf(document["llf"]), mpf(document["deviance"])
    value = definition.log_likelihood(x)
    ways = definition.log_coefficients()
    free = sum(len(definition.counts(row)) - 1 for row in definition.rows if sum(definition.counts(row)))
    found = {
        "llf": matching_digits(value, llf, abs(llf)),
        "deviance": matching_digits(2 * (definition.saturated() - value), deviance, max(deviance, mpf(1))),
        "coefficients": matching_digits(mpf(document["log_coefficients"]), ways, max(ways, mpf(1))),
    }
    return {**found, "df": 60.0 if free - len(x) == document["df_resid"] else 0.0}


def mixed_proof(document: Document, thorough: bool) -> dict[str, float]:
    """Digits to which the statements hold for random effects; covariance only if `thorough`."""
    n, radius, digits = (THOROUGH if thorough else QUICK)[len(document["items"]) - 1]
    with mp.workdps(digits + 10):
        rows = document["rows"]
        x = [*(mpf(v) for v in document["params"].values()), mp.log(mpf(document["sigma"]))]
        here = marginal(document, rows, x, n, mpf(radius), digits)
        printed = mp.matrix([[mpf(v) for v in row] for row in document["cov_params"]["rows"]])
        step = printed * mp.matrix(here.gradient)
        llf, effects = mpf(document["llf"]), [mpf(v) for v in document["effects"].values()]
        found = {
            "maximum": min(matching_digits(s, mpf(0), max(mpf(1), abs(v))) for s, v in zip(step, x)),
            "llf": matching_digits(here.value, llf, abs(llf)),
            "effects": min(matching_digits(a, b, mpf(1)) for a, b in zip(here.effects, effects)),
        }
        if thorough:
            found["covariance"] = _matrix_digits(printed, curvature(document, x) ** -1)
    return {**found, **_boundary(document)}


def curvature(document: Document, x: Sequence[mpf]) -> mp.matrix:
    """Minus the second derivatives: differences of the gradient at six points a parameter."""
    n, radius, digits = OF_COVARIANCE[len(document["items"]) - 1]
    k, h = len(x), mpf("2e-3")
    found = mp.zeros(k, k)

    def slope(b: int, times: int) -> Values:
        moved = [v + times * h * (a == b) for a, v in enumerate(x)]
        return marginal(document, document["rows"], moved, n, mpf(radius), digits)

    for b in range(k):
        # Central differences of order 6: the next term is h^6 f^(7) / 140.
        for times, share in ((1, mpf(3) / 4), (2, -mpf(3) / 20), (3, mpf(1) / 60)):
            up, down = slope(b, times).gradient, slope(b, -times).gradient
            for a in range(k):
                found[a, b] -= share * (up[a] - down[a]) / h
    return (found + found.T) / 2


def laplace_proof(document: Document, data: Document) -> dict[str, float]:
    """Digits to which Laplace's approximation has its maximum, modes and value at the printed numbers."""
    with mp.workdps(LAPLACE_DIGITS):
        whole = {key: data[key] for key in ("items", "item_data", "rows") if key in data} | document
        here = AtMode(whole, whole["rows"])
        llf = mpf(document["llf"])
        slope = mp.matrix(here.gradient())
        if "cov_params" in document:
            slope = mp.matrix([[mpf(v) for v in row] for row in document["cov_params"]["rows"]]) * slope
        found = {
            "maximum": min(matching_digits(s, mpf(0), mpf(1)) for s in slope),
            "effects": min(matching_digits(g, mpf(0), mpf(1)) for g in here.mode_gradient()),
            "llf": matching_digits(here.value(), llf, abs(llf)),
        }
        return {**found, **_boundary(whole)}


def _boundary(document: Document) -> dict[str, float]:
    """The fit without random effects, by the definition; the test of sigma = 0 from the printed numbers."""
    with mp.workdps(PROOF_DIGITS):
        null = document["null"]
        plain = {**document, "params": null["params"]}
        definition, x = Definition(plain, document["rows"]), [mpf(v) for v in null["params"].values()]
        score, observed, _ = definition.score_and_information(x)
        step, llf = mp.lu_solve(observed, score), mpf(null["llf"])
        at = min(matching_digits(s, mpf(0), max(mpf(1), abs(v))) for s, v in zip(step, x))
        value = matching_digits(definition.log_likelihood(x), llf, abs(llf))
        lr, p = 2 * (mpf(document["llf"]) - llf), mpf(document["p"])
        by_normal = mp.ncdf(-mp.sqrt(mpf(document["lr"])))
        same = min(matching_digits(mpf(document["lr"]), lr, lr), matching_digits(p, by_normal, p))
        return {"null": min(at, value), "lr": same}


def lattice_digits(document: Document, data: Document, model: Any) -> float:
    """Digits in which the lattice with another step and another radius repeats llf, effects and maximum."""
    from tests.certified.contests import mixed
    from tests.certified.contests.designs import design

    rows, names = mixed.lattice_rows(design(data, model), data, model)
    size = len(data["items"])
    x = [*(mpf(v) for v in document["params"].values()), mp.log(mpf(document["sigma"]))]
    here = mixed.at(rows, len(names) // size, size, x, mixed.OTHER_GRID)
    printed = mp.matrix([[mpf(v) for v in row] for row in document["cov_params"]["rows"]])
    step, llf = printed * here.gradient, mpf(document["llf"])
    return min(
        matching_digits(here.value, llf, abs(llf)),
        _matrix_digits(printed, (-here.hessian) ** -1),
        *(matching_digits(s, mpf(0), max(mpf(1), abs(v))) for s, v in zip(step, x)),
        *(matching_digits(e, mpf(document["effects"][n]), mpf(1)) for e, n in zip(here.effects, names)),
    )


def verify(document: Document, data: Document, thorough: bool = True) -> str:
    """The proof in words; raises ArithmeticError naming what falls short of its floor."""
    if document["model"]["method"] == "laplace":
        digits, floors = laplace_proof(document, data), LAPLACE_FLOORS
    elif document["model"]["random"]:
        digits = mixed_proof(document, thorough)
        floors = MIXED_FLOORS if thorough else {k: min(v, QUICK_FLOOR) for k, v in MIXED_FLOORS.items()}
    else:
        digits, floors = proof(document, data), FLOORS
    short = {name: found for name, found in digits.items() if found < floors[name]}
    if short:
        raise ArithmeticError(f"{document['id']}: digits {short}, floors {floors}")
    return ", ".join(f"{name} {found:.1f}" for name, found in digits.items())
