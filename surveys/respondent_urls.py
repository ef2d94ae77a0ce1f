"""Respondents' pages, below /<language>/s/<survey>/."""

from django.urls import path

from surveys.views import respondent

app_name = "respondent"
urlpatterns = [
    path("", respondent.start, name="start"),
    path("own-coin/", respondent.own_coin, name="own-coin"),
    path("how-it-works/", respondent.how_it_works, name="how-it-works"),
    path("send/", respondent.send, name="send"),
]
