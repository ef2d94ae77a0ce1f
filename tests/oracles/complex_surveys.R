# Means, totals, ratios, quantiles and regressions of complex samples by R's package survey.
#
#     apt-get install --no-install-recommends r-base-core r-cran-survey r-cran-mass r-cran-jsonlite
#     Rscript tests/oracles/complex_surveys.R tests/oracles/complex_surveys.json
#
# "people" has the columns of one simulated sample; a case says how its design was made ("design":
# the arguments by column names), what it was calibrated to, and what R printed: for each statistic
# its estimates and their covariance matrix. "replicates" has replicate weights by their name, a row
# each, with the factors by which R multiplies squares. The numbers of groups are those of svyby.
suppressPackageStartupMessages({
  library(survey)
  library(jsonlite)
})

set.seed(43)
N <- 120
stratum <- rep(c("a", "b", "c"), each = N / 3)
cluster <- rep(1:20, each = N / 20)  # six people each; strata of 7, 7 and 6, not all whole
stratum <- c("a", "b", "c")[findInterval(cluster, c(1, 8, 15))]
people <- data.frame(
  stratum, cluster,
  pair = (seq_len(N) - 1) %/% 3,
  half = c("u", "v")[(seq_len(N) - 1) %/% 3 %% 2 + 1],
  clusters_in_all = c(a = 20, b = 35, c = 9)[stratum],
  people_in_cluster = 10 + cluster %% 4,
  people_in_half = 5 + cluster %% 3,
  people_in_all = c(a = 400, b = 700, c = 150)[stratum],
  sex = c("f", "m")[(seq_len(N) * 7) %/% 3 %% 2 + 1],
  age = c("old", "young", "young", "middle", "old")[seq_len(N) %% 5 + 1],
  weight = round(5 + 10 * runif(N), 2)
)
people$x <- round(rnorm(N, 30, 8) + cluster %% 5, 1)
people$y <- round(20 + 0.6 * people$x + 4 * (people$sex == "f") + rnorm(N, 0, 5) + cluster %% 3, 1)
people$bit <- as.integer(runif(N) < plogis(-2 + 0.06 * people$x + 0.5 * (people$sex == "f")))
# Two clusters a stratum, for half samples.
people$pairs <- (cluster - 1) %/% 2
people$lonely <- ifelse(cluster == 20, "d", stratum)

numbers <- function(x) signif(as.vector(as.matrix(x)), 15)
table_of <- function(m) apply(signif(as.matrix(unname(m)), 15), 1, identity, simplify = FALSE)
estimate <- function(s) list(value = numbers(coef(s)), covariance = table_of(vcov(s)))

quantiles <- function(design) {
  q <- svyquantile(~y, design, c(0.1, 0.5, 0.75), df = degf(design))$y
  list(
    value = numbers(q[, 1]), low = numbers(q[, 2]),
    high = numbers(q[, 3]), standard_error = numbers(q[, 4])
  )
}

# Of the means of y of women and men. svyby keeps no covariances in this version: so they are ratios
# of totals, or of replicate weights computed from each.
difference <- function(design) {
  if (inherits(design, "svyrep.design")) {
    of_weights <- function(w, data) {
      mean <- function(who) sum((w * data$y)[who]) / sum(w[who])
      mean(data$sex == "f") - mean(data$sex == "m")
    }
    found <- withReplicates(design, of_weights)
    return(list(value = numbers(coef(found)), covariance = table_of(vcov(found))))
  }
  design <- update(design, f = as.numeric(sex == "f"), m = as.numeric(sex == "m"))
  design <- update(design, yf = y * f, ym = y * m)
  totals <- svytotal(~ yf + f + ym + m, design)
  means <- svycontrast(totals, list(f = quote(yf / f), m = quote(ym / m)))
  estimate(svycontrast(means, c(1, -1)))
}

exactly <- glm.control(epsilon = 1e-15, maxit = 100)

answer <- function(design, replicated = FALSE) {
  mean <- svymean(~ y + bit, design, deff = if (replicated) FALSE else "replace")
  by <- svyby(~ y + bit, ~sex, design, svymean)
  logistic <- svyglm(
    bit ~ x + I(sex == "m"), design, family = quasibinomial(), control = exactly
  )
  list(
    weights = numbers(weights(design, "sampling")),
    degrees = unbox(degf(design)),
    mean = estimate(mean),
    design_effects = if (replicated) NULL else numbers(deff(mean)),
    total = estimate(svytotal(~ y + bit, design)),
    ratio = estimate(svyratio(~y, ~x, design)),
    by_sex = list(value = numbers(coef(by)), standard_error = numbers(SE(by))),
    difference = difference(design),
    degrees_of_women = unbox(degf(subset(design, sex == "f"))),
    quantiles = quantiles(design),
    logistic = estimate(logistic),
    left = unbox(logistic$df.residual),
    linear = estimate(svyglm(y ~ x, design))
  )
}

cases <- list()
add <- function(id, uses, design, known = NULL, lonely = NULL, replicates = NULL) {
  options(survey.lonely.psu = if (is.null(lonely)) "fail" else lonely)
  made <- list(
    id = unbox(id), uses = lapply(uses, unbox), known = known,
    expected = answer(design, !is.null(replicates))
  )
  if (!is.null(lonely)) made$single_units <- unbox(c(certainty = "certain", adjust = "centre")[[lonely]])
  if (!is.null(replicates)) made$replicates <- unbox(replicates)
  cases[[length(cases) + 1]] <<- made
}
drawn <- function(ids, ...) svydesign(ids, data = people, nest = TRUE, ...)

