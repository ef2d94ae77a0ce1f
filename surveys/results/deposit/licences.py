"""The licences among which an owner chooses for a deposit, and the file that says which it is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Licence:
    """``spdx`` is its identifier in CITATION.cff and in archives' forms."""

    spdx: str
    name: str
    address: str
    grants: str

    def text(self, title: str, owner: str) -> str:
        """The file LICENSE."""
        return (
            f"{title}\nby {owner}\n\n{self.grants}\n\n{self.name} ({self.spdx})\n"
            f"The legal text: {self.address}\n"
        )


LICENCES = {
    one.spdx: one
    for one in (
        Licence(
            "CC0-1.0",
            "Creative Commons Zero 1.0 Universal",
            "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
            "To the extent possible under law, the authors have waived all copyright and related "
            "or neighbouring rights to this work.",
        ),
        Licence(
            "CC-BY-4.0",
            "Creative Commons Attribution 4.0 International",
            "https://creativecommons.org/licenses/by/4.0/legalcode",
            "You may share and adapt this work, if you name its authors and say what you changed.",
        ),
        Licence(
            "CC-BY-SA-4.0",
            "Creative Commons Attribution-ShareAlike 4.0 International",
            "https://creativecommons.org/licenses/by-sa/4.0/legalcode",
            "You may share and adapt this work, if you name its authors, say what you changed, and "
            "share what you make of it under this licence.",
        ),
    )
}
