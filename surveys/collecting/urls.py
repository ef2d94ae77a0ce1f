"""Respondents' pages, below /<language>/s/<survey>/, and what pages post to below /s/<survey>/."""

from django.urls import path

from surveys.collecting.pages import (
    audit,
    check,
    door,
    exchange,
    how_it_works,
    items,
    own_coin,
    revision,
    send,
    start,
    status,
)

app_name = "respondent"
urlpatterns = [
    path("", start, name="start"),
    path("own-coin/", own_coin, name="own-coin"),
    path("door/", door, name="door"),
    path("how-it-works/", how_it_works, name="how-it-works"),
    path("send/", send, name="send"),
    path("revision.json", revision, name="revision"),
    path("items-<int:number>.json", items, name="items"),
    path("status.json", status, name="status"),
    path("audit.json", audit, name="audit"),
    path("check/", check, name="check"),
]
# Without a language, since one that few people read would tell who sent what: their replies to the
# page's script have no words.
for_all_languages = [
    path("exchange/", exchange, name="exchange"),
    path("send/", send, name="send"),
]
