"""What entries of the audit log are about, in the language of the page; they are stored in English.

The log keeps its own words for good, and so do its files; a word that is not known here is shown
as it is stored.
"""

import re

from django.utils.translation import gettext, gettext_lazy

from surveys.models import Question
from surveys.staff.accounts.changes import KEPT_BACK

ACTIONS = {
    "account changed": gettext_lazy("account changed"),
    "account created": gettext_lazy("account created"),
    "account deleted": gettext_lazy("account deleted"),
    "account erased": gettext_lazy("account erased"),
    "account exported": gettext_lazy("account exported"),
    "another directory of keys": gettext_lazy("changed the directory of keys"),
    "audit log downloaded": gettext_lazy("audit log downloaded"),
    "authenticator app added": gettext_lazy("authenticator app added"),
    "authenticator app removed": gettext_lazy("authenticator app removed"),
    "break-down downloaded": gettext_lazy("break-down downloaded"),
    "catalogue deleted": gettext_lazy("catalogue deleted"),
    "catalogue made": gettext_lazy("catalogue made"),
    "catalogue renamed": gettext_lazy("catalogue renamed"),
    "closed": gettext_lazy("closed"),
    "code refused": gettext_lazy("code refused"),
    "copied": gettext_lazy("copied"),
    "copied an opening key": gettext_lazy("copied an opening key"),
    "counted answers anew": gettext_lazy("recounted answers"),
    "created": gettext_lazy("created"),
    "dates kept": gettext_lazy("noted the date"),
    "deleted": gettext_lazy("deleted"),
    "destroyed an opening key": gettext_lazy("destroyed an opening key"),
    "destroyed unread: too few answers": gettext_lazy("destroyed unread: too few answers"),
    "edited": gettext_lazy("edited"),
    "erased": gettext_lazy("erased"),
    "erased an address": gettext_lazy("erased an address"),
    "erased an address list": gettext_lazy("erased an address list"),
    "erasing": gettext_lazy("erasing"),
    "export asked for": gettext_lazy("export requested"),
    "finished a mailing": gettext_lazy("finished a mailing"),
    "gave up sealed answers": gettext_lazy("gave up sealed answers"),
    "gave up unreadable answers": gettext_lazy("gave up unreadable answers"),
    "group changed": gettext_lazy("group changed"),
    "group created": gettext_lazy("group created"),
    "group deleted": gettext_lazy("group deleted"),
    "handed over": gettext_lazy("owner changed"),
    "held openings": gettext_lazy("paused openings"),
    "internal report seen": gettext_lazy("internal report seen"),
    "issued invitations": gettext_lazy("issued invitations"),
    "item changed": gettext_lazy("item changed"),
    "item deleted": gettext_lazy("item deleted"),
    "items imported": gettext_lazy("items imported"),
    "launched": gettext_lazy("launched"),
    "let openings go on": gettext_lazy("continued paused openings"),
    "logged in": gettext_lazy("logged in"),
    "login refused": gettext_lazy("login refused"),
    "member added": gettext_lazy("member added"),
    "member removed": gettext_lazy("member removed"),
    "moved": gettext_lazy("moved"),
    "password changed": gettext_lazy("password changed"),
    "picture downloaded": gettext_lazy("picture downloaded"),
    "planned": gettext_lazy("planned"),
    "prepared a mailing": gettext_lazy("prepared a mailing"),
    "ranking changed": gettext_lazy("ranking changed"),
    "ranking downloaded": gettext_lazy("ranking downloaded"),
    "recovered an opening key": gettext_lazy("recovered an opening key"),
    "recovered a key of vouchers": gettext_lazy("recovered a key of vouchers"),
    "copied a key of vouchers": gettext_lazy("copied a key of vouchers"),
    "recovery codes replaced": gettext_lazy("recovery codes replaced"),
    "regression downloaded": gettext_lazy("regression downloaded"),
    "report cancelled": gettext_lazy("report cancelled"),
    "report charged": gettext_lazy("report charged"),
    "permit given": gettext_lazy("permit for a report on sealed texts given and charged"),
    "permit closed": gettext_lazy("report on sealed texts handed in"),
    "report downloaded": gettext_lazy("report downloaded"),
    "deposit downloaded": gettext_lazy("deposit downloaded"),
    "report repeated": gettext_lazy("report repeated"),
    "report requested": gettext_lazy("report requested"),
    "responses downloaded": gettext_lazy("responses downloaded"),
    "restored a backup": gettext_lazy("restored a backup"),
    "retried a mailing": gettext_lazy("retried a mailing"),
    "role changed": gettext_lazy("role changed"),
    "scheduled reminders": gettext_lazy("scheduled reminders"),
    "second factors removed": gettext_lazy("second factors removed"),
    "security key added": gettext_lazy("security key added"),
    "security key removed": gettext_lazy("security key removed"),
    "set answers aside": gettext_lazy("set unreadable answers aside"),
    "settled a mailing": gettext_lazy("decided about uncertain mails"),
    "started a mailing": gettext_lazy("started a mailing"),
    "stopped a mailing": gettext_lazy("stopped a mailing"),
    "stopped at once": gettext_lazy("stopped at once"),
    "tables at openings charged": gettext_lazy("tables at openings charged"),
    "texts downloaded": gettext_lazy("texts downloaded"),
    "locked answers downloaded": gettext_lazy("locked answers downloaded"),
    "locked tables charged": gettext_lazy("totals of locked answers charged"),
    "locked totals downloaded": gettext_lazy("totals of locked answers downloaded"),
    "locked totals opened": gettext_lazy("totals of locked answers opened"),
    "trustee's file downloaded": gettext_lazy("trustee's file downloaded"),
    "trustee's file taken": gettext_lazy("trustee's file uploaded"),
    "took answers back": gettext_lazy("recovered unreadable answers"),
    "token made": gettext_lazy("token made"),
    "token revoked": gettext_lazy("token revoked"),
    "token used": gettext_lazy("token used for the first time that day"),
    "topic report downloaded": gettext_lazy("topic report downloaded"),
    "topics named": gettext_lazy("topics named"),
    "translated": gettext_lazy("translated"),
    "weighted estimates downloaded": gettext_lazy("weighted estimates downloaded"),
}
NAMES = {
    "account": gettext_lazy("account"),
    "adaptive": gettext_lazy("adaptive"),
    "addresses": gettext_lazy("addresses"),
    "adjacency": gettext_lazy("adjacency"),
    "alpha": gettext_lazy("alpha"),
    "also in": gettext_lazy("other languages"),
    "arms": gettext_lazy("arms"),
    "arrived": gettext_lazy("arrived"),
    "as of": gettext_lazy("as of"),
    "ask": gettext_lazy("ask"),
    "asked": gettext_lazy("asked"),
    "at least": gettext_lazy("at least"),
    "batch size": gettext_lazy("batch size"),
    "below k": gettext_lazy("below k"),
    "by": gettext_lazy("by"),
    "catalogue id": gettext_lazy("catalogue id"),
    "catalogue": gettext_lazy("catalogue"),
    "channel": gettext_lazy("channel"),
    "close on": gettext_lazy("close on"),
    "conditions": gettext_lazy("conditions"),
    "contact": gettext_lazy("contact"),
    "copied from": gettext_lazy("copied from"),
    "copy": gettext_lazy("copy"),
    "cuts": gettext_lazy("cuts"),
    "decimal places": gettext_lazy("decimal places"),
    "deepest": gettext_lazy("deepest"),
    "delete on": gettext_lazy("delete on"),
    "delta": gettext_lazy("delta"),
    "depth": gettext_lazy("depth"),
    "design": gettext_lazy("design"),
    "draws": gettext_lazy("draws"),
    "email": gettext_lazy("email"),
    "end link": gettext_lazy("end link"),
    "epsilon": gettext_lazy("epsilon"),
    "erased on": gettext_lazy("erased on"),
    "file": gettext_lazy("file"),
    "first day": gettext_lazy("first day"),
    "first name": gettext_lazy("first name"),
    "forced": gettext_lazy("forced"),
    "group": gettext_lazy("group"),
    "groups": gettext_lazy("groups"),
    "harmless yes": gettext_lazy("harmless yes"),
    "harmless": gettext_lazy("harmless"),
    "help": gettext_lazy("help"),
    "introduction": gettext_lazy("introduction"),
    "invitation only": gettext_lazy("invitation only"),
    "invitations": gettext_lazy("invitations"),
    "is active": gettext_lazy("is active"),
    "is public": gettext_lazy("is public"),
    "is staff": gettext_lazy("is staff"),
    "is superuser": gettext_lazy("is superuser"),
    "items": gettext_lazy("items"),
    "kind": gettext_lazy("kind"),
    "known share": gettext_lazy("known share"),
    "language": gettext_lazy("language"),
    "last batch": gettext_lazy("last batch"),
    "last day": gettext_lazy("last day"),
    "last name": gettext_lazy("last name"),
    "least": gettext_lazy("least"),
    "level": gettext_lazy("level"),
    "longest": gettext_lazy("longest"),
    "lost": gettext_lazy("lost"),
    "made at": gettext_lazy("made at"),
    "mailing": gettext_lazy("mailing"),
    "maximum": gettext_lazy("maximum"),
    "metric": gettext_lazy("metric"),
    "minimum": gettext_lazy("minimum"),
    "minutes": gettext_lazy("minutes"),
    "most": gettext_lazy("most"),
    "name": gettext_lazy("name"),
    "names": gettext_lazy("names"),
    "network": gettext_lazy("network"),
    "number": gettext_lazy("number"),
    "opening days": gettext_lazy("opening days"),
    "opening hour": gettext_lazy("opening hour"),
    "opening": gettext_lazy("opening"),
    "options": gettext_lazy("options"),
    "alone": gettext_lazy("options that exclude all others"),
    "order": gettext_lazy("order"),
    "organisation": gettext_lazy("organisation"),
    "owner": gettext_lazy("owner"),
    "p sensitive": gettext_lazy("p sensitive"),
    "password": gettext_lazy("password"),
    "permissions": gettext_lazy("permissions"),
    "planned responses": gettext_lazy("planned responses"),
    "question": gettext_lazy("question"),
    "questions": gettext_lazy("questions"),
    "random options": gettext_lazy("random options"),
    "random screens": gettext_lazy("random screens"),
    "random section": gettext_lazy("random section"),
    "reason": gettext_lazy("reason"),
    "release share": gettext_lazy("release share"),
    "released together": gettext_lazy("released together"),
    "reminders": gettext_lazy("reminders"),
    "removed": gettext_lazy("removed"),
    "report": gettext_lazy("report"),
    "request": gettext_lazy("request"),
    "required": gettext_lazy("required"),
    "resource": gettext_lazy("resource"),
    "responses": gettext_lazy("responses"),
    "revision": gettext_lazy("revision"),
    "role": gettext_lazy("role"),
    "rows": gettext_lazy("rows"),
    "rule joins": gettext_lazy("rule joins"),
    "rule shape": gettext_lazy("how conditions are joined"),
    "run": gettext_lazy("run"),
    "same screen": gettext_lazy("same screen"),
    "scopes": gettext_lazy("scopes"),
    "section shape": gettext_lazy("how conditions of the section are joined"),
    "section text": gettext_lazy("section text"),
    "section": gettext_lazy("section"),
    "seed": gettext_lazy("seed"),
    "settings": gettext_lazy("settings"),
    "shown": gettext_lazy("shown"),
    "surveys": gettext_lazy("surveys"),
    "table rows": gettext_lazy("table rows"),
    "tables": gettext_lazy("tables"),
    "text": gettext_lazy("text"),
    "texts": gettext_lazy("texts"),
    "locked answers": gettext_lazy("locked answers"),
    "title": gettext_lazy("title"),
    "token": gettext_lazy("token"),
    "topic": gettext_lazy("topic"),
    "totals": gettext_lazy("totals"),
    "unfinished": gettext_lazy("not finished"),
    "use ratio": gettext_lazy("use ratio"),
    "username": gettext_lazy("username"),
}
ROLES = {"analyst": gettext_lazy("analyst"), "editor": gettext_lazy("editor")}
# In the place of what the log must not hold.
KEPT = {"changed": gettext_lazy("changed"), "not kept": gettext_lazy("not kept")}
UNREADABLE = {"unreadable": gettext_lazy("unreadable")}
VALUES = {"role": ROLES, "network": UNREADABLE, **dict.fromkeys(("contact", *KEPT_BACK), KEPT)}
# What questions are asked by, as their form says it.
CHOICES = {"design": dict(Question.Design.choices), "kind": dict(Question.Kind.choices)}
OF_QUESTION = re.compile(r"(removed question|question) (\d+): (.+)")


def action(stored: str) -> str:
    """What was done."""
    return str(ACTIONS.get(stored, stored))


def name(stored: str) -> str:
    """Of what a value is: a field, or a field of a question."""
    of_question = OF_QUESTION.fullmatch(stored)
    if of_question is None:
        return _field(stored)
    which, number, field = of_question.groups()
    words = (
        gettext("question {number}: {field}")
        if which == "question"
        else gettext("removed question {number}: {field}")
    )
    return words.format(number=number, field=_field(field))


def value(name: str, stored: str) -> str:
    """A value, if it is a word of the log itself, or the design or kind of a question.

    What people write stays as it is, also where it is one of those words.
    """
    of_question = OF_QUESTION.fullmatch(name)
    known = CHOICES.get(of_question[3], {}) if of_question else VALUES.get(name, {})
    return str(known.get(stored, stored))


def yes_or_no(stored: bool) -> str:
    """What is either true or not."""
    return gettext("yes") if stored else gettext("no")


def _field(stored: str) -> str:
    words = stored.replace("_", " ")
    return str(NAMES.get(words, words))
