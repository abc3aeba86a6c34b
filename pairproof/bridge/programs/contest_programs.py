"""R programs that fit models of contests: in base R, by brglm2, gnm, BradleyTerry2 and lme4.

They share their variables (:mod:`.contest_models` makes them): ``wins, ties, losses, X, offset, home, link``
are the rows; ``X`` has a column for each free parameter but those of ties.  By BradleyTerry2 and gnm:
``items``, ``first, second`` (from 1), ``free`` (whether items have free abilities), ``reference``, ``W``
(item covariates, NA for items with an ability of their own) and ``C`` (columns of the contest).  Each program
leaves ``b`` and ``V`` (estimates and covariance), ``llf`` without constants of the counts, and ``deviance``.

In base R: Newton's method on the log-likelihood itself, whose derivatives R's own ``deriv3`` works out from
its formula

    log P(first) = log F(eta), with Davidson's generalised ties (Fiocco 2011, in BradleyTerry2's GenDavidson)
    log m = eta | tie.max + s H(q) + s q eta + (1 - s) log(1 + e^eta) | 0,    s = exp(tie.scale),
    q = plogis(tie.mode * home), H(q) = -q log q - (1 - q) log(1 - q)

and scoring on l + log det(I) / 2, Jeffreys' prior, for Davidson's ties.  By packages: glm.fit, brglm2 and gnm
at tight stops; BTm as it is called in BradleyTerry2.

With random effects (lme4's Laplace approximation, quadrature in base R)

    eta = X b + offset + sigma (z[plus] - z[minus]),      z independent standard normal,

``plus, minus`` are the effects of each row, from 1, 0 for none; ``K`` how many there are; ``set`` the set of
effects that each row belongs to (one for each judge, or one alone), whose effects are integrated out
together.
"""

from __future__ import annotations

from ..packages.asking import program

#: Log-probabilities with value, gradient and Hessian by eta and the tie parameters.
LIKELIHOOD = program(__package__, "contests/likelihood")

NEWTON = LIKELIHOOD + program(__package__, "contests/newton")

#: glm.fit at a tight stop. Standard errors are of the observed information at its estimates.
GLM = LIKELIHOOD + program(__package__, "contests/glm")

#: brglm2: bias reduction of the mean, of the median, or Jeffreys' prior.
BRGLM2 = LIKELIHOOD + program(__package__, "contests/brglm2")

#: Jeffreys' prior for Davidson's ties: scoring on the conditional likelihood.
JEFFREYS_WITH_TIES = program(__package__, "contests/jeffreys_with_ties")


#: BTm as its help page has it: abilities by a formula, contest columns given for player1.
BTM = program(__package__, "contests/btm")

#: Davidson's ties with shift and scale, by gnm.
GENDAVIDSON = program(__package__, "contests/gendavidson")


#: From `x`, near the minimum of `minus_llf`, to it.
BY_DIFFERENCES = program(__package__, "contests/by_differences")

#: lme4's modules with the matrix of effects put in by hand: it has no term for "winner less loser".
LAPLACE = (
    LIKELIHOOD
    + program(__package__, "contests/laplace")
    + BY_DIFFERENCES
    + program(__package__, "contests/laplace_end")
)

#: PQL with any matrix of effects, by BradleyTerry2's own fitter.
GLMMPQL = program(__package__, "contests/glmmpql")

#: Laplace's approximation as it is written: the mode of the effects by Newton's method, then its determinant.
LAPLACE_ITSELF = (
    LIKELIHOOD
    + program(__package__, "contests/laplace_itself")
    + BY_DIFFERENCES
    + program(__package__, "contests/laplace_itself_end")
)

#: Quadrature by the trapezoidal rule about the mode of each set; derivatives by Fisher's and Louis's
#: identities.
QUADRATURE = LIKELIHOOD + program(__package__, "contests/quadrature")
