"""BradleyTerry2 under its own names, dots as underscores: every function that it exports, and the methods of its models."""

from .btm import BTm, ContestModel, GlmmPQLControl, glmmPQL, glmmPQL_control
from .counts import BinomialCounts, BTm_counts, BTmModel, GenDavidson, GenDavidsonModel, countsToBinomial
from .methods import (
    Abilities,
    BTabilities,
    ModelMatrix,
    Predictions,
    Proportions,
    Residuals,
    TestTable,
    add1,
    anova,
    drop1,
    model_matrix,
    plotProportions,
    predict,
    qvcalc,
    residuals,
)

__all__ = ["BTm", "ContestModel", "GlmmPQLControl", "glmmPQL", "glmmPQL_control"]
__all__ += ["BinomialCounts", "BTm_counts", "BTmModel", "GenDavidson", "GenDavidsonModel", "countsToBinomial"]
__all__ += ["Abilities", "BTabilities", "ModelMatrix", "Predictions", "Proportions", "Residuals", "TestTable"]
__all__ += ["add1", "anova", "drop1", "model_matrix", "plotProportions", "predict", "qvcalc", "residuals"]
