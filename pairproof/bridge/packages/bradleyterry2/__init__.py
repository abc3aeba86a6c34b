"""BradleyTerry2 under its own names, dots as underscores: every function that it exports, and the methods of its models."""

from .counts import (
    BinomialCounts as BinomialCounts,
    BTm_counts as BTm_counts,
    BTmModel as BTmModel,
    countsToBinomial as countsToBinomial,
)
from .fit import BTm as BTm, ContestModel as ContestModel
from .gendavidson import GenDavidson as GenDavidson, GenDavidsonModel as GenDavidsonModel
from .methods import (
    Abilities as Abilities,
    BTabilities as BTabilities,
    ModelMatrix as ModelMatrix,
    Predictions as Predictions,
    Residuals as Residuals,
    model_matrix as model_matrix,
    predict as predict,
    qvcalc as qvcalc,
    residuals as residuals,
)
from .plots import Proportions as Proportions, plotProportions as plotProportions
from .pql import GlmmPQLControl as GlmmPQLControl, glmmPQL as glmmPQL, glmmPQL_control as glmmPQL_control
from .terms import TestTable as TestTable, add1 as add1, anova as anova, drop1 as drop1
