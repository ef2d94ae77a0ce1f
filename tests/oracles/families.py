"""Every oracle family with the function that computes it here: one module per subject."""

from collections.abc import Callable

from tests.oracles import local, one_sample, power, randomized_response, regression, two_group
from tests.oracles.files import Case

FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **randomized_response.FAMILIES,
    **local.FAMILIES,
    **power.FAMILIES,
    **one_sample.FAMILIES,
    **two_group.FAMILIES,
    **regression.FAMILIES,
}
