"""FindsWords: what a report's page says of what its kind finds: topics, directions or clusters."""

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from surveys.wording.language.numbers import grouped


@dataclass(frozen=True)
class FindsWords:
    """Headings and labels; ``name`` is what one of them is called at the head of a column."""

    name: str
    found: str
    sizes: str
    by_main: str
    quality: str
    naming: str


def finds_words(finds: str, count: int, respondents: int, *, is_private: bool) -> FindsWords:
    """The words of a report with so many of them in the texts of so many respondents."""
    words = {"direction": _directions, "cluster": _clusters}.get(finds, _topics)
    return words(count, grouped(respondents), is_private)


def numbered(finds: str, number: int) -> str:
    """What one is called that has no name."""
    if finds == "direction":
        return gettext("Direction {number}").format(number=number)
    if finds == "cluster":
        return gettext("Cluster {number}").format(number=number)
    return gettext("Topic {number}").format(number=number)


def words_of(finds: str, number: int) -> str:
    """The label of a table of one's words."""
    if finds == "direction":
        return gettext("Words of direction {number}").format(number=number)
    if finds == "cluster":
        return gettext("Words of cluster {number}").format(number=number)
    return gettext("Words of topic {number}").format(number=number)


def _topics(count: int, texts: str, is_private: bool) -> FindsWords:
    return FindsWords(
        gettext("Topic"),
        ngettext("{count} topic in {texts} texts", "{count} topics in {texts} texts", count).format(
            count=count, texts=texts
        ),
        gettext("How many respondents each topic has"),
        gettext(
            "Respondents by main topic; in brackets two standard deviations of the noise either way"
        )
        if is_private
        else gettext("Respondents by main topic"),
        gettext("How good the topics are"),
        gettext("Name the topics"),
    )


def _directions(count: int, texts: str, is_private: bool) -> FindsWords:
    return FindsWords(
        gettext("Direction"),
        ngettext(
            "{count} direction in {texts} texts", "{count} directions in {texts} texts", count
        ).format(count=count, texts=texts),
        gettext("How many respondents each direction has"),
        gettext(
            "Respondents by main direction; in brackets two standard deviations of the noise "
            "either way"
        )
        if is_private
        else gettext("Respondents by main direction"),
        gettext("How good the directions are"),
        gettext("Name the directions"),
    )


def _clusters(count: int, texts: str, is_private: bool) -> FindsWords:
    return FindsWords(
        gettext("Cluster"),
        ngettext(
            "{count} cluster in {texts} texts", "{count} clusters in {texts} texts", count
        ).format(count=count, texts=texts),
        gettext("How many respondents each cluster has"),
        gettext("Respondents by main cluster"),
        gettext("How good the clusters are"),
        gettext("Name the clusters"),
    )
