"""The page of every address for programs says what the document of the interface says."""

import re

from benchmarks.reference import page
from surveys.programs.openapi import document
from surveys.programs.registry import registered
from tests.conftest import ROOT

WRITTEN = (ROOT / "docs" / "api.md").read_text()
SECTIONS = re.split(r"^## ", WRITTEN, flags=re.M)[1:]


def test_the_page_of_addresses_is_current():
    assert page() == WRITTEN, "python -m benchmarks.reference > docs/api.md"


def test_each_operation_has_a_section_with_its_address_scope_answers_and_example():
    sections = [one for one in SECTIONS if re.match(r"(GET|PUT|POST) ", one)]
    headings = [one.partition("\n")[0] for one in sections]
    assert len(set(headings)) == len(headings) == len(registered())
    for section in sections:
        for part in ("/api/v1/", "Scope: `", "| Answer |", "curl -s", "(#errors)"):
            assert part in section, section


def test_each_error_of_the_document_has_its_meaning_and_each_record_its_fields():
    book = document()
    (errors,) = [one for one in SECTIONS if one.startswith("Errors")]
    for verbs in book["paths"].values():
        for operation in verbs.values():
            for status, reply in operation["responses"].items():
                assert status < "400" or f"| {status} | {reply['description']} |" in errors
    for name in ("SurveyEstimates", "ShareEstimate", "Problem"):
        section = WRITTEN.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        for field in book["components"]["schemas"][name]["properties"]:
            assert f"| `{field}` | " in section
