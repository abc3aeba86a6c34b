"""Pairwise preference models in Python, with every number verified against R.

>>> import pairproof
>>> table = pairproof.read({"first": ["A"], "second": ["B"], "wins": [61], "ties": [24], "losses": [35]})
>>> fit = pairproof.fit_llbt(table, ties="davidson")
>>> print(fit.contrast("A", "B"))
A - B: 0.2778 (se 0.1060), z = 2.620, p = 0.008798, 95% interval 0.0700 to 0.4856; odds 1.743 to 1

`fit.summary()` gives the full table; `fit.verify()` computes the same numbers in R.

Names are loaded on first use: importing the package adds almost nothing to Python's own start-up time and
does not start R.
"""

import typing as _typing

if _typing.TYPE_CHECKING:
    from . import campaign as campaign
    from .boards.anytime import anytime_limits as anytime_limits
    from .boards.audited.audit import audit as audit
    from .boards.board import leaderboard as leaderboard
    from .boards.changed import board_changes as board_changes
    from .boards.next_pairs import next_pairs as next_pairs
    from .bridge.programs.r_script import to_r as to_r
    from .data.comparisons import Comparisons as Comparisons, load as load
    from .data.counting.count import count as count
    from .data.counting.passes import rows as rows
    from .data.judgments import split_tracks as split_tracks
    from .data.reading import read as read
    from .data.respondents.read_answers import read_respondents as read_respondents
    from .data.respondents.respondents import Respondents as Respondents
    from .errors import (
        ComparisonError as ComparisonError,
        ConvergenceError as ConvergenceError,
        InputError as InputError,
        NotEstimableError as NotEstimableError,
        PairproofError as PairproofError,
        PairproofWarning as PairproofWarning,
        RError as RError,
        RUnavailable as RUnavailable,
    )
    from .examples.shipped_examples import example as example
    from .fit.fit import Fit as Fit
    from .fit.shown.comparisons_plot import plot_contrasts as plot_contrasts, plot_ranks as plot_ranks
    from .fit.shown.fit_plots import plot_item_residuals as plot_item_residuals, plot_worth as plot_worth
    from .migration.migrate import migrate as migrate
    from .native.answers.latent_classes import (
        fit_latent_classes as fit_latent_classes,
        tabulate_latent_classes as tabulate_latent_classes,
    )
    from .native.answers.pattern_models import fit_pattern as fit_pattern
    from .native.answers.plackett_luce import fit_plackett_luce as fit_plackett_luce
    from .native.answers.trees.tree_models import fit_tree as fit_tree
    from .native.comparisons.contests.bradley_terry import fit_bradley_terry as fit_bradley_terry
    from .native.comparisons.contests.predict import predict as predict
    from .native.comparisons.contests.pseudo_comparisons import (
        fit_with_pseudo_comparisons as fit_with_pseudo_comparisons,
    )
    from .native.comparisons.contests.residuals import (
        contest_residuals as contest_residuals,
        item_residuals as item_residuals,
    )
    from .native.comparisons.contests.term_tests import add1 as add1, anova as anova, drop1 as drop1
    from .native.comparisons.contests.ties_compared import compare_ties as compare_ties
    from .native.comparisons.counts.llbt import fit_llbt as fit_llbt
    from .native.competitions.experiment.judge_agreement import judge_agreement as judge_agreement
    from .native.competitions.experiment.preference_models import fit_preference_model as fit_preference_model
    from .native.competitions.irt.categorical_irt import fit_irt_categorical as fit_irt_categorical
    from .native.competitions.irt.gaussian_irt import fit_irt_gaussian as fit_irt_gaussian
    from .native.competitions.ranking.error_rates import (
        error_rate as error_rate,
        rate_difference as rate_difference,
    )
    from .native.competitions.ranking.merge_insertion import (
        rank_by_merge_insertion as rank_by_merge_insertion,
    )
    from .native.competitions.ranking.two_systems import compare_two as compare_two
    from .native.inference.bootstrap import bootstrap as bootstrap
    from .native.inference.profile_likelihood import profile as profile, profile_test as profile_test
    from .native.inference.score_tests import score_test as score_test, wild_test as wild_test
    from .native.likelihoods import likelihood_of as likelihood_of
    from .validation.verify import verify as verify

    __version__: str

