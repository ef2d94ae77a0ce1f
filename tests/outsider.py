"""Attacks by an outsider, who knows the public pages, the HTTP interface and an account that reads.

Nothing here imports the product: bodies are made from the pages that people see, and what is
learned is read from pages and files. A ``Site`` is any way to reach a server: Django's test client,
or connections to one that runs.
"""

import base64
import csv
import io
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Protocol

from tests.people import Forms

OURS = 90_000  # from here on, the numbers that the attacker sends
NOT_ASKED = "--"
PAGES = ("", "invitations/", "reminders/", "members/", "audit/", "break-down/", "weights/")
PAGES += ("regression/", "releases/", "reports/", "reports/groups/")
REPORTS = "responses.csv?values=codes&columns=reports"
FILES = ("responses.csv", "responses.csv?values=codes", REPORTS, "codebook.json", "texts.csv")
# Drawn for each page anew; and that the attacker looked, which the audit log notes.
OWN = re.compile(
    r'(csrfmiddlewaretoken" value=|nonce=|value=)"[A-Za-z0-9_-]{20,}"'
    r"|<tr>(?:(?!</tr>).)*download(?:(?!</tr>).)*</tr>\s*",
    re.S,
)


class Site(Protocol):
    """A server, as the attacker reaches it. All fail if the server refuses."""

    def read(self, path: str) -> str:
        """What a page or file says to a member of staff who may read it."""

    def press(self, path: str, fields: Mapping[str, str]) -> str:
        """What the same person is answered who sends a form."""

    def post(self, path: str, fields: Mapping[str, str]) -> str:
        """What a respondent is answered."""


@dataclass(frozen=True)
class Row:
    """A line of the download: the number that a person gave, and the codes of their answers."""

    number: int
    codes: tuple[str, ...]

    @property
    def is_hidden(self) -> bool:
        """Some answer is missing, as on the path with a coin of one's own."""
        return NOT_ASKED in self.codes


@dataclass
class Outsider:
    """One attacker of one survey. Its first question asks everyone for a number of five digits."""

    site: Site
    key: str
    answers: Mapping[str, str] = field(default_factory=dict)
    """What people choose in the other questions, on either path."""

    def page(self, name: str = "") -> str:
        return self.site.read(f"/en/s/{self.key}/{name}")

    def file(self, name: str) -> str:
        return self.site.read(f"/surveys/{self.key}/{name}")

    def by_browser(self, *numbers: int, **answers: str) -> list[str]:
        """Submissions as the script makes them, one after the other; what was answered."""
        revision = re.search(r'data-revision="([0-9a-f-]{36})"', self.page())[1]
        common = {"revision": revision, "path": "browser", **self.answers, **answers}
        return [self._send({**common, "q001": f"{number:05d}"}) for number in numbers]

    def by_own_coin(self, *numbers: int | str, **answers: str) -> list[str]:
        """Submissions from the page without a script, whose form says what it sends."""
        form, names = Forms(self.page("own-coin/")).forms[0]
        chosen = {**form, **self.answers, **answers}
        fixed = {name: value for name, value in form.items() if value == NOT_ASKED}
        common = {name: value for name, value in chosen.items() if name in names | set(form)}
        return [self._send({**common, **fixed, "q001": f"{number}"}) for number in numbers]

    def _send(self, fields: Mapping[str, str]) -> str:
        names = ["revision", "key", "path", *sorted(name for name in fields if name[0] == "q")]
        body = {**fields, "key": secrets.token_hex(16)}
        return self.site.post(f"/en/s/{self.key}/send/", {name: body[name] for name in names})

    def rows(self) -> list[Row]:
        """All that is shown, in the order of the file."""
        lines = csv.reader(io.StringIO(self.file(REPORTS)))
        next(lines)
        return [Row(int(number), tuple(codes)) for number, *codes in lines]

    def texts(self) -> list[str]:
        """What people wrote, in the order of the file."""
        lines = csv.DictReader(io.StringIO(self.file("texts.csv"), newline=""))
        return [line["text"] for line in lines]

    def all_that_is_shown(self) -> dict[str, str]:
        """Pages and files of the survey, and the pages that ask before something is done to it."""
        admin = f"/admin/surveys/survey/{self.key}/"
        paths = [f"/surveys/{self.key}/{name}" for name in (*PAGES, *FILES)]
        paths += ["/surveys/", "/admin/surveys/survey/", f"{admin}change/", f"/en/s/{self.key}/"]
        found = {path: self.site.read(path) for path in paths}
        listed = "/admin/surveys/survey/"
        for action in re.findall(r'<option value="(\w+)"', found[listed]):
            fields = Forms(found[listed]).with_names({"action"})
            chosen = {**fields, "action": action, "_selected_action": self.key}
            found[action] = self.site.press(listed, chosen)
        return {name: OWN.sub("", text) for name, text in found.items()}


def company_of(target: int, rows: Sequence[Row]) -> int:
    """Among how many rows the target's is, without the attacker's own; 0 if it is not there."""
    others = [row.number for row in rows if row.number < OURS]
    return len(others) if target in others else 0


