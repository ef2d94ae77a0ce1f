"""The proof, before a launch, that the keys which texts are sealed for can be opened.

The page shows a fresh word, sealed for each key; its holder types it. The server keeps nothing
between the two: the page carries a code of the right answer under the server's own secret.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext

from surveys.models import Survey
from surveys.questionnaire.plans.seals import SealKey, Seals
from surveys.staff.acts import AskingSection, Challenge
from surveys.trust.words import new_word, read_word, seal_word

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SALT = "surveys.sealed-word"


def key_challenges(
    survey: Survey, seals: Seals, by: "User", said: Mapping[str, str]
) -> tuple[Challenge, ...]:
    """One for each key; those that were answered as they were shown, with the answer."""
    return tuple(
        _challenge(survey, key, str(layer), by, said)
        for layer, key in enumerate(seals.keys, start=1)
    )


def _challenge(
    survey: Survey, key: SealKey, layer: str, by: "User", said: Mapping[str, str]
) -> Challenge:
    sealed, proof = said.get(f"sealed-{layer}", ""), said.get(f"proof-{layer}", "")
    typed = said.get(f"word-{layer}", "")
    is_met = constant_time_compare(proof, _proof(survey, key, by, sealed, read_word(typed)))
    if not (sealed and proof and typed):
        word = new_word()
        sealed = seal_word(word, key.public).hex()
        proof = _proof(survey, key, by, sealed, word)
    return Challenge(layer, _section(key), _label(key), sealed, proof, typed, is_met)


def _proof(survey: Survey, key: SealKey, by: "User", sealed: str, word: str) -> str:
    about = json.dumps([str(survey.pk), key.key, str(by.pk), sealed, word])
    return salted_hmac(SALT, about, algorithm="sha256").hexdigest()


def _section(key: SealKey) -> AskingSection:
    return AskingSection(
        gettext("The key of {name} opens").format(name=key.name),
        (
            gettext(
                "If the private half of this key is lost, so is every text. So let its holder open "
                "this word, on the machine that has the key file: deniable texts word FILE WORD"
            ),
        ),
    )


def _label(key: SealKey) -> str:
    return gettext("The word that {name} read").format(name=key.name)
