"""Statisticians' words in one plain sentence each, as pages explain them beside the word.

`docs/glossary.md` says the same sentence first; a contract test holds the two together.
"""

from django.utils.translation import gettext_lazy

TERMS = {
    "epsilon": gettext_lazy(
        "How far an answer can change what others believe about a person: the odds of any guess "
        "change at most by a factor of e to the power of epsilon"
    ),
    "channel": gettext_lazy(
        "The table of probabilities: for each true answer, how likely each possible answer is "
        "to be sent"
    ),
    "k-ary response": gettext_lazy(
        "The true answer is sent with the largest probability, and every other answer is sent "
        "equally often"
    ),
    "confidence interval": gettext_lazy(
        "The shares that fit the counted answers; of 100 such intervals, about 95 contain the "
        "true share"
    ),
    "confidence sequence": gettext_lazy(
        "Intervals that you may look at after every answer; the confidence level applies to all "
        "of these intervals together"
    ),
    "group-sequential": gettext_lazy(
        "Intervals for looks that were planned beforehand; each interval is wider than for a "
        "single look, so that the confidence level applies to all intervals together"
    ),
    "tilting": gettext_lazy(
        "The interval contains each mean that fits the observed answers well; each mean is "
        "tested with the best-fitting shares of the answers and of both ends of their range"
    ),
    "Gaussian privacy": gettext_lazy(
        "What a report reveals about one person: how easily one can see from which of two bell "
        "curves a number was drawn"
    ),
    "mu": gettext_lazy(
        "The distance between the two bell curves of Gaussian privacy; for several reports, the "
        "squares of their distances add up"
    ),
    "delta": gettext_lazy("The probability with which a promise of privacy may fail"),
    "power": gettext_lazy(
        "The probability of seeing a difference of this size, if the difference exists"
    ),
}
