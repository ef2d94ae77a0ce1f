# Mixed models of randomized answers by R's package lme4: writes mixed_models.json.
#
#     apt-get install --no-install-recommends r-base-core r-cran-lme4 r-cran-numderiv \
#         r-cran-jsonlite
#     Rscript tests/oracles/mixed_models.R tests/oracles/mixed_models.json
#
# A report is a yes with probability slope * h(eta) + base: the link of glmer is made of that, as
# RRreg's RRmixed makes its own. A case has its people by columns, the formula, and what glmer
# printed by Laplace's approximation: coefficients with standard errors, standard deviations and
# correlations of each grouping, log likelihood, and the most probable effects of each cluster.
suppressPackageStartupMessages({
  library(lme4)
  library(jsonlite)
})

SHARES <- list(
  logit = list(h = plogis, density = dlogis, inverse = qlogis),
  probit = list(h = pnorm, density = dnorm, inverse = qnorm)
)

device <- function(slope, base, link) {
  share <- SHARES[[link]]
  inside <- function(mu) pmin(pmax((mu - base) / slope, 1e-12), 1 - 1e-12)
  structure(list(
    linkfun = function(mu) share$inverse(inside(mu)),
    linkinv = function(eta) slope * share$h(eta) + base,
    mu.eta = function(eta) slope * share$density(eta),
    valideta = function(eta) TRUE, name = "device"
  ), class = "link-glm")
}

numbers <- function(x) signif(as.vector(x), 12)

spread <- function(model, name) {
  v <- VarCorr(model)[[name]]
  list(
    sd = I(numbers(attr(v, "stddev"))), correlations = I(numbers(attr(v, "correlation"))),
    effects = apply(as.matrix(ranef(model)[[name]]), 1, numbers, simplify = FALSE)
  )
}

# glmer's own Hessian fails where its penalised steps stop early: so the deviance is minimised once
# more, and differentiated by numDeriv.
fitted_case <- function(id, people, formula, slope, base, link = "logit") {
  control <- function(begin) {
    glmerControl(
      optimizer = "bobyqa", tolPwrss = 1e-13, calc.derivs = FALSE,
      optCtrl = list(rhobeg = begin, rhoend = begin * 1e-7, maxfun = 1e5)
    )
  }
  fit <- function(...) {
    glmer(as.formula(formula), people, binomial(link = device(slope, base, link)), ...)
  }
  first <- fit(control = control(0.02))
  theta <- seq_along(getME(first, "theta"))
  again <- fit(
    control = control(0.001),
    start = list(theta = getME(first, "theta"), fixef = fixef(first))
  )
  deviance <- update(again, devFunOnly = TRUE)
  at <- c(getME(again, "theta"), fixef(again))
  is_inner <- c(getME(again, "theta"), fixef(again)) != 0
  inner <- function(p) deviance(replace(at, is_inner, p))
  inverse <- 2 * solve(numDeriv::hessian(inner, at[is_inner]))
  list(
    id = id, people = as.list(people), formula = formula, slope = slope, base = base, link = link,
    names = names(fixef(again)), coefficients = numbers(fixef(again)),
    standard_errors = numbers(sqrt(diag(inverse))[-seq_len(sum(is_inner[theta]))]),
    groupings = sapply(names(ranef(again)), function(n) spread(again, n), simplify = FALSE),
    log_likelihood = numbers(logLik(again))
  )
}

set.seed(45)
report <- function(eta, slope, base, h = plogis) {
  as.integer(runif(length(eta)) < slope * h(eta) + base)
}

crossed <- expand.grid(item = 1:12, person = 1:40)
crossed$x <- round(rnorm(480), 2)
u <- rnorm(40, 0, 0.9)
v <- 0.6 * u + rnorm(40, 0, 0.6)
eta <- -0.3 + u[crossed$person] + (0.7 + v[crossed$person]) * crossed$x +
  rnorm(12, 0, 0.8)[crossed$item]
crossed$report <- report(eta, 0.7, 0.15)

nested <- data.frame(district = rep(1:10, each = 60), interviewer = rep(1:40, each = 15))
nested$x <- round(rnorm(600, 2), 2)
eta <- -1 + 0.5 * nested$x + rnorm(10, 0, 0.7)[nested$district] +
  rnorm(40, 0, 0.8)[nested$interviewer]
nested$report <- report(eta, 0.75, 0.1, pnorm)

slopes <- data.frame(village = rep(1:30, each = 25))
slopes$x <- round(rnorm(750), 2)
slopes$z <- as.integer(runif(750) < 0.5)
eta <- 0.2 + rnorm(30, 0, 0.7)[slopes$village] + (0.5 + rnorm(30, 0, 0.6)[slopes$village]) *
  slopes$x + (-0.4 + rnorm(30, 0, 0.8)[slopes$village]) * slopes$z
slopes$report <- report(eta, 0.8, 0.1)

direct <- slopes
direct$report <- report(eta, 1, 0)

cases <- list(
  fitted_case("crossed", crossed, "report ~ x + (1 + x | person) + (1 | item)", 0.7, 0.15),
  fitted_case(
    "nested", nested, "report ~ x + (1 | interviewer) + (1 | district)", 0.75, 0.1, "probit"
  ),
  fitted_case("two slopes", slopes, "report ~ x + z + (1 + x + z | village)", 0.8, 0.1),
  fitted_case("direct", direct, "report ~ x + z + (1 + x | village)", 1, 0)
)
write(
  toJSON(list(lme4 = as.character(packageVersion("lme4")), cases = cases), auto_unbox = TRUE,
    digits = NA),
  commandArgs(TRUE)[1]
)
