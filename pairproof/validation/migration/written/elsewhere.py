"""Fitting functions of R outside this field: they are named where a script calls them, and left out.

The names are those of models and optimisers of R's own packages and of common ones; what a script calls beside them
(data handling, plots, tables) is no analysis that could be taken for one of paired comparisons, and is not named.
"""

from __future__ import annotations

from ....bridge.capture.recorded import Captured
from .sites import Left

#: Function -> package, and what it is.
OUTSIDE = {
    **dict.fromkeys(
        ("lm", "aov", "nls", "loess", "lowess", "smooth.spline", "ppr", "factanal", "princomp"), "stats"
    ),
    **dict.fromkeys(
        ("nlm", "optim", "nlminb", "optimize", "optimise", "uniroot", "constrOptim", "arima"), "stats"
    ),
    **dict.fromkeys(("prcomp", "cmdscale", "hclust", "kmeans", "loglin", "medpolish", "TukeyHSD"), "stats"),
    **dict.fromkeys(("lme", "gls", "nlme"), "nlme"),
    **dict.fromkeys(("lmer", "nlmer"), "lme4"),
    **dict.fromkeys(("rlm", "lqs", "lda", "qda", "glm.nb", "glmmPQL", "loglm"), "MASS"),
    **dict.fromkeys(("multinom", "nnet"), "nnet"),
    **dict.fromkeys(("coxph", "survreg", "survfit"), "survival"),
    **dict.fromkeys(("gam", "bam"), "mgcv"),
    **dict.fromkeys(("glmmTMB",), "glmmTMB"),
    **dict.fromkeys(("clm", "clmm"), "ordinal"),
    **dict.fromkeys(("vglm", "vgam"), "VGAM"),
    **dict.fromkeys(("mlogit",), "mlogit"),
    **dict.fromkeys(("rpart",), "rpart"),
    **dict.fromkeys(("glmnet", "cv.glmnet"), "glmnet"),
    **dict.fromkeys(("randomForest",), "randomForest"),
    **dict.fromkeys(("brm",), "brms"),
    **dict.fromkeys(("stan_glm", "stan_glmer"), "rstanarm"),
    **dict.fromkeys(("raschmodel", "pcmodel", "rsmodel", "gpcmodel", "nplmodel"), "psychotools"),
}
REASON = "not a model of this field; left out"


def elsewhere(captured: Captured) -> list[Left]:
    """Calls in the script's text that fit something else, in its order.

    Parameters
    ----------
    captured : Captured

    Returns
    -------
    list of Left
        One for each place; a function that the script itself defines is not one of them.
    """
    own = {m.variable for m in captured.text.mentioned if m.function == "function"}
    return [
        Left(str(m.place), f"{m.function}(...)", REASON, 1, m.task, 0)
        for m in captured.text.mentioned
        if m.function in OUTSIDE and m.function not in own and m.package in ("", OUTSIDE[m.function])
    ]
