"""Ranking systems with as few comparisons as possible: merge insertion (Ford and Johnson 1959; Knuth vol. 3,
5.3.1).

Vilar, Leusch and Ney (2007, section 3.2) rank n systems in this way, because each comparison of two systems
takes the judges a day.

1. Compare floor(n/2) pairs in the order of the list (1st with 2nd, 3rd with 4th, ...); if n is odd the last
   system is left out.
2. Sort the better ones in the same way: a_1 < a_2 < ...; b_i is the partner of a_i, below it.
3. b_1 < a_1 < a_2 < ... is the main chain.  Insert the others in the order b_3 b_2, b_5 b_4, b_11 ... b_6,
   ..., whose groups begin at t_k = (2^(k+1) + (-1)^k) / 3 = 3, 5, 11, 21, ... and go down, each by binary
   search below its a_i, probing the lower middle.

At most sum over k = 1..n of ceil(log2(3k/4)) comparisons are needed: 0 1 3 5 7 10 13 16 19 22 26 30 34 for
n = 1..13.

A :class:`Plan` is the list of systems and the answers so far; the next comparison follows from them, so a
saved plan continues where it was.  No comparison is asked for whose result follows from earlier ones.
Answers therefore cannot contradict each other, and a wrong answer is not noticed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Union, get_args

from ....data.options import one_of
from ....errors import InputError, ItemError

Answer = Literal["first", "second", "tie"]
TieRule = Literal["refuse", "listed"]
_WORDS: dict[str, Answer] = {"first": "first", "second": "second", "tie": "tie"}
Question = tuple[str, str]
#: Yields questions, is sent whether the first one is better, returns the order, worst first.
Steps = Generator[Question, bool, list[str]]

FORMAT = 1


def worst_case(n: int) -> int:
    """The most comparisons that merge insertion asks for: sum over k = 1..n of ceil(log2(3k/4)).
    Ford and Johnson (1959); Knuth, The Art of Computer Programming, vol. 3, 5.3.1.  n: systems, >= 0."""
    # ceil(log2(3k/4)) is the smallest c with 2**c * 4 >= 3k; for k = 1 it is 0.
    return sum(max(0, (3 * k - 1).bit_length() - 2) for k in range(1, n + 1))


@dataclass(frozen=True)
class Plan:
    """A ranking under way: the systems and the answers so far, from which the next question follows.
    answers: (first, second, "first" | "second" | "tie") in the order in which they were asked.  tie_rule:
    what a tie means: not accepted, or the one that stands earlier in `systems` counts as better."""

    systems: tuple[str, ...]
    answers: tuple[tuple[str, str, Answer], ...] = ()
    tie_rule: TieRule = "refuse"

    def __post_init__(self) -> None:
        _check_systems(self.systems)
        one_of("tie_rule", self.tie_rule, get_args(TieRule))
        self._state()

    def _state(self) -> Question | _Settled:
        """The next question, or the settled order: the algorithm run again with the answers so far."""
        steps = _sort(self.systems)
        state = _advance(steps, None)
        for number, (a, b, answer) in enumerate(self.answers, 1):
            if isinstance(state, _Settled):
                given = f"{len(self.answers)} answers"
                raise InputError(f"{given}, but the ranking was settled after {number - 1}")
            if (a, b) != state:
                raise InputError(
                    f"answer {number} is about {a!r} and {b!r}, but the question was {state[0]!r} or"
                    f" {state[1]!r}; answers must be those to this list of systems, in the order in which"
                    " they were asked"
                )
            state = _advance(steps, self._first_is_better(a, b, answer))
        return state

    def _first_is_better(self, a: str, b: str, answer: str) -> bool:
        one_of("answer", answer, get_args(Answer))
        if answer == "tie":
            if self.tie_rule == "refuse":
                raise InputError(
                    f"{a!r} and {b!r} tie, but a ranking needs one above the other; ask more judges, or"
                    " choose tie_rule='listed' (the one that stands earlier in the list counts as better)"
                )
            return self.systems.index(a) < self.systems.index(b)
        return answer == "first"

    @property
    def next(self) -> Question | None:
        """The pair to compare next, None when the ranking is settled."""
        state = self._state()
        return None if isinstance(state, _Settled) else state

    @property
    def ranking(self) -> tuple[str, ...] | None:
        """Best first; None as long as something is to be asked."""
        state = self._state()
        return state.best_first if isinstance(state, _Settled) else None

    @property
    def asked(self) -> int:
        """Comparisons that were made."""
        return len(self.answers)

    @property
    def at_most(self) -> int:
        """Comparisons in the worst case, those already asked included."""
        return worst_case(len(self.systems))

    @property
    def ties(self) -> tuple[Question, ...]:
        """Pairs that tied and were decided by the rule."""
        return tuple((a, b) for a, b, answer in self.answers if answer == "tie")

    def answer(self, answer: Union[Answer, str]) -> Plan:
        """The plan with one more answer: "first", "second", "tie", or the name of the better system."""
        question = self.next
        if question is None:
            settled = f"the ranking is settled after {self.asked} comparisons"
            raise InputError(f"{settled}; nothing is left to answer")
        return replace(self, answers=(*self.answers, (*question, _as_answer(question, answer))))

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `rank-by-comparing`."""
        question, ranking = (found and list(found) for found in (self.next, self.ranking))
        return {"next": question, "asked": self.asked, "at_most": self.at_most, "ranking": ranking}

    def to_json(self) -> str:
        """All that is needed to go on later; see :meth:`from_json`."""
        kind = {"pairproof": "merge-insertion", "format": FORMAT}
        plan = {"systems": self.systems, "tie_rule": self.tie_rule, "answers": self.answers}
        return json.dumps({**kind, **plan}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """A plan saved by :meth:`to_json`."""
        try:
            saved = json.loads(text)
            if saved["pairproof"] != "merge-insertion" or saved["format"] != FORMAT:
                raise ValueError(f"found {saved['pairproof']!r}, format {saved['format']!r}")
            systems, answers = tuple(saved["systems"]), tuple((a, b, c) for a, b, c in saved["answers"])
            rule = saved["tie_rule"]
        except (ValueError, KeyError, TypeError) as trouble:
            raise InputError(
                f"not a saved ranking (format {FORMAT}): {type(trouble).__name__} {trouble}; start again, or"
                " name the right file"
            ) from trouble
        return cls(systems, answers, rule)


def _as_answer(question: Question, answer: str) -> Answer:
    """The name of one of the two as "first" or "second"."""
    meant: dict[str, Answer] = {question[0]: "first", question[1]: "second", **_WORDS}
    if answer in meant:
        return meant[answer]
    raise InputError(
        f"answer {answer!r} to {question[0]!r} or {question[1]!r}; expected one of the two, 'first', 'second'"
        " or 'tie'"
    )


@dataclass(frozen=True)
class _Settled:
    best_first: tuple[str, ...]


def _advance(steps: Steps, first_is_better: bool | None) -> Question | _Settled:
    """The next question after an answer (None: the first question)."""
    try:
        return next(steps) if first_is_better is None else steps.send(first_is_better)
    except StopIteration as done:
        return _Settled(tuple(reversed(done.value)))


def rank_by_merge_insertion(
    systems: Sequence[str], compare: Callable[[str, str], Union[Answer, str]], tie_rule: TieRule = "refuse"
) -> Plan:
    """Rank by asking `compare(a, b)` as often as merge insertion needs (Ford and Johnson 1959).

    Parameters
    ----------
    systems : sequence of str
        Different names.
    compare : function of two names
        Returns the better one's name, or "first", "second" or "tie".
    tie_rule : {"refuse", "listed"}
        What a tie means: an error, or the one that stands earlier in `systems` counts as better.

    Returns
    -------
    Plan
        Settled; `.ranking` is best first, `.answers` what was asked.

    Raises
    ------
    InputError
        An answer that is not valid, or a tie where the rule refuses it.
    ItemError
        No systems, a name twice, or one that cannot be distinguished from an answer.

    Examples
    --------
    >>> import pairproof
    >>> plan = pairproof.rank_by_merge_insertion(["b", "d", "a", "c"], lambda x, y: min(x, y))
    >>> plan.ranking, plan.asked
    (('a', 'b', 'c', 'd'), 5)
    """
    plan = Plan(tuple(systems), (), tie_rule)
    steps, answers = _sort(plan.systems), list[tuple[str, str, Answer]]()
    state = _advance(steps, None)
    while not isinstance(state, _Settled):
        answers.append((*state, _as_answer(state, compare(*state))))
        state = _advance(steps, plan._first_is_better(*answers[-1]))
    return replace(plan, answers=tuple(answers))


def _sort(items: Sequence[str]) -> Steps:
    """Merge insertion of distinct names."""
    n = len(items)
    if n < 2:
        return list(items)
    partner: dict[str, str] = {}
    for a, b in zip(items[0::2], items[1::2]):
        first = yield a, b
        partner[a if first else b] = b if first else a
    upper = yield from _sort(list(partner))
    lower = [partner[a] for a in upper] + ([items[-1]] if n % 2 else [])
    chain = [lower[0], *upper]
    for k in _insertion_order(len(lower)):
        # What stands below a_k; the odd one out has no partner, so it is looked for in the whole chain.
        high = chain.index(upper[k]) if k < len(upper) else len(chain)
        low = 0
        while low < high:
            middle = (low + high - 1) // 2
            if (yield lower[k], chain[middle]):
                low = middle + 1
            else:
                high = middle
        chain.insert(low, lower[k])
    return chain


def _insertion_order(n: int) -> list[int]:
    """Positions (from 0) of b_2..b_n in the order of insertion: 2 1, 4 3, 10 ... 5, ..."""
    order: list[int] = []
    k, done = 2, 1
    while done < n:
        t = (2 ** (k + 1) + (-1) ** k) // 3
        order += range(min(t, n) - 1, done - 1, -1)
        k, done = k + 1, t
    return order


def _check_systems(systems: Sequence[str]) -> None:
    for name in systems:
        if not isinstance(name, str) or not name.strip():
            raise ItemError(f"system {name!r} is not a non-empty name")
    if len(set(systems)) != len(systems):
        twice = sorted({s for s in systems if list(systems).count(s) > 1})
        raise ItemError(f"systems named more than once: {', '.join(twice)}")
    clash = sorted({"first", "second", "tie"} & set(systems))
    if clash:
        raise ItemError(
            f"system {', '.join(map(repr, clash))} cannot be distinguished from an answer; rename it"
        )
    if not systems:
        raise ItemError("no systems to rank")
