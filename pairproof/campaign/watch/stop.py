"""Whether a campaign may stop, by a rule that stays valid although one looks all the time.

The rules are those of :mod:`pairproof.native.annotation.stopping.stopping_rules` (confidence sequences, Robbins 1970)
on the scores that count. Scores are corrected for the annotators' locations where annotators share items, since
an annotator's shift would pass for a difference of items. Every look is recorded in the campaign, with what it
said; nothing else changes.

A group-sequential rule is looked at once for each of its planned steps. Between two steps the last look is
repeated, so that looking more often does not make it say more.

The grammar of stopping rules.

::

    items<=W                        every item's interval has a half-width of W or less
    top K within D                  the K best items differ from the rest, or are not worse by more than D
    systems<=W                      every difference of systems has a half-width of W or less
    ranking [within D]              every difference of systems excludes 0, or lies within D of it
    top K systems [within D]        the K best systems differ from the rest

Numbers are on the scale from 0 to 1. A rule and its numbers are to be fixed before the data are seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import FloatArray
from ...native.annotation.scores import stopping_rules as rules
from ...native.annotation.scores.annotator_agreement import shrunken_locations
from ...native.annotation.scores.mixed_model import not_joined
from ..storage.records import Items, about, items_of
from ..storage.rules import Look as Recorded, looks_of, write_look
from .scores import Answers, Campaign, answers_of, known, own_scores, reading

if TYPE_CHECKING:
    import pandas as pd


Goal = Literal["short", "top", "ranking"]
Unit = Literal["items", "systems"]
_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_WITHIN = rf"(?:\s+within\s+(?P<within>{_NUMBER}))?"
_FORMS: tuple[tuple[re.Pattern[str], Goal], ...] = (
    (re.compile(rf"(?P<unit>items|systems)\s*<=\s*(?P<width>{_NUMBER})"), "short"),
    (re.compile(rf"top\s+(?P<top>\d+)(?:\s+(?P<unit>items|systems))?{_WITHIN}"), "top"),
    (re.compile(rf"ranking{_WITHIN}"), "ranking"),
)
EXAMPLES = "'items<=.12', 'top 5 within .1', 'systems<=.05', 'ranking within .02', 'top 1 systems'"
#: Scores of an item, and sources, at which the sequences are shortest if nothing else is planned.
PLANNED: dict[Unit, float] = {"items": 10.0, "systems": 100.0}


@dataclass(frozen=True)
class StopRule:
    """A stopping rule with all its numbers.

    alpha: probability of a wrong statement: on each item for items<=W, on any item or difference
    otherwise. planned: scores of an item, or sources, at which the sequences are shortest; with
    `looks` the most sources.
    """

    goal: Goal
    unit: Unit
    width: float = 0.0
    top: int = 0
    within: float = 0.0
    alpha: float = 0.05
    planned: float = 10.0
    looks: int | None = None

    def __str__(self) -> str:
        """The rule in its own grammar, the same for the same rule however it was written."""
        if self.goal == "short":
            return f"{self.unit}<={self.width:g}"
        within = f" within {self.within:g}" if self.within else ""
        return f"top {self.top} {self.unit}{within}" if self.goal == "top" else f"ranking{within}"

    @property
    def full(self) -> str:
        """The rule with all its numbers, by which two looks are known to have asked the same."""
        looks = f", O'Brien-Fleming with {self.looks} looks" if self.looks else ""
        return f"{self}; alpha {self.alpha:g}, planned {self.planned:g}{looks}"

    @property
    def meaning(self) -> str:
        """The rule in a sentence."""
        if self.goal == "short":
            what = "item" if self.unit == "items" else "difference of two systems"
            return f"every {what} is known to within {self.width:g}"
        said, near = "every difference of two systems excludes 0", f"lies within {self.within:g} of it"
        if self.goal == "top":
            said = f"the best {self.top} {self.unit} differ from the rest"
            near = f"not worse by more than {self.within:g}"
        return f"{said}, or {near}" if self.within else said


def stop_rule(
    text: str, alpha: float = 0.05, planned: float | None = None, looks: int | None = None
) -> StopRule:
    """Read a stopping rule; `planned`: by default 10 scores of an item, or 100 sources."""
    plain = text.strip().lower()
    read = ((goal, form.fullmatch(plain)) for form, goal in _FORMS)
    goal, parts = next(((goal, found.groupdict()) for goal, found in read if found), (None, {}))
    if goal is None:
        raise InputError(f"rule {text!r}: cannot be read; expected one like {EXAMPLES}")
    unit: Unit = "items" if parts.get("unit", "systems") in ("items", None) else "systems"
    width, top, within = (float(parts.get(name) or 0.0) for name in ("width", "top", "within"))
    if goal == "short" and not 0.0 < width < 1.0:
        raise InputError(
            f"rule {text!r}: half-width {width:g}; expected a number between 0 and 1 (the scale's length is 1)"
        )
    if goal == "top" and top < 1:
        raise InputError(f"rule {text!r}: top {top:g}; expected 1 or more")
    if not 0.0 <= within < 1.0:
        raise InputError(f"rule {text!r}: within {within:g}; expected a number from 0 to below 1")
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha:g}; expected a number between 0 and 1, such as 0.05")
    if planned is not None and not 0.0 < planned < 1e9:
        raise InputError(f"planned={planned:g}; expected a number of scores or sources above 0")
    if looks is not None and (unit == "items" or planned is None):
        lacking = "a rule on items has none" if unit == "items" else "it needs the most sources (--planned)"
        asked = f"rule {text!r} with {looks} planned looks"
        raise InputError(f"{asked}: {lacking}; omit --looks, or correct the rule")
    if looks is not None and planned is not None and not 1 <= looks <= min(planned, 200):
        raise InputError(f"looks={looks}; expected 1 to 200, and no more than sources ({planned:g})")
    return StopRule(goal, unit, width, int(top), within, alpha, planned or PLANNED[unit], looks)


#: What a rule on systems does not see: with likings of sd .05 among eight annotators some of five equal
#: systems were told apart by 300 sources in .47 of 60 simulated studies, without in .02.
THESE = (
    "this holds for these annotators: if preferences for systems differ between annotators, others may rank them"
    " differently (see the intervals of 'easl status --systems')"
)


@dataclass(frozen=True, eq=False)
class StopAnswer:
    """What a stopping rule says of a campaign now.

    further: scores of items, or sources, that are expected; inf if the goal cannot be reached with means
    and spreads as they are. hits: the same in HITs. changed: earlier looks at another rule. most: sources
    that are left.
    """

    rule: StopRule
    look: rules.Look
    judgments: int
    further: float
    hits: float
    corrected: str
    changed: str = ""
    most: float = math.inf

    @property
    def verdict(self) -> rules.Verdict:
        return self.look.verdict

    @property
    def may_stop(self) -> bool:
        return self.look.verdict == "stop"

    @property
    def expected(self) -> str:
        """How much more is expected, in a sentence."""
        if self.may_stop:
            return "no further scores are needed"
        if math.isinf(self.further):
            return (
                "the goal cannot be reached with the present means and spreads: allow a difference"
                " (within D), or wider intervals"
            )
        unit = "scores" if self.rule.unit == "items" else "sources"
        said = f"about {self.further:.0f} further {unit} are expected ({math.ceil(self.hits)} HITs)"
        if self.further <= self.most:
            return said
        if self.most:
            return f"{said}, but the campaign has {self.most:.0f} sources left"
        return f"{said}, but the campaign has no more; more scores per source also narrow the intervals"

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `easl stop`, and what is recorded of a look; null for what is infinite."""
        r, look = self.rule, self.look
        asked = {"rule": str(r), "alpha": r.alpha, "planned": r.planned, "looks": r.looks}
        said = {"verdict": look.verdict, "why": look.why}
        counts = {"settled": int(look.settled.sum()), "of": len(look.names)}
        more = {"further": known(self.further), "further_hits": known(self.hits)}
        return {**asked, **said, **counts, **more, "corrected": self.corrected, "changed": self.changed}

    def to_frame(self) -> pd.DataFrame:
        """A row an item or difference: estimate, half-width, terms, settled."""
        import pandas as pd

        look = self.look
        columns = {"estimate": look.estimate, "half": look.half, "n": look.n, "settled": look.settled}
        return pd.DataFrame(columns, index=pd.Index(look.names, name=self.rule.unit))


