"""Parse a submission strictly: its form fields, sizes, body length, invitation and answers.

One revision has exactly one shape of body, on both paths and for every answer::

    revision=<uuid>&key=<32 hex>&path=browser|owncoin[&invitation=<token>|&voucher=<342>]
        [&arm=<code>]&q001=<code>&q002=...[&t01=<ballot>&t02=...]

A rating has a field for each item that is shown, ``q003i01=<number><code>&q003i02=...``. Fields
come in this order, each once; the browser's values never need percent-encoding, and their
length is fixed: free text is padded to its question's largest size and written in base64url. Forms
that are sent without the script carry free text, and a code as it was typed, in the usual
encoding; their length is visible, and the page says so. Everything else is refused with a reason
that a person can act on.

Answers that are counted while they are locked come last, in a ballot for each table, in base64url.
Nothing here tells what is in one, nor whether it proves that it is one. Forms without the script
have none: the server makes those.

Where each person is asked some of the protected questions, exactly so many have an answer (with a
coin, fewer by those that it cannot ask); the others carry the mark of a question that was not
asked, which is as wide as an answer. So does a question that its rule hides from people who gave
other unprotected answers, which is worked out here once more. Whether protected answers hide it is
not known here: its field goes through its channel then, as any answer does.
"""

import hashlib
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, compress
from typing import Self
from uuid import UUID

from surveys.kinds.text.promise import BASE64URL, base64_width, based, unbased
from surveys.questionnaire import arms, tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.facts.row import StoredRow
from surveys.questionnaire.kinds.question import Question, plain_bytes, was_asked
from surveys.questionnaire.logic.rules import Given
from surveys.questionnaire.messages import message
from surveys.questionnaire.plans.tallies import LockedTable
from surveys.questionnaire.refusals import (
    BadAnswer,
    BadAnswers,
    BadInvitation,
    HiddenAnswered,
    Malformed,
    NothingAsked,
    PartlyDrawn,
    TooLarge,
    Unanswered,
    UnansweredByHand,
    WrongDraw,
    WrongRevision,
)
from surveys.randomized_response.messages import Message

SMALL = 4096  # bytes that any body may have
PATHS = {"browser": False, "owncoin": True}
KEY_PATTERN = re.compile(r"[0-9a-f]{32}")
NAME = re.compile(r"[a-z0-9]+")
# The names of all fields of a form, of any survey; and what its first field is.
NAMES_OF_A_FORM = re.compile(
    r"revision,key,path(,invitation|,voucher)?(,arm)?((,q[0-9]{3,}([a-z][0-9]{2,})?)+(,t[0-9]{2})*"
    r"|(,t[0-9]{2})+)"
)
# 256 bytes in base64url; of the last character's six bits two are used.
SIGNED = re.compile(r"[A-Za-z0-9_-]{341}[AQgw]")
SIGNED_WIDTH = 342
NAME_OF_A_REVISION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What a form's encoding leaves: bytes of names and values, and those that part them.
ENCODED = (string.ascii_letters + string.digits + "._*%+-=&").encode()


class MistypedInvitation(BadInvitation):
    def __init__(self, problem: tokens.BadToken) -> None:
        super().__init__(str(problem))
        self.reason = message("{reason} Nothing was stored.", reason=problem.problem)


@dataclass(frozen=True)
class Contents:
    """What waits, sealed, in the spool: reported answers and texts, no key and no invitation.

    Its bytes are equally many for every submission to a questionnaire. ``sealed`` are texts that
    the page sealed; a person with a coin of their own sends none. ``ballots`` are the locked
    answers of each table, in their order. ``waits`` marks a row that an opening held back until the
    close.
    """

    own_coin: bool
    answers: str
    texts: tuple[tuple[int, str], ...]
    sizes: tuple[tuple[int, int], ...] = ()
    waits: bool = False
    sealed: tuple[tuple[int, bytes], ...] = ()
    ballots: tuple[bytes, ...] = ()

    def to_bytes(self) -> bytes:
        """A digit for the path and ``waits``, the answers, texts padded to their sizes, ballots."""
        mark = str(self.own_coin + 2 * self.waits).encode()
        texts = b"".join(block for _, block in self.blocks())
        return mark + self.answers.encode("ascii") + texts + b"".join(self.ballots)

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Each text, written or not: its question's number, and its bytes filled up with NUL."""
        written = {number: text.encode() for number, text in self.texts} | dict(self.sealed)
        for number, size in self.sizes:
            yield number, written.get(number, b"").ljust(size, b"\0")

    @classmethod
    def from_bytes(cls, plain: bytes, row: StoredRow) -> Self:
        """Read what ``to_bytes`` wrote; texts that were left empty are left out."""
        start = 1 + row.width
        is_own, answers = plain[:1] == b"1", plain[1:start].decode("ascii")
        blocks = []
        for number, size in row.text_sizes:
            block = plain[start : start + size]
            start += size
            if any(block):
                blocks.append((number, block))
        ballots = _cut(plain[start:], [table.ballot_bytes for table in row.tables])
        if row.is_locked:
            sealed = tuple(blocks)
            return cls(is_own, answers, (), row.text_sizes, sealed=sealed, ballots=ballots)
        texts = tuple((number, block.rstrip(b"\0").decode()) for number, block in blocks)
        return cls(is_own, answers, texts, row.text_sizes, ballots=ballots)

    def codes(self, items: Sequence[Question]) -> Iterator[tuple[Question, str]]:
        """Each question with its code in the row; that of a text is empty."""
        start = 0
        for item in items:
            yield item, self.answers[start : start + item.width]
            start += item.width


