"""BradleyTerry2 under its own names, dots as underscores: every function that it exports, and the methods of its models."""


from .btm import (
    BTm as BTm,
    ContestModel as ContestModel,
    GlmmPQLControl as GlmmPQLControl,
    glmmPQL as glmmPQL,
    glmmPQL_control as glmmPQL_control,
)
from .counts import (
    BinomialCounts as BinomialCounts,
    BTm_counts as BTm_counts,
    BTmModel as BTmModel,
    GenDavidson as GenDavidson,
    GenDavidsonModel as GenDavidsonModel,
    countsToBinomial as countsToBinomial,
)
from .methods import (
    Abilities as Abilities,
    BTabilities as BTabilities,
    ModelMatrix as ModelMatrix,
    Predictions as Predictions,
    Proportions as Proportions,
    Residuals as Residuals,
    TestTable as TestTable,
    add1 as add1,
    anova as anova,
    drop1 as drop1,
    model_matrix as model_matrix,
    plotProportions as plotProportions,
    predict as predict,
    qvcalc as qvcalc,
    residuals as residuals,
)
