# Weighted shares of a reported bit by R's package survey: writes weighted_shares.json.
#
#     apt-get install --no-install-recommends r-base-core r-cran-survey r-cran-jsonlite
#     Rscript tests/oracles/weighted_shares.R tests/oracles/weighted_shares.json
#
# A case has people as rows (report, weight, stratum, cluster, group, how many), and for each level
# svymean with its standard error and svyciprop by "beta" and "mean". A design names the columns
# that it uses. Where the variance is 0 svyciprop has no interval: "beta" is null.
suppressPackageStartupMessages({
  library(survey)
  library(jsonlite)
})

SIZES <- c(8, 30, 200, 2000)
SHARES <- c(0, 0.02, 0.2, 0.5, 0.95)
USED <- list(
  weights = character(),
  strata = "stratum",
  clusters = "cluster",
  both = c("stratum", "cluster"),
  poststrata = "group",
  all = c("stratum", "cluster", "group")
)

people <- function(n, share, related) {
  place <- seq_len(n) - 1
  group <- ifelse(place %% 10 < 3, "a", "b")
  weight <- ifelse(group == "a", 4, 1) * c(1, 1.5, 0.8)[place %% 3 + 1]
  stratum <- place %/% (n / 2)
  cluster <- place %/% max(2, n %/% 24)
  slope <- if (related) ifelse(group == "a", 1.6, 0.7) else 1
  data.frame(
    report = as.integer(runif(n) < pmin(1, share * slope)),
    weight, stratum, cluster, group
  )
}

design_of <- function(rows, used) {
  clusters <- if ("cluster" %in% used) ~cluster else ~1
  strata <- if ("stratum" %in% used) ~stratum else NULL
  design <- svydesign(clusters, strata = strata, weights = ~weight, data = rows, nest = TRUE)
  if (!("group" %in% used)) return(design)
  postStratify(design, ~group, data.frame(group = c("a", "b"), Freq = c(400, 600)))
}

number <- function(x) unbox(signif(as.numeric(x)[1], 15))

interval <- function(design, method, level) {
  ends <- as.vector(confint(svyciprop(~report, design, method = method, level = level)))
  if (any(!is.finite(ends))) NULL else signif(ends, 15)
}

answer <- function(rows, used, level) {
  design <- design_of(rows, used)
  mean <- svymean(~report, design)
  # The rounding of 0 counts as 0: svyciprop would take it for nearly infinitely many answers.
  certain <- as.numeric(SE(mean)) < 1e-12
  list(
    level = unbox(level),
    share = number(coef(mean)),
    standard_error = number(SE(mean)),
    degrees_of_freedom = unbox(degf(design)),
    beta = if (certain) NULL else interval(design, "beta", level),
    mean = if (certain) NULL else interval(design, "mean", level)
  )
}

counted <- function(rows) {
  # People who are alike in all columns are one row with their number.
  aggregate(list(times = rep(1L, nrow(rows))), rows, sum)
}

set.seed(35)
cases <- list()
data <- list()
for (n in SIZES) for (share in SHARES) for (related in c(FALSE, TRUE)) {
  rows <- people(n, share, related)
  key <- sprintf("%d-%g-%s", n, share, if (related) "related" else "alike")
  data[[key]] <- as.list(counted(rows))
  for (name in names(USED)) {
    cases[[length(cases) + 1]] <- list(
      id = unbox(paste(name, key, sep = "-")),
      data = unbox(key),
      uses = as.list(USED[[name]]),
      expected = answer(rows, USED[[name]], if (related) 0.9 else 0.95)
    )
  }
}
written <- list(
  origin = unbox(sprintf("R %s, survey %s", getRversion(), packageVersion("survey"))),
  population = list(a = unbox(400), b = unbox(600)),
  data = data,
  cases = cases
)
write(toJSON(written, digits = NA, null = "null", auto_unbox = TRUE), commandArgs(TRUE)[1])
