"""Statisticians' words in one plain sentence each, as pages explain them beside the word.

`docs/glossary.md` says the same sentence first; a contract test holds the two together.
"""

from django.utils.translation import gettext_lazy

TERMS = {
    "epsilon": gettext_lazy(
        "How far an answer can move what others believe about a person: the odds change at most e "
        "to this power"
    ),
    "channel": gettext_lazy(
        "The table of chances by which a true answer becomes the answer that is sent"
    ),
    "k-ary response": gettext_lazy(
        "The true answer is sent with the largest chance, and each other answer equally often"
    ),
    "confidence interval": gettext_lazy(
        "The shares that fit what was counted; of 100 such intervals, about 95 hold the true share"
    ),
    "confidence sequence": gettext_lazy(
        "Intervals that may be looked at after every answer, and still are right together"
    ),
    "group-sequential": gettext_lazy(
        "Intervals for looks that were planned beforehand, each wider than for one look, so that "
        "they are right together"
    ),
    "tilting": gettext_lazy(
        "Each mean is tested as if the answers, and both ends of their range, had the shares that "
        "make what was seen most likely"
    ),
    "Gaussian privacy": gettext_lazy(
        "What a report reveals about one person, measured as how well two bell curves can be "
        "distinguished"
    ),
    "mu": gettext_lazy(
        "The distance of the two bell curves of Gaussian privacy; the squares of all reports add up"
    ),
    "delta": gettext_lazy("The chance with which a promise of privacy may fail"),
    "power": gettext_lazy("The chance that a difference of this size is seen, if it is there"),
}
