"""`accept` in a claims file: the explanations that a person agreed with, by code.

An entry is a code of :mod:`pairproof.validation.verdicts.codes`, the name of a slip or several joined by "+",
or the name of one of the claim's own readings.  Files written before there were codes could name the text of
an explanation up to its first colon; `OLD_WORDINGS` turns those into codes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from ...errors import InputError
from ...text import quoted
from .agreement import ACCEPTABLE, Agreement, Verdict
from .codes import CODES, ONLY_DIFFERENT, accepts

#: Verdicts that a person gives to a statement that has no test; `accept` holds one of them.
STATED = ("agrees", "not-checkable", "false", "misleading", "erratum")

#: Old wordings (an explanation up to its first colon, as a regular expression) and the code of each.
OLD_WORDINGS: tuple[tuple[str, str], ...] = (
    ("R's own error", "r-error"),
    ("lost", "not-returned"),
    ("native did not run", "native-not-run"),
    ("the test did not run", "test-not-run"),
    ("(stats|gnm|prefmod|BradleyTerry2|psychotools|MASS)", "r-not-run"),
    (".+ did not run", "computation-not-run"),
    ("no R call of .+ answers this model", "no-r-model"),
    ("stated, not computed", "stated"),
    ("the outcomes are not at hand", "no-outcomes"),
    ("only R was to be asked, and no R call that ran has it", "r-not-run"),
    ("its counts (are|stand) .+", "no-counts"),
    ("(estimate|contrast)[._].+ / (se|contrast_se)\\..+", "arithmetic"),
    ("from (z|contrast_z)\\..+, or .+", "arithmetic"),
    ("estimate\\..+ [-+] (1\\.96 se|estimate)\\..+", "arithmetic"),
    ("exp\\(estimate\\..+\\)|exp of the log worth difference of .+", "arithmetic"),
    ("from (the estimates|deviance and df_resid|lr\\..+ and lr_df\\..+)", "arithmetic"),
    ("between the difference and the sum of .+", "arithmetic"),
    ("not above the null deviance|df_null less the printed parameters", "arithmetic"),
    ("no more than pairs x free outcomes - parameters", "arithmetic"),
    ("AIC - deviance \\+ 2 df is .+|the sum of all is .+", "arithmetic"),
    ("difference of the printed values of both models", "arithmetic"),
    ("at a maximum every expected total is .+", "win-totals"),
    ("with the digits printed a total is known to .+", "win-totals"),
    # Wordings that only say that a number differs: see `ONLY_DIFFERENT`.
    ("computed .+", "other-value"),
    ("the sign is the other", "other-sign"),
    ("printed .+ above .+, computed .+", "other-order"),
    ("printed as (not )?significant at .+", "other-significance"),
    ("the mark .+ does not belong to .+", "significance-mark"),
    ("native and .+ agree to .+", "few-digits"),
)
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\+[a-z0-9]+(-[a-z0-9]+)*)*")


def accepted_code(entry: str, readings: Collection[str] = ()) -> str:
    """The code that one entry of `accept` stands for.

        Parameters
        ----------
        entry : str
        readings : collection of str
            Names of the claim's own readings; each is a code for that claim, whatever it looks like.

        Returns
        -------
        str
            The entry itself, or the code that took the place of an old wording.

        Raises
        ------
        InputError
            The entry is neither a code nor an old wording (a misspelt code, say), or it says that numbers differ
            without giving a reason.  The message says what to write.

        Examples
        --------
        >>> accepted_code("pair-order"), accepted_code("R's own error")
        ('pair-order', 'r-error')
        >>> accepted_code("computed 0.4472136")
        Traceback (most recent call last):
        pairproof.errors.InputError: accept names 'computed 0.4472136' (code "other-value"), which says that \
    numbers differ but not why; give the claim a [[claim.reading]] that reproduces them and accept its name
        
    """
    if entry in readings or entry in STATED:
        return entry
    code = entry if _CODE.fullmatch(entry) else ""
    if entry not in CODES:
        code = next((new for old, new in OLD_WORDINGS if re.fullmatch(old, entry)), code)
    if code in ONLY_DIFFERENT:
        raise InputError(
            f'accept names {quoted(entry)} (code "{code}"), which says that numbers differ but not why; give'
            " the claim a [[claim.reading]] that reproduces them and accept its name"
        )
    known = {*CODES, *_slips(), *readings}
    unknown = [part for part in code.split("+") if part not in known] if code else [entry.lower()]
    near = [n for part in unknown for n in difflib.get_close_matches(part, known, 1, 0.85)]
    if code and not near:
        return code
    meant = f"; did you mean {', '.join(map(quoted, near))}?" if near else ""
    raise InputError(
        f'accept names {quoted(entry)}, which is not the code of an explanation; write the "code" of the row'
        f" in the report's JSON{meant or ', such as ' + quoted('pair-order')}"
    )


def accepted(row: Agreement, accept: Sequence[str]) -> Agreement:
    """The row, marked as accepted if it has a verdict that can be accepted and `accept` holds its code."""
    return replace(row, accepted=is_accepted(row.verdict, row.code, accept))


def is_accepted(verdict: Verdict, code: str, accept: Sequence[str]) -> bool:
    """Whether a person who accepts these codes has agreed to a row with this verdict and code."""
    return verdict in ACCEPTABLE and accepts(accept, code)


def _slips() -> Collection[str]:
    from ..slips.catalogue import families

    return families()
