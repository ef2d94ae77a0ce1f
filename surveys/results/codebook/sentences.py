"""How to read what a codebook names: one paragraph for each thing that needs one."""

HOW_TO_READ_TEXTS = (
    "Free text is not in this file. The survey's owner downloads it on its own (texts.csv): one "
    "row per text, in an order of its own, with nothing that joins it to the other answers."
)


HOW_TO_READ_SEALED_TEXTS = (
    "Free text is not in this file, and no server can read it: the page sealed it for the keys "
    "that texts_sealed_for names, the first innermost. The survey's owner downloads one file a "
    "question (texts-<number>.json); “texts open” opens it where the keys are. It has one text of "
    "each person, empty where nothing was written, sorted by the sealed bytes."
)


HOW_TO_READ_PAGES = (
    "Nothing is sent of these pages. A person who did not agree to a page of consent could not "
    "send anything: every response is of a person who did."
)


HOW_TO_READ_THE_BUDGET = (
    "What respondents were promised about all reports on their texts together (source text), or "
    "about these and all table releases together (source all): differential privacy with this "
    "epsilon (in nats) and this delta, between two sets of answers that differ as the adjacency "
    "says. Null: nothing protected was promised. The texts themselves, texts.csv, and direct "
    "answers, responses.csv, are not protected."
)


HOW_TO_READ = (
    "One row per response, in the order of random keys, which says nothing about when it came. "
    "A cell of the CSV that a spreadsheet could take for a formula starts with an apostrophe. "
    "A column whose name ends in _rep holds reports, not true answers: its mean is no estimate. "
    "The columns behind it, “debiased”, have estimates for their means. "
    "“name” is the question's, “column” what the files call it; files of earlier versions call "
    "every column by its “name”."
)


HOW_TO_READ_DEBIASED = (
    "A debiased column has a number for each person, worked out from reported codes alone. A "
    "single number means nothing: it may lie far below 0 or above 1. The mean of the column "
    "estimates what its label says. Its standard error is that of any mean: s / sqrt(n) over the "
    "cells that are not empty. Valid are means, differences, ratios of two columns, groups by "
    "direct answers, weights, clusters, and the column as the outcome of a regression with robust "
    "errors. Not valid are the column as a predictor, its variance, correlation, median, "
    "quantiles or histogram, a finite population correction, and leaving out or cutting numbers "
    "below 0 or above 1. The product of columns of different reports estimates a joint share. "
    "Columns of one report, such as the answers to one question, are added and never multiplied. "
    "Nor are columns of the questions in “never_multiply_with”, which one answer to a second "
    "question hides. Each of “look_ups” has a number, or null, for the code in the column “of” in "
    "the file of codes; several codes are joined by a space. The cell is the sum of “start”, if "
    "there is one, and of all numbers; it is empty if all are null. “manage.py columns” works the "
    "columns out from a file and this codebook."
)


HOW_TO_ESTIMATE = (
    "Answers of randomized questions are reports, not truths. With f the vector of reported "
    "shares in the order of the levels, and P[reported, true] = weights[true][reported] / "
    "denominator, estimate the true shares by solving P pi = f. Both paths use the same P, so "
    "count them together; leave out who was not asked. Estimates may lie below 0 or above 1: "
    "that is the noise, and cutting it off biases sums. The covariance is "
    "P^-1 (diag(f) - f f') P^-T / (n - 1). A direct question has the identity for P."
)


HOW_TO_READ_WITHHELD = (
    "In so many rows the questions that a respondent with a coin of their own cannot be asked are "
    "marked as not asked. Some of these people used their own coin; the others were drawn by "
    "chance, so that no one can tell who did. Estimates become less precise. The drawn ones are a "
    "tenth of the rows that could show the path, missing at random, or as many as a batch has if "
    "that is more, or all that were opened at the close if they are fewer, which may be most "
    "answers to a question that few people were asked. Where they are more than a tenth and some "
    "answers were opened before the close, late answers are missing more often."
)


HOW_TO_READ_SHARED = (
    "Each of these pairs of questions, numbered from 1, is hidden by one answer of the respondent. "
    "Their reports are not independent: together they tell true answers, so that the total "
    "epsilon is infinite, and no channel of both is the product of their channels."
)


