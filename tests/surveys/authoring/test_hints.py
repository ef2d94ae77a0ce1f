"""What an author reads about a question once it is saved."""

import math

from surveys.authoring.hints import compare_list_designs


def test_the_advice_compares_people_at_equal_epsilon() -> None:
    long = compare_list_designs(200, math.log(3))
    assert "subset selection is the most precise" in long
    assert "OUE needs 1.01 times as many people" in long
    assert "k-ary needs 17.1 times" in long
    assert "k-ary needs 1 times" in compare_list_designs(5, 5.0)
