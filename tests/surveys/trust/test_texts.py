"""A sealed text has one length, and opens with its keys, in its survey, at its question alone."""

import pytest

from surveys.trust.refusals import NotOpened
from surveys.trust.sealing import new_private, public_of
from surveys.trust.texts import open_text, seal_text, sealed_size

ABOUT = {"revision": b"\1" * 32, "question": 3, "longest": 20}


@pytest.fixture(scope="module")
def privates():
    return [new_private(), new_private()]


def sealed(text, privates):
    return seal_text(text, [public_of(one) for one in privates], **ABOUT)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("text", ["", "Yes.", "ü" * 20, "😀" * 20, "a\nb", " "])
def test_each_text_is_sealed_equally_long_and_opened(privates, layers, text):
    content = sealed(text, privates[:layers])
    assert len(content) == sealed_size(20, layers) == 80 + 48 * layers
    assert open_text(content, privates[:layers], **ABOUT) == text


@pytest.mark.parametrize(
    "change",
    [{"revision": b"\2" * 32}, {"question": 4}, {"longest": 19}, {"longest": 21}],
)
def test_it_opens_nowhere_else(privates, change):
    with pytest.raises(NotOpened):
        open_text(sealed("Yes.", privates), privates, **{**ABOUT, **change})


def test_either_key_of_two_alone_opens_nothing(privates):
    content = sealed("Yes.", privates)
    for keys in ([privates[0]], [privates[1]], privates[::-1], [privates[0], privates[0]]):
        with pytest.raises(NotOpened):
            open_text(content, keys, **ABOUT)


def test_an_inner_layer_is_no_text_of_one_key(privates):
    """The number of a layer is sealed with it."""
    inner = seal_text("Yes.", [public_of(privates[1])], **ABOUT)
    assert open_text(inner, [privates[1]], **ABOUT) == "Yes."
    both = sealed("Yes.", privates)
    with pytest.raises(NotOpened):
        open_text(both, [privates[1]], **ABOUT)
