"""Role and Ability (read, edit, invite, rule): one table of who may do what in a survey."""

from enum import StrEnum


class Role(StrEnum):
    """What a user is in one survey. Superusers are owners of every survey."""

    OWNER = "owner"
    EDITOR = "editor"
    ANALYST = "analyst"


ROLE_WORDS = {
    Role.EDITOR: "You are an editor of this survey: you prepare it and invite people.",
    Role.ANALYST: "You are an analyst of this survey: you read and download its results.",
}


class Ability(StrEnum):
    """What a page or a service needs."""

    READ = "read"  # estimates, counts, downloads of reported answers
    EDIT = "edit"  # the draft: questions, preview, plan
    INVITE = "invite"  # invitations and mailings
    RULE = "rule"  # launch, close, members, the audit log, what people wrote


ALLOWED: dict[Role, frozenset[Ability]] = {
    Role.OWNER: frozenset(Ability),
    Role.EDITOR: frozenset({Ability.READ, Ability.EDIT, Ability.INVITE}),
    Role.ANALYST: frozenset({Ability.READ}),
}

ROLES_WITH: dict[Ability, frozenset[Role]] = {
    ability: frozenset(role for role, abilities in ALLOWED.items() if ability in abilities)
    for ability in Ability
}
