"""What comparisons and trees of stored answers say in English: tests, methods, notes, refusals.

``analytics.pages.stored`` finds them again by their patterns when a page shows them.
"""

from surveys.questionnaire.messages import for_author

# How a p-value was found; each ends the sentence "The p-value comes from …".
TESTS = (
    for_author("all random splits of the reports"),
    for_author("{draws} random splits of the reports"),
    for_author("{draws} random splits of the people"),
    for_author("{draws} random splits of the people, each with all their ratings"),
    for_author("{draws} random splits of the people, each with all their reports"),
    for_author("{draws} simulated surveys without a difference (own channel for each group)"),
    for_author("{draws} random pairings of the reports on groups with those on answers"),
    for_author("the noise of {draws} simulated surveys, which is approximate"),
)
METHODS = (
    for_author("exact, on a line"),
    for_author("exact, by linear program"),
    for_author("exact, by assignment"),
    for_author("exact, on a grid of {count} combinations"),
    for_author("sliced"),
)
NOTES = (
    for_author(
        "Promising items were shown more often as time went by: groups that answered at other "
        "times may have rated other items."
    ),
    for_author("These surveys rate other items: the distance may be that of the items."),
    for_author("Pooled, so that no figure is about a few people: {names}."),
    for_author("Left out, as fewer than {least} people: {names}."),
    for_author("Left out, as they declined one of these questions: {count}."),
    for_author("Left out, as too few people to tell from chance: {names}."),
    for_author("Distances are of {count} people each, drawn by chance: {names}."),
    for_author(
        "There are {count} different numbers. Neighbours are taken together, which moves no "
        "answer by more than {moved}."
    ),
    for_author(
        "Leaves were chosen by looking at these answers, so that their intervals are optimistic."
    ),
)
PROBLEMS = (
    for_author("“{title}” does not ask this question with the same answers."),
    for_author("One of these surveys has no answers any more."),
    for_author("You may not read one of these surveys."),
    for_author("No answer is stored yet that a tree could count. Wait for answers."),
)
# What refusals ask for, after "cannot be used".
REMEDIES = (
    for_author("make the report anew"),
    for_author("these are no clouds'"),
    for_author("these are no comparison's"),
    for_author("these are no tree's"),
    for_author("these are no private tree's"),
    for_author("questions are numbered 1 to {most}"),
    for_author("choose a question with a scale"),
    for_author("choose a question whose answers tell groups"),
    for_author("choose a question that was asked directly"),
    for_author("choose another question to tell groups apart"),
    for_author("choose other questions that may explain this one"),
    for_author("choose questions whose answers are levels"),
    for_author("choose questions with numbers or scales"),
    for_author("choose {fewest} to {most} questions with numbers or scales"),
    for_author("choose direct questions with answers to choose from"),
    for_author("compare by a question, or with other surveys"),
    for_author("compare at most {most} surveys"),
    for_author("compare at most {most}: choose a question with fewer answers"),
    for_author("a comparison needs {fewest} to {most} groups"),
    for_author("a comparison needs two groups"),
    for_author("a comparison needs at least two groups"),
    for_author("a survey needs at least {least} answers to this question"),
    for_author("the question has another scale in one of these surveys"),
    for_author("no answer to it is stored yet"),
    for_author("no answers to both questions are stored yet"),
    for_author("no group has {least} answers yet"),
    for_author(
        "no groups can be told apart that each have 10 people and no answer that fewer than 5 of "
        "them gave: wait for more answers, or choose other questions"
    ),
    for_author(
        "so few people were not asked all of this, or declined, that a figure without them would "
        "say what they answered: wait for more answers, or choose other questions"
    ),
    for_author("no person so far was asked all of these questions"),
    for_author("these answers have no order: give the distances between them"),
    for_author("all people gave the same number"),
    for_author("all people gave the same answers: there is nothing to compare"),
    for_author("almost all of the group declined: compare the shares that declined"),
    for_author("almost all of the group declined one of these questions"),
    for_author(
        "its answers come to light as released tables alone: look at those, or choose a question "
        "that is protected by a design"
    ),
    for_author(
        "randomized answers are compared on at most {most}: choose fewer questions, or questions "
        "with fewer answers"
    ),
    for_author("clouds of this size have a sliced distance only, under the Euclidean metric"),
    for_author(
        "a group must be clear of 0 by {errors} standard errors and hold {fewest} people: about "
        "{people} people would do, instead of {count}"
    ),
    for_author("a group must be clear of 0 by {errors} standard errors and hold {fewest} people"),
    for_author("its tables may have at most {most} cells: grow less deep"),
    for_author("ask 1 to {most} questions on a path"),
    for_author("give {fewest} to {most} people"),
    for_author("give {fewest} to {most} draws"),
    for_author("give {fewest} to {most} folds, one person at least in each"),
    for_author("give a whole number of at least 0"),
    for_author("give 0.9, 0.95 or 0.99"),
    for_author("give 0.01, 0.05 or 0.1"),
    for_author("give one of {kinds}"),
    for_author("give a share above 0 and at most 1"),
    for_author("this little is nothing: noise without end shows nothing"),
    # Of distances that people typed.
    for_author("give one row and one column for each point"),
    for_author("give {count} rows and columns, one for each answer"),
    for_author("give numbers, rows of one length"),
    for_author("give one row of numbers for each point"),
    for_author("give finite numbers"),
    for_author("give numbers up to 1e100"),
    for_author("a distance is at least 0"),
    for_author("the way back must be as long as the way there"),
    for_author("the distance of a level to itself is 0"),
    for_author("two levels are never 0 apart"),
    for_author("the way over level {level} is shorter: no metric"),
)
# What refusals say of what was given.
VALUES = (
    for_author("“{name}” {share} ± {error} % answered"),
    for_author("{count} answers"),
    for_author("{shape} combinations"),
    for_author("no answers"),
    for_author("no differences"),
    for_author("levels {one} and {other} are {apart} apart"),
)
ALL = (*TESTS, *METHODS, *NOTES, *PROBLEMS, *REMEDIES)