def _cut(content: bytes, sizes: Sequence[int]) -> tuple[bytes, ...]:
    """Pieces of these sizes, one after the other."""
    ends = list(accumulate(sizes))
    return tuple(content[end - size : end] for end, size in zip(ends, sizes, strict=True))


@dataclass(frozen=True)
class Submission:
    """A parsed body: reported answers only, as codes in the order of the variables of ``row``.

    These are the questions, and the arm if there are any. The code of a free-text question is its
    text. ``invitation`` is empty for open links. ``ballots`` are those that the page sent, and
    ``made`` those that the server makes for a person with a coin of their own.
    """

    revision: str
    key: str
    own_coin: bool
    codes: tuple[str, ...]
    body: str
    row: StoredRow
    invitation: str = ""
    voucher: bytes = b""
    ballots: tuple[bytes, ...] = ()
    made: tuple[bytes, ...] = ()

    @cached_property
    def revision_id(self) -> UUID:
        """The revision that it answers."""
        return UUID(self.revision)

    @property
    def is_vouched(self) -> bool:
        """Whether it came with a voucher, and no code."""
        return bool(self.voucher)

    @property
    def answers(self) -> str:
        """The row that is stored: the codes, one after the other, without texts."""
        return "".join(compress(self.codes, self.row.holds))

    @cached_property
    def plain(self) -> bytes:
        """What is sealed and stored of it."""
        return replace(self.contents(), ballots=self.ballots or self.made).to_bytes()

    def contents(self) -> Contents:
        """The same, as a value, without what the server makes."""
        sizes = self.row.text_sizes
        sent = ((number, self.codes[number - 1]) for number, _ in sizes)
        texts = tuple((number, text) for number, text in sent if text)
        if self.row.is_locked:
            sealed = tuple((number, unbased(text)) for number, text in texts)
            return Contents(
                self.own_coin, self.answers, (), sizes, sealed=sealed, ballots=self.ballots
            )
        return Contents(self.own_coin, self.answers, texts, sizes, ballots=self.ballots)

    @property
    def key_digest(self) -> str:
        """SHA-256 of the submission key, the only trace of it that is kept."""
        return hashlib.sha256(bytes.fromhex(self.key)).hexdigest()

    @property
    def ticket(self) -> str:
        """What lets it in where people are invited: its code, or the key of its voucher."""
        return self.invitation or self.key

    @property
    def content_digest(self) -> str:
        """SHA-256 of everything that was sent, the random key included.

        Without what the server made, which differs when the same is sent again.
        """
        sent = self.contents().to_bytes() if self.made else self.plain
        parts = (bytes.fromhex(self.key), self.invitation.encode(), sent)
        return hashlib.sha256(b"".join(parts)).hexdigest()

    @property
    def short_hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of the body, for the receipt."""
        return hashlib.sha256(self.body.encode("ascii")).hexdigest()[:16]


def body_length(questionnaire: Questionnaire) -> int:
    """Bytes in every submission of this questionnaire that the browser's script sends."""
    names = questionnaire.form.names
    values = 36 + 32 + 7 + values_length(questionnaire)
    if questionnaire.invitation_only:
        values += SIGNED_WIDTH if questionnaire.vouchers else questionnaire.code_length
    return sum(len(name) + 1 for name in names) + values + len(names) - 1


def values_length(questionnaire: Questionnaire) -> int:
    """Bytes of all answers in such a submission, the arm included."""
    row = questionnaire.row
    locked = sum(base64_width(table.ballot_bytes) for table in row.tables)
    return row.width + sum(base64_width(size) for _, size in row.text_sizes) + locked