def stop(
    campaign: Campaign,
    rule: str,
    *,
    alpha: float = 0.05,
    planned: float | None = None,
    looks: int | None = None,
    record: bool = True,
) -> StopAnswer:
    """Ask a stopping rule, and record the look.

    campaign: a store must have been opened for writing if the look is recorded.  rule: as in
    :mod:`pairproof.campaign.watch.stop`.  planned: scores of an item, or sources, at which the
    sequences are shortest.  looks: for a group-sequential study: looks at equal steps up to `planned`
    sources.  record: whether the look is written into the campaign.
    """
    asked = stop_rule(rule, alpha, planned, looks)
    with reading(campaign, write=record) as store:
        answers, items = answers_of(store), items_of(store)
        answer = look_at(asked, answers, items, about(store).per_hit, looks_of(store))
        kept, look = answer.to_dict(), answer.look
        if asked.looks:
            # What is settled stays settled.
            names = [name for name, done in zip(look.names, look.settled) if done]
            kept |= {"step": _step(asked, look), "names": names}
        if record:
            write_look(store, answer.judgments, asked.full, kept)
    return answer


def look_at(
    rule: StopRule, answers: Answers, items: Items, per_hit: int, earlier: Sequence[Recorded] = ()
) -> StopAnswer:
    """What a rule says of answers that were read before; nothing is recorded."""
    judgments = len(np.unique(answers.judgment[answers.counted]))
    most = math.inf
    if not answers.scores.any():
        none = f"rule '{rule}': this campaign has no scores of items yet"
        raise InputError(f"{none}; add results with 'easl update'")
    value, corrected, widen = _corrected(answers)
    if rule.unit == "items":
        look, further = _items(rule, answers, items, value, widen)
        hits = further / per_hit
    else:
        look, further, hits = _systems(rule, answers, items, value, per_hit)
        most = float(max(len(_sources(items)) - int(look.n.min()), 0))
        if rule.looks:
            look = _by_steps(rule, look, earlier)
        corrected = f"differences are within sources, from scores {corrected}; {THESE}"
    answer = StopAnswer(rule, look, judgments, further, hits, corrected, most=most)
    if look.verdict == "stop":
        answer = replace(answer, further=0.0, hits=0.0)
    return replace(answer, changed=_changes(rule, earlier))


