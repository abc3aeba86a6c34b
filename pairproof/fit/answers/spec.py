"""The specification of a model of whole answers (`AnswerSpec`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...data.options import one_of
from ..family import ANSWER_FAMILIES, Family
from ..spec import ModelSpec

#: How equal answers enter: one parameter for all pairs, one for each pair, or none (its parameter is 0).
AnswerTies = Literal["davidson", "by-pair", "none"]
#: How the probability that a comparison is missing is modelled; "" for gaps at random.
Alpha = Literal["", "none", "common", "item", "comparison"]
#: How it depends on the answer.
Beta = Literal["", "item", "difference", "comparison", "coded"]


@dataclass(frozen=True)
class AnswerSpec(ModelSpec):
    """The specification of a model of whole answers.

    asked: what persons were asked for.  times: names of the points in time; one where everybody answered
    once.  answer_ties: `ties` is "davidson" for the first two.  tie_orders: numbers of items that can tie at
    once (Plackett-Luce).  dependence: whether comparisons that share an item depend on each other.
    between_times: whether a comparison depends on the same one at the time before.  alpha, beta: the model of
    missing comparisons; "" where they are missing at random.  pseudo: pseudo-comparisons (Plackett-Luce).
    prior: a normal prior in words; "" for none.  classes: latent classes; 1 for none.  random: terms that
    differ between classes; empty for all item terms.
    """

    asked: Literal["comparisons", "rankings", "ratings"] = "comparisons"
    times: tuple[str, ...] = ("",)
    answer_ties: AnswerTies = "none"
    tie_orders: tuple[int, ...] = ()
    dependence: bool = False
    between_times: bool = False
    alpha: Alpha = ""
    beta: Beta = ""
    pseudo: float = 0.0
    prior: str = ""
    classes: int = 1
    random: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        one_of("model", self.family, tuple(ANSWER_FAMILIES))
        one_of("ties", self.answer_ties, ("davidson", "by-pair", "none"))

    @property
    def of_family(self) -> Family:
        """The family of models, with its title, scale and default reference."""
        return ANSWER_FAMILIES[self.family]

    @property
    def words(self) -> str:
        """The model in words: `Pattern model of rankings, by sex`."""
        parts = [
            f"{self.of_family.title}{' model' if self.family == 'plackett-luce' else ''} of {self.asked}"
        ]
        if len(self.times) > 1:
            parts[0] += f" at {len(self.times)} times"
        if self.classes > 1:
            parts.append(f"{self.classes} latent classes")
            if self.random:
                parts.append(f"which differ in {', '.join(self.random)}")
        if self.answer_ties != "none":
            parts.append("ties by pair" if self.answer_ties == "by-pair" else "ties")
        if self.tie_orders:
            parts.append(f"ties of {' and '.join(map(str, self.tie_orders))}")
        if self.item_terms:
            parts.append(f"items by {', '.join(self.item_terms)}")
        if self.by:
            parts.append(f"by {self.by}")
        if self.dependence:
            parts.append("dependent comparisons")
        if self.between_times:
            parts.append("dependence between times")
        if self.alpha or self.beta:
            names = [f"{n} {v}" for n, v in (("alpha", self.alpha), ("beta", self.beta)) if v and v != "none"]
            parts.append(f"missing answers modelled{': ' + ', '.join(names) if names else ''}")
        if self.pseudo:
            parts.append(f"{self.pseudo:g} pseudo-comparisons")
        if self.prior:
            parts.append(self.prior)
        return ", ".join(parts)

    @property
    def errors_in_words(self) -> str:
        """Which information the standard errors are of."""
        if self.pseudo:
            return "information of what was maximised, pseudo-rankings included, which R's PlackettLuce leaves out"
        if self.prior:
            return "information of what was maximised, the prior included"
        return super().errors_in_words
