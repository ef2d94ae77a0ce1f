"""Where templates find the documentation, on sites that serve it."""

from django import template
from django.conf import settings
from django.urls import reverse

register = template.Library()


@register.simple_tag
def documentation(page: str = "") -> str:
    """The address of a page of the documentation, or of its first; empty where it is not built."""
    return reverse("documentation") + page if settings.DOCUMENTATION.is_dir() else ""
