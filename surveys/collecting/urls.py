"""Respondents' pages, below /<language>/s/<survey>/."""

from django.urls import path

from surveys.collecting.pages import (
    check,
    door,
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
    path("check/", check, name="check"),
]