def parse(body: bytes, *, questionnaire: Questionnaire, revision: str) -> Submission:
    """Parse the body of a submission to the given revision.

    Raises TooLarge, Malformed, WrongRevision, NothingAsked, OutsideAlphabet, BadText,
    BadAnswers, WrongDraw, PartlyDrawn, HiddenAnswered, Unanswered or BadInvitation; never stores
    anything.
    """
    if len(body) > SMALL and len(body) > 4 * body_length(questionnaire):
        raise TooLarge
    fields = _fields(body)
    if fields.get("revision", revision) != revision:
        raise WrongRevision(is_form=_is_form_of_a_version(fields))
    own_coin = PATHS.get(fields.get("path", ""))
    names = questionnaire.form.names_by_hand if own_coin else questionnaire.form.names
    if own_coin is None or tuple(fields) != names:
        raise Malformed
    if not KEY_PATTERN.fullmatch(fields["key"]):
        raise Malformed
    if own_coin and not questionnaire.own_coin.is_offered:
        raise NothingAsked
    codes = _codes(questionnaire, fields, own_coin=own_coin)
    _check_draw(questionnaire, codes, own_coin=own_coin)
    tables = questionnaire.row.tables
    return Submission(
        revision,
        fields["key"],
        own_coin,
        codes,
        body.decode("ascii"),
        questionnaire.row,
        _invitation(fields, questionnaire.code_length),
        _signed(fields["voucher"]) if "voucher" in fields else b"",
        () if own_coin else tuple(_ballot(fields[table.field], table) for table in tables),
    )


def _is_form_of_a_version(fields: dict[str, str]) -> bool:
    """Whether a body has what each survey's form has. Its answers are compared with nothing."""
    return (
        NAMES_OF_A_FORM.fullmatch(",".join(fields)) is not None
        and NAME_OF_A_REVISION.fullmatch(fields["revision"]) is not None
        and KEY_PATTERN.fullmatch(fields["key"]) is not None
        and fields["path"] in PATHS
    )


def parse_door(body: bytes) -> tuple[bool, str]:
    """What is posted to the door: whether for one's own coin, and the code as it was typed.

    Raises Malformed or BadInvitation.
    """
    fields = _fields(body)
    if list(fields) != ["path", "invitation"] or fields["path"] not in PATHS:
        raise Malformed
    return PATHS[fields["path"]], _typed(fields["invitation"])


def parse_exchange(body: bytes) -> tuple[str, bytes]:
    """What is posted to the exchange: the code as it was typed, and 256 bytes to be signed.

    Raises Malformed or BadInvitation.
    """
    fields = _fields(body)
    if list(fields) != ["path", "invitation", "blinded"] or fields["path"] != "browser":
        raise Malformed
    return _typed(fields["invitation"]), _signed(fields["blinded"])


def _signed(value: str) -> bytes:
    """256 bytes, written in the one way there is. Raises Malformed."""
    if not SIGNED.fullmatch(value):
        raise Malformed
    return unbased(value)


def _ballot(value: str, table: LockedTable) -> bytes:
    """Bytes of a ballot's length, written in the one way there is. Raises Malformed."""
    is_one = len(value) == base64_width(table.ballot_bytes) and BASE64URL.fullmatch(value)
    if not is_one or based(content := unbased(value)) != value:
        raise Malformed
    return content


def _codes(
    questionnaire: Questionnaire, fields: dict[str, str], *, own_coin: bool
) -> tuple[str, ...]:
    """The code of every answer, and of the arm. What a person wrote by hand is refused all at once.

    Rules read earlier answers and the arm alone, so each is known when its question comes.
    """
    arm = [
        item.read([fields[arms.FIELD]], own_coin=own_coin) for item in questionnaire.row.arm_items
    ]
    codes, problems, form = [], {}, questionnaire.form
    certain = form.nothing_certain if own_coin else form.certain_codes
    rules, has_rules = questionnaire.routes.open_rules, questionnaire.routes.has_rules
    answered: dict[int, Given | None] = {}
    asked = zip(questionnaire.items, form.slots, rules, certain, strict=True)
    for number, (item, slots, rule, known) in enumerate(asked, start=1):
        values = [fields[name] for name in slots]
        try:
            if known and values[0] in known:
                code = values[0]
            elif rule is not None and not item.layers:
                is_asked = rule.holds(answered, *arm)
                code = _code_by_rule(number, item, values, own_coin, is_asked=is_asked)
            elif questionnaire.asked is not None and item.is_randomized:
                code = _code_if_drawn(item, values, own_coin)
            else:
                code = item.read(values, own_coin=own_coin)
            if has_rules:
                answered[number] = item.in_rules.given(code)
            codes.append(code)
        except BadAnswer as refusal:
            if not own_coin:
                raise
            problems[slots[0]] = refusal.problem
    if problems:
        raise BadAnswers(problems)
    return (*codes, *arm)


