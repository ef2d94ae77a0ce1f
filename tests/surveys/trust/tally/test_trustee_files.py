"""A trustee's public file is read strictly: whose it is, its key, the proof of its other half."""

import json

import pytest

from surveys.trust.keyfiles import TRUSTEE, PublicKey, read_trustee
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.trustees import Trustee, joint_key, promised_trustee
from tests.counting import trustee, trustee_keys


def document_of(one: Trustee) -> dict[str, str]:
    """What "trustee new" writes."""
    document = PublicKey(one.name, one.key, TRUSTEE).to_document()
    return {**document, "proof": one.proof.hex()}


ADA, GRACE = trustee("Ada"), trustee("Grace")
WHOLE = document_of(ADA)


def test_a_file_is_the_trustee_that_it_was_made_of():
    assert read_trustee(json.dumps(WHOLE).encode()) == ADA


def test_the_trustees_of_a_document_have_the_key_of_their_files():
    keys = trustee_keys("Ada", "Grace")
    assert [promised_trustee(key) for key in keys] == [ADA, GRACE]
    assert joint_key([ADA, GRACE]) == joint_key(list(map(promised_trustee, keys)))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({**WHOLE, "deniable": "private key 1"}, "not a public key file"),
        ({**WHOLE, "kind": "texts"}, "damaged"),
        ({name: WHOLE[name] for name in WHOLE if name != "proof"}, "damaged"),
        ({**WHOLE, "proof": 5}, "damaged"),
        ({**WHOLE, "name": 5}, "damaged"),
        ({**WHOLE, "name": "Grace"}, "proof is not valid"),
        ({**WHOLE, "proof": GRACE.proof.hex()}, "proof is not valid"),
        ({**WHOLE, "key": "01" + "00" * 31}, "not a point that locked answers can contain"),
        ([], "damaged"),
    ],
)
def test_another_file_is_refused_in_words(document, words):
    with pytest.raises(TrustRefusal, match=words):
        read_trustee(json.dumps(document).encode())
