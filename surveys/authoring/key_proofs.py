"""The proof, before a launch, that keys can be opened: those of texts, and those of trustees.

The page shows a fresh word, sealed for each key of texts; its holder types it. To each trustee it
shows fresh bytes, and takes a proof over them that only the private half makes. The server keeps
nothing between the two: the page carries a code of what it showed under the server's own secret.
"""

import json
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext

from surveys.models import Survey
from surveys.questionnaire.plans.seals import SealKey, Seals
from surveys.questionnaire.plans.tallies import TallyPromise, TrusteeKey
from surveys.staff.acts import AskingSection, Challenge
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.trustees import check_tested, promised_trustee
from surveys.trust.words import new_word, read_word, seal_word

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SALT, TRUSTEE_SALT = "surveys.sealed-word", "surveys.trustee-question"
QUESTION_BYTES = 32


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
    refusal = gettext(
        "The word is wrong. Copy the whole line above into the command, and use the private "
        "half of this key."
    )
    return Challenge(layer, _section(key), _label(key), sealed, proof, refusal, typed, is_met)


def _proof(survey: Survey, key: SealKey, by: "User", sealed: str, word: str) -> str:
    about = json.dumps([str(survey.pk), key.key, str(by.pk), sealed, word])
    return salted_hmac(SALT, about, algorithm="sha256").hexdigest()


def _section(key: SealKey) -> AskingSection:
    return AskingSection(
        gettext("Check that the key of {name} works").format(name=key.name),
        (
            gettext(
                "Check now that the key works: if its private half is lost, every text is lost "
                "too. Ask the holder of the key to unlock the word below on the computer that "
                "has the key file. The command is: deniable texts word FILE WORD"
            ),
        ),
    )


def _label(key: SealKey) -> str:
    return gettext("The word that {name} unlocked").format(name=key.name)


def trustee_challenges(
    survey: Survey, tally: TallyPromise, by: "User", said: Mapping[str, str]
) -> tuple[Challenge, ...]:
    """One for each trustee; those that were answered as they were shown, with the answer."""
    return tuple(
        _trustee_challenge(survey, key, f"t{number}", by, said)
        for number, key in enumerate(tally.trustees, start=1)
    )


def _trustee_challenge(
    survey: Survey, key: TrusteeKey, name: str, by: "User", said: Mapping[str, str]
) -> Challenge:
    question, proof = said.get(f"sealed-{name}", ""), said.get(f"proof-{name}", "")
    typed = said.get(f"word-{name}", "").strip()
    is_ours = constant_time_compare(proof, _question_proof(survey, key, by, question))
    is_met = is_ours and _is_answered(key, question, typed)
    if not (question and proof and typed):
        question = secrets.token_hex(QUESTION_BYTES)
        proof = _question_proof(survey, key, by, question)
    refusal = gettext(
        "This is not the text that the command prints for this line. Copy the whole line above "
        "into the command, and use the private half of this key."
    )
    label = gettext("What the command of {name} printed").format(name=key.name)
    section = _trustee_section(key)
    return Challenge(name, section, label, question, proof, refusal, typed, is_met, len(key.proof))


def _question_proof(survey: Survey, key: TrusteeKey, by: "User", question: str) -> str:
    about = json.dumps([str(survey.pk), key.name, key.key, str(by.pk), question])
    return salted_hmac(TRUSTEE_SALT, about, algorithm="sha256").hexdigest()


def _is_answered(key: TrusteeKey, question: str, typed: str) -> bool:
    """Whether the private half of this key made this proof over the bytes that were shown."""
    try:
        answer = bytes.fromhex(typed)
        check_tested(promised_trustee(key), bytes.fromhex(question), answer)
    except (TrustRefusal, ValueError):
        return False
    return True


def _trustee_section(key: TrusteeKey) -> AskingSection:
    return AskingSection(
        gettext("Check that the key of the trustee {name} works").format(name=key.name),
        (
            gettext(
                "Check now that the key works: if its private half is lost, all tables of "
                "locked answers are lost too. Ask the holder of the key to answer the line below "
                "on the computer that has the key file. The command is: deniable trustee test "
                "FILE LINE"
            ),
        ),
    )
