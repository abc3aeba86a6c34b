## Which functions of which packages are recorded.
##
## fit: a fitting function, recorded with its numbers.  helper: takes a fit or data further (abilities,
## tables, designs). container: a helper whose inner fits are the user's own, recorded with via = its name.
## unseen: formals that R evaluates in the data, or as expressions; they are never evaluated here. generic:
## the function by which the script calls a method.
##
## Fitting functions that are not of this field (lm, nls, nlm, optim, ...) are left alone.

in_data <- c("weights", "subset", "offset", "etastart", "mustart")

fit <- function(unseen = character()) list(role = "fit", unseen = unseen)
helper <- function(generic = NULL) list(role = "helper", generic = generic, unseen = character())
container <- function() list(role = "container", unseen = character())

recorded_functions <- list(
  prefmod = list(
    llbt.fit = fit(), llbtPC.fit = fit(), pattPC.fit = fit(), pattR.fit = fit(), pattL.fit = fit(),
    pattRrep.fit = fit(), pattLrep.fit = fit(), pattnpml.fit = fit(),
    llbt.design = helper(), patt.design = helper(), llbt.worth = helper(), patt.worth = helper(),
    checkMIS = helper()),
  BradleyTerry2 = list(
    BTm = fit(c("outcome", "player1", "player2", "separate.ability", in_data)),
    glmmPQL = fit(in_data),
    countsToBinomial = helper(), BTabilities = helper(),
    anova.BTm = helper("anova"), add1.BTm = helper("add1"), drop1.BTm = helper("drop1"),
    predict.BTm = helper("predict"), residuals.BTm = helper("residuals")),
  psychotools = list(btmodel = fit(), itempar.btmodel = helper("itempar")),
  psychotree = list(bttree = fit(), itempar.bttree = helper("itempar")),
  PlackettLuce = list(
    PlackettLuce = fit(), pladmm = fit("weights"), itempar.PlackettLuce = helper("itempar")),
  gnm = list(gnm = fit(c("eliminate", in_data)), anova.gnm = helper("anova")),
  MASS = list(polr = fit(in_data), stepAIC = container()),
  lme4 = list(glmer = fit(in_data)),
  brglm = list(brglm = fit(in_data)),
  eba = list(
    eba = fit(), eba.order = fit(), OptiPt = fit(), thurstone = fit(), strans = helper(),
    circular = helper(), kendall.u = helper()),
  survival = list(clogit = fit(in_data), coxph = fit(in_data)),
  qvcalc = list(qvcalc = helper()),
  stats = list(
    glm = fit(in_data), anova.glm = helper("anova"), anova.glmlist = helper("anova"), step = container()))

described <- function(key) {
  parts <- strsplit(key, "::", fixed = TRUE)[[1L]]
  recorded_functions[[parts[1L]]][[parts[2L]]]
}