# Attacks. Each is one try against a survey made for it.


def coin_among_fillers(
    attacker: Outsider,
    end: Callable[[Outsider], None],
    *,
    honest: int,
    fillers: int,
    flood: int = 0,
) -> int:
    """The target is known to have used a coin; the attacker's own coins take up the company.

    Args:
        attacker: Of a survey that opens at the close.
        end: Lets it close.
        honest: People who answer by browser.
        fillers: False answers with a coin.
        flood: False answers by browser.

    Returns among how many the target hides.
    """
    attacker.by_browser(*range(1, honest + 1))
    attacker.by_own_coin(0, *range(OURS, OURS + fillers))
    attacker.by_browser(*[OURS] * flood)
    end(attacker)
    return company_of(0, [row for row in attacker.rows() if row.is_hidden])


def coin_before_a_flood(
    attacker: Outsider,
    pass_period: Callable[[Outsider], None],
    end: Callable[[Outsider], None],
    *,
    honest: int,
    periods: int,
    flood: int,
) -> int:
    """The target used a coin; of the honest, few are left when the attacker sends nearly all.

    The rows that show only at the close are those among which the target can be. Returns among how
    many of them the target hides.
    """
    attacker.by_browser(*range(1, honest + 1))
    attacker.by_own_coin(0)
    for _ in range(periods):
        pass_period(attacker)
    before = {row.number for row in attacker.rows()}
    assert before, "nothing was opened before the close"
    attacker.by_browser(*[OURS] * flood)
    end(attacker)
    new = [row for row in attacker.rows() if row.number not in before]
    return company_of(0, [row for row in new if row.is_hidden])


def marks_of_a_coin(attacker: Outsider, end: Callable[[Outsider], None], *, honest: int) -> set:
    """What people with a coin wrote as the form lets them, and tells them from the others.

    The survey asks for a number, something that no coin can ask, and a text as ``q003``. Returns
    the shapes of rows, and the texts, that are of one path alone.
    """
    numbers, words = ("90070", " 90080 ", "0090090"), "Two\nlines, one blank"
    attacker.by_browser(*range(1, honest + 1), q003=padded(words, attacker.page()))
    attacker.by_own_coin(*numbers, q003=words.replace("\n", "\r\n") + " ")
    end(attacker)
    lines = attacker.file(REPORTS).splitlines()[1:]
    hidden = [line for line in lines if NOT_ASKED in line]
    assert len(hidden) > len(numbers), "nobody hides those with a coin"
    by_path = [
        {_shape(line) for line in hidden if line.startswith("900") is own} for own in (True, False)
    ]
    return set.symmetric_difference(*by_path) | set(attacker.texts()) - {words}


def _shape(line: str) -> str:
    """A row without its answers: how many digits a number has is part of the answer."""
    number, rest = line.split(",", 1)
    return f"{re.sub('[0-9]+', '0', number)},{re.sub('[0-9]', '0', rest)}"


def padded(text: str, page: str) -> str:
    """A text as the page's script sends it."""
    size = 4 * int(re.search(r'data-longest="([0-9]+)"', page)[1])
    plain = text.encode().ljust(size, b"\0")
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


def kept_places(attacker: Outsider, end: Callable[[Outsider], None], *, people: int) -> list[int]:
    """How many have the place in the file of rows, and in that of texts, in which they came.

    The third number: how many have the same place in both files.
    """
    page = attacker.page()
    for number in range(people):
        attacker.by_browser(number, q003=padded(f"{number}", page))
    end(attacker)
    rows = [row.number for row in attacker.rows()]
    texts = [int(text) for text in attacker.texts()]
    assert sorted(rows) == sorted(texts) == list(range(people))
    came = list(range(people))
    pairs = ((rows, came), (texts, came), (rows, texts))
    return [sum(map(eq, one, other)) for one, other in pairs]


def told_by_receipts(attacker: Outsider, end: Callable[[Outsider], None], *, people: int) -> set:
    """What only the receipt of one person says, and files or pages of staff say too."""
    receipts = attacker.by_browser(*range(people), q003=padded("", attacker.page()))
    receipts += attacker.by_own_coin(*range(people, 2 * people), q003="")
    end(attacker)
    words = [set(re.findall(r"[0-9a-zA-Z-]{8,}", receipt)) for receipt in receipts]
    own = set().union(*words) - set.intersection(*words)
    assert len(own) >= 2 * people, "receipts show no fingerprint"
    shown = "".join(attacker.all_that_is_shown().values())
    return {word for word in own if word in shown}


def moved_by_answers(attacker: Outsider, *, people: int) -> set[str]:
    """The pages and files that are others after so many answers of one day, half with a coin."""
    attacker.all_that_is_shown()  # the audit log begins to note downloads
    before = attacker.all_that_is_shown()
    attacker.by_browser(*range(people // 2))
    attacker.by_own_coin(*range(people // 2, people))
    after = attacker.all_that_is_shown()
    return {name for name in before if before[name] != after[name]}
