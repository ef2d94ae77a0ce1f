"""The type face of staff's pages: as it was published, with its licence, and never waited for."""

import re
from hashlib import sha256

from tests.conftest import ROOT

WEB = ROOT / "static/surveys/web"
FACES = re.findall(r"@font-face \{(.*?)\}", (WEB / "tokens.css").read_text(), re.S)
PUBLISHED = {
    "fonts/atkinson-latin.woff2": (
        "18b2a1a39a2fa298b0ba5390aca68462669826c90925656f1c1f6796e0e1bbaf"
    ),
    "fonts/atkinson-latin-ext.woff2": (
        "7dae0c6c66af1aec82e096186aeb1f0e6fa36ab8061ed65422f2b7daf4dd93f3"
    ),
}
RESPONDENTS = [*(ROOT / "static/surveys/collecting").iterdir()]


def test_its_files_are_those_that_were_published_and_their_licence_is_beside_them():
    found = {name: sha256((WEB / name).read_bytes()).hexdigest() for name in PUBLISHED}
    assert found == PUBLISHED
    assert [re.search(r'url\("([^"]+)"\)', face)[1] for face in FACES] == list(PUBLISHED)
    assert "SIL Open Font License, Version 1.1" in (WEB / "fonts/OFL.txt").read_text()


def test_a_page_is_drawn_without_it_and_in_the_systems_letters():
    assert all("font-display: optional" in face for face in FACES)
    family = re.search(r"--font: ([^;]+);", (WEB / "tokens.css").read_text())[1].split(", ")
    assert family[0] == '"Atkinson Hyperlegible Next"'
    assert family[1] == "system-ui"


def test_respondents_load_no_face():
    sheets = [path.read_text() for path in RESPONDENTS if path.suffix == ".css"]
    assert sheets
    assert not any("@font-face" in sheet for sheet in sheets)
    assert not [path for path in RESPONDENTS if path.suffix == ".woff2"]
