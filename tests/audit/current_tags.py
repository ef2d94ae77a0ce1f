"""For schemathesis: a definition that is put with a tag is put with the present one.

Else each would be refused as changed since it was read, and none be written.
"""

import os
import re
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import schemathesis

TAG = re.compile(r'(W/)?"[!#-~]+"')
TOKEN, SERVER = os.environ["AUDITED_TOKEN"], os.environ["AUDITED_SERVER"]


@schemathesis.hook
def before_call(context: Any, case: Any, **more: Any) -> None:
    """Ask for the tag first, where the case has one of the right form."""
    if case.method == "PUT" and TAG.fullmatch((case.headers or {}).get("If-Match", "")):
        tag = _tag_at(f"{SERVER}/api/v1{case.formatted_path}")
        case.headers["If-Match"] = tag or case.headers["If-Match"]


def _tag_at(address: str) -> str | None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    try:
        with urlopen(Request(address, headers=headers), timeout=60) as reply:
            return reply.headers["ETag"]
    except (HTTPError, ValueError):
        return None
