"""Earlier editions of the wording: catalogues of what surveys that were launched before promised.

Each has, for a language and address, the earlier words of the sentences that have others now: what
is looked up is the sentence of today. No one changes these words while such a survey can be open.
"""

from collections.abc import Iterable

from django.conf import settings
from django.utils.translation import to_locale

from surveys.web.locales import EARLIER, INFORMAL
from tests.locale import catalogues
from tests.locale.address import BASE_OF, overlaid
from tests.locale.catalogues import Entry
from tests.locale.make import po_file

SPOKEN = (*dict(settings.LANGUAGES), *INFORMAL.values())
# Directories of catalogues, with the one whose words a survey of today has.
NEWEST_OF = {
    to_locale(f"{spoken}-{edition}"): to_locale(spoken)
    for spoken in SPOKEN
    for _, edition in EARLIER
}


def marked(entries: Iterable[Entry], texts: Iterable[Entry]) -> list[Entry]:
    """The entries, without those of sentences that no page says any more."""
    said = {(text.msgid, text.plural) for text in texts}
    return [entry for entry in entries if not entry.msgid or (entry.msgid, entry.plural) in said]


def words_of(name: str, earlier: list[Entry]) -> list[Entry]:
    """All that a page of such a survey says: its earlier words, and those of today for the rest.

    English is what is marked, so it needs no entry of today.
    """
    newest = NEWEST_OF[name]
    own = [entry for entry in earlier if entry.msgid]
    if newest == "en":
        return [earlier[0], *own]
    base = catalogues.read(po_file("respondents", BASE_OF.get(newest, newest)))
    if newest in BASE_OF:
        base = overlaid(base, catalogues.read(po_file("respondents", newest))[1:])
    return overlaid(base, own)
