"""What the start page says about how answers are kept, and for how long."""

from dataclasses import replace

from surveys.questionnaire.document import Questionnaire
from surveys.wording.protection import keeping_lines

OPEN_LINK = Questionnaire("T", "I", "O", "C", 1, ())


def test_the_size_of_a_batch_is_the_one_frozen_at_launch():
    first = keeping_lines(replace(OPEN_LINK, batch_size=35))[0]
    assert "until at least 35 people have sent answers" in first
    assert "the last answers may be stored in a smaller group" in first


def test_an_open_link_is_called_what_it_is():
    lines = keeping_lines(OPEN_LINK)
    assert "Anyone who has the link of this survey can answer it." in lines
    assert not any("invitation" in line for line in lines)


def test_everything_that_is_stored_of_an_invitation_is_named():
    told = " ".join(keeping_lines(replace(OPEN_LINK, invitation_only=True)))
    for kept in ("a fingerprint of its code", "whether the code was used", "your address"):
        assert kept in told
    assert "erased when the survey closes" in told
    assert "Anyone who has the link" not in told


def test_the_day_of_deletion_is_told_or_that_there_is_none():
    assert keeping_lines(OPEN_LINK)[-1] == ("No date is set for deleting the answers.")
    dated = keeping_lines(replace(OPEN_LINK, delete_on="2027-03-01"))
    assert dated[-1] == "All answers are deleted on March 1, 2027 at the latest."