#: The modules in which the public names live, and where each of them does.
_NAMES_IN = {
    "examples.shipped_examples": "example",
    "data.reading": "read",
    "data.comparisons": "Comparisons load",
    "data.counting.count": "count",
    "data.counting.passes": "rows",
    "data.respondents.read_answers": "read_respondents",
    "data.respondents.respondents": "Respondents",
    "data.judgments": "split_tracks",
    "native.comparisons.counts.llbt": "fit_llbt",
    "native.comparisons.contests.bradley_terry": "fit_bradley_terry",
    "native.comparisons.contests.predict": "predict",
    "native.answers.pattern_models": "fit_pattern",
    "native.answers.plackett_luce": "fit_plackett_luce",
    "native.answers.latent_classes": "fit_latent_classes tabulate_latent_classes",
    "native.competitions.experiment.preference_models": "fit_preference_model",
    "native.competitions.irt.gaussian_irt": "fit_irt_gaussian",
    "native.competitions.irt.categorical_irt": "fit_irt_categorical",
    "native.competitions.ranking.two_systems": "compare_two",
    "native.competitions.ranking.error_rates": "error_rate rate_difference",
    "native.competitions.experiment.judge_agreement": "judge_agreement",
    "native.competitions.ranking.merge_insertion": "rank_by_merge_insertion",
    "native.comparisons.contests.term_tests": "drop1 add1 anova",
    "native.comparisons.contests.residuals": "contest_residuals item_residuals",
    "native.comparisons.contests.pseudo_comparisons": "fit_with_pseudo_comparisons",
    "native.comparisons.contests.ties_compared": "compare_ties",
    "native.answers.trees.tree_models": "fit_tree",
    "native.inference.bootstrap": "bootstrap",
    "native.inference.profile_likelihood": "profile profile_test",
    "native.inference.score_tests": "score_test wild_test",
    "boards.board": "leaderboard",
    "boards.audited.audit": "audit",
    "boards.next_pairs": "next_pairs",
    "boards.anytime": "anytime_limits",
    "boards.changed": "board_changes",
    "fit.fit": "Fit",
    "validation.verify": "verify",
    "migration.migrate": "migrate",
    "bridge.programs.r_script": "to_r",
    "fit.shown.fit_plots": "plot_item_residuals plot_worth",
    "fit.shown.comparisons_plot": "plot_contrasts plot_ranks",
    "errors": "PairproofError InputError NotEstimableError ConvergenceError ComparisonError RError RUnavailable"
    " PairproofWarning",
}
_HOME = {name: module for module, names in _NAMES_IN.items() for name in names.split()}

#: Parts of the package that are public as a whole, such as `pairproof.campaign.open(path)`.
_PARTS = ("campaign",)

#: Asked for by methods of a fit, and no name of the face.
_OF_A_FIT = {"likelihood_of": "native.likelihoods"}
__all__ = ["__version__", *_HOME, *_PARTS]


# Hidden from type checkers, to which a module with __getattr__ has every name there could be, misspelt ones
# too.
if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value: object = _version()
        elif name in _HOME or name in _OF_A_FIT:
            from importlib import import_module

            home = _HOME.get(name) or _OF_A_FIT[name]
            value = getattr(import_module(f".{home}", __name__), name)
        elif name in _PARTS:
            from importlib import import_module

            value = import_module(f".{name}", __name__)
        else:
            known = ", ".join((*_HOME, *_PARTS))
            raise AttributeError(f"module 'pairproof' has no attribute {name!r}; it has {known}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, the parts that are loaded, and what every module has; nothing that this file needed
    for itself.
    """
    from types import ModuleType

    loaded = {
        name
        for name, value in globals().items()
        if name.startswith("__")
        or (isinstance(value, ModuleType) and value.__name__.startswith(f"{__name__}."))
    }
    return sorted({*loaded, *__all__} - {"__getattr__", "__dir__"})


def _version() -> str:
    """The version of the code that runs: a checkout's own pyproject.toml, else the installed
    distribution's.
    """
    import re
    from pathlib import Path

    declared = Path(__file__).resolve().parent.parent / "pyproject.toml"
    if declared.is_file():
        project = re.search(
            r'^name = "pairproof"\nversion = "([^"]+)"$', declared.read_text(encoding="utf-8"), re.MULTILINE
        )
        if project:
            return project[1]
    from importlib.metadata import version

    return version("pairproof")