simple <- drawn(~1, weights = ~weight)
stratified <- drawn(~1, strata = ~stratum, weights = ~weight)
clustered <- drawn(~cluster, strata = ~stratum, weights = ~weight)
add("weights", list(weights = "weight"), simple)
add("strata", list(weights = "weight", strata = "stratum"), stratified)
add("clusters", list(weights = "weight", clusters = "cluster"), drawn(~cluster, weights = ~weight))
both <- list(weights = "weight", strata = "stratum", clusters = "cluster")
add("both", both, clustered)
finite <- drawn(~1, strata = ~stratum, fpc = ~people_in_all)
add("finite", list(strata = "stratum", population = "people_in_all"), finite)
add(
  "finite-weights", list(weights = "weight", strata = "stratum", population = "people_in_all"),
  drawn(~1, strata = ~stratum, fpc = ~people_in_all, weights = ~weight)
)
add(
  "finite-clusters", list(strata = "stratum", clusters = "cluster", population = "clusters_in_all"),
  drawn(~cluster, strata = ~stratum, fpc = ~clusters_in_all)
)
people$one <- seq_len(N)
two <- drawn(~ cluster + one, strata = ~ stratum + cluster, fpc = ~ clusters_in_all + people_in_cluster)
add(
  "two-stages",
  list(
    strata = "stratum", clusters = "cluster", population = "clusters_in_all",
    population2 = "people_in_cluster"
  ), two
)
halves <- interaction(people$cluster, people$half)
people$halves <- as.character(halves)
add(
  "two-stages-strata",
  list(
    strata = "stratum", clusters = "cluster", population = "clusters_in_all",
    strata2 = "halves", population2 = "people_in_half"
  ),
  drawn(~ cluster + one, strata = ~ stratum + halves, fpc = ~ clusters_in_all + people_in_half)
)
alone <- drawn(~cluster, strata = ~lonely, weights = ~weight)
lonely <- list(weights = "weight", strata = "lonely", clusters = "cluster")
add("lonely-certain", lonely, alone, lonely = "certainty")
add("lonely-centre", lonely, alone, lonely = "adjust")

sizes <- function(known) lapply(as.list(known), unbox)
sexes <- c(f = 640, m = 560)
ages <- c(middle = 260, old = 500, young = 440)
margins <- list(sex = sizes(sexes), age = sizes(ages))
totals <- c(`(Intercept)` = 1200, sexm = 560, ageold = 500, ageyoung = 440)
fits <- list(linear = "linear", raking = "raking", logit = "logit")
for (fit in names(fits)) {
  calibrated <- calibrate(
    clustered, ~ sex + age, totals,
    calfun = fit, bounds = if (fit == "logit") c(0.5, 2) else c(-Inf, Inf),
    epsilon = 1e-12, maxit = 500
  )
  known <- list(margins = margins, method = unbox(fit))
  if (fit == "logit") known$bounds <- c(0.5, 2)
  add(paste0("calibrated-", fit), both, calibrated, known)
}
with_total <- calibrate(
  clustered, ~ sex + x, c(`(Intercept)` = 1200, sexm = 560, x = 39000), epsilon = 1e-12
)
add(
  "calibrated-total", both, with_total,
  list(margins = list(sex = sizes(sexes)), totals = list(x = unbox(39000)), method = unbox("linear"))
)
cut <- calibrate(
  clustered, ~ sex + age, totals, calfun = "linear", bounds = c(0.7, 1.25), epsilon = 1e-12,
  maxit = 500
)
add("calibrated-cut", both, cut, list(margins = margins, method = unbox("linear"), bounds = c(0.7, 1.25)))
add(
  "poststratified", both, postStratify(clustered, ~age, data.frame(age = names(ages), Freq = ages)),
  list(margins = list(age = sizes(ages)), method = unbox("raking"))
)
two_raked <- calibrate(two, ~ sex + age, totals, calfun = "raking", epsilon = 1e-12, maxit = 500)
add(
  "two-stages-raked",
  list(
    strata = "stratum", clusters = "cluster", population = "clusters_in_all",
    population2 = "people_in_cluster"
  ), two_raked, list(margins = margins, method = unbox("raking"))
)

replicates <- list()
replicated <- function(id, design, known = NULL, base = design) {
  table <- as.matrix(weights(base, "analysis"))
  replicates[[id]] <<- list(
    weights = apply(signif(t(unname(table)), 12), 1, identity, simplify = FALSE),
    factors = numbers(base$scale * base$rscales),
    around = unbox(if (base$mse) "estimate" else "mean")
  )
  add(id, list(weights = "weight"), design, known, replicates = id)
}
paired <- svydesign(~cluster, strata = ~pairs, weights = ~weight, data = people, nest = TRUE)
jackknife <- as.svrepdesign(clustered, type = "JKn", mse = TRUE)
replicated("jackknife", jackknife)
replicated("jackknife-mean", as.svrepdesign(clustered, type = "JKn", mse = FALSE))
replicated("balanced", as.svrepdesign(paired, type = "BRR", mse = TRUE))
replicated("fay", as.svrepdesign(paired, type = "Fay", fay.rho = 0.3, mse = TRUE))
replicated("bootstrap", as.svrepdesign(clustered, type = "subbootstrap", replicates = 30, mse = TRUE))
raked <- calibrate(jackknife, ~ sex + age, totals, calfun = "raking", epsilon = 1e-12, maxit = 500)
replicated("jackknife-raked", raked, list(margins = margins, method = unbox("raking")), jackknife)

written <- list(
  origin = unbox(sprintf("R %s, survey %s", getRversion(), packageVersion("survey"))),
  people = as.list(people),
  replicates = replicates,
  cases = cases
)
write(toJSON(written, digits = NA, null = "null", na = "null"), commandArgs(TRUE)[1])
