"""The addresses of programs, below /api/; they have no names, because no page links to them."""

from django.urls import path

from surveys.programs.openapi import document_page
from surveys.programs.registry import registered
from surveys.programs.routing.answering import addresses_of

urlpatterns = [path("v1/openapi.json", document_page), *addresses_of(registered())]
