# All five seasons, which the help page of GenDavidson does not run; gnm taken further lasts more than five minutes.
library(BradleyTerry2)
library(gnm)
set.seed(1)
football.tri <- expandCategorical(football, "result", idvar = "match")
football.tri$at.home <- !logical(nrow(football.tri))
Dav <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home:season, away:season, home.adv = ~1,
  tie.max = ~1, at.home1 = at.home, at.home2 = !at.home) - 1, eliminate = match, family = poisson, data = football.tri)
scalDav <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home:season, away:season, home.adv = ~1,
  tie.max = ~1, tie.scale = ~1, at.home1 = at.home, at.home2 = !at.home) - 1, eliminate = match, family = poisson, data = football.tri)
shifScalDav <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home:season, away:season, home.adv = ~1,
  tie.max = ~1, tie.scale = ~1, tie.mode = ~1, at.home1 = at.home, at.home2 = !at.home) - 1, eliminate = match, family = poisson, data = football.tri)
anova(Dav, scalDav, shifScalDav, test = "Chisq")
