"""Independent proof of a certified document: only its text and the definition of the probabilities are used.

Nothing here shares a line with the Newton code: abilities are looked up by the reported names, on the
reported scale, row by row; probabilities are ratios of worths; derivatives are numerical.  `verify` shows
that the gradient at the printed digits would move no parameter in its 47th digit, that the printed covariance
is the inverse of the numerical second derivatives, and that llf, deviance and df follow from the definitions.
"""

from __future__ import annotations

from typing import Any

from mpmath import mp, mpf

#: Working precision of the proof and step of the differences: truncation 1e-80, rounding 1e-150 / 1e-80.
PROOF_DIGITS, STEP = 160, "1e-40"

Values = dict[str, mpf]


def _per_row(params: Values, stem: str, row: dict[str, Any]) -> mpf:
    """stem + stem:judge[3] + stem:age * age, whatever of these is reported."""
    total = params.get(stem, mpf(0))
    for column, value in row.items():
        total += params.get(f"{stem}:{column}[{value}]", mpf(0))
        if f"{stem}:{column}" in params:
            total += params[f"{stem}:{column}"] * value
    return total


def worth_of(document: dict[str, Any], params: Values, item: str, row: dict[str, Any]) -> mpf:
    """Worth of an item in a row: e to the log-odds ability."""
    model = document["model"]
    if model["item_covariates"]:
        value = mp.fsum(params[name] * document["item_data"][name][item] for name in model["item_covariates"])
    else:
        value = _per_row(params, item, row)
    return mp.exp(2 * value if model["scale"] == "lambda" else value)


def chances(document: dict[str, Any], params: Values, row: dict[str, Any]) -> tuple[mpf, mpf | None, mpf]:
    """P(first), P(tie) or None, P(second) in a row."""
    model = document["model"]
    one, two = (worth_of(document, params, row[side], row) for side in ("first", "second"))
    if model["order_effect"] and row.get("order", 1):
        one *= mp.exp(params["order"])
    ties = model["ties"]
    if ties == "rao-kupper":
        theta = mp.exp(_per_row(params, "tie", row))
        win, loss = one / (one + theta * two), two / (two + theta * one)
        return win, 1 - win - loss, loss
    if not model["tie_category"] or ties in ("half", "drop"):
        return one / (one + two), None, two / (one + two)
    if "tie" in document["not_estimable"]:
        nu = mpf(0)
    else:
        nu = mpf(1) if ties == "none" else mp.exp(_per_row(params, "tie", row))
    both = nu * mp.sqrt(one * two)
    return one / (one + two + both), both / (one + two + both), two / (one + two + both)


def counts(document: dict[str, Any], row: dict[str, Any]) -> tuple[mpf, mpf, mpf]:
    """Wins, ties, losses of a row under the model's tie rule."""
    tied = mpf(row.get("ties", 0))
    if document["model"]["ties"] == "half":
        return row["wins"] + tied / 2, mpf(0), row["losses"] + tied / 2
    if document["model"]["ties"] == "drop":
        return mpf(row["wins"]), mpf(0), mpf(row["losses"])
    return mpf(row["wins"]), tied, mpf(row["losses"])


def log_likelihood(document: dict[str, Any], params: Values) -> mpf:
    """Sum over rows of count x log probability."""
    return mp.fsum(
        n * mp.log(p)
        for row in document["data"]
        for n, p in zip(counts(document, row), chances(document, params, row))
        if n and p is not None
    )


def deviance_and_df(document: dict[str, Any], params: Values) -> tuple[mpf, int]:
    """Deviance against one free multinomial a cell, cells collected anew from the rows."""
    model = document["model"]
    covariates = {part.replace("tie:", "") for part in (model["by"] or "").split(" + ") if part}
    if model["cells"] not in (None, "row"):
        covariates.add(model["cells"])
    table: dict[Any, list[mpf]] = {}
    fitted: dict[Any, tuple[mpf, mpf | None, mpf]] = {}
    for k, row in enumerate(document["data"]):
        swap = row["first"] > row["second"]  # items are in code-point order
        y, p = counts(document, row), chances(document, params, row)
        if swap:
            y, p = (y[2], y[1], y[0]), (p[2], p[1], p[0])
        pair = tuple(sorted((row["first"], row["second"])))
        side = (row.get("order", 1) * (-1 if swap else 1)) if model["order_effect"] else None
        key = (pair, side, *(row[c] for c in sorted(covariates)), k if model["cells"] == "row" else None)
        table[key] = [a + b for a, b in zip(table.get(key, [mpf(0)] * 3), y)]
        fitted[key] = p
    deviance, contrasts = mpf(0), 0
    for key, totals in table.items():
        n = mp.fsum(totals)
        if n:
            contrasts += 1 if fitted[key][1] is None else 2
            deviance += 2 * mp.fsum(a * mp.log(a / (n * q)) for a, q in zip(totals, fitted[key]) if a)
    return deviance, contrasts - document["n_params"] - len(document["not_estimable"])


