# Copyright the Deniable contributors. SPDX-License-Identifier: Apache-2.0
# The figures of figures.json, worked out from responses.csv: Rscript figures.R
#
# It needs the package jsonlite. Each line is a figure: what was worked out, and the same as it stood
# on the survey's page of results. It ends with status 1 if two of them differ.
#
# A figure is the mean of what each report counts, "start" added; of several reports, the sum of
# their means; with "divided_by", a ratio of two. Standard errors are those of any mean,
# s / sqrt(n), of sums of independent means, and of ratios by linearisation.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
here <- if (length(script)) dirname(normalizePath(script[1])) else "."
close <- 1e-9 # the same sums in another order differ by less

described <- jsonlite::fromJSON(file.path(here, "figures.json"), simplifyVector = FALSE)
rows <- read.csv(
  file.path(here, "responses.csv"),
  colClasses = "character", check.names = FALSE, na.strings = character(0), encoding = "UTF-8"
)

# A long list: option j is bit j mod 8 of byte j / 8 of the hexadecimal digits.
marked <- function(report, option) {
  from <- 2 * (option %/% 8) + 1
  byte <- strtoi(substr(report, from, from + 1), base = 16L)
  bitwAnd(bitwShiftR(byte, option %% 8), 1L) == 1L
}

# What a term counts in each row; NA where nothing was sent.
numbers_of <- function(term) {
  if (!is.null(term$column)) {
    return(suppressWarnings(as.numeric(rows[[term$column]])))
  }
  cells <- do.call(paste, unname(as.list(rows[unlist(term$of)])))
  if (is.null(term$values)) {
    sent <- grepl("[^-]", cells)
    numbers <- rep(NA_real_, length(cells))
    numbers[sent] <- ifelse(marked(cells[sent], term$option), term$if_marked, term$if_not)
    return(numbers)
  }
  values <- vapply(term$values, function(one) if (is.null(one)) NA_real_ else as.numeric(one), 0)
  unname(values[match(cells, names(term$values))])
}

standard_error <- function(numbers) {
  if (length(numbers) > 1) stats::sd(numbers) / sqrt(length(numbers)) else NA_real_
}

worked_out <- function(figure) {
  top <- lapply(figure$means_of, numbers_of)
  if (!is.null(figure$divided_by)) {
    base <- numbers_of(figure$divided_by)
    both <- !is.na(top[[1]]) & !is.na(base)
    above <- top[[1]][both]
    below <- base[both]
    value <- mean(above) / mean(below)
    error <- standard_error(above - value * below) / abs(mean(below))
    return(list(n = sum(both), estimate = value, standard_error = error))
  }
  sent <- lapply(top, function(numbers) numbers[!is.na(numbers)])
  start <- if (is.null(figure$start)) 0 else figure$start
  list(
    n = sum(lengths(sent)),
    estimate = start + sum(vapply(sent, mean, 0)),
    standard_error = sqrt(sum(vapply(sent, standard_error, 0)^2))
  )
}

stated_or_na <- function(number) if (is.null(number)) NA_real_ else number

lines <- list()
for (question in described$questions) {
  for (figure in question$figures) {
    lines[[length(lines) + 1]] <- data.frame(
      question = question$question, label = figure$label, worked_out(figure),
      estimate_on_page = stated_or_na(figure$estimate),
      standard_error_on_page = stated_or_na(figure$standard_error)
    )
  }
}
if (!length(lines)) {
  message("0 figures, 0 differ from the page.")
  quit(status = 0)
}
figures <- do.call(rbind, lines)
differs <- function(computed, stated) {
  !is.na(stated) & (is.na(computed) | abs(computed - stated) > close)
}
differ <- sum(differs(figures$estimate, figures$estimate_on_page) |
  differs(figures$standard_error, figures$standard_error_on_page))
shown <- vapply(figures, is.numeric, TRUE)
figures[shown] <- lapply(figures[shown], format, digits = 17, trim = TRUE)
write.csv(figures, row.names = FALSE)
message(nrow(figures), " figures, ", differ, " differ from the page.")
if (differ > 0) quit(status = 1)
