"""What planned and stored tables say in English: refusals, and what they say of what was given.

``analytics.pages.stored`` finds them again by their patterns when a page shows them.
"""

from surveys.questionnaire.messages import for_author

# A level that no author wrote.
NAMES = (for_author("No answer"),)
# What refusals ask for, after "cannot be used".
REMEDIES = (
    for_author("“{name}” needs 1 to {most} levels: group them"),
    for_author("two of its levels read the same"),
    for_author("ask for at least one table of a question"),
    for_author("ask for at most {most} tables at once"),
    for_author("ask for at most {most} questions together"),
    for_author("ask for at most {most} questions in one table"),
    for_author("ask for fewer tables or smaller ones"),
    for_author("ask for fewer questions together, or give the release more of the budget"),
    for_author("a release holds at most {most} numbers: ask for fewer tables, or for smaller ones"),
    for_author("a release holds at most {most} numbers; {names} together would fit, with {count}"),
    for_author("at most {most} fit: ask for fewer questions together"),
    for_author("at most {most} fit: ask for fewer levels"),
    for_author("give more than 0: noise without end shows nothing"),
    for_author("replacing a respondent does not change it: publish it as it is, at no cost"),
    for_author("name each of its questions once, by the number of a chosen question"),
    for_author("choose 1 to {most} questions, each once"),
    for_author("choose at most {most} randomized questions, each once"),
    for_author("choose direct questions with levels or numbers"),
    for_author("choose randomized questions with levels, without a second question or a rule"),
    for_author("ask for tables, each once"),
    for_author("put each of them into a table"),
    for_author("there is no such question"),
    for_author("the answers to this question have no order: ask for counts"),
    for_author("only numbers are cut"),
    for_author("write them from low to high"),
    for_author("write numbers, such as 30"),
    for_author("write where to cut it: it has {count} different numbers"),
    for_author("give fewer than {most}"),
    for_author("cut between {least} and {most}. Whole numbers only"),
    for_author("cut between {least} and {most}. At most {count} digit after the decimal point"),
    for_author("cut between {least} and {most}. At most {count} digits after the decimal point"),
    for_author("they are not those of tables"),
    for_author("another version made it; this is {version}"),
    for_author("it is not what a release stores"),
    for_author("it is not what a schedule stores"),
)
# What refusals say of what was given.
VALUES = (
    for_author("{count} numbers"),
    for_author("{count} numbers in one table"),
    for_author("{count} questions in one table"),
    for_author("{count} questions together"),
    for_author("{count} levels in {bits} bits"),
    for_author("{ask} of question {number}"),
    for_author("the number of respondents"),
)
