"""Functions of R that fit or test something, but no model of paired comparisons or rankings, and what they
do.
 A script's call of one of them is named with its line in the list of calls, in the Python script and in the
report, so that nobody takes the script for whole.  It is recognised by the function's name in the text,
whether R reached it or not; nothing is known of its values.
"""

from __future__ import annotations

from collections.abc import Mapping

_MODEL = "not a model of this field"
_TEST = "a test beside any model of this field"
_OWN = "a likelihood or criterion of the script's own"
_ASIDE = "not recorded"

#: What the functions do -> their names, without packages.
_FUNCTIONS: Mapping[str, str] = {
    f"a linear model; {_MODEL}": "lm aov manova lm.fit lm.ridge rlm lqs",
    f"a nonlinear regression; {_MODEL}": "nls gnls nlme nls.lm nlsLM",
    f"maximises {_OWN}; its numbers are not known to be of this field": (
        "nlm optim nlminb optimize optimise constrOptim uniroot mle mle2 maxLik maxNR bobyqa nloptr optimx"
    ),
    f"a smoother; {_MODEL}": "loess lowess smooth.spline gam gamm bam supsmu ksmooth",
    f"a count or contingency model of other data; {_MODEL}": "glm.nb zeroinfl hurdle loglm loglin",
    f"a mixed model of measurements; {_MODEL}": "lmer lme gls rma rma.mv",
    f"a mixed model of other designs; {_MODEL}": "glmmTMB glmmadmb gamm4",
    f"a model of choices or categories; {_MODEL}": (
        "multinom mlogit mclogit mblogit vglm vgam clm clmm gmnl nnet gee geeglm"
    ),
    f"a model of durations; {_MODEL}": "survreg survfit aareg cox.zph survdiff",
    f"a regression that shrinks or selects; {_MODEL}": "glmnet cv.glmnet logistf bayesglm",
    f"a Bayesian model with priors of the script's own; {_MODEL}": (
        "brm stan stan_glm stan_glmer stan_model jags jags.model MCMCglmm ulam"
    ),
    f"a tree or forest of other models; {_MODEL}": (
        "rpart ctree cforest mob lmtree glmtree glmertree randomForest ranger"
    ),
    f"a classifier or its training; {_MODEL}": "svm ksvm lda qda knn naiveBayes xgboost xgb.train gbm",
    f"a structural or factor model; {_MODEL}": "sem cfa lavaan factanal princomp prcomp",
    f"a model of test items; {_MODEL}": (
        "RM rasch ltm grm gpcm mirt tam tam.mml raschmodel rsmodel pcmodel gpcmodel nplmodel mptmodel PCM RSM LLTM"
    ),
    f"clusters or scales objects; {_MODEL}": (
        "kmeans hclust pam clara agnes diana Mclust cmdscale isoMDS sammon smacofSym"
    ),
    f"a time series model; {_MODEL}": "arima Arima auto.arima HoltWinters ets StructTS garch",
    f"a correlation or agreement of measurements; {_TEST}": (
        "cor.test kappa2 kappam.fleiss icc ICC cohen.kappa kripp.alpha cronbach.alpha"
    ),
    f"a test of means or variances; {_TEST}": (
        "t.test var.test bartlett.test oneway.test pairwise.t.test TukeyHSD leveneTest fligner.test ansari.test"
    ),
    f"a rank test; {_TEST}": (
        "wilcox.test kruskal.test mood.test pairwise.wilcox.test quade.test ks.test shapiro.test"
    ),
    f"a test of a table of counts; {_TEST}": (
        "chisq.test fisher.test prop.test mcnemar.test mantelhaen.test poisson.test pairwise.prop.test prop.trend.test"
    ),
    f"{_ASIDE}: the sign test; pairproof.bridge.base.binom_test gives R's numbers": "binom.test",
    f"{_ASIDE}: a test of rank sums; pairproof.bridge.base.friedman_test gives R's numbers": "friedman.test",
    f"{_ASIDE}: the power of a planned study": (
        "power.t.test power.prop.test power.anova.test pwr.t.test pwr.p.test pwr.chisq.test"
    ),
    f"{_ASIDE}: Elo or Glicko ratings, which depend on the order of the games; pairproof has none": (
        "elo.run elo.glm elo.markovchain elo.colley elo.seq glicko glicko2"
    ),
    f"{_ASIDE}: a distance or mixture model of rankings; pairproof has none of its own": (
        "rankdist RankDistanceModel compute_mallows BayesMallows rankclust dbm wdbm"
    ),
}

#: Function, as written without its package -> why it is left out, in words.
REASONS: Mapping[str, str] = {name: why for why, names in _FUNCTIONS.items() for name in names.split()}
