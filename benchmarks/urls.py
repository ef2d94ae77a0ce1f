"""The site, and a bare view behind all middlewares, as a page of staff's is."""

from django.urls import path

from benchmarks.bare import insert_one_row
from config.urls import handler400, handler403, handler404, handler500, urlpatterns

__all__ = ["handler400", "handler403", "handler404", "handler500"]

urlpatterns = [path("bare/", insert_one_row), *urlpatterns]