def _shifted(params: Values, *moves: tuple[str, mpf]) -> Values:
    moved = dict(params)
    for name, by in moves:
        moved[name] += by
    return moved


def numerical_gradient(document: dict[str, Any], params: Values) -> mp.matrix:
    """Central differences of the log-likelihood."""
    h = mpf(STEP)

    def value(*moves: tuple[str, mpf]) -> mpf:
        return log_likelihood(document, _shifted(params, *moves))

    return mp.matrix([(value((name, h)) - value((name, -h))) / (2 * h) for name in params])


def numerical_information(document: dict[str, Any], params: Values) -> mp.matrix:
    """Minus the second central differences of the log-likelihood."""
    h, names = mpf(STEP), list(params)

    def value(*moves: tuple[str, mpf]) -> mpf:
        return log_likelihood(document, _shifted(params, *moves))

    middle, out = value(), mp.zeros(len(names), len(names))
    for a, one in enumerate(names):
        out[a, a] = (2 * middle - value((one, h)) - value((one, -h))) / h**2
        for b, two in enumerate(names[:a]):
            same = value((one, h), (two, h)) + value((one, -h), (two, -h))
            opposite = value((one, h), (two, -h)) + value((one, -h), (two, h))
            out[a, b] = out[b, a] = (opposite - same) / (4 * h**2)
    return out


def matching_digits(value: mpf, other: mpf, size: mpf) -> float:
    """Decimal digits in which two numbers agree, relative to `size`; 60 if they are closer than that."""
    gap = abs(value - other) / size if size else abs(value - other)
    return 60.0 if gap < mpf("1e-60") else float(-mp.log10(gap))


def _matrix_digits(found: mp.matrix, expected: mp.matrix) -> float:
    """Least agreement of two square matrices, entry i, j relative to sqrt(expected_ii expected_jj)."""
    size = [mp.sqrt(expected[a, a]) for a in range(expected.rows)]
    return min(
        matching_digits(found[a, b], expected[a, b], size[a] * size[b])
        for a in range(expected.rows)
        for b in range(expected.rows)
    )


def proof(document: dict[str, Any], second_derivatives: bool = True) -> dict[str, float]:
    """Digits to which each statement of the module docstring holds (the least over all entries).

    Returns
    -------
    dict
        `maximum`: the Newton step from the printed parameters, against the larger of 1 and the parameter;
        `covariance`: H V H against H and V H V against V (V from the file, H numerical; with sum-to-zero H is
        singular), entry i, j relative to sqrt(M_ii M_jj);
        `llf`, `deviance`: recomputed against printed (absolute where it is 0); `df`: 60 if equal, else 0.
    """
    with mp.workdps(PROOF_DIGITS):
        params = {name: mpf(value) for name, value in document["params"].items()}
        rows = document["cov_params"]["rows"]
        v = mp.matrix([[mpf(value) for value in row] for row in rows])
        step = v * numerical_gradient(document, params)
        size = [max(mpf(1), abs(value)) for value in params.values()]
        digits = {"maximum": min(matching_digits(step[k], mpf(0), size[k]) for k in range(len(size)))}
        if second_derivatives:
            h = numerical_information(document, params)
            digits["covariance"] = min(_matrix_digits(h * v * h, h), _matrix_digits(v * h * v, v))
        deviance, df = deviance_and_df(document, params)
        llf, printed = mpf(document["llf"]), mpf(document["deviance"])
        digits["llf"] = matching_digits(log_likelihood(document, params), llf, abs(llf))
        digits["deviance"] = matching_digits(deviance, printed, max(printed, mpf(1)))
        digits["df"] = 60.0 if df == document["df_resid"] else 0.0
        return digits


#: Least digits for `verify`: the files print 50, and rounding each parameter moves the sums by a few units of
#: the last. Observed least over all files: 49.4, 47.9 (sums over the condition of H enter), 49.4, 49.3,
#: equal.
FLOORS = {"maximum": 49.0, "covariance": 47.5, "llf": 49.0, "deviance": 49.0, "df": 60.0}


def verify(document: dict[str, Any], second_derivatives: bool = True) -> str:
    """`proof` in words; raises ArithmeticError naming what falls short of its floor."""
    digits = proof(document, second_derivatives)
    short = {name: found for name, found in digits.items() if found < FLOORS[name]}
    if short:
        raise ArithmeticError(f"{document['id']}: digits {short}, floors {FLOORS}")
    return ", ".join(f"{name} {found:.1f}" for name, found in digits.items())