def _code_if_drawn(item: Question, values: Sequence[str], own_coin: bool) -> str:
    """The code of an answer to a question that is asked of some, by chance.

    Raises PartlyDrawn, Malformed, OutsideAlphabet or BadAnswer.
    """
    marks = item.leaves_out(values, own_coin=own_coin)
    if all(marks):
        return item.not_asked
    if any(marks):
        raise PartlyDrawn
    return item.read(values, own_coin=own_coin)


def _code_by_rule(
    number: int, item: Question, values: Sequence[str], own_coin: bool, *, is_asked: bool
) -> str:
    """The code of an answer to a question with a rule: the server evaluates it too.

    What a person answered by hand although the rule hides it is left out, as the page would do;
    from the page it is refused, and so is an answer that is missing. Raises HiddenAnswered,
    Unanswered and what ``Question.read`` raises.
    """
    is_left_out = bool(values) and all(item.leaves_out(values, own_coin=own_coin))
    by_arm = item.rule is not None and not item.rule.questions
    if not is_asked:
        if values and not is_left_out and not own_coin:
            raise HiddenAnswered(number, by_arm=by_arm)
        return item.not_asked
    may_be_empty = item.text_bytes and not item.required
    can_be_answered = item.is_offered_with_own_coin or not own_coin
    if is_left_out and can_be_answered and not may_be_empty:
        if not own_coin:
            raise Unanswered(number, by_arm=by_arm)
        raise UnansweredByHand(_unanswered_by_hand(number, by_arm=by_arm))
    return item.read(values, own_coin=own_coin)


def _unanswered_by_hand(number: int, *, by_arm: bool) -> Message:
    if by_arm:
        return message(
            "Please answer question {number}: it is for the group that you drew.", number=number
        )
    return message(
        "Please answer question {number}: your other answers show that it is for you.",
        number=number,
    )


def _check_draw(questionnaire: Questionnaire, codes: Sequence[str], *, own_coin: bool) -> None:
    """Raises WrongDraw unless as many protected questions have an answer as a person is asked.

    People with their own coin draw among all protected questions, as the page does. Those that
    no coin can ask count as drawn and have no answer.
    """
    if questionnaire.asked is None:
        return
    pairs = zip(questionnaire.row.variables, codes, strict=True)
    answered = sum(item.is_randomized and was_asked(item, code) for item, code in pairs)
    unanswerable = len(questionnaire.own_coin.left_out) if own_coin else 0
    if not questionnaire.asked - unanswerable <= answered <= questionnaire.asked:
        raise WrongDraw(answered, questionnaire.asked, can_be_corrected=own_coin)


def fields_of(body: bytes) -> list[tuple[str, str]]:
    """A body's fields as a form would show them, for a page from which it can be sent again.

    Empty if it is not a submission's body at all.
    """
    try:
        fields = _fields(body)
        return [(name, plain_bytes(value).decode()) for name, value in fields.items()]
    except (Malformed, UnicodeDecodeError):
        return []


def _invitation(fields: dict[str, str], length: int) -> str:
    """The token that came with it; a form that is sent without the script carries it as typed."""
    if "invitation" not in fields:
        return ""
    return canonical_code(_typed(fields["invitation"]), length)


def canonical_code(typed: str, length: int) -> str:
    """A code as it is stored. Raises MistypedInvitation."""
    try:
        return tokens.canonical(typed, length)
    except tokens.BadToken as problem:
        raise MistypedInvitation(problem) from problem


def _typed(value: str) -> str:
    """A code as it was typed. Raises BadInvitation."""
    try:
        return plain_bytes(value).decode()
    except UnicodeDecodeError as problem:
        raise BadInvitation from problem


def _fields(body: bytes) -> dict[str, str]:
    """Split a urlencoded body; a field twice is malformed."""
    if body.translate(None, ENCODED):  # at one go: a text's value has thousands of bytes
        raise Malformed
    parts = body.decode("ascii").split("&")
    try:
        fields = dict(part.split("=") for part in parts)
    except ValueError as problem:  # not one name and one value
        raise Malformed from problem
    if len(fields) != len(parts) or "" in fields or not NAME.fullmatch("".join(fields)):
        raise Malformed
    return fields