HOW_TO_READ_THE_DRAW = (
    "Each person was asked so many of the protected questions (with a coin of their own, fewer by "
    "those that it cannot ask), all subsets of that size being "
    "equally likely, drawn before anything was answered. A question that was not drawn is marked "
    "as not asked: it is missing at random, so estimate among those who were asked."
)


HOW_TO_READ_ARMS = (
    "Chance put each person into one arm, by weights that are frozen, before anything was "
    "answered; the last column says which. An arm says nothing of its people, so arms differ by "
    "how they were asked, by who pressed Send because of that, and by chance alone."
)


HOW_TO_READ_MARKS = (
    "A report is a list with some options marked. As a code: option j, in the order of the levels "
    "from 0, is bit j mod 8 of byte j div 8, two hexadecimal digits for each byte. With c the "
    "number of reports among n that mark an option, estimate its share as (c / n - marked_if_not) "
    "/ (marked_if_true - marked_if_not)."
)


HOW_TO_READ_GROUPS = (
    "A report is a group of answers, drawn by chance: “answers” are its places in the levels, from "
    "0. There are more reports than levels, so P[reported, true] = weights[true][reported] / "
    "denominator has no inverse. With D the diagonal of the means of the rows of P, estimate the "
    "true shares as (P' D^-1 P)^-1 P' D^-1 f."
)


HOW_TO_READ_ORDER = (
    "Each respondent's page drew an order of its own: of the answers to these questions, of the "
    "screens in these sections, of these sections among themselves. No order was sent or stored. "
    "People who answered without the page's script saw the order of the questionnaire."
)


HOW_TO_READ_PARTS = (
    "Each part of the question has a column of its own. Of each respondent as many parts were "
    "sent as “parts_sent” says, drawn evenly and independently of the answers; the others are "
    "empty in the file of codes: missing at random, so estimate each part among those that sent "
    "it. Every part goes through the channel on its own; epsilon is that of all that is sent "
    "together."
)


HOW_TO_READ_RELEASED = (
    "These questions have no column: no one reads their answers one by one. They come to light as "
    "tables with noise, on the page of releases, with margins and files of their own."
)


HOW_TO_READ_POINTS = (
    "A report is one of a few points; the columns of the weights are the true values in their "
    "order, so that the channel has no inverse. The mean of the scores of the reports is unbiased "
    "for the mean of the true values, with the standard error of any mean."
)


HOW_TO_READ_RATIO = (
    "Some reports are answers beside the number, such as “Do not know”. The mean of the scores "
    "estimates the mean of the numbers times the share of people who gave one, which the mean of "
    "“answered_scores” estimates: divide the one by the other, with the standard error of a ratio."
)


HOW_TO_READ_NUMBERS = (
    "The column holds what was measured and nothing else: a cell is empty where there is no "
    "answer, and the column named in “column_of_reasons” then says why."
)


HOW_TO_READ_SPECIAL = (
    "A code in “special” is no number: it is that of an answer beside the field, such as “Do not "
    "know”. It stands in the column of reasons, or its words in a file of words."
)


HOW_TO_READ_FAMILY = (
    "One report tells of several questions: a level is a way through all of them, with the answer "
    "to each in “ways”, in the order of “members”; dashes mean that the question was not asked on "
    "that way. The share of an answer among those who were asked a question is a ratio of two sums "
    "of estimated shares; its interval keeps every t at which the sum less t times the other "
    "may have the mean 0 (Fieller 1954)."
)


HOW_TO_READ_HIDDEN = (
    "A protected answer decides who was asked, so all people send a report: the true answer of who "
    "was not asked is the level in “if_hidden”. Where it means that the question does not apply, "
    "shares among those asked are ratios to the sum of the other levels. Where it is an answer, "
    "work back the joint shares with the questions of the rule first, by the product of their "
    "channels; intervals keep every t at which one sum less t times the other may have the mean 0 "
    "(Fieller 1954)."
)


HOW_TO_READ_RATINGS = (
    "Each respondent rated as many items as “shown” says, drawn by chance; the columns come "
    "in pairs, the item (its number, in the file of codes) and its rating, in the order of the "
    "items. Every rating goes through the channel on its own; epsilon is that of all together."
)


HOW_TO_READ_DISPLAY = {
    "even": " Every item was equally likely to be shown.",
    "adaptive": (
        " Items that had been rated well were shown more often: means of single items are biased, "
        "mostly downwards, and averages over all ratings lean to the items that are liked. "
        "docs/ranking.md says what is still right."
    ),
}
