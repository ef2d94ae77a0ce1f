"""Pages of tokens, below /surveys/."""

from django.urls import path

from surveys.programs.tokens import pages as tokens

OF_SURVEY = "<uuid:survey_id>/tokens/"
urlpatterns = [
    path("tokens/", tokens.own, name="tokens"),
    path("tokens/make/", tokens.make, name="make-token"),
    path("tokens/revoke-all/", tokens.revoke_all, name="revoke-all-tokens"),
    path("tokens/<uuid:token_id>/revoke/", tokens.revoke, name="revoke-token"),
    path(OF_SURVEY, tokens.of_survey, name="survey-tokens"),
    path(f"{OF_SURVEY}revoke-all/", tokens.revoke_all_of_survey, name="revoke-all-survey-tokens"),
    path(
        f"{OF_SURVEY}<uuid:token_id>/revoke/", tokens.revoke_of_survey, name="revoke-survey-token"
    ),
]
