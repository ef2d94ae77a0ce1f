"""Every oracle family with the function that computes it here: one module per subject."""

from collections.abc import Callable

from tests.oracles import (
    complex_samples,
    local,
    one_sample,
    power,
    randomized_response,
    regression,
    two_group,
)
from tests.oracles.files import Case

FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **randomized_response.FAMILIES,
    **complex_samples.FAMILIES,
    **local.FAMILIES,
    **power.FAMILIES,
    **one_sample.FAMILIES,
    **two_group.FAMILIES,
    **regression.FAMILIES,
}
