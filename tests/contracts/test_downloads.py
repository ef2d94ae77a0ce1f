"""Every download and picture says which version made it."""

import io
import json
import re
from collections.abc import Callable
from xml.etree import ElementTree

from django.core.management import call_command
from pyarrow import parquet

from surveys import PROGRAM, VERSION
from tests.contracts.files import ADDRESSES, Places

WITHIN: dict[str, Callable[[bytes], str]] = {
    "json": lambda content: find(json.loads(content)),
    "svg": lambda content: ElementTree.fromstring(content)[0].text or "",
    "png": lambda content: re.search(rb"tEXtSoftware\0(.+?\d\.\d\.\d)", content)[1].decode(),
    "parquet": lambda content: (
        parquet.read_schema(io.BytesIO(content)).metadata[b"program"].decode()
    ),
    **dict.fromkeys(
        ("R", "do", "sps", "md"),
        lambda content: re.search(rb"Made (?:by|with) (.+?\d\.\d\.\d)", content)[1].decode(),
    ),
}


def find(document: dict) -> str:
    return document["program"] if "program" in document else document["usermeta"]["program"]


def test_the_addresses_of_files_are_found():
    assert len(ADDRESSES) >= 24
    assert {ending for _, _, ending in ADDRESSES} == {*WITHIN, "csv"} - {"png"}


def test_every_download_and_picture_says_which_version_made_it(client, survey_of_files):
    client.force_login(survey_of_files.owner)
    places = Places(survey_of_files)
    silent = []
    for name, route, ending in ADDRESSES:
        reply = client.get(places.at(name, route))
        assert reply.status_code == 200, name
        content = reply.getvalue()
        header = reply.get("Content-Disposition", "")
        if header and f"-deniable-{VERSION}-" not in header:
            silent.append(f"{name}: {header}")
        if ending == "csv":
            assert header, name
        elif WITHIN[ending](content) != PROGRAM:
            silent.append(name)
    assert silent == []


def test_a_report_on_a_file_says_so_too(tmp_path):
    source = tmp_path / "texts.csv"
    words = "rent landlord flat", "train ticket platform", "bread butter oven"
    lines = [words[number % 3] for number in range(300)]
    source.write_text("text\n" + "\n".join(lines) + "\n")
    for ending in ("json", "html"):
        target = tmp_path / f"report.{ending}"
        call_command(
            "topics",
            input=str(source),
            column="text",
            kind="exact_topics",
            output=str(target),
        )
        assert PROGRAM in target.read_text()