def _corrected(answers: Answers) -> tuple[FloatArray, str, float]:
    """float[n]: values less annotators' locations, nan if no item's; how; what widens intervals."""
    value = np.where(answers.scores, answers.value, np.nan)
    rows = own_scores(answers)
    if not rows.any() or (answers.annotator[rows] < 0).any():
        return value, "as given: some have no annotator name", 1.0
    if len(np.unique(answers.annotator[rows])) < 2:
        return value, "as given: there is one annotator", 1.0
    what = np.unique(answers.item[rows], return_inverse=True)[1]
    people, who = np.unique(answers.annotator[rows], return_inverse=True)
    what, who = what.ravel().astype(np.int64), who.ravel().astype(np.int64)
    cells = np.unique(what * len(people) + who)
    if len(cells) == len(np.unique(cells // len(people))):
        return value, "as given: no item was scored by two annotators", 1.0
    location = np.zeros(len(answers.names))
    found = shrunken_locations(answers.value[rows], what, who)
    location[people] = found.value
    if not location.any():
        return value, "as given: annotators' locations do not differ beyond chance", 1.0
    apart = not_joined(what, who, [answers.names[k] for k in people.tolist()])
    return (
        np.where(answers.scores, value - location[np.maximum(answers.annotator, 0)], np.nan),
        "; ".join(filter(None, ("corrected for shrunken estimates of the annotators' locations", apart))),
        found.widen,
    )


def _items(
    rule: StopRule, answers: Answers, items: Items, value: FloatArray, widen: float
) -> tuple[rules.Look, float]:
    rows = answers.scores
    batches = len(np.unique(answers.batch[rows]))
    what, y = answers.item[rows], value[rows]
    how = (rule.alpha, rule.planned, items.scored, widen)
    if rule.goal == "short":
        look = rules.items_short(what, y, rule.width, batches, *how)
    else:
        look = rules.items_top(what, y, rule.top, batches, rule.within, *how)
    names = tuple(items.ids[int(k)] for k in look.names)
    return replace(look, names=names), look.further


def _systems(
    rule: StopRule, answers: Answers, items: Items, value: FloatArray, per_hit: int
) -> tuple[rules.Look, float, float]:
    system = np.array(items.system, dtype=object)[answers.item]
    source = np.array(items.source, dtype=object)[answers.item]
    rows = answers.scores & (system != "") & (source != "")
    if not rows.any():
        raise InputError(
            f"rule '{rule}': no scored item has a system and a source; the items file needs the columns system and"
            " source (or --col system=..., --col source=... at 'easl init')"
        )
    found = rules.source_differences(system[rows].tolist(), source[rows].tolist(), value[rows])
    how = (rule.alpha, rule.planned, rule.looks)
    if rule.goal == "short":
        look = rules.systems_short(found, rule.width, *how)
    elif rule.goal == "top":
        look = rules.systems_top(found, rule.top, rule.within, *how)
    else:
        look = rules.systems_ranking(found, rule.within, *how)
    # Below the fewest sources no answer is given, whatever the intervals.
    further = max(look.further, float(rules.FEWEST_SOURCES - int(look.n.min())))
    # A source costs as many scores as it has had on average.
    a_source = rows.sum() / len(set(source[rows].tolist()))
    return look, further, further * a_source / per_hit


def _sources(items: Items) -> set[str]:
    """Sources that have an item of a system."""
    return {items.source[k] for k in items.scored.tolist() if items.source[k] and items.system[k]}


def _step(rule: StopRule, look: rules.Look) -> int:
    """The planned step that has been reached: 0 before the first."""
    n, looks = int(look.n.min()), rule.looks or 1
    return min(int(n * looks / rule.planned + 1e-9), looks)


def _by_steps(rule: StopRule, look: rules.Look, earlier: Sequence[Recorded]) -> rules.Look:
    """The look as a group-sequential rule has it: once a step, and what was settled stays settled."""
    same = [e.answer for e in earlier if e.rule == rule.full]
    before = {name for answer in same for name in answer.get("names", ())}
    done = max((int(answer.get("step", 0)) for answer in same), default=0)
    step, looks = _step(rule, look), rule.looks or 1
    fresh = step > done and look.verdict != "too early"
    settled = np.array([name in before for name in look.names]) | (look.settled if fresh else False)
    following = math.ceil(rule.planned * (min(max(step, done), looks - 1) + 1) / looks)
    at = f"{int(look.n.min())} sources"
    if look.verdict == "too early":
        return replace(look, settled=settled)
    if step == 0:
        why = f"{at}; the first of {looks} planned looks is at {following}"
        return replace(look, settled=settled, verdict="too early", why=why)
    count = f"{int(settled.sum())} of {len(settled)} differences are settled"
    if fresh:
        why = f"look {step} of {looks}, at {at}: {count}"
    else:
        why = f"look {done} of {looks} was made before: {count}; the next is at {following} sources"
    if step == looks and not settled.all():
        why += "; this was the last planned look"
    verdict: rules.Verdict = "stop" if bool(settled.all()) else "go on"
    return replace(look, settled=settled, verdict=verdict, why=why)


def _changes(rule: StopRule, earlier: Sequence[Recorded]) -> str:
    """Looks at other rules before this one, in a sentence."""
    others = [e for e in earlier if e.rule != rule.full]
    told = []
    for name in dict.fromkeys(e.rule for e in others):
        looks = [e for e in others if e.rule == name]
        count = f"{len(looks)} look{'s' if len(looks) > 1 else ''}"
        verdict = looks[-1].answer.get("verdict", "?")
        told.append(f"{name} ({count}, the last at {looks[-1].judgments} judgments: {verdict})")
    if not told:
        return ""
    return f"another rule was checked before: {'; '.join(told)}. A rule chosen after a look has no guarantee"
